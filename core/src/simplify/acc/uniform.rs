//! Numbers that are the same for all elements: computed once, outside of the function that reads them.
//!
//! What a closure computes of numbers from outside, as `x + a.the() / b.the() * y` does the quotient, is part of the body of its
//! function. There reverse mode would go back through it for each element, and add up what that gives for each of the numbers that
//! it is made of. Outside it is an array without dimensions, whose adjoint is one sum. So this is done before AD; fusion puts
//! what is cheap back.

use super::Rewriter;
use crate::build::Arr;
use crate::loc::Loc;
use crate::term::{AccOp, ArrBind, ArrId, ExpBind, ExpId, ExpOp, Fun, Labelled, Slot};
use crate::types::ArrayType;
use std::collections::{HashMap, HashSet};

impl Rewriter<'_> {
    /// Computes outside of the function of a map or a `generate` which floats are the same for all elements. Whether there are any.
    pub(super) fn uniform_numbers(
        &mut self,
        op: &mut AccOp<Labelled>,
        binds: &[ArrBind<Labelled>],
        loc: Loc,
    ) -> bool {
        let (AccOp::Map { f, args: _ } | AccOp::Generate { shape: _, f }) = op else {
            return false;
        };
        if self.is_derived() || binds.iter().all(|bind| bind.ty.rank == 0) {
            return false;
        }
        let found = uniform(f);
        if found.is_empty() {
            return false;
        }
        self.counts.fire("uniform_number");
        let arrays: Vec<Arr> = found
            .iter()
            .map(|bind| self.fresh(ArrayType::new(bind.ty, 0)))
            .collect();
        let made = AccOp::Generate {
            shape: Fun::constants(&[]),
            f: results_alone(f, &found),
        };
        self.simple(made, arrays.clone(), loc);
        let names: Vec<ArrId> = arrays.iter().map(|array| self.name(array.name)).collect();
        read_instead(f, &found, &names);
        true
    }
}

/// The floats of a function that are computed of arrays without dimensions alone, and that are read by something else, or are results.
fn uniform(f: &Fun<Labelled>) -> Vec<ExpBind<Labelled>> {
    let mut same: HashMap<ExpId, bool> = HashMap::new();
    let mut read: HashSet<ExpId> = f.body.results.iter().copied().collect();
    let mut computed = vec![];
    for let_ in &f.body.lets {
        let Some(reads) = reads_arrays(&let_.op, &mut same) else {
            read.extend(let_.op.reads());
            continue;
        };
        same.extend(let_.binds.iter().map(|bind| (bind.name, reads)));
        let is_computed = matches!(let_.op, ExpOp::Prim(..) | ExpOp::Cond { .. });
        if let [bind] = &let_.binds[..]
            && reads
            && is_computed
            && bind.ty.is_float()
        {
            computed.push(bind.clone());
        }
    }
    computed.retain(|bind| read.contains(&bind.name));
    computed
}

/// Whether a result of a function without parameters is such a float, which functions that read it would compute for each element.
pub(super) fn is_uniform_number(f: &Fun<Labelled>, result: usize) -> bool {
    let result = f.body.results[result];
    uniform(f).iter().any(|bind| bind.name == result)
}

/// Whether an operation that is the same for all elements depends on an array's element; none if it is not the same.
fn reads_arrays(op: &ExpOp<Labelled>, same: &mut HashMap<ExpId, bool>) -> Option<bool> {
    match op {
        ExpOp::Const(_) | ExpOp::Extent { .. } => Some(false),
        ExpOp::Index { array: _, index } => index.is_empty().then_some(true),
        ExpOp::Prim(_, operands) => {
            let mut operands = operands.iter().map(|x| same.get(x).copied());
            operands.try_fold(false, |any, reads| Some(any | reads?))
        }
        ExpOp::Cond { cond, then_, else_ } => {
            let mut reads = same.get(cond).copied()?;
            for let_ in [then_, else_].into_iter().flat_map(|block| &block.lets) {
                let inside = reads_arrays(&let_.op, same)?;
                same.extend(let_.binds.iter().map(|bind| (bind.name, inside)));
                reads |= inside;
            }
            let results = then_.results.iter().chain(&else_.results);
            let is_same = results.clone().all(|result| same.contains_key(result));
            is_same.then(|| reads || results.into_iter().any(|result| same[result]))
        }
        ExpOp::Derivative { .. } | ExpOp::WithPartials(_) | ExpOp::Loop { .. } => None,
    }
}

/// The function that gives these numbers, which depend on none of its parameters.
fn results_alone(f: &Fun<Labelled>, found: &[ExpBind<Labelled>]) -> Fun<Labelled> {
    let mut f = f.clone();
    let mut needed: HashSet<ExpId> = found.iter().map(|bind| bind.name).collect();
    let mut lets = std::mem::take(&mut f.body.lets);
    lets.reverse();
    lets.retain(|let_| {
        let is_needed = let_.binds.iter().any(|bind| needed.contains(&bind.name));
        if is_needed {
            needed.extend(let_.op.reads());
        }
        is_needed
    });
    lets.reverse();
    f.params.clear();
    f.body.lets = lets;
    f.body.results = found.iter().map(|bind| bind.name).collect();
    f
}

/// Reads the numbers from arrays without dimensions.
fn read_instead(f: &mut Fun<Labelled>, found: &[ExpBind<Labelled>], arrays: &[ArrId]) {
    let mut slots: HashMap<ExpId, Slot> = HashMap::new();
    for (bind, array) in found.iter().zip(arrays) {
        let known = f.captures.iter().position(|captured| captured == array);
        let slot = known.unwrap_or(f.captures.len());
        if known.is_none() {
            f.captures.push(*array);
        }
        slots.insert(bind.name, Slot(slot as u32));
    }
    for let_ in &mut f.body.lets {
        if let [bind] = &let_.binds[..]
            && let Some(&array) = slots.get(&bind.name)
        {
            let_.op = ExpOp::Index {
                array,
                index: vec![],
            };
        }
    }
}
