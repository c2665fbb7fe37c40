//! The arrays of the schedule: who owns memory, and who views it.

use crate::code::HostValue;
use crate::lower::Lowering;
use cotangent_core::backend::Site;
use cotangent_core::schedule::{ArrayId, Layout, SiteId, SymbolId};
use cotangent_core::term::{AccLet, ArrId, Labelled};
use cotangent_core::types::{ArrayType, ScalarType};

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

/// An array of the schedule.
#[derive(Clone, Debug)]
pub(crate) struct Array {
    pub elem: ScalarType,
    pub extents: Vec<HostValue>,
    pub symbols: Vec<SymbolId>,
    pub layout: Layout,
    pub site: SiteId,
    pub origin: Origin,
    /// The arrays that were made views of this one as parts of it.
    pub parts: Vec<ArrayId>,
}

impl Lowering<'_> {
    /// An array that the call gives, of the shape of another one if that is given.
    pub(crate) fn input(&mut self, ty: ArrayType, like: Option<ArrayId>, site: Site) -> ArrayId {
        let extents = match like {
            Some(like) => self.arrays[like.index()].extents.clone(),
            None => (0..ty.rank).map(|_| self.fresh_extent(true).1).collect(),
        };
        self.array(ty.elem, extents, site, Origin::Given)
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
            site,
            origin,
            parts: vec![],
        });
        ArrayId(self.arrays.len() as u32 - 1)
    }

    /// Memory for a result of `let_`, to be written by a kernel.
    pub(crate) fn own_array(&mut self, result: ArrId, let_: &AccLet<Labelled>) -> ArrayId {
        let (elem, extents) = (self.elem(result), self.extents(result).to_vec());
        let origin = Origin::Kernel(self.steps.depth());
        self.array(elem, extents, Self::site_of(let_), origin)
    }

    /// The elements of `of` in row-major order, under other extents.
    pub(crate) fn reshaped_view(
        &mut self,
        of: ArrayId,
        extents: Vec<HostValue>,
        let_: &AccLet<Labelled>,
    ) -> ArrayId {
        let elem = self.arrays[of.index()].elem;
        let id = self.array(elem, extents, Self::site_of(let_), Origin::Other);
        // Row-major positions stay, so a view of a view has the same places.
        self.arrays[id.index()].layout = match self.arrays[of.index()].layout {
            Layout::Own => Layout::View {
                of,
                offset: 0,
                stride: 1,
            },
            view @ Layout::View { .. } => view,
        };
        id
    }

    /// The array in whose memory this one is.
    pub(crate) fn owner(&self, array: ArrayId) -> ArrayId {
        match self.arrays[array.index()].layout {
            Layout::Own => array,
            Layout::View {
                of,
                offset: _,
                stride: _,
            } => of,
        }
    }

    /// Moves `part`, with all that is part of it, into the memory of `whole`: its element p to
    /// `offset + stride · p`. Whether that was possible.
    pub(crate) fn move_into(
        &mut self,
        part: ArrayId,
        whole: ArrayId,
        (offset, stride): (u32, u32),
    ) -> bool {
        let mut moved = vec![(part, offset, stride)];
        for &inner in &self.arrays[part.index()].parts {
            if let Layout::View {
                of: _,
                offset: o,
                stride: s,
            } = self.arrays[inner.index()].layout
            {
                let place = o.checked_mul(stride).and_then(|o| o.checked_add(offset));
                let (Some(offset), Some(stride)) = (place, s.checked_mul(stride)) else {
                    return false;
                };
                moved.push((inner, offset, stride));
            }
        }
        for (array, offset, stride) in moved {
            self.arrays[array.index()].layout = Layout::View {
                of: whole,
                offset,
                stride,
            };
            self.arrays[whole.index()].parts.push(array);
        }
        true
    }
}
