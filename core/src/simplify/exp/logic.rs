//! Rules for truth values, comparisons and selections.

use super::{Rewriter, tangent};
use crate::constant::Const;
use crate::prim::Prim;
use crate::term::{ExpId, ExpOp};
use crate::types::ScalarType;

pub(super) fn rules(r: &mut Rewriter<'_>, op: Prim, operands: &[ExpId]) -> Option<ExpId> {
    use Prim::*;
    let (x, y) = (*operands.first()?, *operands.last()?);
    match op {
        Not => not(r, x),
        And => junction(r, x, y, false),
        Or => junction(r, x, y, true),
        Eq | Ne if r.type_of(x) == ScalarType::Bool => bool_equality(r, op == Eq, x, y),
        Eq | Ne | Lt | Le | Gt | Ge => compare(r, op, x, y),
        Select => select(r, x, *operands.get(1)?, y),
        Neg | Abs | Signum | Sqrt | Exp | ExpM1 | Ln | Ln1p | Sin | Cos | Tan | Asin | Acos
        | Atan | Sinh | Cosh | Tanh | Asinh | Acosh | Atanh | Floor | Ceil | Round | Trunc
        | IsNan | IsInfinite | BitNot | Convert(_) | Add | Sub | Mul | Div | Quot | Rem
        | DivFloor | ModFloor | Pow | Atan2 | Max | Min | BitAnd | BitOr | BitXor | Shl | Shr => {
            None
        }
    }
}

fn not(r: &mut Rewriter<'_>, x: ExpId) -> Option<ExpId> {
    if let Some(y) = r.unary(x, Prim::Not) {
        return r.fired("not_not", y);
    }
    let (negated, operands) = match r.op_of(x)? {
        ExpOp::Prim(op, operands) => (op.negated()?, operands),
        ExpOp::Const(_)
        | ExpOp::Index { .. }
        | ExpOp::Extent { .. }
        | ExpOp::Cond { .. }
        | ExpOp::Derivative { .. }
        | ExpOp::WithPartials(_)
        | ExpOp::Loop { .. } => return None,
    };
    let &[a, b] = &operands[..] else {
        return None;
    };
    // Of a NaN, both an inequality and the opposite one are false.
    let exact = matches!(negated, Prim::Eq | Prim::Ne) || !r.type_of(a).is_float();
    exact.then(|| r.becomes("not_comparison", negated, &[a, b]))?
}

/// `or`, and its dual `and`: `dominant` is the value that decides alone.
fn junction(r: &mut Rewriter<'_>, x: ExpId, y: ExpId, dominant: bool) -> Option<ExpId> {
    for (x, y) in [(x, y), (y, x)] {
        if r.is_constant(y, Const::Bool(dominant)) {
            let decided = r.constant(Const::Bool(dominant));
            return r.fired("bool_dominated", decided);
        }
        if r.is_constant(y, Const::Bool(!dominant)) || x == y {
            return r.fired("bool_neutral", x);
        }
        if r.unary(x, Prim::Not) == Some(y) {
            let decided = r.constant(Const::Bool(dominant));
            return r.fired("bool_excluded_middle", decided);
        }
    }
    None
}

fn bool_equality(r: &mut Rewriter<'_>, equal: bool, x: ExpId, y: ExpId) -> Option<ExpId> {
    if x == y {
        let value = r.constant(Const::Bool(equal));
        return r.fired("compare_same", value);
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

/// A value compared with itself; a float may be NaN, which compares false but for `≠`.
fn compare(r: &mut Rewriter<'_>, op: Prim, x: ExpId, y: ExpId) -> Option<ExpId> {
    if x != y {
        return tangent::compare_selected(r, op, x, y);
    }
    let strict = matches!(op, Prim::Ne | Prim::Lt | Prim::Gt);
    if r.type_of(x).is_float() {
        if op == Prim::Ne {
            return r.becomes("compare_same", Prim::IsNan, &[x]);
        }
        if !strict {
            return None;
        }
    }
    let value = r.constant(Const::Bool(!strict));
    r.fired("compare_same", value)
}

fn select(r: &mut Rewriter<'_>, c: ExpId, x: ExpId, y: ExpId) -> Option<ExpId> {
    if x == y {
        return r.fired("select_same", x);
    }
    if let Some(Const::Bool(c)) = r.constant_of(c) {
        return r.fired("select_constant", if c { x } else { y });
    }
    if let Some(c) = r.unary(c, Prim::Not) {
        return r.becomes("select_not", Prim::Select, &[c, y, x]);
    }
    if let Some(&[inner, then_, _]) = r.operands_of(x, Prim::Select)
        && inner == c
    {
        return r.becomes("select_select", Prim::Select, &[c, then_, y]);
    }
    if let Some(&[inner, _, else_]) = r.operands_of(y, Prim::Select)
        && inner == c
    {
        return r.becomes("select_select", Prim::Select, &[c, x, else_]);
    }
    if let Some(simple) = tangent::select_unequal(r, c, (x, y)) {
        return Some(simple);
    }
    if let Some(simple) = tangent::guarded_selection(r, c, (x, y)) {
        return Some(simple);
    }
    if let Some(then_) = tangent::under(r, (c, true), x) {
        return r.becomes("select_inside", Prim::Select, &[c, then_, y]);
    }
    if let Some(else_) = tangent::under(r, (c, false), y) {
        return r.becomes("select_inside", Prim::Select, &[c, x, else_]);
    }
    match r.type_of(x) {
        ScalarType::Bool => select_bool(r, c, x, y),
        ScalarType::I32
        | ScalarType::I64
        | ScalarType::U32
        | ScalarType::F16
        | ScalarType::F32
        | ScalarType::F64 => None,
    }
}

/// A selection between truth values, one of them a constant or the condition.
fn select_bool(r: &mut Rewriter<'_>, c: ExpId, x: ExpId, y: ExpId) -> Option<ExpId> {
    let truth = |r: &Rewriter<'_>, x| match r.constant_of(x) {
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
