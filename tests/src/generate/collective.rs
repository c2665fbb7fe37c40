//! Random collective operations that rearrange and reduce.

use super::arrays::{Arrays, Made};
use super::faults::{FEW, SOME};
use super::inputs::elem;
use super::operators::{Operands, Operator};
use super::scalars::{Scalars, Var};
use super::scope::Known;
use cotangent_core::build::FunBuilder;
use cotangent_core::constant::Const;
use cotangent_core::prim::Prim;
use cotangent_core::term::{AccOp, ArrId, Combine, Direction, Fun, Labelled, Outside, SortOrder};
use cotangent_core::types::ArrayType;
use cotangent_core::types::ScalarType::{Bool, I32};

fn names(arrays: &[Known]) -> Vec<ArrId> {
    arrays.iter().map(|k| k.arr.name).collect()
}

impl Arrays<'_> {
    /// The array, or a copy made small.
    pub(super) fn limited(&mut self, array: Known, limit: f64) -> Option<Known> {
        if !array.arr.ty.elem.is_float() || array.bound <= limit {
            return Some(array);
        }
        let mut s = self.scalars();
        let x = s.element_of(&array);
        let y = s.squash(x, limit);
        let f = s.finish(&[y]);
        let op = AccOp::Map {
            f,
            args: vec![array.arr.name],
        };
        let made = Made::one(op, array.arr.ty.elem, array.arr.ty.rank, false);
        // NaN and infinities stay; sums and products of them do not depend on the order.
        self.add(made)?.pop()
    }

    /// An array as an operator takes it.
    pub(super) fn operand(&mut self, array: Known, operands: Operands) -> Option<Known> {
        if operands == Operands::Positive && array.arr.ty.elem.is_float() {
            return self.around_one(array);
        }
        let extent = array.value.shape().last().copied().unwrap_or(1);
        self.limited(array, operands.limit(extent))
    }

    /// Numbers between ¼ and 1¾, but for NaN, that depend smoothly on those of an array.
    fn around_one(&mut self, array: Known) -> Option<Known> {
        let mut s = self.scalars();
        let x = s.element_of(&array);
        let y = s.squash(x, 0.75);
        let one = s.float(y.ty, 1.0);
        let y = s.put(Prim::Add, &[y, one], 1.75, false);
        let f = s.finish(&[y]);
        let op = AccOp::Map {
            f,
            args: vec![array.arr.name],
        };
        let made = Made::one(op, array.arr.ty.elem, array.arr.ty.rank, false);
        self.add(made)?.pop()
    }

    fn init(&mut self, operator: &Operator) -> Option<Fun<Labelled>> {
        if self.random.chance(40) {
            return None;
        }
        let Operands::Limited(limit) = operator.operands else {
            return Some(Fun::constants(&operator.init));
        };
        if self.random.chance(85) {
            return Some(Fun::constants(&operator.init));
        }
        let mut s = self.scalars();
        s.grow(2);
        let limited = |s: &mut Scalars<'_>, ty: cotangent_core::types::ScalarType| {
            let v = s.some(ty, |v| v.exact);
            if ty.is_float() && v.bound > limit {
                s.float(ty, 0.5)
            } else {
                v
            }
        };
        let results: Vec<_> = operator
            .types
            .iter()
            .map(|&ty| limited(&mut s, ty))
            .collect();
        Some(s.finish(&results))
    }

    fn reduced_types(
        args: &[Known],
        operator: &Operator,
        rank: usize,
    ) -> (Vec<ArrayType>, Vec<bool>) {
        let exact = operator.exact && args.iter().all(|k| k.exact);
        let types = args
            .iter()
            .map(|k| ArrayType::new(k.arr.ty.elem, rank))
            .collect();
        (types, vec![exact; args.len()])
    }

    pub(super) fn fold(&mut self) -> Option<Made> {
        let (operator, args) = self.reduction()?;
        let init = self.init(&operator);
        let rank = args[0].arr.ty.rank - 1;
        let (types, exact) = Self::reduced_types(&args, &operator, rank);
        let op = AccOp::Fold {
            f: operator.f,
            init,
            args: names(&args),
        };
        Some(Made { op, types, exact })
    }

    pub(super) fn scan(&mut self) -> Option<Made> {
        let (operator, args) = self.reduction()?;
        let init = self.init(&operator);
        let direction = self.random.pick(&[Direction::Left, Direction::Right]);
        let (types, exact) = Self::reduced_types(&args, &operator, args[0].arr.ty.rank);
        let op = AccOp::Scan {
            direction,
            f: operator.f,
            init,
            args: names(&args),
        };
        Some(Made { op, types, exact })
    }

    /// Of lengths that are mostly small enough.
    pub(super) fn fold_segments(&mut self) -> Option<Made> {
        let (operator, args) = self.reduction()?;
        let init = self.init(&operator);
        let init = init.unwrap_or_else(|| Fun::constants(&operator.init));
        let inner = args.iter().filter_map(|k| k.value.shape().last());
        let lengths = self.lengths(inner.copied().min()?)?;
        let rank = args[0].arr.ty.rank;
        let (types, exact) = Self::reduced_types(&args, &operator, rank);
        let op = AccOp::FoldSegments {
            f: operator.f,
            init,
            lengths: lengths.arr.name,
            args: names(&args),
        };
        Some(Made { op, types, exact })
    }

    /// The lengths of a few segments of so many elements together, or of more.
    fn lengths(&mut self, n: usize) -> Option<Known> {
        if self.random.chance(10) {
            return self.some(|k| k.arr.ty == ArrayType::new(I32, 1));
        }
        let count = self.random.below(6);
        let most = n / count.max(1) + usize::from(self.random.chance(FEW));
        let [factor, least] = [1 + self.random.below(7), self.random.below(2)];
        let mut f = FunBuilder::new();
        let segment = f.param(I32);
        let [factor, most, least] =
            [factor, most + least + 1, least].map(|number| f.constant(number as i32));
        let product = f.prim(Prim::Mul, &[segment, factor]);
        let length = f.prim(Prim::Rem, &[product, most]);
        let length = f.prim(Prim::Sub, &[length, least]);
        let op = AccOp::Generate {
            shape: Fun::constants(&[Const::I32(count as i32)]),
            f: f.finish(vec![length]),
        };
        self.add(Made::one(op, I32, 1, true))?.pop()
    }

    /// A function that gives a shape: literals, extents of arrays, and sums of them.
    pub(super) fn shape(&mut self, rank: usize) -> Fun<Labelled> {
        let like = self.some(|k| k.arr.ty.rank == rank);
        if let Some(like) = like.filter(|_| self.random.chance(35)) {
            return Fun::shape_of(&like.arr);
        }
        let pool = self.pool.clone();
        let mut s = self.scalars();
        let mut extents: Vec<_> = (0..rank).map(|_| extent(&mut s, &pool)).collect();
        if let (Some(last), true) = (extents.last_mut(), s.faulty(FEW / 2)) {
            *last = s.constant(-1);
        }
        s.finish(&extents)
    }

    pub(super) fn permute(&mut self) -> Option<Made> {
        let general = !self.smooth || self.random.chance(10);
        let combine = if general && self.random.chance(40) {
            Combine::Overwrite
        } else {
            Combine::Add
        };
        let fits = |k: &Known| combine == Combine::Overwrite || k.arr.ty.elem.is_number();
        let first = self.some(fits)?;
        let mut args = vec![first];
        if self.random.chance(25) {
            let rank = args[0].arr.ty.rank;
            args.push(self.some(|k| k.arr.ty.rank == rank && fits(k))?);
        }
        if combine == Combine::Add {
            args = args
                .into_iter()
                .map(|a| self.limited(a, 100.0))
                .collect::<Option<_>>()?;
        }
        let defaults = self.defaults(&args, combine)?;
        let target = self.target(&args, &defaults[0]);
        let results = args.iter().zip(&defaults);
        let exact = |(a, d): (&Known, &Known)| {
            a.exact && d.exact && (combine == Combine::Overwrite || !a.arr.ty.elem.is_float())
        };
        let exact = results.map(exact).collect();
        let types = defaults.iter().map(|d| d.arr.ty).collect();
        let op = AccOp::Permute {
            combine,
            outside: Outside::Fails,
            defaults: names(&defaults),
            target,
            args: names(&args),
        };
        Some(Made { op, types, exact })
    }

    /// Arrays of one rank and of the elements of `args`: of those in scope, or filled.
    fn defaults(&mut self, args: &[Known], combine: Combine) -> Option<Vec<Known>> {
        let limit = if combine == Combine::Add {
            100.0
        } else {
            f64::INFINITY
        };
        let elem = args[0].arr.ty.elem;
        let first = self
            .some(|k| k.arr.ty.elem == elem)
            .filter(|_| self.random.chance(50));
        let first = match first {
            Some(first) => self.limited(first, limit)?,
            None => {
                let rank = self.random.between(0, 2);
                self.filled(ArrayType::new(elem, rank))?
            }
        };
        let rank = first.arr.ty.rank;
        let mut defaults = vec![first];
        for arg in &args[1..] {
            defaults.push(self.filled(ArrayType::new(arg.arr.ty.elem, rank))?);
        }
        Some(defaults)
    }

    /// A new array of one value.
    pub(super) fn filled(&mut self, ty: ArrayType) -> Option<Known> {
        let shape = self.shape(ty.rank);
        let mut s = self.scalars();
        s.index_params(ty.rank);
        let value = if ty.elem.is_float() {
            let value = s.random.pick(&[0.0, 1.0, 0.5]);
            s.float(ty.elem, value)
        } else {
            s.literal(ty.elem)
        };
        let f = s.finish(&[value]);
        let made = Made::one(AccOp::Generate { shape, f }, ty.elem, ty.rank, true);
        self.add(made)?.pop()
    }

    /// Where elements go: guarded or in range.
    pub(super) fn target(&mut self, args: &[Known], into: &Known) -> Fun<Labelled> {
        let rank = args[0].arr.ty.rank;
        let mut s = self.scalars();
        let params = s.index_params(rank);
        let steps = s.random.between(0, 3);
        s.grow(steps);
        let moved = if s.careless { 2 * SOME } else { 0 };
        let choices = [(50, 0), (25, 1), (22, 2), (3, 3), (moved, 4), (5, 5)];
        let (guard, index) = match s.random.weighted(&choices) {
            0 => (s.constant(true), s.in_range(into)),
            1 => {
                let index = s.results(&vec![I32; into.arr.ty.rank]);
                (s.within(into, &index), index)
            }
            2 => (every_other(&mut s, &params), s.in_range(into)),
            4 => (s.constant(true), s.moved_index(into, &params)),
            5 => {
                let index = s.moved_index(into, &params);
                (s.within(into, &index), index)
            }
            _ => (s.constant(true), s.results(&vec![I32; into.arr.ty.rank])),
        };
        s.finish(&[vec![guard], index].concat())
    }

    pub(super) fn unpack(&mut self) -> Option<Made> {
        let first = self.some(|k| k.arr.ty.rank < 3)?;
        let ty = first.arr.ty;
        let mut args = vec![first];
        for _ in 0..self.random.below(3) {
            args.push(self.some(|k| k.arr.ty == ty)?);
        }
        let exact = args.iter().all(|k| k.exact);
        Some(Made::one(
            AccOp::Unpack { args: names(&args) },
            ty.elem,
            ty.rank + 1,
            exact,
        ))
    }

    pub(super) fn append(&mut self) -> Option<Made> {
        let first = self.some(|k| k.arr.ty.rank > 0)?;
        let ty = first.arr.ty;
        let mut args = vec![first];
        for _ in 0..self.random.weighted(&[(5, 0), (70, 1), (25, 2)]) {
            args.push(self.some(|k| k.arr.ty == ty)?);
        }
        let exact = args.iter().all(|k| k.exact);
        let op = AccOp::Append { args: names(&args) };
        Some(Made::one(op, ty.elem, ty.rank, exact))
    }

    /// Of keys that all engines have the same bits of; an order that changes where a derivative is taken has none.
    pub(super) fn argsort(&mut self) -> Option<Made> {
        let smooth = self.smooth;
        let arg = self.some(|k| k.arr.ty.rank > 0 && k.exact && !(smooth && k.active))?;
        let order = self
            .random
            .pick(&[SortOrder::Ascending, SortOrder::Descending]);
        let op = AccOp::Argsort {
            order,
            arg: arg.arr.name,
        };
        Some(Made::one(op, I32, arg.arr.ty.rank, true))
    }

    /// The type of some array, or any.
    pub(super) fn some_type(&mut self) -> ArrayType {
        let known = self.some(|_| true).filter(|_| self.random.chance(80));
        known.map_or_else(|| ArrayType::new(elem(self.random), 1), |k| k.arr.ty)
    }
}

/// An extent that is not too large, and not negative but for a few.
fn extent(s: &mut Scalars<'_>, pool: &[usize]) -> Var {
    match s.random.weighted(&[(60, 0), (25, 1), (13, 2), (2, 3)]) {
        0 => {
            let extent = s.random.pick(pool) as i32;
            s.constant(extent)
        }
        1 => {
            s.extent();
            s.exact(I32)
        }
        2 => {
            s.index();
            let (x, few) = (s.exact(I32), s.constant(6));
            s.put(Prim::ModFloor, &[x, few], 6.0, true)
        }
        _ => s.exact(I32),
    }
}

fn every_other(s: &mut Scalars<'_>, params: &[Var]) -> Var {
    match params {
        [] => s.exact(Bool),
        [.., last] => {
            let (two, zero) = (s.constant(2), s.constant(0));
            let odd = s.put(Prim::Rem, &[*last, two], 2.0, true);
            s.put(Prim::Eq, &[odd, zero], 1.0, true)
        }
    }
}
