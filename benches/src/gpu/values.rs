//! Results as numbers to compare, and the types to compute in.

use cotangent::prelude::*;
use cotangent_adbench::host::HostFloat;

/// A number.
pub trait Number: Elt {
    /// This number, exactly.
    fn number(self) -> f64;
}

impl Number for f32 {
    fn number(self) -> f64 {
        f64::from(self)
    }
}

impl Number for f64 {
    fn number(self) -> f64 {
        self
    }
}

impl Number for i32 {
    fn number(self) -> f64 {
        f64::from(self)
    }
}

/// A type to compute in.
pub trait Real: HostFloat + Number + Send + Sync {
    /// Its name.
    const NAME: &'static str;
    /// How far results may be apart by ADBench's rule that are sums of many numbers, in whatever order.
    const TOLERANCE: f64;
}

impl Real for f32 {
    const NAME: &'static str = "f32";
    const TOLERANCE: f64 = 1e-3;
}

impl Real for f64 {
    const NAME: &'static str = "f64";
    const TOLERANCE: f64 = 1e-8;
}

/// Results as numbers.
pub trait Values {
    /// All of them, in order.
    fn values(&self) -> Vec<f64>;
}

impl<Sh: Shape, T: Number> Values for Array<Sh, T> {
    fn values(&self) -> Vec<f64> {
        self.to_vec().into_iter().map(T::number).collect()
    }
}

impl<A: Values, B: Values, C: Values> Values for (A, B, C) {
    fn values(&self) -> Vec<f64> {
        let (a, b, c) = self;
        [a.values(), b.values(), c.values()].concat()
    }
}
