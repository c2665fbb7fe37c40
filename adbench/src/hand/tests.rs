//! The reference's Jacobian equals finite differences; files are read, or refused by line.

use super::input::{HandInput, HandModel};
use super::reference::{jacobian, residuals};
use super::{BONES, THETA};
use std::path::Path;

#[test]
fn jacobian_equals_finite_differences() {
    for in_triangles in [false, true] {
        let input = HandInput::generate(5, 7, in_triangles, 3).unwrap();
        let (exact, columns) = (jacobian(&input), input.columns());
        assert_eq!(exact.len(), 3 * 5 * columns);
        let own = columns - THETA;
        for column in 0..columns {
            let moved = |step: f64| {
                let mut input = input.clone();
                match column < own {
                    true => {
                        let us = input.us.as_mut().unwrap();
                        us.iter_mut()
                            .skip(column)
                            .step_by(2)
                            .for_each(|u| *u += step);
                    }
                    false => input.theta[column - own] += step,
                }
                residuals(&input)
            };
            for (row, (high, low)) in moved(1e-5).iter().zip(moved(-1e-5)).enumerate() {
                let quotient = (high - low) / 2e-5;
                let exact = exact[row * columns + column];
                assert!(
                    (quotient - exact).abs() < 1e-8,
                    "row {row}, column {column}"
                );
            }
        }
    }
}

#[test]
fn a_hand_that_is_not_rotated() {
    let mut input = HandInput::generate(3, 4, false, 3).unwrap();
    input.theta[..3].fill(0.0);
    assert!(jacobian(&input).iter().all(|x| x.is_finite()));
}

fn hand() -> HandModel {
    HandInput::generate(0, 3, false, 1).unwrap().model
}

fn parse(text: &str, in_triangles: bool) -> Result<HandInput, String> {
    HandInput::parse(Path::new("f.txt"), text, hand(), in_triangles).map_err(|e| e.to_string())
}

#[test]
fn reads_small_files() {
    let theta = "0.5\n".repeat(THETA);
    let input = parse(&format!("1 26\n2 1 2 3\n{theta}"), false).unwrap();
    assert_eq!((input.len(), input.columns()), (1, THETA));
    assert_eq!((&input.correspondences, input.us), (&vec![2], None));
    let input = parse(&format!("1 26\n2 1 2 3\n0.25 0.5\n{theta}"), true).unwrap();
    assert_eq!((input.us, input.theta[25]), (Some(vec![0.25, 0.5]), 0.5));
}

#[test]
fn malformed_files_are_refused_by_line() {
    let cases = [
        ("", "f.txt:1: expected two sizes"),
        ("1 25\n", "f.txt:1:"),
        (
            "1 26\n3 1 2 3\n",
            "f.txt:2: expected a point of the skin, below 3",
        ),
        ("1 26\n-1 1 2 3\n", "f.txt:2:"),
        ("1 26\n0 1 2\n", "f.txt:2:"),
        (
            "1 26\n0 1 2 3\n1\n",
            "f.txt:4: expected 1 finite numbers (parameter 2 of 26)",
        ),
        ("99999999999999 26\n", "f.txt:2:"),
    ];
    for (text, start) in cases {
        let message = parse(text, false).unwrap_err();
        assert!(
            message.contains(start),
            "{text:?} gave {message:?}, not {start:?}"
        );
    }
}

#[test]
fn a_model_is_read_from_its_folder() {
    let folder = std::env::temp_dir().join(format!("cotangent-hand-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.join(name), text).unwrap();
    let matrices = ":1".repeat(32);
    let bones = (0..BONES).map(|k| format!("bone{k}:{}{matrices}\n", k as i32 - 1));
    write("bones.txt", &bones.collect::<String>());
    write(
        "vertices.txt",
        "1:2:3:0:0:0:0:0:2:21:0.5:0:0.25\n4:5:6:0:0:0:0:0:0\n",
    );
    write("triangles.txt", "0:1:0\n");
    let model = HandModel::load(&folder).unwrap();
    assert_eq!(
        (model.vertices(), model.triangles.as_slice()),
        (2, &[[0, 1, 0]][..])
    );
    assert_eq!((model.weights[0], model.weights[21]), (0.25, 0.5));
    assert_eq!(
        (model.bones[0].parent, model.bones[21].parent),
        (None, Some(20))
    );
    for (name, text, expected) in [
        (
            "triangles.txt",
            "0:1:2\n",
            "triangles.txt:1: expected a triangle",
        ),
        (
            "vertices.txt",
            "1:2:3:0:0:0:0:0:1:22:0.5\n",
            "vertices.txt:1:",
        ),
        ("vertices.txt", "1:2:3\n", "vertices.txt:1:"),
        ("bones.txt", "a:-1\n", "bones.txt:1: expected a bone"),
    ] {
        write(name, text);
        let message = HandModel::load(&folder).unwrap_err().to_string();
        assert!(message.contains(expected), "{message}");
    }
    std::fs::remove_dir_all(&folder).unwrap();
    assert!(HandModel::load(&folder).is_err());
}

#[test]
fn generated_inputs_are_reproducible() {
    let input = HandInput::generate(4, 5, true, 1).unwrap();
    assert_eq!(input, HandInput::generate(4, 5, true, 1).unwrap());
    assert_ne!(input, HandInput::generate(4, 5, true, 2).unwrap());
    assert!(HandInput::generate(4, 0, true, 1).is_err());
    assert!(HandInput::generate(usize::MAX, 5, true, 1).is_err());
    assert!(HandInput::generate(0, 5, true, 1).unwrap().is_empty());
}
