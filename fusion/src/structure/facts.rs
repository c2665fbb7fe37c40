//! What conditions say about differences of integers.
//!
//! A [`Fact`] bounds the difference of two [`Atom`]s, coordinates or values that nothing more is known of. Facts
//! are about integers without end, while the code computes in 32 bits: so a constant is only taken apart from
//! a value where wrapping around could not make a condition true that is false of the integers. A coordinate
//! is never negative.

use cotangent_core::algebra::Inequality;
use cotangent_core::constant::Const;
use cotangent_core::prim::Prim;
use cotangent_core::schedule::{Body, Op, ValueId};
use cotangent_core::types::ScalarType;

/// An integer of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Atom {
    /// A coordinate.
    Coord(u32),
    /// Any other value.
    Value(ValueId),
}

/// `above − below ≥ least`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Fact {
    pub above: Atom,
    pub below: Atom,
    pub least: i64,
}

/// All that holds; `None` for what never happens.
pub(super) type Facts = Option<Vec<Fact>>;

/// Both hold.
pub(super) fn both(x: Facts, y: Facts) -> Facts {
    let (mut all, y) = (x?, y?);
    for fact in y {
        match all.iter_mut().find(|known| same_atoms(known, &fact)) {
            Some(known) => known.least = known.least.max(fact.least),
            None => all.push(fact),
        }
    }
    Some(all)
}

/// One of both holds.
pub(super) fn either(x: Facts, y: Facts) -> Facts {
    let (Some(x), Some(y)) = (&x, &y) else {
        return x.or(y);
    };
    let in_both = |fact: &Fact| {
        let other = y.iter().find(|other| same_atoms(other, fact))?;
        let least = fact.least.min(other.least);
        Some(Fact { least, ..*fact })
    };
    Some(x.iter().filter_map(in_both).collect())
}

fn same_atoms(x: &Fact, y: &Fact) -> bool {
    (x.above, x.below) == (y.above, y.below)
}

/// An atom, if it is one, plus a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Position {
    pub atom: Atom,
    pub plus: i64,
}

/// A value as an atom plus a constant, where it is written like that; in wrapping arithmetic.
pub(super) fn position(body: &Body, value: ValueId) -> Position {
    let mut position = Position {
        atom: Atom::Value(value),
        plus: 0,
    };
    let mut at = value;
    while let Some((next, plus)) = shifted(body, at) {
        at = next;
        position.plus += plus;
        position.atom = Atom::Value(at);
    }
    if let Some(axis) = body.op(at).as_coord() {
        position.atom = Atom::Coord(axis);
    }
    position
}

/// What a value is the sum of: another one and a constant.
fn shifted(body: &Body, value: ValueId) -> Option<(ValueId, i64)> {
    let op = body.op(value);
    if let Some(&[x, y]) = op.operands_of(Prim::Sub) {
        return Some((x, -int(body, y)?));
    }
    let &[x, y] = op.operands_of(Prim::Add)?;
    let by_first = || int(body, x).map(|c| (y, c));
    int(body, y).map(|c| (x, c)).or_else(by_first)
}

fn int(body: &Body, value: ValueId) -> Option<i64> {
    body.op(value).as_const()?.as_i32().map(Into::into)
}

/// What holds where a `bool` has a value.
pub(super) fn facts(body: &Body, cond: ValueId, outcome: bool) -> Facts {
    let op = body.op(cond);
    let joined = |[x, y]: [ValueId; 2], all: bool| {
        let (x, y) = (facts(body, x, outcome), facts(body, y, outcome));
        if all { both(x, y) } else { either(x, y) }
    };
    if op.as_const() == Some(Const::Bool(!outcome)) {
        None
    } else if let Some(&[x]) = op.operands_of(Prim::Not) {
        facts(body, x, !outcome)
    } else if let Some(&operands) = op.operands_of(Prim::And) {
        joined(operands, outcome)
    } else if let Some(&operands) = op.operands_of(Prim::Or) {
        joined(operands, !outcome)
    } else {
        Some(comparison(body, op, outcome))
    }
}

/// What the outcome of a comparison says; nothing, if it is not one of integers.
fn comparison(body: &Body, op: &Op, outcome: bool) -> Vec<Fact> {
    let are_integers = |x: ValueId| body.type_of(x) == ScalarType::I32;
    let known = op.as_prim().and_then(Inequality::of);
    let known = known.filter(|known| are_integers(known.small));
    if let Some(known) = known {
        let known = if outcome { known } else { known.negated() };
        let least = i64::from(known.is_strict);
        return differ(body, known.large, known.small, least).unwrap_or_default();
    }
    let equality = if outcome { Prim::Eq } else { Prim::Ne };
    match op.operands_of(equality) {
        Some(&[x, y]) if are_integers(x) => {
            let both_ways = [differ(body, x, y, 0), differ(body, y, x, 0)];
            both_ways.into_iter().flatten().flatten().collect()
        }
        Some(_) | None => vec![],
    }
}

/// What `above − below ≥ least` says.
fn differ(body: &Body, above: ValueId, below: ValueId, least: i64) -> Option<Vec<Fact>> {
    if let Some(bound) = int(body, below) {
        return Some(at_least(body, above, bound + least));
    }
    if let Some(bound) = int(body, above) {
        return Some(at_most(body, below, bound - least));
    }
    let (above, below) = (position(body, above), position(body, below));
    // Wrapped around, the greater side is smaller than the integer, and the lesser side greater; a coordinate
    // less a constant does not wrap around.
    let in_range = above.plus >= i32::MIN.into();
    let rises = above.plus >= 0 || (in_range && matches!(above.atom, Atom::Coord(_)));
    let is_sound = rises && below.plus <= 0;
    is_sound.then(|| {
        vec![Fact {
            above: above.atom,
            below: below.atom,
            least: least - above.plus + below.plus,
        }]
    })
}

/// What `value ≥ bound` says: something, if the value is a difference of coordinates.
fn at_least(body: &Body, value: ValueId, bound: i64) -> Vec<Fact> {
    match difference(body, value) {
        Some((above, below)) => vec![Fact {
            above,
            below,
            least: bound,
        }],
        None => vec![],
    }
}

/// What `value ≤ bound` says: something, if the value is a difference of coordinates, or the size of one.
fn at_most(body: &Body, value: ValueId, bound: i64) -> Vec<Fact> {
    let least = -bound;
    if let Some((x, y)) = difference(body, value) {
        let (above, below) = (y, x);
        return vec![Fact {
            above,
            below,
            least,
        }];
    }
    let size = body.op(value).operands_of(Prim::Abs);
    let size = size.and_then(|&[x]| difference(body, x));
    let ways = size.into_iter().flat_map(|(x, y)| [(x, y), (y, x)]);
    ways.map(|(above, below)| Fact {
        above,
        below,
        least,
    })
    .collect()
}

/// The coordinates that a value is the difference of.
fn difference(body: &Body, value: ValueId) -> Option<(Atom, Atom)> {
    let coord = |v: ValueId| body.op(v).as_coord().map(Atom::Coord);
    let &[x, y] = body.op(value).operands_of(Prim::Sub)?;
    Some((coord(x)?, coord(y)?))
}
