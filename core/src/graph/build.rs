//! Adding nodes to a graph, merging equal ones.
//!
//! Two nodes are equal when they compute the same operation on the same nodes. They are merged unless the
//! operation itself can fail at run time; such nodes are merged only when they come from the same place of
//! the user's source, for an error must name the right one. What is *inside* an operation (a failing index
//! in a branch of a conditional) needs no care here: it is a node of its own, which already differs.
//!
//! Parameters are per binder and a binder is fresh per run of a closure, so two textually equal lambdas
//! never merge; later passes find those.

use super::{AccNode, AccNodeOp, ArrRef, Binder, BinderInfo, ExpNode, ExpNodeOp, ExpRef, Graph};
use crate::host::{Column, HostArray};
use crate::integer_column;
use crate::loc::Loc;
use crate::term::{MoveFails, UseId};
use crate::types::{ArrayType, ScalarType};
use std::collections::HashMap;
use std::sync::Arc;

/// A graph under construction.
#[derive(Clone, Debug, Default)]
pub struct GraphBuilder {
    graph: Graph,
    exps: HashMap<(ExpNodeOp, Option<Loc>), u32>,
    accs: HashMap<(AccNodeOp, Option<Loc>), u32>,
}

impl GraphBuilder {
    /// A graph without nodes.
    pub fn new() -> Self {
        Self::default()
    }

    /// What has been built so far.
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// The finished graph.
    pub fn finish(self) -> Graph {
        self.graph
    }

    /// The position of an expression node of this operation: a new one, or an equal one that is there.
    pub fn add_exp(&mut self, op: ExpNodeOp, types: Vec<ScalarType>, loc: Loc) -> u32 {
        let place = exp_can_fail(&op).then_some(loc);
        let graph = &mut self.graph;
        let known = self.exps.entry((op.clone(), place));
        *known.or_insert_with(|| graph.push_exp(ExpNode { op, types, loc }))
    }

    /// The position of an array node of this operation: a new one, or an equal one that is there.
    pub fn add_acc(&mut self, op: AccNodeOp, types: Vec<ArrayType>, loc: Loc) -> u32 {
        let place = acc_can_fail(&op).then_some(loc);
        let graph = &mut self.graph;
        let known = self.accs.entry((op.clone(), place));
        *known.or_insert_with(|| graph.push_acc(AccNode { op, types, loc }))
    }

    /// A fresh binder.
    pub fn add_binder(&mut self, construct: &'static str, loc: Loc) -> Binder {
        self.graph.binders.push(BinderInfo { construct, loc });
        Binder(position(self.graph.binders.len()))
    }

    /// The places of the columns of one host array among the uses.
    pub fn add_uses(&mut self, columns: Vec<HostArray>) -> Vec<UseId> {
        let ids: Vec<_> = columns.into_iter().map(|c| self.add_use(c)).collect();
        let pairs = ids.windows(2);
        pairs.for_each(|pair| self.graph.alike.unite_uses(pair[0], pair[1]));
        ids
    }

    /// The host array's place among the uses; an array that shares memory with an earlier one is that one.
    pub fn add_use(&mut self, array: HostArray) -> UseId {
        let uses = &mut self.graph.uses;
        let known = uses.iter().position(|other| is_same(other, &array));
        UseId(known.map_or_else(
            || {
                uses.push(array);
                position(uses.len())
            },
            |i| position(i + 1),
        ))
    }

    /// The type of one result of an expression node, if there is such a result.
    pub fn exp_type(&self, of: ExpRef) -> Option<ScalarType> {
        let node = self.graph.exps.get(of.node as usize)?;
        node.types.get(of.output as usize).copied()
    }

    /// The type of one result of an array node, if there is such a result.
    pub fn acc_type(&self, of: ArrRef) -> Option<ArrayType> {
        let node = self.graph.accs.get(of.node as usize)?;
        node.types.get(of.output as usize).copied()
    }
}

/// The position of the last of `len` items.
fn position(len: usize) -> u32 {
    (len - 1) as u32
}

/// Whether two arrays are one: of one shape, with their elements in the same memory.
fn is_same(a: &HostArray, b: &HostArray) -> bool {
    let same_memory = match (a.column(), b.column()) {
        (Column::Bool(a), Column::Bool(b)) => Arc::ptr_eq(a, b),
        (Column::I8(a), Column::I8(b)) => Arc::ptr_eq(a, b),
        (Column::I16(a), Column::I16(b)) => Arc::ptr_eq(a, b),
        (Column::I32(a), Column::I32(b)) => Arc::ptr_eq(a, b),
        (Column::I64(a), Column::I64(b)) => Arc::ptr_eq(a, b),
        (Column::U8(a), Column::U8(b)) => Arc::ptr_eq(a, b),
        (Column::U16(a), Column::U16(b)) => Arc::ptr_eq(a, b),
        (Column::U32(a), Column::U32(b)) => Arc::ptr_eq(a, b),
        (Column::U64(a), Column::U64(b)) => Arc::ptr_eq(a, b),
        (Column::F16(a), Column::F16(b)) => Arc::ptr_eq(a, b),
        (Column::F32(a), Column::F32(b)) => Arc::ptr_eq(a, b),
        (Column::F64(a), Column::F64(b)) => Arc::ptr_eq(a, b),
        (
            Column::Bool(_) | integer_column!() | Column::F16(_) | Column::F32(_) | Column::F64(_),
            _,
        ) => false,
    };
    same_memory && a.shape() == b.shape()
}

fn exp_can_fail(op: &ExpNodeOp) -> bool {
    match op {
        ExpNodeOp::Index { .. } => true,
        ExpNodeOp::Const(_)
        | ExpNodeOp::Param { .. }
        | ExpNodeOp::Prim(..)
        | ExpNodeOp::Extent { .. }
        | ExpNodeOp::Cond { .. }
        | ExpNodeOp::Derivative { .. }
        | ExpNodeOp::WithPartials(_)
        | ExpNodeOp::Loop { .. } => false,
    }
}

/// Whatever makes a new extent can fail, be it only because the extent is too large: a scan with an initial
/// value is one longer than its argument.
fn acc_can_fail(op: &AccNodeOp) -> bool {
    match op {
        AccNodeOp::Generate { .. }
        | AccNodeOp::Fold { init: None, .. }
        | AccNodeOp::FoldSegments { .. }
        | AccNodeOp::Scan { .. }
        | AccNodeOp::Permute { .. }
        | AccNodeOp::Append { .. } => true,
        AccNodeOp::Move { how, arg: _ } => !matches!(how.fails(), MoveFails::Never),
        AccNodeOp::Param { .. }
        | AccNodeOp::Use(_)
        | AccNodeOp::Map { .. }
        | AccNodeOp::Fold { init: Some(_), .. }
        | AccNodeOp::Unpack { .. }
        | AccNodeOp::Argsort { .. }
        | AccNodeOp::Cond { .. }
        | AccNodeOp::Derivative { .. }
        | AccNodeOp::Custom { .. }
        | AccNodeOp::Loop { .. } => false,
    }
}
