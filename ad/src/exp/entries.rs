//! Arrays `[T; N]` in the state of a loop of scalar code: which scalars are the entries of one, and what a trip does with them.
//!
//! The surface writes `x.with_entry(at, value)` as N selections, `entry k ↦ at = k ? value : entry k`, and `x.entry(at)` as a chain of
//! them, `at ≤ 0 ? entry 0 : at ≤ 1 ? entry 1 : …`. Here they are found again: a loop of arrays carries one array for all entries, of
//! which a trip overwrites what it touches.

use cotangent_core::constant::Const;
use cotangent_core::prim::Prim;
use cotangent_core::term::{ExpBind, ExpBlock, ExpId, ExpLet, ExpOp, Labelled};
use cotangent_core::types::ScalarType;
use std::collections::{BTreeMap, HashMap};

/// Arrays of fewer entries are carried entry by entry: with 6, both take as long on the CPU, with 8 or 16 this way up to twice as long.
const LEAST: usize = 8;

/// An array `[T; N]` that a loop carries.
#[derive(Debug)]
pub(crate) struct Entries {
    /// The position of each entry in the state.
    pub states: Vec<usize>,
    /// Their type.
    pub ty: ScalarType,
    /// What a trip replaces, one after the other.
    pub updates: Vec<Update>,
    /// The entries after each of the updates.
    pub after: Vec<Vec<ExpId>>,
}

/// An entry that is replaced, where there is one at that position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Update {
    pub at: ExpId,
    pub value: ExpId,
}

/// What is found of one entry: its number, and its name after each update.
type Found = BTreeMap<i32, (usize, Vec<ExpId>)>;

impl Entries {
    /// All arrays whose entries are among the `states` of a step, all of which is replaced at positions that the step computes.
    pub fn of(states: &[ExpBind<Labelled>], step: &ExpBlock<Labelled>, ops: &Ops) -> Vec<Self> {
        let own = Ops::of(&step.lets);
        let mut arrays: BTreeMap<Vec<Update>, Option<Found>> = BTreeMap::new();
        for (position, (state, &result)) in states.iter().zip(&step.results).enumerate() {
            let Some((number, updates)) = updates_of(state.name, result, (&own, ops)) else {
                continue;
            };
            let (updates, names) = updates.into_iter().unzip();
            let found = arrays.entry(updates).or_insert_with(|| Some(Found::new()));
            let twice = found.as_mut().map(|f| f.insert(number, (position, names)));
            if twice.flatten().is_some() {
                *found = None;
            }
        }
        let arrays = arrays.into_iter();
        let arrays = arrays.filter_map(|(updates, found)| Self::whole(states, updates, found?));
        arrays.collect()
    }

    /// The array, if none of its entries is missing.
    fn whole(states: &[ExpBind<Labelled>], updates: Vec<Update>, found: Found) -> Option<Self> {
        let is_whole = found.keys().copied().eq(0..found.len() as i32);
        if !is_whole || found.len() < LEAST {
            return None;
        }
        let after = (0..updates.len()).map(|n| found.values().map(|(_, names)| names[n]).collect());
        let after = after.collect();
        let positions: Vec<usize> = found.values().map(|(position, _)| *position).collect();
        Some(Self {
            ty: states[positions[0]].ty,
            states: positions,
            updates,
            after,
        })
    }
}

/// The number of an entry, and what happens to it on the way to `result`; none where that is something else, or nothing.
fn updates_of(
    state: ExpId,
    result: ExpId,
    (own, ops): (&Ops, &Ops),
) -> Option<(i32, Vec<(Update, ExpId)>)> {
    let (mut updates, mut number, mut x) = (vec![], None, result);
    while x != state {
        // What is bound in a block of its own is not there for all.
        let (cond, value, before) = selection(own.get(x)?)?;
        let (at, k) = ops.comparison(Prim::Eq, cond)?;
        if *number.get_or_insert(k) != k {
            return None;
        }
        updates.push((Update { at, value }, x));
        x = before;
    }
    updates.reverse();
    Some((number?, updates))
}

/// Condition and values of a selection, or of a conditional of which each branch gives one.
fn selection(op: &ExpOp<Labelled>) -> Option<(ExpId, ExpId, ExpId)> {
    match op {
        ExpOp::Prim(Prim::Select, operands) => match operands[..] {
            [cond, x, y] => Some((cond, x, y)),
            _ => None,
        },
        ExpOp::Cond { cond, then_, else_ } => match (&then_.results[..], &else_.results[..]) {
            ([x], [y]) => Some((*cond, *x, *y)),
            _ => None,
        },
        ExpOp::Prim(..) | ExpOp::Const(_) | ExpOp::Index { .. } | ExpOp::Extent { .. } => None,
        ExpOp::Loop { .. } | ExpOp::Derivative { .. } | ExpOp::WithPartials(_) => None,
    }
}

/// Operations by what they bind.
pub(crate) struct Ops<'a>(HashMap<ExpId, &'a ExpOp<Labelled>>);

impl<'a> Ops<'a> {
    /// Those of lets, without what is inside of them.
    fn of(lets: &'a [ExpLet<Labelled>]) -> Self {
        let lets = lets.iter().filter(|let_| let_.binds.len() == 1);
        Self(lets.map(|let_| (let_.binds[0].name, &let_.op)).collect())
    }

    /// Those of a block and of all blocks in it.
    pub fn all(block: &'a ExpBlock<Labelled>) -> Self {
        let lets = block.all_lets().filter(|let_| let_.binds.len() == 1);
        Self(lets.map(|let_| (let_.binds[0].name, &let_.op)).collect())
    }

    fn get(&self, x: ExpId) -> Option<&'a ExpOp<Labelled>> {
        self.0.get(&x).copied()
    }

    /// What `x` compares, if that is a scalar and a number.
    fn comparison(&self, by: Prim, x: ExpId) -> Option<(ExpId, i32)> {
        let [at, number] = self.get(x)?.operands_of(by)? else {
            return None;
        };
        let number = self.get(*number)?.as_const().and_then(Const::as_i32)?;
        Some((*at, number))
    }

    /// If an operation reads an entry of an array at a position: that, and the entries.
    pub fn entry(&self, op: &ExpOp<Labelled>) -> Option<(ExpId, Vec<ExpId>)> {
        let (cond, first, mut others) = selection(op)?;
        let (at, 0) = self.comparison(Prim::Le, cond)? else {
            return None;
        };
        let mut entries = vec![first];
        while let Some((cond, next, rest)) = self.get(others).and_then(selection) {
            if self.comparison(Prim::Le, cond) != Some((at, entries.len() as i32)) {
                break;
            }
            entries.push(next);
            others = rest;
        }
        entries.push(others);
        Some((at, entries))
    }
}
