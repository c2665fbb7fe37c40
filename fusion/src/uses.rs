//! Who reads which array, and how often each element: what the decision to delay an array rests on.
//!
//! One pass from the results backwards; what nobody needs is not visited and so never becomes code. What may
//! fail for a reason that its documentation names is needed for that: a `permute` is run, and of other
//! operations the conditions are checked.

use crate::cost;
use crate::slice::{self, all_results};
use cotangent_core::analysis::fails::may_fail;
use cotangent_core::analysis::shape::Shapes;
use cotangent_core::prim::Prim;
use cotangent_core::term::{
    AccBlock, AccClosure, AccLet, AccOp, ArrId, ExpId, ExpOp, Fun, Labelled, Move, MoveFails,
    MoveReads, Program,
};
use std::collections::{HashMap, HashSet};

/// Where a consumer reads, seen from its own index space.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum At {
    /// At its own coordinates or an injective function of them: each element at most once.
    Own,
    /// The same, for what a permute or a loop starts from: read by a kernel of its own, if at all.
    Start,
    /// At an index that the scalar function of the consumer computes, injective in its coordinates.
    Index(Vec<ExpId>),
    /// Elements may be read many times.
    Many,
}

/// One way in which one operation reads an array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Access {
    /// The first result of the operation that reads.
    pub consumer: ArrId,
    /// Where it reads.
    pub at: At,
}

/// The uses of all arrays of a program.
#[derive(Default)]
pub(crate) struct Uses {
    accesses: HashMap<ArrId, Vec<Access>>,
    forced: HashSet<ArrId>,
    /// Arrays made of elements that an update in place overwrites.
    early: HashSet<ArrId>,
    measured: HashSet<ArrId>,
    /// Operations that are there for what they may fail by alone, by their first result.
    checked: HashSet<ArrId>,
    shapes: Shapes,
    /// Folds, by their first result.
    folds: HashSet<ArrId>,
    /// Maps with one result that is read, by their first result, and that result.
    maps: HashMap<ArrId, ArrId>,
    /// Operations, by their first result, of which several results go different ways, each cheap if what it is made of is in
    /// memory.
    forks: HashSet<ArrId>,
}

/// How many maps are looked through for the fold at the end.
const MAX_MAPS: usize = 64;

impl Uses {
    /// The uses in a program, whose results must be in memory.
    pub(crate) fn of_program(program: &Program<Labelled>) -> Self {
        let mut uses = Self {
            shapes: Shapes::of(program),
            ..Self::default()
        };
        uses.forced.extend(&program.body.results);
        uses.block(&program.body);
        uses
    }

    /// Whether anybody reads elements of the array.
    pub(crate) fn is_read(&self, array: ArrId) -> bool {
        self.forced.contains(&array) || self.accesses.contains_key(&array)
    }

    /// Whether the array must be in memory: it is a result.
    pub(crate) fn is_forced(&self, array: ArrId) -> bool {
        self.forced.contains(&array)
    }

    /// Whether the array must be in memory before what it is made of is updated in place.
    pub(crate) fn is_early(&self, array: ArrId) -> bool {
        self.early.contains(&array)
    }

    /// Notes arrays that must be in memory before what they are made of is updated in place.
    pub(crate) fn needed_early(&mut self, arrays: HashSet<ArrId>) {
        self.early.extend(arrays);
    }

    /// Whether the operation is needed at all, be it for the extents of its results.
    pub(crate) fn is_live(&self, let_: &AccLet<Labelled>) -> bool {
        let live = |a| self.is_read(a) || self.measured.contains(&a);
        let_.binds.iter().any(|b| live(b.name)) || self.is_checked(let_)
    }

    /// Whether the operation is lowered although nobody reads its results, for what it may fail by.
    pub(crate) fn is_checked(&self, let_: &AccLet<Labelled>) -> bool {
        let first = let_.binds.first();
        first.is_some_and(|b| self.checked.contains(&b.name))
    }

    /// The positions of the results that are read.
    pub(crate) fn read_results(&self, let_: &AccLet<Labelled>) -> Vec<usize> {
        (0..let_.binds.len())
            .filter(|&r| self.is_read(let_.binds[r].name))
            .collect()
    }

    /// All accesses to the array, without repetition.
    pub(crate) fn accesses(&self, array: ArrId) -> &[Access] {
        self.accesses.get(&array).map_or(&[], Vec::as_slice)
    }

    /// The one operation that reads the array, if it is one and reads no element twice.
    pub(crate) fn sole_reader(&self, array: ArrId) -> Option<&Access> {
        match self.accesses(array) {
            [access] if access.at != At::Many && !self.is_forced(array) => Some(access),
            [..] => None,
        }
    }

    /// Whether the operation that reads an array is one of which several results go different ways, each cheap if that array is in
    /// memory: then it is one array in memory in place of all of them.
    pub(crate) fn feeds_fork(&self, array: ArrId) -> bool {
        self.accesses(array)
            .iter()
            .any(|access| self.forks.contains(&access.consumer))
    }

    /// Notes an operation whose results that are read go different ways, if each is cheap by what it costs where all that it is made
    /// of is in memory.
    fn note_fork(
        &mut self,
        let_: &AccLet<Labelled>,
        results: &[usize],
        cost: impl Fn(usize) -> u64,
    ) {
        let names: Vec<_> = results.iter().map(|&r| let_.binds[r].name).collect();
        let reader = |a: &ArrId| self.sole_reader(*a).map(|access| access.consumer);
        let first = names.first().and_then(reader);
        let is_shared = first.is_some() && names.iter().all(|a| reader(a) == first);
        let is_forced = names.iter().any(|&a| self.is_forced(a));
        let is_cheap = || results.iter().all(|&r| cost(r) <= cost::CHEAP);
        if results.len() > 1 && !is_shared && !is_forced && is_cheap() {
            self.forks.insert(let_.binds[0].name);
        }
    }

    /// Whether one fold reads the array, if need be by way of maps.
    pub(crate) fn feeds_fold(&self, array: ArrId) -> bool {
        let mut array = array;
        for _ in 0..MAX_MAPS {
            let reader = self.sole_reader(array).map(|access| access.consumer);
            match reader.map(|r| (self.folds.contains(&r), self.maps.get(&r))) {
                Some((true, _)) => return true,
                Some((false, Some(&next))) => array = next,
                Some((false, None)) | None => return false,
            }
        }
        false
    }

    fn block(&mut self, block: &AccBlock<Labelled>) {
        for let_ in block.lets.iter().rev() {
            // The extents of results of blocks are known when these have run.
            if !let_.op.blocks().is_empty() {
                let measured = let_.binds.iter().map(|b| b.name);
                let measured = measured.filter(|a| self.measured.contains(a));
                self.forced.extend(measured);
            }
            let results = self.read_results(let_);
            if !results.is_empty() {
                self.read(let_, &results);
            } else if may_fail(&let_.op, &mut self.shapes) {
                self.checked.extend(let_.binds.first().map(|b| b.name));
                self.check(let_);
            } else if self.is_live(let_) {
                self.measure(let_);
            }
        }
    }

    /// The uses by an operation that may fail, and that nobody reads.
    fn check(&mut self, let_: &AccLet<Labelled>) {
        let me = let_.binds[0].name;
        match &let_.op {
            // Its targets are those of its kernel.
            AccOp::Permute { .. } => {
                self.forced.extend(let_.binds.iter().map(|b| b.name));
                self.read(let_, &(0..let_.binds.len()).collect::<Vec<_>>());
            }
            AccOp::Cond { .. } | AccOp::Loop { .. } => self.read(let_, &[]),
            AccOp::Move { how, arg } => match how.fails() {
                MoveFails::BySize | MoveFails::ByExtents | MoveFails::ByPositions(..) => {
                    how.closed().for_each(|fun| self.many(fun, me));
                    self.measured.insert(*arg);
                }
                MoveFails::Never | MoveFails::ByShape | MoveFails::ByElement(_) => {
                    self.measure(let_);
                }
            },
            AccOp::Use(_)
            | AccOp::Generate { .. }
            | AccOp::Map { .. }
            | AccOp::Fold { .. }
            | AccOp::Scan { .. }
            | AccOp::Unpack { .. }
            | AccOp::Argsort { .. }
            | AccOp::FoldSegments { .. }
            | AccOp::Append { .. }
            | AccOp::Derivative { .. }
            | AccOp::Custom { .. } => self.measure(let_),
        }
    }

    fn access(&mut self, array: ArrId, consumer: ArrId, at: At) {
        let access = Access { consumer, at };
        let known = self.accesses.entry(array).or_default();
        if !known.contains(&access) {
            known.push(access);
        }
    }

    fn access_all(&mut self, arrays: &[ArrId], consumer: ArrId, at: &At) {
        for &array in arrays {
            self.access(array, consumer, at.clone());
        }
    }

    /// The uses by an operation of which some results are read.
    fn read(&mut self, let_: &AccLet<Labelled>, results: &[usize]) {
        let me = let_.binds[0].name;
        match &let_.op {
            AccOp::Use(_) | AccOp::Derivative { .. } | AccOp::Custom { .. } => {}
            AccOp::Generate { shape, f } => {
                self.note_fork(let_, results, |r| cost::fun(f, &[r], &|_| cost::LOAD));
                self.generate(shape, (f, results), me);
            }
            AccOp::Map { f, args } => {
                self.note_fork(let_, results, |r| {
                    cost::map((f, args), &[r], &|_| cost::LOAD)
                });
                if let [result] = *results {
                    self.maps.insert(me, let_.binds[result].name);
                }
                self.map(f, args, results, me);
            }
            AccOp::Fold { f, init, args } => {
                self.folds.insert(me);
                self.combining(f, init.as_ref(), args, me);
            }
            AccOp::Scan { f, init, args, .. } => self.combining(f, init.as_ref(), args, me),
            AccOp::FoldSegments {
                f,
                init,
                lengths,
                args,
            } => {
                self.combining(f, Some(init), args, me);
                self.access(*lengths, me, At::Own);
            }
            AccOp::Move { how, arg } => self.moved(how, *arg, me),
            AccOp::Permute {
                combine: _,
                outside: _,
                defaults,
                target,
                args,
            } => self.scatter(defaults, target, args, me),
            AccOp::Unpack { args } => self.access_all(args, me, &At::Own),
            AccOp::Argsort { order: _, arg } => self.access(*arg, me, At::Own),
            AccOp::Append { args } => self.append(args, me),
            AccOp::Loop {
                trips,
                test,
                step,
                states: _,
                args,
            } => self.repeated(trips, (test.as_ref(), step), args, me),
            AccOp::Cond { cond, then_, else_ } => {
                self.many(cond, me);
                self.branch(then_, results);
                self.branch(else_, results);
            }
        }
    }

    fn moved(&mut self, how: &Move<Fun<Labelled>>, arg: ArrId, me: ArrId) {
        how.closed().for_each(|fun| self.many(fun, me));
        let once = match how.reads() {
            MoveReads::Once => true,
            MoveReads::Repeatedly => false,
            MoveReads::At(f) => {
                self.coordinates(f, &all_results(f), me);
                is_injective(f, &f.body.results)
            }
        };
        self.access(arg, me, if once { At::Own } else { At::Many });
    }

    fn scatter(&mut self, defaults: &[ArrId], target: &Fun<Labelled>, args: &[ArrId], me: ArrId) {
        self.access_all(defaults, me, &At::Start);
        self.coordinates(target, &all_results(target), me);
        self.access_all(args, me, &At::Own);
    }

    fn append(&mut self, args: &[ArrId], me: ArrId) {
        self.measured.extend(args);
        for arg in args {
            let once = args.iter().filter(|a| *a == arg).count() == 1;
            self.access(*arg, me, if once { At::Own } else { At::Many });
        }
    }

    fn generate(
        &mut self,
        shape: &Fun<Labelled>,
        (f, results): (&Fun<Labelled>, &[usize]),
        me: ArrId,
    ) {
        self.many(shape, me);
        self.coordinates(f, results, me);
    }

    fn combining(
        &mut self,
        f: &Fun<Labelled>,
        init: Option<&Fun<Labelled>>,
        args: &[ArrId],
        me: ArrId,
    ) {
        self.many(f, me);
        init.iter().for_each(|init| self.many(init, me));
        self.access_all(args, me, &At::Own);
    }

    fn map(&mut self, f: &Fun<Labelled>, args: &[ArrId], results: &[usize], me: ArrId) {
        self.measured.extend(args);
        let needed = slice::needed(f, results);
        for (param, &arg) in f.params.iter().zip(args) {
            if needed.contains(&param.name) {
                self.access(arg, me, At::Own);
            }
        }
        self.captures(f, results, me, |_| At::Many);
    }

    /// A loop: what it carries is in memory, and what its code reads from outside is read again and again.
    fn repeated(
        &mut self,
        trips: &Fun<Labelled>,
        (test, step): (Option<&AccClosure<Labelled>>, &AccClosure<Labelled>),
        args: &[ArrId],
        me: ArrId,
    ) {
        self.many(trips, me);
        self.access_all(args, me, &At::Start);
        self.forced.extend(args);
        for closure in test.into_iter().chain([step]) {
            let AccClosure { params, body } = closure;
            self.branch(body, &(0..body.results.len()).collect::<Vec<_>>());
            let mut outside = body.free();
            outside.retain(|array| params.iter().all(|p| p.name != *array));
            for array in outside {
                if self.is_read(array) {
                    self.access(array, me, At::Many);
                }
            }
        }
    }

    /// Whether two arrays provably have the same extents.
    pub(crate) fn have_same_shape(&self, a: ArrId, b: ArrId) -> bool {
        self.shapes.same(a, b)
    }

    /// Which extents of a loop's state no trip changes.
    pub(crate) fn kept_extents(
        &mut self,
        step: &AccClosure<Labelled>,
        args: &[ArrId],
    ) -> Vec<Vec<bool>> {
        self.shapes.kept_extents(step, args)
    }

    fn branch(&mut self, block: &AccBlock<Labelled>, results: &[usize]) {
        self.forced
            .extend(results.iter().map(|&r| block.results[r]));
        self.block(block);
    }

    /// The uses by an operation of which only the extents are asked for.
    fn measure(&mut self, let_: &AccLet<Labelled>) {
        let me = let_.binds[0].name;
        match &let_.op {
            AccOp::Use(_) => {}
            AccOp::Generate { shape, f: _ } => self.many(shape, me),
            AccOp::Move { how, arg } => {
                how.said().into_iter().for_each(|fun| self.many(fun, me));
                if how.keeps_extents() {
                    self.measured.insert(*arg);
                }
            }
            AccOp::Map { f: _, args } | AccOp::Unpack { args } | AccOp::Append { args } => {
                self.measured.extend(args)
            }
            AccOp::Argsort { order: _, arg } => self.measured.extend([*arg]),
            AccOp::FoldSegments { lengths, args, .. } => {
                self.measured.extend(args);
                self.measured.insert(*lengths);
            }
            AccOp::Fold {
                f: _,
                init: _,
                args,
            }
            | AccOp::Scan {
                direction: _,
                f: _,
                init: _,
                args,
            } => self.measured.extend(args),
            AccOp::Permute {
                combine: _,
                outside: _,
                defaults,
                target: _,
                args: _,
            } => self.measured.extend(defaults),
            AccOp::Cond { .. }
            | AccOp::Derivative { .. }
            | AccOp::Custom { .. }
            | AccOp::Loop { .. } => {}
        }
    }

    /// Notes what `f` captures; `at` says how each index reads.
    fn captures(
        &mut self,
        f: &Fun<Labelled>,
        results: &[usize],
        me: ArrId,
        at: impl Fn(&[ExpId]) -> At,
    ) {
        let reads = slice::reads(f, results);
        self.measured.extend(reads.extents);
        for (array, index) in reads.elements {
            self.access(array, me, at(index));
        }
        for array in reads.repeated {
            self.access(array, me, At::Many);
        }
    }

    /// A function that the host runs, or an operator: no limit on how often it reads.
    fn many(&mut self, f: &Fun<Labelled>, me: ArrId) {
        self.captures(f, &all_results(f), me, |_| At::Many);
    }

    /// A function whose parameters are the coordinates of the consumer.
    fn coordinates(&mut self, f: &Fun<Labelled>, results: &[usize], me: ArrId) {
        self.captures(f, results, me, |index| {
            if is_injective(f, index) {
                At::Index(index.to_vec())
            } else {
                At::Many
            }
        });
    }
}

/// How many additions an index is looked through for the parameter in it.
const MAX_TERMS: usize = 8;

/// Whether different parameters of `f` give different values of `index`: each parameter is one of the
/// coordinates, or its negative, plus something that depends on no parameter. (Addition wraps, and so is
/// one-to-one.)
fn is_injective(f: &Fun<Labelled>, index: &[ExpId]) -> bool {
    let definitions = slice::definitions(&f.body);
    let params: HashSet<_> = f.params.iter().map(|p| p.name).collect();
    let search = Search {
        definitions,
        params,
    };
    let found: HashSet<_> = index
        .iter()
        .filter_map(|&x| search.parameter(x, MAX_TERMS))
        .collect();
    found.len() == search.params.len()
}

struct Search<'a> {
    definitions: HashMap<ExpId, &'a ExpOp<Labelled>>,
    params: HashSet<ExpId>,
}

impl Search<'_> {
    /// The parameter that `x` differs from by sign and a constant only.
    fn parameter(&self, x: ExpId, fuel: usize) -> Option<ExpId> {
        if self.params.contains(&x) {
            return Some(x);
        }
        let fuel = fuel.checked_sub(1)?;
        match self.definitions.get(&x)? {
            ExpOp::Prim(Prim::Neg, operands) => self.parameter(operands[0], fuel),
            ExpOp::Prim(Prim::Add | Prim::Sub, operands) => {
                let (x, y) = (operands[0], operands[1]);
                match (self.is_closed(x, fuel), self.is_closed(y, fuel)) {
                    (false, true) => self.parameter(x, fuel),
                    (true, false) => self.parameter(y, fuel),
                    (true, true) | (false, false) => None,
                }
            }
            ExpOp::Const(_)
            | ExpOp::Prim(..)
            | ExpOp::Index { .. }
            | ExpOp::Extent { .. }
            | ExpOp::Cond { .. }
            | ExpOp::Derivative { .. }
            | ExpOp::WithPartials(_)
            | ExpOp::Loop { .. } => None,
        }
    }

    /// Whether `x` is seen to depend on no parameter.
    fn is_closed(&self, x: ExpId, fuel: usize) -> bool {
        let Some(fuel) = fuel.checked_sub(1) else {
            return false;
        };
        match self.definitions.get(&x) {
            Some(ExpOp::Const(_) | ExpOp::Extent { .. }) => true,
            Some(ExpOp::Prim(_, xs) | ExpOp::Index { index: xs, .. }) => {
                xs.iter().all(|&x| self.is_closed(x, fuel))
            }
            Some(
                ExpOp::Cond { .. }
                | ExpOp::Derivative { .. }
                | ExpOp::WithPartials(_)
                | ExpOp::Loop { .. },
            )
            | None => false,
        }
    }
}
