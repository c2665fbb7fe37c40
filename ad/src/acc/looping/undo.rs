//! States that trips update in place: the dual undoes the updates.
//!
//! Where a trip writes a few elements into an array that a loop carries, a stack of all states would cost its whole size on each
//! trip. Instead the primal keeps what it overwrites; the dual carries the array, too, from the last state on, and writes back on
//! each trip what was there before. So both cost what they touch.
//!
//! That is done for results that are made of the state by `permute` alone, one or more, whose arguments have a shape that is known
//! before the loop, and another one than the state. The dual computes again where they went; where that depends on the state of the
//! loop, the primal keeps it, too.

use super::stacks::{next_row, row_of, zero_rows};
use super::{Counted, Trip};
use crate::acc::layout::read_where;
use crate::acc::reverse::Reverse;
use crate::rename::{ArrMap, renaming};
use cotangent_core::analysis::shape::{Size, TripExtents};
use cotangent_core::build::{Arr, FunBuilder};
use cotangent_core::term::{AccBlock, AccClosure, AccLet, AccOp, ArrId, Combine, Fun, Labelled};
use cotangent_core::types::{ArrayType, ScalarType};
use std::collections::BTreeSet;

/// The updates that trips make of one column, the last one first.
pub(super) struct Undo {
    updates: Vec<Update>,
}

/// A `permute` of a step into what the loop carries.
struct Update {
    /// Its result.
    result: ArrId,
    default: ArrId,
    target: Fun<Labelled>,
    place: Place,
    /// The extents of what is written.
    sizes: Vec<Size>,
    /// What the primal has overwritten, a row for each trip.
    stack: Arr,
}

/// How the dual knows where an update went.
enum Place {
    /// By the code of the step that the target depends on.
    Again(Vec<AccLet<Labelled>>),
    /// From stacks of the target's results, a row for each trip.
    Kept(Vec<Arr>),
}

impl Undo {
    /// The updates of a column, if trips make no more of it than those.
    pub(super) fn of(reverse: &mut Reverse, counted: &Counted, column: usize) -> Option<Self> {
        if counted.extents[column] != TripExtents::Kept {
            return None;
        }
        let step = &counted.step;
        let state = &step.params[column + 1];
        let mut name = step.body.results[column];
        let mut updates = vec![];
        while name != state.name {
            let update = Update::of(reverse, counted, (name, state))?;
            name = update.default;
            updates.push(update);
        }
        (!updates.is_empty()).then_some(Self { updates })
    }

    /// Pushes the code by which a trip of the dual makes the state before it of the one after it.
    pub(super) fn read(
        &self,
        reverse: &mut Reverse,
        (trip, number): (&Trip, &Arr),
        (counted, column): (&Counted, usize),
    ) {
        let mut state = trip.after[column].clone();
        for (at, update) in self.updates.iter().enumerate() {
            let old = update.row(reverse, counted, (&update.stack, number));
            let target = match &update.place {
                Place::Again(code) => update.target_again(reverse, counted, (trip, code)),
                Place::Kept(stacks) => {
                    let rows = stacks.iter();
                    let rows = rows.map(|s| update.row(reverse, counted, (s, number)));
                    target_of(&rows.collect::<Vec<_>>())
                }
            };
            reverse.b.open();
            reverse
                .b
                .permute_back(Combine::Overwrite, &[state], target, &[old]);
            let mut undo = reverse.b.close(&[]).lets.remove(0);
            if at + 1 == self.updates.len() {
                undo.binds = vec![trip.before[column].clone()];
            }
            state = undo.binds[0].clone();
            reverse.b.push_let(undo);
        }
    }

    /// Makes the primal keep what it overwrites.
    pub(super) fn write(
        &self,
        reverse: &mut Reverse,
        counted: &Counted,
        let_: &mut AccLet<Labelled>,
    ) {
        for update in &self.updates {
            let rows = update.stacks();
            let rows =
                rows.map(|stack| zero_rows(reverse, counted, (stack.ty.elem, &update.sizes)));
            let rows: Vec<_> = rows.collect();
            update.write(reverse, (&rows, let_));
        }
    }
}

impl Update {
    fn of(reverse: &mut Reverse, counted: &Counted, (name, state): (ArrId, &Arr)) -> Option<Self> {
        let lets = &counted.step.body.lets;
        let at = lets
            .iter()
            .position(|let_| let_.binds.iter().any(|bind| bind.name == name))?;
        let column = lets[at].binds.iter().position(|bind| bind.name == name)?;
        let AccOp::Permute {
            defaults,
            target,
            args,
            ..
        } = &lets[at].op
        else {
            return None;
        };
        let alike = args.iter().all(|&a| reverse.shapes.same(a, args[0]));
        let sizes = reverse.shapes.sizes_outside(&counted.step, args[column])?;
        if !alike || reverse.shapes.sizes(state.name) == Some(&sizes[..]) {
            return None;
        }
        let mut stack = |elem| reverse.b.fresh(ArrayType::new(elem, sizes.len() + 1));
        let place = match code_of(&counted.step, at, target) {
            Some(code) => Place::Again(code),
            None => Place::Kept(target.result_types().into_iter().map(&mut stack).collect()),
        };
        Some(Self {
            result: name,
            default: defaults[column],
            target: target.clone(),
            place,
            stack: stack(state.ty.elem),
            sizes,
        })
    }

    /// All that the primal keeps.
    fn stacks(&self) -> impl Iterator<Item = &Arr> {
        let places = match &self.place {
            Place::Again(_) => &[][..],
            Place::Kept(stacks) => stacks,
        };
        std::iter::once(&self.stack).chain(places)
    }

    /// A row of a stack in a trip of the dual.
    fn row(&self, reverse: &mut Reverse, counted: &Counted, (stack, number): (&Arr, &Arr)) -> Arr {
        let ty = ArrayType::new(stack.ty.elem, self.sizes.len());
        let row = reverse.b.fresh(ty);
        let let_ = row_of(reverse, counted, (stack, &row), (number, -1));
        reverse.b.push_let(let_);
        row
    }

    /// The target, in a trip of the dual; pushes what it depends on.
    fn target_again(
        &self,
        reverse: &mut Reverse,
        counted: &Counted,
        (trip, code): (&Trip, &[AccLet<Labelled>]),
    ) -> Fun<Labelled> {
        let number = counted.step.params[0].name;
        let mut names = ArrMap::from([(number, trip.number.name)]);
        let code = AccBlock {
            lets: code.to_vec(),
            results: vec![],
        };
        let code = reverse.b.copied(&code, &mut names);
        code.lets
            .into_iter()
            .for_each(|let_| reverse.b.push_let(let_));
        let mut target = self.target.clone();
        target.rename_captures(renaming(&names));
        target
    }

    /// Makes the primal write rows before it updates the state.
    fn write(&self, reverse: &mut Reverse, (rows, let_): (&[Arr], &mut AccLet<Labelled>)) {
        let AccOp::Loop { step, args, .. } = &mut let_.op else {
            return;
        };
        let mut lets = step.body.lets.iter();
        let is_update = |let_: &AccLet<Labelled>| let_.binds.iter().any(|b| b.name == self.result);
        let Some(at) = lets.position(is_update) else {
            return;
        };
        let params: Vec<_> = self.stacks().map(|s| reverse.b.fresh(s.ty)).collect();
        reverse.b.open();
        let old = self.overwritten(reverse);
        let target = next_row((&step.params[0], 0), self.sizes.len());
        let next = reverse.b.permute(Combine::Overwrite, &params, target, &old);
        let written = reverse.b.close(&next);
        step.body.lets.splice(at..at, written.lets);
        step.body.results.extend(written.results);
        for ((param, stack), rows) in params.iter().zip(self.stacks()).zip(rows) {
            reverse.shapes.like(param, rows.name);
            reverse.shapes.like(stack, rows.name);
        }
        step.params.extend(params);
        args.extend(rows.iter().map(|rows| rows.name));
        let_.binds.extend(self.stacks().cloned());
    }

    /// What an update is going to overwrite, zero where it writes nothing, and where, if that is kept.
    fn overwritten(&self, reverse: &mut Reverse) -> Vec<Arr> {
        let mut b = FunBuilder::new();
        let extents = self.sizes.iter();
        let extents = extents.map(|&size| reverse.shapes.emit(&mut b, size));
        let extents = extents.collect();
        let shape = b.finish(extents);
        let mut b = FunBuilder::new();
        let index = b.params(&vec![ScalarType::I32; self.sizes.len()]);
        let target = b.inline(&self.target, &index);
        let (sent, place) = (target[0], &target[1..]);
        let state = Arr::new(
            self.default,
            ArrayType::new(self.stack.ty.elem, place.len()),
        );
        let mut kept = vec![read_where(&mut b, sent, &state, place)];
        if let Place::Kept(_) = self.place {
            kept.extend(target);
        }
        reverse.b.generate(shape, b.finish(kept))
    }
}

/// The target that is said by arrays of its results.
fn target_of(rows: &[Arr]) -> Fun<Labelled> {
    let mut b = FunBuilder::new();
    let index = b.params(&vec![ScalarType::I32; rows[0].ty.rank]);
    let results = rows.iter().map(|row| b.index(row, &index)).collect();
    b.finish(results)
}

/// The code before a position of a step that a function depends on, if that does not depend on the state.
fn code_of(
    step: &AccClosure<Labelled>,
    at: usize,
    fun: &Fun<Labelled>,
) -> Option<Vec<AccLet<Labelled>>> {
    let mut needed: BTreeSet<ArrId> = fun.captures.iter().copied().collect();
    let mut code = vec![];
    for let_ in step.body.lets[..at].iter().rev() {
        if let_.binds.iter().any(|bind| needed.contains(&bind.name)) {
            needed.extend(let_.op.free());
            code.push(let_.clone());
        }
    }
    code.reverse();
    let depends = step.params[1..].iter().any(|p| needed.contains(&p.name));
    (!depends).then_some(code)
}
