//! What goes wrong, as users see it: results that are no numbers, memory that is not there, files that are not what they
//! should be, options that make no sense. Nothing is lost, and nothing ends but with an exit status and a message.

#![allow(clippy::unwrap_used)] // A test may unwrap, also in its helpers.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// A mixture in one dimension with two points.
fn gmm(point: &str) -> String {
    format!("1 1 2\n0.5\n0.25\n0.5\n{point}\n0.125\n1.0 0\n")
}

/// A scene of one camera, which all observations share.
fn ba(sizes: &str) -> String {
    format!("{sizes}\n0 0 0 0 0 -9 1 0 0 0 0\n1 1 1\n1\n0 0\n")
}

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join("hostile")
        .join(name);
    let _there_is_none = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// A file with that text.
fn file(name: &str, text: &str) -> String {
    let path = folder(name).join("input.txt");
    std::fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

fn command(line: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cotangent"));
    command.arg("adbench").args(line);
    command
}

/// Runs quickly: both times are sampled once.
fn run(line: &[&str]) -> Output {
    let output = command(line).arg("--time-limit=0").output();
    output.unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// The task could not be run, and says why in one line.
fn refused(line: &[&str], why: &str) {
    let output = run(line);
    let message = stderr(&output);
    assert_eq!(output.status.code(), Some(2), "{line:?}: {message}");
    assert!(message.contains(why), "{line:?}: {message}");
    assert!(output.stdout.is_empty(), "{line:?}");
}

#[test]
fn what_is_no_number_is_a_failed_check_with_the_reason() {
    let vast = file("vast", &gmm("1e200"));
    let behind = file("behind", &ba("1 1 1").replace("\n1 1 1\n", "\n1 1 -9\n"));
    // The residuals are numbers, the sum of their squares is none.
    let far = file("far", &ba("1 1 1").replace("-9 1", "-9 1e200"));
    for (task, file) in [("gmm", &vast), ("ba", &behind), ("ba", &far)] {
        for precision in ["f64", "f32"] {
            let line = [task, "--file", file, "--precision", precision];
            let output = run(&line);
            assert_eq!(output.status.code(), Some(1), "{line:?}");
            let text = String::from_utf8_lossy(&output.stdout).into_owned();
            assert!(!text.contains("passed"), "{text}");
            let check = text.lines().find(|line| line.starts_with("check "));
            let check = check.unwrap();
            assert!(check.contains("FAILED: "), "{check}");
            assert!(
                check.contains(" is NaN") || check.contains("inf"),
                "{check}"
            );

            let output = run(&[&line[..], &["--json"]].concat());
            assert_eq!(output.status.code(), Some(1), "{line:?}");
            let object: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
            assert!(object["objective"].is_null(), "{object}");
            assert_eq!(object["check"]["passed"], false, "{object}");
            assert!(object["check"]["max_error"].is_null(), "{object}");
            let reason = object["check"]["reason"].as_str().unwrap();
            assert!(reason.contains(" is "), "{reason}");
        }
    }
    let fine = run(&["gmm", "--file", &file("fine", &gmm("2")), "--json"]);
    let object: serde_json::Value = serde_json::from_slice(&fine.stdout).unwrap();
    assert!(object["check"]["reason"].is_null(), "{object}");
    assert_eq!(fine.status.code(), Some(0), "{object}");
}

#[test]
fn options_that_make_no_sense_are_refused() {
    for limit in ["NaN", "-1", "-inf", "soon"] {
        let output = command(&["gmm", "--points=2", &format!("--time-limit={limit}")])
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(2), "{limit}");
        assert!(stderr(&output).contains("0 or more"), "{}", stderr(&output));
    }
    let gmm = file("gmm", &gmm("1"));
    for option in ["--points=2", "--dimensions=2", "--components=2", "--seed=2"] {
        refused(&["gmm", "--file", &gmm, option], "cannot be used with");
    }
    let ba = file("ba", &ba("1 1 1"));
    for option in ["--cameras=2", "--points=2", "--observations=2", "--seed=2"] {
        refused(&["ba", "--file", &ba, option], "cannot be used with");
    }
    refused(&["gmm", "--threads=99999"], "--threads");
}

#[test]
fn lines_are_quoted_short_and_without_control_characters() {
    let escape = format!("1 1 {}\u{1b}[31m\n", "9".repeat(100_000));
    let output = run(&["ba", "--file", &file("escape", &escape)]);
    assert_eq!(output.status.code(), Some(2));
    let message = stderr(&output);
    assert!(message.len() < 600, "{} bytes", message.len());
    assert!(!message.contains('\u{1b}'), "{message:?}");
    assert!(message.contains("999…`"), "{message}");
}

/// Runs on this text as standard input.
fn piped(task: &str, text: &str) -> Output {
    let mut child = command(&[task, "--file", "-", "--time-limit=0"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    input.write_all(text.as_bytes()).unwrap();
    drop(input);
    child.wait_with_output().unwrap()
}

#[test]
fn input_may_come_from_a_pipe_and_begin_with_a_byte_order_mark() {
    for (task, text) in [("gmm", gmm("2")), ("ba", ba("2 2 3"))] {
        for mark in ["", "\u{feff}"] {
            let output = piped(task, &format!("{mark}{text}"));
            assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        }
        let output = piped(task, &text[..text.len() / 2]);
        let message = stderr(&output);
        assert_eq!(output.status.code(), Some(2), "{message}");
        assert!(message.contains("standard input:"), "{message}");
    }
}

#[test]
fn what_cannot_be_written_is_said_before_anything_is_done() {
    // Neither is there: what is said shows what was tried first.
    refused(
        &["gmm", "--file=no/such/file", "--output=/proc/x"],
        "/proc/x",
    );
    let folder = folder("folders");
    std::fs::create_dir(folder.join("ba_J.txt")).unwrap();
    let to = format!("--output={}", folder.display());
    refused(&["ba", "--file=no/such/file", &to], "ba_J.txt");
    // What was opened is gone.
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 1);
}

#[test]
fn old_results_stay_until_there_are_new_ones() {
    let folder = folder("old");
    let to = format!("--output={}", folder.display());
    let names = ["gmm_F.txt", "gmm_J.txt"];
    for name in names {
        std::fs::write(folder.join(name), "old\n").unwrap();
    }
    let read = |name| std::fs::read_to_string(folder.join(name)).unwrap();
    refused(&["gmm", "--file=no/such/file", &to], "no/such/file");
    assert_eq!(names.map(read), ["old\n", "old\n"]);
    let output = run(&["gmm", "--points=5", "--dimensions=2", "--components=2", &to]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert_eq!(names.map(|name| read(name).lines().count()), [1, 2 * 6]);
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 2);
}

#[test]
fn an_unknown_stage_to_dump_is_named() {
    let output = command(&["gmm", "--points=5", "--dimensions=2", "--components=2"])
        .arg("--time-limit=0")
        .env("COTANGENT_DUMP", "schedule,assembly")
        .output()
        .unwrap();
    let message = stderr(&output);
    assert_eq!(output.status.code(), Some(0), "{message}");
    assert_eq!(
        message.matches("no stage `assembly`").count(),
        1,
        "{message}"
    );
    assert!(message.contains("== schedule"), "{message}");
}

/// Runs where the address space is limited to so many MiB. The system's allocator would reserve some hundred of them for each thread,
/// and threads that begin meanwhile would find none for their stacks, which ends the process without a message.
#[cfg(target_os = "linux")]
fn limited(mebibytes: u32, line: &[&str]) -> Output {
    let script = format!("ulimit -v {} && exec \"$0\" \"$@\"", mebibytes << 10);
    Command::new("sh")
        .args(["-c", &script, env!("CARGO_BIN_EXE_cotangent"), "adbench"])
        .args(line)
        .arg("--time-limit=0")
        .env("MALLOC_ARENA_MAX", "1")
        .output()
        .unwrap()
}

#[test]
#[cfg(target_os = "linux")]
fn sizes_that_do_not_fit_in_memory_are_errors() {
    let replicated = file("cameras", &ba("190000000 1 1"));
    let observations = file("observations", &ba("1 1 69000000"));
    let full = file("full", &ba("190000000 1 1 full"));
    let lines: [&[&str]; 7] = [
        &["ba", "--file", &replicated],
        &["ba", "--file", &observations],
        &["ba", "--file", &full],
        &["ba", "--cameras=190000000"],
        &["ba", "--observations=69000000"],
        &["gmm", "--points=1000000000"],
        &["gmm", "--points=1", "--components=1", "--dimensions=60000"],
    ];
    for line in lines {
        let output = limited(2048, line);
        let message = stderr(&output);
        assert_eq!(output.status.code(), Some(2), "{line:?}: {message}");
        assert!(message.starts_with("error: "), "{line:?}: {message}");
    }
}

/// The same task with more and more memory: first the input does not fit, then its copies, what is computed, and what
/// it is compared with; in the end it passes.
#[test]
#[cfg(target_os = "linux")]
fn wherever_memory_ends_the_task_ends_with_a_message() {
    let mut passed = 0;
    let tasks: [&[&str]; 2] = [
        &["ba", "--threads=3", "--observations=200000"],
        &[
            "gmm",
            "--threads=3",
            "--points=300000",
            "--dimensions=2",
            "--components=2",
        ],
    ];
    for task in tasks {
        for mebibytes in [350, 450, 550, 1500] {
            let output = limited(mebibytes, task);
            let message = stderr(&output);
            let code = output.status.code();
            assert!(
                code == Some(0) || code == Some(2),
                "{mebibytes} {task:?}: {code:?} {message}"
            );
            assert_eq!(code == Some(2), message.starts_with("error: "), "{message}");
            passed += u32::from(code == Some(0));
        }
    }
    assert!(passed >= 2);
}
