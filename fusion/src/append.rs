//! Arrays one after the other: parts become views of the whole, if need be by a copy.

use crate::code::{HOST, HostValue};
use crate::groups::Item;
use crate::lower::{Lowering, Storage};
use crate::memory::{Origin, Place};
use cotangent_core::constant::Const;
use cotangent_core::prim::Prim;
use cotangent_core::schedule::ArrayId;
use cotangent_core::schedule::kept::Kept;
use cotangent_core::term::{AccLet, ArrId, Labelled};
use cotangent_core::types::ScalarType;

/// An argument of an append that has elements, as far as is known.
struct Part {
    array: ArrId,
    /// The extents of what is appended of it.
    extents: Vec<HostValue>,
    place: Place,
}

impl<'p> Lowering<'p> {
    /// Puts arrays one after the other. What checks need to hold was checked before.
    pub(crate) fn append(&mut self, let_: &'p AccLet<Labelled>, args: &[ArrId]) {
        let result = let_.binds[0].name;
        let whole = self.own_array(result, let_);
        self.reasons.made_for(whole, Kept::Joined);
        let parts = self.parts_of(result, args);
        let bases: Vec<_> = parts.iter().filter_map(|part| part.place.base).collect();
        self.symbols(&bases);
        for part in parts {
            let once = args.iter().filter(|&&a| a == part.array).count() == 1;
            let movable = self
                .own_elements(part.array, result)
                .filter(|&id| once && self.may_move(id, &part, let_, args));
            if movable.is_some_and(|id| self.move_into(id, whole, part.place)) {
                self.codes.fire("append without copy");
            } else {
                self.copy_part(&part, whole, let_);
            }
        }
        self.place(result, whole);
    }

    /// The parts of the whole. Those that are empty whatever the input is are left out, so that no two begin
    /// at one place; but the memory must come into being, so one stays.
    fn parts_of(&mut self, result: ArrId, args: &[ArrId]) -> Vec<Part> {
        let inner = self.extents(result)[1..].to_vec();
        let sums = self.outer_sums(args);
        let none = inner.iter().any(|&e| self.is_zero(e));
        let mut parts: Vec<Part> = vec![];
        for (at, &array) in args.iter().enumerate() {
            let outer = self.extents(array)[0];
            let empty = none || self.is_zero(outer);
            if empty && (!parts.is_empty() || at + 1 < args.len()) {
                continue;
            }
            let base = match parts.is_empty() {
                true => None,
                false => Some(self.elements_before(sums[at - 1], &inner)),
            };
            parts.push(Part {
                array,
                extents: [&[outer], inner.as_slice()].concat(),
                place: Place {
                    base,
                    offset: 0,
                    stride: 1,
                },
            });
        }
        parts
    }

    fn is_zero(&self, extent: HostValue) -> bool {
        self.codes
            .as_const(HOST, extent.0)
            .is_some_and(Const::is_zero)
    }

    /// The number of elements of so many subarrays of the given extents, as an `i64`. What wraps here has an
    /// extent of zero elsewhere, or a shape that is not possible.
    fn elements_before(&mut self, outer: HostValue, inner: &[HostValue]) -> HostValue {
        let wide = Prim::Convert(ScalarType::I64);
        let first = self.codes.host_prim(wide, &[outer]);
        inner.iter().fold(first, |product, &extent| {
            let extent = self.codes.host_prim(wide, &[extent]);
            self.codes.host_prim(Prim::Mul, &[product, extent])
        })
    }

    /// The memory with the elements of `array` in row-major order, where only `reader` reads them, if need be
    /// by way of reshapes.
    fn own_elements(&self, array: ArrId, reader: ArrId) -> Option<ArrayId> {
        let (mut array, mut reader) = (array, reader);
        loop {
            if let Some(id) = self.own_memory(array, reader) {
                return Some(id);
            }
            let Storage::Manifest(id) = self.storage(array) else {
                return None;
            };
            let sole = self.uses.sole_reader(array)?;
            let original = self.arrays[id.index()].reshapes?;
            if !self.options.fuse || sole.consumer != reader {
                return None;
            }
            (array, reader) = (original, array);
        }
    }

    /// Whether memory may become part of the whole: it has the part's shape, and if a kernel writes it before
    /// this point, then the extents of the whole are known there, and a sum of them that overflows is negative,
    /// so that the memory of the whole cannot be made.
    fn may_move(&self, id: ArrayId, part: &Part, let_: &AccLet<Labelled>, args: &[ArrId]) -> bool {
        let same = self.extents(part.array) == part.extents;
        same && (!self.is_emitted(id) || self.is_known_early(id, part, let_, args))
    }

    fn is_known_early(
        &self,
        id: ArrayId,
        part: &Part,
        let_: &AccLet<Labelled>,
        args: &[ArrId],
    ) -> bool {
        // The check of a reshape on the way may come too late.
        let is_plain = matches!(self.storage(part.array), Storage::Manifest(own) if own == id);
        let mut needed = self.extents(let_.binds[0].name).iter().copied();
        let low = |a: &ArrId| self.codes.range(HOST, self.extents(*a)[0].0).low;
        let one_sum = args.len() <= 2 && args.iter().all(|a| low(a) >= 0);
        is_plain && one_sum && needed.all(|value| self.codes.is_pure(value))
    }

    fn copy_part(&mut self, part: &Part, whole: ArrayId, let_: &'p AccLet<Labelled>) {
        let Part {
            array,
            extents,
            place,
        } = part;
        let (elem, origin) = (self.elem(*array), Origin::Kernel(self.steps.depth()));
        let id = self.array(elem, extents.clone(), Self::site_of(let_), origin);
        self.move_into(id, whole, *place);
        self.write(&[(Item::Copy(*array, let_), id)], extents);
    }
}
