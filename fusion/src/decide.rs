//! Which arrays are delayed, by the rules of `cost.rs`.

use crate::cost;
use crate::element::Split;
use crate::lower::{Info, Lowering, Storage};
use crate::slice;
use cotangent_core::term::{AccLet, AccOp, ArrId, Labelled};

impl<'p> Lowering<'p> {
    /// Whether a reshape of a delayed array can be delayed too: its index costs no division, or the fold that
    /// reads it takes the dimensions apart.
    pub(crate) fn may_delay_reshape(&self, let_: &AccLet<Labelled>, arg: ArrId) -> bool {
        let result = let_.binds[0].name;
        let split = Split::of(self.extents(arg), self.extents(result));
        match self.storage(arg) {
            Storage::Manifest(_) => false,
            Storage::Delayed(..) | Storage::Padded(..) | Storage::Known(..) => {
                split.from.len() <= 1 || (split.is_simple() && self.uses.feeds_fold(result))
            }
        }
    }

    /// Delays the results that are read, or keeps them, by the rules of `cost.rs`.
    pub(crate) fn decide(&mut self, let_: &'p AccLet<Labelled>, read: &[usize]) {
        let name = |r: &usize| let_.binds[*r].name;
        let depth = self.depth_of_results(&let_.op);
        for &r in read {
            let cost = self.cost_of_results(&let_.op, &[r]);
            if let Some(info) = self.infos.get_mut(&name(&r)) {
                (info.cost, info.depth) = (cost, depth);
            }
        }
        let keep_all = !self.options.fuse || depth > cost::MAX_DEPTH;
        let cost = |r: &usize| self.infos[&name(r)].cost;
        let (forced, free): (Vec<usize>, Vec<usize>) = read
            .iter()
            .partition(|r| self.uses.is_forced(name(r)) || keep_all);
        let (cheap, expensive): (Vec<usize>, Vec<usize>) =
            free.iter().partition(|r| cost(r) <= cost::CHEAP);
        let inlined = expensive.iter().map(cost).fold(0, u64::saturating_add) <= cost::MAX_INLINED;
        let readers: Vec<_> = expensive
            .iter()
            .map(|r| self.uses.sole_reader(name(r)))
            .collect();
        let read_once = readers.iter().all(Option::is_some);
        let together = readers.iter().all(|r| *r == readers[0]);
        let delayed = forced.is_empty()
            && inlined
            && read_once
            && (together || self.shared_cost(&let_.op, &expensive) <= cost::CHEAP);
        cheap
            .iter()
            .for_each(|_| self.codes.fire("delay cheap array"));
        if delayed {
            expensive
                .iter()
                .for_each(|_| self.codes.fire("delay array read once"));
            self.keep_results(let_, &[]);
        } else {
            self.ask_for_forced(let_, &forced);
            self.ask_for_expensive(let_, &expensive, inlined);
            self.keep_results(let_, &[forced, expensive].concat());
        }
    }

    fn keep_results(&mut self, let_: &'p AccLet<Labelled>, results: &[usize]) {
        let results: Vec<_> = results.iter().map(|&r| let_.binds[r].name).collect();
        self.materialise_all(&results);
    }

    /// The number of delayed arrays that the results of an operation are made of, one in the other.
    fn depth_of_results(&self, op: &AccOp<Labelled>) -> usize {
        // What nobody needs is captured by code that nobody needs, and was not lowered.
        let depth = |a: ArrId| match self.infos.get(&a) {
            Some(Info {
                storage: Storage::Delayed(..),
                depth,
                ..
            }) => *depth,
            Some(Info { .. }) | None => 0,
        };
        1 + op.operands().map(depth).max().unwrap_or(0)
    }

    /// What is computed more than once if each of some results is computed by itself.
    fn shared_cost(&self, op: &AccOp<Labelled>, results: &[usize]) -> u64 {
        let apart = results.iter().map(|&r| self.cost_of_results(op, &[r]));
        let apart = apart.fold(0, u64::saturating_add);
        apart.saturating_sub(self.cost_of_results(op, results))
    }

    /// The cost of an element of some results.
    fn cost_of_results(&self, op: &AccOp<Labelled>, results: &[usize]) -> u64 {
        let element = |a: ArrId| self.cost(a);
        match op {
            AccOp::Generate { shape: _, f } => cost::fun(f, results, &element),
            AccOp::Map { f, args } => {
                let needed = slice::needed(f, results);
                let args = f.params.iter().zip(args);
                let args = args.filter(|(p, _)| needed.contains(&p.name));
                args.map(|(_, &a)| element(a))
                    .fold(cost::fun(f, results, &element), u64::saturating_add)
            }
            AccOp::Move { how, arg } => {
                let place = self.cost_of_place(how, *arg);
                place.saturating_add(element(*arg))
            }
            AccOp::Unpack { args } => args
                .iter()
                .map(|&a| element(a))
                .fold(0, u64::saturating_add),
            AccOp::Use(_)
            | AccOp::Fold { .. }
            | AccOp::Scan { .. }
            | AccOp::Permute { .. }
            | AccOp::Append { .. }
            | AccOp::Cond { .. }
            | AccOp::Derivative { .. }
            | AccOp::Custom { .. }
            | AccOp::Loop { .. } => cost::LOAD,
        }
    }
}
