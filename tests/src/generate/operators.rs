//! Associative operators for folds and scans.
//!
//! On floats, sums and products are not exact, as engines are free in how they put parentheses, nor are smooth operators made of
//! them; they get elements small enough that this does not show. The others pick operands and are exact.

use super::random::Random;
use cotangent_core::build::FunBuilder;
use cotangent_core::constant::Const;
use cotangent_core::integer_type;
use cotangent_core::prim::Prim;
use cotangent_core::term::{ExpId, Fun, Labelled};
use cotangent_core::types::ScalarType::{self, Bool, F16, F32, F64, I32};

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
    /// x + y + x·y, which is (1 + x)·(1 + y) − 1.
    WithProduct,
    /// tanh(artanh x + artanh y).
    Velocities,
    /// ln(eˣ + eʸ).
    LogSum,
    /// √(x² + y²).
    Norm,
    /// x·y / (x + y).
    Parallel,
    /// Products of complex numbers.
    Complex,
    /// Products of 2×2 matrices.
    Matrices,
}

/// What elements an operator gets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Operands {
    /// Floats of at most that magnitude.
    Limited(f64),
    /// Floats whose magnitudes add up to at most that along a row.
    Shared(f64),
    /// Floats around one.
    Positive,
}

impl Operands {
    /// How large an element may be in rows of so many.
    pub(crate) fn limit(self, extent: usize) -> f64 {
        match self {
            Self::Limited(limit) => limit,
            Self::Shared(sum) => (sum / extent.max(1) as f64).min(0.5),
            Self::Positive => 2.0,
        }
    }
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
    /// What float elements it gets.
    pub(crate) operands: Operands,
    /// Whether the result is the same whatever the parentheses.
    pub(crate) exact: bool,
}

impl Operator {
    /// An operator whose first column is of type `ty`. `smooth` ones are such as can be differentiated.
    pub(crate) fn on(random: &mut Random, ty: ScalarType, smooth: bool) -> Self {
        let kind = kind(random, ty, smooth);
        let types = types(random, kind, ty);
        let init = types.iter().map(|&ty| init(random, kind, ty));
        Self {
            init: init.collect(),
            f: function(kind, &types),
            operands: operands(kind),
            exact: !(ty.is_float() && rounds(kind)),
            types,
        }
    }
}

fn rounds(kind: Kind) -> bool {
    match kind {
        Kind::Prim(prim) => matches!(prim, Prim::Add | Prim::Mul),
        Kind::Left | Kind::Right | Kind::ArgMax => false,
        Kind::Affine
        | Kind::Sums
        | Kind::WithProduct
        | Kind::Velocities
        | Kind::LogSum
        | Kind::Norm
        | Kind::Parallel
        | Kind::Complex
        | Kind::Matrices => true,
    }
}

fn operands(kind: Kind) -> Operands {
    match kind {
        Kind::Prim(Prim::Mul) | Kind::Affine => Operands::Limited(1.0),
        Kind::Prim(Prim::Add) | Kind::Sums => Operands::Limited(100.0),
        Kind::Prim(_) | Kind::Left | Kind::Right | Kind::ArgMax => Operands::Limited(f64::INFINITY),
        Kind::WithProduct => Operands::Shared(2.0),
        Kind::Velocities => Operands::Shared(1.0),
        Kind::LogSum => Operands::Limited(10.0),
        Kind::Norm | Kind::Parallel => Operands::Positive,
        Kind::Complex => Operands::Limited(0.7),
        Kind::Matrices => Operands::Limited(0.5),
    }
}

/// A neutral element, or something like it.
fn init(random: &mut Random, kind: Kind, ty: ScalarType) -> Const {
    let any = random.below(3) as i32 - i32::from(!ty.is_unsigned());
    match kind {
        Kind::Velocities | Kind::WithProduct if ty.is_float() => Const::zero(ty),
        Kind::Norm => Const::small(ty, any.abs()),
        Kind::Parallel => Const::small(ty, 1),
        Kind::Prim(_)
        | Kind::Left
        | Kind::Right
        | Kind::ArgMax
        | Kind::Affine
        | Kind::Sums
        | Kind::WithProduct
        | Kind::Velocities
        | Kind::LogSum
        | Kind::Complex
        | Kind::Matrices => Const::small(ty, any),
    }
}

/// An operator whose result depends smoothly on floats, but for ties.
fn smooth_kind(random: &mut Random) -> Kind {
    random.weighted(&[
        (6, Kind::Prim(Prim::Add)),
        (2, Kind::Prim(Prim::Mul)),
        (2, Kind::Prim(Prim::Max)),
        (1, Kind::Prim(Prim::Min)),
        (2, Kind::WithProduct),
        (1, Kind::Velocities),
        (2, Kind::LogSum),
        (1, Kind::Norm),
        (1, Kind::Parallel),
    ])
}

fn kind(random: &mut Random, ty: ScalarType, smooth: bool) -> Kind {
    use Kind::{
        Affine, ArgMax, Complex, Left, LogSum, Matrices, Norm, Parallel, Right, Sums, Velocities,
        WithProduct,
    };
    let prim = Kind::Prim;
    if smooth && random.chance(90) {
        return smooth_kind(random);
    }
    match ty {
        Bool => random.pick(&[prim(Prim::And), prim(Prim::Or), prim(Prim::Eq), Left, Right]),
        integer_type!() => random.pick(&[
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
            WithProduct,
            Complex,
            Matrices,
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
            WithProduct,
            Velocities,
            LogSum,
            Norm,
            Parallel,
            Complex,
            Matrices,
        ]),
    }
}

fn types(random: &mut Random, kind: Kind, ty: ScalarType) -> Vec<ScalarType> {
    match kind {
        Kind::Prim(_)
        | Kind::Left
        | Kind::Right
        | Kind::WithProduct
        | Kind::Velocities
        | Kind::LogSum
        | Kind::Norm
        | Kind::Parallel => vec![ty],
        Kind::ArgMax => vec![ty, random.pick(&[I32, Bool])],
        Kind::Affine | Kind::Complex => vec![ty, ty],
        Kind::Matrices => vec![ty; 4],
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
        Kind::Affine => affine(&mut b, &x, &y),
        Kind::Sums => {
            let pairs = x.iter().zip(&y);
            pairs.map(|(&x, &y)| b.prim(Prim::Add, &[x, y])).collect()
        }
        Kind::WithProduct => vec![with_product(&mut b, x[0], y[0])],
        Kind::Velocities => vec![velocities(&mut b, x[0], y[0])],
        Kind::LogSum => vec![log_sum(&mut b, x[0], y[0])],
        Kind::Norm => {
            let sum = sum_of_products(&mut b, [x[0], x[0], y[0], y[0]]);
            vec![b.prim(Prim::Sqrt, &[sum])]
        }
        Kind::Parallel => {
            let (product, sum) = (
                b.prim(Prim::Mul, &[x[0], y[0]]),
                b.prim(Prim::Add, &[x[0], y[0]]),
            );
            vec![b.prim(Prim::Div, &[product, sum])]
        }
        Kind::Complex => {
            let (re, im) = (
                b.prim(Prim::Mul, &[x[0], y[0]]),
                b.prim(Prim::Mul, &[x[1], y[1]]),
            );
            let re = b.prim(Prim::Sub, &[re, im]);
            vec![re, sum_of_products(&mut b, [x[0], y[1], x[1], y[0]])]
        }
        Kind::Matrices => {
            let entry = |i: usize, j: usize| [x[2 * i], y[j], x[2 * i + 1], y[2 + j]];
            let entries = [entry(0, 0), entry(0, 1), entry(1, 0), entry(1, 1)];
            entries.map(|entry| sum_of_products(&mut b, entry)).to_vec()
        }
    };
    b.finish(results)
}

fn affine(b: &mut FunBuilder, x: &[ExpId], y: &[ExpId]) -> Vec<ExpId> {
    let (slope, moved) = (
        b.prim(Prim::Mul, &[x[0], y[0]]),
        b.prim(Prim::Mul, &[x[1], y[0]]),
    );
    vec![slope, b.prim(Prim::Add, &[moved, y[1]])]
}

fn sum_of_products(b: &mut FunBuilder, [p, q, r, s]: [ExpId; 4]) -> ExpId {
    let (x, y) = (b.prim(Prim::Mul, &[p, q]), b.prim(Prim::Mul, &[r, s]));
    b.prim(Prim::Add, &[x, y])
}

fn with_product(b: &mut FunBuilder, x: ExpId, y: ExpId) -> ExpId {
    let (sum, product) = (b.prim(Prim::Add, &[x, y]), b.prim(Prim::Mul, &[x, y]));
    b.prim(Prim::Add, &[sum, product])
}

fn velocities(b: &mut FunBuilder, x: ExpId, y: ExpId) -> ExpId {
    let (sum, product) = (b.prim(Prim::Add, &[x, y]), b.prim(Prim::Mul, &[x, y]));
    let one = b.small(b.type_of(x), 1);
    let divisor = b.prim(Prim::Add, &[one, product]);
    b.prim(Prim::Div, &[sum, divisor])
}

fn log_sum(b: &mut FunBuilder, x: ExpId, y: ExpId) -> ExpId {
    let max = b.prim(Prim::Max, &[x, y]);
    let powers = [x, y].map(|v| {
        let shifted = b.prim(Prim::Sub, &[v, max]);
        b.prim(Prim::Exp, &[shifted])
    });
    let sum = b.prim(Prim::Add, &powers);
    let log = b.prim(Prim::Ln, &[sum]);
    b.prim(Prim::Add, &[max, log])
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
