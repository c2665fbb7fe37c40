//! Random array code.
//!
//! Each operation is run as soon as it is made, by the interpreter on the values of the arrays in scope: so
//! the generator knows shapes and magnitudes, turns down what fails (but for a few), and what is too large.

use super::faults::{self, FEW};
use super::inputs::{self, Sizes, array_type, elem};
use super::operators::Operator;
use super::random::Random;
use super::scalars::{LIMIT, Scalars, Var};
use super::scope::Known;
use cotangent_core::build::{AccBuilder, Arr};
use cotangent_core::host::HostArray;
use cotangent_core::interp;
use cotangent_core::loc::Loc;
use cotangent_core::term::{AccBlock, AccLet, AccOp, Alike, ArrId, Labelled, Program, UseId};
use cotangent_core::types::{ArrayType, ScalarType};

/// An operation, the types of its results, and which of them are exact.
pub(super) struct Made {
    pub(super) op: AccOp<Labelled>,
    pub(super) types: Vec<ArrayType>,
    pub(super) exact: Vec<bool>,
}

impl Made {
    /// An operation with one result.
    pub(super) fn one(op: AccOp<Labelled>, elem: ScalarType, rank: usize, exact: bool) -> Self {
        Self {
            op,
            types: vec![ArrayType::new(elem, rank)],
            exact: vec![exact],
        }
    }

    /// An operation with results of one rank.
    fn results(op: AccOp<Labelled>, results: &[Var], rank: usize) -> Self {
        Self {
            op,
            types: results.iter().map(|v| ArrayType::new(v.ty, rank)).collect(),
            exact: results.iter().map(|v| v.exact).collect(),
        }
    }
}

/// Array code in the making.
pub(super) struct Arrays<'a> {
    pub(super) random: &'a mut Random,
    pub(super) b: AccBuilder,
    pub(super) uses: Vec<HostArray>,
    /// Which inputs are said to have one shape.
    pub(super) alike: Alike,
    pub(super) scope: Vec<Known>,
    /// Extents that arrays share.
    pub(super) pool: Vec<usize>,
    sizes: Sizes,
    /// Whether the code is differentiated.
    pub(super) smooth: bool,
    /// Whether its derivatives are compared with differences.
    pub(super) by_differences: bool,
    /// Whether it is differentiated along a direction.
    pub(super) forward: bool,
    /// Whether it is to fail now and then; see Note [Failures on purpose] in `faults.rs`.
    pub(super) careless: bool,
    pub(super) nesting: usize,
}

/// A way to make an operation, and its weight among all of them.
pub(super) type Way<A> = (usize, fn(&mut A) -> Option<Made>);

impl<'a> Arrays<'a> {
    pub(super) fn new(random: &'a mut Random, smooth: bool) -> Self {
        let mut pool = inputs::extents(random);
        let sizes = Sizes::new(random);
        let careless = !smooth && random.chance(faults::CARELESS);
        if careless && random.chance(20) {
            pool[0] = 0;
        }
        // What has no location counts as derived.
        let mut b = AccBuilder::new(0);
        b.set_loc(Loc::caller());
        Self {
            random,
            sizes,
            b,
            uses: vec![],
            alike: Alike::default(),
            scope: vec![],
            pool,
            smooth,
            by_differences: smooth,
            forward: false,
            careless,
            nesting: 0,
        }
    }

    /// Parameters of the program and their values; one at least to differentiate smooth code by.
    pub(super) fn params(&mut self, count: usize) {
        for position in 0..count {
            let mut ty = array_type(self.random);
            if self.smooth && position == 0 {
                ty.elem = self.random.pick(&[ScalarType::F64, ScalarType::F32]);
            }
            let column = position > 0 && self.random.chance(30);
            let first = column.then(|| self.first_column(position - 1));
            if let Some(first) = first {
                ty.rank = self.scope[first].arr.ty.rank;
            }
            let arr = self.b.fresh(ty);
            let value = match first {
                Some(first) => {
                    let shape = self.scope[first].value.shape().to_vec();
                    inputs::array(self.random, ty.elem, shape, self.smooth)
                }
                None => self.host(ty),
            };
            if let Some(value) = value {
                let like = first.map(|first| (position as u32, first as u32));
                self.alike.params.extend(like);
                let known = Known::new(arr, value, true);
                self.scope.push(known.activated(self.smooth));
            }
        }
    }

    /// The first column of the array that a parameter is a column of.
    fn first_column(&self, position: usize) -> usize {
        let first = self.alike.params.get(&(position as u32));
        first.map_or(position, |&first| first as usize)
    }

    pub(super) fn host(&mut self, ty: ArrayType) -> Option<HostArray> {
        let shape = inputs::shape(self.random, &self.pool, self.sizes, ty.rank);
        inputs::array(self.random, ty.elem, shape, self.smooth)
    }

    /// Adds that many operations, or fewer where the choices do not work out.
    pub(super) fn grow(&mut self, count: usize) {
        for _ in 0..count {
            let added = (0..6).any(|_| self.step().is_some());
            if !added {
                return;
            }
        }
    }

    fn step(&mut self) -> Option<()> {
        let made = self.operation()?;
        self.add(made).map(drop)
    }

    fn operation(&mut self) -> Option<Made> {
        let nested = usize::from(self.nesting < 2);
        let general = usize::from(!self.smooth || self.random.chance(15));
        let differentiable = usize::from(!self.smooth || general == 1);
        let mut ways: Vec<Way<Self>> = vec![
            (5 * general, Self::make_use),
            (10, Self::generate),
            (24, Self::map),
            (16, Self::fold),
            (10 * general, Self::scan),
            (5 * general, Self::fold_segments),
        ];
        ways.extend(Self::moves());
        ways.extend::<[Way<Self>; 8]>([
            (9, Self::permute),
            (4, Self::unpack),
            (6 * nested, Self::cond),
            (10 * nested * differentiable, Self::either_derivative),
            (6, Self::append),
            (4, Self::argsort),
            (4, Self::custom),
            (6 * nested, Self::iterate),
        ]);
        self.random.weighted(&ways)(self)
    }

    /// Adds an operation, if it runs (or, rarely, although it fails) and is not too large.
    pub(super) fn add(&mut self, made: Made) -> Option<Vec<Known>> {
        let Made { op, types, exact } = made;
        if !self.is_affordable(&op) {
            return None;
        }
        let values = match self.run(&op, &types) {
            Ok(values)
                if values
                    .iter()
                    .all(|v| v.column().len() <= self.sizes.elements) =>
            {
                values
            }
            Ok(_) => return None,
            Err(_) if !self.may_fail() => return None,
            Err(_) => self.stand_ins(&op, &types)?,
        };
        let active = self.used_by(&op).iter().any(|k| k.active);
        let binds = self.b.push(op, &types);
        let known = binds.into_iter().zip(values).zip(exact);
        let known: Vec<_> = known
            .map(|((arr, value), exact)| Known::new(arr, value, exact).activated(active))
            .collect();
        self.scope.extend(known.iter().cloned());
        Some(known)
    }

    /// Runs a single operation.
    fn run(
        &self,
        op: &AccOp<Labelled>,
        types: &[ArrayType],
    ) -> Result<Vec<HostArray>, cotangent_core::backend::RunError> {
        let (program, inputs) = self.alone(op, types);
        interp::run(&program, &inputs)
    }

    /// A single operation as a program, and its inputs.
    pub(super) fn alone(
        &self,
        op: &AccOp<Labelled>,
        types: &[ArrayType],
    ) -> (Program<Labelled>, Vec<HostArray>) {
        let used = self.used_by(op);
        let first = self.b.next_label();
        let binds: Vec<_> = (first..)
            .zip(types)
            .map(|(label, &ty)| Arr::new(ArrId(label), ty))
            .collect();
        let results = binds.iter().map(|b| b.name).collect();
        let let_ = AccLet {
            binds,
            op: op.clone(),
            loc: Loc::UNKNOWN,
        };
        let program = Program {
            params: used.iter().map(|k| k.arr.clone()).collect(),
            uses: self.uses.clone(),
            alike: Default::default(),
            body: AccBlock {
                lets: vec![let_],
                results,
            },
        };
        let inputs = used.iter().map(|k| k.value.clone()).collect();
        (program, inputs)
    }

    /// The arrays that an operation may refer to.
    fn used_by(&self, op: &AccOp<Labelled>) -> Vec<&Known> {
        let names = op.free();
        let scope = self.scope.iter();
        scope.filter(|k| names.contains(&k.arr.name)).collect()
    }

    /// Whether the result is small enough to be computed.
    fn is_affordable(&self, op: &AccOp<Labelled>) -> bool {
        let (fun, is_repeated) = match op {
            AccOp::Generate { shape, .. } => (shape, false),
            AccOp::Move { how, .. } => match how.said() {
                Some(said) => (said, how.keeps_extents()),
                None => return true,
            },
            AccOp::Use(_)
            | AccOp::Map { .. }
            | AccOp::Fold { .. }
            | AccOp::Scan { .. }
            | AccOp::Permute { .. }
            | AccOp::Unpack { .. }
            | AccOp::Append { .. }
            | AccOp::Argsort { .. }
            | AccOp::FoldSegments { .. }
            | AccOp::Cond { .. }
            | AccOp::Derivative { .. }
            | AccOp::Custom { .. }
            | AccOp::Loop { .. } => return true,
        };
        let value = |name: &ArrId| {
            self.scope
                .iter()
                .find(|k| k.arr.name == *name)
                .map(|k| k.value.clone())
        };
        let Some(captures) = fun.captures.iter().map(value).collect::<Option<Vec<_>>>() else {
            return false;
        };
        let extents = interp::eval_fun(fun, &captures, &[]).unwrap_or_default();
        let size = extents
            .iter()
            .map(|&e| inputs::magnitude_of(e))
            .product::<f64>();
        let times = self
            .used_by(op)
            .iter()
            .map(|k| k.value.column().len())
            .min()
            .unwrap_or(1);
        let times = if is_repeated { times } else { 1 };
        size * times as f64 <= self.sizes.elements as f64
    }

    /// Scalar code here.
    pub(super) fn scalars(&mut self) -> Scalars<'_> {
        let mut scalars = Scalars::new(self.random, &self.scope, self.smooth);
        scalars.careless = self.careless;
        scalars.by_differences = self.by_differences;
        scalars
    }

    /// A random array that satisfies a condition, the later the likelier.
    pub(super) fn some(&mut self, fits: impl Fn(&Known) -> bool) -> Option<Known> {
        let smooth = self.smooth;
        let fitting: Vec<_> = self
            .scope
            .iter()
            .filter(|k| (!smooth || k.is_bounded()) && fits(k))
            .collect();
        if fitting.is_empty() {
            return None;
        }
        let chosen = fitting[self.random.late(fitting.len())];
        // Prefer arrays with something in them, and something to differentiate.
        let other = fitting[self.random.late(fitting.len())];
        let dull = chosen.is_empty() && !(self.careless && self.random.chance(20));
        let is_dull = dull || (smooth && other.active && !other.is_empty());
        Some(if is_dull { other } else { chosen }.clone())
    }

    fn make_use(&mut self) -> Option<Made> {
        let ty = array_type(self.random);
        let value = self.host(ty)?;
        if self.smooth && inputs::bound(&value) > LIMIT {
            return None;
        }
        let alike = self.uses.iter().position(|u| u.shape() == value.shape());
        self.uses.push(value);
        let id = UseId(self.uses.len() as u32 - 1);
        if let Some(first) = alike.filter(|_| self.random.chance(60)) {
            self.alike.unite_uses(UseId(first as u32), id);
        }
        Some(Made::one(AccOp::Use(id), ty.elem, ty.rank, true))
    }

    fn generate(&mut self) -> Option<Made> {
        let rank = self
            .random
            .weighted(&[(10, 0), (40, 1), (30, 2), (10, 3), (5, 4)]);
        let shape = self.shape(rank);
        let (steps, types) = self.body_size();
        let mut s = self.scalars();
        s.index_params(rank);
        s.grow(steps);
        let results = s.results(&types);
        let f = s.finish(&results);
        Some(Made::results(AccOp::Generate { shape, f }, &results, rank))
    }

    /// How long a function is to be and what it gives.
    fn body_size(&mut self) -> (usize, Vec<ScalarType>) {
        let steps = self.random.between(1, 8);
        let results = self.random.weighted(&[(75, 1), (20, 2), (5, 3)]);
        (steps, (0..results).map(|_| elem(self.random)).collect())
    }

    fn map(&mut self) -> Option<Made> {
        let first = self.some(|_| true)?;
        let rank = first.arr.ty.rank;
        let mut args = vec![first];
        for _ in 0..self.random.weighted(&[(50, 0), (35, 1), (15, 2)]) {
            args.push(self.some(|k| k.arr.ty.rank == rank)?);
        }
        let (steps, mut types) = self.body_size();
        if self.random.chance(60) {
            types[0] = args[0].arr.ty.elem;
        }
        let mut s = self.scalars();
        for arg in &args {
            s.element_of(arg);
        }
        s.grow(steps);
        let results = match s.faulty(FEW) {
            // What is half read: the shapes of the arguments alone.
            true => types.iter().map(|&ty| s.literal(ty)).collect(),
            false => s.results(&types),
        };
        let f = s.finish(&results);
        let args = args.iter().map(|k| k.arr.name).collect();
        Some(Made::results(AccOp::Map { f, args }, &results, rank))
    }

    /// An operator and its arguments.
    pub(super) fn reduction(&mut self) -> Option<(Operator, Vec<Known>)> {
        let first = self.some(|k| k.arr.ty.rank > 0)?;
        let smooth = self.smooth && first.arr.ty.elem.is_float();
        let operator = Operator::on(self.random, first.arr.ty.elem, smooth);
        let rank = first.arr.ty.rank;
        let mut args = vec![self.operand(first, operator.operands)?];
        for &ty in &operator.types[1..] {
            let next = self.some(|k| k.arr.ty == ArrayType::new(ty, rank))?;
            args.push(self.operand(next, operator.operands)?);
        }
        Some((operator, args))
    }
}
