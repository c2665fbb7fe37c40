//! How large each array is, in terms of the arrays that its size comes from.
//!
//! The extent of an array along an axis is a [`Size`]: a hash-consed expression over constants and the
//! extents of *root* arrays (parameters, used host arrays, and arrays whose extents depend on data). Two
//! sizes with one id are equal in every run, so equality of shapes is equality of ids ([`Shapes::same`]).
//! [`Shapes::emit`] turns a size into code, so that asking an array for its extent need not keep it alive.
//!
//! Invariants: arrays are recorded in order of binding; a size mentions only arrays that are visible where
//! the array is that has this size (results of conditionals included). All facts hold where the array
//! exists, that is, where the operation that makes it has not failed.

mod looping;

pub use looping::TripExtents;

use crate::build::{Arr, FunBuilder};
use crate::constant::Const;
use crate::prim::Prim;
use crate::term::{
    AccBlock, AccLet, AccOp, Alike, ArrBind, ArrId, ExpId, ExpLet, ExpOp, Fun, Labelled, Mode,
    Move, ParamAxis, Program,
};
use std::collections::HashMap;

/// A symbolic `i32` (or `bool`, in between), by its position in [`Shapes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Size(u32);

/// What a [`Size`] stands for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum SizeNode {
    /// Known at compile time.
    Const(Const),
    /// The extent of a root array.
    Extent {
        /// The array.
        array: ArrId,
        /// Its dimension.
        axis: usize,
    },
    /// Computed from other sizes.
    Prim(Prim, Vec<Size>),
}

/// What is kept with a node.
#[derive(Clone, Copy, Debug)]
struct Measure {
    /// Number of operations of the code, shared parts counted each time.
    cost: usize,
    /// One more than the position in order of recording of the newest array mentioned; 0 for none.
    newest: usize,
}

/// Sizes above this many operations are taken for unknown: bounds the work per array.
const MAX_COST: usize = 64;

/// Of how many sizes a least one is taken apart, about: beyond that, equal minima may count as different.
const MAX_LEAST: usize = 16;

/// The sizes of the arrays of a program.
#[derive(Clone, Debug, Default)]
pub struct Shapes {
    nodes: Vec<(SizeNode, Measure)>,
    ids: HashMap<SizeNode, Size>,
    arrays: HashMap<ArrId, Vec<Size>>,
    /// Of arrays of rank 0 that sizes are computed from: their elements.
    elements: HashMap<ArrId, Size>,
    recorded: HashMap<ArrId, usize>,
}

impl Shapes {
    /// The sizes of all arrays of `program`.
    pub fn of(program: &Program<Labelled>) -> Self {
        let mut shapes = Self::default();
        shapes.params(&program.params, &program.alike);
        shapes.block(&program.body);
        shapes
    }

    /// The extents of `array`, outermost first; none for an array that was not recorded.
    pub fn sizes(&self, array: ArrId) -> Option<&[Size]> {
        self.arrays.get(&array).map(Vec::as_slice)
    }

    /// Whether the two arrays have the same shape in every run.
    pub fn same(&self, a: ArrId, b: ArrId) -> bool {
        a == b
            || self
                .sizes(a)
                .is_some_and(|sizes| Some(sizes) == self.sizes(b))
    }

    /// What `size` stands for.
    pub fn node(&self, size: Size) -> &SizeNode {
        &self.nodes[size.0 as usize].0
    }

    /// The number of operations that [`emit`](Self::emit) pushes at most; literals are free.
    pub fn cost(&self, size: Size) -> usize {
        self.measure(size).cost
    }

    /// Pushes code that computes `size`.
    pub fn emit(&self, builder: &mut FunBuilder, size: Size) -> ExpId {
        match self.node(size) {
            SizeNode::Const(c) => builder.constant(*c),
            SizeNode::Extent { array, axis } => builder.extent(*array, *axis),
            SizeNode::Prim(op, operands) => {
                let operands: Vec<_> = operands.iter().map(|&s| self.emit(builder, s)).collect();
                builder.prim(*op, &operands)
            }
        }
    }

    /// A function without parameters that gives `sizes`.
    pub fn emit_fun(&self, sizes: &[Size]) -> Fun<Labelled> {
        let mut builder = FunBuilder::new();
        let results = sizes.iter().map(|&s| self.emit(&mut builder, s)).collect();
        builder.finish(results)
    }

    /// The intersection of the shapes of `arrays`.
    pub fn intersection(&mut self, arrays: &[ArrId]) -> Option<Vec<Size>> {
        self.intersection_from(0, arrays)
    }

    /// The same without the outermost dimensions before one.
    fn intersection_from(&mut self, first: usize, arrays: &[ArrId]) -> Option<Vec<Size>> {
        let mut shapes = arrays.iter().map(|&a| self.arrays.get(&a).cloned());
        let shapes: Vec<Vec<Size>> = shapes.by_ref().collect::<Option<_>>()?;
        let rank = shapes.iter().map(Vec::len).min()?;
        let meet = |this: &mut Self, axis: usize| {
            let mut along = vec![];
            shapes
                .iter()
                .for_each(|s| this.least_of(s[axis], &mut along));
            along.sort();
            along.dedup();
            let first = along[0];
            along[1..]
                .iter()
                .fold(first, |x, &y| this.prim(Prim::Min, vec![x, y]))
        };
        Some((first..rank).map(|axis| meet(self, axis)).collect())
    }

    /// Appends the sizes that a size is the least of: equal minima of equal sizes are one size, in whatever order they were taken.
    fn least_of(&self, size: Size, all: &mut Vec<Size>) {
        match self.node(size) {
            SizeNode::Prim(Prim::Min, operands) if all.len() < MAX_LEAST => {
                operands.iter().for_each(|&x| self.least_of(x, all));
            }
            SizeNode::Prim(..) | SizeNode::Const(_) | SizeNode::Extent { .. } => all.push(size),
        }
    }

    /// The extents of root arrays that least sizes are taken of, array and dimension, by sizes.
    pub(super) fn meets(&self) -> Vec<Vec<(ArrId, usize)>> {
        let is_least =
            |(node, _): &(SizeNode, Measure)| matches!(node, SizeNode::Prim(Prim::Min, _));
        let least = (0..self.nodes.len()).filter(|&at| is_least(&self.nodes[at]));
        let met = least.map(|at| {
            let mut all = vec![];
            self.least_of(Size(at as u32), &mut all);
            all.into_iter()
                .filter_map(|size| self.root_of(size))
                .collect()
        });
        met.collect()
    }

    /// The dimension of a root array whose extent this is.
    pub(super) fn root_of(&self, size: Size) -> Option<(ArrId, usize)> {
        match *self.node(size) {
            SizeNode::Extent { array, axis } => Some((array, axis)),
            SizeNode::Const(_) | SizeNode::Prim(..) => None,
        }
    }

    /// Records the parameters of a program.
    pub fn params(&mut self, params: &[Arr], alike: &Alike) {
        for (position, param) in params.iter().enumerate() {
            let first = alike.params.get(&(position as u32));
            match first.and_then(|&first| params.get(first as usize)) {
                Some(first) => self.like(param, first.name),
                None => self.param(position, params, alike),
            }
        }
    }

    /// Records a parameter, of which some extents may be those of earlier dimensions.
    fn param(&mut self, position: usize, params: &[Arr], alike: &Alike) {
        let param = &params[position];
        self.root(param);
        for axis in 0..param.ty.rank {
            let own = ParamAxis {
                param: position as u32,
                axis: axis as u32,
            };
            let Some(first) = alike.extents.get(&own) else {
                continue;
            };
            let first_of = params.get(first.param as usize);
            let sizes = first_of.and_then(|first_of| self.sizes(first_of.name));
            let size = sizes.and_then(|sizes| sizes.get(first.axis as usize).copied());
            let sizes = self.arrays.get_mut(&param.name);
            let own = sizes.and_then(|sizes| sizes.get_mut(axis));
            if let (Some(own), Some(size)) = (own, size) {
                *own = size;
            }
        }
    }

    /// Records an array of which nothing is known.
    pub fn root(&mut self, array: &Arr) {
        self.record(array, vec![None; array.ty.rank]);
    }

    /// Records the arrays that a let binds, after those of the blocks inside it.
    pub fn let_(&mut self, let_: &AccLet<Labelled>) {
        let AccLet { binds, op, loc: _ } = let_;
        let before = self.recorded.len();
        self.enter(op);
        for inner in op.blocks() {
            self.block(inner.block);
        }
        self.results(binds, op, before);
    }

    /// Records the lets of a block.
    pub fn block(&mut self, block: &AccBlock<Labelled>) {
        block.lets.iter().for_each(|l| self.let_(l));
    }

    /// How many arrays have been recorded.
    pub fn position(&self) -> usize {
        self.recorded.len()
    }

    /// Whether `array` was recorded before [`position`](Self::position) was `position`.
    pub fn is_older(&self, array: ArrId, position: usize) -> bool {
        self.recorded.get(&array).is_some_and(|&own| own < position)
    }

    /// Whether `array` has the shape of the intersection of `arrays`.
    pub fn is_intersection(&mut self, array: ArrId, arrays: &[ArrId]) -> bool {
        let meet = self.intersection(arrays);
        meet.is_some() && self.sizes(array) == meet.as_deref()
    }

    /// Records the variables that the blocks of `op` bind on entry.
    pub fn enter(&mut self, op: &AccOp<Labelled>) {
        match op {
            AccOp::Derivative { params, args, .. } => {
                for (param, &arg) in params.iter().zip(args) {
                    self.like(param, arg);
                }
            }
            AccOp::Custom {
                values,
                rules,
                args,
            } => {
                let given = rules.jvp().into_iter();
                let given = given.flat_map(|jvp| jvp.params.iter().zip(args));
                given.for_each(|(param, &arg)| self.like(param, arg));
                let values = args[..*values].iter().cycle();
                let given = rules.vjp().into_iter();
                let given = given.flat_map(|vjp| vjp.params.iter().zip(values.clone()));
                given.for_each(|(param, &value)| self.like(param, value));
            }
            AccOp::Loop {
                trips: _,
                test,
                step,
                states,
                args,
            } => self.trip((test.as_ref(), step, states.inverse()), args),
            AccOp::Use(_)
            | AccOp::Generate { .. }
            | AccOp::Map { .. }
            | AccOp::Fold { .. }
            | AccOp::Scan { .. }
            | AccOp::Move { .. }
            | AccOp::Permute { .. }
            | AccOp::Unpack { .. }
            | AccOp::Argsort { .. }
            | AccOp::FoldSegments { .. }
            | AccOp::Append { .. }
            | AccOp::Cond { .. } => {}
        }
    }

    /// Records the results of `op`, whose blocks are recorded already; [`position`](Self::position) was
    /// `before` when the first of the blocks was entered.
    pub fn results(&mut self, binds: &[Arr], op: &AccOp<Labelled>, before: usize) {
        match op {
            AccOp::Derivative {
                mode: Mode::Jvp,
                body,
                ..
            } => {
                let before = before.min(self.first_inside(op));
                self.values_and_tangents(binds, &body.results, before);
            }
            AccOp::Derivative {
                mode: Mode::Gradient { with_value },
                args,
                ..
            } => {
                let (value, derivatives) = binds.split_at(usize::from(*with_value));
                value.iter().for_each(|b| self.root(b));
                for (bind, &arg) in derivatives.iter().zip(args) {
                    self.like(bind, arg);
                }
            }
            AccOp::Custom { args, .. } => {
                for (bind, &value) in binds.iter().zip(args) {
                    self.like(bind, value);
                }
            }
            AccOp::Loop { .. } => self.after_trips(binds, op),
            AccOp::Cond { then_, else_, .. } => {
                let before = before.min(self.first_inside(op));
                for (k, bind) in binds.iter().enumerate() {
                    self.branch(bind, then_.results[k], else_.results[k], before);
                }
            }
            AccOp::Generate { f, .. } if f.params.is_empty() => {
                let elements = self.of_function(f);
                for (bind, element) in binds.iter().zip(elements) {
                    self.record(bind, vec![]);
                    self.elements.extend(element.map(|size| (bind.name, size)));
                }
            }
            AccOp::Use(_)
            | AccOp::Generate { .. }
            | AccOp::Map { .. }
            | AccOp::Fold { .. }
            | AccOp::Scan { .. }
            | AccOp::Move { .. }
            | AccOp::Permute { .. }
            | AccOp::Unpack { .. }
            | AccOp::Argsort { .. }
            | AccOp::FoldSegments { .. }
            | AccOp::Append { .. } => {
                let sizes = self.simple(op);
                self.columns(binds, sizes.as_deref());
            }
        }
    }

    /// Records the columns of one operation, which have the same extents, known or not.
    fn columns(&mut self, binds: &[Arr], sizes: Option<&[Option<Size>]>) {
        if let Some((first, rest)) = binds.split_first() {
            self.record(first, sizes.map(<[_]>::to_vec).unwrap_or_default());
            rest.iter().for_each(|bind| self.like(bind, first.name));
        }
    }

    /// Records the results of a block, then their tangents.
    fn values_and_tangents(&mut self, binds: &[Arr], results: &[ArrId], before: usize) {
        let (values, tangents) = binds.split_at(results.len().min(binds.len()));
        for (bind, &result) in values.iter().zip(results) {
            self.branch(bind, result, result, before);
        }
        for (bind, value) in tangents.iter().zip(values) {
            self.like(bind, value.name);
        }
    }

    /// The least position of what the blocks of `op` bind, on entry too.
    fn first_inside(&self, op: &AccOp<Labelled>) -> usize {
        let inside = op.blocks().into_iter();
        let inside = inside.flat_map(|inner| inner.binds.iter().chain(inner.block.bindings()));
        let positions = inside.filter_map(|bind| self.recorded.get(&bind.name));
        positions.copied().min().unwrap_or(usize::MAX)
    }

    /// The common shape of the results of an operation without blocks; `None` extents are unknown.
    fn simple(&mut self, op: &AccOp<Labelled>) -> Option<Vec<Option<Size>>> {
        let known = |sizes: Vec<Size>| sizes.into_iter().map(Some).collect::<Vec<_>>();
        match op {
            AccOp::Use(_) | AccOp::Cond { .. } => None,
            AccOp::Derivative { .. } | AccOp::Custom { .. } | AccOp::Loop { .. } => None,
            AccOp::Generate { shape, f: _ } => Some(self.of_function(shape)),
            AccOp::Move { how, arg } => self.moved(how, *arg),
            AccOp::Map { f: _, args } => self.intersection(args).map(known),
            AccOp::Permute { defaults, .. } => self.intersection(defaults).map(known),
            AccOp::Argsort { order: _, arg } => self.intersection(&[*arg]).map(known),
            AccOp::Fold { args, .. } => {
                let mut sizes = self.intersection(args)?;
                sizes.pop();
                Some(known(sizes))
            }
            AccOp::FoldSegments { lengths, args, .. } => {
                let mut sizes = self.intersection(args)?;
                sizes.pop();
                sizes.extend(self.intersection(&[*lengths])?);
                Some(known(sizes))
            }
            AccOp::Scan { init, args, .. } => {
                let mut sizes = self.intersection(args)?;
                let inner = sizes.pop()?;
                sizes.push(match init {
                    Some(_) => self.successor(inner),
                    None => inner,
                });
                Some(known(sizes))
            }
            AccOp::Unpack { args } => {
                let mut sizes = self.intersection(args)?;
                sizes.push(self.constant(Const::I32(args.len() as i32)));
                Some(known(sizes))
            }
            AccOp::Append { args } => {
                let inner = self.intersection_from(1, args)?;
                let outer: Option<Vec<Size>> = args
                    .iter()
                    .map(|a| self.sizes(*a)?.first().copied())
                    .collect();
                let (&first, rest) = outer.as_deref()?.split_first()?;
                let sum = |sum, &size| self.prim(Prim::Add, vec![sum, size]);
                let outer = rest.iter().fold(first, sum);
                Some(known([vec![outer], inner].concat()))
            }
        }
    }

    /// The shape that moving `arg` gives; `None` extents are unknown.
    pub fn moved(&mut self, how: &Move<Fun<Labelled>>, arg: ArrId) -> Option<Vec<Option<Size>>> {
        let own: Vec<_> = match how.keeps_extents() {
            true => self.arrays.get(&arg)?.iter().copied().map(Some).collect(),
            false => vec![],
        };
        let said = how.said().map_or(vec![], |said| self.of_function(said));
        Some(how.extents(said, &own))
    }

    /// Records `array`, of the shape of `original`.
    pub fn like(&mut self, array: &Arr, original: ArrId) {
        match self.arrays.get(&original).cloned() {
            Some(sizes) => self.record(array, sizes.into_iter().map(Some).collect()),
            None => self.root(array),
        }
    }

    fn branch(&mut self, bind: &Arr, then_: ArrId, else_: ArrId, before: usize) {
        let both = self.arrays.get(&then_).zip(self.arrays.get(&else_));
        let common = |(t, e): (&Vec<Size>, &Vec<Size>)| {
            let visible = |s: Size| self.measure(s).newest <= before;
            let one = |(&t, &e): (&Size, &Size)| (t == e && visible(t)).then_some(t);
            t.iter().zip(e).map(one).collect()
        };
        let sizes = both.map_or_else(|| vec![None; bind.ty.rank], common);
        self.record(bind, sizes);
    }

    /// Records `array` with these extents; one that is not known is a root of its own. An array may be recorded again:
    /// its position stays.
    pub fn record(&mut self, array: &Arr, sizes: Vec<Option<Size>>) {
        let ArrBind { name, ty } = *array;
        let position = self.recorded.len();
        self.recorded.entry(name).or_insert(position);
        let size = |axis: usize| {
            let known = sizes.get(axis).copied().flatten();
            known.filter(|&s| self.cost(s) <= MAX_COST)
        };
        let known: Vec<_> = (0..ty.rank).map(size).collect();
        let or_own = |(axis, size): (usize, Option<Size>)| {
            size.unwrap_or_else(|| self.node_id(SizeNode::Extent { array: name, axis }))
        };
        let sizes = known.into_iter().enumerate().map(or_own).collect();
        self.arrays.insert(name, sizes);
    }

    /// The results of a shape function, as far as they are straight-line code, and read no arrays but those of rank 0 whose elements are
    /// known.
    pub fn of_function(&mut self, shape: &Fun<Labelled>) -> Vec<Option<Size>> {
        let mut known: HashMap<ExpId, Size> = HashMap::new();
        for ExpLet { binds, op, loc: _ } in &shape.body.lets {
            let size = match op {
                ExpOp::Const(c) => Some(self.constant(*c)),
                ExpOp::Extent { array, axis } => {
                    let array = shape.captures[array.0 as usize];
                    self.arrays.get(&array).and_then(|s| s.get(*axis)).copied()
                }
                ExpOp::Prim(op, operands) => {
                    let operands: Option<Vec<_>> =
                        operands.iter().map(|x| known.get(x).copied()).collect();
                    operands.map(|operands| self.prim(*op, operands))
                }
                ExpOp::Index { array, .. } => {
                    let array = shape.captures[array.0 as usize];
                    self.elements.get(&array).copied()
                }
                ExpOp::Cond { .. } => None,
                ExpOp::Derivative { .. } | ExpOp::WithPartials(_) | ExpOp::Loop { .. } => None,
            };
            // Through floats no size is followed: their minimum does not commute.
            if let ([bind], Some(size)) = (&binds[..], size)
                && !bind.ty.is_float()
            {
                known.insert(bind.name, size);
            }
        }
        let results = shape.body.results.iter();
        results.map(|x| known.get(x).copied()).collect()
    }

    fn constant(&mut self, c: Const) -> Size {
        self.node_id(SizeNode::Const(c))
    }

    fn successor(&mut self, size: Size) -> Size {
        let one = self.constant(Const::I32(1));
        self.prim(Prim::Add, vec![size, one])
    }

    /// A least or greatest size that has come up.
    pub fn known(&self, op: Prim, mut operands: [Size; 2]) -> Option<Size> {
        operands.sort();
        let node = SizeNode::Prim(op, operands.to_vec());
        self.ids.get(&node).copied()
    }

    /// `op` on sizes, in a normal form: constants folded, neutral operands gone, commuting operands sorted.
    fn prim(&mut self, op: Prim, mut operands: Vec<Size>) -> Size {
        let constant = |s: Size| match self.node(s) {
            SizeNode::Const(c) => Some(*c),
            SizeNode::Extent { .. } | SizeNode::Prim(..) => None,
        };
        let constants: Option<Vec<Const>> = operands.iter().map(|&s| constant(s)).collect();
        if let Some(c) = constants.and_then(|cs| op.eval(&cs)) {
            return self.constant(c);
        }
        // Sizes are integers, for which minimum and maximum commute too.
        if op.is_commutative() || matches!(op, Prim::Min | Prim::Max) {
            operands.sort_by_key(|&s| (constant(s).is_some(), s));
        }
        let last = operands.last().copied().and_then(constant);
        match (op, &operands[..], last) {
            (Prim::Min | Prim::Max, &[x, y], _) if x == y => x,
            (Prim::Add | Prim::Sub, &[x, _], Some(c)) if c.is_zero() => x,
            (Prim::Mul | Prim::Quot | Prim::DivFloor, &[x, _], Some(c)) if c.is_one() => x,
            (op, _, _) => self.node_id(SizeNode::Prim(op, operands)),
        }
    }

    fn measure(&self, size: Size) -> Measure {
        self.nodes[size.0 as usize].1
    }

    fn node_id(&mut self, node: SizeNode) -> Size {
        if let Some(&known) = self.ids.get(&node) {
            return known;
        }
        let measure = match &node {
            SizeNode::Const(_) => Measure { cost: 0, newest: 0 },
            SizeNode::Extent { array, axis: _ } => Measure {
                cost: 1,
                newest: self.recorded.get(array).map_or(usize::MAX, |p| p + 1),
            },
            SizeNode::Prim(_, operands) => {
                let parts = operands.iter().map(|&s| self.measure(s));
                parts.fold(Measure { cost: 1, newest: 0 }, |sum, part| Measure {
                    cost: sum.cost.saturating_add(part.cost),
                    newest: sum.newest.max(part.newest),
                })
            }
        };
        let id = Size(self.nodes.len() as u32);
        self.nodes.push((node.clone(), measure));
        self.ids.insert(node, id);
        id
    }
}
