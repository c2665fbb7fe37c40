//! Programs that are called in others: the operations of a term become nodes of the program under construction.
//!
//! What is called is there as if its closure had been called in this place: fusion and derivatives see through it. Every operation keeps its place
//! in the source, which is what errors name when the program runs.

use super::arrays::{Arrays, to_raw};
use super::session::{Call, RawColumns, Session, columns, make_acc};
use crate::deep::with_deep_stack;
use crate::graph::{AccLambda, AccNodeOp, ArrRef, ExpLambda, ExpNodeOp, ExpRef};
use crate::loc::Loc;
use crate::term::{
    AccBlock, AccClosure, AccLet, AccOp, ArrBind, ArrId, ExpBind, ExpBlock, ExpClosure, ExpId,
    ExpLet, ExpOp, Fun, Labelled, Move, Outside, Program, Rules, Slot, States, UseId,
};
use crate::types::{ArrayType, ScalarType};
use std::collections::{BTreeMap, HashMap};

/// What a program gives for arrays of the one under construction.
///
/// The program is one from `In` to `Out`: it has a parameter for each column of `In`, and a result for each of `Out`. For compiled programs this
/// is `cotangent::Program::call`.
///
/// ```
/// # use cotangent_core::surface::prelude::*;
/// # use cotangent_core::surface::call;
/// # use cotangent_core::{label::label, recover::recover};
/// let norm = trace(|x: Acc<Ix1, f64>| x.map(|x| x * x).sum())?;
/// let norm = label(&recover(&norm.graph, &norm.lambda)?);
/// let gradient = |x: Acc<Ix1, f64>| gradient_a(|x| -> Acc<Z, f64> { call(&norm, x) }, x);
/// assert_eq!(interpret(gradient, Array::vector(vec![1.0, 2.5])?)?.to_vec(), [2.0, 5.0]);
/// # Ok::<(), InterpretError>(())
/// ```
#[track_caller]
pub fn call<In: Arrays, Out: Arrays>(program: &Program<Labelled>, args: In) -> Out {
    let call = Call::here("call");
    let args = columns(call, &to_raw(args));
    let results = make_acc(call, |session| {
        let args = args?;
        with_deep_stack(|| Caller::new(session, call).program(program, args))
    });
    Out::from_columns(&mut RawColumns::of(call, results))
}

/// Writes a term as nodes.
struct Caller<'a> {
    session: &'a mut Session,
    call: Call,
    arrays: HashMap<ArrId, ArrRef>,
    scalars: HashMap<ExpId, ExpRef>,
    /// The arrays that the scalar function being written captures.
    captures: Vec<ArrRef>,
    uses: Vec<UseId>,
}

impl<'a> Caller<'a> {
    fn new(session: &'a mut Session, call: Call) -> Self {
        Self {
            session,
            call,
            arrays: HashMap::new(),
            scalars: HashMap::new(),
            captures: vec![],
            uses: vec![],
        }
    }

    fn program(mut self, program: &Program<Labelled>, args: Vec<ArrRef>) -> Option<Vec<ArrRef>> {
        self.uses = self.uses_of(program);
        let params = program.params.iter().map(|param| param.name);
        self.arrays.extend(params.zip(args));
        self.block(&program.body)
    }

    /// The places of the program's host arrays, of which the columns of one array are added together.
    fn uses_of(&mut self, program: &Program<Labelled>) -> Vec<UseId> {
        let first = |n: u32| program.alike.uses.get(&n).copied().unwrap_or(n);
        let mut groups: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
        for n in 0..program.uses.len() {
            groups.entry(first(n as u32)).or_default().push(n);
        }
        let mut places = vec![UseId(0); program.uses.len()];
        for group in groups.into_values() {
            let columns = group.iter().map(|&n| program.uses[n].clone());
            let found = self.session.builder().add_uses(columns.collect());
            let found = group.into_iter().zip(found);
            found.for_each(|(n, id)| places[n] = id);
        }
        places
    }

    /// Where an operation of the program stands in the source.
    fn at(&self, loc: Loc, operation: &'static str) -> Call {
        let Call { loc: here, .. } = self.call;
        Call {
            operation,
            loc: if loc == Loc::UNKNOWN { here } else { loc },
        }
    }

    fn block(&mut self, block: &AccBlock<Labelled>) -> Option<Vec<ArrRef>> {
        for let_ in &block.lets {
            self.let_(let_)?;
        }
        self.args(&block.results)
    }

    fn let_(&mut self, AccLet { binds, op, loc }: &AccLet<Labelled>) -> Option<()> {
        let call = self.at(*loc, op.name());
        let op = self.op(call, op)?;
        let types = binds.iter().map(|bind| bind.ty).collect();
        let node = self.session.add_acc(call, op, types)?;
        for (output, bind) in (0..).zip(binds) {
            self.arrays.insert(bind.name, ArrRef { node, output });
        }
        Some(())
    }

    fn arg(&self, name: ArrId) -> Option<ArrRef> {
        self.arrays.get(&name).copied()
    }

    fn args(&self, names: &[ArrId]) -> Option<Vec<ArrRef>> {
        names.iter().map(|&name| self.arg(name)).collect()
    }

    fn op(&mut self, call: Call, op: &AccOp<Labelled>) -> Option<AccNodeOp> {
        Some(match op {
            AccOp::Use(UseId(n)) => AccNodeOp::Use(*self.uses.get(*n as usize)?),
            AccOp::Generate { shape, f } => AccNodeOp::Generate {
                shape: self.closed(shape)?,
                f: self.function(call, f)?,
            },
            AccOp::Map { f, args } => AccNodeOp::Map {
                f: self.function(call, f)?,
                args: self.args(args)?,
            },
            AccOp::Fold { f, init, args } => AccNodeOp::Fold {
                f: self.function(call, f)?,
                init: self.init(init)?,
                args: self.args(args)?,
            },
            AccOp::FoldSegments { .. } => self.segments(call, op)?,
            AccOp::Scan { .. } => self.scan(call, op)?,
            AccOp::Move { how, arg } => AccNodeOp::Move {
                how: self.moved(call, how)?,
                arg: self.arg(*arg)?,
            },
            AccOp::Permute { .. } => self.permute(call, op)?,
            AccOp::Unpack { args } => AccNodeOp::Unpack {
                args: self.args(args)?,
            },
            AccOp::Append { args } => AccNodeOp::Append {
                args: self.args(args)?,
            },
            AccOp::Argsort { order, arg } => AccNodeOp::Argsort {
                order: *order,
                arg: self.arg(*arg)?,
            },
            AccOp::Cond { cond, then_, else_ } => AccNodeOp::Cond {
                cond: self.number(cond)?,
                then_: self.block(then_)?,
                else_: self.block(else_)?,
            },
            AccOp::Derivative { .. } => self.derivative(call, op)?,
            AccOp::Custom {
                values,
                rules,
                args,
            } => AccNodeOp::Custom {
                values: *values,
                rules: self.rules(call, rules)?,
                args: self.args(args)?,
            },
            AccOp::Loop { .. } => self.loop_(call, op)?,
        })
    }

    fn scan(&mut self, call: Call, op: &AccOp<Labelled>) -> Option<AccNodeOp> {
        let AccOp::Scan {
            direction,
            f,
            init,
            args,
        } = op
        else {
            return None;
        };
        Some(AccNodeOp::Scan {
            direction: *direction,
            f: self.function(call, f)?,
            init: self.init(init)?,
            args: self.args(args)?,
        })
    }

    fn segments(&mut self, call: Call, op: &AccOp<Labelled>) -> Option<AccNodeOp> {
        let AccOp::FoldSegments {
            f,
            init,
            lengths,
            args,
        } = op
        else {
            return None;
        };
        Some(AccNodeOp::FoldSegments {
            f: self.function(call, f)?,
            init: self.closed(init)?,
            lengths: self.arg(*lengths)?,
            args: self.args(args)?,
        })
    }

    fn derivative(&mut self, call: Call, op: &AccOp<Labelled>) -> Option<AccNodeOp> {
        let AccOp::Derivative {
            mode,
            params,
            body,
            args,
        } = op
        else {
            return None;
        };
        Some(AccNodeOp::Derivative {
            mode: *mode,
            f: self.lambda(call, (params, body))?,
            args: self.args(args)?,
        })
    }

    fn permute(&mut self, call: Call, op: &AccOp<Labelled>) -> Option<AccNodeOp> {
        let AccOp::Permute {
            combine,
            outside: Outside::Fails,
            defaults,
            target,
            args,
        } = op
        else {
            let problem = "a `permute` that leaves out what goes nowhere cannot be called";
            return self.session.misuse(self.call, problem);
        };
        Some(AccNodeOp::Permute {
            combine: *combine,
            defaults: self.args(defaults)?,
            target: self.function(call, target)?,
            args: self.args(args)?,
        })
    }

    fn loop_(&mut self, call: Call, op: &AccOp<Labelled>) -> Option<AccNodeOp> {
        let AccOp::Loop {
            trips,
            test,
            step,
            states,
            args,
        } = op
        else {
            return None;
        };
        let trips = self.number(trips)?;
        let test = match test {
            Some(test) => Some(self.closure(call, test)?),
            None => None,
        };
        Some(AccNodeOp::Loop {
            trips,
            test,
            step: self.closure(call, step)?,
            states: match states {
                States::Stored => States::Stored,
                States::Checkpoints(slots) => States::Checkpoints(*slots),
                States::Inverse(inverse) => States::Inverse(self.closure(call, inverse)?),
                States::Closed => States::Closed,
            },
            args: self.args(args)?,
        })
    }

    fn rules(
        &mut self,
        call: Call,
        rules: &Rules<AccClosure<Labelled>>,
    ) -> Option<Rules<AccLambda>> {
        Some(match rules {
            Rules::Jvp(jvp) => Rules::Jvp(self.closure(call, jvp)?),
            Rules::Vjp(vjp) => Rules::Vjp(self.closure(call, vjp)?),
            Rules::Both { jvp, vjp } => Rules::Both {
                jvp: self.closure(call, jvp)?,
                vjp: self.closure(call, vjp)?,
            },
        })
    }

    fn moved(
        &mut self,
        call: Call,
        how: &Move<Fun<Labelled>>,
    ) -> Option<Move<Vec<ExpRef>, ExpLambda>> {
        let code = |caller: &mut &mut Self, code: &Fun<Labelled>| caller.closed(code).ok_or(());
        let index = |caller: &mut &mut Self, f: &Fun<Labelled>| caller.function(call, f).ok_or(());
        how.try_map(&mut &mut *self, code, index).ok()
    }

    fn closure(
        &mut self,
        call: Call,
        AccClosure { params, body }: &AccClosure<Labelled>,
    ) -> Option<AccLambda> {
        self.lambda(call, (params, body))
    }

    fn lambda(
        &mut self,
        call: Call,
        (binds, body): (&[ArrBind<Labelled>], &AccBlock<Labelled>),
    ) -> Option<AccLambda> {
        let params: Vec<ArrayType> = binds.iter().map(|bind| bind.ty).collect();
        let (binder, refs) = self.session.open_accs(call, &params);
        let names = binds.iter().map(|bind| bind.name);
        self.arrays.extend(names.zip(refs));
        let results = self.block(body);
        self.session.close(binder);
        Some(AccLambda {
            binder,
            params,
            results: results?,
        })
    }

    fn init(&mut self, init: &Option<Fun<Labelled>>) -> Option<Option<Vec<ExpRef>>> {
        match init {
            Some(init) => Some(Some(self.closed(init)?)),
            None => Some(None),
        }
    }

    /// The only result of a function without parameters.
    fn number(&mut self, f: &Fun<Labelled>) -> Option<ExpRef> {
        self.closed(f)?.first().copied()
    }

    /// The results of a function without parameters.
    fn closed(&mut self, f: &Fun<Labelled>) -> Option<Vec<ExpRef>> {
        self.captures = self.args(&f.captures)?;
        self.code(&f.body)
    }

    fn function(&mut self, call: Call, f: &Fun<Labelled>) -> Option<ExpLambda> {
        self.captures = self.args(&f.captures)?;
        self.exp_lambda(call, (&f.params, &f.body))
    }

    fn exp_closure(
        &mut self,
        call: Call,
        ExpClosure { params, body }: &ExpClosure<Labelled>,
    ) -> Option<ExpLambda> {
        self.exp_lambda(call, (params, body))
    }

    fn exp_lambda(
        &mut self,
        call: Call,
        (binds, body): (&[ExpBind<Labelled>], &ExpBlock<Labelled>),
    ) -> Option<ExpLambda> {
        let params: Vec<ScalarType> = binds.iter().map(|bind| bind.ty).collect();
        let (binder, refs) = self.session.open_exps(call, &params);
        let names = binds.iter().map(|bind| bind.name);
        self.scalars.extend(names.zip(refs));
        let results = self.code(body);
        self.session.close(binder);
        Some(ExpLambda {
            binder,
            params,
            results: results?,
        })
    }

    fn code(&mut self, block: &ExpBlock<Labelled>) -> Option<Vec<ExpRef>> {
        for let_ in &block.lets {
            self.exp_let(let_)?;
        }
        self.operands(&block.results)
    }

    fn exp_let(&mut self, ExpLet { binds, op, loc }: &ExpLet<Labelled>) -> Option<()> {
        let call = self.at(*loc, "call");
        let op = self.exp_op(call, op)?;
        let types = binds.iter().map(|bind| bind.ty).collect();
        let node = self.session.add_exp(call, op, types);
        for (output, bind) in (0..).zip(binds) {
            self.scalars.insert(bind.name, ExpRef { node, output });
        }
        Some(())
    }

    fn operand(&self, name: ExpId) -> Option<ExpRef> {
        self.scalars.get(&name).copied()
    }

    fn operands(&self, names: &[ExpId]) -> Option<Vec<ExpRef>> {
        names.iter().map(|&name| self.operand(name)).collect()
    }

    fn captured(&self, Slot(n): Slot) -> Option<ArrRef> {
        self.captures.get(n as usize).copied()
    }

    fn exp_op(&mut self, call: Call, op: &ExpOp<Labelled>) -> Option<ExpNodeOp> {
        Some(match op {
            ExpOp::Const(value) => ExpNodeOp::Const(*value),
            ExpOp::Prim(prim, operands) => ExpNodeOp::Prim(*prim, self.operands(operands)?),
            ExpOp::Index { array, index } => ExpNodeOp::Index {
                array: self.captured(*array)?,
                index: self.operands(index)?,
            },
            ExpOp::Extent { array, axis } => ExpNodeOp::Extent {
                array: self.captured(*array)?,
                axis: *axis,
            },
            ExpOp::Cond { cond, then_, else_ } => ExpNodeOp::Cond {
                cond: self.operand(*cond)?,
                then_: self.code(then_)?,
                else_: self.code(else_)?,
            },
            ExpOp::Derivative {
                mode,
                params,
                body,
                args,
            } => ExpNodeOp::Derivative {
                mode: *mode,
                f: self.exp_lambda(call, (params, body))?,
                args: self.operands(args)?,
            },
            ExpOp::WithPartials(operands) => ExpNodeOp::WithPartials(self.operands(operands)?),
            ExpOp::Loop { test, step, args } => ExpNodeOp::Loop {
                test: match test {
                    Some(test) => Some(self.exp_closure(call, test)?),
                    None => None,
                },
                step: self.exp_closure(call, step)?,
                args: self.operands(args)?,
            },
        })
    }
}
