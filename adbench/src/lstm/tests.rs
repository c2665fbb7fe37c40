//! The reference equals its own finite differences; files are read, or refused by line.

use super::LstmInput;
use super::input::MAX_LAYERS;
use super::reference::{gradient, objective};
use std::path::Path;

#[test]
fn gradient_equals_finite_differences() {
    let input = LstmInput::generate(3, 6, 2, 7).unwrap();
    let (value, exact) = gradient(&input);
    assert_eq!(value, objective(&input));
    assert_eq!(exact.len(), input.parameters());
    for (parameter, exact) in exact.iter().enumerate() {
        let at = |step: f64| {
            let mut input = input.clone();
            let mut parameters = input.main.iter_mut().chain(&mut input.extra);
            *parameters.nth(parameter).unwrap() += step;
            objective(&input)
        };
        let quotient = (at(1e-5) - at(-1e-5)) / 2e-5;
        assert!((quotient - exact).abs() < 1e-9, "parameter {parameter}");
    }
}

fn parse(text: &str) -> Result<LstmInput, String> {
    LstmInput::parse(Path::new("f.txt"), text).map_err(|e| e.to_string())
}

const SMALL: &str = "1 2 1\n\n1 2 3 4\n5 6 7 8\n\n9\n10\n11\n\n12\n13\n\n0\n1\n";

#[test]
fn reads_a_small_file() {
    let input = parse(SMALL).unwrap();
    assert_eq!((input.l, input.c, input.b), (1, 2, 1));
    assert_eq!(input.main, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]);
    assert_eq!(
        (input.extra[2], input.state[1], input.sequence[1]),
        (11.0, 13.0, 1.0)
    );
}

#[test]
fn malformed_files_are_refused_by_line() {
    let cases = [
        ("", "f.txt:1: expected three sizes"),
        ("1 2\n", "f.txt:1:"),
        ("1 1 1\n", "f.txt:1: expected three sizes"),
        ("9 2 1\n", "there must be 1 to 8 layers"),
        ("0 2 1\n", "f.txt:1:"),
        ("1 2 0\n", "f.txt:1:"),
        (
            "1 2 1\n1 2 3\n",
            "f.txt:2: expected 4 finite numbers (parameters 1 of 2)",
        ),
        ("1 2 1\n1 2 3 4\n5 6 7 inf\n", "f.txt:3:"),
        ("1 99999999999999 1\n1 2 3 4\n", "f.txt:3:"),
        ("1 2 9999999999999999999\n", "f.txt:1:"),
    ];
    for (text, start) in cases {
        let message = parse(text).unwrap_err();
        assert!(
            message.contains(start),
            "{text:?} gave {message:?}, not {start:?}"
        );
    }
    let more = parse(&format!("{SMALL}2\n")).unwrap_err();
    assert!(more.contains("expected the end of the file"), "{more}");
}

#[test]
fn generated_inputs_are_reproducible() {
    let input = LstmInput::generate(2, 9, 3, 1).unwrap();
    assert_eq!(input, LstmInput::generate(2, 9, 3, 1).unwrap());
    assert_ne!(input, LstmInput::generate(2, 9, 3, 2).unwrap());
    assert!(input.sequence.contains(&0.0) && input.sequence.contains(&1.0));
    for (l, c, b) in [
        (0, 2, 1),
        (MAX_LAYERS + 1, 2, 1),
        (1, 1, 1),
        (1, 2, 0),
        (1, usize::MAX, 2),
    ] {
        assert!(LstmInput::generate(l, c, b, 1).is_err());
    }
}
