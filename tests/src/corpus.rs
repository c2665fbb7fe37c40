//! The corpus: the unit test programs of the thesis (paper 003, appendix A), for every test and every
//! engine to go through.
//!
//! Each program maps arrays to one float. [`corpus`] has it erased, as value and as gradient, with inputs
//! that respect the refined types of the appendix's second column; [`corpus_of`] has it for `f16` and `f32` too.
//!
//! The table of the appendix has suffered: programs stand beside the wrong name, words are lost. What had
//! to be repaired is said at each program. For all of them alike:
//!
//! * A program without value on nothing (`fold1`, `maximum`, an index modulo the length) has vectors of at
//!   least one element (`#v > 0`), whether or not the table still says so.
//! * Haskell's `round` takes halves to even numbers, ours away from zero; no program depends on it.
//! * Host numbers in programs, such as `m` in `constant m`, are `i32` inputs of rank 0, not differentiated.

mod acond;
mod aindex;
mod cond;
mod draw;
mod fold;
mod input;
mod movement;
mod regression;
mod replicate;
mod tuple;

pub use draw::Draw;
pub use input::Input;

use cotangent_core::host::HostArray;
use cotangent_core::recover::recover;
use cotangent_core::rounding::f16;
use cotangent_core::surface::AccFn;
use cotangent_core::surface::prelude::*;
use cotangent_core::term::{DeBruijn, Program};

/// A vector of the corpus.
pub type Vector<T> = Acc<Ix1, T>;
/// A matrix of the corpus.
pub type Matrix<T> = Acc<Ix2, T>;
/// What every program of the corpus gives.
pub type Scalar<T> = Acc<Ix0, T>;
/// A host number.
pub type Number = Acc<Ix0, i32>;

/// The float types that the corpus comes in.
pub trait Real: Float {
    /// A number as an expression, where nothing else fixes its type.
    fn literal(value: f64) -> Exp<Self> {
        constant(Self::from_f64(value))
    }
}

impl Real for f16 {}
impl Real for f32 {}
impl Real for f64 {}

/// A program of the corpus.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The name in the appendix, without the star.
    pub name: &'static str,
    /// Whether finite differences are right (no star in the appendix).
    pub smooth: bool,
    /// From the inputs to one float of rank 0.
    pub value: Program<DeBruijn>,
    /// From the inputs to the gradient by the first [`differentiated`](Self::differentiated) of them.
    pub gradient: Program<DeBruijn>,
    /// How many of the inputs, counted from the first, the gradient is by.
    pub differentiated: usize,
    /// Inputs of several sizes: one array per parameter each.
    pub samples: Vec<Vec<HostArray>>,
}

/// All programs of the appendix, in `f64`.
pub fn corpus() -> Vec<Entry> {
    corpus_of::<f64>()
}

/// All programs of the appendix.
pub fn corpus_of<T: Real>() -> Vec<Entry> {
    let groups = [
        acond::entries::<T>,
        fold::entries::<T>,
        replicate::entries::<T>,
        movement::entries::<T>,
        aindex::entries::<T>,
        regression::entries::<T>,
        tuple::entries::<T>,
        cond::entries::<T>,
    ];
    groups.iter().flat_map(|entries| entries()).collect()
}

impl Entry {
    /// A program by its arguments `X`, and the numbers `C`, which it is not differentiated by.
    fn new<T: Real, X: Arrays, C: Arrays>(
        name: &'static str,
        inputs: &[Input],
        f: impl Fn(X, C) -> Scalar<T>,
    ) -> Self {
        let gradient = program(name, |x: X, c: C| gradient_a(|x| f(x, c), x));
        Self {
            name,
            smooth: true,
            value: program(name, |x: X, c: C| f(x, c)),
            differentiated: gradient.body.results.len(),
            gradient,
            samples: input::samples::<T>(name, inputs),
        }
    }

    /// A program of one vector.
    fn unary<T: Real>(
        name: &'static str,
        input: Input,
        f: impl Fn(Vector<T>) -> Scalar<T>,
    ) -> Self {
        Self::new(name, &[input], |a: Vector<T>, ()| f(a))
    }

    /// A program of two vectors.
    fn binary<T: Real>(
        name: &'static str,
        inputs: [Input; 2],
        f: impl Fn(Vector<T>, Vector<T>) -> Scalar<T>,
    ) -> Self {
        Self::new(name, &inputs, |(a, b): (Vector<T>, Vector<T>), ()| f(a, b))
    }

    /// The same with a star: finite differences need not be right.
    fn starred(self) -> Self {
        Self {
            smooth: false,
            ..self
        }
    }
}

/// A closure as a term.
fn program<M, F: AccFn<M>>(name: &str, f: F) -> Program<DeBruijn> {
    let recovered = trace(f).and_then(|traced| recover(&traced.graph, &traced.lambda));
    #[allow(
        clippy::panic,
        reason = "a corpus that is no program fails every test of it"
    )]
    recovered.unwrap_or_else(|error| panic!("{name}: {error}"))
}
