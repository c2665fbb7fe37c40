//! Whether operators of reductions and scans are associative: tried on values that they combine.
//!
//! Engines put parentheses as they like, so an operator that is not associative gives one result here and another
//! there. That it is cannot be proved in general; but of three values that follow each other, `(a ⊕ b) ⊕ c` and
//! `a ⊕ (b ⊕ c)` can be compared. [`Suspect`] does that for the parts of an operator that are not known to be
//! associative.
//!
//! Note [Rounding and associativity]: a difference counts where rounding cannot explain it, so that what is associative
//! but for rounding raises no alarm. Rounding explains [`ROUNDING`] units in the last place of the largest value on the
//! way, and [`SPREAD`] times what comes of computing both sides anew with every rounding changed by one unit, up
//! or down by chance, [`RUNS`] times: so cancellation, poles, underflow, and jumps where rounding decides about them
//! are allowed for without a word about any primitive. Nothing is concluded where something overflows on the way or
//! becomes NaN: mathematical laws do not hold there. Integers have to be equal, and wrap around where only operations
//! are involved that are associative with that.

use super::{Body, Inst, Op, Operator, OperatorPart, SymbolId, ValueId};
use crate::constant::Const;
use crate::integer_const;
use crate::integer_type;
use crate::prim::{Effort, Prim};
use crate::rounding::f16_of_f64;
use crate::types::ScalarType;
use std::fmt;

/// How many units in the last place of the largest value on the way two sides may differ by.
pub const ROUNDING: f64 = 16.0;
/// How many times what changed roundings make they may differ by.
pub const SPREAD: f64 = 4.0;
/// How often a difference is computed anew with changed roundings before it counts.
pub const RUNS: u64 = 12;

/// An operator of which some parts are not known to be associative.
#[derive(Clone, Debug)]
pub struct Suspect {
    parts: Vec<OperatorPart>,
}

/// Three values that an operator combines differently.
#[derive(Clone, Debug, PartialEq)]
pub struct Violation {
    /// The components of the operator that matter here.
    pub components: Vec<usize>,
    /// The values a, b and c, those components of them.
    pub triple: [Vec<Const>; 3],
    /// (a ⊕ b) ⊕ c.
    pub left: Vec<Const>,
    /// a ⊕ (b ⊕ c).
    pub right: Vec<Const>,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            components: _,
            triple: [a, b, c],
            left,
            right,
        } = self;
        let [a, b, c, left, right] = [a, b, c, left, right].map(|values| tuple(values));
        write!(
            f,
            "for a = {a}, b = {b} and c = {c}, combining a and b first gives {left}, and b and c first {right}"
        )
    }
}

/// A value, or several as a tuple.
fn tuple(values: &[Const]) -> String {
    let texts: Vec<_> = values.iter().map(Const::to_string).collect();
    match &texts[..] {
        [one] => one.clone(),
        many => format!("({})", many.join(", ")),
    }
}

impl Suspect {
    /// The operator, unless all of it is known to be associative.
    pub fn of(operator: &Operator) -> Option<Self> {
        let parts = operator.parts().into_iter();
        let parts: Vec<_> = parts.filter(|part| !is_known(&part.operator)).collect();
        (!parts.is_empty()).then_some(Self { parts })
    }

    /// Whether three values, one constant per component each, are combined differently from the left and from the right.
    pub fn violation(
        &self,
        symbol: &dyn Fn(SymbolId) -> Const,
        triple: &[Vec<Const>; 3],
    ) -> Option<Violation> {
        let mut parts = self.parts.iter();
        parts.find_map(|part| {
            let of_part = |values: &Vec<Const>| -> Vec<Const> {
                part.components.iter().map(|&c| values[c]).collect()
            };
            let triple = triple.each_ref().map(of_part);
            let trial = Trial::new(&part.operator, symbol);
            let (left, right) = trial.judge(&triple)?;
            Some(Violation {
                components: part.components.clone(),
                triple,
                left,
                right,
            })
        })
    }
}

/// Whether an operator is one of those primitives that are associative, on floats up to rounding.
fn is_known(operator: &Operator) -> bool {
    use Prim::{Add, And, BitAnd, BitOr, BitXor, Eq, Max, Min, Mul, Ne, Or};
    let prim = operator.as_prim();
    // Equality is an operator on truth values only.
    prim.is_some_and(|prim| {
        [Add, Mul, Max, Min, And, Or, Eq, Ne, BitAnd, BitOr, BitXor].contains(&prim)
    })
}

/// A value, and how it came about.
#[derive(Clone, Copy, Debug)]
struct Traced {
    value: Const,
    /// The largest magnitude of a float on the way.
    largest: f64,
    /// Whether something overflowed on the way, or became NaN.
    doubtful: bool,
}

impl Traced {
    fn given(value: Const) -> Self {
        let magnitude = value.as_f64().map_or(0.0, f64::abs);
        Self {
            value,
            largest: magnitude,
            doubtful: magnitude.is_nan(),
        }
    }
}

/// An operator being tried.
struct Trial<'a> {
    operator: &'a Operator,
    symbol: &'a dyn Fn(SymbolId) -> Const,
    /// One unit in the last place of 1, in the coarsest type of floats.
    unit: f64,
    /// Whether integers may wrap around.
    may_wrap: bool,
}

impl<'a> Trial<'a> {
    fn new(operator: &'a Operator, symbol: &'a dyn Fn(SymbolId) -> Const) -> Self {
        let insts = operator.body.walk().map(|(_, inst)| inst);
        Self {
            operator,
            symbol,
            unit: insts.map(|inst| unit(inst.ty)).fold(0.0, f64::max),
            may_wrap: wraps_throughout(&operator.body),
        }
    }

    /// Both sides, if they differ by more than rounding explains.
    fn judge(&self, triple: &[Vec<Const>; 3]) -> Option<(Vec<Const>, Vec<Const>)> {
        let triple = triple.each_ref().map(|values| {
            let given = values.iter().map(|&value| Traced::given(value));
            given.collect::<Vec<_>>()
        });
        let [left, right] = self.sides(&triple, &mut Noise::none())?;
        let pairs = || left.iter().zip(&right).enumerate();
        if pairs().any(|(_, (x, y))| x.doubtful || y.doubtful) {
            return None;
        }
        let differs = |spread: &[f64]| {
            pairs()
                .any(|(c, (x, y))| difference(x.value, y.value) > self.allowance(x, y) + spread[c])
        };
        if !differs(&vec![0.0; left.len()]) {
            return None;
        }
        let spread = self.spread(&triple, [&left, &right])?;
        let values = |side: &[Traced]| side.iter().map(|x| x.value).collect();
        differs(&spread).then(|| (values(&left), values(&right)))
    }

    /// What rounding explains by the size of the values on the way.
    fn allowance(&self, x: &Traced, y: &Traced) -> f64 {
        ROUNDING * self.unit * x.largest.max(y.largest)
    }

    /// What changed roundings explain, per component; none where they lead to what is doubtful.
    fn spread(&self, triple: &[Vec<Traced>; 3], sides: [&[Traced]; 2]) -> Option<Vec<f64>> {
        let mut spread = vec![0.0f64; sides[0].len()];
        for run in 1..=RUNS {
            let changed = self.sides(triple, &mut Noise::of_run(run))?;
            for (side, changed) in sides.into_iter().zip(&changed) {
                for (c, (x, y)) in side.iter().zip(changed).enumerate() {
                    if y.doubtful {
                        return None;
                    }
                    spread[c] = spread[c].max(SPREAD * difference(x.value, y.value));
                }
            }
        }
        Some(spread)
    }

    /// (a ⊕ b) ⊕ c and a ⊕ (b ⊕ c).
    fn sides(&self, [a, b, c]: &[Vec<Traced>; 3], noise: &mut Noise) -> Option<[Vec<Traced>; 2]> {
        let first = self.combined(a, b, noise)?;
        let left = self.combined(&first, c, noise)?;
        let last = self.combined(b, c, noise)?;
        let right = self.combined(a, &last, noise)?;
        Some([left, right])
    }

    /// x ⊕ y; none for a primitive on wrong types, which checked operators have not.
    fn combined(&self, x: &[Traced], y: &[Traced], noise: &mut Noise) -> Option<Vec<Traced>> {
        let args = [x, y].concat();
        let mut values: Vec<Traced> = Vec::with_capacity(self.operator.body.len());
        for (_, Inst { op, ty }) in self.operator.body.iter() {
            let value = match op {
                Op::Const(value) => plain(*value),
                Op::Symbol(symbol) => plain((self.symbol)(*symbol)),
                Op::Arg(position) => *args.get(*position as usize)?,
                Op::Prim(prim, operands) => {
                    let of = |v: &ValueId| values[v.index()];
                    let operands: Vec<_> = operands.iter().map(of).collect();
                    self.applied(*prim, &operands, *ty, noise)?
                }
                // The doubt is on whoever computes by loops.
                Op::Coord(_) | Op::Load(_) | Op::Loop(_) | Op::Out(..) => return None,
            };
            values.push(value);
        }
        let results = self.operator.results.iter();
        Some(results.map(|v| values[v.index()]).collect())
    }

    /// The result of a primitive. What a choice does not take leaves no trace.
    fn applied(
        &self,
        prim: Prim,
        operands: &[Traced],
        ty: ScalarType,
        noise: &mut Noise,
    ) -> Option<Traced> {
        let constants: Vec<_> = operands.iter().map(|x| x.value).collect();
        let value = prim.eval(&constants)?;
        let (used, doubtful): (&[Traced], bool) = match (prim, operands) {
            (Prim::Select, [cond, x, y]) => {
                let taken = if cond.value == Const::Bool(true) {
                    x
                } else {
                    y
                };
                return Some(Traced {
                    doubtful: taken.doubtful || cond.doubtful,
                    ..*taken
                });
            }
            (_, operands) => (operands, self.overflows(prim, &constants, value)),
        };
        let value = match rounds(prim) && !is_exact_zero(value, prim, &constants) {
            true => noise.changed(value, unit(ty)),
            false => value,
        };
        let largest = used.iter().map(|x| x.largest);
        let magnitude = value.as_f64().map_or(0.0, f64::abs);
        Some(Traced {
            value,
            largest: largest.fold(magnitude, f64::max),
            doubtful: doubtful || used.iter().any(|x| x.doubtful),
        })
    }

    /// Whether the result is no number, is infinite, or wrapped around where the operator is not made for that.
    fn overflows(&self, prim: Prim, operands: &[Const], value: Const) -> bool {
        match value.as_f64() {
            Some(x) => x.is_nan() || (x.is_infinite() && rounds(prim)),
            None => !self.may_wrap && wraps(prim, operands, value),
        }
    }
}

/// A literal or a symbol: no value on the way, so that one that stands for infinity excuses nothing.
fn plain(value: Const) -> Traced {
    Traced {
        value,
        largest: 0.0,
        doubtful: false,
    }
}

/// The chance by which roundings are changed; none leaves them as they are.
struct Noise(Option<u64>);

impl Noise {
    fn none() -> Self {
        Self(None)
    }

    fn of_run(run: u64) -> Self {
        Self(Some(run.wrapping_mul(0x9e37_79b9_7f4a_7c15)))
    }

    /// A float that is one unit larger or smaller, or of which the sign of a unit below the normal numbers is
    /// changed; everything else stays.
    fn changed(&mut self, value: Const, unit: f64) -> Const {
        let Some(state) = &mut self.0 else {
            return value;
        };
        *state ^= *state << 13;
        *state ^= *state >> 7;
        *state ^= *state << 17;
        let sign = if *state >> 40 & 1 == 0 { 1.0 } else { -1.0 };
        let moved = |x: f64, least: f64| x + sign * unit * x.abs().max(least);
        match value {
            Const::F64(x) => Const::F64(moved(x, f64::MIN_POSITIVE)),
            Const::F32(x) => Const::F32(moved(x.into(), f32::MIN_POSITIVE.into()) as f32),
            Const::F16(x) => Const::F16(f16_of_f64(moved(x.into(), LEAST_F16))),
            Const::Bool(_) | integer_const!() => value,
        }
    }
}

/// The smallest normal `f16`.
const LEAST_F16: f64 = 1.0 / 16384.0;

/// One unit in the last place of 1; 0 of what is no float.
fn unit(ty: ScalarType) -> f64 {
    match ty {
        ScalarType::F16 => 1.0 / 1024.0,
        ScalarType::F32 => f32::EPSILON.into(),
        ScalarType::F64 => f64::EPSILON,
        ScalarType::Bool | integer_type!() => 0.0,
    }
}

/// How far apart two values of one type are: infinitely far where they are no floats and not equal.
fn difference(x: Const, y: Const) -> f64 {
    let floats = x.as_f64().zip(y.as_f64());
    if floats.map_or(x == y, |(x, y)| x == y) {
        return 0.0;
    }
    floats.map_or(f64::INFINITY, |(x, y)| (x - y).abs())
}

/// Whether floats that it gives may be rounded.
fn rounds(prim: Prim) -> bool {
    use Prim::{Add, Div, Mul, Sqrt, Sub};
    match prim.effort() {
        Effort::Move => false,
        Effort::Simple => matches!(prim, Add | Sub | Mul),
        Effort::Division => matches!(prim, Sqrt | Div),
        Effort::Conversion | Effort::Elementary | Effort::Composed => true,
    }
}

/// Whether a zero is no rounded number: a sum of opposites, or what has a zero among its operands.
fn is_exact_zero(value: Const, prim: Prim, operands: &[Const]) -> bool {
    let adds = matches!(prim, Prim::Add | Prim::Sub);
    value.as_f64() == Some(0.0) && (adds || operands.iter().any(|x| x.as_f64() == Some(0.0)))
}

/// Whether an integer is not the one that numbers without bounds would give.
fn wraps(prim: Prim, operands: &[Const], value: Const) -> bool {
    let integers: Option<Vec<_>> = operands.iter().map(|x| x.as_integer()).collect();
    let exact = integers.and_then(|integers| unbounded(prim, &integers));
    exact.is_some_and(|exact| value.as_integer() != Some(exact))
}

/// What a primitive that may wrap gives for integers without bounds.
fn unbounded(prim: Prim, operands: &[i128]) -> Option<i128> {
    type Exact = fn(i128, i128) -> i128;
    const WRAPPING: [(Prim, Exact); 6] = [
        (Prim::Add, |x, y| x + y),
        (Prim::Sub, |x, y| x - y),
        (Prim::Mul, |x, y| x * y),
        (Prim::Neg, |x, _| -x),
        (Prim::Abs, |x, _| x.abs()),
        // Distances are modulo the number of bits: those beyond it count as bits that are lost.
        (Prim::Shl, |x, y| x << (y & 63)),
    ];
    let (x, y) = (*operands.first()?, operands.get(1).copied().unwrap_or(0));
    let exact = WRAPPING.iter().find(|(wrapping, _)| *wrapping == prim);
    exact.map(|(_, exact)| exact(x, y))
}

/// Whether integers are only added, multiplied and combined bit by bit, which is done alike whether or not they wrap.
fn wraps_throughout(body: &Body) -> bool {
    use Prim::{Add, BitAnd, BitNot, BitOr, BitXor, Mul, Neg, Sub};
    let plain = [Add, Sub, Mul, Neg, BitAnd, BitOr, BitXor, BitNot];
    let mut prims = body.walk().filter_map(|(_, inst)| inst.op.as_prim());
    prims.all(|(prim, _)| plain.contains(&prim))
}

#[cfg(test)]
mod tests;
