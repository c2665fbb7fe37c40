//! The arrays of the schedule: who owns memory, and who views it.

use crate::code::{Codes, HostValue};
use cotangent_core::prim::Prim;
use cotangent_core::schedule::{ArrayDecl, ArrayId, Layout, Offset, SiteId, SymbolId};
use cotangent_core::term::ArrId;
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

impl Place {
    /// The place of a part that begins with the whole and is as dense as that.
    pub(crate) const FIRST: Self = Self {
        base: None,
        offset: 0,
        stride: 1,
    };

    /// The place in the whole of what has the place `inner` in a part that has this one in the whole.
    fn around(self, inner: Self, codes: &mut Codes) -> Option<Self> {
        let constant = inner.offset.checked_mul(self.stride)?;
        let scaled = inner.base.map(|base| {
            let stride = codes.host_constant(i64::from(self.stride));
            codes.host_prim(Prim::Mul, &[base, stride])
        });
        let base = match (scaled, self.base) {
            (Some(x), Some(y)) => Some(codes.host_prim(Prim::Add, &[x, y])),
            (one, other) => one.or(other),
        };
        Some(Self {
            base,
            offset: constant.checked_add(self.offset)?,
            stride: inner.stride.checked_mul(self.stride)?,
        })
    }
}

/// An array of the schedule, as it comes into being: with memory of its own.
#[derive(Clone, Debug)]
pub(crate) struct NewArray {
    pub elem: ScalarType,
    pub extents: Vec<HostValue>,
    /// The symbols of the extents.
    pub symbols: Vec<SymbolId>,
    pub site: SiteId,
    pub origin: Origin,
}

/// An array of the schedule.
#[derive(Clone, Debug)]
struct Array {
    made: NewArray,
    layout: Layout,
    /// The symbol of the offset, for a view at one.
    base: Option<HostValue>,
    /// The arrays that were made views of this one.
    parts: Vec<ArrayId>,
    /// The array of the program whose elements these are, under another shape.
    reshapes: Option<ArrId>,
    /// Whether a kernel that writes it is among the steps already.
    emitted: bool,
}

impl Array {
    /// Where it is in what it is a view of, if it is one.
    fn place(&self) -> Option<Place> {
        match self.layout {
            Layout::Own => None,
            Layout::View {
                of: _,
                offset,
                stride,
            } => Some(Place {
                base: self.base,
                offset: offset.constant,
                stride,
            }),
        }
    }
}

/// All arrays of the schedule.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    arrays: Vec<Array>,
}

/// What is known of arrays.
impl Memory {
    /// The type of an array's elements.
    pub(crate) fn elem(&self, array: ArrayId) -> ScalarType {
        self.at(array).made.elem
    }

    /// The extents of an array.
    pub(crate) fn extents(&self, array: ArrayId) -> &[HostValue] {
        &self.at(array).made.extents
    }

    /// Their symbols.
    pub(crate) fn symbols(&self, array: ArrayId) -> &[SymbolId] {
        &self.at(array).made.symbols
    }

    /// Whether an array has memory of its own.
    pub(crate) fn is_owner(&self, array: ArrayId) -> bool {
        self.at(array).layout == Layout::Own
    }

    /// The array in whose memory this one is.
    pub(crate) fn owner(&self, array: ArrayId) -> ArrayId {
        self.at(array).layout.owner(array)
    }

    /// Where the elements of an array come from.
    pub(crate) fn origin(&self, array: ArrayId) -> Origin {
        self.at(array).made.origin
    }

    /// The array of the program whose elements these are, under another shape.
    pub(crate) fn reshapes(&self, array: ArrayId) -> Option<ArrId> {
        self.at(array).reshapes
    }

    /// Whether kernels that write an array, or views of it, are among the steps already.
    pub(crate) fn is_emitted(&self, array: ArrayId) -> bool {
        let Array { parts, emitted, .. } = self.at(array);
        *emitted || parts.iter().any(|&part| self.at(part).emitted)
    }

    /// What the schedule says of all arrays.
    pub(crate) fn declarations(&self) -> Vec<ArrayDecl> {
        self.arrays.iter().map(declaration).collect()
    }
}

/// How arrays come into being and into each other's memory.
impl Memory {
    /// An array with memory of its own.
    pub(crate) fn add(&mut self, made: NewArray) -> ArrayId {
        self.arrays.push(Array {
            made,
            layout: Layout::Own,
            base: None,
            parts: vec![],
            reshapes: None,
            emitted: false,
        });
        ArrayId(self.arrays.len() as u32 - 1)
    }

    /// Makes `view` one of all elements of `of`, the memory of `arg`, in row-major order. So positions stay, and a view of a
    /// view has the place that this one has.
    pub(crate) fn reshape(&mut self, view: ArrayId, (of, arg): (ArrayId, ArrId)) {
        let (layout, base, owner) = (self.at(of).layout, self.at(of).base, self.owner(of));
        let layout = match layout {
            Layout::Own => Layout::View {
                of,
                offset: Offset::default(),
                stride: 1,
            },
            Layout::View { .. } => layout,
        };
        let array = self.at_mut(view);
        (array.layout, array.base, array.reshapes) = (layout, base, Some(arg));
        self.at_mut(owner).parts.push(view);
    }

    /// Makes `part` a view of a place in `whole`; the symbol is that of the place's base.
    pub(crate) fn put(
        &mut self,
        (part, whole): (ArrayId, ArrayId),
        place: Place,
        symbol: Option<SymbolId>,
    ) {
        let array = self.at_mut(part);
        array.base = place.base;
        array.layout = Layout::View {
            of: whole,
            offset: Offset {
                symbol,
                constant: place.offset,
            },
            stride: place.stride,
        };
        self.at_mut(whole).parts.push(part);
    }

    /// Makes `view` a view of which all elements are the only one of `of`, which nobody writes.
    pub(crate) fn repeat(&mut self, view: ArrayId, of: ArrayId) {
        self.at_mut(view).layout = Layout::View {
            of,
            offset: Offset::default(),
            stride: 0,
        };
    }

    /// The places in a whole of an array and of all that is part of it, if the array has the given place there.
    pub(crate) fn places(
        &self,
        codes: &mut Codes,
        (part, place): (ArrayId, Place),
    ) -> Option<Vec<(ArrayId, Place)>> {
        let mut places = vec![(part, place)];
        for &inner in &self.at(part).parts {
            if let Some(within) = self.at(inner).place() {
                places.push((inner, place.around(within, codes)?));
            }
        }
        Some(places)
    }

    /// Notes that a kernel that writes an array is among the steps.
    pub(crate) fn emitted(&mut self, array: ArrayId) {
        self.at_mut(array).emitted = true;
    }

    fn at(&self, array: ArrayId) -> &Array {
        &self.arrays[array.index()]
    }

    fn at_mut(&mut self, array: ArrayId) -> &mut Array {
        &mut self.arrays[array.index()]
    }
}

fn declaration(array: &Array) -> ArrayDecl {
    let Array {
        made,
        layout,
        base: _,
        parts: _,
        reshapes: _,
        emitted: _,
    } = array;
    let NewArray {
        elem,
        extents: _,
        symbols,
        site,
        origin: _,
    } = made;
    ArrayDecl {
        elem: *elem,
        extents: symbols.clone(),
        layout: *layout,
        site: *site,
    }
}
