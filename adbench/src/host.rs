//! Conversion of inputs and results, which are f64 on the host, to the type computed in.

use cotangent::prelude::Float;

/// A floating-point type to compute in.
pub trait HostFloat: Float {
    /// This value, exactly.
    fn to_f64(self) -> f64;

    /// A slice, converted.
    fn from_host(values: &[f64]) -> Vec<Self> {
        values.iter().map(|&x| Self::from_f64(x)).collect()
    }

    /// A vector, converted back.
    fn to_host(values: Vec<Self>) -> Vec<f64> {
        values.into_iter().map(Self::to_f64).collect()
    }
}

impl HostFloat for f32 {
    fn to_f64(self) -> f64 {
        f64::from(self)
    }
}

impl HostFloat for f64 {
    fn to_f64(self) -> f64 {
        self
    }
}
