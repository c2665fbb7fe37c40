//! The command line without GPUs: `cargo test -p cotangent-cli --no-default-features`.

#![allow(clippy::unwrap_used)] // A test may unwrap, also in its helpers.
#![cfg(not(feature = "gpu"))]

use std::process::Command;

#[test]
fn it_says_how_to_get_them() {
    let gmm = ["adbench", "gmm", "--points=20", "--time-limit=0.01"];
    let commands = [
        vec!["devices"],
        [gmm.as_slice(), &["--backend=gpu"]].concat(),
        [gmm.as_slice(), &["--backend=auto"]].concat(),
        [gmm.as_slice(), &["--gpu=llvmpipe"]].concat(),
    ];
    for arguments in commands {
        let mut command = Command::new(env!("CARGO_BIN_EXE_cotangent"));
        let output = command.args(&arguments).output().unwrap();
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {message}");
        assert!(message.contains("--features gpu"), "{message}");
        assert!(output.stdout.is_empty());
    }
}
