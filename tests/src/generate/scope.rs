//! Arrays in scope of code in the making, with their values for the inputs of the case.

use super::inputs::bound;
use cotangent_core::build::Arr;
use cotangent_core::host::HostArray;

/// What an array may hold at most to be differentiated, or reduced.
const SMALL_BOUND: f64 = 100.0;

/// An array and its value.
#[derive(Clone, Debug)]
pub(crate) struct Known {
    /// The variable.
    pub(crate) arr: Arr,
    /// What it holds when the program runs on the inputs of the case.
    pub(crate) value: HostArray,
    /// Whether all engines give it the same bits; see Note [Exact values].
    pub(crate) exact: bool,
    /// The magnitude of the largest element; infinite if one is not finite.
    pub(crate) bound: f64,
    /// Whether it may depend on what the code around it is differentiated by.
    pub(crate) active: bool,
}

impl Known {
    /// An array with that value.
    pub(crate) fn new(arr: Arr, value: HostArray, exact: bool) -> Self {
        let bound = bound(&value);
        let exact = exact || !arr.ty.elem.is_float();
        Self {
            arr,
            value,
            exact,
            bound,
            active: false,
        }
    }

    /// The same array, as one that depends on what is differentiated by, if `active` and it holds floats.
    pub(crate) fn activated(self, active: bool) -> Self {
        let active = active && self.arr.ty.elem.is_float();
        Self { active, ..self }
    }

    /// Whether there are no elements.
    pub(crate) fn is_empty(&self) -> bool {
        self.value.column().is_empty()
    }

    /// Whether the elements are small and finite, or no floats.
    pub(crate) fn is_bounded(&self) -> bool {
        !self.arr.ty.elem.is_float() || self.bound <= SMALL_BOUND
    }
}
