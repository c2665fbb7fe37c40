//! Which closures' parameters each node depends on.
//!
//! Closures nest, so a node's set of binders is sorted by nesting. Sets are interned: most nodes have the
//! set of one of their operands. Two errors follow from them: a value used after one of its closures is
//! done (it *escaped*), and an array operation that depends on a scalar closure's parameter, which would
//! have to run once per element.

use crate::graph::{AccNodeOp, ArrRef, Binder, ExpNodeOp, ExpRef};
use std::collections::HashMap;

/// An interned set of binders; a position in [`Scopes::sets`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct SetId(u32);

const EMPTY: SetId = SetId(0);

#[derive(Clone, Copy, Debug)]
struct Scope {
    is_open: bool,
    is_element: bool,
}

/// The binders of a program and the sets of them that nodes depend on.
#[derive(Debug)]
pub(crate) struct Scopes {
    binders: Vec<Scope>,
    sets: Vec<Vec<Binder>>,
    set_ids: HashMap<Vec<Binder>, SetId>,
    unions: HashMap<(SetId, SetId), SetId>,
    exps: Vec<SetId>,
    accs: Vec<SetId>,
}

impl Default for Scopes {
    fn default() -> Self {
        Self {
            binders: vec![],
            sets: vec![vec![]],
            set_ids: HashMap::from([(vec![], EMPTY)]),
            unions: HashMap::new(),
            exps: vec![],
            accs: vec![],
        }
    }
}

impl Scopes {
    /// Notes the next binder; `is_element` where its parameters are scalars.
    pub(crate) fn open(&mut self, Binder(position): Binder, is_element: bool) {
        debug_assert_eq!(position as usize, self.binders.len());
        self.binders.push(Scope {
            is_open: true,
            is_element,
        });
    }

    /// Notes that the closure is done.
    pub(crate) fn close(&mut self, Binder(position): Binder) {
        self.binders[position as usize].is_open = false;
    }

    /// A closure that is done and whose parameter this node depends on.
    pub(crate) fn closed_in_exp(&self, node: u32) -> Option<Binder> {
        self.closed_in(self.exps[node as usize])
    }

    /// A closure that is done and whose parameter this node depends on.
    pub(crate) fn closed_in_acc(&self, node: u32) -> Option<Binder> {
        self.closed_in(self.accs[node as usize])
    }

    fn closed_in(&self, set: SetId) -> Option<Binder> {
        self.find(set, |scope| !scope.is_open)
    }

    /// A scalar closure in the set.
    pub(crate) fn element_binder(&self, set: SetId) -> Option<Binder> {
        self.find(set, |scope| scope.is_element)
    }

    /// The innermost binder with the property.
    fn find(&self, SetId(set): SetId, property: impl Fn(Scope) -> bool) -> Option<Binder> {
        let binders = self.sets[set as usize].iter().rev();
        binders
            .copied()
            .find(|&Binder(position)| property(self.binders[position as usize]))
    }

    /// Sets what a node depends on; a node that is there already keeps its set, which is the same.
    pub(crate) fn define_exp(&mut self, node: u32, free: SetId) {
        if node as usize == self.exps.len() {
            self.exps.push(free);
        }
    }

    /// The same for an array node.
    pub(crate) fn define_acc(&mut self, node: u32, free: SetId) {
        if node as usize == self.accs.len() {
            self.accs.push(free);
        }
    }

    /// What a node of this operation depends on.
    pub(crate) fn free_in_exp_op(&mut self, op: &ExpNodeOp) -> SetId {
        match op {
            ExpNodeOp::Const(_) => EMPTY,
            ExpNodeOp::Param {
                binder,
                position: _,
            } => self.intern(vec![*binder]),
            ExpNodeOp::Prim(_, operands) => self.of_exps(operands),
            ExpNodeOp::Index { array, index } => {
                let free = self.of_exps(index);
                self.union(free, self.accs[array.node as usize])
            }
            ExpNodeOp::Extent { array, axis: _ } => self.accs[array.node as usize],
            ExpNodeOp::Cond { cond, then_, else_ } => {
                let sets = [&[*cond], then_.as_slice(), else_].map(|exps| self.of_exps(exps));
                self.union_all(sets)
            }
            ExpNodeOp::Gradient {
                with_value: _,
                f,
                args,
            } => {
                let inside = self.of_exps(&f.results);
                let sets = [self.without(inside, f.binder), self.of_exps(args)];
                self.union_all(sets)
            }
        }
    }

    /// What a node of this operation depends on.
    pub(crate) fn free_in_acc_op(&mut self, op: &AccNodeOp) -> SetId {
        if let AccNodeOp::Param {
            binder,
            position: _,
        } = op
        {
            return self.intern(vec![*binder]);
        }
        let Parts {
            exps,
            lambda,
            array_lambda,
            accs,
        } = parts(op);
        let mut free = EMPTY;
        for exps in exps {
            let set = self.of_exps(exps);
            free = self.union(free, set);
        }
        for accs in accs {
            let set = self.of_accs(accs);
            free = self.union(free, set);
        }
        if let Some((binder, results)) = lambda {
            let inside = self.of_exps(results);
            let set = self.without(inside, binder);
            free = self.union(free, set);
        }
        if let Some((binder, results)) = array_lambda {
            let inside = self.of_accs(results);
            let set = self.without(inside, binder);
            free = self.union(free, set);
        }
        free
    }

    fn of_exps(&mut self, exps: &[ExpRef]) -> SetId {
        exps.iter().fold(EMPTY, |free, exp| {
            self.union(free, self.exps[exp.node as usize])
        })
    }

    fn of_accs(&mut self, accs: &[ArrRef]) -> SetId {
        accs.iter().fold(EMPTY, |free, acc| {
            self.union(free, self.accs[acc.node as usize])
        })
    }

    fn union_all(&mut self, sets: impl IntoIterator<Item = SetId>) -> SetId {
        sets.into_iter().fold(EMPTY, |a, b| self.union(a, b))
    }

    fn union(&mut self, a: SetId, b: SetId) -> SetId {
        if a == b || b == EMPTY {
            return a;
        }
        if a == EMPTY {
            return b;
        }
        if let Some(&known) = self.unions.get(&(a, b)) {
            return known;
        }
        let mut all = self.sets[a.0 as usize].clone();
        all.extend(&self.sets[b.0 as usize]);
        all.sort_unstable();
        all.dedup();
        let union = self.intern(all);
        self.unions.insert((a, b), union);
        union
    }

    fn without(&mut self, set: SetId, binder: Binder) -> SetId {
        let mut rest = self.sets[set.0 as usize].clone();
        rest.retain(|&b| b != binder);
        self.intern(rest)
    }

    fn intern(&mut self, binders: Vec<Binder>) -> SetId {
        let sets = &mut self.sets;
        *self.set_ids.entry(binders).or_insert_with_key(|binders| {
            sets.push(binders.clone());
            SetId((sets.len() - 1) as u32)
        })
    }
}

/// What an array operation is made of.
#[derive(Default)]
struct Parts<'a> {
    exps: Vec<&'a [ExpRef]>,
    lambda: Option<(Binder, &'a [ExpRef])>,
    array_lambda: Option<(Binder, &'a [ArrRef])>,
    accs: Vec<&'a [ArrRef]>,
}

impl<'a> Parts<'a> {
    fn new(exps: Vec<&'a [ExpRef]>, accs: Vec<&'a [ArrRef]>) -> Self {
        Self {
            exps,
            accs,
            ..Self::default()
        }
    }

    fn with(self, f: &'a crate::graph::ExpLambda) -> Self {
        Self {
            lambda: Some((f.binder, &f.results)),
            ..self
        }
    }
}

fn parts(op: &AccNodeOp) -> Parts<'_> {
    use std::slice::from_ref;
    match op {
        AccNodeOp::Param { .. } | AccNodeOp::Use(_) => Parts::default(),
        AccNodeOp::Generate { shape, f } => Parts::new(vec![shape], vec![]).with(f),
        AccNodeOp::Map { f, args } => Parts::new(vec![], vec![args]).with(f),
        AccNodeOp::Fold { f, init, args }
        | AccNodeOp::Scan {
            direction: _,
            f,
            init,
            args,
        } => Parts::new(init.as_deref().into_iter().collect(), vec![args]).with(f),
        AccNodeOp::Reshape { shape: exps, arg }
        | AccNodeOp::Replicate {
            axes: _,
            extents: exps,
            arg,
        }
        | AccNodeOp::Slice {
            axes: _,
            indices: exps,
            arg,
        } => Parts::new(vec![exps], vec![from_ref(arg)]),
        AccNodeOp::Backpermute { shape, f, arg } => {
            Parts::new(vec![shape], vec![from_ref(arg)]).with(f)
        }
        AccNodeOp::Permute {
            combine: _,
            defaults,
            target,
            args,
        } => Parts::new(vec![], vec![defaults, args]).with(target),
        AccNodeOp::Unpack { args } | AccNodeOp::Append { args } => Parts::new(vec![], vec![args]),
        AccNodeOp::Cond { cond, then_, else_ } => {
            Parts::new(vec![from_ref(cond)], vec![then_, else_])
        }
        AccNodeOp::Gradient {
            with_value: _,
            f,
            args,
        } => Parts {
            array_lambda: Some((f.binder, &f.results)),
            ..Parts::new(vec![], vec![args])
        },
    }
}
