//! Simplification and facts, on random code and on the operands that matter.

use super::*;
use crate::code::{CodeId, Codes, HOST, HostValue};
use cotangent_core::schedule::{Op, SymbolId, ValueId};

/// A sequence of numbers that looks random and is the same each time.
pub(super) struct Random(pub u64);

impl Random {
    pub(super) fn below(&mut self, n: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % n
    }

    pub(super) fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())]
    }
}

/// Integer code over two coordinates, built by the same calls in [`Codes`] and here, without simplification.
pub(super) struct Pair {
    codes: Codes,
    code: CodeId,
    extents: [HostValue; 2],
    plain: Vec<(Op, ValueId)>,
}

impl Pair {
    pub(super) fn new() -> Self {
        let mut codes = Codes::new();
        let code = codes.open();
        let extents = [0, 1].map(|s| codes.atom(SymbolId(s), I32, true));
        let mut pair = Self {
            codes,
            code,
            extents,
            plain: vec![],
        };
        for axis in 0..2 {
            let extent = pair.extents[axis];
            let (leaf, coord) = {
                let leaf = pair.codes.leaf(code, extent);
                (leaf, pair.codes.coord(code, axis, extent))
            };
            pair.plain.push((Op::Symbol(SymbolId(axis as u32)), leaf));
            pair.plain.push((Op::Coord(axis as u32), coord));
        }
        pair
    }

    /// A literal; gives its position.
    pub(super) fn literal(&mut self, value: i32) -> usize {
        let v = self.codes.constant(self.code, value);
        self.plain.push((Op::Const(value.into()), v));
        self.plain.len() - 1
    }

    /// A primitive of what is at some positions; gives its own.
    pub(super) fn prim(&mut self, op: Prim, operands: &[usize]) -> usize {
        let values: Vec<_> = operands.iter().map(|&i| self.plain[i].1).collect();
        let v = self.codes.prim(self.code, op, &values);
        let operands = operands.iter().map(|&i| ValueId(i as u32)).collect();
        self.plain.push((Op::Prim(op, operands), v));
        self.plain.len() - 1
    }

    /// What became of the instruction at a position.
    pub(super) fn value(&self, position: usize) -> ValueId {
        self.plain[position].1
    }

    /// Those values that are proved to be an index below the first extent.
    pub(super) fn proved(&mut self, values: &[ValueId]) -> Vec<ValueId> {
        let (code, extent) = (self.code, self.extents[0]);
        let proved = |v: &&ValueId| self.codes.is_in_range(code, &[**v], &[extent], None);
        values.iter().filter(proved).copied().collect()
    }

    /// An integer at one point.
    pub(super) fn integer_at(&self, v: ValueId, extents: [i32; 2], coords: [i32; 2]) -> i32 {
        let host = evaluate(&self.codes, HOST, &extents, &[], &[]);
        let values = evaluate(&self.codes, self.code, &extents, &coords, &host);
        match values[v.index()] {
            Const::I32(value) => value,
            other => panic!("an integer, not {other}"),
        }
    }

    fn of_type(&self, ty: ScalarType) -> Vec<usize> {
        let typed = |i: &usize| self.codes.type_of(self.code, self.plain[*i].1) == ty;
        (0..self.plain.len()).filter(typed).collect()
    }

    fn grow(&mut self, random: &mut Random) {
        let integers = self.of_type(I32);
        let truths = self.of_type(ScalarType::Bool);
        use Prim::*;
        let numeric = [
            Add, Sub, Mul, Min, Max, Quot, Rem, DivFloor, ModFloor, Add, Sub,
        ];
        let tests = [Lt, Le, Gt, Ge, Eq, Ne];
        let (x, y) = (random.pick(&integers), random.pick(&integers));
        match random.below(8) {
            0 => {
                self.literal(random.pick(&[0, 1, -1, 2, 7, i32::MAX, i32::MIN]));
            }
            1 => {
                self.prim(random.pick(&tests), &[x, y]);
            }
            2 if !truths.is_empty() => {
                let (p, q) = (random.pick(&truths), random.pick(&truths));
                self.prim(random.pick(&[And, Or, Eq]), &[p, q]);
            }
            3 if !truths.is_empty() => {
                self.prim(Not, &[random.pick(&truths)]);
            }
            4 if !truths.is_empty() => {
                self.prim(Select, &[random.pick(&truths), x, y]);
            }
            5 => {
                self.prim(Neg, &[x]);
            }
            _other => {
                self.prim(random.pick(&numeric), &[x, y]);
            }
        }
    }

    /// Requires that at one point, both have the same values, all of them within their ranges.
    pub(super) fn agree_at(&self, extents: [i32; 2], coords: [i32; 2]) {
        let host = evaluate(&self.codes, HOST, &extents, &[], &[]);
        let kernel = evaluate(&self.codes, self.code, &extents, &coords, &host);
        let mut plain: Vec<Const> = vec![];
        for (op, v) in &self.plain {
            let value = match op {
                Op::Symbol(s) => Const::I32(extents[s.index()]),
                Op::Coord(axis) => Const::I32(coords[*axis as usize]),
                Op::Const(c) => *c,
                Op::Prim(op, xs) => {
                    let xs: Vec<_> = xs.iter().map(|x| plain[x.index()]).collect();
                    op.eval(&xs).unwrap()
                }
                Op::Arg(_) | Op::Load(_) | Op::Loop(_) | Op::Out(..) => {
                    unreachable!("not in this test")
                }
            };
            plain.push(value);
            assert_eq!(
                kernel[v.index()],
                value,
                "{op} at {coords:?} of {extents:?}"
            );
        }
        for (code, values) in [(HOST, &host), (self.code, &kernel)] {
            for (i, value) in values.iter().enumerate() {
                self.is_in_range(code, ValueId(i as u32), *value, &host);
            }
        }
    }

    fn is_in_range(&self, code: CodeId, v: ValueId, value: Const, host: &[Const]) {
        let Const::I32(value) = value else { return };
        let range = self.codes.range(code, v);
        let value = i64::from(value);
        let text = || format!("{value} in {range:?} of {}", self.codes.op(code, v));
        assert!(range.low <= value && value <= range.high, "{}", text());
        if let Some(HostValue(below)) = range.below {
            let Const::I32(bound) = host[below.index()] else {
                panic!("a bound is an integer")
            };
            assert!(value < i64::from(bound), "{}, bound {bound}", text());
        }
    }
}

/// The values of all instructions of a piece of code.
fn evaluate(
    codes: &Codes,
    code: CodeId,
    extents: &[i32],
    coords: &[i32],
    host: &[Const],
) -> Vec<Const> {
    let mut values: Vec<Const> = vec![];
    for (_, inst) in codes[code].body().iter() {
        let value = match &inst.op {
            Op::Const(c) => *c,
            Op::Symbol(s) if code == HOST => Const::I32(extents[s.index()]),
            Op::Symbol(s) => host[s.index()],
            Op::Coord(axis) => Const::I32(coords[*axis as usize]),
            Op::Prim(op, xs) => {
                let xs: Vec<_> = xs.iter().map(|x| values[x.index()]).collect();
                op.eval(&xs).unwrap()
            }
            Op::Arg(_) | Op::Load(_) | Op::Loop(_) | Op::Out(..) => {
                unreachable!("not in this test")
            }
        };
        values.push(value);
    }
    values
}

#[test]
fn simplified_integer_code_means_the_same() {
    let mut random = Random(7);
    let mut shorter = 0;
    for _ in 0..400 {
        let mut pair = Pair::new();
        for _ in 0..40 {
            pair.grow(&mut random);
        }
        shorter += usize::from(pair.codes.len(pair.code) < pair.plain.len());
        for _ in 0..12 {
            let extents = [0, 1].map(|_| random.pick(&[1, 2, 3, 10, i32::MAX - 1, i32::MAX]));
            let coords = extents.map(|e| match random.below(3) {
                0 => 0,
                1 => e - 1,
                _other => random.below(e as usize) as i32,
            });
            pair.agree_at(extents, coords);
        }
    }
    assert!(shorter > 300, "{shorter} of 400 became shorter");
}

/// Loads that are proved are in range wherever their guard holds.
#[test]
fn proofs_hold() {
    let mut random = Random(11);
    let mut proved = 0;
    for _ in 0..2000 {
        let mut pair = Pair::new();
        for _ in 0..14 {
            pair.grow(&mut random);
        }
        let (code, extent) = (pair.code, pair.extents[0]);
        let guards: Vec<_> = pair
            .of_type(ScalarType::Bool)
            .iter()
            .map(|&i| pair.plain[i].1)
            .collect();
        let guard = (!guards.is_empty()).then(|| random.pick(&guards));
        for i in pair.of_type(I32) {
            let v = pair.plain[i].1;
            if !pair.codes.is_in_range(code, &[v], &[extent], guard) {
                continue;
            }
            proved += 1;
            for n in [1, 2, 5, i32::MAX] {
                for at in [0, n / 2, n - 1] {
                    let (extents, coords) = ([n, 3], [at, 1]);
                    let host = evaluate(&pair.codes, HOST, &extents, &[], &[]);
                    let values = evaluate(&pair.codes, code, &extents, &coords, &host);
                    let holds = guard.is_none_or(|g| values[g.index()] == Const::Bool(true));
                    let Const::I32(index) = values[v.index()] else {
                        panic!("an index is an integer")
                    };
                    assert!(!holds || (0..n).contains(&index), "{index} of {n}");
                }
            }
        }
    }
    assert!(proved > 2000, "{proved} proofs");
}

#[test]
fn float_rules_keep_signed_zeros() {
    let special = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        2.5,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::NAN,
    ];
    use Prim::*;
    for op in [Add, Sub, Mul, Div, Min, Max] {
        for literal in special {
            for negated in [false, true] {
                let mut codes = Codes::new();
                let code = codes.open_operator();
                let x = codes.arg(code, 0, F64);
                let x = if negated {
                    codes.prim(code, Neg, &[x])
                } else {
                    x
                };
                let y = codes.constant(code, literal);
                let results = [codes.prim(code, op, &[x, y]), codes.prim(code, op, &[y, x])];
                for argument in special {
                    let x = if negated { -argument } else { argument };
                    let operands = [[x, literal], [literal, x]].map(|xs| xs.map(Const::F64));
                    for (result, operands) in results.iter().zip(operands) {
                        let expected = op.eval(&operands).unwrap();
                        let found = of_argument(&codes, code, *result, argument);
                        let nan = |c: Const| IsNan.eval(&[c]) == Some(Const::Bool(true));
                        assert!(
                            found == expected || nan(found) && nan(expected),
                            "{op} {operands:?}"
                        );
                    }
                }
            }
        }
    }
}

/// A value of an operator whose only argument is given.
fn of_argument(codes: &Codes, code: CodeId, v: ValueId, argument: f64) -> Const {
    match codes.op(code, v) {
        Op::Const(c) => *c,
        Op::Arg(_) => Const::F64(argument),
        Op::Prim(op, xs) => {
            let xs: Vec<_> = xs
                .iter()
                .map(|&x| of_argument(codes, code, x, argument))
                .collect();
            op.eval(&xs).unwrap()
        }
        Op::Symbol(_) | Op::Coord(_) => unreachable!("not in this test"),
        Op::Load(_) | Op::Loop(_) | Op::Out(..) => unreachable!("not in this test"),
    }
}

/// A comparison with a literal proves a bound exactly if it implies it.
#[test]
fn guards_prove_what_they_say() {
    use Prim::*;
    for op in [Lt, Le, Gt, Ge] {
        for literal in -3..9 {
            for flipped in [false, true] {
                let mut pair = Pair::new();
                // Any integer at all: the product wraps.
                pair.prim(Mul, &[1, 3]);
                let (code, v) = (pair.code, pair.plain[4].1);
                let literal_value = pair.codes.constant(code, literal);
                let operands = if flipped {
                    [literal_value, v]
                } else {
                    [v, literal_value]
                };
                let guard = pair.codes.prim(code, op, &operands);
                let five = pair.codes.host_constant(5);
                let low = pair.codes.constant(code, 0);
                let low = pair.codes.prim(code, Ge, &[v, low]);
                let below = pair.codes.constant(code, 5);
                let below = pair.codes.prim(code, Lt, &[v, below]);
                let holds = |x: i32| {
                    let mut operands = [Const::I32(x), Const::I32(literal)];
                    if flipped {
                        operands.reverse();
                    }
                    op.eval(&operands) == Some(Const::Bool(true))
                };
                for (other, bad) in [(below, -200..0), (low, 5..200)] {
                    let both = pair.codes.guard_and(code, Some(guard), other);
                    let proved = pair.codes.is_in_range(code, &[v], &[five], both);
                    assert_eq!(proved, !bad.clone().any(holds), "{op} {literal} {flipped}");
                }
            }
        }
    }
}
