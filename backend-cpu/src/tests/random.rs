//! Random kernels against the reference runner.

use super::maker::{Code, Maker, composition, operator};
use cotangent_core::host::Column;
use cotangent_core::integer_type;
use cotangent_core::prim::Prim;
use cotangent_core::schedule::*;
use cotangent_core::term::{Combine, Direction};
use cotangent_core::types::ScalarType;
use cotangent_core::types::ScalarType::{Bool, F16, F32, F64, I32};

/// A small generator of numbers: xorshift.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 20) as usize % n
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }
}

struct Generator {
    random: Random,
    maker: Maker,
    code: Code,
    /// The coordinates' extents.
    extents: Vec<SymbolId>,
    coords: Vec<ValueId>,
    ints: Vec<ValueId>,
    bools: Vec<ValueId>,
    floats: Vec<ValueId>,
    /// The number of loops around.
    depth: usize,
}

impl Generator {
    fn new(seed: u64) -> Self {
        let mut random = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
        let mut maker = Maker::new();
        let rank = random.below(5);
        let small = [1, 2, 3, 4, 5, 7];
        let mut extents = vec![];
        for axis in 0..rank {
            let large = axis + 1 == rank || random.below(3) == 0;
            let extent = match random.below(12) {
                0 => random.pick(&[0, 1]),
                _other if large && rank <= 3 => random.pick(&[17, 64, 65, 130, 300]),
                _other => random.pick(&small),
            };
            extents.push(maker.known(extent));
        }
        let mut code = Code::default();
        let coords = code.coords(rank);
        let ints = vec![code.constant(1), code.constant(-2), code.constant(3)];
        let bools = vec![code.constant(true)];
        let floats = vec![code.constant(0.5), code.constant(-3.0)];
        Self {
            random,
            maker,
            code,
            extents,
            ints: [ints, coords.clone()].concat(),
            coords,
            bools,
            floats,
            depth: 0,
        }
    }

    /// A load whose index is mostly in range.
    fn load(&mut self) {
        let ty = self.random.pick(&[F64, F64, I32, Bool]);
        let aligned = self.random.below(2) == 0 && !self.coords.is_empty();
        let (mut shape, mut index) = (vec![], vec![]);
        let rank = if aligned {
            self.coords.len()
        } else {
            self.random.below(3)
        };
        let from = self.random.below(rank.max(1));
        for axis in 0..rank {
            if aligned && axis < from {
                continue;
            }
            if aligned {
                shape.push(extent_of(&self.maker, self.extents[axis]));
                index.push(self.coords[axis]);
            } else {
                let extent = self.random.pick(&[1, 3, 70]);
                shape.push(extent);
                index.push(self.index(extent as i32));
            }
        }
        let len: usize = shape.iter().product();
        let column: Column = match ty {
            Bool => (0..len)
                .map(|_| self.random.below(2) == 0)
                .collect::<Vec<_>>()
                .into(),
            I32 => (0..len)
                .map(|_| self.random.below(100) as i32 - 50)
                .collect::<Vec<_>>()
                .into(),
            integer_type!() | F16 | F32 | F64 => {
                let mut value = || self.random.below(64) as f64 / 4.0 - 8.0;
                (0..len).map(|_| value()).collect::<Vec<_>>().into()
            }
        };
        let array = self.maker.input(&shape, column);
        let guard = (self.random.below(3) == 0).then(|| {
            let bools = self.bools.clone();
            self.random.pick(&bools)
        });
        let value = self.code.guarded(array, ty, &index, guard, Some(SiteId(0)));
        self.keep(value, ty);
    }

    /// An index for an extent, in range but for one in a hundred.
    fn index(&mut self, extent: i32) -> ValueId {
        let ints = self.ints.clone();
        let (x, y) = (self.random.pick(&ints), self.random.pick(&ints));
        let affine = match self.random.below(3) {
            0 => self.code.prim(Prim::Add, &[x, y]),
            1 => self.code.prim(Prim::Mul, &[x, y]),
            _ => x,
        };
        if self.random.below(100) == 0 {
            return affine;
        }
        let extent = self.code.constant(extent);
        self.code.prim(Prim::ModFloor, &[affine, extent])
    }

    fn keep(&mut self, value: ValueId, ty: ScalarType) {
        match ty {
            Bool => self.bools.push(value),
            I32 => self.ints.push(value),
            F64 => self.floats.push(value),
            integer_type!() | F16 | F32 => {}
        }
    }

    fn prim(&mut self) {
        let (ints, floats, bools) = (self.ints.clone(), self.floats.clone(), self.bools.clone());
        let r = &mut self.random;
        let (i, j) = (r.pick(&ints), r.pick(&ints));
        let (x, y) = (r.pick(&floats), r.pick(&floats));
        let (b, c) = (r.pick(&bools), r.pick(&bools));
        let number = [Prim::Add, Prim::Sub, Prim::Mul, Prim::Max, Prim::Min];
        let test = [Prim::Lt, Prim::Eq, Prim::Ge];
        let (prim, operands) = match r.below(9) {
            0 | 1 => (r.pick(&number), vec![i, j]),
            2 | 3 => (
                r.pick(&[Prim::Add, Prim::Sub, Prim::Max, Prim::Min]),
                vec![x, y],
            ),
            4 => (r.pick(&test), vec![i, j]),
            5 => (r.pick(&test), vec![x, y]),
            6 => (Prim::Select, vec![b, x, y]),
            7 => (Prim::Select, vec![b, i, j]),
            _ => (r.pick(&[Prim::And, Prim::Or]), vec![b, c]),
        };
        let value = self.code.prim(prim, &operands);
        let ty = self.code.0.type_of(value);
        self.keep(value, ty);
    }

    fn body(&mut self) {
        for _ in 0..4 + self.random.below(12) {
            match self.random.below(7) {
                0 | 1 => self.load(),
                2 if self.depth < 2 => self.looping(),
                _ => self.prim(),
            }
        }
    }

    /// One of the values of a type.
    fn any(&mut self, ty: ScalarType) -> ValueId {
        let of = match ty {
            Bool => &self.bools,
            I32 => &self.ints,
            integer_type!() | F16 | F32 | F64 => &self.floats,
        };
        self.random.pick(&of.clone())
    }

    /// A loop of few trips, as many in all lanes or not, that a test may end.
    fn looping(&mut self) {
        let trips = self.trips();
        let types = [I32, F64, Bool];
        let some = |random: &mut Random, most| {
            let n = random.below(most);
            (0..n).map(|_| random.pick(&types)).collect::<Vec<_>>()
        };
        let (carried, captured) = (some(&mut self.random, 4), some(&mut self.random, 3));
        let init: Vec<_> = carried.iter().map(|&ty| self.any(ty)).collect();
        let captures = captured.iter().map(|&ty| self.any(ty)).collect();
        let region = self.region(&carried, &captured);
        let of = Loop {
            trips,
            init,
            captures,
            region,
        };
        let count = self.code.0.push(Op::Loop(Box::new(of)), I32);
        self.keep(count, I32);
        for (which, &ty) in (0..).zip(&carried) {
            let out = self.code.0.push(Op::Out(count, which), ty);
            self.keep(out, ty);
        }
    }

    fn trips(&mut self) -> ValueId {
        match self.random.below(4) {
            0 => self.code.constant(-1),
            1 => self.code.constant(4),
            _some => {
                let (x, five) = (self.any(I32), self.code.constant(5));
                self.code.prim(Prim::Rem, &[x, five])
            }
        }
    }

    fn region(&mut self, carried: &[ScalarType], captured: &[ScalarType]) -> Region {
        let inside = Code::default();
        let around = std::mem::replace(&mut self.code, inside);
        let (ints, bools) = (vec![self.code.arg(0, I32)], vec![self.code.constant(true)]);
        let floats = vec![self.code.constant(0.5)];
        let around = (
            around,
            std::mem::replace(&mut self.ints, ints),
            std::mem::replace(&mut self.bools, bools),
            std::mem::replace(&mut self.floats, floats),
            std::mem::take(&mut self.coords),
        );
        for (n, &ty) in (1..).zip(carried.iter().chain(captured)) {
            let arg = self.code.arg(n, ty);
            self.keep(arg, ty);
        }
        self.depth += 1;
        self.body();
        self.depth -= 1;
        let test = (self.random.below(2) == 0).then(|| self.last(Bool));
        let next = carried.iter().map(|&ty| self.any(ty)).collect();
        let body = std::mem::take(&mut self.code.0);
        (self.code, self.ints, self.bools, self.floats, self.coords) = around;
        Region { body, test, next }
    }

    fn last(&self, ty: ScalarType) -> ValueId {
        let of = match ty {
            Bool => &self.bools,
            I32 => &self.ints,
            integer_type!() | F16 | F32 | F64 => &self.floats,
        };
        of[of.len() - 1]
    }

    /// Adds a kernel of one of the forms.
    fn kernel(mut self) -> Maker {
        self.body();
        let form = self.random.below(5);
        let (rank, body) = (self.extents.len(), std::mem::take(&mut self.code.0));
        let (ty, operator) = match self.random.below(3) {
            0 => (
                F64,
                operator(self.random.pick(&[Prim::Add, Prim::Max]), F64),
            ),
            1 => (
                I32,
                operator(self.random.pick(&[Prim::Mul, Prim::BitXor]), I32),
            ),
            _ => (I32, composition()),
        };
        let init = self.random.below(2) == 0 || form == 2;
        let init = init.then(|| match ty {
            F64 => vec![self.maker.known(0.25)],
            _other => (0..operator.results.len())
                .map(|i| self.maker.known(i as i32 + 2))
                .collect(),
        });
        let empty = self.extents.iter().any(|&e| extent_of(&self.maker, e) == 0);
        match form {
            1 | 2 if init.is_some() || !empty => self.reduce(body, ty, operator, init),
            3 if rank > 0 => self.scan(body, ty, operator, init),
            4 => self.scatter(body),
            _other => {
                let values = [I32, F64, Bool].map(|ty| self.last(ty));
                self.maker.map(&self.extents, body, &values);
            }
        }
        self.maker
    }

    fn reduce(
        &mut self,
        body: Body,
        ty: ScalarType,
        operator: Operator,
        init: Option<Vec<SymbolId>>,
    ) {
        let reduced = vec![self.last(ty); operator.results.len()];
        let cut = self.random.below(self.extents.len() + 1);
        let (space, inner) = self.extents.split_at(cut);
        let kind = KernelKind::Reduce {
            outputs: self.maker.outputs(space, &body, &reduced),
            inner: inner.to_vec(),
            body,
            operator,
            init,
        };
        self.maker.kernel(space, kind);
    }

    fn scan(
        &mut self,
        body: Body,
        ty: ScalarType,
        operator: Operator,
        init: Option<Vec<SymbolId>>,
    ) {
        let reduced = vec![self.last(ty); operator.results.len()];
        let (space, inner) = self.extents.split_at(self.extents.len() - 1);
        let longer = extent_of(&self.maker, inner[0]) as i32 + 1;
        let longer = self.maker.known(longer);
        let extent = if init.is_some() { longer } else { inner[0] };
        let extents = [space, &[extent]].concat();
        let kind = KernelKind::Scan {
            outputs: self.maker.outputs(&extents, &body, &reduced),
            inner: inner[0],
            direction: match self.random.below(3) {
                0 => Direction::Right,
                _other => Direction::Left,
            },
            body,
            operator,
            init,
        };
        self.maker.kernel(space, kind);
    }

    fn scatter(&mut self, body: Body) {
        let values = [I32, F64, Bool].map(|ty| self.last(ty));
        let width = self.maker.known(13);
        let mut zero = Code::default();
        let zeros = [zero.constant(0), zero.constant(0.0)];
        let arrays = self.maker.map(&[width], zero.0, &zeros);
        let mut code = Code(body);
        let extent = code.constant(13);
        let at = code.prim(Prim::ModFloor, &[values[0], extent]);
        let outputs = arrays.iter().zip(values);
        let kind = KernelKind::Scatter {
            outputs: outputs
                .map(|(&array, value)| Output { value, array })
                .collect(),
            body: code.0,
            guard: values[2],
            target: vec![at],
            site: SiteId(0),
            combine: self.random.pick(&[Combine::Add, Combine::Overwrite]),
        };
        self.maker.kernel(&self.extents, kind);
    }
}

fn extent_of(maker: &Maker, symbol: SymbolId) -> usize {
    let defined = maker.schedule.steps.iter().find_map(|step| match step {
        Step::Scalars { body, defines } if defines[0].0 == symbol => match *body.op(ValueId(0)) {
            Op::Const(cotangent_core::constant::Const::I32(e)) => Some(e as usize),
            _ => None,
        },
        _ => None,
    });
    defined.unwrap_or(0)
}

#[test]
fn random_kernels_agree_with_the_reference() {
    let mut failed = 0;
    for seed in 1..=120 {
        failed += usize::from(Generator::new(seed).kernel().run().is_err());
    }
    assert!((2..60).contains(&failed), "{failed} of 120 fail");
}
