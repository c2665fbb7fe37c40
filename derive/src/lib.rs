//! `#[derive(Elt)]`: structs as elements of arrays.
//!
//! For `struct Camera { f: f64, c: [f64; 3] }` it makes the mirror `CameraE { f: Exp<f64>, c: [Exp<f64>; 3] }`,
//! which is `Copy`, and implements `Elt` for the struct and `IntoExp` and `Lift` for the mirror. A struct is
//! the sequence of its fields' scalars, in order of declaration.

mod elt;

use proc_macro::TokenStream;
use syn::{DeriveInput, parse_macro_input};

/// Makes a struct an element type. Each field must be one; the struct must be `Clone`.
///
/// The mirror has the struct's name with an `E` appended, its visibility, and fields of the same names and
/// visibilities. Type parameters are taken to be element types themselves. `#[elt(crate = path)]` names the
/// core crate where it is not to be found through `::cotangent`.
#[proc_macro_derive(Elt, attributes(elt))]
pub fn derive_elt(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    elt::derive(&input)
        .unwrap_or_else(syn::Error::into_compile_error)
        .into()
}
