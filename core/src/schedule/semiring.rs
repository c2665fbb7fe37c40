//! What contractions combine with, besides sums and products.
//!
//! A matrix product takes two operations: one makes a *term* of two factors, the other combines the terms. Nothing
//! but their order of evaluation is asked of them: each term is computed as written, and terms are combined in
//! their order, so no law of semirings has to hold, but that the second one is associative.

use crate::integer_type;
use crate::prim::Prim;
use crate::types::ScalarType;
use std::fmt::{self, Display, Formatter};

/// The two operations of a contraction; named by them, the one that combines terms first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Semiring {
    /// Sums of products: of matrices.
    #[default]
    PlusTimes,
    /// The least sum: shortest paths.
    MinPlus,
    /// The greatest sum: longest paths, and the likeliest ones by logarithms.
    MaxPlus,
    /// The least product.
    MinTimes,
    /// The greatest product: the likeliest paths.
    MaxTimes,
    /// The greatest minimum: the widest bottlenecks.
    MaxMin,
    /// The least maximum.
    MinMax,
}

impl Semiring {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::PlusTimes,
        Self::MinPlus,
        Self::MaxPlus,
        Self::MinTimes,
        Self::MaxTimes,
        Self::MaxMin,
        Self::MinMax,
    ];

    /// The one with these operations.
    pub fn of(plus: Prim, times: Prim) -> Option<Self> {
        let mut all = Self::ALL.into_iter();
        all.find(|semiring| (semiring.plus(), semiring.times()) == (plus, times))
    }

    /// What combines terms.
    pub fn plus(self) -> Prim {
        match self {
            Self::PlusTimes => Prim::Add,
            Self::MinPlus | Self::MinTimes | Self::MinMax => Prim::Min,
            Self::MaxPlus | Self::MaxTimes | Self::MaxMin => Prim::Max,
        }
    }

    /// What makes a term of two factors.
    pub fn times(self) -> Prim {
        match self {
            Self::PlusTimes | Self::MinTimes | Self::MaxTimes => Prim::Mul,
            Self::MinPlus | Self::MaxPlus => Prim::Add,
            Self::MaxMin => Prim::Min,
            Self::MinMax => Prim::Max,
        }
    }

    /// Whether contractions of this type exist.
    pub fn is_on(self, ty: ScalarType) -> bool {
        match ty {
            ScalarType::F16 | ScalarType::F32 | ScalarType::F64 => true,
            ScalarType::Bool | integer_type!() => false,
        }
    }
}

impl Display for Semiring {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {}", self.plus(), self.times())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_name_them() {
        for semiring in Semiring::ALL {
            let found = Semiring::of(semiring.plus(), semiring.times());
            assert_eq!(found, Some(semiring));
        }
        assert_eq!(Semiring::of(Prim::Add, Prim::Max), None);
        assert_eq!(Semiring::MinPlus.to_string(), "min of add");
    }
}
