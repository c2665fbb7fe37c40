//! The upper stratum: array operations become a program.

use super::emit::{Scope, Text, emit};
use super::exps::{self, Code, Exps};
use super::facts::Facts;
use super::flow::{Flow, FlowBlock, Parts, Stratum};
use super::place::{TooManyCopies, place};
use crate::graph::parts::Node;
use crate::graph::sets::{BinderSets, SetId};
use crate::graph::{AccLambda, AccNode, AccNodeOp, ArrRef, ExpLambda, ExpRef, Graph, SurfaceError};
use crate::term::{
    AccBlock, AccClosure, AccLet, AccOp, ArrBind, ArrIx, Combine, DeBruijn, Direction, Fun, Mode,
    Move, Outside, States,
};
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
        exps: Exps { graph },
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
        operation: op.name(),
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

impl<'a> Stratum<'a> for Accs<'a> {
    fn parts(&self, node: u32) -> Parts {
        let op = &self.graph.accs[node as usize].op;
        let exps = Exps { graph: self.graph };
        let mut operands = numbers(&op.arguments());
        for code in op.functions() {
            operands.extend(numbers(&exps::captures(&exps, code.results)));
        }
        // A loop may be gone through backwards or not.
        let certain = match op {
            AccNodeOp::Loop { test, .. } => 1 + usize::from(test.is_some()),
            AccNodeOp::Derivative { .. } => 1,
            AccNodeOp::Param { .. }
            | AccNodeOp::Use(_)
            | AccNodeOp::Generate { .. }
            | AccNodeOp::Map { .. }
            | AccNodeOp::Fold { .. }
            | AccNodeOp::Scan { .. }
            | AccNodeOp::Move { .. }
            | AccNodeOp::Permute { .. }
            | AccNodeOp::Unpack { .. }
            | AccNodeOp::Append { .. }
            | AccNodeOp::Argsort { .. }
            | AccNodeOp::FoldSegments { .. }
            | AccNodeOp::Cond { .. }
            | AccNodeOp::Custom { .. } => 0,
        };
        let blocks = op.blocks().into_iter().enumerate();
        let block = |(at, code): (usize, _)| {
            let block = FlowBlock::new(code, numbers);
            let first_inside = block.binds.filter(|_| at < certain);
            let first_inside = first_inside.and_then(|(binder, _)| self.facts.first_param(binder));
            block.with_first(first_inside)
        };
        Parts {
            is_param: op.param().is_some(),
            operands,
            blocks: blocks.map(block).collect(),
        }
    }

    fn can_fail(&self, node: u32) -> bool {
        self.facts.acc_fails(node)
    }

    fn free_binders(&self, node: u32) -> SetId {
        self.graph.free.of(Node::Acc(node))
    }

    fn sets(&self) -> &'a BinderSets {
        self.graph.free.sets()
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
        let mut blocks = blocks.into_iter();
        let mut block = || blocks.next().unwrap_or_else(no_block);
        match &self.node(node).op {
            AccNodeOp::Param { .. } => unreachable!("parameters are not placed"),
            AccNodeOp::Use(id) => Ok(AccOp::Use(*id)),
            AccNodeOp::Generate { shape, f } => Ok(AccOp::Generate {
                shape: self.constant(scope, shape)?,
                f: self.function(scope, f)?,
            }),
            AccNodeOp::Map { f, args } => Ok(AccOp::Map {
                f: self.function(scope, f)?,
                args: self.variables(scope, args),
            }),
            AccNodeOp::Fold { f, init, args } => Ok(AccOp::Fold {
                f: self.function(scope, f)?,
                init: self.init(scope, init)?,
                args: self.variables(scope, args),
            }),
            AccNodeOp::FoldSegments {
                f,
                init,
                lengths,
                args,
            } => self.segments(scope, (f, init), *lengths, args),
            AccNodeOp::Scan {
                direction,
                f,
                init,
                args,
            } => self.scan(scope, *direction, (f, init), args),
            AccNodeOp::Move { how, arg } => Ok(AccOp::Move {
                how: self.moved(scope, how)?,
                arg: self.variable(scope, *arg),
            }),
            AccNodeOp::Permute {
                combine,
                defaults,
                target,
                args,
            } => self.permute(scope, *combine, (defaults, args), target),
            AccNodeOp::Unpack { args } => Ok(AccOp::Unpack {
                args: self.variables(scope, args),
            }),
            AccNodeOp::Append { args } => Ok(AccOp::Append {
                args: self.variables(scope, args),
            }),
            AccNodeOp::Argsort { order, arg } => Ok(AccOp::Argsort {
                order: *order,
                arg: self.variable(scope, *arg),
            }),
            AccNodeOp::Cond { cond, .. } => Ok(AccOp::Cond {
                cond: self.constant(scope, &[*cond])?,
                then_: block(),
                else_: block(),
            }),
            AccNodeOp::Derivative { mode, f, args } => {
                Ok(self.derivative(scope, *mode, (f, block()), args))
            }
            AccNodeOp::Custom {
                values,
                rules,
                args,
            } => Ok(AccOp::Custom {
                values: *values,
                rules: rules.map(|rule| closure(rule, block())),
                args: self.variables(scope, args),
            }),
            AccNodeOp::Loop {
                trips,
                test,
                step,
                states,
                args,
            } => {
                let test = test.as_ref().map(|test| closure(test, block()));
                let lambdas = (step, states);
                self.loop_(scope, (*trips, test, args), lambdas, &mut block)
            }
        }
    }

    fn moved(
        &self,
        scope: &Scope,
        how: &Move<Vec<ExpRef>, ExpLambda>,
    ) -> Written<Move<Fun<DeBruijn>>> {
        let code = |(): &mut (), exps: &Vec<ExpRef>| self.constant(scope, exps);
        how.try_map(&mut (), code, |(), f| self.function(scope, f))
    }

    fn loop_(
        &self,
        scope: &Scope,
        (trips, test, args): (ExpRef, Option<AccClosure<DeBruijn>>, &[ArrRef]),
        (step, states): (&AccLambda, &States<AccLambda>),
        block: &mut impl FnMut() -> AccBlock<DeBruijn>,
    ) -> Written<AccOp<DeBruijn>> {
        Ok(AccOp::Loop {
            trips: self.constant(scope, &[trips])?,
            test,
            step: closure(step, block()),
            states: states.map(|inverse| closure(inverse, block())),
            args: self.variables(scope, args),
        })
    }

    fn scan(
        &self,
        scope: &Scope,
        direction: Direction,
        (f, init): (&ExpLambda, &Option<Vec<ExpRef>>),
        args: &[ArrRef],
    ) -> Written<AccOp<DeBruijn>> {
        Ok(AccOp::Scan {
            direction,
            f: self.function(scope, f)?,
            init: self.init(scope, init)?,
            args: self.variables(scope, args),
        })
    }

    fn segments(
        &self,
        scope: &Scope,
        (f, init): (&ExpLambda, &[ExpRef]),
        lengths: ArrRef,
        args: &[ArrRef],
    ) -> Written<AccOp<DeBruijn>> {
        Ok(AccOp::FoldSegments {
            f: self.function(scope, f)?,
            init: self.constant(scope, init)?,
            lengths: self.variable(scope, lengths),
            args: self.variables(scope, args),
        })
    }

    fn permute(
        &self,
        scope: &Scope,
        combine: Combine,
        (defaults, args): (&[ArrRef], &[ArrRef]),
        target: &ExpLambda,
    ) -> Written<AccOp<DeBruijn>> {
        Ok(AccOp::Permute {
            combine,
            outside: Outside::Fails,
            defaults: self.variables(scope, defaults),
            target: self.function(scope, target)?,
            args: self.variables(scope, args),
        })
    }

    fn derivative(
        &self,
        scope: &Scope,
        mode: Mode,
        (f, body): (&AccLambda, AccBlock<DeBruijn>),
        args: &[ArrRef],
    ) -> AccOp<DeBruijn> {
        AccOp::Derivative {
            mode,
            params: binds(&f.params),
            body,
            args: self.variables(scope, args),
        }
    }
}

fn closure(f: &AccLambda, body: AccBlock<DeBruijn>) -> AccClosure<DeBruijn> {
    let params = binds(&f.params);
    AccClosure { params, body }
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
            Some((node, position)) => self.node(node).op.blocks()[position].results,
        };
        AccBlock {
            lets,
            results: self.variables(scope, refs),
        }
    }
}
