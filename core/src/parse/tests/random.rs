//! Random well-typed programs of all operations of arrays, nested in each other, with scalar code of all constructs.
//!
//! They are read and never run, so extents and indices are anything.

use crate::build::{AccBuilder, Arr, FunBuilder};
use crate::check::check;
use crate::constant::Const;
use crate::host::{Column, HostArray};
use crate::prim::Prim;
use crate::term::{
    AccClosure, AccOp, Axis, Combine, Direction, ExpId, ExpOp, Fun, Labelled, Mode, Move, Program,
    Rules, SortOrder, States, UseId,
};
use crate::types::{ArrayType, ScalarType};
use std::collections::BTreeMap;
use std::convert::Infallible;

use ScalarType::{Bool, F32, F64, I32};

/// A linear congruential generator: tests that fail must fail again.
pub(super) struct Random(pub(super) u64);

impl Random {
    pub(super) fn below(&mut self, n: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % n
    }

    /// A derivative of a function of one result, which is of type `value`; and what it gives before the partial derivatives.
    fn mode<T: Copy>(&mut self, value: T) -> (Mode, Vec<T>) {
        match self.below(3) {
            0 => (Mode::Gradient { with_value: false }, vec![]),
            1 => (Mode::Gradient { with_value: true }, vec![value]),
            _ => (Mode::Jvp, vec![value; 2]),
        }
    }

    fn pick<T: Copy>(&mut self, xs: &[T]) -> T {
        xs[self.below(xs.len())]
    }
}

/// A random program.
pub(super) fn program(seed: u64) -> Program<Labelled> {
    let mut b = AccBuilder::new(seed as u32 % 50);
    let types = [(F64, 2), (F64, 1), (F32, 1), (Bool, 0), (I32, 0), (F64, 0)];
    let params: Vec<_> = types
        .map(|(elem, rank)| b.fresh(ArrayType::new(elem, rank)))
        .into();
    let mut generator = Generator {
        random: Random(seed),
        b,
        scope: params.clone(),
    };
    generator.grow(0);
    let results = generator.scope.split_off(params.len());
    Program {
        params,
        uses: hosts(),
        alike: Default::default(),
        body: generator.b.finish(&results),
    }
}

fn hosts() -> Vec<HostArray> {
    let floats = HostArray::new(vec![1, 2], Column::from(vec![0.5, 2.0]));
    let truths = HostArray::new(vec![], Column::from(vec![true]));
    [floats, truths].into_iter().flatten().collect()
}

struct Generator {
    random: Random,
    b: AccBuilder,
    scope: Vec<Arr>,
}

impl Generator {
    /// An array of a type, made if there is none.
    fn arr(&mut self, elem: ScalarType, rank: usize) -> Arr {
        let ty = ArrayType::new(elem, rank);
        let fits: Vec<_> = self.scope.iter().filter(|a| a.ty == ty).cloned().collect();
        if !fits.is_empty() && self.random.below(8) > 0 {
            return fits[self.random.below(fits.len())].clone();
        }
        let (shape, f) = (
            self.fun(&[], &vec![I32; rank]),
            self.fun(&vec![I32; rank], &[elem]),
        );
        self.b.generate(shape, f).remove(0)
    }

    /// A function of some types, with code in it.
    fn fun(&mut self, params: &[ScalarType], results: &[ScalarType]) -> Fun<Labelled> {
        let mut code = Code {
            random: Random(self.random.0),
            scope: &self.scope,
            b: FunBuilder::new(),
            names: vec![],
        };
        code.names = code.b.params(params);
        code.grow(0);
        let results = results.iter().map(|&ty| code.exp(ty)).collect();
        self.random.0 = code.random.0;
        code.b.finish(results)
    }

    /// Some more operations.
    fn grow(&mut self, depth: usize) {
        for _ in 0..3 + self.random.below(5) {
            let made = self.operation(depth);
            self.scope.extend(made);
        }
    }

    fn operation(&mut self, depth: usize) -> Vec<Arr> {
        let rank = self.random.below(3);
        match self.random.below(if depth < 3 { 19 } else { 15 }) {
            0 => {
                let use_ = self.random.below(2);
                let ty = hosts()[use_].array_type();
                self.b.push(AccOp::Use(UseId(use_ as u32)), &[ty])
            }
            1 => vec![self.arr(F32, rank)],
            2 => self.map(rank),
            3..=5 => self.reduction(rank + 1),
            6..=9 => vec![self.movement(rank)],
            10 => self.scatter(rank),
            11 => {
                let args = [self.arr(F64, rank), self.arr(F64, rank)];
                vec![self.b.unpack(&args)]
            }
            12 => {
                let args = [self.arr(F64, rank + 1)];
                vec![self.b.append(&args)]
            }
            13 => {
                let orders = [SortOrder::Ascending, SortOrder::Descending];
                let order = orders[self.random.below(2)];
                let arg = self.arr(F64, rank + 1);
                vec![self.b.argsort(order, &arg)]
            }
            14 => {
                let f = Fun::prim(Prim::Add, &[F64, F64]);
                let init = Fun::constants(&[Const::F64(0.0)]);
                let (lengths, arg) = (self.arr(I32, 1), self.arr(F64, rank + 1));
                self.b.fold_segments((f, init), &lengths, &[arg])
            }
            15 => self.conditional(depth),
            16 => self.gradient(depth),
            17 => self.custom(depth),
            _ => self.loop_(depth),
        }
    }

    fn map(&mut self, rank: usize) -> Vec<Arr> {
        let elems = [F64, F32, Bool];
        let elems = &elems[..1 + self.random.below(3)];
        let args: Vec<_> = elems.iter().map(|&elem| self.arr(elem, rank)).collect();
        let f = self.fun(elems, &[F64, I32]);
        self.b.map(f, &args)
    }

    fn reduction(&mut self, rank: usize) -> Vec<Arr> {
        let args = [self.arr(F64, rank), self.arr(I32, rank)];
        let f = self.fun(&[F64, I32, F64, I32], &[F64, I32]);
        let init = match self.random.below(2) {
            0 => None,
            _ => Some(self.fun(&[], &[F64, I32])),
        };
        match self.random.below(3) {
            0 => self.b.fold(f, init, &args),
            1 => self.b.scan(Direction::Left, f, init, &args),
            _ => self.b.scan(Direction::Right, f, init, &args),
        }
    }

    /// A move of any kind: the first of random ones that the checker takes.
    fn movement(&mut self, rank: usize) -> Arr {
        let argument = self.arr(F64, rank);
        loop {
            let how = self.random_move(rank);
            let mut b = AccBuilder::new(self.b.next_label());
            let moved = b.moved(how.clone(), &argument);
            let arrays = self.scope.iter().chain([&argument]);
            let arrays: BTreeMap<_, _> = arrays.map(|array| (array.name, array)).collect();
            let params = arrays.into_values().cloned().collect();
            let program = Program {
                params,
                uses: vec![],
                alike: Default::default(),
                body: b.finish(&[moved]),
            };
            if check(&program).is_ok() {
                return self.b.moved(how, &argument);
            }
        }
    }

    /// A move of an array of that rank, or of another.
    fn random_move(&mut self, rank: usize) -> Move<Fun<Labelled>> {
        let mut forms = Move::forms((), ());
        let mut form = forms.swap_remove(self.random.below(forms.len()));
        let mut numbers = self.random.below(4);
        if let Some(axes) = form.axes_mut() {
            let count = self.random.below(rank + 2);
            let axis = |_| self.random.pick(&[Axis::All, Axis::Fixed]);
            axes.extend((0..count).map(axis));
            numbers = axes.iter().filter(|&&axis| axis == Axis::Fixed).count();
        }
        let to = form.rank(numbers, rank);
        let Ok::<_, Infallible>(how) = form.try_map(
            self,
            |g, ()| Ok(g.fun(&[], &vec![I32; numbers])),
            |g, ()| Ok(g.fun(&vec![I32; to], &vec![I32; rank])),
        );
        how
    }

    fn scatter(&mut self, rank: usize) -> Vec<Arr> {
        let (defaults, args) = ([self.arr(F64, 1)], [self.arr(F64, rank)]);
        let target = self.fun(&vec![I32; rank], &[Bool, I32]);
        let combine = self.random.pick(&[Combine::Add, Combine::Overwrite]);
        match self.random.below(2) {
            0 => self.b.permute(combine, &defaults, target, &args),
            _ => self.b.permute_back(combine, &defaults, target, &args),
        }
    }

    /// Code in a block of its own, with results of some types.
    fn closure(
        &mut self,
        depth: usize,
        params: Vec<Arr>,
        results: &[ArrayType],
    ) -> AccClosure<Labelled> {
        let known = self.scope.len();
        self.scope.extend(params.iter().cloned());
        self.b.open();
        self.grow(depth + 1);
        let results: Vec<_> = results
            .iter()
            .map(|ty| self.arr(ty.elem, ty.rank))
            .collect();
        let body = self.b.close(&results);
        self.scope.truncate(known);
        AccClosure { params, body }
    }

    fn conditional(&mut self, depth: usize) -> Vec<Arr> {
        let types = [ArrayType::new(F64, 1), ArrayType::new(F32, 0)];
        let cond = self.fun(&[], &[Bool]);
        let then_ = self.closure(depth, vec![], &types).body;
        let else_ = self.closure(depth, vec![], &types).body;
        self.b.push(AccOp::Cond { cond, then_, else_ }, &types)
    }

    fn gradient(&mut self, depth: usize) -> Vec<Arr> {
        let value = ArrayType::new(F64, 0);
        let args = [self.arr(F64, 1), self.arr(I32, 0)];
        let types = args.clone().map(|a| a.ty);
        let params = types.map(|ty| self.b.fresh(ty)).into();
        let AccClosure { params, body } = self.closure(depth, params, &[value]);
        let (mode, mut results) = self.random.mode(value);
        let mut args: Vec<_> = args.iter().map(|a| a.name).collect();
        match mode {
            Mode::Gradient { with_value: _ } => results.extend(types),
            Mode::Jvp => args.extend(types.map(|ty| self.arr(ty.elem, ty.rank).name)),
        }
        let derivative = AccOp::Derivative {
            mode,
            params,
            body,
            args,
        };
        self.b.push(derivative, &results)
    }

    fn custom(&mut self, depth: usize) -> Vec<Arr> {
        let args = [self.arr(F64, 1), self.arr(I32, 0), self.arr(F64, 2)];
        let types = args.clone().map(|a| a.ty);
        let mut rule = |given: &[ArrayType], results: &[ArrayType]| {
            let params = given.iter().map(|&ty| self.b.fresh(ty)).collect();
            self.closure(depth, params, results)
        };
        let jvp = rule(&types, &types[..2]);
        let vjp = rule(&types[..2].repeat(2), &types[2..]);
        let rules = match self.random.below(3) {
            0 => Rules::Jvp(jvp),
            1 => Rules::Vjp(vjp),
            _ => Rules::Both { jvp, vjp },
        };
        let custom = AccOp::Custom {
            values: 2,
            rules,
            args: args.iter().map(|a| a.name).collect(),
        };
        self.b.push(custom, &types[..2])
    }

    fn loop_(&mut self, depth: usize) -> Vec<Arr> {
        let args = [self.arr(F64, 2), self.arr(Bool, 0)];
        let types = [ArrayType::new(I32, 0), args[0].ty, args[1].ty];
        let trips = self.fun(&[], &[I32]);
        let test = match self.random.below(2) {
            0 => None,
            _ => {
                let params = types.map(|ty| self.b.fresh(ty)).into();
                Some(self.closure(depth, params, &types[2..]))
            }
        };
        let params = types.map(|ty| self.b.fresh(ty)).into();
        let step = self.closure(depth, params, &types[1..]);
        let states = match self.random.below(4) {
            0 => States::Stored,
            2 => States::Closed,
            1 => States::Checkpoints(self.random.below(3) as u32),
            _ => {
                let params = types.map(|ty| self.b.fresh(ty)).into();
                States::Inverse(self.closure(depth, params, &types[1..]))
            }
        };
        let args = args.iter().map(|a| a.name).collect();
        self.b.push(
            AccOp::Loop {
                trips,
                test,
                step,
                states,
                args,
            },
            &types,
        )
    }
}

/// Scalar code that may read the arrays in scope.
struct Code<'a> {
    random: Random,
    scope: &'a [Arr],
    b: FunBuilder,
    names: Vec<ExpId>,
}

impl Code<'_> {
    /// A variable of a type, or a constant.
    fn exp(&mut self, ty: ScalarType) -> ExpId {
        let b = &self.b;
        let fits: Vec<_> = self
            .names
            .iter()
            .copied()
            .filter(|&x| b.type_of(x) == ty)
            .collect();
        if !fits.is_empty() && self.random.below(4) > 0 {
            return self.random.pick(&fits);
        }
        let special = [
            Const::F64(f64::NAN),
            Const::F64(-0.0),
            Const::F32(f32::INFINITY),
            Const::F32(1e-7),
        ];
        let small = Const::small(ty, self.random.below(5) as i32 - 2);
        let value = Some(self.random.pick(&special)).filter(|c| c.scalar_type() == ty);
        self.b.constant(value.unwrap_or(small))
    }

    fn grow(&mut self, depth: usize) {
        for _ in 0..self.random.below(4) {
            let made = self.operation(depth);
            self.names.extend(made);
        }
    }

    fn operation(&mut self, depth: usize) -> Vec<ExpId> {
        match self.random.below(if depth < 2 { 8 } else { 4 }) {
            0 => {
                let operands = [self.exp(F64), self.exp(F64)];
                let prim = self.random.pick(&[Prim::Add, Prim::Atan2, Prim::Lt]);
                vec![self.b.prim(prim, &operands)]
            }
            1 => {
                let (from, to) = (self.exp(F64), self.random.pick(&ScalarType::ALL));
                vec![self.b.prim(Prim::Convert(to), &[from])]
            }
            2 | 3 => vec![self.element()],
            4 => {
                let cond = self.exp(Bool);
                let then_ = self.lambda(depth, &[], &[F64, I32]).body;
                let else_ = self.lambda(depth, &[], &[F64, I32]).body;
                self.b.push(ExpOp::Cond { cond, then_, else_ }, &[F64, I32])
            }
            5 => self.gradient(depth),
            6 => {
                let args = vec![self.exp(F64), self.exp(F64), self.exp(F64)];
                self.b.push(ExpOp::WithPartials(args), &[F64])
            }
            _ => self.loop_(depth),
        }
    }

    fn element(&mut self) -> ExpId {
        let array = self.scope[self.random.below(self.scope.len())].clone();
        if array.ty.rank > 0 && self.random.below(2) == 0 {
            let axis = self.random.below(array.ty.rank);
            return self.b.extent(array.name, axis);
        }
        let index: Vec<_> = (0..array.ty.rank).map(|_| self.exp(I32)).collect();
        self.b.index(&array, &index)
    }

    fn lambda(
        &mut self,
        depth: usize,
        params: &[ScalarType],
        results: &[ScalarType],
    ) -> crate::term::ExpClosure<Labelled> {
        let known = self.names.len();
        let params: Vec<_> = params.iter().map(|&ty| self.b.fresh(ty)).collect();
        self.names.extend(params.iter().map(|p| p.name));
        self.b.open();
        self.grow(depth + 1);
        let results = results.iter().map(|&ty| self.exp(ty)).collect();
        let body = self.b.close(results);
        self.names.truncate(known);
        crate::term::ExpClosure { params, body }
    }

    fn gradient(&mut self, depth: usize) -> Vec<ExpId> {
        let (mode, mut results) = self.random.mode(F64);
        let mut args = vec![self.exp(F64), self.exp(Bool)];
        match mode {
            Mode::Gradient { with_value: _ } => results.extend([F64, Bool]),
            Mode::Jvp => args.extend([self.exp(F64), self.exp(Bool)]),
        }
        let lambda = self.lambda(depth, &[F64, Bool], &[F64]);
        let derivative = ExpOp::Derivative {
            mode,
            params: lambda.params,
            body: lambda.body,
            args,
        };
        self.b.push(derivative, &results)
    }

    fn loop_(&mut self, depth: usize) -> Vec<ExpId> {
        let args = [self.exp(I32), self.exp(F32)];
        let test = match self.random.below(2) {
            0 => None,
            _ => Some(self.lambda(depth, &[I32, F32], &[Bool])),
        };
        let step = self.lambda(depth, &[I32, F32], &[F32]);
        self.b.loop_(&args, test, step)
    }
}
