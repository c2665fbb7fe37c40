//! Updates in branches of conditionals, in the steps of loops, become updates under a condition.
//!
//! `acond(c, v.set(i, x), v)` becomes `v.set(i, x)` where `c` holds, with `x` and `i` from the conditional, as a `permute` whose target
//! sends nothing where `c` does not hold. So the way back through the loop sees what trips overwrite, and keeps that, and not the
//! array (`acc/looping/undo.rs`).
//!
//! A loop that makes updates leaves its conditional as one: where `c` does not hold, it makes no trip. So does what makes all of an
//! array new ([`whole`]).
//!
//! Updates leave their conditional if nothing in there reads what they make. Where the other branch is taken, the conditional gives zeros
//! of the extents of what they send, or nothing where these are not known before it.

mod whole;

use crate::rename::{ArrMap, renaming};
use cotangent_core::analysis::shape::{Shapes, Size};
use cotangent_core::build::{AccBuilder, Arr, FunBuilder};
use cotangent_core::constant::Const;
use cotangent_core::prim::Prim;
use cotangent_core::term::{AccBlock, AccLet, AccOp, ArrId, ExpOp, Fun, Labelled, States};
use cotangent_core::types::ScalarType;
use std::collections::HashSet;

/// Takes updates out of the conditionals in the steps of the loops of a block. Whether there are any.
pub(crate) fn updates(
    b: &mut AccBuilder,
    shapes: &mut Shapes,
    block: &mut AccBlock<Labelled>,
) -> bool {
    let mut changed = false;
    for let_ in &mut block.lets {
        for inner in let_.op.blocks_mut() {
            changed |= updates(b, shapes, inner.block);
        }
        if let AccOp::Loop {
            step,
            states: States::Stored,
            ..
        } = &mut let_.op
        {
            let state = step.params.iter().skip(1);
            let carried = state.map(|param| param.name).collect();
            let mut out = Out { b, shapes, carried };
            changed |= out.block(&mut step.body);
        }
    }
    changed
}

/// The way out of conditionals, in a step.
struct Out<'a> {
    b: &'a mut AccBuilder,
    shapes: &'a mut Shapes,
    /// What the loop carries, and what updates make of it.
    carried: HashSet<ArrId>,
}

impl Out<'_> {
    fn block(&mut self, block: &mut AccBlock<Labelled>) -> bool {
        let mut changed = false;
        for mut let_ in std::mem::take(&mut block.lets) {
            if let AccOp::Cond { then_, else_, .. } = &mut let_.op {
                changed |= self.block(then_) | self.block(else_);
            }
            let with_loops = whole::with_loops(self.b, self.shapes, (&let_, &self.carried));
            let of = |let_: &AccLet<Labelled>| Leaving::of(let_, &self.carried, self.shapes);
            let with_loops = with_loops.and_then(|let_| of(&let_).map(|found| (let_, found)));
            let (let_, found) = match with_loops {
                Some((let_, found)) => (let_, Some(found)),
                None => {
                    let found = of(&let_);
                    (let_, found)
                }
            };
            changed |= found.is_some();
            let lets = match found {
                Some(leaving) => {
                    let lets = self.outside(let_, &leaving);
                    lets.iter().for_each(|let_| self.shapes.let_(let_));
                    lets
                }
                None => vec![let_],
            };
            lets.iter().for_each(|let_| self.note(let_));
            block.lets.extend(lets);
        }
        changed
    }

    /// Notes what an update makes of something carried.
    fn note(&mut self, let_: &AccLet<Labelled>) {
        let updates = let_.op.updates(&let_.binds);
        let updated = updates.filter(|(start, _)| self.carried.contains(start));
        let updated: Vec<_> = updated.map(|(_, bind)| bind.name).collect();
        self.carried.extend(updated);
    }

    /// The conditional without its updates, and these after it.
    fn outside(&mut self, let_: AccLet<Labelled>, leaving: &Leaving) -> Vec<AccLet<Labelled>> {
        let AccLet { binds, op, loc } = let_;
        let AccOp::Cond { cond, then_, else_ } = op else {
            return vec![AccLet { binds, op, loc }];
        };
        self.b.set_loc(loc);
        self.b.open();
        let taken = self.b.generate(Fun::constants(&[]), cond).remove(0);
        let mut names = leaving.names(&binds);
        let (binds, [then_, else_]) = self.rest((binds, [then_, else_]), leaving, &mut names);
        if !binds.is_empty() {
            let mut b = FunBuilder::new();
            let holds = b.index(&taken, &[]);
            let cond = b.finish(vec![holds]);
            let op = AccOp::Cond { cond, then_, else_ };
            self.b.push_let(AccLet { binds, op, loc });
        }
        let [of_then, of_else] = &leaving.sides;
        let of_else = of_else.updates.iter().map(|update| (update, false));
        for (update, is_then) in of_then.updates.iter().map(|u| (u, true)).chain(of_else) {
            let mut update = update.clone();
            guard(&mut update, (&taken, is_then));
            if !is_then {
                start_after(&mut update, &leaving.columns);
            }
            update.op.rename(&renaming(&names));
            for inner in update.op.blocks_mut() {
                inner.block.rename(&renaming(&names));
            }
            for bind in &mut update.binds {
                bind.name = renaming(&names)(bind.name);
            }
            self.b.push_let(update);
        }
        self.b.close(&[]).lets
    }

    /// What is left of a conditional: without updates, and with results that these read. Notes what those are called outside.
    fn rest(
        &mut self,
        (mut binds, branches): (Vec<Arr>, [AccBlock<Labelled>; 2]),
        leaving: &Leaving,
        names: &mut ArrMap,
    ) -> (Vec<Arr>, [AccBlock<Labelled>; 2]) {
        let [mut then_, mut else_] = branches;
        let [of_then, of_else] = &leaving.sides;
        leaving.remove(&of_then.updates, &mut then_);
        leaving.remove(&of_else.updates, &mut else_);
        let mut columns = 0..;
        binds.retain(|_| columns.next().is_none_or(|r| !leaving.has(r)));
        let mut export = |(x, sizes): &Exported, own: &mut AccBlock<_>, other: &mut AccBlock<_>| {
            let outside = self.b.fresh(x.ty);
            names.insert(x.name, outside.name);
            binds.push(outside);
            own.results.push(x.name);
            self.zeros((x, sizes.as_deref()), other);
        };
        for x in &of_then.exported {
            export(x, &mut then_, &mut else_);
        }
        for x in &of_else.exported {
            export(x, &mut else_, &mut then_);
        }
        (binds, [then_, else_])
    }

    /// Makes a branch result in zeros of the type and extents of an array of the other one, or in no elements.
    fn zeros(&mut self, (like, sizes): (&Arr, Option<&[Size]>), branch: &mut AccBlock<Labelled>) {
        let shape = match sizes {
            Some(sizes) => self.shapes.emit_fun(sizes),
            None => Fun::constants(&vec![Const::I32(0); like.ty.rank]),
        };
        let mut b = FunBuilder::new();
        b.params(&vec![ScalarType::I32; like.ty.rank]);
        let zero = b.constant(Const::zero(like.ty.elem));
        self.b.open();
        self.b.generate(shape, b.finish(vec![zero]));
        let mut made = self.b.close(&[]).lets;
        branch.results.push(made[0].binds[0].name);
        branch.lets.append(&mut made);
    }
}

/// A column of a conditional that updates make.
struct Column {
    /// Which one.
    at: usize,
    /// The array that both branches start from.
    from: ArrId,
    /// What each branch makes of it.
    made: [ArrId; 2],
}

/// What leaves a conditional; of its two branches the first is taken where the condition holds.
struct Leaving {
    columns: Vec<Column>,
    sides: [Side; 2],
}

/// What leaves a branch.
struct Side {
    /// The updates, in order.
    updates: Vec<AccLet<Labelled>>,
    /// What the updates read of the branch.
    exported: Vec<Exported>,
}

/// An array of a branch, and its extents where they are known before that.
type Exported = (Arr, Option<Vec<Size>>);

impl Leaving {
    /// What leaves an operation, if that is a conditional with something that may.
    fn of(let_: &AccLet<Labelled>, carried: &HashSet<ArrId>, shapes: &Shapes) -> Option<Self> {
        let AccOp::Cond { then_, else_, .. } = &let_.op else {
            return None;
        };
        let branches = [then_, else_];
        let mut positions = [HashSet::new(), HashSet::new()];
        let columns: Vec<Column> = (0..let_.binds.len())
            .filter_map(|at| column(branches, at, carried, &mut positions))
            .collect();
        let from: HashSet<ArrId> = columns.iter().map(|column| column.from).collect();
        if columns.is_empty() || from.len() < columns.len() {
            return None;
        }
        let stays = |r: &usize| columns.iter().all(|column| column.at != *r);
        let stay: Vec<usize> = (0..let_.binds.len()).filter(stays).collect();
        let [of_then, of_else] = &positions;
        let of_then = Side::of(branches[0], of_then, &stay, shapes)?;
        let of_else = Side::of(branches[1], of_else, &stay, shapes)?;
        let is_all = |side: &Side, branch: &AccBlock<_>| side.updates.len() == branch.lets.len();
        let has_results =
            !stay.is_empty() || !of_then.exported.is_empty() || !of_else.exported.is_empty();
        // A conditional that results in nothing may be there for what it fails by.
        let rest = has_results || (is_all(&of_then, branches[0]) && is_all(&of_else, branches[1]));
        let sides = [of_then, of_else];
        rest.then_some(Self { columns, sides })
    }

    fn has(&self, column: usize) -> bool {
        self.columns.iter().any(|own| own.at == column)
    }

    /// What the last updates make is called outside as the conditional's result was.
    fn names(&self, binds: &[Arr]) -> ArrMap {
        let name = |column: &Column| {
            let [then_, else_] = column.made;
            let last = if else_ == column.from { then_ } else { else_ };
            (last, binds[column.at].name)
        };
        self.columns.iter().map(name).collect()
    }

    /// Takes updates and their columns out of a branch.
    fn remove(&self, updates: &[AccLet<Labelled>], branch: &mut AccBlock<Labelled>) {
        let first = |let_: &AccLet<Labelled>| let_.binds.first().map(|bind| bind.name);
        let gone: HashSet<_> = updates.iter().map(first).collect();
        branch.lets.retain(|let_| !gone.contains(&first(let_)));
        let mut columns = 0..;
        branch
            .results
            .retain(|_| columns.next().is_none_or(|r| !self.has(r)));
    }
}

/// The column at a position, if updates make it of something carried; notes their positions in the branches.
fn column(
    branches: [&AccBlock<Labelled>; 2],
    at: usize,
    carried: &HashSet<ArrId>,
    positions: &mut [HashSet<usize>; 2],
) -> Option<Column> {
    let made = branches.map(|branch| branch.results[at]);
    let (from, of_then) = chain(branches[0], made[0])?;
    let (other, of_else) = chain(branches[1], made[1])?;
    let is_updated = !of_then.is_empty() || !of_else.is_empty();
    if from != other || !carried.contains(&from) || !is_updated {
        return None;
    }
    positions[0].extend(of_then);
    positions[1].extend(of_else);
    Some(Column { at, from, made })
}

/// The array from outside of a branch that a result is made of by updates alone, and the positions of these.
fn chain(branch: &AccBlock<Labelled>, result: ArrId) -> Option<(ArrId, Vec<usize>)> {
    let (mut name, mut positions) = (result, vec![]);
    for (at, let_) in branch.lets.iter().enumerate().rev() {
        if let_.binds.iter().all(|bind| bind.name != name) {
            continue;
        }
        let mut updates = let_.op.updates(&let_.binds);
        let (start, _) = updates.find(|(_, bind)| bind.name == name)?;
        name = *start;
        positions.push(at);
    }
    Some((name, positions))
}

impl Side {
    /// What leaves a branch with the updates at some positions, where columns of the conditional stay. `None` if they may not.
    fn of(
        branch: &AccBlock<Labelled>,
        positions: &HashSet<usize>,
        stay: &[usize],
        shapes: &Shapes,
    ) -> Option<Self> {
        let lets = branch.lets.iter().enumerate();
        let (updates, others): (Vec<_>, Vec<_>) = lets.partition(|(at, _)| positions.contains(at));
        let names = |lets: &[(usize, &AccLet<Labelled>)]| {
            let binds = lets.iter().flat_map(|(_, let_)| &let_.binds);
            binds.map(|bind| bind.name).collect::<HashSet<ArrId>>()
        };
        let (made, own) = (names(&updates), names(&others));
        let mut needed: HashSet<ArrId> = HashSet::new();
        for (_, update) in &updates {
            needed.extend(reads(&update.op, &own)?);
        }
        let results = stay.iter().map(|&r| branch.results[r]);
        let inside = others.iter().flat_map(|(_, let_)| let_.op.free());
        let mut read = needed.iter().copied().chain(results).chain(inside);
        if read.any(|array| made.contains(&array)) {
            return None;
        }
        let is_inside = |a: ArrId| own.contains(&a) || made.contains(&a);
        let with_sizes = |x: &Arr| {
            let sizes = shapes.sizes_without(x.name, &is_inside);
            (x.clone(), sizes.map(<[Size]>::to_vec))
        };
        let binds = others.iter().flat_map(|(_, let_)| &let_.binds);
        let exported = binds.filter(|bind| needed.contains(&bind.name));
        Some(Self {
            exported: exported.map(with_sizes).collect(),
            updates: updates.into_iter().map(|(_, let_)| let_.clone()).collect(),
        })
    }
}

/// The arrays that an update reads, but for what it updates. `None` if that is the branch's own, or if the operation is no update.
fn reads(op: &AccOp<Labelled>, own: &HashSet<ArrId>) -> Option<Vec<ArrId>> {
    match op {
        AccOp::Permute {
            defaults,
            target,
            args,
            ..
        } => {
            let read = args.iter().chain(&target.captures).copied();
            let is_own = defaults.iter().any(|d| own.contains(d));
            (!is_own).then(|| read.collect())
        }
        AccOp::Loop {
            states: States::Stored,
            args,
            ..
        } => {
            let is_updated = |array: &ArrId| args.contains(array) && !own.contains(array);
            let free = op.free().into_iter();
            Some(free.filter(|array| !is_updated(array)).collect())
        }
        AccOp::Use(_) | AccOp::Generate { .. } | AccOp::Map { .. } | AccOp::Fold { .. } => None,
        AccOp::Scan { .. } | AccOp::Move { .. } | AccOp::Unpack { .. } => None,
        AccOp::Append { .. } | AccOp::Argsort { .. } | AccOp::FoldSegments { .. } => None,
        AccOp::Cond { .. } | AccOp::Loop { .. } => None,
        AccOp::Derivative { .. } | AccOp::Custom { .. } => None,
    }
}

/// Makes an update of the second branch start from what those of the first one make.
fn start_after(update: &mut AccLet<Labelled>, columns: &[Column]) {
    let (AccOp::Permute {
        defaults: starts, ..
    }
    | AccOp::Loop { args: starts, .. }) = &mut update.op
    else {
        return;
    };
    for start in starts {
        if let Some(column) = columns.iter().find(|column| column.from == *start) {
            *start = column.made[0];
        }
    }
}

/// Makes an update send nothing, or make no trip, where its branch is not taken.
fn guard(update: &mut AccLet<Labelled>, (taken, is_then): (&Arr, bool)) {
    let is_loop = matches!(update.op, AccOp::Loop { .. });
    let fun = match &mut update.op {
        AccOp::Permute { target, .. } => target,
        AccOp::Loop { trips, .. } => trips,
        AccOp::Use(_) | AccOp::Generate { .. } | AccOp::Map { .. } | AccOp::Fold { .. } => return,
        AccOp::Scan { .. } | AccOp::Move { .. } | AccOp::Unpack { .. } => return,
        AccOp::Append { .. }
        | AccOp::Argsort { .. }
        | AccOp::FoldSegments { .. }
        | AccOp::Cond { .. } => return,
        AccOp::Derivative { .. } | AccOp::Custom { .. } => return,
    };
    let mut b = FunBuilder::new();
    let index = b.params(&fun.param_types());
    let mut holds = b.index(taken, &[]);
    if !is_then {
        holds = b.prim(Prim::Not, &[holds]);
    }
    let may_fail =
        |op: &ExpOp<Labelled>| matches!(op, ExpOp::Index { index, .. } if !index.is_empty());
    let results = if fun.body.all_lets().any(|let_| may_fail(&let_.op)) {
        let nowhere = |b: &mut FunBuilder| {
            let types = fun.result_types().into_iter();
            types.map(|ty| b.constant(Const::zero(ty))).collect()
        };
        b.cond(holds, |b| b.inline(fun, &index), nowhere)
    } else {
        let mut results = b.inline(fun, &index);
        // The first result of a target says whether anything is sent.
        results[0] = match is_loop {
            true => {
                let none = b.constant(0);
                b.prim(Prim::Select, &[holds, results[0], none])
            }
            false => b.prim(Prim::And, &[holds, results[0]]),
        };
        results
    };
    *fun = b.finish(results);
}
