//! Which arrays provably have one shape.
//!
//! A shape is the elementwise minimum of a set of *atoms*, shapes that are known only to be themselves.
//! Equal sets are equal shapes; different sets may be as well.

use cotangent_core::loc::Loc;
use cotangent_core::term::{AccLet, AccOp, ArrId, ExpOp, Fun, Labelled};
use std::collections::{BTreeSet, HashMap};

/// The shapes of all arrays seen so far.
#[derive(Debug, Default)]
pub(crate) struct Shapes {
    known: HashMap<ArrId, Shape>,
    derived: HashMap<Derived, ArrId>,
}

type Shape = BTreeSet<ArrId>;

/// A shape that is computed from something else, so that equal computations are one atom.
#[derive(Debug, PartialEq, Eq, Hash)]
enum Derived {
    /// The results of a function without parameters.
    Given(Fun<Labelled>),
    /// Without its last dimension.
    Folded(Shape),
    /// With a last dimension one longer.
    Scanned(Shape),
    /// With one more dimension of the given extent.
    Unpacked(Shape, usize),
}

impl Shapes {
    /// Whether the two arrays provably have one shape.
    pub(super) fn are_equal(&self, a: ArrId, b: ArrId) -> bool {
        self.of(a) == self.of(b)
    }

    /// Declares that `array` has the shape of `other`.
    pub(crate) fn same(&mut self, array: ArrId, other: ArrId) {
        let shape = self.of(other);
        self.known.insert(array, shape);
    }

    fn of(&self, array: ArrId) -> Shape {
        let known = self.known.get(&array).cloned();
        known.unwrap_or_else(|| Shape::from([array]))
    }

    /// Notes what some lets, and those inside them, say about the shapes of what they bind.
    pub(crate) fn record_all(&mut self, lets: &[AccLet<Labelled>]) {
        for let_ in lets {
            for (_, inner) in let_.op.blocks() {
                self.record_all(&inner.lets);
            }
            self.record(let_);
        }
    }

    /// Notes what a let says about the shapes of what it binds.
    pub(crate) fn record(&mut self, let_: &AccLet<Labelled>) {
        let AccLet { binds, op, loc: _ } = let_;
        let Some(first) = binds.first() else { return };
        let shape = match op {
            AccOp::Generate { shape, f: _ }
            | AccOp::Backpermute {
                shape,
                f: _,
                arg: _,
            }
            | AccOp::Reshape { shape, arg: _ } => self.given(shape, first.name),
            AccOp::Map { f: _, args } => self.meet(args),
            AccOp::Fold { args, .. } => self.derived(Derived::Folded(self.meet(args)), first.name),
            AccOp::Scan {
                init: None, args, ..
            } => self.meet(args),
            AccOp::Scan {
                init: Some(_),
                args,
                ..
            } => self.derived(Derived::Scanned(self.meet(args)), first.name),
            AccOp::Permute { defaults, .. } => self.meet(defaults),
            AccOp::Unpack { args } => {
                self.derived(Derived::Unpacked(self.meet(args), args.len()), first.name)
            }
            AccOp::Use(_)
            | AccOp::Replicate { .. }
            | AccOp::Slice { .. }
            | AccOp::Cond { .. }
            | AccOp::Gradient { .. } => return,
        };
        for bind in binds {
            self.known.insert(bind.name, shape.clone());
        }
    }

    fn meet(&self, arrays: &[ArrId]) -> Shape {
        arrays.iter().flat_map(|&a| self.of(a)).collect()
    }

    fn given(&mut self, shape: &Fun<Labelled>, array: ArrId) -> Shape {
        match shape_of(shape) {
            Some(other) => self.of(other),
            None => self.derived(Derived::Given(without_locations(shape)), array),
        }
    }

    /// The atom of a computation; `array` if it is new.
    fn derived(&mut self, derived: Derived, array: ArrId) -> Shape {
        Shape::from([*self.derived.entry(derived).or_insert(array)])
    }
}

/// The array all of whose extents, in order, `shape` gives. Whether these are all extents the caller
/// cannot see here, but then ranks differ, and so no one asks.
fn shape_of(shape: &Fun<Labelled>) -> Option<ArrId> {
    let &[array] = shape.captures.as_slice() else {
        return None;
    };
    let extent = |(axis, &result)| {
        shape.body.lets.iter().any(|l| {
            let binds_it = l.binds.iter().any(|b| b.name == result);
            binds_it && matches!(l.op, ExpOp::Extent { array: _, axis: a } if a == axis)
        })
    };
    shape
        .body
        .results
        .iter()
        .enumerate()
        .all(extent)
        .then_some(array)
}

/// The same function for comparison: where it was written does not matter.
fn without_locations(fun: &Fun<Labelled>) -> Fun<Labelled> {
    let mut fun = fun.clone();
    for let_ in &mut fun.body.lets {
        let_.loc = Loc::UNKNOWN;
    }
    fun
}
