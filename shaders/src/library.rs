//! Functions on integers, and conversions, that shaders carry along: each is printed where it is called.

use std::collections::BTreeSet;

/// A function and its text.
struct Function {
    name: &'static str,
    source: &'static str,
    /// The functions that it calls.
    calls: &'static [&'static str],
}

macro_rules! functions {
    ($($name:literal $(calls $($called:literal),+)?;)*) => {
        [$(Function {
            name: $name,
            source: include_str!(concat!("library/", $name, ".wgsl")),
            calls: &[$($($called),+)?],
        }),*]
    };
}

/// All functions, each after those that it calls.
const FUNCTIONS: &[Function] = &functions! {
    "quot_i32";
    "quot_i64";
    "quot_u32";
    "rem_i32" calls "quot_i32";
    "rem_i64" calls "quot_i64";
    "rem_u32" calls "quot_u32";
    "div_floor_i32" calls "quot_i32";
    "div_floor_i64" calls "quot_i64";
    "mod_floor_i32" calls "div_floor_i32";
    "mod_floor_i64" calls "div_floor_i64";
    "f16_of_f64";
    "i32_of_f32";
    "i32_of_f64";
    "i64_of_f32";
    "i64_of_f64";
    "u32_of_f32";
    "u32_of_f64";
};

/// The text of some functions, and of all that they call.
pub(crate) fn source(used: &BTreeSet<&'static str>) -> String {
    let mut needed = used.clone();
    for function in FUNCTIONS.iter().rev() {
        if needed.contains(function.name) {
            needed.extend(function.calls);
        }
    }
    let wanted = FUNCTIONS.iter().filter(|f| needed.contains(f.name));
    wanted.map(|f| f.source).collect::<Vec<_>>().join("\n")
}
