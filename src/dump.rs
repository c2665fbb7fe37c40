//! `COTANGENT_DUMP`: a comma-separated list of the stages whose programs are printed to standard error:
//! those of [`stages`]. What is none of them is said once.

use std::fmt::Display;
use std::io::Write;
use std::sync::Once;

/// The variable.
const VARIABLE: &str = "COTANGENT_DUMP";
/// The stages before fusion, which has its own, and after it; `wgsl` has the shaders of all kernels, for a device that
/// offers everything.
const BEFORE: &[&str] = &["ast", "simplified", "ad", "derived"];
const AFTER: &[&str] = &["schedule", "wgsl"];

/// All stages, in their order.
fn stages() -> Vec<&'static str> {
    let before = BEFORE.iter().copied().chain(cotangent_fusion::stages());
    before.chain(AFTER.iter().copied()).collect()
}

/// Prints `program` if the user asked for this stage.
pub fn dump(stage: &str, program: &dyn Display) {
    static SAID: Once = Once::new();
    let wanted = std::env::var_os(VARIABLE).unwrap_or_default();
    let wanted = wanted.to_string_lossy();
    SAID.call_once(|| {
        if let Some(problem) = problem(&wanted) {
            let _nobody_listens = writeln!(std::io::stderr(), "{problem}");
        }
    });
    if words(&wanted).any(|name| name == stage) {
        let _nobody_listens = writeln!(std::io::stderr(), "== {stage}\n{program}");
    }
}

fn words(wanted: &str) -> impl Iterator<Item = &str> {
    let words = wanted.split(',').map(str::trim);
    words.filter(|word| !word.is_empty())
}

/// What is wrong with the variable's value.
fn problem(wanted: &str) -> Option<String> {
    let stages = stages();
    let unknown: Vec<_> = words(wanted)
        .filter(|word| !stages.contains(word))
        .map(|word| format!("`{}`", word.escape_debug()))
        .collect();
    let known = stages.join(", ");
    let unknown = (!unknown.is_empty()).then(|| unknown.join(", "));
    unknown.map(|unknown| format!("{VARIABLE}: there is no stage {unknown}; there are {known}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_stages_are_named() {
        assert_eq!(problem(""), None);
        assert_eq!(problem("ast, schedule,"), None);
        assert_eq!(problem(&stages().join(",")), None);
        assert_eq!(
            problem("ast,asd,\u{7}").unwrap(),
            "COTANGENT_DUMP: there is no stage `asd`, `\\u{7}`; there are ast, simplified, ad, derived, lowering, \
             dead-store-elimination, layout-permutation, distribution, reassociation, horizontal-fusion, strip-mining, structure, schedule, wgsl"
        );
    }
}
