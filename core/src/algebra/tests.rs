//! Every rule gives the value that the primitive has: random code, of special literals and of arguments that stand for them.

use super::{ScalarCode, in_order, result_type, simplify};
use crate::constant::Const;
use crate::integer_type;
use crate::prim::{ALL, Prim};
use crate::schedule::{Body, Op, ValueId};
use crate::types::ScalarType;
use std::collections::BTreeSet;

/// Code of which nothing is known but literals.
#[derive(Default)]
struct Plain {
    body: Body,
    fired: BTreeSet<&'static str>,
}

impl ScalarCode for Plain {
    type Value = ValueId;

    fn type_of(&self, x: ValueId) -> ScalarType {
        self.body.type_of(x)
    }

    fn constant_of(&self, x: ValueId) -> Option<Const> {
        self.body.op(x).as_const()
    }

    fn prim_of(&self, x: ValueId) -> Option<(Prim, &[ValueId])> {
        self.body.op(x).as_prim()
    }

    fn constant(&mut self, value: Const) -> ValueId {
        self.number(Op::Const(value), value.scalar_type())
    }

    fn prim(&mut self, op: Prim, operands: &[ValueId]) -> ValueId {
        let operands = in_order(self, op, operands);
        let ty = result_type(self, op, &operands);
        let simple = simplify(self, op, &operands);
        simple.unwrap_or_else(|| self.number(Op::Prim(op, operands), ty))
    }

    fn fire(&mut self, rule: &'static str) {
        self.fired.insert(rule);
    }
}

impl Plain {
    fn number(&mut self, op: Op, ty: ScalarType) -> ValueId {
        let known = self.body.iter().find(|(_, inst)| inst.op == op);
        let known = known.map(|(v, _)| v);
        known.unwrap_or_else(|| self.body.push(op, ty))
    }

    /// The value of `x` where the arguments are these.
    fn value(&self, x: ValueId, args: &[Const]) -> Const {
        match self.body.op(x) {
            Op::Const(value) => *value,
            Op::Arg(n) => args[*n as usize],
            Op::Prim(op, operands) => {
                let operands: Vec<_> = operands.iter().map(|&v| self.value(v, args)).collect();
                op.eval(&operands).unwrap()
            }
            op => panic!("nothing makes {op:?}"),
        }
    }
}

/// Numbers at which rules go wrong, if they do.
fn special(ty: ScalarType) -> Vec<Const> {
    let small = [-2, -1, 0, 1, 2, 32].map(|i| Const::small(ty, i));
    let floats = [
        -0.0,
        0.5,
        f64::NAN,
        f64::INFINITY,
        f64::NEG_INFINITY,
        1e-300,
    ];
    let more = match ty {
        ScalarType::Bool => return vec![Const::Bool(false), Const::Bool(true)],
        integer_type!() => ends(ty),
        ScalarType::F16 | ScalarType::F32 | ScalarType::F64 => {
            floats.map(|x| Const::float(ty, x)).to_vec()
        }
    };
    small.into_iter().chain(more).collect()
}

/// The least and the greatest signed integer of as many digits: of what has no sign, those next to the middle.
fn ends(ty: ScalarType) -> Vec<Const> {
    let middle = 1 << (8 * ty.bytes() - 1);
    vec![Const::integer(ty, middle), Const::integer(ty, middle - 1)]
}

/// The same bits, or both NaN.
fn is_same(x: Const, y: Const) -> bool {
    let are_nan = x.as_f64().is_some_and(f64::is_nan) && y.as_f64().is_some_and(f64::is_nan);
    x == y || are_nan
}

/// A generator of numbers that is as random as this takes.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1);
        (self.0 >> 33) as usize % n
    }

    fn of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())]
    }
}

const TYPES: [ScalarType; 12] = ScalarType::ALL;

/// How many pieces of code are made, of how many operations, and with how many arguments each is run.
const CASES: usize = 20_000;
const OPERATIONS: usize = 12;
const RUNS: usize = 4;

/// Makes one piece of code and compares it with what the primitives give.
fn check(dice: &mut Dice, fired: &mut BTreeSet<&'static str>) {
    let ty = dice.of(&TYPES);
    let (numbers, bools) = (special(ty), special(ScalarType::Bool));
    let mut code = Plain::default();
    let types = [ty, ty, ScalarType::Bool, ScalarType::Bool];
    let args = types.iter().enumerate();
    let mut values: Vec<_> = args
        .map(|(n, &ty)| code.number(Op::Arg(n as u32), ty))
        .collect();
    for _ in 0..3 {
        values.push(code.constant(dice.of(&numbers)));
    }
    let runs: Vec<Vec<Const>> = (0..RUNS)
        .map(|_| {
            let of = |ty| {
                if ty == ScalarType::Bool {
                    &bools
                } else {
                    &numbers
                }
            };
            types.iter().map(|&ty| dice.of(of(ty))).collect()
        })
        .collect();
    for _ in 0..OPERATIONS {
        let op = dice.of(&ALL);
        let operands: Vec<_> = (0..op.arity()).map(|_| dice.of(&values)).collect();
        let types: Vec<_> = operands.iter().map(|&x| code.type_of(x)).collect();
        if op.result_type(&types).is_none() {
            continue;
        }
        let made = code.prim(op, &operands);
        for args in &runs {
            let of: Vec<_> = operands.iter().map(|&x| code.value(x, args)).collect();
            let (expected, found) = (op.eval(&of).unwrap(), code.value(made, args));
            assert!(
                is_same(expected, found),
                "{op} of {of:?}: {found:?}, {:?}",
                code.body
            );
        }
        values.push(made);
    }
    fired.append(&mut code.fired);
}

#[test]
fn rules_are_exact() {
    let (mut dice, mut fired) = (Dice(1), BTreeSet::new());
    for _ in 0..CASES {
        check(&mut dice, &mut fired);
    }
    // Those that take what no literal says are left to whoever says it.
    assert!(fired.len() >= 40, "{} rules fired: {fired:?}", fired.len());
}
