//! `COTANGENT_DUMP`: a comma-separated list of the stages whose programs are printed to standard error:
//! `ast`, `simplified`, `ad`, `derived`, `schedule`, `wgsl` (the shaders of all kernels, for a device that offers everything).

use std::fmt::Display;
use std::io::Write;

/// The variable.
const VARIABLE: &str = "COTANGENT_DUMP";

/// Prints `program` if the user asked for this stage.
pub fn dump(stage: &str, program: &dyn Display) {
    let wanted = std::env::var(VARIABLE).unwrap_or_default();
    if wanted.split(',').any(|name| name.trim() == stage) {
        let _nobody_listens = writeln!(std::io::stderr(), "== {stage}\n{program}");
    }
}
