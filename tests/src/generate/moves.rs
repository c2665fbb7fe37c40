//! Random moves.

use super::arrays::{Arrays, Made, Way};
use super::faults::{FEW, SOME};
use super::scope::Known;
use cotangent_core::build::FunBuilder;
use cotangent_core::prim::Prim;
use cotangent_core::term::{AccOp, Axis, Fun, Labelled, Move};
use cotangent_core::types::ScalarType::I32;

/// A move of an array.
fn moved(how: Move<Fun<Labelled>>, arg: &Known) -> Option<Made> {
    let said = how.said().map_or(0, |said| said.body.results.len());
    let rank = how.rank(said, arg.arr.ty.rank);
    let op = AccOp::Move {
        how,
        arg: arg.arr.name,
    };
    Some(Made::one(op, arg.arr.ty.elem, rank, arg.exact))
}

impl Arrays<'_> {
    /// What makes each of the moves, with its weight among all operations.
    pub(super) fn moves() -> Vec<Way<Self>> {
        vec![
            (6, Self::reshape),
            (6, Self::expect),
            (6, Self::replicate),
            (6, Self::slice),
            (9, Self::backpermute),
            (6, Self::roll),
            (3, Self::compute),
        ]
    }

    fn reshape(&mut self) -> Option<Made> {
        let arg = self.some(|_| true)?;
        if self.random.chance(40) {
            let mut b = FunBuilder::new();
            let mut size = b.constant(1);
            for extent in b.shape(&arg.arr) {
                size = b.prim(Prim::Mul, &[size, extent]);
            }
            let shape = b.finish(vec![size]);
            return moved(Move::Reshape { shape }, &arg);
        }
        let factors = self.factors(arg.value.column().len());
        let shape = Fun::constants(
            &factors
                .iter()
                .map(|&e| (e as i32).into())
                .collect::<Vec<_>>(),
        );
        moved(Move::Reshape { shape }, &arg)
    }

    fn compute(&mut self) -> Option<Made> {
        let arg = self.some(|_| true)?;
        moved(Move::Stored, &arg)
    }

    /// The extents of an array as numbers, or those of another one; rarely such that differ.
    fn expect(&mut self) -> Option<Made> {
        let arg = self.some(|_| true)?;
        let is_like = |k: &Known| k.value.shape() == arg.value.shape();
        let is_faulty = self.faulty(FEW) || self.random.chance(3);
        if !is_faulty && self.random.chance(50) {
            let like = self.some(is_like)?;
            return moved(
                Move::Expect {
                    shape: Fun::shape_of(&like.arr),
                },
                &arg,
            );
        }
        let mut shape = arg.value.shape().to_vec();
        if let Some(extent) = shape.first_mut() {
            *extent += usize::from(is_faulty);
        }
        let extents: Vec<_> = shape.iter().map(|&e| (e as i32).into()).collect();
        let shape = Fun::constants(&extents);
        moved(Move::Expect { shape }, &arg)
    }

    /// Extents of that product; rarely of another.
    fn factors(&mut self, size: usize) -> Vec<usize> {
        if size == 1 && self.random.chance(50) {
            return vec![];
        }
        let mut left = size + usize::from(self.faulty(FEW) || self.random.chance(3));
        let mut factors = vec![];
        for _ in 0..self.random.between(0, 2) {
            let divisors: Vec<_> = (1..=left.min(12))
                .filter(|d| left.is_multiple_of(*d))
                .collect();
            let divisor = if divisors.is_empty() {
                2
            } else {
                self.random.pick(&divisors)
            };
            left /= divisor;
            factors.push(divisor);
        }
        let place = self.random.below(factors.len() + 1);
        factors.insert(place, left);
        factors
    }

    fn replicate(&mut self) -> Option<Made> {
        let arg = self.some(|k| k.arr.ty.rank < 4)?;
        let mut axes = vec![Axis::All; arg.arr.ty.rank];
        let added = if axes.len() < 3 {
            self.random.between(1, 2)
        } else {
            1
        };
        for _ in 0..added {
            let place = self.random.below(axes.len() + 1);
            axes.insert(place, Axis::Fixed);
        }
        let extents = self.shape(added);
        moved(Move::Replicate { axes, extents }, &arg)
    }

    fn slice(&mut self) -> Option<Made> {
        let arg = self.some(|k| k.arr.ty.rank > 0)?;
        let axis = |_| {
            if self.random.chance(50) {
                Axis::All
            } else {
                Axis::Fixed
            }
        };
        let axes: Vec<_> = (0..arg.arr.ty.rank).map(axis).collect();
        let mut s = self.scalars();
        s.grow(1);
        let mut indices = vec![];
        for (axis, _) in axes.iter().enumerate().filter(|(_, a)| **a == Axis::Fixed) {
            let position = s.exact(I32);
            let extent = s.extent_of(&arg, axis);
            indices.push(match s.faulty(FEW) {
                true => s.wrong_position(&arg, axis),
                false => s.put(Prim::ModFloor, &[position, extent], 300.0, true),
            });
        }
        let indices = s.finish(&indices);
        moved(Move::Slice { axes, indices }, &arg)
    }

    fn roll(&mut self) -> Option<Made> {
        let arg = self.some(|k| k.arr.ty.rank > 0)?;
        let axis = |_| match self.random.chance(40) {
            true => Axis::All,
            false => Axis::Fixed,
        };
        let axes: Vec<_> = (0..arg.arr.ty.rank).map(axis).collect();
        let mut s = self.scalars();
        s.grow(1);
        let rolled = axes.iter().filter(|axis| **axis == Axis::Fixed);
        let amounts: Vec<_> = rolled.map(|_| s.exact(I32)).collect();
        let amounts = s.finish(&amounts);
        moved(Move::Roll { axes, amounts }, &arg)
    }

    fn backpermute(&mut self) -> Option<Made> {
        let arg = self.some(|_| true)?;
        let (shape, f) = if arg.arr.ty.rank > 0 && self.random.chance(45) {
            self.permutation(&arg)
        } else {
            self.gather(&arg)
        };
        moved(Move::Backpermute { shape, f }, &arg)
    }

    /// Any index function, brought in range (but for a few).
    fn gather(&mut self, arg: &Known) -> (Fun<Labelled>, Fun<Labelled>) {
        let rank = self.random.below(4);
        let shape = self.shape(rank);
        let mut s = self.scalars();
        let params = s.index_params(rank);
        let steps = s.random.between(0, 3);
        s.grow(steps);
        let index = if s.faulty(SOME) {
            s.moved_index(arg, &params)
        } else if s.random.chance(95) {
            s.in_range(arg)
        } else {
            s.results(&vec![I32; arg.arr.ty.rank])
        };
        (shape, s.finish(&index))
    }

    /// Dimensions in another order, some of them backwards.
    fn permutation(&mut self, arg: &Known) -> (Fun<Labelled>, Fun<Labelled>) {
        let rank = arg.arr.ty.rank;
        // Dimension `place` of the result is dimension `order[place]` of the argument.
        let mut order: Vec<_> = (0..rank).collect();
        for i in (1..rank).rev() {
            order.swap(i, self.random.below(i + 1));
        }
        let mut shape = FunBuilder::new();
        let extents = order
            .iter()
            .map(|&axis| shape.extent(arg.arr.name, axis))
            .collect();
        let mut f = FunBuilder::new();
        let params = f.params(&vec![I32; rank]);
        let mut index = params.clone();
        for (&axis, &param) in order.iter().zip(&params) {
            index[axis] = param;
            if self.random.chance(30) {
                let (extent, one) = (f.extent(arg.arr.name, axis), f.constant(1));
                let last = f.prim(Prim::Sub, &[extent, one]);
                index[axis] = f.prim(Prim::Sub, &[last, param]);
            }
        }
        (shape.finish(extents), f.finish(index))
    }
}
