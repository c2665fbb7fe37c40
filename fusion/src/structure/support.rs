//! Where values are zero: outside of their *support*.
//!
//! Sums are zero where both operands are, selects where the branch that they take is. A product of a zero and
//! an unknown number may not be a zero, but NaN.

use super::facts::{Atom, Fact, Facts, Position, both, either, facts, position};
use cotangent_core::prim::Prim;
use cotangent_core::schedule::{
    ArrayId, Body, Bound, Inst, Kernel, KernelKind, Layout, Load, Op, Output, Schedule, Semiring,
    Structure, ValueId,
};
use std::collections::BTreeMap;

/// The supports of the arrays that have any, about their dimensions.
pub(super) struct Supports(BTreeMap<ArrayId, Vec<Bound>>);

impl Supports {
    /// Of all arrays that one map alone writes.
    pub fn new(schedule: &Schedule) -> Self {
        let mut writers: BTreeMap<ArrayId, usize> = BTreeMap::new();
        for kernel in schedule.kernels() {
            for output in kernel.outputs() {
                *writers.entry(schedule.owner(output.array)).or_default() += 1;
            }
        }
        let mut supports = Self(BTreeMap::new());
        for kernel in schedule.kernels() {
            let KernelKind::Map { body, outputs } = &kernel.kind else {
                continue;
            };
            let of_values = supports.of_values(body);
            for &Output { value, array } in outputs {
                let is_own = schedule.arrays[array.index()].layout == Layout::Own;
                let bounds = bounds(&of_values[value.index()]);
                if is_own && writers[&array] == 1 && !bounds.is_empty() {
                    supports.0.insert(array, bounds);
                }
            }
        }
        supports
    }

    /// The supports of a contraction's factors, where zeros are those of products.
    pub fn structure(&self, kernel: &Kernel) -> Structure {
        let KernelKind::Contract {
            semiring: Semiring::PlusTimes,
            body,
            left,
            right,
            ..
        } = &kernel.kind
        else {
            return Structure::default();
        };
        let supports = self.of_values(body);
        let of = |factor: &ValueId| bounds(&supports[factor.index()]);
        Structure {
            left: of(left),
            right: of(right),
            needed: vec![],
        }
    }

    /// The support of each value of a body.
    fn of_values(&self, body: &Body) -> Vec<Facts> {
        let mut supports: Vec<Facts> = Vec::with_capacity(body.len());
        for (_, inst) in body.iter() {
            let support = match &inst.op {
                Op::Const(value) if value.is_zero() => None,
                Op::Prim(..) => of_prim(body, inst, &supports),
                Op::Load(load) => self.of_load(body, load),
                Op::Const(_) | Op::Symbol(_) | Op::Coord(_) | Op::Arg(_) => Some(vec![]),
                Op::Loop(_) | Op::Out(..) => Some(vec![]),
            };
            supports.push(support);
        }
        supports
    }

    fn of_load(&self, body: &Body, load: &Load) -> Facts {
        let of_array = self.0.get(&load.array).into_iter().flatten();
        let here = of_array.filter_map(|bound| at_index(body, load, bound));
        let guarded = load.guard.map_or(Some(vec![]), |g| facts(body, g, true));
        both(guarded, Some(here.collect()))
    }
}

fn of_prim(body: &Body, Inst { op, ty }: &Inst, supports: &[Facts]) -> Facts {
    let of = |v: ValueId| supports[v.index()].clone();
    if let Some(&[cond, x, y]) = op.operands_of(Prim::Select) {
        let taken = |outcome, v| both(facts(body, cond, outcome), of(v));
        return either(taken(true, x), taken(false, y));
    }
    let mut sums = [Prim::Add, Prim::Sub].into_iter();
    if let Some(&[x, y]) = sums.find_map(|prim| op.operands_of(prim)) {
        return either(of(x), of(y));
    }
    let mut keeping_zero = [Prim::Neg, Prim::Abs, Prim::Sqrt, Prim::Convert(*ty)].into_iter();
    match keeping_zero.find_map(|prim| op.operands_of(prim)) {
        Some(&[x]) => of(x),
        None => Some(vec![]),
    }
}

/// What a bound of an array's dimensions says about the coordinates that it is read at.
fn at_index(body: &Body, load: &Load, bound: &Bound) -> Option<Fact> {
    let at = |dim: u32| position(body, load.index[dim as usize]);
    let (above, below) = (at(bound.above), at(bound.below));
    // So near to a coordinate, what wraps around is negative, and no index.
    let is_near = |at: Position| matches!(at.atom, Atom::Coord(_)) && at.plus.abs() <= 1 << 30;
    (is_near(above) && is_near(below)).then(|| Fact {
        above: above.atom,
        below: below.atom,
        least: bound.least - above.plus + below.plus,
    })
}

/// The facts about coordinates. Nothing is said of what is zero everywhere.
fn bounds(facts: &Facts) -> Vec<Bound> {
    let bound = |fact: &Fact| match (fact.above, fact.below) {
        (Atom::Coord(above), Atom::Coord(below)) if above != below => {
            Some(Bound::new(above, below, fact.least))
        }
        (Atom::Coord(_) | Atom::Value(_), _) => None,
    };
    facts.iter().flatten().filter_map(bound).collect()
}
