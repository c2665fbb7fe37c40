//! From the operations of a program to kernels: which arrays are kept, and in what order things happen.
//!
//! [`Lowering::operation`] is the one way through. An operation is *announced*: its results are defined, and checks are made
//! that it needs. Producers are then delayed, or come into memory (`decide.rs`); all other operations are kernels (`fold.rs`,
//! `scatter.rs`, `join.rs`) or control (`conditional.rs`, `aloop.rs`). What comes into memory has the code of its elements
//! written by an [`Inliner`], into that of a group of maps or of a kernel of its own, which becomes a step of the [`Draft`].

use crate::aloop::ArrayLoop;
use crate::code::HostValue;
use crate::combine::Combination;
use crate::decide::{self, Decision};
use crate::draft::Draft;
use crate::env::{Environment, Storage};
use crate::finish::{self, Interface};
use crate::groups::Item;
use crate::inline::Inliner;
use crate::memory::Origin;
use crate::uses::Uses;
use crate::{FusionError, Options, Report, inputs, passes, results};
use cotangent_core::schedule::kept::Kept;
use cotangent_core::schedule::{ArrayId, Output, Schedule, Step};
use cotangent_core::term::{AccBlock, AccLet, AccOp, ArrId, Labelled, Move, Program};

/// The state of the pass.
pub(crate) struct Lowering<'p> {
    pub options: Options,
    /// Who reads which array.
    pub uses: Uses,
    /// What is known of the arrays of the program.
    pub env: Environment<'p>,
    /// The schedule so far.
    pub draft: Draft,
    /// The memory of the arrays of the host.
    host_arrays: Vec<ArrayId>,
}

/// Makes the schedule of a program without gradients.
pub(crate) fn program(
    program: &Program<Labelled>,
    options: Options,
    observe: &mut dyn FnMut(&'static str, &Schedule),
) -> Result<(Schedule, Report), FusionError> {
    let (mut env, mut draft) = (Environment::default(), Draft::new(options.fuse));
    let params = inputs::parameters(&mut env, &mut draft, program);
    let host_arrays = inputs::host_arrays(&mut draft, program);
    let mut lowering = Lowering {
        options,
        uses: Uses::of_program(program),
        env,
        draft,
        host_arrays,
    };
    let results = lowering.body(&program.body);
    let Lowering {
        mut draft,
        host_arrays,
        ..
    } = lowering;
    if let Some(site) = draft.codes.operator_loads {
        let site = draft.sites.get(site);
        return Err(FusionError::OperatorLoad { site });
    }
    let mut fired = draft.codes.take_fired();
    let uses = host_arrays.into_iter().zip(program.uses.iter().cloned());
    let uses = uses.chain(draft.zeros.host_arrays()).collect();
    let interface = Interface {
        params,
        uses,
        results,
    };
    let (mut schedule, mut kept) = finish::schedule(draft, interface);
    let counts = passes::run(&mut schedule, &options, &mut kept, observe)?;
    for (pass, count) in counts.into_iter().filter(|(_, count)| *count > 0) {
        *fired.entry(pass).or_default() += count;
    }
    Ok((schedule, Report { fired, kept }))
}

/// The way through a program.
impl<'p> Lowering<'p> {
    /// Lowers the body of a program; gives the memory of its results.
    fn body(&mut self, body: &'p AccBlock<Labelled>) -> Vec<ArrayId> {
        self.draft.reasons.ask_all(&body.results, Kept::Result);
        self.block(body);
        let results = body.results.iter().map(|&r| self.materialise(r)).collect();
        self.draft.flush();
        results
    }

    /// Lowers the operations of a block that are needed.
    pub(crate) fn block(&mut self, block: &'p AccBlock<Labelled>) {
        for let_ in &block.lets {
            if self.uses.is_live(let_) {
                self.operation(let_);
            }
        }
    }

    /// Runs `work` in a branch of its own; what it learned is forgotten. Gives the branch's steps.
    pub(crate) fn branch<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> (T, Vec<Step>) {
        let (mark, checked) = (self.env.mark(), self.draft.enter());
        let result = work(self);
        let steps = self.draft.leave(checked);
        self.env.undo(mark);
        (result, steps)
    }

    fn operation(&mut self, let_: &'p AccLet<Labelled>) {
        if !self.announce(let_) {
            return;
        }
        match &let_.op {
            // Known already.
            AccOp::Use(id) => self.host_array(let_, self.host_arrays[id.0 as usize]),

            // Delayed, or written by a map; reshapes are delayed, or views.
            AccOp::Move {
                how: Move::Stored,
                arg,
            } => self.stored(let_, *arg),
            AccOp::Move { how, arg } if how.keeps_order() => self.reshape(let_, *arg),
            AccOp::Generate { .. } | AccOp::Map { .. } | AccOp::Move { .. } => self.producer(let_),
            AccOp::Unpack { args } if args.len() <= 1 => self.producer(let_),

            // Kernels.
            AccOp::Fold { f, init, args } => {
                self.fold(&Combination::new(let_, f, init.as_ref(), args))
            }
            AccOp::FoldSegments {
                f,
                init,
                lengths,
                args,
            } => self.fold_segments(&Combination::new(let_, f, Some(init), args), *lengths),
            AccOp::Scan {
                direction,
                f,
                init,
                args,
            } => self.scan(&Combination::new(let_, f, init.as_ref(), args), *direction),
            AccOp::Permute {
                combine,
                outside: _,
                defaults,
                target,
                args,
            } => self.permute(let_, *combine, defaults, (target, args)),
            AccOp::Unpack { args } => self.unpack(let_, args),
            AccOp::Append { args } => self.append(let_, args),
            AccOp::Argsort { order, arg } => self.sort(let_, *order, *arg),

            // Control.
            AccOp::Cond { cond, then_, else_ } => self.conditional(let_, cond, (then_, else_)),
            AccOp::Loop {
                trips,
                test,
                step,
                states: _,
                args,
            } => self.array_loop(let_, &ArrayLoop::new(trips, test, step, args)),
            AccOp::Derivative { .. } | AccOp::Custom { .. } => {
                unreachable!("programs with gradients are turned down before lowering")
            }
        }
    }

    /// An array of the host is in memory.
    fn host_array(&mut self, let_: &AccLet<Labelled>, id: ArrayId) {
        let (bind, extents) = (&let_.binds[0], self.draft.memory.extents(id).to_vec());
        let storage = Storage::Manifest(id);
        self.env.define(bind.name, bind.ty.elem, extents, storage);
    }

    /// Defines the results of an operation, and has its checks made, unless it tells by itself what its results are. Whether it
    /// is needed for more: elements of a result are read.
    fn announce(&mut self, let_: &'p AccLet<Labelled>) -> bool {
        let Some(extents) = results::extents(&self.env, &mut self.draft, &let_.op) else {
            return true;
        };
        for (result, bind) in let_.binds.iter().enumerate() {
            let storage = Storage::Delayed(let_, result);
            self.env
                .define(bind.name, bind.ty.elem, extents.clone(), storage);
        }
        let is_read = let_.binds.iter().any(|bind| self.uses.is_read(bind.name));
        if is_read || self.uses.is_checked(let_) {
            results::check(&self.env, &mut self.draft, let_, &extents);
        }
        is_read
    }

    /// A reshape is delayed if its index costs little, else it is a view.
    fn reshape(&mut self, let_: &'p AccLet<Labelled>, arg: ArrId) {
        let result = let_.binds[0].name;
        if decide::may_delay_reshape(&self.env, &self.uses, result, arg) {
            self.producer(let_);
        } else {
            self.materialise(result);
        }
    }

    /// An array that the program wants in memory.
    fn stored(&mut self, let_: &'p AccLet<Labelled>, arg: ArrId) {
        self.draft.reasons.ask(arg, Kept::Asked);
        self.materialise(let_.binds[0].name);
    }

    /// Delays the results that are read, or has them written.
    fn producer(&mut self, let_: &'p AccLet<Labelled>) {
        let read = self.uses.read_results(let_);
        decide::note_costs(&mut self.env, let_, &read);
        let Decision {
            cheap,
            read_once,
            kept,
        } = decide::decide(&self.env, &self.uses, self.options.fuse, (let_, &read));
        let Draft { codes, reasons, .. } = &mut self.draft;
        codes.fire_times("delay cheap array", cheap);
        codes.fire_times("delay array read once", read_once);
        for &(array, reason) in &kept {
            reasons.ask(array, reason);
        }
        let kept: Vec<_> = kept.into_iter().map(|(array, _)| array).collect();
        self.materialise_all(&kept);
    }
}

/// What comes into memory.
impl<'p> Lowering<'p> {
    /// What writes the code of elements.
    pub(crate) fn inliner(&mut self) -> Inliner<'_, 'p> {
        Inliner::new(&self.env, &mut self.draft)
    }

    /// The memory of an array, which is written by a kernel from here if it is delayed.
    pub(crate) fn materialise(&mut self, array: ArrId) -> ArrayId {
        self.materialise_all(&[array]);
        match self.env.storage(array) {
            Storage::Manifest(id) => id,
            Storage::Delayed(..) | Storage::Padded(..) | Storage::Known(..) => {
                unreachable!("it was written by `materialise_all`")
            }
        }
    }

    /// The same for several arrays, together if they have one shape.
    fn materialise_all(&mut self, arrays: &[ArrId]) {
        let mut items = vec![];
        for &array in arrays {
            match self.env.storage(array) {
                Storage::Manifest(_) => {}
                Storage::Delayed(let_, result) => match &let_.op {
                    AccOp::Move { how, arg } if how.keeps_order() => self.view(array, *arg, let_),
                    AccOp::Use(_)
                    | AccOp::Generate { .. }
                    | AccOp::Map { .. }
                    | AccOp::Fold { .. }
                    | AccOp::Scan { .. }
                    | AccOp::Move { .. }
                    | AccOp::Permute { .. }
                    | AccOp::Unpack { .. }
                    | AccOp::Argsort { .. }
                    | AccOp::FoldSegments { .. }
                    | AccOp::Append { .. }
                    | AccOp::Cond { .. }
                    | AccOp::Derivative { .. }
                    | AccOp::Custom { .. }
                    | AccOp::Loop { .. } => {
                        let id = self.draft.own_array(&self.env, array, let_);
                        items.push((array, Item::Result(let_, result), id));
                    }
                },
                Storage::Padded(let_, _) | Storage::Known(let_, _) => {
                    let id = self.draft.own_array(&self.env, array, let_);
                    items.push((array, Item::Copy(array, let_), id));
                }
            }
        }
        if let Some(&(_, _, first)) = items.first() {
            let space = self.draft.memory.extents(first).to_vec();
            let written: Vec<_> = items.iter().map(|&(_, item, id)| (item, id)).collect();
            self.write(&written, &space);
        }
        for (array, _, id) in items {
            self.env.keep(array, id);
        }
    }

    /// Makes the memory of `arg` that of `array`, a reshape of it.
    fn view(&mut self, array: ArrId, arg: ArrId, let_: &AccLet<Labelled>) {
        let of = self.materialise(arg);
        let extents = self.env.extents(array).to_vec();
        let id = self.draft.reshaped_view((of, arg), extents, let_);
        self.draft.codes.fire("reshape as view");
        self.env.keep(array, id);
    }

    /// The memory of an array that is no part of another one's: if need be, that of a copy, made for `let_`.
    pub(crate) fn materialise_apart(
        &mut self,
        array: ArrId,
        let_: &'p AccLet<Labelled>,
    ) -> ArrayId {
        let of = self.materialise(array);
        let memory = &self.draft.memory;
        if memory.is_owner(of) {
            return of;
        }
        let (elem, extents) = (memory.elem(of), memory.extents(of).to_vec());
        let id = self.draft.array_here(elem, extents.clone(), let_);
        self.draft.reasons.made_for(id, Kept::Branch);
        self.write(&[(Item::Move(of, let_), id)], &extents);
        id
    }

    /// The memory of an array that `reader` alone reads and that a kernel of this branch has made, so that
    /// the reader may change or move it.
    pub(crate) fn own_memory(&self, array: ArrId, reader: ArrId) -> Option<ArrayId> {
        let Storage::Manifest(id) = self.env.storage(array) else {
            return None;
        };
        let Draft { memory, steps, .. } = &self.draft;
        let sole = self.uses.sole_reader(array);
        let alone = sole.is_some_and(|a| a.consumer == reader);
        let here = memory.origin(id) == Origin::Kernel(steps.depth());
        (self.options.fuse && alone && here && memory.is_owner(id)).then_some(id)
    }

    /// Has the items written to the arrays, all of the extents `space`, before anybody reads those.
    pub(crate) fn write(&mut self, items: &[(Item<'p>, ArrayId)], space: &[HostValue]) {
        let fuse = self.options.fuse;
        let found = self.draft.groups.find(&self.draft.codes, space);
        let found = found.filter(|_| fuse);
        let group = found.unwrap_or_else(|| self.draft.open_group(items[0].0.site(), space));
        if !self.join(group, items, space) {
            self.draft.flush();
            let group = self.draft.open_group(items[0].0.site(), space);
            self.join(group, items, space);
        } else if found.is_some() {
            self.draft.codes.fire("share kernel of maps");
        }
        if !fuse {
            self.draft.flush();
        }
    }

    /// Adds items to a group, unless they read what a group has yet to write.
    fn join(&mut self, group: usize, items: &[(Item<'p>, ArrayId)], space: &[HostValue]) -> bool {
        let code = self.draft.groups.code(group);
        let coords = self.draft.codes.coords(code, space);
        let mut inliner = self.inliner();
        let values = items
            .iter()
            .map(|(item, _)| inliner.item(code, *item, &coords));
        let values: Vec<_> = values.collect();
        if self.draft.reads_pending(code, &values) {
            return false;
        }
        for (&value, &(item, array)) in values.iter().zip(items) {
            let Draft { codes, groups, .. } = &mut self.draft;
            codes[code].note(item.site());
            codes[code].note_stored(array, &coords, value);
            groups.add(group, Output { value, array });
        }
        true
    }
}
