//! Loops of scalar code: the loop carries the tangents of what it depends on.
//!
//! The state of such a loop is in registers, and to go back through its trips would take a memory of them for each element. So
//! the loop is differentiated forwards, by all that it depends on at once: its first state, scalars from outside, and elements
//! of arrays at indices that do not change from trip to trip. The adjoint of each of these is the sum over the last state's
//! adjoints times its tangents. This takes time in proportion to their number. Where the whole function depends on fewer, it is
//! differentiated forwards by those ([`roots`]). Where there are many, or elements differ from trip to trip, array AD makes a loop
//! of arrays of it instead ([`LoopsToLift`]). So it does with loops that carry an array `[T; N]` and
//! overwrite one entry after another ([`Entries`]).

use super::activity::{self, Activity};
use super::entries::{Entries, Ops};
use super::forward::{Direction, Forward, Reach};
use super::guard::{Origin, guarded_product};
use super::reverse::{Record, Reverse, bug};
use super::roots;
use crate::error::AdError;
use crate::rename::ExpMap;
use cotangent_core::build::FunBuilder;
use cotangent_core::prim::Prim;
use cotangent_core::term::{ArrId, ExpBlock, ExpId, ExpLet, ExpOp, Fun, Labelled, Slot};
use cotangent_core::types::ScalarType;
use std::collections::{BTreeSet, HashMap};

/// By how many scalars a loop is differentiated forwards at most, if there is a choice.
const MAX_DIRECTIONS: usize = 8;

/// What a loop is differentiated by.
struct Inputs {
    /// Scalars from outside, the first state included.
    scalars: Vec<ExpId>,
    /// What the step reads of active arrays.
    elements: Vec<Element>,
}

/// An `Index` of a step on an active array.
pub(super) struct Element {
    pub(super) name: ExpId,
    array: Slot,
    index: Vec<ExpId>,
    /// Whether each trip reads it: it is in no branch, and in no loop inside.
    is_sure: bool,
}

impl Element {
    /// Those of a loop at indices that are the same on all trips.
    pub(super) fn that_stay(let_: &ExpLet<Labelled>, activity: &Activity) -> Vec<Self> {
        let outside = Outside::of(let_);
        let mut elements = Inputs::of(let_, activity).elements;
        elements.retain(|element| element.index.iter().all(|&i| outside.has(i)));
        elements
    }
}

impl Inputs {
    /// Those of a loop.
    fn of(let_: &ExpLet<Labelled>, activity: &Activity) -> Self {
        let inside = let_.op.blocks().into_iter();
        let bound: BTreeSet<ExpId> = inside
            .flat_map(|inner| inner.binds.iter().chain(inner.block.bindings()))
            .map(|bind| bind.name)
            .collect();
        let scalars: BTreeSet<ExpId> = let_
            .op
            .reads()
            .filter(|x| !bound.contains(x) && activity.is_active(*x))
            .collect();
        let lets = let_.op.blocks().into_iter();
        let each_trip = lets.clone().flat_map(|inner| &inner.block.lets);
        let each_trip: BTreeSet<ExpId> = each_trip.map(|let_| let_.binds[0].name).collect();
        let lets = lets.flat_map(|inner| inner.block.all_lets());
        let element = |let_: &ExpLet<Labelled>| match &let_.op {
            ExpOp::Index { array, index } if activity.is_active(let_.binds[0].name) => {
                Some(Element {
                    name: let_.binds[0].name,
                    array: *array,
                    index: index.clone(),
                    is_sure: each_trip.contains(&let_.binds[0].name),
                })
            }
            ExpOp::Index { .. } | ExpOp::Const(_) | ExpOp::Prim(..) | ExpOp::Extent { .. } => None,
            ExpOp::Cond { .. } | ExpOp::Loop { .. } | ExpOp::Derivative { .. } => None,
            ExpOp::WithPartials(_) => None,
        };
        Self {
            scalars: scalars.into_iter().collect(),
            elements: lets.filter_map(element).collect(),
        }
    }

    fn count(&self) -> usize {
        self.scalars.len() + self.elements.len()
    }
}

impl Reverse<'_> {
    /// The dual of a loop, which is made to carry tangents.
    pub(super) fn looping(
        &mut self,
        let_: &mut ExpLet<Labelled>,
        adjoints: &[Option<ExpId>],
    ) -> Result<(), AdError> {
        let inputs = Inputs::of(let_, self.activity);
        let mut outside = Outside::of(let_);
        let results: Vec<ExpId> = let_.binds.iter().map(|bind| bind.name).collect();
        let tangents = self.with_tangents(let_, &inputs, &results);
        let sum = |this: &mut Self, x: ExpId, direction: Direction| {
            let parts = results.iter().zip(adjoints);
            let parts = parts.filter_map(|(&y, d)| Some(((*d)?, *tangents.get(&(y, direction))?)));
            this.sum_of_products(x, parts.collect())
        };
        for (direction, &x) in inputs.scalars.iter().enumerate() {
            if let Some(x_adj) = sum(self, x, direction) {
                self.contribute(x, x_adj, Origin::Cut);
            }
        }
        for (at, element) in inputs.elements.iter().enumerate() {
            let direction = inputs.scalars.len() + at;
            let Some(element_adj) = sum(self, element.name, direction) else {
                continue;
            };
            self.record(let_, element, (&mut outside, element_adj))?;
        }
        Ok(())
    }

    /// Records what a loop reads at an index that stays, if it makes a trip.
    pub(super) fn record(
        &mut self,
        let_: &ExpLet<Labelled>,
        element: &Element,
        (outside, element_adj): (&mut Outside, ExpId),
    ) -> Result<(), AdError> {
        let index = element.index.iter().map(|&i| outside.find(self.b, i));
        let index = index.collect::<Option<Vec<_>>>();
        let index = index.ok_or_else(|| bug("a loop is left that reads changing elements"))?;
        let zero = self.b.constant(0);
        let mut executed = self.b.prim(Prim::Gt, &[let_.binds[0].name, zero]);
        if !element.is_sure {
            executed = self.and_inside(executed, (element.array, &index));
        }
        self.records.push(Record {
            array: element.array,
            executed: Some(executed),
            index,
            element_adj,
        });
        Ok(())
    }

    /// Whether a condition holds, and an element is there. One that is not was not read: its adjoint is nothing.
    fn and_inside(&mut self, condition: ExpId, (array, index): (Slot, &[ExpId])) -> ExpId {
        let mut all = condition;
        for (axis, &at) in index.iter().enumerate() {
            let zero = self.b.constant(0);
            let extent = ExpOp::Extent { array, axis };
            let extent = self.b.push(extent, &[ScalarType::I32])[0];
            for (test, bound) in [(Prim::Ge, zero), (Prim::Lt, extent)] {
                let holds = self.b.prim(test, &[at, bound]);
                all = self.b.prim(Prim::And, &[all, holds]);
            }
        }
        all
    }

    /// Makes a loop carry tangents; gives those of its results.
    fn with_tangents(
        &mut self,
        let_: &mut ExpLet<Labelled>,
        inputs: &Inputs,
        results: &[ExpId],
    ) -> HashMap<(ExpId, Direction), ExpId> {
        let mut reach = Reach::default();
        let elements = inputs.elements.iter().map(|element| element.name);
        let names: Vec<ExpId> = inputs.scalars.iter().copied().chain(elements).collect();
        let named = names.iter().enumerate();
        named.for_each(|(direction, &x)| reach.seed(x, direction));
        reach.let_(let_);
        let (form, singular) = (self.form, self.activity.singular());
        let mut forward = Forward::new(self.b, form, singular, &reach);
        forward.b.open();
        for (direction, &x) in inputs.scalars.iter().enumerate() {
            let one = forward.b.small(forward.b.type_of(x), 1);
            forward.set(x, direction, one);
        }
        forward.before(let_);
        let mut tangents = HashMap::new();
        for &y in results {
            for direction in reach.of(y) {
                let tangent = forward.tangent(y, direction);
                tangents.extend(tangent.map(|t| ((y, direction), t)));
            }
        }
        self.added = self.b.close(vec![]).lets;
        tangents
    }

    /// Σ d · t, as an adjoint of `x`.
    pub(super) fn sum_of_products(
        &mut self,
        x: ExpId,
        parts: Vec<(ExpId, ExpId)>,
    ) -> Option<ExpId> {
        let ty = self.b.type_of(x);
        let mut total = None;
        for (d, tangent) in parts {
            let mut part = guarded_product(self.b, self.form, d, tangent);
            if self.b.type_of(part) != ty {
                part = self.b.prim(Prim::Convert(ty), &[part]);
            }
            total = Some(match total {
                None => part,
                Some(sum) => self.b.prim(Prim::Add, &[sum, part]),
            });
        }
        total
    }
}

/// What a loop computes that is the same on all trips, to be computed outside of it.
pub(super) struct Outside {
    /// What the loop computes from constants, extents and other such scalars alone.
    code: HashMap<ExpId, ExpLet<Labelled>>,
    bound: BTreeSet<ExpId>,
    made: ExpMap,
}

impl Outside {
    pub(super) fn of(let_: &ExpLet<Labelled>) -> Self {
        let mut bound = BTreeSet::new();
        let mut code = HashMap::new();
        for inner in let_.op.blocks() {
            bound.extend(inner.binds.iter().map(|bind| bind.name));
            bound.extend(inner.block.bindings().map(|bind| bind.name));
            let lets = inner.block.all_lets().filter(|l| is_plain(&l.op));
            code.extend(lets.map(|l| (l.binds[0].name, l.clone())));
        }
        Self {
            code,
            bound,
            made: ExpMap::new(),
        }
    }

    /// The scalar of that name, computed outside; `None` if it may change from trip to trip.
    fn find(&mut self, b: &mut FunBuilder, x: ExpId) -> Option<ExpId> {
        if !self.bound.contains(&x) {
            return Some(x);
        }
        if let Some(&made) = self.made.get(&x) {
            return Some(made);
        }
        let mut op = self.code.get(&x)?.op.clone();
        for operand in op.operands_mut() {
            *operand = self.find(b, *operand)?;
        }
        let made = b.push(op, &[b.type_of(x)])[0];
        self.made.insert(x, made);
        Some(made)
    }

    /// Whether a scalar is the same on all trips.
    fn has(&self, x: ExpId) -> bool {
        let operands = |let_: &ExpLet<Labelled>| let_.op.operands().iter().all(|&y| self.has(y));
        !self.bound.contains(&x) || self.code.get(&x).is_some_and(operands)
    }
}

/// Whether an operation can be done anywhere.
fn is_plain(op: &ExpOp<Labelled>) -> bool {
    match op {
        ExpOp::Const(_) | ExpOp::Prim(..) | ExpOp::Extent { .. } => true,
        ExpOp::Index { .. } | ExpOp::Cond { .. } => false,
        ExpOp::Loop { .. } | ExpOp::Derivative { .. } | ExpOp::WithPartials(_) => false,
    }
}

/// By how many scalars the loop of a block is differentiated that has the most of them; 0 if there is none to differentiate.
/// Loops inside of others count with those.
pub(super) fn most_inputs(block: &ExpBlock<Labelled>, activity: &Activity) -> usize {
    let inputs = |let_: &ExpLet<Labelled>| match &let_.op {
        ExpOp::Loop { .. } => {
            let mut results = let_.binds.iter();
            let is_active = results.any(|bind| activity.is_active(bind.name));
            is_active.then(|| Inputs::of(let_, activity).count())
        }
        ExpOp::Cond { .. } => {
            let branches = let_.op.blocks().into_iter();
            branches.map(|b| most_inputs(b.block, activity)).max()
        }
        ExpOp::Const(_) | ExpOp::Prim(..) | ExpOp::Index { .. } => None,
        ExpOp::Extent { .. } | ExpOp::Derivative { .. } | ExpOp::WithPartials(_) => None,
    };
    block.lets.iter().filter_map(inputs).max().unwrap_or(0)
}

/// The loops of a function that are to be made loops of arrays, in order to be differentiated.
pub(crate) struct LoopsToLift {
    activity: Activity,
    /// What loops count their trips by that carry arrays of entries which are active.
    with_entries: BTreeSet<ExpId>,
}

impl LoopsToLift {
    /// Those of `fun`; `params` says which of its parameters are active. `None` if it has no loops at all, or is differentiated by
    /// what it depends on.
    pub(crate) fn of(
        fun: &Fun<Labelled>,
        params: &[bool],
        is_active: impl Fn(ArrId) -> bool,
    ) -> Option<Self> {
        let mut lets = fun.body.all_lets();
        let has_loop = lets.any(|let_| matches!(let_.op, ExpOp::Loop { .. }));
        has_loop.then(|| {
            let activity = activity::of_fun(fun, params, is_active);
            let by_roots = roots::few(&fun.params, &fun.body, &activity);
            by_roots.is_none().then(|| Self {
                with_entries: with_entries(fun, &activity),
                activity,
            })
        })?
    }

    /// The position of the first let of a block that is such a loop, or a conditional with one in it.
    pub(crate) fn position(&self, block: &ExpBlock<Labelled>) -> Option<usize> {
        block.lets.iter().position(|let_| self.has(let_))
    }

    fn has(&self, let_: &ExpLet<Labelled>) -> bool {
        match &let_.op {
            ExpOp::Loop { .. } => self.is_lifted(let_),
            ExpOp::Cond { .. } => {
                let mut branches = let_.op.blocks().into_iter();
                branches.any(|branch| self.position(branch.block).is_some())
            }
            ExpOp::Const(_) | ExpOp::Prim(..) | ExpOp::Index { .. } => false,
            ExpOp::Extent { .. } | ExpOp::Derivative { .. } | ExpOp::WithPartials(_) => false,
        }
    }

    /// Whether a loop is one. Those inside of a loop count with it.
    fn is_lifted(&self, let_: &ExpLet<Labelled>) -> bool {
        let mut results = let_.binds.iter();
        if !results.any(|bind| self.activity.is_active(bind.name)) {
            return false;
        }
        let inputs = Inputs::of(let_, &self.activity);
        let outside = Outside::of(let_);
        let mut elements = inputs.elements.iter();
        let changes = |element: &Element| !element.index.iter().all(|&i| outside.has(i));
        inputs.count() > MAX_DIRECTIONS
            || elements.any(changes)
            || self.with_entries.contains(&let_.binds[0].name)
    }
}

/// The numbers of trips of all loops that carry arrays of active entries.
fn with_entries(fun: &Fun<Labelled>, activity: &Activity) -> BTreeSet<ExpId> {
    let ops = Ops::all(&fun.body);
    let is_one = |let_: &&ExpLet<Labelled>| match &let_.op {
        ExpOp::Loop { step, .. } => {
            let arrays = Entries::of(&step.params[1..], &step.body, &ops);
            let mut entries = arrays.iter().flat_map(|array| &array.states);
            entries.any(|&at| activity.is_active(let_.binds[1 + at].name))
        }
        ExpOp::Const(_) | ExpOp::Prim(..) | ExpOp::Index { .. } | ExpOp::Extent { .. } => false,
        ExpOp::Cond { .. } | ExpOp::Derivative { .. } | ExpOp::WithPartials(_) => false,
    };
    let loops = fun.body.all_lets().filter(is_one);
    loops.map(|let_| let_.binds[0].name).collect()
}
