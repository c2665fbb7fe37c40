//! The surface graph: what the user's closures leave behind when they are run.
//!
//! The surface's handles are positions in this graph. Nodes are only ever added and refer to earlier nodes,
//! so the graph is acyclic; a node used twice is simply referred to twice, and sharing recovery
//! ([`recover`](crate::recover)) turns the graph into a term. A lambda is a fresh [`Binder`], whose
//! parameters are nodes, and the nodes its closure returned.
//!
//! Equal nodes are merged as they are added, except nodes that can fail from different places of the user's
//! source: an error must name the right one.

mod build;
pub(crate) mod extents;
pub(crate) mod parts;
pub(crate) mod sets;
#[cfg(test)]
mod tests;

pub use build::GraphBuilder;

use crate::constant::Const;
use crate::host::HostArray;
use crate::loc::Loc;
use crate::prim::Prim;
use crate::term::{Alike, Combine, Direction, Mode, Move, Rules, SortOrder, States, UseId};
use crate::types::{ArrayType, ScalarType};
use sets::FreeBinders;

/// One result of an expression node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ExpRef {
    /// The position in [`Graph::exps`].
    pub node: u32,
    /// Which of its results.
    pub output: u32,
}

/// One result of an array node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ArrRef {
    /// The position in [`Graph::accs`].
    pub node: u32,
    /// Which of its results.
    pub output: u32,
}

/// The identity of a lambda: a position in [`Graph::binders`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Binder(pub u32);

/// What is known about a lambda besides its body.
#[derive(Clone, Debug, PartialEq)]
pub struct BinderInfo {
    /// The construct whose closure this is, such as `map`.
    pub construct: &'static str,
    /// Where that was written.
    pub loc: Loc,
}

/// A function made by running a closure on fresh parameters.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Lambda<Type, Ref> {
    /// Who binds the parameters.
    pub binder: Binder,
    /// The types of the parameters.
    pub params: Vec<Type>,
    /// What the closure returned.
    pub results: Vec<Ref>,
}

/// A scalar function.
pub type ExpLambda = Lambda<ScalarType, ExpRef>;
/// An array function.
pub type AccLambda = Lambda<ArrayType, ArrRef>;

/// An expression node.
#[derive(Clone, Debug, PartialEq)]
pub struct ExpNode {
    /// What it computes; variants as in [`ExpOp`](crate::term::ExpOp).
    pub op: ExpNodeOp,
    /// The types of its results.
    pub types: Vec<ScalarType>,
    /// Where it was written.
    pub loc: Loc,
}

/// What an expression node computes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum ExpNodeOp {
    Const(Const),
    Param {
        binder: Binder,
        position: u32,
    },
    Prim(Prim, Vec<ExpRef>),
    Index {
        array: ArrRef,
        index: Vec<ExpRef>,
    },
    Extent {
        array: ArrRef,
        axis: usize,
    },
    Cond {
        cond: ExpRef,
        then_: Vec<ExpRef>,
        else_: Vec<ExpRef>,
    },
    Derivative {
        mode: Mode,
        f: ExpLambda,
        args: Vec<ExpRef>,
    },
    WithPartials(Vec<ExpRef>),
    Loop {
        test: Option<ExpLambda>,
        step: ExpLambda,
        args: Vec<ExpRef>,
    },
}

/// An array node.
#[derive(Clone, Debug, PartialEq)]
pub struct AccNode {
    /// What it computes; variants as in [`AccOp`](crate::term::AccOp).
    pub op: AccNodeOp,
    /// The types of its results.
    pub types: Vec<ArrayType>,
    /// Where it was written.
    pub loc: Loc,
}

/// What an array node computes. A shape is a list of closed expressions.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum AccNodeOp {
    Param {
        binder: Binder,
        position: u32,
    },
    Use(UseId),
    Generate {
        shape: Vec<ExpRef>,
        f: ExpLambda,
    },
    Map {
        f: ExpLambda,
        args: Vec<ArrRef>,
    },
    Fold {
        f: ExpLambda,
        init: Option<Vec<ExpRef>>,
        args: Vec<ArrRef>,
    },
    FoldSegments {
        f: ExpLambda,
        init: Vec<ExpRef>,
        lengths: ArrRef,
        args: Vec<ArrRef>,
    },
    Scan {
        direction: Direction,
        f: ExpLambda,
        init: Option<Vec<ExpRef>>,
        args: Vec<ArrRef>,
    },
    Move {
        how: Move<Vec<ExpRef>, ExpLambda>,
        arg: ArrRef,
    },
    Permute {
        combine: Combine,
        defaults: Vec<ArrRef>,
        target: ExpLambda,
        args: Vec<ArrRef>,
    },
    Unpack {
        args: Vec<ArrRef>,
    },
    Append {
        args: Vec<ArrRef>,
    },
    Argsort {
        order: SortOrder,
        arg: ArrRef,
    },
    Cond {
        cond: ExpRef,
        then_: Vec<ArrRef>,
        else_: Vec<ArrRef>,
    },
    Derivative {
        mode: Mode,
        f: AccLambda,
        args: Vec<ArrRef>,
    },
    Custom {
        values: usize,
        rules: Rules<AccLambda>,
        args: Vec<ArrRef>,
    },
    Loop {
        trips: ExpRef,
        test: Option<AccLambda>,
        step: AccLambda,
        states: States<AccLambda>,
        args: Vec<ArrRef>,
    },
}

/// All nodes of one program.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Graph {
    /// Expression nodes, each referring to earlier ones only.
    pub exps: Vec<ExpNode>,
    /// Array nodes, each referring to earlier ones only.
    pub accs: Vec<AccNode>,
    /// The lambdas.
    pub binders: Vec<BinderInfo>,
    /// Host arrays in use.
    pub uses: Vec<HostArray>,
    /// Which parameters of the program, and which host arrays, are columns of one array.
    pub alike: Alike,
    /// Which binders each node depends on.
    pub(crate) free: FreeBinders,
}

impl Graph {
    /// Adds an expression node, which refers to nodes that are there; gives its position.
    pub(crate) fn push_exp(&mut self, node: ExpNode) -> u32 {
        self.free.add_exp(&node.op);
        self.exps.push(node);
        (self.exps.len() - 1) as u32
    }

    /// Adds an array node in the same way.
    pub(crate) fn push_acc(&mut self, node: AccNode) -> u32 {
        self.free.add_acc(&node.op);
        self.accs.push(node);
        (self.accs.len() - 1) as u32
    }
}

/// Why a user's closures do not make a program.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SurfaceError {
    /// A parameter of one closure is used outside of it.
    #[error(
        "{used_at}: a value that belongs to the closure of `{construct}` at {bound_at} is used outside that closure; return it from the closure instead"
    )]
    Escaped {
        /// Where the value is used.
        used_at: Loc,
        /// The construct whose closure binds it.
        construct: &'static str,
        /// Where that stands.
        bound_at: Loc,
    },
    /// An array operation inside a scalar closure depends on the closure's parameter.
    #[error(
        "{used_at}: `{operation}` depends on a parameter of the closure of `{construct}` at {bound_at}: array operations cannot run once per element (nested data parallelism); build a larger array outside and index it, or use one operation of higher rank"
    )]
    NestedParallelism {
        /// The array operation.
        operation: &'static str,
        /// Where it stands.
        used_at: Loc,
        /// The construct whose closure binds the parameter.
        construct: &'static str,
        /// Where that stands.
        bound_at: Loc,
    },
    /// A handle of another program.
    #[error(
        "{used_at}: a handle made in another `compile` is used here; programs do not share handles: pass the value as an argument or with `use_`"
    )]
    ForeignHandle {
        /// Where it is used.
        used_at: Loc,
    },
    /// An operation outside `compile`.
    #[error(
        "{used_at}: `{operation}` is used outside `compile`; array programs are built inside the closure given to `compile`"
    )]
    OutsideCompile {
        /// What was called.
        operation: &'static str,
        /// Where.
        used_at: Loc,
    },
    /// An operation was given something that it cannot work on.
    #[error("{used_at}: `{operation}`: {problem}")]
    Misuse {
        /// What was called.
        operation: &'static str,
        /// Where.
        used_at: Loc,
        /// What is wrong, and the way out.
        problem: String,
    },
}
