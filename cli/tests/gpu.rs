//! GPUs on the command line, on whatever device there is: lavapipe, which needs no GPU, will do. Without one the tests say
//! so and pass; what is said then is tested on every machine.

// A test may unwrap, also in its helpers, and says what it skipped.
#![allow(clippy::unwrap_used, clippy::print_stdout)]
#![cfg(feature = "gpu")]

use serde_json::Value;
use std::process::{Command, Output};

const SMALL_GMM: &[&str] = &[
    "adbench",
    "gmm",
    "--points=20",
    "--dimensions=3",
    "--components=2",
    "--time-limit=0.01",
];
const SMALL_BA: &[&str] = &[
    "adbench",
    "ba",
    "--cameras=2",
    "--points=3",
    "--observations=4",
    "--time-limit=0.01",
];

fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cotangent"));
    command.args(arguments);
    command
}

/// As if no driver were installed.
fn without_drivers(arguments: &[&str]) -> Output {
    let mut command = command(arguments);
    for variable in ["VK_DRIVER_FILES", "VK_ICD_FILENAMES"] {
        command.env(variable, "/nonexistent");
    }
    command.output().unwrap()
}

fn run(arguments: &[&str]) -> Output {
    command(arguments).output().unwrap()
}

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// What the program says; drivers may say more.
fn message(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    let ours = text
        .lines()
        .filter(|line| !line.contains("XDG_RUNTIME_DIR"));
    ours.collect::<Vec<_>>().join("\n")
}

fn json(output: &Output) -> Value {
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    serde_json::from_slice(&output.stdout).unwrap()
}

/// The devices; none and a note where there are none.
fn devices() -> Option<Vec<Value>> {
    let output = run(&["devices", "--json"]);
    let devices: Vec<Value> = serde_json::from_slice(&output.stdout).unwrap();
    let status = if devices.is_empty() { 1 } else { 0 };
    assert_eq!(output.status.code(), Some(status), "{output:?}");
    if devices.is_empty() {
        println!("skipped: no GPU adapter");
        return None;
    }
    Some(devices)
}

#[test]
fn devices_are_listed_the_first_choice_first() {
    let Some(devices) = devices() else { return };
    let text = stdout(&run(&["devices"]));
    let lines: Vec<_> = text.lines().collect();
    assert_eq!(lines.len(), devices.len(), "{text}");
    for (i, (line, device)) in lines.iter().zip(&devices).enumerate() {
        assert_eq!(line.starts_with("* "), i == 0, "{text}");
        assert_eq!(device["is_first_choice"], i == 0, "{device}");
        assert!(line.contains(device["name"].as_str().unwrap()), "{text}");
        assert_eq!(line.contains(", f64"), device["has_f64"], "{text}");
        let bytes = device["max_array_bytes"].as_u64().unwrap();
        let size = format!("arrays up to {} MiB", bytes >> 20);
        assert!(line.ends_with(&size), "{text}");
    }
}

#[test]
fn tasks_pass_their_check_on_the_gpu() {
    let Some(devices) = devices() else { return };
    let first = &devices[0];
    for task in [SMALL_GMM, SMALL_BA] {
        for precision in ["f32", "f64"] {
            if precision == "f64" && first["has_f64"] == false {
                println!("skipped: the device has no f64");
                continue;
            }
            let precise = format!("--precision={precision}");
            let options = ["--backend=gpu", precise.as_str(), "--json"];
            let report = json(&run(&[task, &options].concat()));
            assert_eq!(report["check"]["passed"], true, "{report}");
            assert_eq!(
                (&report["backend"], &report["device"]),
                (&"gpu".into(), &first["name"])
            );
            assert_eq!(report["precision"], precision);
            assert!(report["threads"].is_null() && report["choices"].is_null());
        }
    }
}

#[test]
fn explanations_have_times_if_asked_for() {
    let Some(_) = devices() else { return };
    let sizes = ["--points=50", "--dimensions=3", "--components=2"];
    let options = ["explain", "gmm", "--timed", "--precision=f32", "--json"];
    let output = run(&[&options[..], &sizes].concat());
    if message(&output).contains("clock") {
        return println!("skipped: a device without a clock");
    }
    let explanation = json(&output);
    let kernels = explanation["kernels"].as_array().unwrap();
    assert!(!kernels.is_empty());
    for kernel in kernels {
        assert!(kernel["time"]["seconds"].is_number(), "{kernel}");
    }
}

#[test]
fn a_part_of_the_name_is_enough() {
    let Some(devices) = devices() else { return };
    let name = devices[0]["name"].as_str().unwrap();
    let part = name.split_whitespace().next().unwrap().to_uppercase();
    let options = ["--gpu", part.as_str(), "--precision=f32"];
    let output = run(&[SMALL_GMM, &options].concat());
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let text = stdout(&output);
    let line = text.lines().find(|l| l.starts_with("backend")).unwrap();
    assert!(line.contains(&format!("gpu, f32, {name}")), "{text}");
}

#[test]
fn names_that_nothing_has_are_an_error_with_those_that_there_are() {
    let Some(devices) = devices() else { return };
    for backend in ["gpu", "auto"] {
        let options = ["--gpu=nosuch", "--backend", backend];
        let output = run(&[SMALL_GMM, &options].concat());
        let message = message(&output);
        assert_eq!(output.status.code(), Some(2), "{message}");
        assert!(message.contains("no GPU is called \"nosuch\""), "{message}");
        for device in &devices {
            assert!(
                message.contains(device["name"].as_str().unwrap()),
                "{message}"
            );
        }
        assert!(output.stdout.is_empty());
    }
}

#[test]
fn auto_says_what_runs_the_programs_and_why() {
    let options = ["--backend=auto", "--threads=1"];
    for task in [SMALL_GMM, SMALL_BA] {
        let report = json(&run(&[task, &options, &["--json"]].concat()));
        assert_eq!(report["backend"], "auto");
        assert_eq!(report["threads"], 1);
        assert_eq!(report["check"]["passed"], true, "{report}");
        for program in ["primal", "derivative"] {
            // Twenty points are not worth the way, whatever device there is.
            let choice = report["choices"][program].as_str().unwrap();
            assert!(choice.starts_with("cpu: "), "{report}");
        }
        let text = stdout(&run(&[task, &options].concat()));
        assert!(text.contains("\nderivative on    cpu: "), "{text}");
    }
}

#[test]
fn options_that_contradict_each_other_are_an_error() {
    let cases = [
        (["--backend=gpu", "--threads=1"], "--threads is for the CPU"),
        (["--gpu=x", "--threads=1"], "--threads is for the CPU"),
        (["--gpu=x", "--backend=cpu"], "--backend cpu runs on none"),
    ];
    for (options, part) in cases {
        let output = run(&[SMALL_GMM, &options].concat());
        let message = message(&output);
        assert_eq!(output.status.code(), Some(2), "{message}");
        assert!(message.contains(part), "{message}");
    }
}

#[test]
fn without_a_driver_it_says_what_to_install() {
    let advice = "there is no GPU; install a Vulkan driver (`mesa-vulkan-drivers` on Debian has one that needs no \
                  GPU), or use the CPU";
    let listed = without_drivers(&["devices"]);
    assert_eq!(listed.status.code(), Some(1), "{listed:?}");
    assert_eq!(stdout(&listed).trim_end(), advice);
    let listed = without_drivers(&["devices", "--json"]);
    assert_eq!(
        (stdout(&listed).trim_end(), listed.status.code()),
        ("[]", Some(1))
    );
    for options in [["--backend=gpu"], ["--gpu=llvmpipe"]] {
        let output = without_drivers(&[SMALL_GMM, &options].concat());
        let message = message(&output);
        assert_eq!(output.status.code(), Some(2), "{message}");
        assert_eq!(message, format!("error: {advice}"));
        assert!(output.stdout.is_empty());
    }
    // The CPU does what nothing else can.
    let options = ["--backend=auto", "--json"];
    let report = json(&without_drivers(&[SMALL_GMM, &options].concat()));
    assert_eq!(report["choices"]["primal"], format!("cpu: {advice}"));
    assert!(report["device"].is_null(), "{report}");
}

#[test]
fn the_help_teaches() {
    let gmm = stdout(&run(&["adbench", "gmm", "--help"]));
    assert!(
        gmm.contains("cotangent adbench gmm --backend gpu --precision f32"),
        "{gmm}"
    );
    let devices = stdout(&run(&["devices", "--help"]));
    assert!(devices.contains("Exit status"), "{devices}");
    let all = stdout(&run(&["--help"]));
    assert!(all.contains("devices"), "{all}");
}
