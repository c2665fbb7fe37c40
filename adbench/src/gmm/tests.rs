//! The reference equals ADBench's golden module and its own finite differences.

use super::GmmInput;
use super::reference::{gradient, ln_gamma, objective};
use std::path::Path;

#[test]
fn ln_gamma_is_right() {
    let factorial = |n: u32| (1..n).map(f64::from).product::<f64>().ln();
    for n in 1..30 {
        assert!((ln_gamma(f64::from(n)) - factorial(n)).abs() < 1e-13 * factorial(n).max(1.0));
    }
    assert!((ln_gamma(0.5) - std::f64::consts::PI.sqrt().ln()).abs() < 1e-14);
}

#[test]
fn gradient_equals_finite_differences() {
    let mut input = GmmInput::generate(5, 3, 2, 7).unwrap();
    (input.gamma, input.m) = (0.75, 2);
    let exact = gradient(&input).unwrap().1.flatten();
    assert_eq!(exact.len(), input.parameters());
    for (parameter, exact) in exact.iter().enumerate() {
        let at = |step| objective(&moved(&input, parameter, step)).unwrap();
        let quotient = (at(1e-6) - at(-1e-6)) / 2e-6;
        assert!(
            (quotient - exact).abs() < 1e-6 * exact.abs().max(1.0),
            "parameter {parameter}"
        );
    }
}

/// The input with one of its parameters changed.
fn moved(input: &GmmInput, parameter: usize, step: f64) -> GmmInput {
    let mut input = input.clone();
    let mut parameters = input
        .alphas
        .iter_mut()
        .chain(&mut input.means)
        .chain(&mut input.icf);
    *parameters.nth(parameter).unwrap() += step;
    input
}

fn parse(text: &str) -> Result<GmmInput, String> {
    GmmInput::parse(Path::new("f.txt"), text, false).map_err(|e| e.to_string())
}

const SMALL: &str = "2 1 1\n0.5\n0.1 0.2\n1 2 3\n4 5\n1.0 0\n";

#[test]
fn reads_a_small_file() {
    let input = parse(SMALL).unwrap();
    assert_eq!((input.d, input.k, input.n, input.m), (2, 1, 1, 0));
    assert_eq!(input.icf, [1.0, 2.0, 3.0]);
}

#[test]
fn malformed_files_are_refused_by_line() {
    let cases = [
        ("", "f.txt:1: expected three sizes"),
        (
            "2 0 1\n",
            "f.txt:1: expected three sizes: d, K and n, each at least 1, found 0",
        ),
        ("2 1\n", "f.txt:1:"),
        (
            "2 1 1\nx\n",
            "f.txt:2: expected 1 finite numbers (α 1 of 1), found `x`",
        ),
        (
            "2 1 1\n0.5\n0.1\n",
            "f.txt:3: expected 2 finite numbers (mean 1 of 1), found 1 words",
        ),
        ("2 1 1\n0.5\n0.1 nan\n", "f.txt:3:"),
        (
            "2 1 1\n0.5\n0.1 0.2\n1 2 3\n4 5\n",
            "f.txt:6: expected the prior",
        ),
        (
            "2 1 1\n0.5\n0.1 0.2\n1 2 3\n4 5\n-1 0\n",
            "f.txt:6: expected the prior",
        ),
        (
            "2 1 1\n0.5\n0.1 0.2\n1 2 3\n4 5\n1 0\n9\n",
            "f.txt:7: expected the end of the file",
        ),
        (
            "2 1 3\n0.5\n0.1 0.2\n1 2 3\n4 5\n1 0\n",
            "f.txt:7: expected 2 finite numbers (point 3",
        ),
        ("99999999999 99999999999 1\n", "do not fit"),
    ];
    for (text, start) in cases {
        let message = parse(text).unwrap_err();
        assert!(
            message.contains(start),
            "{text:?} gave {message:?}, not {start:?}"
        );
    }
}

#[test]
fn one_point_stands_for_all() {
    let text = SMALL.replace("2 1 1\n", "2 1 3\n");
    let input = GmmInput::parse(Path::new("f.txt"), &text, true).unwrap();
    assert_eq!(input.x, [4.0, 5.0, 4.0, 5.0, 4.0, 5.0]);
}

#[test]
fn generated_inputs_are_reproducible() {
    let input = GmmInput::generate(3, 2, 2, 1).unwrap();
    assert_eq!(input, GmmInput::generate(3, 2, 2, 1).unwrap());
    assert_ne!(input, GmmInput::generate(3, 2, 2, 2).unwrap());
    assert!(input.means.iter().all(|m| (0.0..=1.0).contains(m)));
    assert!(GmmInput::generate(0, 2, 2, 1).is_err());
    assert!(GmmInput::generate(usize::MAX, 2, 2, 1).is_err());
}
