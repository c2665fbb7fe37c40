//! Random graphs: the recovered function, run in order and strictly, has the value that the graph has by
//! need, and fails exactly where that does.

use super::graphs::{B, F, Graphs, I, compile, floats};
use crate::constant::Const;
use crate::graph::{ArrRef, Binder, ExpNodeOp, ExpRef, Graph};
use crate::label::label;
use crate::prim::Prim::{Add, Convert, Gt, Mul, Sub};
use crate::term::{ExpBlock, ExpId, ExpLet, ExpOp, Labelled};
use crate::types::ScalarType;
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
        let kind = self.random.below(if depth < 2 { 12 } else { 11 });
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
            _ => self.gradient(g, depth),
        };
        self.nodes.push((x, binders));
    }

    fn gradient(&mut self, g: &mut Graphs, depth: usize) -> (ExpRef, BTreeSet<Binder>) {
        let (args, mut binders) = self.picks(g, &[F]);
        let mut binder = Binder(0);
        let f = g.lambda("gradient_e", &[F], |g, t| {
            let ExpNodeOp::Param { binder: own, .. } = g.graph.exps[t[0].node as usize].op else {
                panic!("a parameter")
            };
            binder = own;
            self.open.insert(own);
            self.nodes.push((t[0], BTreeSet::from([own])));
            for _ in 0..1 + self.random.below(5) {
                self.grow(g, depth + 1);
            }
            let (results, body) = self.picks(g, &[F]);
            binders.extend(body);
            results
        });
        self.open.remove(&binder);
        binders.remove(&binder);
        let with_value = true;
        let op = ExpNodeOp::Gradient {
            with_value,
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

/// The value of a node by need; none where it fails.
fn by_need(graph: &Graph, env: &BTreeMap<Binder, Const>, x: ExpRef) -> Option<Const> {
    let all = |xs: &[ExpRef]| -> Option<Vec<Const>> {
        xs.iter().map(|&x| by_need(graph, env, x)).collect()
    };
    match &graph.exps[x.node as usize].op {
        ExpNodeOp::Const(value) => Some(*value),
        ExpNodeOp::Param { binder, .. } => Some(env[binder]),
        ExpNodeOp::Prim(prim, operands) => prim.eval(&all(operands)?),
        ExpNodeOp::Index { index, .. } => element(all(index)?[0]),
        ExpNodeOp::Extent { .. } => panic!("not generated"),
        ExpNodeOp::Cond { cond, then_, else_ } => match by_need(graph, env, *cond)? {
            Const::Bool(true) => by_need(graph, env, then_[0]),
            _ => by_need(graph, env, else_[0]),
        },
        ExpNodeOp::Gradient { f, args, .. } => {
            let mut env = env.clone();
            env.insert(f.binder, all(args)?[0]);
            let value = by_need(graph, &env, f.results[0])?;
            Some(in_place_of_gradient(value)[x.output as usize])
        }
    }
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
            ExpOp::Gradient { params, body, .. } => {
                self.values.insert(params[0].name, operands[0]);
                Some(in_place_of_gradient(self.block(body)?[0]))
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

/// The value of a random function at 1, by need and strictly.
fn run(seed: u64) -> (Option<Const>, Option<Const>) {
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
            let env = BTreeMap::from([(binder, Const::F64(1.0))]);
            expected = by_need(&g.graph, &env, result);
            result
        })]
    });
    let program = label(&program.unwrap());
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
