//! Conversion of inputs and results, which are f64 on the host, to the type computed in.

/// A floating-point type to compute in.
pub trait HostFloat: Copy + Send + Sync + 'static {
    /// The nearest value of this type.
    fn from_f64(x: f64) -> Self;
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
    fn from_f64(x: f64) -> Self {
        x as f32
    }
    fn to_f64(self) -> f64 {
        f64::from(self)
    }
}

impl HostFloat for f64 {
    fn from_f64(x: f64) -> Self {
        x
    }
    fn to_f64(self) -> f64 {
        self
    }
}
