//! The reference equals finite differences; files are read and refused as they should be.

mod scenes;

use super::input::BaInput;
use super::reference::{jacobian, objective, residual};
use super::{CAMERA, LOCAL};
use std::path::Path;

#[test]
fn jacobian_equals_finite_differences() {
    let input = BaInput::generate(3, 4, 7, 5).unwrap();
    let csr = jacobian(&input).unwrap();
    for (i, &(camera, point)) in input.observations.iter().enumerate() {
        let mut x = [0.0; LOCAL];
        x[..CAMERA].copy_from_slice(&input.cameras[camera as usize]);
        x[CAMERA..CAMERA + 3].copy_from_slice(&input.points[point as usize]);
        x[CAMERA + 3] = input.weights[i];
        let at = |x: [f64; LOCAL]| {
            let camera = std::array::from_fn(|j| x[j]);
            let point = [x[CAMERA], x[CAMERA + 1], x[CAMERA + 2]];
            residual(camera, point, x[CAMERA + 3], input.features[i])
        };
        for j in 0..LOCAL {
            let moved = |step: f64| {
                at(std::array::from_fn(|l| {
                    x[l] + if l == j { step } else { 0.0 }
                }))
            };
            let (up, down) = (moved(1e-5), moved(-1e-5));
            for row in 0..2 {
                let quotient = (up[row] - down[row]) / 2e-5;
                let exact = csr.values[(2 * i + row) * LOCAL + j];
                assert!(
                    (quotient - exact).abs() < 1e-5 * exact.abs().max(1.0),
                    "{i} {row} {j}"
                );
            }
        }
    }
}

/// Without rotation the residual is linear in r; the derivative there must not be NaN.
#[test]
fn no_rotation_is_no_singularity() {
    let mut input = BaInput::generate(1, 1, 1, 5).unwrap();
    input.cameras[0][..3].fill(0.0);
    let values = jacobian(&input).unwrap().values;
    assert!(values.iter().all(|v| v.is_finite()));
    let residuals = objective(&input).unwrap().0;
    assert!(residuals.iter().all(|r| r.is_finite()));
}

#[test]
fn the_sparsity_is_adbenchs() {
    let csr = jacobian(&BaInput::generate(2, 3, 4, 1).unwrap()).unwrap();
    assert_eq!(
        (csr.row_count(), csr.columns, csr.values.len()),
        (12, 35, 124)
    );
    assert_eq!(csr.rows[7..], [105, 120, 121, 122, 123, 124]);
    assert_eq!(
        csr.cols[30..45],
        [11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 25, 26, 27, 32]
    );
    assert_eq!(csr.cols[120..], [31, 32, 33, 34]);
}

fn parse(text: &str) -> Result<BaInput, String> {
    BaInput::parse(Path::new("f.txt"), text).map_err(|e| e.to_string())
}

const CAMERA_LINE: &str = "1 2 3 4 5 6 7 8 9 10 11\n";

#[test]
fn both_formats_are_read() {
    let replicated = parse(&format!("2 3 4\n{CAMERA_LINE}1 2 3\n0.5\n7 8\n")).unwrap();
    assert_eq!(replicated.sizes(), (2, 3, 4));
    assert_eq!(replicated.observations, [(0, 0), (1, 1), (0, 2), (1, 0)]);
    let full = parse(&format!(
        "1 2 2 full\n{CAMERA_LINE}1 2 3\n4 5 6\n.5\n.6\n7 8\n9 10\n0 1\n0 0\n"
    ));
    let full = full.unwrap();
    assert_eq!(full.observations, [(0, 1), (0, 0)]);
    assert_eq!(full.features, [[7.0, 8.0], [9.0, 10.0]]);
}

#[test]
fn malformed_files_are_refused_by_line() {
    let full = format!("1 1 1 full\n{CAMERA_LINE}1 2 3\n.5\n7 8\n");
    let cases = [
        (String::new(), "f.txt:1: expected three sizes"),
        ("1 1 1 half\n".into(), "found `1 1 1 half`"),
        ("0 1 1\n".into(), "found 0"),
        (
            "1 1 1\n1 2 3\n".into(),
            "f.txt:2: expected 11 finite numbers (camera 1 of 1), found 3",
        ),
        (full.clone(), "f.txt:6: expected observation 1 of 1"),
        (
            format!("{full}0 1\n"),
            "f.txt:6: expected observation 1 of 1: a camera below 1 and a point below 1, both from 0, found `1`",
        ),
        (format!("{full}0 -1\n"), "f.txt:6:"),
        (
            format!("{full}0 0\n0 0\n"),
            "f.txt:7: expected the end of the file",
        ),
        ("1 1 99999999999\n".into(), "32-bit"),
        ("190000000 1 1 full\n1\n".into(), "camera 1 of 190000000"),
        ("1 1 1 \u{7}\n".into(), "found `1 1 1 \\u{7}`"),
        ("\u{feff}1 1 2 3 4\n".into(), "f.txt:1:"),
    ];
    for (text, part) in cases {
        let message = parse(&text).unwrap_err();
        assert!(
            message.contains(part),
            "{text:?} gave {message:?}, not {part:?}"
        );
    }
}
