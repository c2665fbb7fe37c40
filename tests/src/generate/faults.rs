//! Note [Failures on purpose]: a part of the programs is written *carelessly*. In those, indices, targets,
//! positions, extents and sizes are wrong now and then, by one or by anything; arrays are empty more often; maps
//! ignore their arguments, and results of the program are left out, so that what fails is needed, half needed or
//! not needed. An operation that fails stays more often than in other programs, and the code goes on with what the
//! demand-driven reference gives for it.

use super::arrays::Arrays;
use super::scalars::{Scalars, Var};
use super::scope::Known;
use cotangent_core::constant::Const;
use cotangent_core::host::{Column, HostArray};
use cotangent_core::interp::{Scatters, run_by_need};
use cotangent_core::prim::Prim;
use cotangent_core::term::{AccOp, Labelled};
use cotangent_core::types::ArrayType;
use cotangent_core::types::ScalarType::I32;

/// How many of a hundred programs are careless.
pub(crate) const CARELESS: usize = 40;

/// How often, of a hundred times, something is wrong where that fails for certain.
pub(crate) const FEW: usize = 25;

/// How often, of a hundred times, something may be wrong.
pub(crate) const SOME: usize = 40;

impl Arrays<'_> {
    /// Whether an operation that fails is to stay.
    pub(super) fn may_fail(&mut self) -> bool {
        match (self.careless, self.smooth) {
            (true, _) => self.random.chance(85),
            (false, true) => false,
            (false, false) => self.random.chance(20),
        }
    }

    /// Whether something goes wrong here.
    pub(super) fn faulty(&mut self, percent: usize) -> bool {
        self.careless && self.random.chance(percent)
    }

    /// Arrays to go on with where an operation fails.
    pub(super) fn stand_ins(
        &self,
        op: &AccOp<Labelled>,
        types: &[ArrayType],
    ) -> Option<Vec<HostArray>> {
        let (program, inputs) = self.alone(op, types);
        let run = run_by_need(&program, &inputs, 0, Scatters::Fail).ok()?;
        let results = run.results.into_iter().zip(types);
        let or_one =
            |(result, &ty): (Result<HostArray, _>, &ArrayType)| result.ok().or_else(|| one(ty));
        results.map(or_one).collect()
    }
}

impl Scalars<'_> {
    /// Whether something goes wrong here.
    pub(super) fn faulty(&mut self, percent: usize) -> bool {
        self.careless && self.random.chance(percent)
    }

    /// A position in a dimension that is probably none: before it, behind it, or anything.
    pub(super) fn wrong_position(&mut self, array: &Known, axis: usize) -> Var {
        match self.random.below(4) {
            0 => self.constant(-1),
            1 => self.extent_of(array, axis),
            2 => {
                let (extent, one) = (self.extent_of(array, axis), self.constant(1));
                self.put(Prim::Sub, &[extent, one], 1000.0, true)
            }
            _any => self.exact(I32),
        }
    }

    /// The index of a space, moved by one or not, as far as it has as many coordinates as the array; the rest is
    /// in range if there is one.
    pub(super) fn moved_index(&mut self, array: &Known, params: &[Var]) -> Vec<Var> {
        let mut index = self.in_range(array);
        for (axis, place) in index.iter_mut().enumerate() {
            *place = match (params.get(axis), self.random.below(6)) {
                (_, 0) => self.wrong_position(array, axis),
                (Some(&param), 1..=4) => {
                    let by = self.random.pick(&[0, 0, 1, -1]);
                    let by = self.constant(by);
                    self.put(Prim::Add, &[param, by], 1000.0, true)
                }
                (_, _) => *place,
            };
        }
        index
    }
}

/// An array of one element.
fn one(ty: ArrayType) -> Option<HostArray> {
    let one = Column::from_consts(ty.elem, [Const::small(ty.elem, 1)])?;
    HostArray::new(vec![1; ty.rank], one).ok()
}
