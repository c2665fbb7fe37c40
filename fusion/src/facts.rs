//! What is known about integer values, and what follows: loads that need no test, comparisons decided.
//!
//! A fact holds at every point at which the code runs. That arithmetic wraps is taken into account: a bound
//! is kept only where the interval shows that nothing can wrap.
//!
//! What is kept of a value are bounds, not the sum that it is: an index needs a test unless it is *less* than an extent, which
//! forms modulo 2³² such as polynomials (`analysis/index_map.rs` in `cotangent_core`) do not say. A row-major position
//! ([`Linear`]) is recorded by who makes it and never found by analysis.

use crate::code::{CodeId, Codes, HOST, HostValue};
use cotangent_core::algebra::Inequality;
use cotangent_core::constant::Const;
use cotangent_core::prim::Prim;
use cotangent_core::schedule::{Op, ValueId};
use cotangent_core::types::ScalarType;

/// How many conjuncts of a guard, and how many minima of an extent, are looked through.
const MAX_CONJUNCTS: usize = 32;

/// What is known about one integer value; for other types, nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Range {
    /// The least value.
    pub low: i64,
    /// The greatest value.
    pub high: i64,
    /// A value of the host that this one is below.
    pub below: Option<HostValue>,
}

/// A row-major position: of which coordinates, in which shape.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Linear {
    pub coords: Vec<ValueId>,
    pub extents: Vec<HostValue>,
}

const I32: (i64, i64) = (i32::MIN as i64, i32::MAX as i64);

impl Range {
    fn new(low: i64, high: i64) -> Self {
        Self {
            low,
            high,
            below: None,
        }
    }

    /// All values of a type.
    pub(crate) fn of_type(ty: ScalarType) -> Self {
        match ty {
            ScalarType::I8 => Self::new(i8::MIN.into(), i8::MAX.into()),
            ScalarType::I16 => Self::new(i16::MIN.into(), i16::MAX.into()),
            ScalarType::I32 => Self::new(I32.0, I32.1),
            ScalarType::U8 => Self::new(0, u8::MAX.into()),
            ScalarType::U16 => Self::new(0, u16::MAX.into()),
            ScalarType::U32 => Self::new(0, u32::MAX.into()),
            ScalarType::I64 => Self::new(i64::MIN, i64::MAX),
            // An `i64` has no room for them: nothing is known.
            ScalarType::U64
            | ScalarType::Bool
            | ScalarType::F16
            | ScalarType::F32
            | ScalarType::F64 => Self::new(i64::MIN, i64::MAX),
        }
    }

    /// A literal.
    pub(crate) fn of_const(value: Const) -> Self {
        let ty = value.scalar_type();
        let number = value.as_integer().filter(|_| ty != ScalarType::U64);
        let number = number.and_then(|number| i64::try_from(number).ok());
        number.map_or(Self::of_type(ty), |number| Self::new(number, number))
    }

    /// Any extent of an array.
    pub(crate) fn of_extent() -> Self {
        Self::new(0, I32.1)
    }

    /// A coordinate below `extent`, about which `range` is known.
    pub(crate) fn below(extent: HostValue, range: Range) -> Self {
        Self {
            low: 0,
            high: (range.high - 1).max(0),
            below: Some(extent),
        }
    }

    /// Both facts.
    pub(crate) fn and(self, other: Self) -> Self {
        Self {
            low: self.low.max(other.low),
            high: self.high.min(other.high),
            below: self.below.or(other.below),
        }
    }

    /// One of the two facts.
    fn or(self, other: Self) -> Self {
        Self {
            low: self.low.min(other.low),
            high: self.high.max(other.high),
            below: self.below.filter(|_| self.below == other.below),
        }
    }

    /// What follows for the negative number.
    fn negated(self, ty: ScalarType) -> Option<Self> {
        Self::fits(self.high.checked_neg(), self.low.checked_neg(), ty)
    }

    /// What follows for the product.
    fn times(self, other: Self, ty: ScalarType) -> Option<Self> {
        let (a, b) = (self, other);
        let corners = [
            (a.low, b.low),
            (a.low, b.high),
            (a.high, b.low),
            (a.high, b.high),
        ];
        let products: Option<Vec<_>> = corners.iter().map(|&(p, q)| p.checked_mul(q)).collect();
        let products = products?;
        Self::fits(
            products.iter().min().copied(),
            products.iter().max().copied(),
            ty,
        )
    }

    /// The interval, if it is one of values of type `ty`: nothing wrapped on the way.
    fn fits(low: Option<i64>, high: Option<i64>, ty: ScalarType) -> Option<Self> {
        let all = Self::of_type(ty);
        let (low, high) = (low?, high?);
        (low >= all.low && high <= all.high).then_some(Self::new(low, high))
    }
}

impl Codes {
    /// What follows for the result of a primitive.
    pub(crate) fn range_of_prim(
        &mut self,
        c: CodeId,
        op: Prim,
        operands: &[ValueId],
        ty: ScalarType,
    ) -> Range {
        let known = if ty.is_integer() {
            match operands[..] {
                [x] if op == Prim::Neg => self.range(c, x).negated(ty),
                [x, y] => self.range_of_binary(c, op, (x, y), ty),
                [_, x, y] => Some(self.range(c, x).or(self.range(c, y))),
                [..] => None,
            }
        } else {
            None
        };
        known.unwrap_or(Range::of_type(ty))
    }

    fn range_of_binary(
        &mut self,
        c: CodeId,
        op: Prim,
        (x, y): (ValueId, ValueId),
        ty: ScalarType,
    ) -> Option<Range> {
        use Prim::*;
        let (a, b) = (self.range(c, x), self.range(c, y));
        match op {
            Add => {
                let sum = Range::fits(a.low.checked_add(b.low), a.high.checked_add(b.high), ty)?;
                let below = self.below_of_sum(c, (x, y));
                let below = below.or_else(|| self.below_of_sum(c, (y, x)));
                Some(Range { below, ..sum })
            }
            Sub => {
                let direct = Range::fits(a.low.checked_sub(b.high), a.high.checked_sub(b.low), ty);
                let below = a.below.filter(|_| b.low >= 0);
                let direct = direct.map(|d| Range { below, ..d });
                let mirrored = self.mirrored(c, (x, y));
                mirrored.map_or(direct, |m| Some(direct.map_or(m, |d| m.and(d))))
            }
            Mul => a.times(b, ty),
            Min => Some(Range {
                low: a.low.min(b.low),
                high: a.high.min(b.high),
                below: a.below.or(b.below),
            }),
            Max => Some(Range {
                low: a.low.max(b.low),
                ..a.or(b)
            }),
            Quot | DivFloor if a.low >= 0 && b.low >= 1 => Some(Range {
                low: 0,
                high: a.high / b.low,
                below: a.below,
            }),
            Rem | ModFloor if b.low >= 1 && (a.low >= 0 || op == ModFloor) => Some(Range {
                low: 0,
                high: b.high - 1,
                below: self.as_host(c, y),
            }),
            Quot | DivFloor | Rem | ModFloor => None,
            BitAnd | BitOr | BitXor | Shl | Shr => None,
            // These make no integers, or not of two operands.
            Neg | Abs | Signum | Sqrt | Exp | ExpM1 | Ln | Ln1p | Sin | Cos | Tan | Asin | Acos
            | Atan | Sinh | Cosh | Tanh | Asinh | Acosh | Atanh | Floor | Ceil | Round | Trunc
            | IsNan | IsInfinite | Not | BitNot | Convert(_) | ToBits | FromBits | Div | Pow
            | Atan2 | Eq | Ne | Lt | Le | Gt | Ge | And | Or | MulAdd | Select => None,
        }
    }

    /// If x < e, and y is the host's, then x + y < e + y; the callers know that x + y does not wrap.
    fn below_of_sum(&mut self, c: CodeId, (x, y): (ValueId, ValueId)) -> Option<HostValue> {
        let extent = self.range(c, x).below?;
        let y = self.as_host(c, y)?;
        let (e, u) = (self.range(HOST, extent.0), self.range(HOST, y.0));
        let ty = self.type_of(HOST, extent.0);
        Range::fits(e.low.checked_add(u.low), e.high.checked_add(u.high), ty)?;
        Some(self.host_prim(Prim::Add, &[extent, y]))
    }

    /// If y < e, and x, the host's, is e + d, then d < x − y < x + 1 − (the least y): a coordinate counted
    /// from the other end.
    fn mirrored(&mut self, c: CodeId, (x, y): (ValueId, ValueId)) -> Option<Range> {
        let range = self.range(c, y);
        let (extent, x) = (range.below?, self.as_host(c, x)?);
        let ty = self.type_of(HOST, x.0);
        let (a, e) = (self.range(HOST, x.0), self.range(HOST, extent.0));
        // Neither the difference nor the bound may wrap.
        Range::fits(a.low.checked_sub(e.high), a.high.checked_sub(e.low), ty)?;
        let beyond = 1i64.checked_sub(range.low)?;
        Range::fits(a.low.checked_add(beyond), a.high.checked_add(beyond), ty)?;
        let difference = self.host_prim(Prim::Sub, &[x, extent]);
        let difference = self.range(HOST, difference.0);
        let beyond = self.host_constant(Const::small(ty, i32::try_from(beyond).ok()?));
        let below = self.host_prim(Prim::Add, &[x, beyond]);
        Some(Range {
            low: difference.low + 1,
            high: a.high.checked_sub(range.low)?,
            below: Some(below),
        })
    }

    /// Whether `x ≤ y` always: by intervals, because x is a minimum of y, or y less something, or y a maximum of x.
    pub(crate) fn is_at_most(&self, x: HostValue, y: HostValue) -> bool {
        self.is_at_most_within(x, y, MAX_CONJUNCTS)
    }

    fn is_at_most_within(&self, x: HostValue, y: HostValue, fuel: usize) -> bool {
        if x == y || self.range(HOST, x.0).high <= self.range(HOST, y.0).low {
            return true;
        }
        if let Some(operands) = self.op(HOST, y.0).operands_of::<2>(Prim::Max)
            && fuel > 0
            && operands
                .iter()
                .any(|&v| self.is_at_most_within(x, HostValue(v), fuel / 2))
        {
            return true;
        }
        match self.op(HOST, x.0) {
            Op::Prim(Prim::Min, operands) if fuel > 0 => operands
                .iter()
                .any(|&v| self.is_at_most_within(HostValue(v), y, fuel / 2)),
            Op::Prim(Prim::Add, operands) if fuel > 0 => {
                let (u, less) = (self.range(HOST, operands[0]), self.range(HOST, operands[1]));
                let lessens = less.high <= 0 && u.low.checked_add(less.low) >= Some(I32.0);
                lessens && self.is_at_most_within(HostValue(operands[0]), y, fuel - 1)
            }
            Op::Const(_) | Op::Symbol(_) | Op::Coord(_) | Op::Arg(_) | Op::Prim(..) => false,
            Op::Load(_) | Op::Loop(_) | Op::Out(..) => false,
        }
    }

    /// Whether `v < extent` always.
    pub(crate) fn is_below(&mut self, c: CodeId, v: ValueId, extent: HostValue) -> bool {
        let range = self.range(c, v);
        range.high < self.range(HOST, extent.0).low
            || range.below.is_some_and(|b| self.is_at_most(b, extent))
    }

    /// Whether each coordinate is in range wherever `guard` holds.
    pub(crate) fn is_in_range(
        &mut self,
        c: CodeId,
        index: &[ValueId],
        extents: &[HostValue],
        guard: Option<ValueId>,
    ) -> bool {
        let conjuncts = guard.map_or(vec![], |g| self.conjuncts(c, g));
        index.iter().zip(extents).all(|(&v, &extent)| {
            let uniform = self.as_host(c, v);
            let checked = uniform.is_some_and(|v| self.checked.contains(&(v, extent)));
            let low = self.range(c, v).low >= 0 || self.guarded_low(c, v, &conjuncts);
            let high =
                low && (self.is_below(c, v, extent) || self.guarded_high(c, v, extent, &conjuncts));
            checked || (low && high) || uniform.is_some_and(|v| self.is_below_longer(v, extent))
        })
    }

    /// Whether `v` is `u + c`, and the extent `e + d`, where `0 ≤ u < e` and `0 ≤ c ≤ d`. As an extent of an array it is
    /// no number that wrapped around; so neither does `v`, which is less.
    fn is_below_longer(&self, v: HostValue, extent: HostValue) -> bool {
        let ((u, c), (e, d)) = (self.offset(v), self.offset(extent));
        let range = self.range(HOST, u.0);
        let is_less = range.low >= 0 && 0 <= c && c <= d;
        is_less && range.below.is_some_and(|below| self.is_at_most(below, e))
    }

    /// A value of the host as another one and a literal number added to that.
    fn offset(&self, v: HostValue) -> (HostValue, i64) {
        let literal = |v: ValueId| Some(i64::from(self.as_const(HOST, v)?.as_i32()?));
        match self.op(HOST, v.0).operands_of(Prim::Add) {
            Some(&[x, y]) => match (literal(x), literal(y)) {
                (_, Some(added)) => (HostValue(x), added),
                (Some(added), None) => (HostValue(y), added),
                (None, None) => (v, 0),
            },
            None => (v, 0),
        }
    }

    /// Whether one of the conditions says that `v` is not negative.
    fn guarded_low(&self, c: CodeId, v: ValueId, conjuncts: &[ValueId]) -> bool {
        conjuncts.iter().any(|&g| {
            let known = self.op(c, g).as_prim().and_then(Inequality::of);
            known.is_some_and(|known| {
                let least = -i64::from(known.is_strict);
                known.large == v && self.range(c, known.small).low >= least
            })
        })
    }

    /// Whether one of the conditions says that `v` is below `extent`.
    fn guarded_high(
        &mut self,
        c: CodeId,
        v: ValueId,
        extent: HostValue,
        conjuncts: &[ValueId],
    ) -> bool {
        conjuncts.iter().any(|&g| {
            let known = self.op(c, g).as_prim().and_then(Inequality::of);
            let known = known.filter(|known| known.small == v);
            let Some(Inequality {
                small: _,
                large,
                is_strict,
            }) = known
            else {
                return false;
            };
            if !is_strict {
                return self.is_below(c, large, extent);
            }
            let high = self.range(c, large);
            let uniform = self.as_host(c, large);
            uniform.is_some_and(|large| self.is_at_most(large, extent))
                || high.high <= self.range(HOST, extent.0).low
                || high.below.is_some_and(|b| self.is_at_most(b, extent))
        })
    }

    /// The conditions that a guard is the conjunction of, up to a limit.
    pub(crate) fn conjuncts(&self, c: CodeId, guard: ValueId) -> Vec<ValueId> {
        let mut all = vec![guard];
        let mut next = 0;
        while next < all.len() && all.len() < MAX_CONJUNCTS {
            if let Op::Prim(Prim::And, operands) = self.op(c, all[next]) {
                all.extend(operands);
            }
            next += 1;
        }
        all
    }

    /// Whether `h` holds wherever `g` does.
    pub(crate) fn implies(&self, c: CodeId, g: ValueId, h: ValueId) -> bool {
        let known = self.conjuncts(c, g);
        self.conjuncts(c, h).iter().all(|wanted| {
            known.contains(wanted)
                || matches!(self.op(c, *wanted), Op::Prim(Prim::And, xs)
                    if xs.iter().all(|x| known.contains(x)))
        })
    }
}
