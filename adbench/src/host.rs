//! Conversion of inputs and results, which are f64 on the host, to the type computed in.

use cotangent::prelude::{Array, Float, Shape};
use cotangent::{Error, f16, reserved};

/// A floating-point type to compute in.
pub trait HostFloat: Float {
    /// The distance from 1 to the next number.
    const EPSILON: f64;

    /// This value, exactly.
    fn to_f64(self) -> f64;

    /// A slice, converted.
    ///
    /// # Errors
    /// Where there is no memory for it.
    fn from_host(values: &[f64]) -> Result<Vec<Self>, Error> {
        collected(values.len(), values.iter().map(|&x| Self::from_f64(x)))
    }

    /// A vector, converted back.
    ///
    /// # Errors
    /// Where there is no memory for it.
    fn to_host(values: Vec<Self>) -> Result<Vec<f64>, Error> {
        collected(values.len(), values.into_iter().map(Self::to_f64))
    }

    /// The elements of an array, converted back.
    ///
    /// # Errors
    /// Where there is no memory for them.
    fn elements<Sh: Shape>(array: Array<Sh, Self>) -> Result<Vec<f64>, Error> {
        Self::to_host(array.try_into_vec()?)
    }
}

impl HostFloat for f16 {
    const EPSILON: f64 = 1.0 / 1024.0;

    fn to_f64(self) -> f64 {
        f16::to_f64(self)
    }
}

impl HostFloat for f32 {
    const EPSILON: f64 = f32::EPSILON as f64;

    fn to_f64(self) -> f64 {
        f64::from(self)
    }
}

impl HostFloat for f64 {
    const EPSILON: f64 = f64::EPSILON;

    fn to_f64(self) -> f64 {
        self
    }

    fn to_host(values: Vec<Self>) -> Result<Vec<f64>, Error> {
        Ok(values)
    }
}

/// The values of an iterator, `len` of them, in a vector.
///
/// # Errors
/// Where there is no memory for them.
pub fn collected<T>(len: usize, values: impl Iterator<Item = T>) -> Result<Vec<T>, Error> {
    let mut out = reserved(len)?;
    out.extend(values.take(len));
    Ok(out)
}

/// The Euclidean norm of numbers that come one after the other. It overflows only where it is itself beyond the largest
/// number.
#[derive(Clone, Copy, Debug, Default)]
pub struct Norm {
    largest: f64,
    /// The squares of the numbers by the largest.
    squares: f64,
}

impl Norm {
    /// One more number.
    pub fn add(&mut self, x: f64) {
        let size = x.abs();
        if size > self.largest {
            self.squares = 1.0 + self.squares * (self.largest / size).powi(2);
            self.largest = size;
        } else if size != 0.0 {
            self.squares += (size / self.largest).powi(2);
        }
    }

    /// The norm of the numbers so far.
    pub fn get(self) -> f64 {
        self.largest * self.squares.sqrt()
    }
}

/// The Euclidean norm.
pub fn norm(values: impl Iterator<Item = f64>) -> f64 {
    let mut norm = Norm::default();
    values.for_each(|x| norm.add(x));
    norm.get()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn norms_of_any_size() {
        for scale in [1.0, 1e200, 1e-200, 1e305, 1e-320] {
            let found = norm([3.0 * scale, 0.0, -4.0 * scale].into_iter());
            assert!((found / (5.0 * scale) - 1.0).abs() < 1e-3, "{found:e}");
        }
        assert_eq!(norm([0.0; 3].into_iter()), 0.0);
        for bad in [f64::NAN, f64::INFINITY] {
            assert!(!norm([bad, 1.0].into_iter()).is_finite());
            assert!(!norm([1.0, bad].into_iter()).is_finite());
        }
    }

    #[test]
    fn what_does_not_fit_in_memory_is_an_error() {
        let vast = collected(usize::MAX, std::iter::repeat(1.0));
        assert!(vast.unwrap_err().to_string().contains("memory"));
        assert_eq!(collected(2, [1, 2].into_iter()).unwrap(), [1, 2]);
    }
}
