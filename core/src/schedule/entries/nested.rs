//! Loops within a trip that go on with the rows of the loop around.
//!
//! Rows of their own would have to be filled before their first trip and emptied after their last, which costs the length of the array
//! however little these trips touch. So a loop within reads and replaces entries where they are. With it, memory changes in
//! the middle of a trip: what reads entries as they were has to come before, and what was replaced before has to be in memory by
//! then. Each use of an array is therefore said to come after so many of the updates that a trip makes, and the values of a trip are
//! put in an order in which these numbers do not fall. There may be none, where an entry is read at a place that the loop
//! within computes, and as it was before that: then loops within have their own rows.

use super::find::{Array, Change, Finder, Place, Table};
use crate::schedule::{InRows, Op, ValueId};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// What a loop within does with rows of the loop around.
#[derive(Clone, Copy, Debug)]
pub(super) struct Use {
    /// The number of the rows in the loop within.
    pub own: usize,
    /// And in the loop around.
    pub rows: usize,
    /// How many of the updates of a trip come before.
    pub after: usize,
    /// Whether it is the next one itself.
    pub replaces: bool,
}

/// What the loops within a trip use, and an order for it.
pub(super) struct Nested {
    pub uses: BTreeMap<ValueId, Vec<Use>>,
    /// All values of a trip, each after what it reads.
    pub order: Vec<ValueId>,
}

/// Something that finds rows as so many updates have left them, and leaves them after so many.
struct Access {
    by: ValueId,
    rows: usize,
    from: usize,
    to: usize,
}

impl Nested {
    /// None if the values cannot be put in order, or a loop within carries on other arrays than those of a trip.
    pub fn of(finder: &mut Finder, arrays: &[Array], tables: &[Table]) -> Option<Self> {
        let loops: Vec<ValueId> = finder.loops_within().collect();
        let mut uses = BTreeMap::new();
        for of in loops {
            uses.insert(of, uses_of(finder, of, (arrays, tables))?);
        }
        uses.retain(|_, uses: &mut Vec<Use>| !uses.is_empty());
        let is_carried_on = |change: &Change| match change.of.place {
            Place::Loop(_) => uses.contains_key(&change.of.value),
            Place::Of(_) | Place::Entry(_) => true,
        };
        let mut updates = arrays.iter().flat_map(|array| &array.updates);
        if !updates.all(is_carried_on) {
            return None;
        }
        let accesses = accesses(finder, arrays, &uses);
        let order = order(finder, &uses, &earlier(finder, &accesses, &uses))?;
        Some(Self { uses, order })
    }
}

/// What a loop within uses; none if it carries on an array that is not what the updates before make of it.
fn uses_of(
    finder: &mut Finder,
    of: ValueId,
    (arrays, tables): (&[Array], &[Table]),
) -> Option<Vec<Use>> {
    let within = finder.loop_within(of)?.clone();
    let mut uses = vec![];
    for (own, rows) in within.rows.iter().enumerate() {
        let is_this =
            |change: &Change| (change.of.place, change.of.value) == (Place::Loop(own), of);
        let carried = arrays.iter().enumerate().find_map(|(n, array)| {
            let after = array.updates.iter().position(is_this)?;
            Some((n, after))
        });
        if let Some((n, after)) = carried {
            let init = &finder.region.body.op(of).as_loop()?.init;
            let init: Vec<ValueId> = rows.states.iter().map(|&at| init[at]).collect();
            if version(finder, &init, arrays)? != (n, after) {
                return None;
            }
            uses.push(Use {
                own,
                rows: n,
                after,
                replaces: true,
            });
        }
    }
    for own in 0..within.rows.len() {
        let read = read_by(finder, (&within, own), (arrays, tables));
        // What it replaces it also holds as it was, and two versions are not in one place.
        let is_free = |read: &Use| {
            let mut same = uses.iter().filter(|other| other.rows == read.rows);
            same.all(|other| !other.replaces && other.after == read.after)
        };
        uses.extend(read.filter(is_free));
    }
    Some(uses)
}

/// The rows of the loop around that are what a loop within reads as its rows number `own`.
fn read_by(
    finder: &mut Finder,
    (within, own): (&InRows, usize),
    (arrays, tables): (&[Array], &[Table]),
) -> Option<Use> {
    let names = within.rows[own].entries_read()?;
    let others = within.rows.iter().enumerate().filter(|(n, _)| *n != own);
    let others = others.filter_map(|(_, rows)| rows.entries_read());
    let mut others = others.flatten().chain(within.of.captures.iter().copied());
    if others.any(|other| names.contains(&other)) {
        return None;
    }
    let reads = |rows, after| Use {
        own,
        rows,
        after,
        replaces: false,
    };
    if let Some(n) = tables.iter().position(|table| table.entries == names) {
        return Some(reads(arrays.len() + n, 0));
    }
    let (n, after) = version(finder, &names, arrays)?;
    Some(reads(n, after))
}

/// Of which array such are all entries, and after how many of the updates that a trip makes.
fn version(finder: &mut Finder, entries: &[ValueId], arrays: &[Array]) -> Option<(usize, usize)> {
    let (n, changes) = finder.version((0, entries), arrays)?;
    let of = &arrays[n];
    let is_whole = of.states.len() == entries.len() && common(&changes, of) == changes.len();
    is_whole.then_some((n, changes.len()))
}

/// How many updates some have in common with those that a trip makes, the first ones.
pub(super) fn common(changes: &[Change], of: &Array) -> usize {
    let both = changes.iter().zip(&of.updates);
    both.take_while(|(x, y)| x.of == y.of).count()
}

/// All that reads entries of arrays which change in the middle of a trip, or changes them.
fn accesses(
    finder: &mut Finder,
    arrays: &[Array],
    uses: &BTreeMap<ValueId, Vec<Use>>,
) -> Vec<Access> {
    let mut points = vec![BTreeSet::from([0]); arrays.len()];
    let mut accesses = vec![];
    for (&by, uses) in uses {
        for of in uses.iter().filter(|of| of.rows < arrays.len()) {
            let to = of.after + usize::from(of.replaces);
            points[of.rows].extend([of.after, to]);
            accesses.push(Access {
                by,
                rows: of.rows,
                from: of.after,
                to,
            });
        }
    }
    if points.iter().all(|points| points.len() == 1) {
        return vec![];
    }
    let region = finder.region;
    for (by, inst) in region.body.iter() {
        let found = match &inst.op {
            Op::Out(of, which) => carried_out(finder, uses, (*of, *which as usize)),
            Op::Prim(..) => read(finder, arrays, by),
            Op::Const(_) | Op::Symbol(_) | Op::Coord(_) | Op::Arg(_) => None,
            Op::Load(_) | Op::Loop(_) => None,
        };
        accesses.extend(found.map(|(rows, after)| {
            let from = points[rows].range(..=after).next_back();
            let from = from.copied().unwrap_or_default();
            let to = from;
            Access { by, rows, from, to }
        }));
    }
    accesses
}

/// The rows, and the number of updates, after which a loop within has carried on an entry.
fn carried_out(
    finder: &Finder,
    uses: &BTreeMap<ValueId, Vec<Use>>,
    (of, which): (ValueId, usize),
) -> Option<(usize, usize)> {
    let (own, _) = finder.loop_within(of)?.entry(which)?;
    let of = uses
        .get(&of)?
        .iter()
        .find(|of| of.own == own && of.replaces)?;
    Some((of.rows, of.after + 1))
}

/// The same for an entry that is read at a place that is computed.
fn read(finder: &mut Finder, arrays: &[Array], v: ValueId) -> Option<(usize, usize)> {
    let (_, first, names) = finder.chain(v)?;
    let (n, changes) = finder.version((first, &names), arrays)?;
    Some((n, common(&changes, &arrays[n])))
}

/// For each value, those that come before it without being read by it.
fn earlier(
    finder: &Finder,
    accesses: &[Access],
    uses: &BTreeMap<ValueId, Vec<Use>>,
) -> HashMap<ValueId, Vec<ValueId>> {
    let mut earlier: HashMap<ValueId, Vec<ValueId>> = HashMap::new();
    for access in accesses {
        let others = accesses.iter().filter(|other| {
            other.rows == access.rows && other.by != access.by && other.from < access.to
        });
        let all = earlier.entry(access.by).or_default();
        all.extend(others.map(|other| other.by));
        // Whether a trip is made has to be known by those that change memory.
        let is_loop = uses.contains_key(&access.by);
        all.extend(finder.region.test.filter(|_| access.to > 0 && is_loop));
    }
    // The first failure of a trip stays the first.
    let failing = finder.region.body.iter();
    let failing = failing.filter(|(_, inst)| inst.op.may_fail());
    let failing: Vec<ValueId> = failing.map(|(v, _)| v).collect();
    for both in failing.windows(2) {
        earlier.entry(both[1]).or_default().push(both[0]);
    }
    earlier
}

/// All values, each after what it reads and what comes before it; none if that cannot be. Arguments are the first.
fn order(
    finder: &Finder,
    uses: &BTreeMap<ValueId, Vec<Use>>,
    earlier: &HashMap<ValueId, Vec<ValueId>>,
) -> Option<Vec<ValueId>> {
    let body = &finder.region.body;
    let (args, others): (Vec<_>, Vec<_>) = body
        .iter()
        .partition(|(_, inst)| inst.op.as_arg().is_some());
    let all = args.into_iter().chain(others).map(|(v, _)| v);
    if uses.is_empty() {
        return Some(all.collect());
    }
    let mut order = Vec::with_capacity(body.len());
    // Whether a value has been begun, and whether it is in its place.
    let mut seen = vec![[false; 2]; body.len()];
    for root in all {
        let mut stack = vec![(root, false)];
        while let Some((v, is_expanded)) = stack.pop() {
            let [begun, placed] = &mut seen[v.index()];
            if is_expanded {
                *placed = true;
                order.push(v);
                continue;
            }
            if *placed {
                continue;
            }
            if std::mem::replace(begun, true) {
                return None;
            }
            stack.push((v, true));
            let operands = body.op(v).operands().into_iter();
            let before = operands.chain(earlier.get(&v).into_iter().flatten().copied());
            let before = before.filter(|v| !seen[v.index()][1]);
            stack.extend(before.map(|v| (v, false)));
        }
    }
    Some(order)
}
