//! One program under construction: its nodes, the meaning of handles in it, its errors.

use super::super::scope::Scopes;
use super::{Call, NO_SESSION, POISON, RawAcc, RawExp, outside_call};
use crate::graph::parts::Node;
use crate::graph::{
    AccNodeOp, ArrRef, Binder, ExpNodeOp, ExpRef, Graph, GraphBuilder, SurfaceError,
};
use crate::loc::Loc;
use crate::types::{ArrayType, ScalarType};
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};

/// Counts over all threads, so that a handle sent to another thread is foreign there.
static NEXT_SESSION: AtomicU64 = AtomicU64::new(NO_SESSION + 1);

/// One program under construction.
#[derive(Debug, Default)]
pub(crate) struct Session {
    id: u64,
    builder: GraphBuilder,
    scopes: Scopes,
    lists: Vec<Vec<ArrRef>>,
    list_ids: HashMap<Vec<ArrRef>, u32>,
    errors: Vec<SurfaceError>,
}

impl Session {
    /// An empty program.
    pub(super) fn new() -> Self {
        Self {
            id: NEXT_SESSION.fetch_add(1, Ordering::Relaxed),
            ..Self::default()
        }
    }

    /// What handles of this session name it by.
    pub(super) fn id(&self) -> u64 {
        self.id
    }

    /// What was built, or the first error.
    pub(super) fn finish(self) -> Result<Graph, SurfaceError> {
        match self.errors.into_iter().next() {
            Some(error) => Err(error),
            None => Ok(self.builder.finish()),
        }
    }

    /// The nodes so far.
    pub(crate) fn builder(&mut self) -> &mut GraphBuilder {
        &mut self.builder
    }

    /// Records an error; gives `None` for the operation to return.
    pub(crate) fn fail<R>(&mut self, error: SurfaceError) -> Option<R> {
        self.errors.push(error);
        None
    }

    /// Records that an operation was given something it cannot work on.
    pub(crate) fn misuse<R>(&mut self, call: Call, problem: impl Into<String>) -> Option<R> {
        self.fail(SurfaceError::Misuse {
            operation: call.operation,
            used_at: call.loc,
            problem: problem.into(),
        })
    }

    /// The node of a handle that is used by `call`.
    pub(crate) fn exp(&mut self, call: Call, raw: RawExp) -> Option<ExpRef> {
        let RawExp { session, exp } = raw;
        self.check_handle(call, session, exp.node)?;
        self.check_open(call, Node::Exp(exp.node))?;
        Some(exp)
    }

    /// The nodes of several.
    pub(crate) fn exps(&mut self, call: Call, raws: &[RawExp]) -> Option<Vec<ExpRef>> {
        raws.iter().map(|&raw| self.exp(call, raw)).collect()
    }

    /// The columns of a handle that is used by `call`.
    pub(crate) fn acc(&mut self, call: Call, raw: RawAcc) -> Option<Vec<ArrRef>> {
        let RawAcc { session, columns } = raw;
        self.check_handle(call, session, columns)?;
        let columns = self.lists.get(columns as usize)?.clone();
        for column in &columns {
            self.check_open(call, Node::Acc(column.node))?;
        }
        Some(columns)
    }

    /// The columns of several, in a row.
    pub(crate) fn accs(&mut self, call: Call, raws: &[RawAcc]) -> Option<Vec<ArrRef>> {
        let columns: Option<Vec<_>> = raws.iter().map(|&raw| self.acc(call, raw)).collect();
        Some(columns?.concat())
    }

    fn check_handle(&mut self, call: Call, session: u64, id: u32) -> Option<()> {
        let used_at = call.loc;
        match (session, id) {
            (NO_SESSION, id) => match outside_call(id) {
                Some(Call { operation, loc }) => self.fail(SurfaceError::OutsideCompile {
                    operation,
                    used_at: loc,
                }),
                None => self.fail(SurfaceError::ForeignHandle { used_at }),
            },
            (session, _) if session != self.id => {
                self.fail(SurfaceError::ForeignHandle { used_at })
            }
            (_, id) => (id != POISON).then_some(()),
        }
    }

    /// The binders that a node depends on.
    fn free(&self, node: Node) -> &[Binder] {
        self.builder.graph().free.get(node)
    }

    fn check_open(&mut self, call: Call, node: Node) -> Option<()> {
        let Some(binder) = self.scopes.closed_in(self.free(node)) else {
            return Some(());
        };
        let (construct, bound_at) = self.binder_info(binder);
        self.fail(SurfaceError::Escaped {
            used_at: call.loc,
            construct,
            bound_at,
        })
    }

    fn binder_info(&self, Binder(position): Binder) -> (&'static str, Loc) {
        let info = self.builder.graph().binders.get(position as usize);
        info.map_or(("compile", Loc::UNKNOWN), |info| (info.construct, info.loc))
    }

    /// A new or known expression node.
    pub(crate) fn add_exp(&mut self, call: Call, op: ExpNodeOp, types: Vec<ScalarType>) -> u32 {
        self.builder.add_exp(op, types, call.loc)
    }

    /// A new or known array node; none if it would have to run once per element.
    pub(crate) fn add_acc(
        &mut self,
        call: Call,
        op: AccNodeOp,
        types: Vec<ArrayType>,
    ) -> Option<u32> {
        let node = self.builder.add_acc(op, types, call.loc);
        if let Some(binder) = self.scopes.element_binder(self.free(Node::Acc(node))) {
            let (construct, bound_at) = self.binder_info(binder);
            return self.fail(SurfaceError::NestedParallelism {
                operation: call.operation,
                used_at: call.loc,
                construct,
                bound_at,
            });
        }
        Some(node)
    }

    /// A fresh binder of scalars, and its parameters.
    pub(crate) fn open_exps(&mut self, call: Call, types: &[ScalarType]) -> (Binder, Vec<ExpRef>) {
        let binder = self.builder.add_binder(call.operation, call.loc);
        self.scopes.open(binder, true);
        let param = |(position, &ty): (usize, &ScalarType)| {
            let position = position as u32;
            let op = ExpNodeOp::Param { binder, position };
            let node = self.add_exp(call, op, vec![ty]);
            ExpRef { node, output: 0 }
        };
        let params = types.iter().enumerate().map(param).collect();
        (binder, params)
    }

    /// A fresh binder of arrays, and its parameters.
    pub(crate) fn open_accs(&mut self, call: Call, types: &[ArrayType]) -> (Binder, Vec<ArrRef>) {
        let binder = self.builder.add_binder(call.operation, call.loc);
        self.scopes.open(binder, false);
        let param = |(position, &ty): (usize, &ArrayType)| {
            let position = position as u32;
            let op = AccNodeOp::Param { binder, position };
            let node = self.add_acc(call, op, vec![ty])?;
            Some(ArrRef { node, output: 0 })
        };
        let params = types.iter().enumerate().filter_map(param).collect();
        (binder, params)
    }

    /// Notes that a closure is done: what depends on its parameters must not be used any more.
    pub(crate) fn close(&mut self, binder: Binder) {
        self.scopes.close(binder);
    }

    /// The name of a list of columns.
    pub(super) fn intern(&mut self, columns: Vec<ArrRef>) -> u32 {
        let lists = &mut self.lists;
        *self.list_ids.entry(columns).or_insert_with_key(|columns| {
            lists.push(columns.clone());
            (lists.len() - 1) as u32
        })
    }
}
