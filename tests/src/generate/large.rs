//! Programs on many elements of few digits: sums by rows and by places, of functions of the elements and one number, and
//! their gradients by that number; `f64` says what they should be.
//!
//! Elements are positive, so that sums do not cancel, and have few different values, so that the errors of adding one after
//! the other do not, either.

use super::{Case, Random};
use cotangent_core::build::{AccBuilder, Arr, FunBuilder};
use cotangent_core::constant::Const;
use cotangent_core::host::{Column, HostArray};
use cotangent_core::integer_type;
use cotangent_core::prim::Prim;
use cotangent_core::rounding::f16_of_f64;
use cotangent_core::term::{AccOp, Combine, Direction, ExpId, Fun, Labelled, Mode, Program};
use cotangent_core::types::ArrayType;
use cotangent_core::types::ScalarType::{self, Bool, F16, I32};

/// About so many elements.
const ELEMENTS: usize = 100_000;

/// What becomes of the elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// Sums by the innermost dimension, then of these, and so on.
    Sums,
    /// The same without initial value.
    Sums1,
    /// All partial sums of each row.
    Scan(Direction),
    /// Sums by places, of which there are so many.
    Places(i32),
    /// The derivative of the sum by the number.
    Gradient,
    /// ln Σ eˣ by rows.
    LogSums,
}

/// A program on an array of elements of that type and a number.
pub fn from_seed(seed: u64, ty: ScalarType) -> Case {
    let mut random = Random::from_seed(seed);
    let shape = shape(&mut random);
    let way = random.pick(&[
        Way::Sums,
        Way::Sums1,
        Way::Scan(Direction::Left),
        Way::Scan(Direction::Right),
        Way::Places(1),
        Way::Places(7),
        Way::Places(1000),
        Way::Gradient,
        Way::LogSums,
    ]);
    let mut b = AccBuilder::new(0);
    let params = [ArrayType::new(ty, shape.len()), ArrayType::new(ty, 0)].map(|ty| b.fresh(ty));
    let [x, k] = &params;
    let choice = random.below(6);
    let result = result(&mut b, way, choice, x, k);
    let program: Program<Labelled> = Program {
        body: b.finish(&[result]),
        params: params.to_vec(),
        uses: vec![],
        alike: Default::default(),
    };
    let inputs = inputs(&mut random, ty, shape);
    Case { program, inputs }
}

fn shape(random: &mut Random) -> Vec<usize> {
    let n = ELEMENTS + random.below(100);
    let rows = random.pick(&[1, 3, 250, ELEMENTS / 3]);
    match random.below(3) {
        0 => vec![n],
        1 => vec![rows, n / rows],
        _last => vec![n / rows, rows],
    }
}

/// Three different elements, and the number.
fn inputs(random: &mut Random, ty: ScalarType, shape: Vec<usize>) -> Vec<HostArray> {
    let base = random.pick(&[0.05, 0.1, 0.3]);
    let few = [(); 3].map(|()| constant(ty, base * (1.0 + 0.1 * random.unit())));
    let len = shape.iter().product();
    let elements: Vec<_> = (0..len).map(|_| random.pick(&few)).collect();
    let arrays = [(shape, elements), (vec![], vec![constant(ty, 0.7)])];
    let arrays = arrays.into_iter().filter_map(|(shape, elements)| {
        HostArray::new(shape, Column::from_consts(ty, elements)?).ok()
    });
    arrays.collect()
}

fn constant(ty: ScalarType, x: f64) -> Const {
    match ty {
        F16 => Const::F16(f16_of_f64(x)),
        ScalarType::F32 => Const::F32(x as f32),
        ScalarType::F64 => Const::F64(x),
        Bool | integer_type!() => Const::small(ty, x as i32),
    }
}

/// A positive function of an element and the number.
fn function(choice: usize, x: &Arr, k: &Arr) -> Fun<Labelled> {
    let mut f = FunBuilder::new();
    let x = f.param(x.ty.elem);
    let k = f.index(k, &[]);
    let result = match choice {
        0 => f.prim(Prim::Mul, &[x, k]),
        1 => {
            let product = f.prim(Prim::Mul, &[x, x]);
            f.prim(Prim::Mul, &[product, k])
        }
        2 => {
            let root = f.prim(Prim::Sqrt, &[x]);
            f.prim(Prim::Mul, &[root, k])
        }
        3 => quotient(&mut f, x, k),
        4 => {
            let product = f.prim(Prim::Mul, &[x, k]);
            f.prim(Prim::Ln1p, &[product])
        }
        _last => {
            let product = f.prim(Prim::Mul, &[x, k]);
            let power = f.prim(Prim::Exp, &[product]);
            f.prim(Prim::Mul, &[power, x])
        }
    };
    f.finish(vec![result])
}

/// x·k / (x + k).
fn quotient(f: &mut FunBuilder, x: ExpId, k: ExpId) -> ExpId {
    let (product, sum) = (f.prim(Prim::Mul, &[x, k]), f.prim(Prim::Add, &[x, k]));
    f.prim(Prim::Div, &[product, sum])
}

fn result(b: &mut AccBuilder, way: Way, choice: usize, x: &Arr, k: &Arr) -> Arr {
    if way == Way::Gradient {
        return gradient(b, choice, x, k);
    }
    let y = b
        .map(function(choice, x, k), std::slice::from_ref(x))
        .remove(0);
    let (add, zero) = (Fun::prim(Prim::Add, &[y.ty.elem; 2]), zero(&y));
    match way {
        Way::Sums | Way::Gradient => total(b, y),
        Way::Sums1 => b.fold(add, None, &[y]).remove(0),
        Way::Scan(direction) => b.scan(direction, add, Some(zero), &[y]).remove(0),
        Way::Places(count) => placed(b, &y, count),
        Way::LogSums => b.fold(log_sum(&y), None, &[y]).remove(0),
    }
}

fn zero(y: &Arr) -> Fun<Labelled> {
    Fun::constants(&[Const::zero(y.ty.elem)])
}

/// The sum of all elements.
fn total(b: &mut AccBuilder, mut y: Arr) -> Arr {
    while y.ty.rank > 0 {
        let add = Fun::prim(Prim::Add, &[y.ty.elem; 2]);
        let zero = zero(&y);
        y = b.fold(add, Some(zero), &[y]).remove(0);
    }
    y
}

/// The sums of those elements whose outermost coordinate leaves the same rest when divided by `count`.
fn placed(b: &mut AccBuilder, y: &Arr, count: i32) -> Arr {
    let zero = zero(y);
    let zeros = b.generate(Fun::constants(&[Const::I32(count)]), discarding(&zero));
    let mut f = FunBuilder::new();
    let index = f.params(&vec![I32; y.ty.rank]);
    let (all, modulus) = (f.constant(true), f.constant(count));
    let place = f.prim(Prim::ModFloor, &[index[0], modulus]);
    let target = f.finish(vec![all, place]);
    b.permute(Combine::Add, &zeros, target, std::slice::from_ref(y))
        .remove(0)
}

/// The constant as a function of an index.
fn discarding(constant: &Fun<Labelled>) -> Fun<Labelled> {
    let mut f = FunBuilder::new();
    f.param(I32);
    let value = f.inline(constant, &[]);
    f.finish(value)
}

/// ln(eˣ + eʸ).
fn log_sum(like: &Arr) -> Fun<Labelled> {
    let mut f = FunBuilder::new();
    let both = f.params(&[like.ty.elem; 2]);
    let max = f.prim(Prim::Max, &both);
    let powers: Vec<_> = both
        .iter()
        .map(|&x| {
            let shifted = f.prim(Prim::Sub, &[x, max]);
            f.prim(Prim::Exp, &[shifted])
        })
        .collect();
    let sum = f.prim(Prim::Add, &powers);
    let log = f.prim(Prim::Ln, &[sum]);
    let result = f.prim(Prim::Add, &[max, log]);
    f.finish(vec![result])
}

/// The derivative of the sum of the function by the number.
fn gradient(b: &mut AccBuilder, choice: usize, x: &Arr, k: &Arr) -> Arr {
    let inner = b.fresh(k.ty);
    b.open();
    let y = b
        .map(function(choice, x, &inner), std::slice::from_ref(x))
        .remove(0);
    let sum = total(b, y);
    let body = b.close(&[sum]);
    let op = AccOp::Derivative {
        mode: Mode::Gradient { with_value: false },
        params: vec![inner],
        body,
        args: vec![k.name],
    };
    b.push(op, &[k.ty]).remove(0)
}
