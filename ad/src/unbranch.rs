//! Updates in branches of conditionals, in the steps of loops, become updates under a condition.
//!
//! `acond(c, v.set(i, x), v)` becomes `v.set(i, x)` where `c` holds, with `x` and `i` from the conditional, as a `permute` whose target
//! sends nothing where `c` does not hold. So the way back through the loop sees what trips overwrite, and keeps that, and not the
//! array (`acc/looping/undo.rs`).
//!
//! Updates leave their conditional if nothing in there reads what they make, and if the extents of what they send are known before it:
//! where the other branch is taken, the conditional gives zeros of these.

use crate::rename::{ArrMap, renaming};
use cotangent_core::analysis::shape::Shapes;
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
            let found = Leaving::of(&let_, &self.carried, self.shapes);
            changed |= found.is_some();
            let lets = match found {
                Some(leaving) => {
                    let lets = self.outside(let_, leaving);
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
        if let AccOp::Permute { defaults, .. } = &let_.op {
            let columns = let_.binds.iter().zip(defaults);
            let updated = columns.filter(|(_, default)| self.carried.contains(default));
            let updated: Vec<_> = updated.map(|(bind, _)| bind.name).collect();
            self.carried.extend(updated);
        }
    }

    /// The conditional without its updates, and these after it.
    fn outside(&mut self, let_: AccLet<Labelled>, leaving: Leaving) -> Vec<AccLet<Labelled>> {
        let AccLet { mut binds, op, loc } = let_;
        let AccOp::Cond { cond, then_, else_ } = op else {
            return vec![AccLet { binds, op, loc }];
        };
        self.b.set_loc(loc);
        self.b.open();
        let taken = self.b.generate(Fun::constants(&[]), cond).remove(0);
        let mut names = leaving.names(&binds);
        let mut branches = [then_, else_];
        for side in 0..2 {
            leaving.remove(side, &mut branches[side]);
        }
        let mut columns = 0..;
        binds.retain(|_| columns.next().is_none_or(|r| !leaving.has(r)));
        for side in 0..2 {
            for x in &leaving.exported[side] {
                let outside = self.b.fresh(x.ty);
                names.insert(x.name, outside.name);
                binds.push(outside);
                branches[side].results.push(x.name);
                self.zeros(x, &mut branches[1 - side]);
            }
        }
        if !binds.is_empty() {
            let mut b = FunBuilder::new();
            let holds = b.index(&taken, &[]);
            let cond = b.finish(vec![holds]);
            let [then_, else_] = branches;
            let op = AccOp::Cond { cond, then_, else_ };
            self.b.push_let(AccLet { binds, op, loc });
        }
        for (side, updates) in leaving.updates.iter().cloned().enumerate() {
            for mut update in updates {
                guard(&mut update, (&taken, side == 0));
                if side == 1 {
                    start_after(&mut update, &leaving.columns);
                }
                update.op.rename(&renaming(&names));
                for bind in &mut update.binds {
                    bind.name = renaming(&names)(bind.name);
                }
                self.b.push_let(update);
            }
        }
        self.b.close(&[]).lets
    }

    /// Makes a branch result in zeros of the type and shape of an array of the other one.
    fn zeros(&mut self, like: &Arr, branch: &mut AccBlock<Labelled>) {
        let sizes = self.shapes.sizes(like.name).unwrap_or_default();
        let shape = self.shapes.emit_fun(sizes);
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

/// What leaves a conditional; of its two branches the first is taken where the condition holds.
struct Leaving {
    /// The columns that updates make of one array: which, that array, and what the branches make of it.
    columns: Vec<(usize, ArrId, [ArrId; 2])>,
    /// By branch: the updates, in order.
    updates: [Vec<AccLet<Labelled>>; 2],
    /// By branch: what the updates read of it.
    exported: [Vec<Arr>; 2],
}

impl Leaving {
    /// What leaves an operation, if that is a conditional with something that may.
    fn of(let_: &AccLet<Labelled>, carried: &HashSet<ArrId>, shapes: &Shapes) -> Option<Self> {
        let branches = match &let_.op {
            AccOp::Cond {
                cond: _,
                then_,
                else_,
            } => [then_, else_],
            AccOp::Use(_)
            | AccOp::Generate { .. }
            | AccOp::Map { .. }
            | AccOp::Fold { .. }
            | AccOp::Scan { .. }
            | AccOp::Move { .. }
            | AccOp::Permute { .. }
            | AccOp::Unpack { .. }
            | AccOp::Append { .. }
            | AccOp::Derivative { .. }
            | AccOp::Custom { .. }
            | AccOp::Loop { .. } => return None,
        };
        let mut positions = [HashSet::new(), HashSet::new()];
        let mut columns: Vec<(usize, ArrId, [ArrId; 2])> = vec![];
        for r in 0..let_.binds.len() {
            let results = branches.map(|branch| branch.results[r]);
            let [Some(of_then), Some(of_else)] = [0, 1].map(|k| chain(branches[k], results[k]))
            else {
                continue;
            };
            let is_updated = !of_then.1.is_empty() || !of_else.1.is_empty();
            if of_then.0 == of_else.0 && carried.contains(&of_then.0) && is_updated {
                columns.push((r, of_then.0, results));
                positions[0].extend(of_then.1);
                positions[1].extend(of_else.1);
            }
        }
        let bases: HashSet<ArrId> = columns.iter().map(|(_, base, _)| *base).collect();
        if columns.is_empty() || bases.len() < columns.len() {
            return None;
        }
        let kept = |r: &usize| columns.iter().all(|(column, ..)| column != r);
        let kept: Vec<usize> = (0..let_.binds.len()).filter(kept).collect();
        let exported = [0, 1].map(|k| exported(branches[k], &positions[k], &kept, shapes));
        let [Some(of_then), Some(of_else)] = exported else {
            return None;
        };
        let updates = [0, 1].map(|k| {
            let lets = branches[k].lets.iter().enumerate();
            let leaving = lets.filter(|(at, _)| positions[k].contains(at));
            leaving.map(|(_, let_)| let_.clone()).collect::<Vec<_>>()
        });
        let is_empty = kept.is_empty() && of_then.is_empty() && of_else.is_empty();
        let all = [0, 1]
            .iter()
            .all(|&k| branches[k].lets.len() == updates[k].len());
        // A conditional that results in nothing may be there for what it fails by.
        (!is_empty || all).then(|| Self {
            columns,
            updates,
            exported: [of_then, of_else],
        })
    }

    fn has(&self, column: usize) -> bool {
        self.columns.iter().any(|(r, ..)| *r == column)
    }

    /// What updates and what they make are called outside.
    fn names(&self, binds: &[Arr]) -> ArrMap {
        let mut names = ArrMap::new();
        for &(r, base, [then_, else_]) in &self.columns {
            let last = if else_ == base { then_ } else { else_ };
            names.insert(last, binds[r].name);
        }
        names
    }

    /// Takes updates and their columns out of a branch.
    fn remove(&self, side: usize, branch: &mut AccBlock<Labelled>) {
        let gone: HashSet<ArrId> = self.updates[side].iter().map(|u| u.binds[0].name).collect();
        branch
            .lets
            .retain(|let_| !let_.binds.first().is_some_and(|b| gone.contains(&b.name)));
        let mut columns = 0..;
        branch
            .results
            .retain(|_| columns.next().is_none_or(|r| !self.has(r)));
    }
}

/// The array from outside of a branch that a result is made of by permutes alone, and the positions of these.
fn chain(branch: &AccBlock<Labelled>, result: ArrId) -> Option<(ArrId, Vec<usize>)> {
    let (mut name, mut positions) = (result, vec![]);
    for (at, let_) in branch.lets.iter().enumerate().rev() {
        let Some(column) = let_.binds.iter().position(|bind| bind.name == name) else {
            continue;
        };
        let AccOp::Permute { defaults, .. } = &let_.op else {
            return None;
        };
        name = defaults[column];
        positions.push(at);
    }
    Some((name, positions))
}

/// What updates at some positions of a branch read of it. `None` if they may not leave it.
fn exported(
    branch: &AccBlock<Labelled>,
    positions: &HashSet<usize>,
    kept: &[usize],
    shapes: &Shapes,
) -> Option<Vec<Arr>> {
    let bound: Vec<&Arr> = branch.lets.iter().flat_map(|let_| &let_.binds).collect();
    let updates = positions.iter().map(|&at| &branch.lets[at]);
    let made: HashSet<ArrId> = updates
        .flat_map(|let_| &let_.binds)
        .map(|b| b.name)
        .collect();
    let mut needed: HashSet<ArrId> = HashSet::new();
    for (at, let_) in branch.lets.iter().enumerate() {
        let AccOp::Permute {
            defaults,
            target,
            args,
            ..
        } = &let_.op
        else {
            if let_.op.free().iter().any(|a| made.contains(a)) {
                return None;
            }
            continue;
        };
        let read = args.iter().chain(&target.captures);
        if !positions.contains(&at) {
            if read.chain(defaults).any(|a| made.contains(a)) {
                return None;
            }
            continue;
        }
        needed.extend(read);
        // What starts from something of the branch's own stays.
        let is_own = |d: &ArrId| bound.iter().any(|b| b.name == *d) && !made.contains(d);
        if defaults.iter().any(is_own) {
            return None;
        }
    }
    let is_result = |&r: &usize| made.contains(&branch.results[r]);
    if kept.iter().any(is_result) || needed.iter().any(|a| made.contains(a)) {
        return None;
    }
    let is_inside = |array: ArrId| bound.iter().any(|b| b.name == array);
    let exported = bound.iter().filter(|b| needed.contains(&b.name));
    let known = |b: &Arr| {
        let sizes = shapes.sizes(b.name);
        sizes.is_some_and(|sizes| !sizes.iter().any(|&s| shapes.mentions(s, &is_inside)))
    };
    exported.map(|&b| known(b).then(|| b.clone())).collect()
}

/// Makes an update of the second branch start from what those of the first one make.
fn start_after(update: &mut AccLet<Labelled>, columns: &[(usize, ArrId, [ArrId; 2])]) {
    let AccOp::Permute { defaults, .. } = &mut update.op else {
        return;
    };
    for default in defaults {
        if let Some((.., [then_, _])) = columns.iter().find(|(_, base, _)| base == default) {
            *default = *then_;
        }
    }
}

/// Makes an update send nothing where its branch is not taken.
fn guard(update: &mut AccLet<Labelled>, (taken, is_then): (&Arr, bool)) {
    let AccOp::Permute { target, .. } = &mut update.op else {
        return;
    };
    let mut b = FunBuilder::new();
    let index = b.params(&target.param_types());
    let mut holds = b.index(taken, &[]);
    if !is_then {
        holds = b.prim(Prim::Not, &[holds]);
    }
    let may_fail =
        |op: &ExpOp<Labelled>| matches!(op, ExpOp::Index { index, .. } if !index.is_empty());
    let results = if target.body.all_lets().any(|let_| may_fail(&let_.op)) {
        let nowhere = |b: &mut FunBuilder| {
            let types = target.result_types().into_iter();
            types.map(|ty| b.constant(Const::zero(ty))).collect()
        };
        b.cond(holds, |b| b.inline(target, &index), nowhere)
    } else {
        let mut results = b.inline(target, &index);
        results[0] = b.prim(Prim::And, &[holds, results[0]]);
        results
    };
    *target = b.finish(results);
}
