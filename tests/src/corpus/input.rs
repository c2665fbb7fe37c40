//! The refined types of inputs (§4.3.1), and samples of them.

use super::{Draw, Real};
use cotangent_core::host::{Column, HostArray};
use cotangent_core::surface::prelude::*;
use std::ops::RangeInclusive;

/// The lengths of the vectors, up to the thesis' 20. Two vectors of a sample have these lengths, and at
/// every other sample the second one another.
const LENGTHS: [usize; 9] = [0, 1, 2, 3, 4, 6, 9, 13, 20];
/// How many vectors of a length are drawn before it counts as impossible.
const TRIALS: usize = 2000;

/// A refined type.
#[derive(Clone, Debug)]
pub enum Input {
    /// V|prop: a vector of numbers from -10 to 10 of which `prop` holds.
    Vector(fn(&[f64]) -> bool),
    /// \[a..b]: a number.
    Number(RangeInclusive<i32>),
}

/// V.
pub const V: Input = Input::Vector(|_| true);
/// V|#v > 0.
pub const NONEMPTY: Input = Input::Vector(|v| !v.is_empty());
/// V|even(#v).
pub const EVEN: Input = Input::Vector(|v| v.len().is_multiple_of(2));
/// V|#v ≥ 3.
pub const AT_LEAST_3: Input = Input::Vector(|v| v.len() >= 3);
/// V|allNonZero(v).
pub const ALL_NON_ZERO: Input = Input::Vector(|v| v.iter().all(|x| x.abs() > 0.1));
/// V||Σv − 2| > 0.1.
pub const SUM_NOT_2: Input = Input::Vector(|v| (v.iter().sum::<f64>() - 2.0).abs() > 0.1);
/// V|uniqueMax(v), which must exist.
pub const UNIQUE_MAX: Input = Input::Vector(|v| {
    let max = v.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    v.iter().filter(|&&x| x >= max - 0.5).count() == 1
});
/// V|allNiceRound(v).
pub const ALL_NICE_ROUND: Input = Input::Vector(|v| v.iter().all(|x| (x - x.round()).abs() <= 0.4));

/// Samples of several sizes; sizes that the types rule out are left out.
pub(super) fn samples<T: Real>(name: &str, inputs: &[Input]) -> Vec<Vec<HostArray>> {
    let mut draw = Draw::named(name);
    let mut samples = vec![];
    for (position, &len) in LENGTHS.iter().enumerate() {
        let other = LENGTHS[(position * 2 + 1) % LENGTHS.len()];
        let lengths = [len, if position % 2 == 1 { len } else { other }];
        let arrays = inputs.iter().zip(lengths.iter().cycle());
        let sample: Option<Vec<_>> = arrays
            .map(|(input, &len)| input.draw::<T>(&mut draw, len))
            .collect();
        samples.extend(sample);
    }
    samples
}

impl Input {
    fn draw<T: Real>(&self, draw: &mut Draw, len: usize) -> Option<HostArray> {
        match self {
            Self::Vector(holds) => {
                let mut trials = (0..TRIALS).map(|_| draw.vector(len));
                let values = trials.find(|v| holds(v))?;
                vector::<T>(&values)
            }
            Self::Number(range) => HostArray::new(vec![], Column::from(vec![draw.int(range)])).ok(),
        }
    }
}

fn vector<T: Real>(values: &[f64]) -> Option<HostArray> {
    let values = values.iter().map(|&x| T::from_f64(x)).collect();
    let array = Array::<Ix1, T>::vector(values).ok()?;
    array.into_columns().pop()
}
