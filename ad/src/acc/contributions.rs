//! What is contributed to the adjoint of an array: whole arrays, and parts that are added where they came from.
//!
//! The adjoint that a loop carries is updated in place: a part is added to it at the cost of the part. As a whole array, zero elsewhere,
//! it would cost its size. A part may come first, before the adjoint that it is to be added to. So parts wait; if no whole array
//! follows, each becomes one.

use super::reverse::Reverse;
use cotangent_core::build::{Arr, FunBuilder};
use cotangent_core::prim::Prim;
use cotangent_core::term::{ArrId, Combine, Fun, Labelled};

/// All that is contributed to one array.
#[derive(Default)]
pub(super) struct Contributions {
    /// Arrays of its shape.
    whole: Vec<Arr>,
    /// Parts that wait for the first of those.
    parts: Vec<Part>,
}

/// A contribution to some elements.
struct Part {
    /// Where they are.
    target: Fun<Labelled>,
    /// What is added to them.
    column: Arr,
    /// The same as a whole array; dead code if the part is added by itself.
    whole: Arr,
}

impl Contributions {
    /// Whether this is all there is.
    pub fn is_just(&self, array: &Arr) -> bool {
        self.parts.is_empty() && self.whole == std::slice::from_ref(array)
    }
}

impl Reverse<'_> {
    /// Adds to the contributions of `array`, if it is to have any.
    pub(crate) fn contribute(&mut self, array: ArrId, array_adj: Arr) {
        if self.is_active(array) {
            self.contributed(array).whole.push(array_adj);
        }
    }

    fn contributed(&mut self, array: ArrId) -> &mut Contributions {
        self.contributions.entry(array).or_default()
    }

    /// Adds the elements of `column`, which are adjoints of elements of `array`, where `target` says.
    pub(super) fn scatter(&mut self, array: &Arr, target: Fun<Labelled>, column: &Arr) {
        let places = target.clone();
        self.contribute_part(array, (target, column), |reverse| {
            let zeros = reverse.zeros(array);
            reverse.add_part(zeros, places, column)
        });
    }

    /// The same, where `whole` makes an array of them that is zero elsewhere.
    pub(super) fn contribute_part(
        &mut self,
        array: &Arr,
        (target, column): (Fun<Labelled>, &Arr),
        whole: impl FnOnce(&mut Self) -> Arr,
    ) {
        if !self.is_active(array.name) {
            return;
        }
        if !self.is_carried(array.name) {
            let whole = whole(self);
            return self.contribute(array.name, whole);
        }
        match self.contributed(array.name).whole.first().cloned() {
            Some(total) => {
                let total = self.add_part(total, target, column);
                self.contributed(array.name).whole[0] = total;
            }
            None => {
                let (whole, column) = (whole(self), column.clone());
                let part = Part {
                    target,
                    column,
                    whole,
                };
                self.contributed(array.name).parts.push(part);
            }
        }
    }

    fn add_part(&mut self, total: Arr, target: Fun<Labelled>, column: &Arr) -> Arr {
        let column = std::slice::from_ref(column);
        let added = self.b.permute_back(Combine::Add, &[total], target, column);
        added[0].clone()
    }

    /// The sum of the contributions of `array`, which are used up.
    pub(crate) fn take(&mut self, array: ArrId) -> Option<Arr> {
        let Contributions { whole, parts } = self.contributions.remove(&array)?;
        match self.total(&whole) {
            Some(total) => Some(parts.into_iter().fold(total, |total, part| {
                self.add_part(total, part.target, &part.column)
            })),
            None => {
                let parts: Vec<Arr> = parts.into_iter().map(|part| part.whole).collect();
                self.total(&parts)
            }
        }
    }

    /// The sum of some arrays of one shape.
    fn total(&mut self, arrays: &[Arr]) -> Option<Arr> {
        let (first, others) = arrays.split_first()?;
        if others.is_empty() {
            return Some(first.clone());
        }
        let mut sum = FunBuilder::new();
        let xs = sum.params(&vec![first.ty.elem; arrays.len()]);
        let add = |total, &x| sum.prim(Prim::Add, &[total, x]);
        let total = xs[1..].iter().fold(xs[0], add);
        Some(self.b.map(sum.finish(vec![total]), arrays).remove(0))
    }

    /// Whether the adjoint of `array` is one that a loop carries: parts of it are added where they came from.
    pub(super) fn is_carried(&self, array: ArrId) -> bool {
        self.carried.contains(&array)
    }

    /// Whether there is such an adjoint already, to add parts to.
    pub(super) fn is_updated(&self, array: ArrId) -> bool {
        let known = self.contributions.get(&array);
        self.is_carried(array) && known.is_some_and(|known| !known.whole.is_empty())
    }
}
