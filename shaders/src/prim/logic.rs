//! Truth values.

use super::{Expr, Form, Row, written};
use cotangent_core::prim::Prim;

const FORMS: [Row; 5] = [
    (Prim::Not, Form::Prefix, "!"),
    (Prim::And, Form::Infix, "&"),
    (Prim::Or, Form::Infix, "|"),
    (Prim::Eq, Form::Infix, "=="),
    (Prim::Ne, Form::Infix, "!="),
];

pub(super) fn expression(prim: Prim, operands: &[String]) -> Option<Expr> {
    written(&FORMS, prim, operands)
}
