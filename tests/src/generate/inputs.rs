//! Random host arrays.

use super::random::Random;
use cotangent_core::constant::Const;
use cotangent_core::host::{Column, HostArray};
use cotangent_core::rounding::f16_of_f64;
use cotangent_core::types::{ArrayType, ScalarType};
use cotangent_core::{integer_const, integer_type};

/// How many percent of the arrays of smooth programs have few different elements, of many digits each: so that there are
/// ties.
const TIED: usize = 20;

/// How large the arrays of a program may be.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sizes {
    /// The most elements of an array.
    pub(crate) elements: usize,
    /// The least and the greatest extent of a dimension that is to be long.
    pub(crate) long: (usize, usize),
}

impl Sizes {
    /// Mostly enough for more than one vector; rarely for more than one block of vectors.
    pub(crate) fn new(random: &mut Random) -> Self {
        if random.chance(3) {
            return Self {
                elements: 4000,
                long: (1000, 2500),
            };
        }
        Self {
            elements: 800,
            long: (65, 300),
        }
    }
}

/// How large the elements of an array are.
#[derive(Clone, Copy, Debug)]
enum Flavour {
    /// Multiples of ¼ around 0, zeros and ties included; small integers.
    Nice,
    /// Between −1 and 1; small integers.
    Unit,
    /// Between −3 and 3; small integers.
    Smooth,
    /// Of any magnitude.
    Wild,
    /// With infinities, NaN and negative zeros among nice ones; any integers.
    Special,
}

/// Extents that the inputs of one program share, so that they fit one another.
pub(crate) fn extents(random: &mut Random) -> Vec<usize> {
    (0..3).map(|_| extent(random)).collect()
}

fn extent(random: &mut Random) -> usize {
    random.weighted(&[
        (3, 0),
        (8, 1),
        (15, 2),
        (20, 3),
        (15, 4),
        (10, 5),
        (5, 6),
        (5, 7),
    ])
}

/// A shape of the given rank; one in ten has a long dimension.
pub(crate) fn shape(random: &mut Random, pool: &[usize], sizes: Sizes, rank: usize) -> Vec<usize> {
    let mut shape: Vec<_> = (0..rank).map(|_| random.pick(pool)).collect();
    if rank > 0 && random.chance(10) {
        let axis = random.below(rank);
        shape.iter_mut().for_each(|e| *e = (*e).min(2));
        shape[axis] = random.between(sizes.long.0, sizes.long.1);
    }
    while shape.iter().product::<usize>() > sizes.elements {
        shape.iter_mut().for_each(|e| *e /= 2);
    }
    shape
}

/// An array of that shape; `smooth` ones hold nothing that functions are likely not to be smooth at, but for ties.
pub(crate) fn array(
    random: &mut Random,
    ty: ScalarType,
    shape: Vec<usize>,
    smooth: bool,
) -> Option<HostArray> {
    let any = random.weighted(&[
        (60, Flavour::Nice),
        (26, Flavour::Unit),
        (8, Flavour::Wild),
        (6, Flavour::Special),
    ]);
    let flavour = if smooth { Flavour::Smooth } else { any };
    let len = shape.iter().product::<usize>();
    let values: Vec<_> = match smooth && random.chance(TIED) {
        true => {
            let few = [(); 3].map(|()| element(random, ty, flavour));
            (0..len).map(|_| random.pick(&few)).collect()
        }
        false => (0..len).map(|_| element(random, ty, flavour)).collect(),
    };
    HostArray::new(shape, Column::from_consts(ty, values)?).ok()
}

fn element(random: &mut Random, ty: ScalarType, flavour: Flavour) -> Const {
    match ty {
        ScalarType::Bool => Const::Bool(random.chance(50)),
        integer_type!() => match ty.is_unsigned() {
            true => Const::integer(ty, unsigned(random, flavour).into()),
            false => Const::integer(ty, integer(random, flavour).into()),
        },
        ScalarType::F16 => Const::F16(f16_of_f64(float(random, flavour, 4.0))),
        ScalarType::F32 => Const::F32(float(random, flavour, 12.0) as f32),
        ScalarType::F64 => Const::F64(float(random, flavour, 60.0)),
    }
}

fn integer(random: &mut Random, flavour: Flavour) -> i64 {
    match flavour {
        Flavour::Nice | Flavour::Unit | Flavour::Smooth => random.below(16) as i64 - 5,
        Flavour::Wild | Flavour::Special => {
            let any = random.bits() as i64;
            random.pick(&[
                0,
                -1,
                1,
                31,
                64,
                i64::MAX,
                i64::MIN,
                i32::MIN.into(),
                i16::MIN.into(),
                i8::MIN.into(),
                any,
                any,
            ])
        }
    }
}

fn unsigned(random: &mut Random, flavour: Flavour) -> u64 {
    match flavour {
        Flavour::Nice | Flavour::Unit | Flavour::Smooth => random.below(16) as u64,
        Flavour::Wild | Flavour::Special => integer(random, flavour) as u64,
    }
}

fn float(random: &mut Random, flavour: Flavour, digits: f64) -> f64 {
    let nice = 0.25 * (random.below(25) as f64 - 12.0);
    match flavour {
        Flavour::Nice => nice,
        Flavour::Unit => random.unit(),
        Flavour::Smooth => 3.0 * random.unit(),
        Flavour::Wild => random.unit() * 10f64.powf(digits * random.unit()),
        Flavour::Special => random.pick(&[
            f64::INFINITY,
            f64::NEG_INFINITY,
            f64::NAN,
            -0.0,
            0.0,
            nice,
            nice,
            nice,
            nice,
        ]),
    }
}

/// A literal, mostly a small one.
pub(crate) fn literal(random: &mut Random, ty: ScalarType, bounded: bool) -> Const {
    let special = !bounded && random.chance(6);
    element(
        random,
        ty,
        if special {
            Flavour::Special
        } else {
            Flavour::Nice
        },
    )
}

/// A random element type; see the note [Half-precision].
pub(crate) fn elem(random: &mut Random) -> ScalarType {
    random.weighted(&[
        (40, ScalarType::F64),
        (22, ScalarType::F32),
        (20, ScalarType::I32),
        (8, ScalarType::I64),
        (7, ScalarType::U32),
        (1, ScalarType::I8),
        (1, ScalarType::I16),
        (2, ScalarType::U8),
        (1, ScalarType::U16),
        (2, ScalarType::U64),
        (10, ScalarType::Bool),
    ])
}

/// A random array type, of a rank up to 4.
pub(crate) fn array_type(random: &mut Random) -> ArrayType {
    let rank = random.weighted(&[(12, 0), (38, 1), (30, 2), (13, 3), (7, 4)]);
    ArrayType::new(elem(random), rank)
}

/// The magnitude of the largest element; infinite where one is not finite.
pub(crate) fn bound(array: &HostArray) -> f64 {
    let magnitude = |i| array.column().get(i).map_or(0.0, magnitude_of);
    let larger = |m: f64, x: f64| if x.is_nan() { f64::INFINITY } else { m.max(x) };
    (0..array.column().len()).map(magnitude).fold(0.0, larger)
}

/// The magnitude of a scalar.
pub(crate) fn magnitude_of(value: Const) -> f64 {
    match value {
        Const::Bool(_) => 1.0,
        integer_const!() => value.as_integer().unwrap_or(0).unsigned_abs() as f64,
        Const::F16(x) => x.to_f64().abs(),
        Const::F32(x) => f64::from(x).abs(),
        Const::F64(x) => x.abs(),
    }
}
