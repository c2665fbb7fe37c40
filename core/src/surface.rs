//! The typed surface: what users write programs in.
//!
//! A program is a Rust closure over array handles, [`Acc`], whose scalar code is closures over expression
//! handles, [`Exp`]. [`trace`] runs it once; each operation adds a node to a [`Graph`](crate::graph::Graph)
//! and gives a handle to it. Handles are `Copy` and have no lifetime.
//!
//! * Elements of arrays are scalars, tuples, fixed arrays and structs ([`Elt`]); in closures they appear as
//!   their *mirrors* [`E<T>`](E), which patterns take apart.
//! * Shapes carry their rank ([`Shape`], [`ix!`](crate::ix)); "inner" is the last dimension.
//! * Nothing here panics on misuse: the first error, with its place in the user's source, is what `trace`
//!   returns.
//!
//! Layers, from the inside: `session` (which program is current), `scope` (who depends on which closure),
//! `node_exp` and `node_acc` (nodes without static types), and the typed faces over them.
//!
//! ```
//! use cotangent_core::surface::prelude::*;
//!
//! fn logsumexp<Sh: Shape, T: Float>(a: Acc<Snoc<Sh>, T>) -> Acc<Sh, T> {
//!     let m = a.maximum();
//!     let e = a.zip_with(m.replicate(Snoc(any(), a.inner())), |x, m| (x - m).exp());
//!     e.sum().zip_with(m, |s, m| s.ln() + m)
//! }
//!
//! let program = trace(|rows: Acc<Ix2, f64>| gradient_a(|rows| logsumexp(rows).sum(), rows))?;
//! assert_eq!(program.lambda.results.len(), 1);
//! # Ok::<(), cotangent_core::graph::SurfaceError>(())
//! ```

mod acc;
mod aloops;
mod array;
mod arrays;
mod ascan;
mod calling;
mod chars;
mod checkpoints;
mod complex;
mod custom;
mod elt;
mod functions;
mod given;
mod hints;
mod interpret;
mod library;
mod lift;
mod loops;
mod math;
mod node_acc;
mod node_exp;
mod operators;
mod reversible;
mod ring;
mod scalar;
mod scan_seq;
mod scope;
mod session;
mod shape;
mod slice;
mod sparsity;
#[cfg(test)]
mod tests;
mod tracing;
mod trees;
mod variants;
mod vmap;

#[doc(hidden)]
pub use crate::host::{Column, HostArrayError, reserved};
pub use crate::ix;
pub use crate::term::Combine;
#[doc(hidden)]
pub use crate::typed::Scalars;
#[doc(hidden)]
pub use crate::types::ScalarType;
pub use acc::{
    Acc, Floats, Is, Linear, Matrix, Number, Operand, Rows, Vector, acond, fill, generate,
    gradient_a, gradient_aux_a, hessian, hessian_sparse, hvp_a, jacobian, jacobian_forward,
    jacobian_reverse, jacobian_sparse, jvp_a, linearize, unit, use_, value_and_gradient_a,
    value_and_gradient_aux_a, value_and_jacobian, value_and_jacobian_forward,
    value_and_jacobian_reverse, value_and_vjp_a, vjp_a,
};
pub use aloops::{aiterate, aiterate_while, awhile};
pub use array::Array;
#[cfg(feature = "ndarray")]
pub use array::Dimensions;
pub use arrays::Arrays;
#[doc(hidden)]
pub use ascan::Rowwise;
pub use ascan::{Over, Stack, ascan, ascan_reverse, ascan_while};
pub use calling::call;
pub use chars::CharE;
pub use checkpoints::{Checkpoints, checkpoint};
pub use complex::{Complex, ComplexE, ComplexOperand};
pub use custom::{
    custom_jvp, custom_jvp_e, custom_rules, custom_vjp, custom_vjp_e, stop_gradient,
    stop_gradient_e,
};
pub use elt::{E, Elt};
pub use functions::{
    cond, constant, gradient_e, hvp_e, jvp_e, pi, value_and_gradient_e, value_and_vjp_e, vjp_e,
};
pub use given::{ExpFn, IntoAcc};
pub use interpret::{InterpretError, interpret};
pub use library::{
    Boundary, Entries, Factors, RandomKey, Sides, Stencil, concat, conjugate_gradients, det_small,
    einsum, enum_from_n, enum_from_step_n, eye, fold_in, inverse_small, iota, random_bits,
    random_key, random_normal, random_uniform, solve_small, stack,
};
pub use lift::{IntoExp, Lift};
pub use loops::{iterate, iterate_while, while_};
pub use reversible::{aiterate_reversible, reversal_error};
pub use ring::Ring;
pub use scalar::{Bits, Exp, Float, Integral, Num, Scalar};
pub use scan_seq::Scanned;
#[doc(hidden)]
pub use session::{RawAcc, RawColumns, RawExp, RawExps};
pub use shape::{
    Dims, HasInner, InnerOf, IntoShape, Ix0, Ix1, Ix2, Ix3, Ix4, Ix5, Ix6, Shape, Single, Snoc, Z,
};
#[doc(hidden)]
pub use slice::Kept;
pub use slice::{All, Any, Section, Slice, any};
pub use sparsity::{Colored, SparsityError, SparsityPattern};
pub use tracing::{AccFn, Traced, trace};
pub use trees::{ArraysOf, tree_map, tree_zip_with};
pub use variants::{OptionE, ResultE};
#[doc(hidden)]
pub use variants::{absent, some_from_columns, some_to_columns};
pub use vmap::vmap;

/// Everything that programs are written with.
pub mod prelude {
    pub use super::{
        Acc, All, Array, Arrays, ArraysOf, Boundary, CharE, Checkpoints, Colored, Combine, Complex,
        ComplexE, E, Elt, Entries, Exp, Float, Floats, HasInner, Integral, InterpretError, IntoExp,
        IntoShape, Ix0, Ix1, Ix2, Ix3, Ix4, Ix5, Ix6, Lift, Linear, Matrix, Num, Number, Operand,
        OptionE, Over, RandomKey, ResultE, Ring, Rows, Scalar, Shape, Snoc, SparsityError,
        SparsityPattern, Stack, Stencil, Vector, Z, acond, aiterate, aiterate_reversible,
        aiterate_while, any, ascan, ascan_reverse, ascan_while, awhile, checkpoint, concat, cond,
        conjugate_gradients, constant, custom_jvp, custom_jvp_e, custom_rules, custom_vjp,
        custom_vjp_e, det_small, einsum, enum_from_n, enum_from_step_n, eye, fill, fold_in,
        generate, gradient_a, gradient_aux_a, gradient_e, hessian, hessian_sparse, hvp_a, hvp_e,
        interpret, inverse_small, iota, iterate, iterate_while, ix, jacobian, jacobian_forward,
        jacobian_reverse, jacobian_sparse, jvp_a, jvp_e, linearize, pi, random_bits, random_key,
        random_normal, random_uniform, reversal_error, solve_small, stack, stop_gradient,
        stop_gradient_e, trace, tree_map, tree_zip_with, unit, use_, value_and_gradient_a,
        value_and_gradient_aux_a, value_and_gradient_e, value_and_jacobian,
        value_and_jacobian_forward, value_and_jacobian_reverse, value_and_vjp_a, value_and_vjp_e,
        vjp_a, vjp_e, vmap, while_,
    };
}
