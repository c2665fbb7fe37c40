//! Sums of two floats that carry about twice the precision of one, and the exact operations that make them.
//!
//! Everything is plain addition and multiplication in a fixed order, so it is vectorised with the loop
//! around it and gives the same bits on every instruction set. Dekker, *A floating-point technique for
//! extending the available precision* (1971), and Knuth's two-sum.

/// The unevaluated sum `hi + lo`, with `lo` at most about 2⁻²⁶ of `hi`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pair {
    /// The larger part.
    pub(super) hi: f64,
    /// What `hi` lacks.
    pub(super) lo: f64,
}

impl Pair {
    /// x + y exactly, where |x| ≥ |y|, x is 0, or the sum has no rounding error.
    #[inline(always)]
    pub(super) fn of_ordered_sum(x: f64, y: f64) -> Self {
        let hi = x + y;
        Self {
            hi,
            lo: (x - hi) + y,
        }
    }

    /// x + y exactly.
    #[inline(always)]
    pub(super) fn of_sum(x: f64, y: f64) -> Self {
        let hi = x + y;
        let part = hi - x;
        Self {
            hi,
            lo: (x - (hi - part)) + (y - part),
        }
    }

    /// x², but for one part in 2¹⁰⁶, where it neither overflows nor underflows.
    #[inline(always)]
    pub(super) fn of_square(x: f64) -> Self {
        let top = top(x);
        let rest = x - top;
        let hi = x * x;
        Self {
            hi,
            lo: ((top * top - hi) + 2.0 * top * rest) + rest * rest,
        }
    }

    /// The same sum with 26 bits in `hi`, so that a product of two such `hi` is exact.
    #[inline(always)]
    pub(super) fn split(self) -> Self {
        let hi = top(self.sum());
        Self {
            hi,
            lo: (self.hi - hi) + self.lo,
        }
    }

    /// The sum, rounded.
    #[inline(always)]
    pub(super) fn sum(self) -> f64 {
        self.hi + self.lo
    }

    /// The product of two split pairs, to about 2⁻⁷⁸. It is not split.
    #[inline(always)]
    pub(super) fn times(self, other: Self) -> Self {
        Self {
            hi: self.hi * other.hi,
            lo: self.hi * other.lo + self.lo * other.sum(),
        }
    }

    /// The quotient of two pairs, to about 2⁻⁷⁷, split.
    #[inline(always)]
    pub(super) fn over(self, other: Self) -> Self {
        let inverse = 1.0 / other.hi;
        let hi = top(self.hi * inverse);
        let divisor_hi = top(other.hi);
        let divisor_lo = (other.hi - divisor_hi) + other.lo;
        let rest = ((self.hi - hi * divisor_hi) - hi * divisor_lo) + self.lo;
        Self {
            hi,
            lo: rest * inverse,
        }
    }
}

/// The upper 26 bits of the significand; what is left has at most 27.
#[inline(always)]
fn top(x: f64) -> f64 {
    f64::from_bits(x.to_bits() & 0xffff_ffff_f800_0000)
}
