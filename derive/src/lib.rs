//! `#[derive(Elt)]`: structs as elements of arrays.
//!
//! For `struct Camera { f: f64, c: [f64; 3] }` it makes the mirror `CameraE { f: Exp<f64>, c: [Exp<f64>; 3] }`,
//! which is `Copy`, and implements `Elt` for the struct and `IntoExp` and `Lift` for the mirror. A struct is
//! the sequence of its fields' scalars, in order of declaration.
//!
//! `#[derive(Arrays)]`: structs as arguments and results of programs. For `struct Model { w: Acc<Ix2, f64>, b: Acc<Ix1, f64> }` it makes
//! `ModelHost { w: Array<Ix2, f64>, b: Array<Ix1, f64> }`, and implements `Arrays` for the struct.

mod arrays;
mod elt;
mod input;

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
