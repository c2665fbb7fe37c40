//! Random scalar functions of all primitives, with nested conditionals, keep their values.

use super::{combinations, fun_of, same, simplified};
use crate::build::FunBuilder;
use crate::constant::Const;
use crate::interp;
use crate::prim::ALL;
use crate::simplify::{RuleCounts, simplify_fun};
use crate::term::{ExpId, Fun, Labelled};
use crate::types::ScalarType::{self, Bool, F64, I32};

/// A linear congruential generator: tests that fail must fail again.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % n
    }

    fn pick<T: Copy>(&mut self, xs: &[T]) -> T {
        xs[self.below(xs.len())]
    }
}

fn literal(random: &mut Random, ty: ScalarType) -> Const {
    match ty {
        Bool => Const::Bool(random.below(2) == 0),
        other => Const::small(other, random.pick(&[0, 1, -1, 2, 3, 32])),
    }
}

/// A variable of type `ty` in scope, or a literal.
fn operand(b: &mut FunBuilder, random: &mut Random, scope: &[ExpId], ty: ScalarType) -> ExpId {
    let fits: Vec<_> = scope
        .iter()
        .copied()
        .filter(|&x| b.type_of(x) == ty)
        .collect();
    if fits.is_empty() || random.below(4) == 0 {
        let c = literal(random, ty);
        return b.constant(c);
    }
    // What was bound last is used most, so that little code is dead.
    random.pick(&fits[fits.len().saturating_sub(5)..])
}

/// Random operations; gives all variables in scope after them.
fn code(
    b: &mut FunBuilder,
    random: &mut Random,
    mut scope: Vec<ExpId>,
    depth: usize,
) -> Vec<ExpId> {
    for _ in 0..8 {
        let value = if depth > 0 && random.below(5) == 0 {
            let ty = random.pick(&ScalarType::ALL);
            let cond = operand(b, random, &scope, Bool);
            let mut branch = |b: &mut FunBuilder| {
                let inner = code(b, random, scope.clone(), depth - 1);
                vec![operand(b, random, &inner, ty)]
            };
            let (then_, else_) = (b.block(&mut branch), b.block(&mut branch));
            b.push(crate::term::ExpOp::Cond { cond, then_, else_ }, &[ty])[0]
        } else {
            primitive(b, random, &scope)
        };
        scope.push(value);
    }
    scope
}

fn primitive(b: &mut FunBuilder, random: &mut Random, scope: &[ExpId]) -> ExpId {
    loop {
        let (op, ty) = (random.pick(&ALL), random.pick(&ScalarType::ALL));
        let mut types = vec![ty; op.arity()];
        if op == crate::prim::Prim::Select {
            types[0] = Bool;
        }
        if op.result_type(&types).is_some() {
            let operands: Vec<_> = types
                .iter()
                .map(|&ty| operand(b, random, scope, ty))
                .collect();
            return b.prim(op, &operands);
        }
    }
}

/// A random function of a float, an integer and a truth value.
pub(crate) fn random_function(seed: u64) -> Fun<Labelled> {
    let mut random = Random(seed);
    fun_of(&[F64, I32, Bool], |b, params| {
        let scope = code(b, &mut random, params.to_vec(), 2);
        scope[scope.len() - 6..].to_vec()
    })
}

#[test]
fn random_functions_keep_their_values() {
    let (mut compared, mut all) = (0, RuleCounts::default());
    for seed in 0..400 {
        let before = random_function(seed);
        let (after, counts) = simplified(&before);
        all.merge(&counts);
        let inexact = ["add_zero", "pow_integer", "pow_minus_one"];
        if inexact.iter().any(|rule| counts.get(rule) > 0) {
            continue;
        }
        compared += 1;
        for args in combinations(&[F64, I32, Bool])
            .into_iter()
            .skip(seed as usize % 17)
            .step_by(17)
        {
            let expected = interp::eval_fun(&before, &[], &args).unwrap();
            let given = interp::eval_fun(&after, &[], &args).unwrap();
            let equal = expected.iter().zip(&given).all(|(&e, &g)| same(e, g));
            assert!(
                equal,
                "seed {seed} at {args:?}: {expected:?}, {given:?}\n{before}\n{after}"
            );
        }
    }
    assert!(compared > 200, "{compared} functions compared");
    assert!(all.iter().count() > 30, "few rules fired:\n{all}");
}

#[test]
fn random_functions_reach_a_fixed_point() {
    for seed in 0..400 {
        let mut fun = random_function(seed);
        let rounds = (0..super::super::MAX_PASSES).take_while(|_| {
            let mut counts = RuleCounts::default();
            fun = simplify_fun(fun.clone(), &mut counts);
            counts.total() > 0
        });
        assert!(
            rounds.count() < super::super::MAX_PASSES,
            "seed {seed}:\n{fun}"
        );
    }
}
