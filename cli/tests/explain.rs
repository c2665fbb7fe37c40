//! `cotangent explain` as its users see it: output, errors, exit status.

#![allow(clippy::unwrap_used)] // A test may unwrap, also in its helpers.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

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
    let cases: [(&[&str], &str); 10] = [
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
        (&["explain", "hand"], "error: hand: "),
        (&["explain"], "required arguments"),
        (
            &["explain", "gmm", "--text", "--json"],
            "cannot be used with",
        ),
        (
            &["explain", "-", "--shape=3x"],
            "extents with an `x` between",
        ),
        (
            &["explain", "-", "--shape=-3"],
            "extents with an `x` between",
        ),
        (&["explain", "-", "--json", "--dot"], "cannot be used with"),
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

/// A file with that text.
fn file(name: &str, text: &str) -> String {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

/// What is known of kernels, but for places and the operations at each, which are told apart by their places.
fn without_places(mut object: serde_json::Value) -> serde_json::Value {
    for kernel in object["kernels"].as_array_mut().unwrap() {
        for field in ["location", "fused", "tested_loads"] {
            kernel[field].take();
        }
    }
    object["boundaries"].take();
    object
}

#[test]
fn a_printed_program_is_explained_as_the_one_that_was_printed() {
    for task in ["gmm", "ba"] {
        let text = output(&["explain", task, "--text"]);
        assert!(text.starts_with("program (_: f64["), "{text}");
        let path = file(&format!("{task}.txt"), &text);
        let printed = json(&["explain", &path]);
        let built_in = json(&["explain", task, "--formulas"]);
        assert_eq!(without_places(printed), without_places(built_in));
    }
}

const SCALED: &str = "\u{feff}\
program (a5: f64[_, _], a6: f64[]) { // In the labelled form.
  let a7: f64[_, _] = map (a5)
    f: fn [$0 = a6] (x0: f64) {
      let x1: f64 = index $0 ()
      let x2: f64 = mul (x0, x1)
      return (x2)
    }
  return (a7)
}
";

#[test]
fn extents_of_inputs_make_figures_of_formulas() {
    let path = file("scaled.txt", SCALED);
    let text = output(&["explain", &path]);
    assert!(text.contains("kernel 0: map `map` at text:2:3\n"), "{text}");
    assert!(text.contains("8*x0.0*x0.1 + 8 B of x0, x1"), "{text}");
    let sized = json(&["explain", &path, "--shape=1000x20", "--shape=scalar"]);
    assert_eq!(sized["inputs_bytes"].as_u64(), Some(8 * 20_001));
    assert!(output(&["explain", &path, "--dot"]).starts_with("digraph"));
}

/// Explains what comes in on standard input; gives the exit status and what is said.
fn said_of(text: &[u8], arguments: &[&str]) -> (Option<i32>, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cotangent"));
    command.args(["explain", "-"]).args(arguments);
    let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut process = piped.stderr(Stdio::piped()).spawn().unwrap();
    process.stdin.take().unwrap().write_all(text).unwrap();
    let output = process.wait_with_output().unwrap();
    assert_eq!(output.status.success(), output.stderr.is_empty());
    (
        output.status.code(),
        String::from_utf8(output.stderr).unwrap(),
    )
}

#[test]
fn standard_input_is_read_as_a_file() {
    assert_eq!(said_of(SCALED.as_bytes(), &[]).0, Some(0));
}

#[test]
fn host_arrays_are_taken_as_zeros() {
    let text = b"program () { host #0: f16[2147483647] let _: f16[_] = use #0 return (a@0) }";
    assert_eq!(said_of(text, &["--json"]), (Some(0), String::new()));
}

#[test]
fn errors_show_the_line() {
    let wrong = SCALED.replace("mul (x0, x1)", "mul (x0, x9)");
    let expected = "\
error: x9 is not in scope
 --> standard input:5:30
  |
5 |       let x2: f64 = mul (x0, x9)
  |                              ^^
";
    assert_eq!(
        said_of(wrong.as_bytes(), &[]),
        (Some(2), expected.to_owned())
    );
    let ill_typed = SCALED.replace("a7: f64", "a7: f32");
    let expected = "\
error: let 0 (a7 = map): bindings: expected types (f64[_, _]), found (f32[_, _])
 --> standard input:2:3
  |
2 |   let a7: f32[_, _] = map (a5)
  |   ^^^
";
    assert_eq!(
        said_of(ill_typed.as_bytes(), &[]),
        (Some(2), expected.to_owned())
    );
}

#[test]
fn what_is_no_program_is_an_error() {
    let cases: [(&[u8], &[&str], &str); 6] = [
        (b"", &[], "expected `program`, found the end of the text"),
        (b"\xff", &[], "valid UTF-8"),
        (
            b"program () { return () }",
            &["--shape=3"],
            "takes 0 arrays, 1 shapes",
        ),
        (
            SCALED.as_bytes(),
            &["--shape=3", "--shape=3x4"],
            "has 2 dimensions",
        ),
        (
            b"program () { host #0: i64[2147483647, 2147483647, 2] return () }",
            &[],
            "host array #0: ",
        ),
        (
            b"program (_: f64[_]) { let _: f64[_] = gradient_a (a@0) body: (_: f64[_]) {
                let _: i32[], _: f64[] = loop_a (a@1) return (a@0) } return (a@0) }",
            &[],
            "expected `trips`",
        ),
    ];
    for (text, arguments, part) in cases {
        let (code, message) = said_of(text, arguments);
        assert_eq!(code, Some(2), "{message}");
        assert!(
            message.starts_with("error: ") && message.contains(part),
            "{message}"
        );
    }
    let nested = [
        "program () { ".as_bytes(),
        &b"let = acond condition: fn () { return () } then: { ".repeat(100_000),
    ]
    .concat();
    let (code, message) = said_of(&nested, &[]);
    assert_eq!(code, Some(2));
    assert!(
        message.contains("more than 1000 blocks") && message.len() < 1000,
        "{message}"
    );
}

#[test]
fn help_teaches_files() {
    let text = output(&["explain", "--help"]);
    for part in [
        "<FILE>",
        "--shape",
        "standard input",
        "gmm --text",
        "Examples:",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
}
