//! Functions on integers, and conversions, that shaders carry along: each is printed where it is called.

use crate::template::{Letter, instance};
use std::collections::BTreeSet;

/// A function and its text.
struct Function {
    name: &'static str,
    template: &'static str,
    /// What the letters of the template stand for.
    letters: &'static [Letter],
    /// The functions that it calls.
    calls: &'static [&'static str],
}

macro_rules! functions {
    ($($name:literal = $file:literal [$($letter:ident),*] $(calls $called:literal)?;)*) => {
        [$(Function {
            name: $name,
            template: include_str!(concat!("library/", $file, ".wgsl")),
            letters: &[$(Letter::$letter),*],
            calls: &[$($called)?],
        }),*]
    };
}

/// All functions, each after those that it calls.
const FUNCTIONS: &[Function] = &functions! {
    "quot_i32" = "quot_I" [I32];
    "quot_i64" = "quot_I" [I64];
    "quot_u32" = "quot_U" [U32];
    "quot_u64" = "quot_U" [U64];
    "rem_i32" = "rem_I" [I32] calls "quot_i32";
    "rem_i64" = "rem_I" [I64] calls "quot_i64";
    "rem_u32" = "rem_I" [I_UNSIGNED] calls "quot_u32";
    "rem_u64" = "rem_I" [I_UNSIGNED_WIDE] calls "quot_u64";
    "div_floor_i32" = "div_floor_I" [I32] calls "quot_i32";
    "div_floor_i64" = "div_floor_I" [I64] calls "quot_i64";
    "mod_floor_i32" = "mod_floor_I" [I32] calls "div_floor_i32";
    "mod_floor_i64" = "mod_floor_I" [I64] calls "div_floor_i64";
    "f16_of_f64" = "f16_of_f64" [];
    "i32_of_f32" = "I_of_F" [I32, F32];
    "i32_of_f64" = "I_of_F" [I32, F64];
    "i64_of_f32" = "I_of_F" [I64, F32];
    "i64_of_f64" = "I_of_F" [I64, F64];
    "u32_of_f32" = "U_of_F" [U32, F32];
    "u32_of_f64" = "U_of_F" [U32, F64];
    "u64_of_f32" = "U_of_F" [U64, F32];
    "u64_of_f64" = "U_of_F" [U64, F64];
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
    let texts = wanted.map(|f| instance(f.template, f.letters));
    texts.collect::<Vec<_>>().join("\n")
}
