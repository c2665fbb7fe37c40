//! The code of a trip as code of all trips: what is made of it so far, and how scalar functions read it.

use super::stacks::{Order, Stacks};
use crate::analysis::shape::{Shapes, Size};
use crate::build::{Arr, FunBuilder};
use crate::loc::Loc;
use crate::prim::Prim;
use crate::term::{AccLet, ArrId, ExpBind, ExpBlock, ExpId, ExpOp, Fun, Labelled};
use crate::types::ScalarType;
use std::collections::{HashMap, HashSet};

/// Operations on all rows, under construction.
pub(super) struct Rows {
    pub lets: Vec<AccLet<Labelled>>,
    pub trips: Size,
    pub loc: Loc,
    order: Order,
    /// The number of the trip.
    number: ArrId,
    /// All that the step binds.
    inside: HashSet<ArrId>,
    /// Arrays of the step, and arrays from outside that are repeated for all rows: those of all rows.
    known: HashMap<ArrId, Arr>,
}

impl Rows {
    pub fn of(stacks: &Stacks<'_>, loc: Loc) -> Self {
        let step = stacks.step;
        let inside = step.params.iter().chain(step.body.bindings());
        Self {
            lets: vec![],
            trips: stacks.trips,
            loc,
            order: stacks.order,
            number: step.params[0].name,
            inside: inside.map(|bind| bind.name).collect(),
            known: HashMap::new(),
        }
    }

    /// Whether an array differs from trip to trip.
    pub fn differs(&self, array: ArrId) -> bool {
        self.inside.contains(&array)
    }

    /// Whether a function is the same in all trips.
    pub fn is_same(&self, f: &Fun<Labelled>) -> bool {
        !f.captures.iter().any(|&array| self.differs(array))
    }

    /// Whether all that differs from trip to trip, of what a function reads, is there for all rows.
    pub fn has_all(&self, f: &Fun<Labelled>) -> bool {
        let is_there =
            |a: &ArrId| !self.differs(*a) || *a == self.number || self.known.contains_key(a);
        f.captures.iter().all(is_there)
    }

    pub fn is_number(&self, array: ArrId) -> bool {
        array == self.number
    }

    /// The array of all rows that stands for one of a row.
    pub fn all(&self, array: ArrId) -> Option<&Arr> {
        self.known.get(&array)
    }

    /// Takes note of the array of all rows that stands for one of a row.
    pub fn insert(&mut self, row: ArrId, all: Arr) {
        self.known.insert(row, all);
    }

    /// A function of the index of a row in front of what `f` is given.
    pub fn function(&self, f: &Fun<Labelled>, shapes: &Shapes) -> Fun<Labelled> {
        let mut b = FunBuilder::new();
        let row = b.param(ScalarType::I32);
        let params = b.params(&f.param_types());
        let results = self.inline(&mut b, f, row, &params, shapes);
        b.finish(results)
    }

    /// What `f` gives in the trip of a row.
    pub fn inline(
        &self,
        b: &mut FunBuilder,
        f: &Fun<Labelled>,
        row: ExpId,
        args: &[ExpId],
        shapes: &Shapes,
    ) -> Vec<ExpId> {
        let trip = match self.order {
            Order::Forwards => row,
            Order::Backwards => {
                let (trips, one) = (shapes.emit(b, self.trips), b.constant(1));
                let last = b.prim(Prim::Sub, &[trips, one]);
                b.prim(Prim::Sub, &[last, row])
            }
        };
        let f = self.of_row(f);
        b.inline(&f, &[&[row, trip], args].concat())
    }

    /// A function that is given a row and the number of its trip before all else, and reads arrays of all rows.
    fn of_row(&self, f: &Fun<Labelled>) -> Fun<Labelled> {
        let mut f = f.clone();
        let bound = f.params.iter().chain(f.body.bindings());
        let first = bound.map(|bind| bind.name.0 + 1).max().unwrap_or(0);
        let (row, trip) = (ExpId(first), ExpId(first + 1));
        let captures = std::mem::take(&mut f.captures);
        let mut numbers = HashSet::new();
        f.body.each_block_mut(&mut |block| {
            numbers.extend(self.without_number(block, &captures));
            block
                .lets
                .iter_mut()
                .for_each(|let_| self.read(&mut let_.op, &captures, row));
        });
        f.captures = captures;
        f.body
            .rename(&|x| if numbers.contains(&x) { trip } else { x });
        let given = [row, trip].map(|name| ExpBind {
            name,
            ty: ScalarType::I32,
        });
        f.params.splice(0..0, given);
        f.clean_captures();
        f.rename_captures(|array| self.known_row(array).map_or(array, |all| all.name));
        f
    }

    /// The array of all rows that is read in place of one that differs.
    fn known_row(&self, array: ArrId) -> Option<&Arr> {
        self.all(array).filter(|_| self.differs(array))
    }

    /// Takes what reads the number of the trip out of a block, and gives its names.
    fn without_number(&self, block: &mut ExpBlock<Labelled>, captures: &[ArrId]) -> Vec<ExpId> {
        let mut names = vec![];
        block.lets.retain(|let_| {
            let array = let_.op.slot().map(|slot| captures[slot.0 as usize]);
            let is_number = array == Some(self.number);
            names.extend(is_number.then(|| let_.binds[0].name));
            !is_number
        });
        names
    }

    /// Makes what reads an array that differs from trip to trip read the row of that of all trips.
    fn read(&self, op: &mut ExpOp<Labelled>, captures: &[ArrId], row: ExpId) {
        let differs = |slot: usize| self.known_row(captures[slot]).is_some();
        match op {
            ExpOp::Index { array, index } if differs(array.0 as usize) => index.insert(0, row),
            ExpOp::Extent { array, axis } if differs(array.0 as usize) => *axis += 1,
            ExpOp::Index { .. } | ExpOp::Extent { .. } => {}
            ExpOp::Const(_)
            | ExpOp::Prim(..)
            | ExpOp::Cond { .. }
            | ExpOp::Derivative { .. }
            | ExpOp::WithPartials(_)
            | ExpOp::Loop { .. } => {}
        }
    }
}
