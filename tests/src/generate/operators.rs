//! Associative operators for folds and scans.
//!
//! On floats, sums and products are not exact, as engines are free in how they put parentheses; they get
//! elements small enough that this does not show. The others pick operands and are exact.

use super::random::Random;
use cotangent_core::build::FunBuilder;
use cotangent_core::constant::Const;
use cotangent_core::prim::Prim;
use cotangent_core::term::{ExpId, Fun, Labelled};
use cotangent_core::types::ScalarType::{self, Bool, F16, F32, F64, I32, I64, U32};

/// What an operator computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// A primitive.
    Prim(Prim),
    /// The left operand.
    Left,
    /// The right operand.
    Right,
    /// The first greatest (NaN counts as such) with its companion.
    ArgMax,
    /// The composition of affine maps a·x + b, the left one applied first.
    Affine,
    /// Sums of two columns at a time.
    Sums,
}

/// An associative operator.
#[derive(Clone, Debug)]
pub(crate) struct Operator {
    /// The types of its columns.
    pub(crate) types: Vec<ScalarType>,
    /// The function.
    pub(crate) f: Fun<Labelled>,
    /// A neutral element, or something like it.
    pub(crate) init: Vec<Const>,
    /// How large float elements may be.
    pub(crate) limit: f64,
    /// Whether the result is the same whatever the parentheses.
    pub(crate) exact: bool,
}

impl Operator {
    /// An operator whose first column is of type `ty`. `smooth` ones are such as can be differentiated.
    pub(crate) fn on(random: &mut Random, ty: ScalarType, smooth: bool) -> Self {
        let kind = kind(random, ty, smooth);
        let types = types(random, kind, ty);
        let rounds = matches!(
            kind,
            Kind::Prim(Prim::Add | Prim::Mul) | Kind::Affine | Kind::Sums
        );
        let multiplies = matches!(kind, Kind::Prim(Prim::Mul) | Kind::Affine);
        let init = types
            .iter()
            .map(|&ty| Const::small(ty, random.below(3) as i32 - i32::from(ty != U32)));
        Self {
            init: init.collect(),
            f: function(kind, &types),
            limit: match (rounds, multiplies) {
                (false, _) => f64::INFINITY,
                (true, false) => 100.0,
                (true, true) => 1.0,
            },
            exact: !(rounds && ty.is_float()),
            types,
        }
    }
}

fn kind(random: &mut Random, ty: ScalarType, smooth: bool) -> Kind {
    use Kind::{Affine, ArgMax, Left, Right, Sums};
    let prim = Kind::Prim;
    if smooth && random.chance(90) {
        return random.weighted(&[
            (6, prim(Prim::Add)),
            (2, prim(Prim::Mul)),
            (2, prim(Prim::Max)),
            (1, prim(Prim::Min)),
        ]);
    }
    match ty {
        Bool => random.pick(&[prim(Prim::And), prim(Prim::Or), prim(Prim::Eq), Left, Right]),
        I32 | I64 | U32 => random.pick(&[
            prim(Prim::Add),
            prim(Prim::Add),
            prim(Prim::Mul),
            prim(Prim::Max),
            prim(Prim::Min),
            prim(Prim::BitAnd),
            prim(Prim::BitOr),
            prim(Prim::BitXor),
            Left,
            Right,
            ArgMax,
            Affine,
            Sums,
        ]),
        F16 | F32 | F64 => random.pick(&[
            prim(Prim::Add),
            prim(Prim::Add),
            prim(Prim::Add),
            prim(Prim::Mul),
            prim(Prim::Max),
            prim(Prim::Min),
            Left,
            Right,
            ArgMax,
            Affine,
            Sums,
        ]),
    }
}

fn types(random: &mut Random, kind: Kind, ty: ScalarType) -> Vec<ScalarType> {
    match kind {
        Kind::Prim(_) | Kind::Left | Kind::Right => vec![ty],
        Kind::ArgMax => vec![ty, random.pick(&[I32, Bool])],
        Kind::Affine => vec![ty, ty],
        Kind::Sums => vec![ty; random.between(2, 3)],
    }
}

fn function(kind: Kind, types: &[ScalarType]) -> Fun<Labelled> {
    let mut b = FunBuilder::new();
    let (x, y) = (b.params(types), b.params(types));
    let results = match kind {
        Kind::Prim(prim) => vec![b.prim(prim, &[x[0], y[0]])],
        Kind::Left => x,
        Kind::Right => y,
        Kind::ArgMax => arg_max(&mut b, &x, &y),
        Kind::Affine => {
            let (slope, moved) = (
                b.prim(Prim::Mul, &[x[0], y[0]]),
                b.prim(Prim::Mul, &[x[1], y[0]]),
            );
            vec![slope, b.prim(Prim::Add, &[moved, y[1]])]
        }
        Kind::Sums => {
            let pairs = x.iter().zip(&y);
            pairs.map(|(&x, &y)| b.prim(Prim::Add, &[x, y])).collect()
        }
    };
    b.finish(results)
}

fn arg_max(b: &mut FunBuilder, x: &[ExpId], y: &[ExpId]) -> Vec<ExpId> {
    let mut better = b.prim(Prim::Gt, &[y[0], x[0]]);
    if b.type_of(x[0]).is_float() {
        let (y_nan, x_nan) = (b.prim(Prim::IsNan, &[y[0]]), b.prim(Prim::IsNan, &[x[0]]));
        let x_number = b.prim(Prim::Not, &[x_nan]);
        let first_nan = b.prim(Prim::And, &[y_nan, x_number]);
        better = b.prim(Prim::Or, &[better, first_nan]);
    }
    let pairs = x.iter().zip(y);
    pairs
        .map(|(&x, &y)| b.prim(Prim::Select, &[better, y, x]))
        .collect()
}
