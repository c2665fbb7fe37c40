//! The command line as its users see it: output, files, errors, exit status.

#![allow(clippy::unwrap_used)] // A test may unwrap, also in its helpers.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

const SMALL_GMM: &[&str] = &[
    "adbench",
    "gmm",
    "--points=20",
    "--dimensions=3",
    "--components=2",
];
const SMALL_BA: &[&str] = &[
    "adbench",
    "ba",
    "--cameras=2",
    "--points=3",
    "--observations=4",
];

fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cotangent"));
    command.args(arguments).arg("--time-limit=0.01");
    command
}

fn run(arguments: &[&str]) -> Output {
    command(arguments).output().unwrap()
}

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

#[test]
fn json_is_one_object_with_all_fields() {
    for (task, sizes) in [(SMALL_GMM, ["n", "d", "k"]), (SMALL_BA, ["n", "m", "p"])] {
        let output = run(&[task, &["--json", "--threads=1"]].concat());
        assert_eq!(output.status.code(), Some(0));
        assert!(output.stderr.is_empty());
        let object: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        let fields = [
            "task",
            "file",
            "backend",
            "device",
            "choices",
            "precision",
            "threads",
            "sizes",
            "objective",
            "compile_seconds",
            "primal_seconds",
            "derivative_seconds",
            "ratio",
            "passes",
            "peak_memory_bytes",
            "check",
        ];
        assert_eq!(object.as_object().unwrap().len(), fields.len());
        assert!(fields.iter().all(|f| object.get(f).is_some()), "{object}");
        assert!(
            sizes.iter().all(|s| object["sizes"][s].is_u64()),
            "{object}"
        );
        assert_eq!(
            (&object["check"]["passed"], &object["threads"]),
            (&true.into(), &1.into())
        );
        assert!(object["passes"].is_u64(), "{object}");
        assert!(object["device"].is_null() && object["choices"].is_null());
        let known = cfg!(target_os = "linux");
        assert_eq!(object["peak_memory_bytes"].is_u64(), known, "{object}");
    }
}

#[test]
fn both_precisions_pass_their_check() {
    for task in [SMALL_GMM, SMALL_BA] {
        let output = run(&[task, &["--precision=f32"]].concat());
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(text.contains("passed"), "{text}");
        assert!(text.contains("\npasses  "), "{text}");
        assert!(text.contains("\npeak memory  "), "{text}");
    }
}

#[test]
fn results_are_written_as_adbench_writes_them() {
    let folder = folder("results");
    let to = format!("--output={}", folder.display());
    assert!(run(&[SMALL_GMM, &[&to]].concat()).status.success());
    assert!(run(&[SMALL_BA, &[&to]].concat()).status.success());
    let lines = |name: &str| {
        let text = std::fs::read_to_string(folder.join(name)).unwrap();
        text.lines().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(
        (lines("gmm_F.txt").len(), lines("gmm_J.txt").len()),
        (1, 2 * (1 + 3 + 6))
    );
    let jacobian = lines("ba_J.txt");
    assert_eq!(jacobian[..2], ["12 35", "13"]);
    assert_eq!(jacobian[5].split(' ').count(), 31 * 4);
    assert_eq!(
        (lines("ba_F.txt")[0].as_str(), lines("ba_F.txt")[9].as_str()),
        ("Reprojection error:", "Zach weight error:")
    );
}

#[test]
fn errors_name_file_and_line_and_exit_with_2() {
    let file = folder("errors").join("short.txt");
    std::fs::write(&file, "2 1 1\n0.5\n").unwrap();
    let cases = [
        (
            vec!["adbench", "gmm", "--file", file.to_str().unwrap()],
            "short.txt:3: expected 2 finite numbers",
        ),
        (
            vec!["adbench", "ba", "--file", "no/such/file"],
            "no/such/file",
        ),
        (
            vec!["adbench", "gmm", "--points", "0"],
            "must be at least 1",
        ),
    ];
    for (arguments, part) in cases {
        let output = run(&arguments);
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{message}");
        assert!(message.contains(part), "{message}");
        assert!(output.stdout.is_empty());
    }
}

/// A reader that goes away is no reason to panic.
#[test]
fn a_closed_pipe_is_no_panic() {
    let mut child = command(SMALL_GMM)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(
        output.status.code(),
        Some(0),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}
