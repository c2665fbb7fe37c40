//! From a closure to a program.

use super::arrays::{Arrays, alike, array_types, to_raw};
use super::session::{self, Call, acc_lambda};
use crate::graph::{AccLambda, Graph, SurfaceError};
use std::marker::PhantomData;

/// What running a closure once has left: a graph, and the function in it.
pub struct Traced<In, Out> {
    /// All nodes.
    pub graph: Graph,
    /// The program: its parameters are the columns of all arguments, its results those of the result.
    pub lambda: AccLambda,
    ty: PhantomData<fn(In) -> Out>,
}

impl<In, Out> std::fmt::Debug for Traced<In, Out> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self {
            graph,
            lambda,
            ty: _,
        } = self;
        f.debug_struct("Traced")
            .field("graph", graph)
            .field("lambda", lambda)
            .finish()
    }
}

/// A function from arrays to arrays, of any number of arguments. `M` is its type as a function pointer,
/// which lets everything be inferred.
#[diagnostic::on_unimplemented(
    message = "this is not a function from up to sixteen arrays to arrays",
    label = "a program is a closure like `|a: Acc<Ix1, f64>, b: Acc<Ix2, f64>| ..`, with types on its parameters",
    note = "arguments and results are `Acc<Sh, T>` and tuples of them; an expression becomes an array with `unit`, a host array with `use_`",
    note = "more than sixteen arguments go into tuples: `|(a, b): (Acc<Ix1, f64>, Acc<Ix1, f64>), c: Acc<Ix2, f64>| ..`"
)]
pub trait AccFn<M> {
    /// The argument; of several arguments, the tuple.
    type In: Arrays;
    /// The result.
    type Out: Arrays;

    /// Calls the function.
    fn call(self, args: Self::In) -> Self::Out;
}

impl<Fun: FnOnce(A) -> R, A: Arrays, R: Arrays> AccFn<fn(A) -> R> for Fun {
    type In = A;
    type Out = R;

    fn call(self, args: A) -> R {
        self(args)
    }
}

macro_rules! functions {
    ($(($($t:ident $v:ident),*))*) => {$(
        impl<Fun: FnOnce($($t),*) -> R, $($t: Arrays,)* R: Arrays> AccFn<fn($($t),*) -> R> for Fun {
            type In = ($($t,)*);
            type Out = R;

            fn call(self, ($($v,)*): Self::In) -> R {
                self($($v),*)
            }
        }
    )*};
}

functions! {
    ()
    (A a, B b)
    (A a, B b, C c)
    (A a, B b, C c, D d)
    (A a, B b, C c, D d, F f)
    (A a, B b, C c, D d, F f, G g)
    (A a, B b, C c, D d, F f, G g, H h)
    (A a, B b, C c, D d, F f, G g, H h, I i)
    (A a, B b, C c, D d, F f, G g, H h, I i, J j)
    (A a, B b, C c, D d, F f, G g, H h, I i, J j, K k)
    (A a, B b, C c, D d, F f, G g, H h, I i, J j, K k, L l)
    (A a, B b, C c, D d, F f, G g, H h, I i, J j, K k, L l, M m)
    (A a, B b, C c, D d, F f, G g, H h, I i, J j, K k, L l, M m, N n)
    (A a, B b, C c, D d, F f, G g, H h, I i, J j, K k, L l, M m, N n, O o)
    (A a, B b, C c, D d, F f, G g, H h, I i, J j, K k, L l, M m, N n, O o, P p)
    (A a, B b, C c, D d, F f, G g, H h, I i, J j, K k, L l, M m, N n, O o, P p, Q q)
}

/// Runs a closure once, on handles, and gives the program that it built.
///
/// ```
/// # use cotangent_core::surface::prelude::*;
/// let dot = trace(|x: Acc<Ix1, f64>, y: Acc<Ix1, f64>| x.zip_with(y, |a, b| a * b).sum())?;
/// assert_eq!(dot.lambda.params.len(), 2);
/// # Ok::<(), cotangent_core::graph::SurfaceError>(())
/// ```
///
/// # Errors
/// The first misuse in the closure: see [`SurfaceError`].
#[track_caller]
pub fn trace<F, M>(f: F) -> Result<Traced<F::In, F::Out>, SurfaceError>
where
    F: AccFn<M>,
{
    let call = Call::here("compile");
    let (mut graph, lambda) = session::run(|| {
        acc_lambda(call, array_types::<F::In>(), |params| {
            to_raw(f.call(F::In::from_columns(params)))
        })
    })?;
    graph.alike.params = alike::<F::In>().params;
    Ok(Traced {
        graph,
        lambda,
        ty: PhantomData,
    })
}
