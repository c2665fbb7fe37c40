//! A `permute` of a step into what the loop carries.
//!
//! It can be undone if its arguments have a shape that is known before the loop, and another one than the state. The dual computes
//! again where it went; where that depends on the state of the loop, the primal keeps it, too.

use super::nest::thread;
use super::{Back, Level, Scopes};
use crate::acc::layout::read_where;
use crate::acc::looping::stacks::{next_row, zero_rows};
use crate::acc::reverse::Reverse;
use crate::rename::renaming;
use cotangent_core::analysis::shape::Size;
use cotangent_core::build::{Arr, FunBuilder};
use cotangent_core::term::{AccBlock, AccLet, AccOp, ArrId, Axis, Combine, Fun, Labelled};
use cotangent_core::types::{ArrayType, ScalarType};
use std::collections::BTreeSet;

/// An update of a column.
pub(super) struct Update {
    pub result: ArrId,
    pub default: ArrId,
    target: Fun<Labelled>,
    place: Place,
    /// The extents of what is written.
    sizes: Vec<Size>,
    /// What the primal has overwritten, a row for each trip.
    stack: Arr,
}

/// How the dual knows where an update went.
enum Place {
    /// By the code that the target depends on.
    Again(Vec<AccLet<Labelled>>),
    /// From stacks of the target's results, a row for each trip.
    Kept(Vec<Arr>),
}

impl Update {
    /// The update that makes an array of the state.
    pub(super) fn of(
        reverse: &mut Reverse,
        scopes: &Scopes,
        (name, state): (ArrId, &Arr),
    ) -> Option<Self> {
        let &[(outermost, _), ..] = scopes else {
            return None;
        };
        let &(step, at) = scopes.last()?;
        let let_ = &step.body.lets[at];
        let column = let_.binds.iter().position(|bind| bind.name == name)?;
        let AccOp::Permute {
            defaults,
            target,
            args,
            ..
        } = &let_.op
        else {
            return None;
        };
        let alike = args.iter().all(|&a| reverse.shapes.same(a, args[0]));
        let sizes = reverse.shapes.sizes_outside(outermost, args[column])?;
        if !alike || reverse.shapes.sizes(state.name) == Some(&sizes[..]) {
            return None;
        }
        let mut stack = |elem| reverse.b.fresh(ArrayType::new(elem, sizes.len() + 1));
        let place = match code_of(scopes, target) {
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
    fn stacks(&self) -> Vec<Arr> {
        let places = match &self.place {
            Place::Again(_) => &[][..],
            Place::Kept(stacks) => stacks,
        };
        std::iter::once(&self.stack)
            .chain(places)
            .cloned()
            .collect()
    }

    /// Makes the primal write rows before it updates the state.
    pub(super) fn write(&self, reverse: &mut Reverse, level: &Level, let_: &mut AccLet<Labelled>) {
        let stacks = self.stacks();
        let elems: Vec<_> = stacks.iter().map(|stack| stack.ty.elem).collect();
        let rows = zero_rows(reverse, level.rows, (&elems, &self.sizes));
        thread(
            reverse,
            (let_, level.path),
            (&rows, &stacks),
            &mut |reverse, step, stacks| {
                let mut lets = step.body.lets.iter();
                let is_it =
                    |let_: &AccLet<Labelled>| let_.binds.iter().any(|b| b.name == self.result);
                let at = lets.position(is_it).unwrap_or_default();
                reverse.b.open();
                let old = self.overwritten(reverse);
                let target = next_row((level.row, 0), self.sizes.len());
                let next = reverse.b.permute(Combine::Overwrite, stacks, target, &old);
                let written = reverse.b.close(&next);
                step.body.lets.splice(at..at, written.lets);
                next
            },
        );
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

    /// Pushes the code that writes back what was there before.
    pub(super) fn undo(&self, reverse: &mut Reverse, back: &Back, state: Arr) -> Arr {
        let old = row(reverse, back, &self.stack);
        let target = match &self.place {
            Place::Again(code) => self.target_again(reverse, back, code),
            Place::Kept(stacks) => {
                let rows = stacks.iter();
                let rows = rows.map(|stack| row(reverse, back, stack));
                target_of(&rows.collect::<Vec<_>>())
            }
        };
        let state = reverse
            .b
            .permute_back(Combine::Overwrite, &[state], target, &[old]);
        state[0].clone()
    }

    /// The target, in a trip of the dual; pushes what it depends on.
    fn target_again(
        &self,
        reverse: &mut Reverse,
        back: &Back,
        code: &[AccLet<Labelled>],
    ) -> Fun<Labelled> {
        let mut names = back.names.clone();
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
}

/// Pushes a row of a stack.
pub(super) fn row(reverse: &mut Reverse, back: &Back, stack: &Arr) -> Arr {
    let mut axes = vec![Axis::All; stack.ty.rank];
    axes[0] = Axis::Fixed;
    let mut b = FunBuilder::new();
    let at = b.index(back.row, &[]);
    let indices = b.finish(vec![at]);
    reverse.b.slice(axes, indices, stack)
}

/// The target that is said by arrays of its results.
fn target_of(rows: &[Arr]) -> Fun<Labelled> {
    let mut b = FunBuilder::new();
    let index = b.params(&vec![ScalarType::I32; rows[0].ty.rank]);
    let results = rows.iter().map(|row| b.index(row, &index)).collect();
    b.finish(results)
}

/// The code that a function depends on, if that depends on the states of none of the loops around.
fn code_of(scopes: &Scopes, fun: &Fun<Labelled>) -> Option<Vec<AccLet<Labelled>>> {
    let mut needed: BTreeSet<ArrId> = fun.captures.iter().copied().collect();
    let mut code = vec![];
    for (step, at) in scopes.iter().rev() {
        for let_ in step.body.lets[..*at].iter().rev() {
            if let_.binds.iter().any(|bind| needed.contains(&bind.name)) {
                needed.extend(let_.op.free());
                code.push(let_.clone());
            }
        }
        if step.params[1..].iter().any(|p| needed.contains(&p.name)) {
            return None;
        }
    }
    code.reverse();
    Some(code)
}
