//! `#[derive(Elt)]`: structs and enums as elements of arrays.
//!
//! For `struct Camera { f: f64, c: [f64; 3] }` it makes the mirror `CameraE { f: Exp<f64>, c: [Exp<f64>; 3] }`,
//! which is `Copy`, and implements `Elt` for the struct and `IntoExp` and `Lift` for the mirror. A struct is
//! the sequence of its fields' scalars, in order of declaration.
//!
//! For `enum Shape { Circle(f64), Square { side: f64 } }` it makes the mirror `ShapeE` with a function for each variant, `ShapeE::circle(r)` and
//! `ShapeE::square(side)`, and the method `match_`, which takes one function for each: `shape.match_(|r| r * r * pi(), |side| side * side)`.
//!
//! `#[derive(Arrays)]`: structs as arguments and results of programs. For `struct Model { w: Acc<Ix2, f64>, b: Acc<Ix1, f64> }` it makes
//! `ModelHost { w: Array<Ix2, f64>, b: Array<Ix1, f64> }`, and implements `Arrays` for the struct.

mod arrays;
mod elt;
mod input;
mod variants;

use proc_macro::TokenStream;
use syn::{DeriveInput, parse_macro_input};

/// Makes a struct or an enum an element type. Each field must be one; the type must be `Clone`.
///
/// The mirror of a struct has the struct's name with an `E` appended, its visibility, and fields of the same names and
/// visibilities. That of an enum has the functions `variant(fields)`, one for each variant, the methods `is_variant()` and `tag()`, which
/// is the position of the variant, and `match_`. An enum costs the memory of all its variants, and an `i32` for the tag; the derivative by
/// one is of the same variant. Type parameters are taken to be element types themselves. `#[elt(crate = path)]` names the
/// core crate where it is not to be found through `::cotangent`.
#[proc_macro_derive(Elt, attributes(elt))]
pub fn derive_elt(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    elt::derive(&input)
        .unwrap_or_else(syn::Error::into_compile_error)
        .into()
}

/// Makes a struct of arrays an argument and a result of programs, of gradients, and a state of loops. Each field must be such: an `Acc`, a
/// tuple, or another such struct; the struct must be `Clone` and `Copy`.
///
/// The struct of host arrays has the struct's name with `Host` appended, its visibility, and fields of the same names and visibilities; it is
/// `Clone` and `Debug` where its fields are. `#[arrays(crate = path)]` names the core crate where it is not to be found
/// through `::cotangent`.
#[proc_macro_derive(Arrays, attributes(arrays))]
pub fn derive_arrays(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    arrays::derive(&input)
        .unwrap_or_else(syn::Error::into_compile_error)
        .into()
}
