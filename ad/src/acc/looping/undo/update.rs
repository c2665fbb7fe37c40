//! A `permute` of a step into what the loop carries.
//!
//! It can be undone if its arguments have another shape than the state. The dual computes again where it went; where that depends on the
//! state of the loop, the primal keeps it, too.

use super::rows::Rows;
use super::{Back, Level, Scopes};
use crate::acc::layout::read_where;
use crate::acc::looping::Counted;
use crate::acc::reverse::Reverse;
use crate::rename::renaming;
use cotangent_core::build::{Arr, FunBuilder};
use cotangent_core::term::{AccBlock, AccClosure, AccLet, AccOp, ArrId, Combine, Fun, Labelled};
use cotangent_core::types::{ArrayType, ScalarType};
use std::collections::BTreeSet;

/// An update of a column.
pub(super) struct Update {
    pub result: ArrId,
    pub default: ArrId,
    target: Fun<Labelled>,
    place: Place,
    /// How what the trips overwrite is kept.
    rows: Rows,
    /// What the primal has overwritten.
    stack: Arr,
}

/// How the dual knows where an update went.
enum Place {
    /// By the code that the target depends on.
    Again(Vec<AccLet<Labelled>>),
    /// From stacks of the target's results.
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
        let sizes = reverse.shapes.sizes_outside(outermost, args[column]);
        if !alike || sizes.is_some() && sizes.as_deref() == reverse.shapes.sizes(state.name) {
            return None;
        }
        let rows = match sizes {
            Some(sizes) => Rows::Alike(sizes),
            None => {
                let ty = ArrayType::new(state.ty.elem, target.params.len());
                Rows::apart(reverse, Arr::new(args[column], ty))
            }
        };
        let mut stack = |elem| reverse.b.fresh(rows.stack(elem));
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
            rows,
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
    pub(super) fn write(
        &self,
        reverse: &mut Reverse,
        (counted, level): (&Counted, &Level),
        let_: &mut AccLet<Labelled>,
    ) {
        let before = |step: &AccClosure<Labelled>| {
            let is_it = |let_: &AccLet<Labelled>| let_.binds.iter().any(|b| b.name == self.result);
            step.body.lets.iter().position(is_it).unwrap_or_default()
        };
        let old = |reverse: &mut Reverse| self.overwritten(reverse);
        let stacks = self.stacks();
        self.rows
            .write(reverse, (counted, level), (let_, &stacks), (&before, &old));
    }

    /// What an update is going to overwrite, zero where it writes nothing, and where, if that is kept.
    fn overwritten(&self, reverse: &mut Reverse) -> Vec<Arr> {
        let shape = self.rows.shape(reverse);
        let mut b = FunBuilder::new();
        let index = b.params(&self.target.param_types());
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
    pub(super) fn undo(&self, reverse: &mut Reverse, back: &Back, state: &[Arr]) -> Vec<Arr> {
        let mut kept = self.rows.read(reverse, back, &self.stacks());
        let old = kept.remove(0);
        let target = match &self.place {
            Place::Again(code) => self.target_again(reverse, back, code),
            Place::Kept(_) => target_of(&kept),
        };
        reverse
            .b
            .permute_back(Combine::Overwrite, state, target, &[old])
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
