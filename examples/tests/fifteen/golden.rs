//! What JAX gave, and arrays from and to the form that it has in the file.

use cotangent::prelude::*;
use serde_json::Value;

const FILE: &str = include_str!("../../src/fifteen/golden.json");

/// An array: its shape, and its elements in row-major order.
#[derive(Debug)]
pub struct Leaf {
    pub shape: Vec<usize>,
    pub values: Vec<f64>,
}

/// Inputs and outputs of a program.
pub struct Golden {
    pub inputs: Vec<Leaf>,
    pub outputs: Vec<Leaf>,
}

/// Those of the program of this name.
pub fn golden(name: &str) -> Golden {
    let file: Value = serde_json::from_str(FILE).unwrap();
    let leaves = |key| file[name][key].as_array().unwrap().iter().map(leaf);
    Golden {
        inputs: leaves("inputs").collect(),
        outputs: leaves("outputs").collect(),
    }
}

/// The names of all programs in the file.
pub fn names() -> Vec<String> {
    let file: Value = serde_json::from_str(FILE).unwrap();
    file.as_object().unwrap().keys().cloned().collect()
}

fn leaf(value: &Value) -> Leaf {
    let shape = value["shape"].as_array().unwrap().iter();
    let shape = shape.map(|extent| extent.as_u64().unwrap() as usize);
    Leaf {
        shape: shape.collect(),
        values: numbers(&value["values"]),
    }
}

fn numbers(value: &Value) -> Vec<f64> {
    match value {
        Value::Array(values) => values.iter().flat_map(numbers).collect(),
        value => vec![value.as_f64().unwrap()],
    }
}

impl Leaf {
    fn integers(&self) -> Vec<i32> {
        self.values.iter().map(|x| *x as i32).collect()
    }

    fn extents<const N: usize>(&self) -> [usize; N] {
        self.shape.clone().try_into().unwrap()
    }

    pub fn number(&self) -> Array<Ix0, f64> {
        Array::scalar(self.values[0])
    }

    pub fn vector(&self) -> Array<Ix1, f64> {
        Array::from_vec(self.extents::<1>(), self.values.clone()).unwrap()
    }

    pub fn matrix(&self) -> Array<Ix2, f64> {
        Array::from_vec(self.extents::<2>(), self.values.clone()).unwrap()
    }

    pub fn integer_vector(&self) -> Array<Ix1, i32> {
        Array::from_vec(self.extents::<1>(), self.integers()).unwrap()
    }

    pub fn integer_matrix(&self) -> Array<Ix2, i32> {
        Array::from_vec(self.extents::<2>(), self.integers()).unwrap()
    }

    pub fn complex_matrix(&self) -> Array<Ix2, Complex<f64>> {
        let pairs = self.values.chunks(2);
        let numbers = pairs.map(|pair| Complex::new(pair[0], pair[1])).collect();
        Array::from_vec(self.extents::<2>(), numbers).unwrap()
    }
}

/// What a program gives.
pub trait Leaves {
    /// Its arrays in order.
    fn leaves(&self) -> Vec<Leaf>;
}

impl<Sh: Shape> Leaves for Array<Sh, f64> {
    fn leaves(&self) -> Vec<Leaf> {
        vec![Leaf {
            shape: self.shape().to_vec(),
            values: self.to_vec(),
        }]
    }
}

impl<Sh: Shape> Leaves for Array<Sh, i32> {
    fn leaves(&self) -> Vec<Leaf> {
        vec![Leaf {
            shape: self.shape().to_vec(),
            values: self.to_vec().into_iter().map(f64::from).collect(),
        }]
    }
}

impl<A: Leaves, B: Leaves> Leaves for (A, B) {
    fn leaves(&self) -> Vec<Leaf> {
        [self.0.leaves(), self.1.leaves()]
            .into_iter()
            .flatten()
            .collect()
    }
}

impl<A: Leaves, B: Leaves, C: Leaves, D: Leaves> Leaves for (A, B, C, D) {
    fn leaves(&self) -> Vec<Leaf> {
        let all = [
            self.0.leaves(),
            self.1.leaves(),
            self.2.leaves(),
            self.3.leaves(),
        ];
        all.into_iter().flatten().collect()
    }
}
