//! The lower stratum: expressions become scalar functions.

use super::emit::{Scope, Text, emit};
use super::facts::exp_can_fail;
use super::flow::{Flow, FlowBlock, Parts, Stratum, reach};
use super::place::{TooManyCopies, place};
use crate::graph::parts::Node;
use crate::graph::sets::{BinderSets, SetId};
use crate::graph::{ArrRef, Binder, ExpLambda, ExpNode, ExpNodeOp, ExpRef, Graph, SurfaceError};
use crate::term::{DeBruijn, ExpBind, ExpBlock, ExpClosure, ExpIx, ExpLet, ExpOp, Slot};
use crate::types::ScalarType;
use std::collections::HashMap;

/// A scalar function whose captures are still nodes of the graph.
pub(super) struct Code {
    /// The arrays it reads or measures, in order of first use.
    pub(super) captures: Vec<ArrRef>,
    /// Its parameters.
    pub(super) params: Vec<ExpBind<DeBruijn>>,
    /// Its body.
    pub(super) body: ExpBlock<DeBruijn>,
}

/// Expressions as a stratum.
pub(super) struct Exps<'a> {
    /// Where they are.
    pub(super) graph: &'a Graph,
}

/// The function of `params` with the given results.
pub(super) fn code(
    exps: &Exps,
    params: Option<(Binder, &[ScalarType])>,
    results: &[ExpRef],
) -> Result<Code, SurfaceError> {
    let flow = Flow::new(exps, &numbers(results));
    let layout = place(&flow).map_err(|error| too_many_copies(exps.graph, error))?;
    let mut writer = Writer {
        graph: exps.graph,
        results,
        captures: vec![],
        slots: HashMap::new(),
    };
    let count = |(binder, types): (Binder, &[ScalarType])| (binder, types.len() as u32);
    let body = emit(&mut writer, Scope::new(&flow, params.map(count)), &layout)?;
    Ok(Code {
        captures: writer.captures,
        params: binds(params.map_or(&[], |(_, types)| types)),
        body,
    })
}

/// The arrays that expressions with the given results reach.
pub(super) fn captures(exps: &Exps, results: &[ExpRef]) -> Vec<ArrRef> {
    let reached = reach(exps, &numbers(results)).into_iter();
    let arrays = reached.map(|(node, _)| exps.graph.exps[node as usize].op.array());
    arrays.flatten().collect()
}

fn too_many_copies(graph: &Graph, TooManyCopies { node }: TooManyCopies) -> SurfaceError {
    SurfaceError::Misuse {
        operation: "cond",
        used_at: graph.exps[node as usize].loc,
        problem:
            "this value depends on an indexing, is used in branches of a great many conditionals, \
                  and would be computed by a copy of its code in each; use it once outside of them"
                .to_owned(),
    }
}

fn numbers(refs: &[ExpRef]) -> Vec<u32> {
    refs.iter().map(|reference| reference.node).collect()
}

fn binds(types: &[ScalarType]) -> Vec<ExpBind<DeBruijn>> {
    types.iter().map(|&ty| ExpBind { name: (), ty }).collect()
}

impl<'a> Stratum<'a> for Exps<'a> {
    fn parts(&self, node: u32) -> Parts {
        let op = &self.graph.exps[node as usize].op;
        let blocks = op.blocks().into_iter();
        Parts {
            is_param: op.param().is_some(),
            operands: numbers(op.operands()),
            blocks: blocks.map(|code| FlowBlock::new(code, numbers)).collect(),
        }
    }

    fn can_fail(&self, node: u32) -> bool {
        exp_can_fail(&self.graph.exps[node as usize].op)
    }

    fn free_binders(&self, node: u32) -> SetId {
        self.graph.free.of(Node::Exp(node))
    }

    fn sets(&self) -> &'a BinderSets {
        self.graph.free.sets()
    }
}

struct Writer<'a> {
    graph: &'a Graph,
    results: &'a [ExpRef],
    captures: Vec<ArrRef>,
    slots: HashMap<ArrRef, Slot>,
}

impl Writer<'_> {
    fn node(&self, node: u32) -> &ExpNode {
        &self.graph.exps[node as usize]
    }

    fn variable(&self, scope: &Scope, ExpRef { node, output }: ExpRef) -> ExpIx {
        if let ExpNodeOp::Param { binder, position } = self.node(node).op {
            ExpIx(scope.param(binder, position))
        } else {
            ExpIx(scope.index(node, output))
        }
    }

    fn variables(&self, scope: &Scope, refs: &[ExpRef]) -> Vec<ExpIx> {
        let variable = |&reference| self.variable(scope, reference);
        refs.iter().map(variable).collect()
    }

    fn slot(&mut self, array: ArrRef) -> Slot {
        let next = Slot(self.captures.len() as u32);
        let slot = *self.slots.entry(array).or_insert(next);
        if slot == next {
            self.captures.push(array);
        }
        slot
    }

    fn results(&self, owner: Option<(u32, usize)>) -> &[ExpRef] {
        let Some((node, position)) = owner else {
            return self.results;
        };
        self.node(node).op.blocks()[position].results
    }

    fn op(&mut self, scope: &Scope, node: u32, blocks: Vec<ExpBlock<DeBruijn>>) -> ExpOp<DeBruijn> {
        let graph = self.graph;
        let mut blocks = blocks.into_iter();
        let mut block = || blocks.next().unwrap_or_else(no_block);
        match &graph.exps[node as usize].op {
            ExpNodeOp::Const(value) => ExpOp::Const(*value),
            ExpNodeOp::Param { .. } => unreachable!("parameters are not placed"),
            ExpNodeOp::Prim(prim, operands) => ExpOp::Prim(*prim, self.variables(scope, operands)),
            ExpNodeOp::Index { array, index } => ExpOp::Index {
                array: self.slot(*array),
                index: self.variables(scope, index),
            },
            ExpNodeOp::Extent { array, axis } => ExpOp::Extent {
                array: self.slot(*array),
                axis: *axis,
            },
            ExpNodeOp::Cond { cond, .. } => ExpOp::Cond {
                cond: self.variable(scope, *cond),
                then_: block(),
                else_: block(),
            },
            ExpNodeOp::Derivative { mode, f, args } => ExpOp::Derivative {
                mode: *mode,
                params: binds(&f.params),
                body: block(),
                args: self.variables(scope, args),
            },
            ExpNodeOp::WithPartials(args) => ExpOp::WithPartials(self.variables(scope, args)),
            ExpNodeOp::Loop { test, step, args } => {
                let mut closure = |f: &ExpLambda| ExpClosure {
                    params: binds(&f.params),
                    body: block(),
                };
                ExpOp::Loop {
                    test: test.as_ref().map(&mut closure),
                    step: closure(step),
                    args: self.variables(scope, args),
                }
            }
        }
    }
}

fn no_block<T>() -> T {
    unreachable!("emission gives each operation as many blocks as its flow node has")
}

impl Text for Writer<'_> {
    type Let = ExpLet<DeBruijn>;
    type Block = ExpBlock<DeBruijn>;

    fn width(&self, node: u32) -> u32 {
        self.node(node).types.len() as u32
    }

    fn let_(
        &mut self,
        scope: &Scope,
        node: u32,
        blocks: Vec<Self::Block>,
    ) -> Result<Self::Let, SurfaceError> {
        let op = self.op(scope, node, blocks);
        let ExpNode { op: _, types, loc } = self.node(node);
        Ok(ExpLet {
            binds: binds(types),
            op,
            loc: *loc,
        })
    }

    fn block(
        &self,
        scope: &Scope,
        owner: Option<(u32, usize)>,
        lets: Vec<Self::Let>,
    ) -> Self::Block {
        let results = self.variables(scope, self.results(owner));
        ExpBlock { lets, results }
    }
}
