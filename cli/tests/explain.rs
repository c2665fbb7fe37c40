//! `cotangent explain` as its users see it: output, errors, exit status.

#![allow(clippy::unwrap_used)] // A test may unwrap, also in its helpers.

use std::process::{Command, Output};

const SMALL_GMM: &[&str] = &[
    "explain",
    "gmm",
    "--points=20",
    "--dimensions=3",
    "--components=2",
];

fn run(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cotangent"));
    command.args(arguments).output().unwrap()
}

/// What a command prints that succeeds and has nothing to complain about.
fn output(arguments: &[&str]) -> String {
    let output = run(arguments);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(output.stderr.is_empty(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

fn json(arguments: &[&str]) -> serde_json::Value {
    serde_json::from_str(&output(&[arguments, &["--json"]].concat())).unwrap()
}

#[test]
fn the_derivative_is_explained_unless_the_objective_is_asked_for() {
    let kernels = |more: &[&str]| {
        let object = json(&[SMALL_GMM, more].concat());
        object["kernels"].as_array().unwrap().len()
    };
    let (objective, gradient) = (kernels(&["--objective"]), kernels(&[]));
    assert!(
        objective > 5 && gradient > objective,
        "{objective} {gradient}"
    );
    assert_eq!(gradient, kernels(&["--gradient"]));
}

#[test]
fn json_has_the_fields_that_scripts_rely_on() {
    let object = json(SMALL_GMM);
    for field in ["temporaries_bytes", "peak_bytes", "inputs_bytes"] {
        assert!(object[field].as_u64().unwrap() > 0, "{field}");
    }
    assert_eq!(object["rewrites"]["contract"].as_u64(), Some(3));
    let kernels = object["kernels"].as_array().unwrap();
    for kernel in kernels {
        assert!(
            kernel["name"].is_string() && kernel["kind"].is_string(),
            "{kernel}"
        );
        assert!(
            kernel["index_space"].is_array() && kernel["fused"].is_array(),
            "{kernel}"
        );
        assert!(
            kernel["flops"].is_u64() && kernel["bytes"].is_u64(),
            "{kernel}"
        );
    }
    let boundaries = object["boundaries"].as_array().unwrap();
    let reasons = boundaries.iter().map(|b| &b["reason"]["name"]);
    assert!(reasons.clone().any(|r| r == "fold") && reasons.clone().all(|r| r.is_string()));
}

#[test]
fn sizes_and_precision_matter() {
    let peak = |more: &[&str]| json(&[SMALL_GMM, more].concat())["peak_bytes"].as_u64();
    let (double, single) = (peak(&[]).unwrap(), peak(&["--precision=f32"]).unwrap());
    assert!(single < double && double <= 2 * single, "{single} {double}");
    let points = ["explain", "gmm", "--points=2000000000", "--json"];
    assert!(output(&points).contains("\"peak_bytes\""));
}

#[test]
fn formulas_need_no_sizes() {
    let text = output(&["explain", "ba", "--objective", "--formulas"]);
    assert!(text.contains("  space   [x2.0]\n"), "{text}");
    assert!(text.contains("*x2.0 B of A"), "{text}");
}

#[test]
fn graphs_are_in_graphviz_language() {
    let graph = output(&["explain", "ba", "--dot", "--observations=5"]);
    assert!(
        graph.starts_with("digraph") && graph.ends_with("}\n"),
        "{graph}"
    );
    assert!(graph.contains("k0 [label="), "{graph}");
}

#[test]
fn help_teaches_what_figures_mean() {
    let text = output(&["explain", "gmm", "--help"]);
    for part in ["--points", "--objective", "--dot", "flops", "Examples:"] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn what_cannot_be_is_an_error_of_usage() {
    let cases: [(&[&str], &str); 5] = [
        (&["explain", "gmm", "--points=0"], "0 is not in"),
        (
            &["explain", "gmm", "--json", "--dot"],
            "cannot be used with",
        ),
        (
            &["explain", "gmm", "--objective", "--gradient"],
            "cannot be used with",
        ),
        (&["explain", "ba", "--components=3"], "unexpected argument"),
        (&["explain", "hand"], "unrecognized subcommand"),
    ];
    for (arguments, part) in cases {
        let output = run(arguments);
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{message}");
        assert!(
            message.contains(part) && output.stdout.is_empty(),
            "{message}"
        );
    }
}
