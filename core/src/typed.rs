//! Typed faces of the official form: terms that Rust's type checker has checked.
//!
//! The syntax trees ([`term`](crate::term)) are erased: a node carries reified types, a variable none. The
//! faces here put Rust types around them, as §4.1 and §4.2 of paper 003 do with GADTs: an environment is a
//! nested pair `(((), i32), f64)`, the nearest variable last; [`Ix<E, T>`](Ix) is a variable of type `T` in
//! it, [`OpenExp<E, A, R>`](OpenExp) an expression over scalars `E` and arrays `A` with results `R`,
//! [`OpenAcc<A, X>`](OpenAcc) an array expression. Everything is in A-normal form, like what is behind it:
//! operations ([`op`], [`arr`]) take variables, `let_` binds their results. So building costs nothing but
//! the node itself, and erasing nothing at all.
//!
//! Three ways in:
//!
//! * construction, which admits well-typed terms only. Not tied by types: which [table](Uses) of host arrays
//!   a [`Use`] belongs to; [`OpenAcc::program`] checks it;
//! * *views* of erased terms, which re-check: `try_from_erased`, [`Ix::cast`], [`AnyProgram::cast`].
//!   Where a type is known at run time only, [`with_scalar`], [`with_float`] and [`open_ix`] hand it to a
//!   visitor: the elimination of an existential type;
//! * [`TypedBuilder`], the same for labelled variables [`Var<T>`](Var), and [`Code`], whose variables have operators: what rules
//!   of transformations are written in.
//!
//! Rust has no GADTs, so a traversal that takes a typed term apart goes through the erased nodes and
//! re-enters by a view: run-time checks where Haskell has few, but none on the way of construction. The
//! traits are for use as bounds, and sealed: an implementation elsewhere could lie about its types.
//!
//! Every program that is compiled goes through a [`TypedProgram`]: the surface gives the types that the closure has in Rust, and
//! what sharing recovery made is entered as a program of these.
//!
//! ```
//! use cotangent_core::typed::{OpenAcc, OpenExp, OpenFun, Array, Ix, One, Snoc, Uses, Z, arr, op};
//! type Vector = Array<Snoc<Z>, f64>;
//!
//! // \xs -> map (\x -> x * x) xs
//! let square: OpenFun<One<Vector>, One<f64>, One<f64>> =
//!     OpenExp::let_(op::mul(Ix::zero(), Ix::zero()), OpenExp::ret(Ix::zero())).into();
//! let squares: OpenAcc<One<Vector>, One<Vector>> =
//!     OpenAcc::let_(arr::map(square, Ix::zero()), OpenAcc::ret(Ix::zero()));
//! let program = squares.program(&Uses::default())?;
//! assert_eq!(program.erased().body.lets.len(), 1);
//! # Ok::<(), cotangent_core::check::CheckError>(())
//! ```

mod acc;
pub mod arr;
mod exp;
mod index;
pub mod op;
mod prims;
mod program;
#[cfg(test)]
mod tests;
mod types;
mod value;
mod var;

pub use acc::{OpenAcc, Use, Uses};
pub use exp::{OpenExp, OpenFun};
pub use index::{Columns, Ix, IxVisitor, Vars, open_ix};
pub use program::{AnyProgram, CastError, TypedProgram};
pub use types::{
    Array, Env, Float, FloatVisitor, Integer, Number, Numbers, One, Scalar, ScalarVisitor, Scalars,
    Shape, Snoc, Then, Times, Truth, Typed, Z, with_float, with_scalar,
};
pub use value::{Code, FloatRule, Value};
pub use var::{ArrVar, TypedBuilder, Var, VarList};
