//! Random graphs: the recovered function, run in order and strictly, has the value that the graph has by
//! need, and fails exactly where that does.

use super::graphs::{B, F, Graphs, I, compile, floats};
use crate::constant::Const;
use crate::graph::{ArrRef, Binder, ExpLambda, ExpNodeOp, ExpRef, Graph};
use crate::label::label;
use crate::prim::Prim::{Add, Convert, Gt, Mul, Sub};
use crate::term::{DeBruijn, ExpBlock, ExpClosure, ExpId, ExpLet, ExpOp, Labelled, Mode, Program};
use crate::types::ScalarType;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The elements of the array that random functions index.
const ELEMENTS: [f64; 3] = [1.5, -1.0, 2.0];

struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 20) as usize % bound
    }
}

/// Makes nodes that depend on parameters in scope only.
struct Generator {
    random: Random,
    array: ArrRef,
    open: BTreeSet<Binder>,
    /// The nodes made so far and the binders they depend on.
    nodes: Vec<(ExpRef, BTreeSet<Binder>)>,
}

impl Generator {
    fn pick(&mut self, g: &Graphs, ty: ScalarType) -> (ExpRef, BTreeSet<Binder>) {
        let fits = |(x, binders): &&(ExpRef, BTreeSet<Binder>)| {
            g.type_of(*x) == ty && binders.is_subset(&self.open)
        };
        let fitting: Vec<_> = self.nodes.iter().filter(fits).collect();
        // Prefer late nodes, for depth.
        let back = self
            .random
            .below(fitting.len())
            .min(self.random.below(fitting.len()));
        fitting[fitting.len() - 1 - back].clone()
    }

    fn picks(&mut self, g: &Graphs, types: &[ScalarType]) -> (Vec<ExpRef>, BTreeSet<Binder>) {
        let picked: Vec<_> = types.iter().map(|&ty| self.pick(g, ty)).collect();
        let binders = picked.iter().flat_map(|(_, b)| b).copied().collect();
        (picked.into_iter().map(|(x, _)| x).collect(), binders)
    }

    fn grow(&mut self, g: &mut Graphs, depth: usize) {
        let kind = self.random.below(if depth < 2 { 14 } else { 11 });
        let (x, binders) = match kind {
            0..=1 => {
                let (x, binders) = self.picks(g, &[F, F]);
                (g.prim([Add, Mul, Sub][self.random.below(3)], &x), binders)
            }
            2 => {
                let (x, binders) = self.picks(g, &[F, F]);
                (g.prim(Gt, &x), binders)
            }
            3..=6 => {
                let (x, binders) = self.picks(g, &[F]);
                let i = g.prim(Convert(I), &x);
                (g.index(self.array, &[i]), binders)
            }
            7..=10 => {
                let (x, binders) = self.picks(g, &[B, F, F]);
                (g.cond(x[0], x[1], x[2]), binders)
            }
            11 => self.gradient(g, depth),
            _ => self.loop_(g, depth),
        };
        self.nodes.push((x, binders));
    }

    /// A function with one result, and what its body depends on but for its parameters.
    fn lambda(
        &mut self,
        g: &mut Graphs,
        (construct, params, result): (&'static str, &[ScalarType], ScalarType),
        depth: usize,
    ) -> (ExpLambda, BTreeSet<Binder>) {
        let mut binders = BTreeSet::new();
        let f = g.lambda(construct, params, |g, own| {
            let ExpNodeOp::Param { binder, .. } = g.graph.exps[own[0].node as usize].op else {
                panic!("a parameter")
            };
            self.open.insert(binder);
            let params = own.iter().map(|&x| (x, BTreeSet::from([binder])));
            self.nodes.extend(params);
            for _ in 0..1 + self.random.below(5) {
                self.grow(g, depth + 1);
            }
            let (results, body) = self.picks(g, &[result]);
            binders = body;
            results
        });
        self.open.remove(&f.binder);
        binders.remove(&f.binder);
        (f, binders)
    }

    /// A loop of at most two trips.
    fn loop_(&mut self, g: &mut Graphs, depth: usize) -> (ExpRef, BTreeSet<Binder>) {
        let (mut args, mut binders) = self.picks(g, &[F]);
        args.insert(0, g.constant(self.random.below(4) as i32 - 1));
        let mut test = None;
        if self.random.below(2) == 0 {
            let (f, free) = self.lambda(g, ("while_", &[I, F], B), depth);
            test = Some(f);
            binders.extend(free);
        }
        let (step, free) = self.lambda(g, ("iterate", &[I, F], F), depth);
        binders.extend(free);
        let op = ExpNodeOp::Loop { test, step, args };
        (g.exps(op, &[I, F])[1], binders)
    }

    fn gradient(&mut self, g: &mut Graphs, depth: usize) -> (ExpRef, BTreeSet<Binder>) {
        let (args, mut binders) = self.picks(g, &[F]);
        let (f, free) = self.lambda(g, ("gradient_e", &[F], F), depth);
        binders.extend(free);
        let with_value = true;
        let op = ExpNodeOp::Derivative {
            mode: Mode::Gradient { with_value },
            f,
            args,
        };
        (g.exps(op, &[F, F])[self.random.below(2)], binders)
    }
}

/// Some function of a body's value in place of its derivative: what matters is that the body is run.
fn in_place_of_gradient(value: Const) -> Vec<Const> {
    vec![value, Mul.eval(&[value, Const::F64(0.5)]).unwrap()]
}

fn element(index: Const) -> Option<Const> {
    let Const::I32(index) = index else {
        panic!("an i32")
    };
    let element = ELEMENTS.get(usize::try_from(index).ok()?)?;
    Some(Const::F64(*element))
}

/// The arguments of functions.
type Env = BTreeMap<Binder, Vec<Const>>;

/// The value of a node by need; none where it fails.
fn by_need(graph: &Graph, env: &Env, x: ExpRef) -> Option<Const> {
    let all = |xs: &[ExpRef]| -> Option<Vec<Const>> {
        xs.iter().map(|&x| by_need(graph, env, x)).collect()
    };
    match &graph.exps[x.node as usize].op {
        ExpNodeOp::Const(value) => Some(*value),
        ExpNodeOp::Param { binder, position } => Some(env[binder][*position as usize]),
        ExpNodeOp::Prim(prim, operands) => prim.eval(&all(operands)?),
        ExpNodeOp::Index { index, .. } => element(all(index)?[0]),
        ExpNodeOp::Extent { .. } => panic!("not generated"),
        ExpNodeOp::Cond { cond, then_, else_ } => match by_need(graph, env, *cond)? {
            Const::Bool(true) => by_need(graph, env, then_[0]),
            _ => by_need(graph, env, else_[0]),
        },
        ExpNodeOp::WithPartials(_) => panic!("not generated"),
        ExpNodeOp::Derivative { f, args, .. } => {
            let mut env = env.clone();
            env.insert(f.binder, all(args)?);
            let value = by_need(graph, &env, f.results[0])?;
            Some(in_place_of_gradient(value)[x.output as usize])
        }
        ExpNodeOp::Loop { test, step, args } => {
            let call = |f: &ExpLambda, args: &[Const]| {
                let mut env = env.clone();
                env.insert(f.binder, args.to_vec());
                by_need(graph, &env, f.results[0])
            };
            let test = test.as_ref();
            let test = test.map(|test| |args: &[Const]| call(test, args));
            Some(by_loop(all(args)?, test, |args| call(step, args))?[x.output as usize])
        }
    }
}

/// The results of a loop.
fn by_loop(
    mut state: Vec<Const>,
    mut test: Option<impl FnMut(&[Const]) -> Option<Const>>,
    mut step: impl FnMut(&[Const]) -> Option<Const>,
) -> Option<Vec<Const>> {
    let trips = state[0].as_i32()?;
    state[0] = Const::I32(0);
    for trip in 0..trips {
        if let Some(test) = &mut test
            && test(&state)? != Const::Bool(true)
        {
            break;
        }
        state = vec![Const::I32(trip + 1), step(&state)?];
    }
    Some(state)
}

/// A strict evaluator that also counts the uses of each variable.
#[derive(Default)]
struct Strict {
    values: HashMap<ExpId, Const>,
    used: BTreeSet<ExpId>,
}

impl Strict {
    fn get(&self, x: ExpId) -> Const {
        self.values[&x]
    }

    fn block(&mut self, block: &ExpBlock<Labelled>) -> Option<Vec<Const>> {
        for ExpLet { binds, op, .. } in &block.lets {
            for (bind, value) in binds.iter().zip(self.op(op)?) {
                self.values.insert(bind.name, value);
            }
        }
        Some(block.results.iter().map(|&x| self.get(x)).collect())
    }

    fn op(&mut self, op: &ExpOp<Labelled>) -> Option<Vec<Const>> {
        let operands: Vec<_> = op.operands().iter().map(|&x| self.get(x)).collect();
        match op {
            ExpOp::Const(value) => Some(vec![*value]),
            ExpOp::Prim(prim, _) => Some(vec![prim.eval(&operands)?]),
            ExpOp::Index { .. } => Some(vec![element(operands[0])?]),
            ExpOp::Extent { .. } => panic!("not generated"),
            ExpOp::Cond { then_, else_, .. } => match operands[0] {
                Const::Bool(true) => self.block(then_),
                _ => self.block(else_),
            },
            ExpOp::WithPartials(_) => panic!("not generated"),
            ExpOp::Derivative { params, body, .. } => {
                self.values.insert(params[0].name, operands[0]);
                Some(in_place_of_gradient(self.block(body)?[0]))
            }
            ExpOp::Loop { test, step, .. } => {
                let this = RefCell::new(self);
                let call = |f: &ExpClosure<Labelled>, args: &[Const]| {
                    let this = &mut *this.borrow_mut();
                    let params = f.params.iter().map(|p| p.name);
                    this.values.extend(params.zip(args.iter().copied()));
                    Some(this.block(&f.body)?[0])
                };
                let test = test.as_ref();
                let test = test.map(|test| |args: &[Const]| call(test, args));
                by_loop(operands, test, |args| call(step, args))
            }
        }
    }

    /// Notes all uses; gives the lets nothing of which is used.
    fn unused(&mut self, block: &ExpBlock<Labelled>) -> usize {
        self.used.extend(&block.results);
        let mut unused = 0;
        for ExpLet { binds, op, .. } in block.lets.iter().rev() {
            unused += usize::from(binds.iter().all(|bind| !self.used.contains(&bind.name)));
            self.used.extend(op.operands());
            unused += op
                .blocks()
                .iter()
                .map(|inner| self.unused(inner.block))
                .sum::<usize>();
        }
        unused
    }
}

/// A program with a random function.
pub(crate) fn program(seed: u64) -> Program<DeBruijn> {
    with_value(seed).0
}

/// The same, with the function's value at 1 by need.
fn with_value(seed: u64) -> (Program<DeBruijn>, Option<Const>) {
    let mut expected = None;
    let program = compile(&[floats(1)], |g, a| {
        vec![g.map(a[0], |g, x| {
            let binder = Binder(g.graph.binders.len() as u32 - 1);
            let bool_ = g.constant(true);
            let mut generator = Generator {
                random: Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1),
                array: a[0],
                open: BTreeSet::from([binder]),
                nodes: vec![(bool_, BTreeSet::new()), (x, BTreeSet::from([binder]))],
            };
            for _ in 0..25 {
                generator.grow(g, 0);
            }
            let result = generator.pick(g, F).0;
            let env = BTreeMap::from([(binder, vec![Const::F64(1.0)])]);
            expected = by_need(&g.graph, &env, result);
            result
        })]
    });
    (program.unwrap(), expected)
}

/// The value of a random function at 1, by need and strictly.
fn run(seed: u64) -> (Option<Const>, Option<Const>) {
    let (program, expected) = with_value(seed);
    let program = label(&program);
    let Some(operation) = program.body.lets.first() else {
        panic!("a map")
    };
    let f = operation.op.funs()[0];
    let mut strict = Strict::default();
    assert_eq!(strict.unused(&f.body), 0, "{program}");
    strict.values.insert(f.params[0].name, Const::F64(1.0));
    let value = strict.block(&f.body).map(|values| values[0]);
    assert_eq!(value, expected, "seed {seed}:\n{program}");
    (expected, value)
}

#[test]
fn guards_hold_and_values_are_kept() {
    let mut failures = 0;
    for seed in 1..=5000 {
        failures += usize::from(run(seed).0.is_none());
    }
    assert!((500..4500).contains(&failures), "{failures} fail");
}

/// Two copies of a gradient whose body needs, for certain and in a branch, what depends on its parameter:
/// anticipation once moved that out of both bodies.
#[test]
fn anticipation_stays_within_the_scope_of_parameters() {
    let (expected, value) = run(116_518);
    assert_eq!(value, expected);
}
