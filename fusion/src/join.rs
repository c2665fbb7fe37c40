//! Arrays side by side and one after the other: parts become views of the whole, if need be by a copy.

use crate::code::{Codes, HOST, HostValue};
use crate::draft::Draft;
use crate::env::{Environment, Storage};
use crate::groups::Item;
use crate::lower::Lowering;
use crate::memory::Place;
use crate::shapes::{intersection, outer_sums};
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
    /// Puts arrays side by side.
    pub(crate) fn unpack(&mut self, let_: &'p AccLet<Labelled>, args: &[ArrId]) {
        let outer = intersection(&self.env, &mut self.draft.codes, args);
        let result = let_.binds[0].name;
        let whole = self.draft.own_array(&self.env, result, let_);
        self.draft.reasons.made_for(whole, Kept::Interleaved);
        let stride = args.len() as u32;
        let mut items = vec![];
        for (i, &arg) in args.iter().enumerate() {
            let place = Place {
                base: None,
                offset: i as u32,
                stride,
            };
            let once = args.iter().filter(|&&a| a == arg).count() == 1;
            let movable = self
                .own_memory(arg, result)
                .filter(|&id| once && self.draft.memory.extents(id) == outer);
            let draft = &mut self.draft;
            if movable.is_some_and(|id| draft.move_into(id, whole, place)) {
                draft.codes.fire("unpack without copy");
            } else {
                let part = draft.array_here(self.env.elem(arg), outer.clone(), let_);
                draft.reasons.made_for(part, Kept::Interleaved);
                draft.move_into(part, whole, place);
                items.push((Item::Copy(arg, let_), part));
            }
        }
        if !items.is_empty() {
            self.write(&items, &outer);
        }
        self.env.place(result, whole);
    }

    /// Puts arrays one after the other. What checks need to hold was checked before.
    pub(crate) fn append(&mut self, let_: &'p AccLet<Labelled>, args: &[ArrId]) {
        let result = let_.binds[0].name;
        let whole = self.draft.own_array(&self.env, result, let_);
        self.draft.reasons.made_for(whole, Kept::Joined);
        let parts = parts_of(&self.env, &mut self.draft.codes, result, args);
        let bases: Vec<_> = parts.iter().filter_map(|part| part.place.base).collect();
        self.draft.symbols(&bases);
        for part in parts {
            let once = args.iter().filter(|&&a| a == part.array).count() == 1;
            let may_move = |&id: &_| may_move(&self.env, &self.draft, (id, &part), (let_, args));
            let movable = self
                .own_elements(part.array, result)
                .filter(|id| once && may_move(id));
            if movable.is_some_and(|id| self.draft.move_into(id, whole, part.place)) {
                self.draft.codes.fire("append without copy");
            } else {
                self.copy_part(part, whole, let_);
            }
        }
        self.env.place(result, whole);
    }

    /// The memory with the elements of `array` in row-major order, where only `reader` reads them, if need be
    /// by way of reshapes.
    fn own_elements(&self, array: ArrId, reader: ArrId) -> Option<ArrayId> {
        let (mut array, mut reader) = (array, reader);
        loop {
            if let Some(id) = self.own_memory(array, reader) {
                return Some(id);
            }
            let Storage::Manifest(id) = self.env.storage(array) else {
                return None;
            };
            let sole = self.uses.sole_reader(array)?;
            let original = self.draft.memory.reshapes(id)?;
            if !self.options.fuse || sole.consumer != reader {
                return None;
            }
            (array, reader) = (original, array);
        }
    }

    fn copy_part(&mut self, part: Part, whole: ArrayId, let_: &'p AccLet<Labelled>) {
        let Part {
            array,
            extents,
            place,
        } = part;
        let elem = self.env.elem(array);
        let id = self.draft.array_here(elem, extents.clone(), let_);
        self.draft.move_into(id, whole, place);
        self.write(&[(Item::Copy(array, let_), id)], &extents);
    }
}

/// The parts of the whole. Those that are empty whatever the input is are left out, so that no two begin
/// at one place; but the memory must come into being, so one stays.
fn parts_of(env: &Environment<'_>, codes: &mut Codes, result: ArrId, args: &[ArrId]) -> Vec<Part> {
    let inner = &env.extents(result)[1..];
    let sums = outer_sums(env, codes, args);
    let none = inner.iter().any(|&e| is_zero(codes, e));
    let mut parts: Vec<Part> = vec![];
    for (at, &array) in args.iter().enumerate() {
        let outer = env.extents(array)[0];
        let empty = none || is_zero(codes, outer);
        if empty && (!parts.is_empty() || at + 1 < args.len()) {
            continue;
        }
        let base = match parts.is_empty() {
            true => None,
            false => Some(elements_before(codes, sums[at - 1], inner)),
        };
        parts.push(Part {
            array,
            extents: [&[outer], inner].concat(),
            place: Place {
                base,
                ..Place::FIRST
            },
        });
    }
    parts
}

fn is_zero(codes: &Codes, extent: HostValue) -> bool {
    codes.as_const(HOST, extent.0).is_some_and(Const::is_zero)
}

/// The number of elements of so many subarrays of the given extents, as an `i64`. What wraps here has an
/// extent of zero elsewhere, or a shape that is not possible.
fn elements_before(codes: &mut Codes, outer: HostValue, inner: &[HostValue]) -> HostValue {
    let wide = Prim::Convert(ScalarType::I64);
    let first = codes.host_prim(wide, &[outer]);
    inner.iter().fold(first, |product, &extent| {
        let extent = codes.host_prim(wide, &[extent]);
        codes.host_prim(Prim::Mul, &[product, extent])
    })
}

/// Whether memory may become part of the whole: it has the part's shape, and if a kernel writes it before
/// this point, then the extents of the whole are known there, and a sum of them that overflows is negative,
/// so that the memory of the whole cannot be made.
fn may_move(
    env: &Environment<'_>,
    draft: &Draft,
    (id, part): (ArrayId, &Part),
    of: (&AccLet<Labelled>, &[ArrId]),
) -> bool {
    let same = env.extents(part.array) == part.extents;
    let is_early = || is_known_early(env, &draft.codes, (id, part.array), of);
    same && (!draft.memory.is_emitted(id) || is_early())
}

fn is_known_early(
    env: &Environment<'_>,
    codes: &Codes,
    (id, part): (ArrayId, ArrId),
    (let_, args): (&AccLet<Labelled>, &[ArrId]),
) -> bool {
    // The check of a reshape on the way may come too late.
    let is_plain = matches!(env.storage(part), Storage::Manifest(own) if own == id);
    let mut needed = env.extents(let_.binds[0].name).iter().copied();
    let low = |a: &ArrId| codes.range(HOST, env.extents(*a)[0].0).low;
    let one_sum = args.len() <= 2 && args.iter().all(|a| low(a) >= 0);
    is_plain && one_sum && needed.all(|value| codes.is_pure(value))
}
