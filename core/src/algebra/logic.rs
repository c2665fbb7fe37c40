//! Rules for truth values, comparisons and selections.

use super::{Inequality, ScalarCode};
use crate::constant::Const;
use crate::integer_type;
use crate::prim::Prim;
use crate::types::ScalarType;

pub(super) fn not<C: ScalarCode>(r: &mut C, x: C::Value) -> Option<C::Value> {
    if let Some(y) = r.unary(x, Prim::Not) {
        return r.fired("not_not", y);
    }
    let (op, operands) = r.prim_of(x)?;
    let &[a, b] = operands else {
        return None;
    };
    let opposite = op.opposite(r.type_of(a))?;
    r.becomes("not_comparison", opposite, &[a, b])
}

/// `or`, and its dual `and`: `dominant` is the value that decides alone.
pub(super) fn junction<C: ScalarCode>(
    r: &mut C,
    x: C::Value,
    y: C::Value,
    dominant: bool,
) -> Option<C::Value> {
    for (x, y) in [(x, y), (y, x)] {
        if r.is_constant(y, Const::Bool(dominant)) {
            return r.becomes_constant("bool_dominated", dominant);
        }
        if r.is_constant(y, Const::Bool(!dominant)) || x == y {
            return r.fired("bool_neutral", x);
        }
        if r.unary(x, Prim::Not) == Some(y) {
            return r.becomes_constant("bool_excluded_middle", dominant);
        }
        if r.implies(x, y) {
            return r.fired("bool_implied", if dominant { y } else { x });
        }
    }
    None
}

fn bool_equality<C: ScalarCode>(
    r: &mut C,
    equal: bool,
    x: C::Value,
    y: C::Value,
) -> Option<C::Value> {
    if x == y {
        return r.becomes_constant("compare_same", equal);
    }
    for (x, y) in [(x, y), (y, x)] {
        match r.constant_of(y) {
            Some(c) if c == Const::Bool(equal) => return r.fired("bool_equality", x),
            Some(_) => return r.becomes("bool_equality", Prim::Not, &[x]),
            None => {}
        }
    }
    None
}

pub(super) fn compare<C: ScalarCode>(
    r: &mut C,
    op: Prim,
    x: C::Value,
    y: C::Value,
) -> Option<C::Value> {
    if r.type_of(x) == ScalarType::Bool {
        return bool_equality(r, op == Prim::Eq, x, y);
    }
    if x == y {
        return compare_same(r, op, x);
    }
    if r.type_of(x).is_integer()
        && let Some(outcome) = decided(r, op, [x, y])
    {
        return r.becomes_constant("compare_known", outcome);
    }
    compare_selected(r, op, x, y)
}

/// A value compared with itself; a float may be NaN, which compares false but for `≠`.
fn compare_same<C: ScalarCode>(r: &mut C, op: Prim, x: C::Value) -> Option<C::Value> {
    let strict = matches!(op, Prim::Ne | Prim::Lt | Prim::Gt);
    if r.type_of(x).is_float() {
        if op == Prim::Ne {
            return r.becomes("compare_same", Prim::IsNan, &[x]);
        }
        if !strict {
            return None;
        }
    }
    r.becomes_constant("compare_same", !strict)
}

/// The outcome of a comparison of integers, by what is known of them.
fn decided<C: ScalarCode>(r: &mut C, op: Prim, [x, y]: [C::Value; 2]) -> Option<bool> {
    let Some(Inequality {
        small,
        large,
        is_strict,
    }) = Inequality::of((op, &[x, y]))
    else {
        let differ = r.is_less(x, y) || r.is_less(y, x);
        return differ.then_some(op == Prim::Ne);
    };
    let (holds, fails) = match is_strict {
        true => (r.is_less(small, large), r.is_at_most(large, small)),
        false => (r.is_at_most(small, large), r.is_less(large, small)),
    };
    (holds || fails).then_some(holds)
}

/// A comparison of a selection between literals with a literal is that selection between the outcomes.
fn compare_selected<C: ScalarCode>(
    r: &mut C,
    op: Prim,
    x: C::Value,
    y: C::Value,
) -> Option<C::Value> {
    let [c, then_, else_] = r.operands_of(x, Prim::Select)?;
    let bound = r.constant_of(y)?;
    let outcomes = [then_, else_].map(|z| op.eval(&[r.constant_of(z)?, bound]));
    let [Some(then_), Some(else_)] = outcomes else {
        return None;
    };
    let (then_, else_) = (r.constant(then_), r.constant(else_));
    r.becomes("compare_selected", Prim::Select, &[c, then_, else_])
}

pub(super) fn select<C: ScalarCode>(
    r: &mut C,
    c: C::Value,
    x: C::Value,
    y: C::Value,
) -> Option<C::Value> {
    if x == y {
        return r.fired("select_same", x);
    }
    if let Some(Const::Bool(c)) = r.constant_of(c) {
        return r.fired("select_constant", if c { x } else { y });
    }
    if let Some(c) = r.unary(c, Prim::Not) {
        return r.becomes("select_not", Prim::Select, &[c, y, x]);
    }
    if let Some([inner, then_, _]) = r.operands_of(x, Prim::Select)
        && inner == c
    {
        return r.becomes("select_select", Prim::Select, &[c, then_, y]);
    }
    if let Some([inner, _, else_]) = r.operands_of(y, Prim::Select)
        && inner == c
    {
        return r.becomes("select_select", Prim::Select, &[c, x, else_]);
    }
    if let Some(simple) = r.own_selection(c, x, y) {
        return Some(simple);
    }
    match r.type_of(x) {
        ScalarType::Bool => select_bool(r, c, x, y),
        integer_type!() | ScalarType::F16 | ScalarType::F32 | ScalarType::F64 => None,
    }
}

/// A selection between truth values, one of them a constant or the condition.
fn select_bool<C: ScalarCode>(
    r: &mut C,
    c: C::Value,
    x: C::Value,
    y: C::Value,
) -> Option<C::Value> {
    let truth = |r: &C, x| match r.constant_of(x) {
        Some(Const::Bool(b)) => Some(b),
        Some(_) | None => None,
    };
    let (then_, else_) = (truth(r, x), truth(r, y));
    match (then_, else_) {
        (Some(true), Some(false)) => r.fired("select_bool", c),
        (Some(true), _) => r.becomes("select_bool", Prim::Or, &[c, y]),
        (_, Some(false)) => r.becomes("select_bool", Prim::And, &[c, x]),
        (Some(false), Some(true)) => r.becomes("select_bool", Prim::Not, &[c]),
        (Some(false), _) => {
            let not = r.prim(Prim::Not, &[c]);
            r.becomes("select_bool", Prim::And, &[not, y])
        }
        (_, Some(true)) => {
            let not = r.prim(Prim::Not, &[c]);
            r.becomes("select_bool", Prim::Or, &[not, x])
        }
        (None, None) if x == c => r.becomes("select_bool", Prim::Or, &[c, y]),
        (None, None) if y == c => r.becomes("select_bool", Prim::And, &[c, x]),
        (None, None) => None,
    }
}
