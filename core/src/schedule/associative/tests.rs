//! Operators that are associative but for rounding, on numbers of all magnitudes; and operators that are not.

use super::*;
use crate::integer_type;
use Prim::*;
use ScalarType::{Bool, F16, F32, F64, I32, I64, U32};

/// An operator being written.
struct Code(Body);

impl Code {
    fn p(&mut self, prim: Prim, operands: &[ValueId]) -> ValueId {
        let types: Vec<_> = operands.iter().map(|&v| self.0.type_of(v)).collect();
        let ty = prim.result_type(&types).unwrap();
        self.0.push(Op::Prim(prim, operands.to_vec()), ty)
    }

    /// A literal of the type of another value.
    fn literal(&mut self, like: ValueId, value: f64) -> ValueId {
        let ty = self.0.type_of(like);
        self.0.push(Op::Const(of_type(ty, value)), ty)
    }

    fn sum_of_products(&mut self, [a, b, c, d]: [ValueId; 4]) -> ValueId {
        let (x, y) = (self.p(Mul, &[a, b]), self.p(Mul, &[c, d]));
        self.p(Add, &[x, y])
    }
}

/// A number of a type; integers are rounded, and truth values say whether it is positive.
fn of_type(ty: ScalarType, x: f64) -> Const {
    match ty {
        Bool => Const::Bool(x > 0.0),
        integer_type!() if ty.is_unsigned() => Const::integer(ty, x.abs() as i128),
        integer_type!() => Const::integer(ty, x as i128),
        F16 => Const::F16(f16_of_f64(x)),
        F32 => Const::F32(x as f32),
        F64 => Const::F64(x),
    }
}

/// What makes the results of an operator of its left and right operands.
type Write = fn(&mut Code, &[ValueId], &[ValueId]) -> Vec<ValueId>;

fn operator(types: &[ScalarType], write: Write) -> Operator {
    let mut code = Code(Body::default());
    let both = types.iter().chain(types).enumerate();
    let args: Vec<_> = both
        .map(|(i, &ty)| code.0.push(Op::Arg(i as u32), ty))
        .collect();
    let (x, y) = args.split_at(types.len());
    let results = write(&mut code, x, y);
    Operator {
        body: code.0,
        results,
    }
}

fn violation(operator: &Operator, triple: &[Vec<Const>; 3]) -> Option<Violation> {
    let suspect = Suspect::of(operator)?;
    suspect.violation(&|_| Const::I32(0), triple)
}

/// x + y + x·y.
fn with_product(b: &mut Code, x: &[ValueId], y: &[ValueId]) -> Vec<ValueId> {
    let (sum, product) = (b.p(Add, &[x[0], y[0]]), b.p(Mul, &[x[0], y[0]]));
    vec![b.p(Add, &[sum, product])]
}

/// tanh(artanh x + artanh y).
fn velocities(b: &mut Code, x: &[ValueId], y: &[ValueId]) -> Vec<ValueId> {
    let (sum, product) = (b.p(Add, &[x[0], y[0]]), b.p(Mul, &[x[0], y[0]]));
    let one = b.literal(x[0], 1.0);
    let divisor = b.p(Add, &[one, product]);
    vec![b.p(Div, &[sum, divisor])]
}

/// ln(eˣ + eʸ).
fn log_sum(b: &mut Code, x: &[ValueId], y: &[ValueId]) -> Vec<ValueId> {
    let max = b.p(Max, &[x[0], y[0]]);
    let powers = [x[0], y[0]].map(|v| {
        let shifted = b.p(Sub, &[v, max]);
        b.p(Exp, &[shifted])
    });
    let sum = b.p(Add, &powers);
    let log = b.p(Ln, &[sum]);
    vec![b.p(Add, &[max, log])]
}

/// The same as pairs of a maximum and a sum relative to it.
fn log_sum_pairs(b: &mut Code, x: &[ValueId], y: &[ValueId]) -> Vec<ValueId> {
    let max = b.p(Max, &[x[0], y[0]]);
    let scaled = [x, y].map(|v| {
        let shifted = b.p(Sub, &[v[0], max]);
        let power = b.p(Exp, &[shifted]);
        b.p(Mul, &[v[1], power])
    });
    vec![max, b.p(Add, &scaled)]
}

/// √(x² + y²).
fn norm(b: &mut Code, x: &[ValueId], y: &[ValueId]) -> Vec<ValueId> {
    let sum = b.sum_of_products([x[0], x[0], y[0], y[0]]);
    vec![b.p(Sqrt, &[sum])]
}

/// x·y / (x + y): resistances in parallel.
fn parallel(b: &mut Code, x: &[ValueId], y: &[ValueId]) -> Vec<ValueId> {
    let (product, sum) = (b.p(Mul, &[x[0], y[0]]), b.p(Add, &[x[0], y[0]]));
    vec![b.p(Div, &[product, sum])]
}

/// a·s + b, the left map first.
fn affine(b: &mut Code, x: &[ValueId], y: &[ValueId]) -> Vec<ValueId> {
    let (slope, moved) = (b.p(Mul, &[x[0], y[0]]), b.p(Mul, &[x[1], y[0]]));
    vec![slope, b.p(Add, &[moved, y[1]])]
}

fn matrices(b: &mut Code, x: &[ValueId], y: &[ValueId]) -> Vec<ValueId> {
    let entry = |i: usize, j: usize| [x[2 * i], y[j], x[2 * i + 1], y[2 + j]];
    [(0, 0), (0, 1), (1, 0), (1, 1)]
        .map(|(i, j)| b.sum_of_products(entry(i, j)))
        .to_vec()
}

fn complex(b: &mut Code, x: &[ValueId], y: &[ValueId]) -> Vec<ValueId> {
    let (re, im) = (b.p(Mul, &[x[0], y[0]]), b.p(Mul, &[x[1], y[1]]));
    vec![
        b.p(Sub, &[re, im]),
        b.sum_of_products([x[0], y[1], x[1], y[0]]),
    ]
}

/// Counts, means, and sums of squares of differences from these.
fn welford(b: &mut Code, x: &[ValueId], y: &[ValueId]) -> Vec<ValueId> {
    let count = b.p(Add, &[x[0], y[0]]);
    let delta = b.p(Sub, &[y[1], x[1]]);
    let share = b.p(Div, &[y[0], count]);
    let moved = b.p(Mul, &[delta, share]);
    let mean = b.p(Add, &[x[1], moved]);
    let within = b.p(Add, &[x[2], y[2]]);
    let between = b.p(Mul, &[moved, delta]);
    let between = b.p(Mul, &[between, x[0]]);
    vec![count, mean, b.p(Add, &[within, between])]
}

/// The greater one, of equals the first, with its companion.
fn extremum(b: &mut Code, x: &[ValueId], y: &[ValueId]) -> Vec<ValueId> {
    let stays = b.p(Ge, &[x[0], y[0]]);
    vec![
        b.p(Select, &[stays, x[0], y[0]]),
        b.p(Select, &[stays, x[1], y[1]]),
    ]
}

/// Sums that begin anew where the first component is positive.
fn segmented(b: &mut Code, x: &[ValueId], y: &[ValueId]) -> Vec<ValueId> {
    let zero = b.literal(y[0], 0.0);
    let begins = b.p(Gt, &[y[0], zero]);
    let sum = b.p(Add, &[x[1], y[1]]);
    vec![b.p(Max, &[x[0], y[0]]), b.p(Select, &[begins, y[1], sum])]
}

/// The sum, and the greatest sum of a beginning.
fn prefixes(b: &mut Code, x: &[ValueId], y: &[ValueId]) -> Vec<ValueId> {
    let later = b.p(Add, &[x[0], y[1]]);
    vec![b.p(Add, &[x[0], y[0]]), b.p(Max, &[x[1], later])]
}

/// The fraction of x + y: it jumps where that is an integer.
fn turns(b: &mut Code, x: &[ValueId], y: &[ValueId]) -> Vec<ValueId> {
    let sum = b.p(Add, &[x[0], y[0]]);
    let whole = b.p(Floor, &[sum]);
    vec![b.p(Sub, &[sum, whole])]
}

/// An operator: its name, its components, how it is written, and what its first component is made.
type Named = (&'static str, usize, Write, fn(f64) -> f64);

/// Associative operators, with the number of their components and what the first of them is made.
const ASSOCIATIVE: [Named; 13] = [
    ("x + y + x·y", 1, with_product, |x| x),
    ("velocities", 1, velocities, |x| x.tanh()),
    ("log of sums", 1, log_sum, |x| x),
    ("logs of sums in pairs", 2, log_sum_pairs, |x| x),
    ("norm", 1, norm, |x| x),
    ("parallel", 1, parallel, f64::abs),
    ("affine", 2, affine, |x| x),
    ("matrices", 4, matrices, |x| x),
    ("complex", 2, complex, |x| x),
    ("mean and deviation", 3, welford, |x| {
        x.abs().clamp(1.0, 100.0).floor()
    }),
    ("extremum", 2, extremum, |x| x),
    ("segmented", 2, segmented, |x| x),
    ("prefixes", 2, prefixes, |x| x),
];

/// A sequence of numbers that looks random and is the same each time.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % n
    }

    /// Numbers of all magnitudes, simple ones and special ones.
    fn number(&mut self) -> f64 {
        let digits = self.below(1 << 30) as f64 / f64::from(1 << 29) - 1.0;
        match self.below(20) {
            0 => [0.0, -0.0, 1.0, -1.0][self.below(4)],
            1 => [f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 1e-310][self.below(4)],
            2 => 1.0 - 1e-9 * digits.abs(),
            3 => -1.0 + 1e-15 * digits.abs(),
            4..8 => (self.below(9) as f64 - 4.0) * 0.5,
            8 | 9 => digits * 10f64.powi(self.below(600) as i32 - 300),
            10..12 => digits * 10f64.powi(self.below(12) as i32 - 6),
            _common => 3.0 * digits,
        }
    }
}

fn triple(random: &mut Random, types: &[ScalarType], first: fn(f64) -> f64) -> [Vec<Const>; 3] {
    [(); 3].map(|()| {
        let mut numbers: Vec<_> = types.iter().map(|_| random.number()).collect();
        numbers[0] = first(numbers[0]);
        let pairs = types.iter().zip(numbers);
        pairs.map(|(&ty, x)| of_type(ty, x)).collect()
    })
}

#[test]
fn rounding_is_no_violation() {
    for (name, components, write, first) in ASSOCIATIVE {
        for ty in [F64, F32, F16] {
            let types = vec![ty; components];
            let operator = operator(&types, write);
            let mut random = Random(components as u64);
            for _ in 0..4000 {
                let triple = triple(&mut random, &types, first);
                let found = violation(&operator, &triple);
                assert!(found.is_none(), "{name} in {ty}: {}", found.unwrap());
            }
        }
    }
}

#[test]
fn jumps_are_no_violation_where_rounding_decides() {
    let operator = operator(&[F64], turns);
    for i in 0..1000 {
        let a = f64::from(i) / 1000.0;
        let b = 1.0 - a;
        for c in [0.0, 0.1, 0.3, 1.0 - 1e-17, 0.7] {
            let triple = [a, b - 0.1, c + 0.1].map(|x| vec![Const::F64(x)]);
            let found = violation(&operator, &triple);
            assert!(found.is_none(), "{}", found.unwrap());
        }
    }
}

#[test]
fn integers_wrap_around_alike() {
    for (write, components) in [
        (with_product as Write, 1),
        (affine, 2),
        (matrices, 4),
        (prefixes, 2),
    ] {
        for ty in [I32, I64, U32] {
            let types = vec![ty; components];
            let operator = operator(&types, write);
            let mut random = Random(5);
            for _ in 0..2000 {
                let triple = triple(&mut random, &types, |x| x * 1e9);
                let found = violation(&operator, &triple);
                assert!(found.is_none(), "{ty}: {}", found.unwrap());
            }
        }
    }
}

/// Operators that are not associative, with their first operand.
const OTHERS: [(&str, Write); 6] = [
    ("half", |b, x, y| {
        let (two, three) = (b.literal(x[0], 2.0), b.literal(x[0], 3.0));
        let doubled = b.p(Mul, &[x[0], two]);
        let tripled = b.p(Mul, &[y[0], three]);
        vec![b.p(Add, &[doubled, tripled])]
    }),
    ("recurrence", |b, x, y| {
        let two = b.literal(x[0], 2.0);
        let scaled = b.p(Mul, &[x[0], two]);
        vec![b.p(Add, &[scaled, y[0]])]
    }),
    ("difference", |b, x, y| vec![b.p(Sub, &[x[0], y[0]])]),
    ("distance", |b, x, y| {
        let (max, min) = (b.p(Max, &[x[0], y[0]]), b.p(Min, &[x[0], y[0]]));
        vec![b.p(Sub, &[max, min])]
    }),
    ("squares", |b, x, y| {
        let square = b.p(Mul, &[y[0], y[0]]);
        vec![b.p(Add, &[x[0], square])]
    }),
    ("limited", |b, x, y| {
        let two = b.literal(x[0], 2.0);
        let least = b.p(Min, &[x[0], two]);
        vec![b.p(Mul, &[least, y[0]])]
    }),
];

#[test]
fn what_is_not_associative_is_found_in_every_type() {
    for (name, write) in OTHERS {
        for ty in [F64, F32, F16, I32, I64, U32] {
            let operator = operator(&[ty], write);
            let values = [1.0, 3.0, 3.0, 2.0, 4.0].map(|x| vec![of_type(ty, x)]);
            let mut triples = values.windows(3);
            let found = triples
                .find_map(|w| violation(&operator, &[w[0].clone(), w[1].clone(), w[2].clone()]));
            assert!(found.is_some(), "{name} in {ty}");
        }
    }
    // Sums that wrap around from the first triple on.
    let hash = operator(&[U32], |b, x, y| {
        let factor = b.literal(x[0], 16_777_619.0);
        let product = b.p(Mul, &[x[0], factor]);
        vec![b.p(BitXor, &[product, y[0]])]
    });
    let values = [0xffff_fff0, 0x8000_0001, 97].map(|x| vec![Const::U32(x)]);
    assert!(violation(&hash, &values).is_some());
    let implies = operator(&[Bool], |b, x, y| {
        let not = b.p(Not, &[x[0]]);
        vec![b.p(Or, &[not, y[0]])]
    });
    let values = [false, false, false].map(|x| vec![Const::Bool(x)]);
    assert!(violation(&implies, &values).is_some());
}

#[test]
fn of_several_components_the_wrong_ones_are_named() {
    let operator = operator(&[F64, I32, F32], |b, x, y| {
        let sum = b.p(Add, &[x[0], y[0]]);
        let product = b.p(Mul, &[x[2], y[2]]);
        vec![sum, b.p(Sub, &[x[1], y[1]]), product]
    });
    let triple = [1, 2, 4].map(|i| vec![Const::F64(0.5), Const::I32(i), Const::F32(2.0)]);
    let found = violation(&operator, &triple).unwrap();
    let expected =
        "for a = 1, b = 2 and c = 4, combining a and b first gives -5, and b and c first 3";
    assert_eq!(
        (found.components.as_slice(), found.to_string()),
        (&[1][..], expected.to_owned())
    );
}

#[test]
fn primitives_are_known_to_be_associative() {
    for (prim, ty) in [
        (Add, F16),
        (Mul, F32),
        (Max, F64),
        (Min, I32),
        (BitXor, U32),
        (Ne, Bool),
    ] {
        assert!(Suspect::of(&Operator::of_prim(prim, ty)).is_none());
    }
    let (sum, max) = (Operator::of_prim(Add, F64), Operator::of_prim(Max, F64));
    assert!(Suspect::of(&Operator::product(&sum, &max)).is_none());
    let difference = Operator::of_prim(Sub, F64);
    assert!(Suspect::of(&Operator::product(&sum, &difference)).is_some());
}
