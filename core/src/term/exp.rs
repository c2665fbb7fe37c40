//! Expressions: scalar code, the body of every parallel operation.

use super::mode::Mode;
use super::naming::Naming;
use crate::constant::Const;
use crate::loc::Loc;
use crate::prim::Prim;
use crate::types::ScalarType;

/// The binding of one scalar variable.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ExpBind<N: Naming> {
    /// Its name.
    pub name: N::ExpBinder,
    /// Its type.
    pub ty: ScalarType,
}

/// A position in the capture list of the enclosing [`Fun`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Slot(pub u32);

/// A scalar function, closed but for the arrays it captures.
///
/// Scope: `body` sees `params` (for de Bruijn, the last parameter is the nearest) and nothing else;
/// [`ExpOp::Index`] and [`ExpOp::Extent`] name arrays by their [`Slot`] in `captures`.
/// Invariants: `captures` has no duplicates, and every slot is used (the simplifier restores both).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Fun<N: Naming> {
    /// The arrays that the body reads or measures, as variables of the surrounding array code.
    pub captures: Vec<N::Arr>,
    /// The parameters.
    pub params: Vec<ExpBind<N>>,
    /// The body; its results are the function's.
    pub body: ExpBlock<N>,
}

/// A stack of lets and the variables it results in.
///
/// Scope: each let sees all that is bound before it, in this block and around it; the results see all.
/// Evaluation: in order, and strictly: an operation that fails makes the block fail, used or not.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ExpBlock<N: Naming> {
    /// The bindings, in order.
    pub lets: Vec<ExpLet<N>>,
    /// The results.
    pub results: Vec<N::Exp>,
}

/// One operation and the variables that hold its results.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ExpLet<N: Naming> {
    /// One binding per result.
    pub binds: Vec<ExpBind<N>>,
    /// The operation.
    pub op: ExpOp<N>,
    /// Where the user wrote it.
    pub loc: Loc,
}

/// A block with parameters. Unlike a [`Fun`] it sees all that is bound around it; the parameters are nearer.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ExpClosure<N: Naming> {
    /// The parameters.
    pub params: Vec<ExpBind<N>>,
    /// The block; its results are the closure's.
    pub body: ExpBlock<N>,
}

/// A scalar operation.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ExpOp<N: Naming> {
    /// A literal. One result, of the constant's type.
    Const(Const),
    /// A primitive on scalars. One result, typed by [`Prim::result_type`].
    Prim(Prim, Vec<N::Exp>),
    /// The element of an array at an index: one `i32` per dimension, outermost first. One result, of the
    /// array's element type. Fails where a coordinate is negative or not below its extent.
    Index {
        /// Which array.
        array: Slot,
        /// The coordinates.
        index: Vec<N::Exp>,
    },
    /// The extent of an array along one of its dimensions, 0 the outermost. One `i32` result.
    Extent {
        /// Which array.
        array: Slot,
        /// The dimension.
        axis: usize,
    },
    /// Evaluates one of two blocks, the other not at all: by `cond`, a `bool`. The blocks see all that is
    /// bound around them; their results have the types of the bindings.
    Cond {
        /// The condition.
        cond: N::Exp,
        /// Evaluated where the condition holds.
        then_: ExpBlock<N>,
        /// Evaluated where it does not.
        else_: ExpBlock<N>,
    },
    /// The derivative of `body`, as a function of `params`. `body` sees all that is bound around it, which counts as
    /// constant. Gone after AD. At special points as said at
    /// [`AccOp::Derivative`](super::AccOp::Derivative).
    ///
    /// [`Mode::Gradient`]: `body` has one float result; `args` are the point, one scalar per parameter, of its type.
    /// Results: the body's value if `with_value`, then for each parameter the partial derivative; for parameters
    /// that are not floats, zero.
    ///
    /// [`Mode::Jvp`]: `body` has any number of results, of any types; `args` are the point, one scalar per parameter,
    /// then the tangents, again one per parameter, all of the parameter's type. Tangents of parameters that are
    /// not floats are ignored. Results: those of the body, at the point, then for each of them a scalar of its type:
    /// the derivative along the direction that the tangents are; zero for results that are not floats.
    Derivative {
        /// Which derivative.
        mode: Mode,
        /// The variables to differentiate by.
        params: Vec<ExpBind<N>>,
        /// The function to differentiate.
        body: ExpBlock<N>,
        /// The point, then for [`Mode::Jvp`] the tangents.
        args: Vec<N::Exp>,
    },
    /// A float that was computed, with partial derivatives by decree: a *value* y, then any number of pairs of scalars x and
    /// p, all of one type. One result, y. Its partial derivative by each x is p, which counts as constant for that; how y
    /// was computed does not count. Gone after AD.
    ///
    /// Or two floats of one type: a *product*, which is the result, and a tangent that is a factor of it. That is what forward mode makes of
    /// products; it is gone after the simplifier. Where the tangent is zero by a selection, the product may count as zero, be the other
    /// factor what it will: zeros pass nothing on.
    WithPartials(Vec<N::Exp>),
    /// Runs code again and again, one *trip* after the other, on a state of several scalars.
    ///
    /// `args` are the most trips, an `i32` of which a negative one counts as zero, then the state to begin with.
    /// Before each trip `test`, if there is one, is asked whether to make it, by its one result, a `bool`; then
    /// `step` makes the next state. Both are given the number of the trip, from 0, and the state. Results: the
    /// number of trips that were made, an `i32`, then the last state.
    ///
    /// A loop that is to go on until its test fails makes at most `i32::MAX` trips.
    Loop {
        /// Whether to make a trip.
        test: Option<ExpClosure<N>>,
        /// The state after a trip.
        step: ExpClosure<N>,
        /// The most trips, and the first state.
        args: Vec<N::Exp>,
    },
}

impl<N: Naming> ExpOp<N> {
    /// Whether this operation itself, blocks aside, can fail at run time.
    pub fn can_fail(&self) -> bool {
        match self {
            Self::Index { .. } => true,
            Self::Const(_)
            | Self::Prim(..)
            | Self::Extent { .. }
            | Self::Cond { .. }
            | Self::Derivative { .. }
            | Self::WithPartials(_)
            | Self::Loop { .. } => false,
        }
    }

    /// The literal that this is.
    pub fn as_const(&self) -> Option<Const> {
        match self {
            Self::Const(value) => Some(*value),
            Self::Prim(..)
            | Self::Index { .. }
            | Self::Extent { .. }
            | Self::Cond { .. }
            | Self::Derivative { .. }
            | Self::WithPartials(_)
            | Self::Loop { .. } => None,
        }
    }

    /// The primitive that this applies, and to what.
    pub fn as_prim(&self) -> Option<(Prim, &[N::Exp])> {
        match self {
            Self::Prim(prim, operands) => Some((*prim, operands)),
            Self::Const(_)
            | Self::Index { .. }
            | Self::Extent { .. }
            | Self::Cond { .. }
            | Self::Derivative { .. }
            | Self::WithPartials(_)
            | Self::Loop { .. } => None,
        }
    }

    /// The operands, if this is that primitive.
    pub fn operands_of(&self, prim: Prim) -> Option<&[N::Exp]> {
        let (own, operands) = self.as_prim()?;
        (own == prim).then_some(operands)
    }

    /// The name of the construct, as programs are printed.
    pub fn name(&self) -> String {
        match self {
            Self::Const(value) => value.to_string(),
            Self::Prim(prim, _) => prim.name(),
            Self::Index { .. } => "index".to_owned(),
            Self::Extent { .. } => "extent".to_owned(),
            Self::Cond { .. } => "cond".to_owned(),
            Self::Derivative { mode, .. } => mode.exp_name().to_owned(),
            Self::WithPartials(_) => "with_partials".to_owned(),
            Self::Loop { .. } => "loop".to_owned(),
        }
    }
}

impl<N: Naming> Fun<N> {
    /// The types of the parameters.
    pub fn param_types(&self) -> Vec<ScalarType> {
        self.params.iter().map(|param| param.ty).collect()
    }
}
