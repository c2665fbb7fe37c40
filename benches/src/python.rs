//! Pythons that peers run in: whether they have what it takes, and how JAX on the CPU is kept from giving memory back.

use crate::Failure;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What keeps jemalloc from giving memory back, as little as we do: page faults would cost JAX a factor of 3.
const JEMALLOC: &str = "oversize_threshold:0,dirty_decay_ms:-1,muzzy_decay_ms:-1";

/// The same for glibc's allocator: one heap, which only grows, and in large steps.
const GLIBC: &str = "glibc.malloc.mmap_max=0:glibc.malloc.trim_threshold=1000000000000:\
                     glibc.malloc.arena_max=1:glibc.malloc.top_pad=268435456";

/// Where distributions have jemalloc.
const PLACES: &[&str] = &[
    "/usr/lib/x86_64-linux-gnu/libjemalloc.so.2",
    "/usr/lib/aarch64-linux-gnu/libjemalloc.so.2",
    "/usr/lib64/libjemalloc.so.2",
    "/usr/lib/libjemalloc.so.2",
];

/// Asks a python for a module.
///
/// # Errors
/// Where python cannot be run, and where it has no such module.
pub fn has(python: &Path, module: &str) -> Result<(), Failure> {
    let import = format!("import {module}");
    let out = Command::new(python).args(["-c", &import]).output();
    let out = out.map_err(|e| format!("{} cannot be run: {e}", python.display()))?;
    if out.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&out.stderr);
    let last = said.lines().last().unwrap_or_default();
    Err(format!("{} has no {module}: {last}", python.display()).into())
}

/// Lets a process keep its memory: by this jemalloc, one that is installed, or the C library.
pub fn keep_memory(command: &mut Command, jemalloc: Option<PathBuf>) {
    let known = PLACES.iter().map(PathBuf::from).find(|path| path.exists());
    match jemalloc.or(known) {
        Some(library) => command
            .env("LD_PRELOAD", library)
            .env("MALLOC_CONF", JEMALLOC),
        None => command.env("GLIBC_TUNABLES", GLIBC),
    };
}
