//! Array programs: collective operations and how they are put together.

use super::alike::Alike;
use super::exp::Fun;
use super::mode::Mode;
use super::moves::Move;
use super::naming::Naming;
use super::rules::Rules;
use super::states::States;
use crate::constant::Const;
use crate::host::HostArray;
use crate::loc::Loc;
use crate::types::ArrayType;
use std::cmp::Ordering;

/// The binding of one array variable.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ArrBind<N: Naming> {
    /// Its name.
    pub name: N::ArrBinder,
    /// Its type.
    pub ty: ArrayType,
}

/// A whole program: a function from arrays to arrays.
#[derive(Clone, Debug, PartialEq)]
pub struct Program<N: Naming> {
    /// The parameters; the body sees nothing else.
    pub params: Vec<ArrBind<N>>,
    /// Host arrays that the program uses: implicit inputs, printed by reference.
    pub uses: Vec<HostArray>,
    /// Which of these inputs have one shape.
    pub alike: Alike,
    /// The body; its results are the program's.
    pub body: AccBlock<N>,
}

/// A position in [`Program::uses`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UseId(pub u32);

/// A stack of lets and the arrays it results in; scope and evaluation as for
/// [`ExpBlock`](super::ExpBlock).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct AccBlock<N: Naming> {
    /// The bindings, in order.
    pub lets: Vec<AccLet<N>>,
    /// The results.
    pub results: Vec<N::Arr>,
}

/// One operation and the variables that hold its results.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct AccLet<N: Naming> {
    /// One binding per result.
    pub binds: Vec<ArrBind<N>>,
    /// The operation.
    pub op: AccOp<N>,
    /// Where the user wrote it.
    pub loc: Loc,
}

/// A block with parameters, which sees all that is bound around it; the parameters are nearer.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct AccClosure<N: Naming> {
    /// The parameters.
    pub params: Vec<ArrBind<N>>,
    /// The block; its results are the closure's.
    pub body: AccBlock<N>,
}

/// The test of a loop, its step, and its step backwards.
pub type LoopClosures<'a, N> = (
    Option<&'a AccClosure<N>>,
    &'a AccClosure<N>,
    Option<&'a AccClosure<N>>,
);

/// The way a scan goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Direction {
    /// From the first element to the last.
    Left,
    /// From the last element to the first.
    Right,
}

/// What a [`Move`] says of a dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Axis {
    /// That it stays as it is, a dimension of both arrays.
    All,
    /// A number, which the move gives a meaning, as the extent that it is replicated to or the position that it is sliced at.
    Fixed,
}

/// Which element comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SortOrder {
    /// The least.
    Ascending,
    /// The greatest.
    Descending,
}

/// How [`AccOp::Permute`] combines values that meet at one target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Combine {
    /// The default plus all values, added in source order; `f16` and `f32` as the Note \[Sums of narrow floats\]
    /// at [`AccOp`] says.
    Add,
    /// The value that comes last in source order.
    Overwrite,
}

/// What becomes of an element that [`AccOp::Permute`] would send out of range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Outside {
    /// The operation fails, on every engine: what programs of users say.
    Fails,
    /// The operation fails or the element is lost, as suits the engine: what AD says of adjoints that go back
    /// to where elements came from. Those places were in range, or else reading them has failed already or
    /// was not needed.
    MayDrop,
}

/// A collective operation.
///
/// Note \[Failures\]. An operation that a result of the program refers to, as an argument or through what is
/// needed of it, fails where its documentation says so: by its shape, its sizes, positions or targets. The
/// elements of its results are computed as far as others need them, and what fails in them is a failure of the
/// program where the value read would make a difference. Elements that make none may be computed or not: there
/// an engine may fail like the strict evaluation of everything in order, or succeed.
///
/// "Inner" is the last dimension. A shape is a function without parameters that gives one `i32` per
/// dimension, outermost first; an extent that is negative, or a number of elements that overflows `i64`,
/// makes the operation fail, whatever it is.
///
/// Note \[Sums of narrow floats\]. Numbers of few digits lose what is added to them one by one: in `f32`,
/// 16,777,216 + 1 is 16,777,216, in `f16` that goes for 2048. So a sum of `f16` or `f32` is the one in `f64`,
/// rounded once, in the end: of [`Combine::Add`], the default included, and of each component of a fold or a scan
/// whose operator adds the two operands' (a scan rounds each result that it gives, not what it goes on with). What
/// else an operator computes from such a component sees it rounded. The interpreter does just that. Of other
/// engines no more is asked than that errors do not grow with the number of values: they may add in another
/// order, and in `f32` where each number takes part in a bounded number of additions, as in a tree of blocks; but
/// partial sums of `f16` are not rounded to `f16`, nor does one beyond its greatest number make the sum infinite.
/// Sums of `f64` are in `f64`, and integers wrap.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum AccOp<N: Naming> {
    /// A host array. One result.
    Use(UseId),
    /// An array of the given shape, whose element at index i is `f(i)`; `f` takes one `i32` per dimension,
    /// outermost first, and has one result per array made. Rank 0 is how a scalar becomes an array.
    Generate {
        /// The extents of the results.
        shape: Fun<N>,
        /// From index to elements.
        f: Fun<N>,
    },
    /// `f` on each tuple of corresponding elements of one or more arrays of one rank; one array per result
    /// of `f`. The shape is the intersection (elementwise minimum) of the arguments'.
    Map {
        /// From one element of each argument to the elements of the results.
        f: Fun<N>,
        /// The arguments.
        args: Vec<N::Arr>,
    },
    /// Reduces the inner dimension of k arrays (rank ≥ 1, shapes intersected) by an associative `f`, of 2k
    /// parameters (left operand first) and k results. With `init`, a function without parameters, the
    /// value(s) before the first element; without, the inner dimension must not be empty (unless there is
    /// nothing to reduce at all): fails otherwise. k results, of rank one less.
    Fold {
        /// The operator.
        f: Fun<N>,
        /// The value that the reduction starts from.
        init: Option<Fun<N>>,
        /// The arguments, one per component of the value reduced.
        args: Vec<N::Arr>,
    },
    /// Reduces each *segment* of the inner dimension of k arrays (rank ≥ 1, shapes intersected) as [`Fold`](Self::Fold) with
    /// `init` does a row. Segments follow each other from the first element on; `lengths`, of `i32` and rank 1, says how long
    /// they are, a negative length counting as 0. A segment that goes on beyond the last element cannot be read.
    /// k results, whose inner extent is the number of segments.
    FoldSegments {
        /// The operator.
        f: Fun<N>,
        /// The value that each reduction starts from.
        init: Fun<N>,
        /// How many elements each segment has.
        lengths: N::Arr,
        /// The arguments, one per component of the value reduced.
        args: Vec<N::Arr>,
    },
    /// All partial results of a fold along the inner dimension, of k arrays (rank ≥ 1, shapes intersected).
    /// `Left`: yᵢ = f(yᵢ₋₁, xᵢ₋₁), y₀ = init, extent n + 1; `Right`: yᵢ = f(xᵢ, yᵢ₊₁), yₙ = init, extent n + 1.
    /// Without `init` the first (last) element takes its place, and the extent is n, be it 0.
    Scan {
        /// From which end.
        direction: Direction,
        /// The operator, associative.
        f: Fun<N>,
        /// The value before the first (after the last) element.
        init: Option<Fun<N>>,
        /// The arguments, one per component of the value scanned.
        args: Vec<N::Arr>,
    },
    /// Gives the elements of one array other places. One result.
    Move {
        /// Which ones: the meaning is said there.
        how: Move<Fun<N>>,
        /// The argument.
        arg: N::Arr,
    },
    /// Sends the elements of k arrays (shapes intersected) to the places that `target` gives, into copies of
    /// k `defaults` (shapes intersected): from a source index, `target` gives a `bool` (whether the element
    /// goes anywhere) and a target index. Fails where that index is out of range while the `bool` is
    /// true, unless `outside` says that such elements may be dropped.
    Permute {
        /// What happens where values meet.
        combine: Combine,
        /// What becomes of elements whose target is out of range.
        outside: Outside,
        /// What the results hold before anything arrives.
        defaults: Vec<N::Arr>,
        /// From a source index to (goes anywhere, target index).
        target: Fun<N>,
        /// The arguments.
        args: Vec<N::Arr>,
    },
    /// Puts N ≥ 1 arrays of one type (shapes intersected) side by side along a new inner dimension of
    /// extent N.
    Unpack {
        /// The arguments.
        args: Vec<N::Arr>,
    },
    /// Puts N ≥ 1 arrays of one type (rank ≥ 1) one after the other along the outermost dimension, whose extent
    /// is the sum of theirs: fails where that is no `i32`. Of the other dimensions, the least extent counts.
    Append {
        /// The arguments.
        args: Vec<N::Arr>,
    },
    /// Where the elements of each row of the inner dimension (rank ≥ 1) are in order: an `i32` for each, first the position in the
    /// row of the one that comes first. Of equal ones the first position comes first, ±0 are equal, NaN is greater than all
    /// numbers, and `true` than `false` ([`Const::sort_cmp`](crate::constant::Const::sort_cmp)). One result, of the argument's shape.
    Argsort {
        /// Which comes first.
        order: SortOrder,
        /// The argument.
        arg: N::Arr,
    },
    /// Evaluates one of two blocks, the other not at all, by `cond`: no parameters, one `bool` result. The
    /// blocks see all that is bound around them.
    Cond {
        /// The condition.
        cond: Fun<N>,
        /// Evaluated where it holds.
        then_: AccBlock<N>,
        /// Evaluated where it does not.
        else_: AccBlock<N>,
    },
    /// The derivative of `body`, as a function of `params`. `body` sees all that is bound around it, which counts as
    /// constant. Gone after AD.
    ///
    /// [`Mode::Gradient`]: `body` has one result, a float array of rank 0; `args` are the point, one array per
    /// parameter, of its type. Results: the body's value if `with_value`, then for each parameter an array of its type
    /// and shape: the partial derivatives; for parameters that are not floats, zeros.
    ///
    /// [`Mode::Jvp`]: `body` has any number of results, of any types and ranks; `args` are the point, one array per
    /// parameter, then the *tangents*, again one array per parameter, all of the parameter's type. A tangent has the
    /// shape of the array at its parameter; what is beyond that is cut off, and zeros stand for what is missing. Those
    /// of parameters that are not floats are ignored. Results: those of the body, at the point, then for each
    /// of them an array of its type and shape: the derivative along the direction that the tangents are; zeros
    /// for results that are not floats.
    ///
    /// Where the product of a partial derivative and an adjoint or a tangent is NaN, it counts as zero if the adjoint (of a
    /// `Gradient`), or either of both (of a `Jvp`), is zero: zeros pass nothing on.
    Derivative {
        /// Which derivative.
        mode: Mode,
        /// The variables to differentiate by.
        params: Vec<ArrBind<N>>,
        /// The function to differentiate.
        body: AccBlock<N>,
        /// The point, then for [`Mode::Jvp`] the tangents.
        args: Vec<N::Arr>,
    },
    /// Arrays that were computed from others, with derivatives by decree. Gone after AD.
    ///
    /// `args` are `values` *values*, then the *inputs*. Results: the values, as they are. To derivatives they depend on the
    /// inputs and on nothing else, in the way that `rules` say; how they were computed does not count.
    ///
    /// The rule of forward mode is given the results, then a tangent for each input, and makes one for each result; that
    /// of reverse mode the results, then a cotangent for each, and makes one for each input. Tangents and cotangents have
    /// the type and shape of what they belong to: of those that rules make, what is beyond is cut off, and zeros stand for what
    /// is missing. Those of arrays that are not floats are zeros, or ignored. Rules see all that is bound around them, which
    /// counts as constant; they run for derivatives only.
    Custom {
        /// How many values there are.
        values: usize,
        /// The derivative.
        rules: Rules<AccClosure<N>>,
        /// The values, then the inputs.
        args: Vec<N::Arr>,
    },
    /// Runs array code again and again, one *trip* after the other, on a state of several arrays.
    ///
    /// `trips` has no parameters and gives the most trips, an `i32` of which a negative one counts as zero. Before each
    /// trip `test`, if there is one, is asked whether to make it, by its one result, a `bool` of rank 0; then `step` makes
    /// the next state. Both are given the number of the trip, from 0, an `i32` of rank 0, and the state. Results: the
    /// number of trips that were made, of rank 0, then the last state. Arrays of the state may change their extents, not
    /// their types.
    ///
    /// A loop that is to go on until its test fails makes at most `i32::MAX` trips.
    Loop {
        /// The most trips.
        trips: Fun<N>,
        /// Whether to make a trip.
        test: Option<AccClosure<N>>,
        /// The state after a trip.
        step: AccClosure<N>,
        /// Where derivatives get the states from.
        states: States<AccClosure<N>>,
        /// The first state.
        args: Vec<N::Arr>,
    },
}

impl SortOrder {
    /// The name of the operation that sorts in this order.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ascending => "argsort",
            Self::Descending => "argsort_descending",
        }
    }

    /// The order in which two elements stand.
    pub fn cmp(self, x: Const, y: Const) -> Ordering {
        match self {
            Self::Ascending => x.sort_cmp(y),
            Self::Descending => y.sort_cmp(x),
        }
    }

    /// Where the elements of a row are in order.
    pub fn positions(self, keys: &[Const]) -> Vec<usize> {
        let mut positions: Vec<usize> = (0..keys.len()).collect();
        positions.sort_by(|&i, &j| self.cmp(keys[i], keys[j]));
        positions
    }
}

impl<N: Naming> AccOp<N> {
    /// The name of the construct, as users know it.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Use(_) => "use",
            Self::Generate { .. } => "generate",
            Self::Map { args, .. } if args.len() > 1 => "zip_with",
            Self::Map { .. } => "map",
            Self::Fold { init: Some(_), .. } => "fold",
            Self::Fold { init: None, .. } => "fold1",
            Self::FoldSegments { .. } => "fold_segments",
            Self::Scan {
                direction: Direction::Left,
                init: Some(_),
                ..
            } => "scanl",
            Self::Scan {
                direction: Direction::Right,
                init: Some(_),
                ..
            } => "scanr",
            Self::Scan {
                direction: Direction::Left,
                init: None,
                ..
            } => "scanl1",
            Self::Scan {
                direction: Direction::Right,
                init: None,
                ..
            } => "scanr1",
            Self::Move { how, arg: _ } => how.name(),
            Self::Permute { .. } => "permute",
            Self::Unpack { .. } => "unpack",
            Self::Append { .. } => "append",
            Self::Argsort { order, arg: _ } => order.name(),
            Self::Cond { .. } => "acond",
            Self::Derivative { mode, .. } => mode.acc_name(),
            Self::Custom { rules, .. } => rules.name(),
            Self::Loop { .. } => "loop_a",
        }
    }
}
