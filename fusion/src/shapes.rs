//! The extents of results, and the checks that operations make whatever their elements are.

use crate::code::{HOST, HostValue};
use crate::lower::Lowering;
use cotangent_core::prim::Prim;
use cotangent_core::schedule::{Check, Step};
use cotangent_core::term::{AccLet, AccOp, ArrId, Labelled};

impl<'p> Lowering<'p> {
    /// The elementwise minimum of the extents of one or more arrays.
    pub(crate) fn intersection(&mut self, arrays: &[ArrId]) -> Vec<HostValue> {
        let mut shape = arrays.first().map_or(vec![], |&a| self.extents(a).to_vec());
        for &array in arrays.iter().skip(1) {
            let other = self.extents(array).to_vec();
            for (extent, other) in shape.iter_mut().zip(other) {
                *extent = self.codes.host_prim(Prim::Min, &[*extent, other]);
            }
        }
        shape
    }

    /// The extents of the results of an operation, all of one shape.
    pub(crate) fn extents_of_results(&mut self, op: &'p AccOp<Labelled>) -> Vec<HostValue> {
        match op {
            AccOp::Generate { shape, f: _ } => self.closed(shape),
            AccOp::Move { how, arg } => {
                let said = how.said().map_or(vec![], |said| self.closed(said));
                // Where none are taken, nothing may be known of the argument: nobody reads it.
                let own = how.keeps_extents().then(|| self.extents(*arg));
                how.extents(said, own.unwrap_or_default())
            }
            AccOp::Map { f: _, args } => self.intersection(args),
            AccOp::Fold {
                f: _,
                init: _,
                args,
            } => {
                let mut extents = self.intersection(args);
                extents.pop();
                extents
            }
            AccOp::Scan {
                direction: _,
                f: _,
                init,
                args,
            } => {
                let mut extents = self.intersection(args);
                if let (Some(last), Some(_)) = (extents.last_mut(), init) {
                    let one = self.codes.host_constant(1);
                    *last = self.codes.host_prim(Prim::Add, &[*last, one]);
                }
                extents
            }
            AccOp::Permute { defaults, .. } => self.intersection(defaults),
            AccOp::Unpack { args } => {
                let mut extents = self.intersection(args);
                extents.push(self.codes.host_constant(args.len() as i32));
                extents
            }
            AccOp::Append { args } => self.appended(args),
            // Of those with blocks, what runs them knows.
            AccOp::Use(_) | AccOp::Cond { .. } => vec![],
            AccOp::Derivative { .. } | AccOp::Custom { .. } | AccOp::Loop { .. } => vec![],
        }
    }

    fn appended(&mut self, args: &[ArrId]) -> Vec<HostValue> {
        let mut extents = self.intersection(args);
        if let (Some(outer), Some(&sum)) = (extents.first_mut(), self.outer_sums(args).last()) {
            *outer = sum;
        }
        extents
    }

    /// The outermost extents of several arrays, added up: of the first, of the first two, and so on.
    pub(crate) fn outer_sums(&mut self, arrays: &[ArrId]) -> Vec<HostValue> {
        let outer = |&a: &ArrId| self.extents(a).first().copied();
        let outer: Vec<_> = arrays.iter().filter_map(outer).collect();
        let mut sums: Vec<HostValue> = vec![];
        for extent in outer {
            sums.push(match sums.last() {
                Some(&sum) => self.codes.host_prim(Prim::Add, &[sum, extent]),
                None => extent,
            });
        }
        sums
    }

    /// The conditions under which an operation fails whatever its elements are.
    pub(crate) fn checks(&mut self, let_: &'p AccLet<Labelled>, extents: &[HostValue]) {
        match &let_.op {
            AccOp::Generate { .. } => self.check_shape(let_, extents),
            AccOp::Move { how, arg } => self.check_move(let_, (how, *arg), extents),
            AccOp::Fold {
                f: _,
                init: None,
                args,
            } => {
                let inner = self.intersection(args).split_off(extents.len());
                let low = |e: &HostValue| self.codes.range(HOST, e.0).low;
                if inner.iter().any(|e| low(e) < 1) {
                    let (outer, inner) = (self.symbols(extents), self.symbols(&inner));
                    self.check(Check::NotEmpty { outer, inner }, let_);
                }
            }
            // Each sum of two extents is negative if it overflows; the next may not be.
            AccOp::Append { args } => {
                let sums = self.outer_sums(args);
                let partial = sums.len().saturating_sub(1);
                sums[..partial]
                    .iter()
                    .for_each(|&sum| self.check_shape(let_, &[sum]));
                self.check_shape(let_, extents);
            }
            AccOp::Fold { init: Some(_), .. }
            | AccOp::Use(_)
            | AccOp::Map { .. }
            | AccOp::Scan { .. }
            | AccOp::Permute { .. }
            | AccOp::Unpack { .. }
            | AccOp::Cond { .. }
            | AccOp::Derivative { .. }
            | AccOp::Custom { .. }
            | AccOp::Loop { .. } => {}
        }
    }

    /// Checks extents that are not seen to be possible; two that are not negative have a product in range.
    pub(crate) fn check_shape(&mut self, let_: &AccLet<Labelled>, extents: &[HostValue]) {
        let is_seen = |&e: &HostValue| self.codes.range(HOST, e.0).low >= 0 && !self.is_read(e);
        if extents.len() > 2 || !extents.iter().all(is_seen) {
            let extents = self.symbols(extents);
            self.check(Check::Shape { extents }, let_);
        }
    }

    /// Whether a number is read from an array. That may fail, whatever range the number has: somebody must want it.
    pub(crate) fn is_read(&self, value: HostValue) -> bool {
        !self.steps.loads_of(&self.codes, value).is_empty()
    }

    pub(crate) fn check(&mut self, check: Check, let_: &AccLet<Labelled>) {
        let site = self.site(Self::site_of(let_));
        self.steps.push(Step::Check(check, site));
    }
}
