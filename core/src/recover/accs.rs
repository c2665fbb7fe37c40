//! The upper stratum: array operations become a program.

use super::emit::{Scope, Text, emit};
use super::exps::{self, Code, Exps};
use super::facts::Facts;
use super::flow::{Flow, Inner, Parts, Stratum};
use super::nodes::{AccInner, AccParts, acc_name, acc_parts};
use super::place::{TooManyCopies, place};
use crate::graph::{
    AccLambda, AccNode, AccNodeOp, ArrRef, Binder, ExpLambda, ExpRef, Graph, SurfaceError,
};
use crate::term::{AccBlock, AccLet, AccOp, ArrBind, ArrIx, DeBruijn, Fun, Outside};
use crate::types::ArrayType;

type Written<T> = Result<T, SurfaceError>;

/// Array operations as a stratum.
struct Accs<'a> {
    graph: &'a Graph,
    facts: &'a Facts<'a>,
}

/// The body of a program.
pub(super) fn body(graph: &Graph, facts: &Facts, f: &AccLambda) -> Written<AccBlock<DeBruijn>> {
    let flow = Flow::new(&Accs { graph, facts }, &numbers(&f.results));
    let layout = place(&flow).map_err(|error| too_many_copies(graph, error))?;
    let params = (f.binder, f.params.len() as u32);
    let mut writer = Writer {
        exps: Exps { graph, facts },
        results: &f.results,
    };
    emit(&mut writer, Scope::new(&flow, Some(params)), &layout)
}

/// Bindings of the given types.
pub(super) fn binds(types: &[ArrayType]) -> Vec<ArrBind<DeBruijn>> {
    types.iter().map(|&ty| ArrBind { name: (), ty }).collect()
}

fn too_many_copies(graph: &Graph, TooManyCopies { node }: TooManyCopies) -> SurfaceError {
    let AccNode { op, types: _, loc } = &graph.accs[node as usize];
    SurfaceError::Misuse {
        operation: acc_name(op),
        used_at: *loc,
        problem:
            "this array can fail to be computed, is used in branches of a great many `acond`s, and \
                  would be computed by a copy of its code in each; use it once outside of them"
                .to_owned(),
    }
}

fn numbers(refs: &[ArrRef]) -> Vec<u32> {
    refs.iter().map(|reference| reference.node).collect()
}

impl Stratum for Accs<'_> {
    fn parts(&self, node: u32) -> Parts {
        let op = &self.graph.accs[node as usize].op;
        let AccParts {
            f,
            exps,
            args,
            inner,
        } = acc_parts(op);
        let mut operands = numbers(&args);
        let stratum = Exps {
            graph: self.graph,
            facts: self.facts,
        };
        for results in [exps, f.map_or(&[], |f| &f.results)] {
            operands.extend(numbers(&exps::captures(&stratum, results)));
        }
        let inner = match (op, inner) {
            (AccNodeOp::Param { binder, .. }, _) => Inner::Param(*binder),
            (_, AccInner::None) => Inner::None,
            (_, AccInner::Branches(then_, else_)) => {
                Inner::Branches([numbers(then_), numbers(else_)])
            }
            (_, AccInner::Body(binder, results)) => Inner::Body(binder, numbers(results)),
        };
        Parts { operands, inner }
    }

    fn can_fail(&self, node: u32) -> bool {
        self.facts.acc_fails(node)
    }

    fn free_binders(&self, node: u32) -> &[Binder] {
        self.facts.acc_binders(node)
    }
}

struct Writer<'a> {
    exps: Exps<'a>,
    results: &'a [ArrRef],
}

impl<'a> Writer<'a> {
    fn node(&self, node: u32) -> &'a AccNode {
        &self.exps.graph.accs[node as usize]
    }

    fn variable(&self, scope: &Scope, ArrRef { node, output }: ArrRef) -> ArrIx {
        if let AccNodeOp::Param { binder, position } = self.node(node).op {
            ArrIx(scope.param(binder, position))
        } else {
            ArrIx(scope.index(node, output))
        }
    }

    fn variables(&self, scope: &Scope, refs: &[ArrRef]) -> Vec<ArrIx> {
        let variable = |&reference| self.variable(scope, reference);
        refs.iter().map(variable).collect()
    }

    /// A function with parameters.
    fn function(&self, scope: &Scope, f: &ExpLambda) -> Written<Fun<DeBruijn>> {
        let params = Some((f.binder, f.params.as_slice()));
        self.close(scope, exps::code(&self.exps, params, &f.results)?)
    }

    /// A function without.
    fn constant(&self, scope: &Scope, results: &[ExpRef]) -> Written<Fun<DeBruijn>> {
        self.close(scope, exps::code(&self.exps, None, results)?)
    }

    fn close(&self, scope: &Scope, code: Code) -> Written<Fun<DeBruijn>> {
        let Code {
            captures,
            params,
            body,
        } = code;
        Ok(Fun {
            captures: self.variables(scope, &captures),
            params,
            body,
        })
    }

    fn init(&self, scope: &Scope, init: &Option<Vec<ExpRef>>) -> Written<Option<Fun<DeBruijn>>> {
        let init = init.as_ref().map(|init| self.constant(scope, init));
        init.transpose()
    }

    fn op(
        &self,
        scope: &Scope,
        node: u32,
        blocks: Vec<AccBlock<DeBruijn>>,
    ) -> Written<AccOp<DeBruijn>> {
        Ok(match &self.node(node).op {
            AccNodeOp::Param { .. } => unreachable!("parameters are not placed"),
            AccNodeOp::Use(id) => AccOp::Use(*id),
            AccNodeOp::Generate { shape, f } => AccOp::Generate {
                shape: self.constant(scope, shape)?,
                f: self.function(scope, f)?,
            },
            AccNodeOp::Map { f, args } => AccOp::Map {
                f: self.function(scope, f)?,
                args: self.variables(scope, args),
            },
            AccNodeOp::Fold { f, init, args } => AccOp::Fold {
                f: self.function(scope, f)?,
                init: self.init(scope, init)?,
                args: self.variables(scope, args),
            },
            AccNodeOp::Scan {
                direction,
                f,
                init,
                args,
            } => AccOp::Scan {
                direction: *direction,
                f: self.function(scope, f)?,
                init: self.init(scope, init)?,
                args: self.variables(scope, args),
            },
            op @ (AccNodeOp::Reshape { .. }
            | AccNodeOp::Replicate { .. }
            | AccNodeOp::Slice { .. }
            | AccNodeOp::Backpermute { .. }
            | AccNodeOp::Permute { .. }
            | AccNodeOp::Unpack { .. }
            | AccNodeOp::Append { .. }) => self.rearrangement(scope, op)?,
            op @ (AccNodeOp::Cond { .. } | AccNodeOp::Gradient { .. }) => {
                self.nested(scope, op, blocks)?
            }
        })
    }

    /// An operation that moves elements.
    fn rearrangement(&self, scope: &Scope, op: &AccNodeOp) -> Written<AccOp<DeBruijn>> {
        Ok(match op {
            AccNodeOp::Reshape { shape, arg } => AccOp::Reshape {
                shape: self.constant(scope, shape)?,
                arg: self.variable(scope, *arg),
            },
            AccNodeOp::Replicate { axes, extents, arg } => AccOp::Replicate {
                axes: axes.clone(),
                extents: self.constant(scope, extents)?,
                arg: self.variable(scope, *arg),
            },
            AccNodeOp::Slice { axes, indices, arg } => AccOp::Slice {
                axes: axes.clone(),
                indices: self.constant(scope, indices)?,
                arg: self.variable(scope, *arg),
            },
            AccNodeOp::Backpermute { shape, f, arg } => AccOp::Backpermute {
                shape: self.constant(scope, shape)?,
                f: self.function(scope, f)?,
                arg: self.variable(scope, *arg),
            },
            AccNodeOp::Permute {
                combine,
                defaults,
                target,
                args,
            } => AccOp::Permute {
                combine: *combine,
                outside: Outside::Fails,
                defaults: self.variables(scope, defaults),
                target: self.function(scope, target)?,
                args: self.variables(scope, args),
            },
            AccNodeOp::Unpack { args } => AccOp::Unpack {
                args: self.variables(scope, args),
            },
            AccNodeOp::Append { args } => AccOp::Append {
                args: self.variables(scope, args),
            },
            AccNodeOp::Param { .. }
            | AccNodeOp::Use(_)
            | AccNodeOp::Generate { .. }
            | AccNodeOp::Map { .. }
            | AccNodeOp::Fold { .. }
            | AccNodeOp::Scan { .. }
            | AccNodeOp::Cond { .. }
            | AccNodeOp::Gradient { .. } => unreachable!("these do more than move elements"),
        })
    }

    /// An operation with blocks.
    fn nested(
        &self,
        scope: &Scope,
        op: &AccNodeOp,
        blocks: Vec<AccBlock<DeBruijn>>,
    ) -> Written<AccOp<DeBruijn>> {
        let mut blocks = blocks.into_iter();
        let mut block = || blocks.next().unwrap_or_else(no_block);
        Ok(match op {
            AccNodeOp::Cond { cond, .. } => AccOp::Cond {
                cond: self.constant(scope, &[*cond])?,
                then_: block(),
                else_: block(),
            },
            AccNodeOp::Gradient {
                with_value,
                f,
                args,
            } => AccOp::Gradient {
                with_value: *with_value,
                params: binds(&f.params),
                body: block(),
                args: self.variables(scope, args),
            },
            AccNodeOp::Param { .. }
            | AccNodeOp::Use(_)
            | AccNodeOp::Generate { .. }
            | AccNodeOp::Map { .. }
            | AccNodeOp::Fold { .. }
            | AccNodeOp::Scan { .. }
            | AccNodeOp::Reshape { .. }
            | AccNodeOp::Replicate { .. }
            | AccNodeOp::Slice { .. }
            | AccNodeOp::Backpermute { .. }
            | AccNodeOp::Permute { .. }
            | AccNodeOp::Unpack { .. }
            | AccNodeOp::Append { .. } => unreachable!("these have no blocks"),
        })
    }
}

fn no_block<T>() -> T {
    unreachable!("emission gives each operation as many blocks as its flow node has")
}

impl Text for Writer<'_> {
    type Let = AccLet<DeBruijn>;
    type Block = AccBlock<DeBruijn>;

    fn width(&self, node: u32) -> u32 {
        self.node(node).types.len() as u32
    }

    fn params(&self, owner: u32) -> u32 {
        if let AccNodeOp::Gradient { f, .. } = &self.node(owner).op {
            f.params.len() as u32
        } else {
            0
        }
    }

    fn let_(&mut self, scope: &Scope, node: u32, blocks: Vec<Self::Block>) -> Written<Self::Let> {
        let op = self.op(scope, node, blocks)?;
        let AccNode { op: _, types, loc } = self.node(node);
        Ok(AccLet {
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
        let refs = match owner {
            None => self.results,
            Some((node, position)) => match acc_parts(&self.node(node).op).inner {
                AccInner::None => unreachable!("the owner of a block has blocks"),
                AccInner::Branches(then_, else_) => [then_, else_][position],
                AccInner::Body(_, results) => results,
            },
        };
        AccBlock {
            lets,
            results: self.variables(scope, refs),
        }
    }
}
