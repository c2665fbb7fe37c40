//! The arrays of the schedule: who owns memory, and who views it.

use crate::code::HostValue;
use crate::lower::Lowering;
use cotangent_core::backend::Site;
use cotangent_core::prim::Prim;
use cotangent_core::schedule::{ArrayId, Layout, Offset, SiteId, SymbolId};
use cotangent_core::term::{AccLet, ArrId, Labelled};
use cotangent_core::types::ScalarType;

/// Where the elements of an array come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// The call, or an `If`.
    Given,
    /// A kernel, inside of so many branches.
    Kernel(usize),
    /// The kernels that write its views, or those that write what it is a view of.
    Other,
}

/// Where a part has its element p: at `base + offset + stride · p` of the whole.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    /// An `i64`; none for zero.
    pub base: Option<HostValue>,
    pub offset: u32,
    pub stride: u32,
}

/// An array of the schedule.
#[derive(Clone, Debug)]
pub(crate) struct Array {
    pub elem: ScalarType,
    pub extents: Vec<HostValue>,
    pub symbols: Vec<SymbolId>,
    pub layout: Layout,
    /// The symbol of the offset, for a view at one.
    pub base: Option<HostValue>,
    pub site: SiteId,
    pub origin: Origin,
    /// The arrays that were made views of this one.
    pub parts: Vec<ArrayId>,
    /// The array of the program whose elements these are, under another shape.
    pub reshapes: Option<ArrId>,
    /// Whether a kernel that writes it is among the steps already.
    pub emitted: bool,
}

impl Lowering<'_> {
    /// An array that the call gives.
    pub(crate) fn input(
        &mut self,
        elem: ScalarType,
        extents: Vec<HostValue>,
        site: Site,
    ) -> ArrayId {
        self.array(elem, extents, site, Origin::Given)
    }

    /// A symbol for an extent, and its value.
    pub(crate) fn fresh_extent(&mut self, input: bool) -> (SymbolId, HostValue) {
        let symbol = self.steps.symbol(ScalarType::I32);
        (symbol, self.codes.atom(symbol, ScalarType::I32, input))
    }

    /// An array with memory of its own.
    pub(crate) fn array(
        &mut self,
        elem: ScalarType,
        extents: Vec<HostValue>,
        site: Site,
        origin: Origin,
    ) -> ArrayId {
        let (site, symbols) = (self.site(site), self.symbols(&extents));
        self.arrays.push(Array {
            elem,
            extents,
            symbols,
            layout: Layout::Own,
            base: None,
            site,
            origin,
            parts: vec![],
            reshapes: None,
            emitted: false,
        });
        ArrayId(self.arrays.len() as u32 - 1)
    }

    /// Memory for a result of `let_`, to be written by a kernel.
    pub(crate) fn own_array(&mut self, result: ArrId, let_: &AccLet<Labelled>) -> ArrayId {
        let (elem, extents) = (self.elem(result), self.extents(result).to_vec());
        let origin = Origin::Kernel(self.steps.depth());
        let id = self.array(elem, extents, Self::site_of(let_), origin);
        self.reasons.made(id, result, let_);
        id
    }

    /// The elements of `of`, the memory of `arg`, in row-major order, under other extents.
    pub(crate) fn reshaped_view(
        &mut self,
        (of, arg): (ArrayId, ArrId),
        extents: Vec<HostValue>,
        let_: &AccLet<Labelled>,
    ) -> ArrayId {
        let elem = self.arrays[of.index()].elem;
        let id = self.array(elem, extents, Self::site_of(let_), Origin::Other);
        // Row-major positions stay, so a view of a view has the same places.
        let (layout, base) = match (&self.arrays[of.index()], self.owner(of)) {
            (
                Array {
                    layout: Layout::Own,
                    ..
                },
                of,
            ) => {
                let offset = Offset::default();
                (
                    Layout::View {
                        of,
                        offset,
                        stride: 1,
                    },
                    None,
                )
            }
            (Array { layout, base, .. }, _) => (*layout, *base),
        };
        let array = &mut self.arrays[id.index()];
        (array.layout, array.base, array.reshapes) = (layout, base, Some(arg));
        let owner = self.owner(of);
        self.arrays[owner.index()].parts.push(id);
        id
    }

    /// The array in whose memory this one is.
    pub(crate) fn owner(&self, array: ArrayId) -> ArrayId {
        self.arrays[array.index()].layout.owner(array)
    }

    /// Moves `part`, with all that is part of it, into the memory of `whole`. Whether that was possible.
    pub(crate) fn move_into(&mut self, part: ArrayId, whole: ArrayId, place: Place) -> bool {
        let mut moved = vec![(part, place)];
        for &inner in &self.arrays[part.index()].parts.clone() {
            let Array { layout, base, .. } = self.arrays[inner.index()];
            if let Layout::View {
                of: _,
                offset,
                stride,
            } = layout
            {
                let inner_place = Place {
                    base,
                    offset: offset.constant,
                    stride,
                };
                let Some(composed) = self.compose(inner_place, place) else {
                    return false;
                };
                moved.push((inner, composed));
            }
        }
        // What is written at a point before this one must have its place known there.
        let late = |place: &Place| place.base.is_some_and(|base| !self.codes.is_pure(base));
        if self.is_emitted(part) && moved.iter().any(|(_, place)| late(place)) {
            return false;
        }
        for (array, place) in moved {
            let Place {
                base,
                offset: constant,
                stride,
            } = place;
            let symbol = base.map(|base| self.symbols(&[base])[0]);
            let memory = &mut self.arrays[array.index()];
            memory.base = base;
            memory.layout = Layout::View {
                of: whole,
                offset: Offset { symbol, constant },
                stride,
            };
            self.arrays[whole.index()].parts.push(array);
        }
        true
    }

    /// The place in the whole of what has a place in a part that has a place in the whole.
    fn compose(&mut self, inner: Place, outer: Place) -> Option<Place> {
        let constant = inner.offset.checked_mul(outer.stride)?;
        let scaled = inner.base.map(|base| {
            let stride = self.codes.host_constant(i64::from(outer.stride));
            self.codes.host_prim(Prim::Mul, &[base, stride])
        });
        let base = match (scaled, outer.base) {
            (Some(x), Some(y)) => Some(self.codes.host_prim(Prim::Add, &[x, y])),
            (one, other) => one.or(other),
        };
        Some(Place {
            base,
            offset: constant.checked_add(outer.offset)?,
            stride: inner.stride.checked_mul(outer.stride)?,
        })
    }

    /// Whether kernels that write an array, or views of it, are among the steps already.
    pub(crate) fn is_emitted(&self, array: ArrayId) -> bool {
        let Array { parts, emitted, .. } = &self.arrays[array.index()];
        let part = |part: &ArrayId| self.arrays[part.index()].emitted;
        *emitted || parts.iter().any(part)
    }
}
