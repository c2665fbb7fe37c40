//! From the operations of a program to kernels: which arrays are kept, and in what order things happen.

use crate::aloop::ArrayLoop;
use crate::code::{Codes, HOST, HostValue};
use crate::cost;
use crate::groups::{Group, Item};
use crate::inside::Inside;
use crate::memory::Array;
use crate::padded::{Part, PartId};
use crate::reasons::Reasons;
use crate::steps::Steps;
use crate::uses::Uses;
use crate::{FusionError, Options, Report, passes};
use cotangent_core::backend::Site;
use cotangent_core::schedule::kept::Kept;
use cotangent_core::schedule::{ArrayId, Schedule, SiteId, Step, SymbolId};
use cotangent_core::term::{AccBlock, AccLet, AccOp, Alike, ArrId, Labelled, ParamAxis, Program};
use cotangent_core::types::{ArrayType, ScalarType};
use std::collections::HashMap;

/// Where the elements of an array of the program are.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Storage<'p> {
    /// In memory.
    Manifest(ArrayId),
    /// Nowhere: a result of this operation is computed where it is read.
    Delayed(&'p AccLet<Labelled>, usize),
    /// Nowhere: the only element is a value of the host, which this operation makes.
    Known(&'p AccLet<Labelled>, HostValue),
    /// A part of it is in memory, from which the other elements follow. This operation has made it (`padded.rs`).
    Padded(&'p AccLet<Labelled>, PartId),
}

/// What is known about an array of the program.
#[derive(Clone, Debug)]
pub(crate) struct Info<'p> {
    pub elem: ScalarType,
    pub extents: Vec<HostValue>,
    pub storage: Storage<'p>,
    /// The cost of an element, while it is delayed.
    pub cost: u64,
    /// The number of delayed arrays nested in this one, while it is delayed.
    pub depth: usize,
}

/// The state of the pass.
pub(crate) struct Lowering<'p> {
    pub codes: Codes,
    pub steps: Steps,
    pub options: Options,
    pub uses: Uses,
    pub arrays: Vec<Array>,
    pub groups: Vec<Group>,
    pub sites: Vec<Site>,
    pub reasons: Reasons,
    pub inside: Inside,
    /// What [`Storage::Padded`] arrays have in memory.
    pub parts: Vec<Part>,
    /// Arrays that loops carry, in whose memory a permute may write: its first result.
    pub updated: HashMap<ArrId, ArrId>,
    site_ids: HashMap<Site, SiteId>,
    pub infos: HashMap<ArrId, Info<'p>>,
    /// Arrays that came into memory after their definition, and what their storage was.
    changes: Vec<(ArrId, Storage<'p>)>,
    uses_of_host: Vec<ArrayId>,
}

/// Makes the schedule of a program without gradients.
pub(crate) fn program(
    program: &Program<Labelled>,
    options: Options,
    observe: &mut dyn FnMut(&'static str, &Schedule),
) -> Result<(Schedule, Report), FusionError> {
    let mut lowering = Lowering {
        codes: Codes::new(),
        steps: Steps::new(),
        options,
        uses: Uses::of_program(program),
        arrays: vec![],
        groups: vec![],
        sites: vec![],
        reasons: Reasons::default(),
        inside: Inside::default(),
        parts: vec![],
        updated: HashMap::new(),
        site_ids: HashMap::new(),
        infos: HashMap::new(),
        changes: vec![],
        uses_of_host: vec![],
    };
    let params = lowering.inputs(program);
    for &result in &program.body.results {
        lowering.reasons.ask(result, Kept::Result);
    }
    lowering.block(&program.body);
    let results = &program.body.results;
    let results: Vec<_> = results.iter().map(|&r| lowering.materialise(r)).collect();
    lowering.flush();
    if let Some(site) = lowering.codes.operator_loads {
        let site = lowering.sites[site.index()];
        return Err(FusionError::OperatorLoad { site });
    }
    let mut fired = std::mem::take(&mut lowering.codes.fired);
    let uses = std::mem::take(&mut lowering.uses_of_host);
    let uses = uses.into_iter().zip(program.uses.iter().cloned());
    let uses = uses.chain(lowering.inside.host_arrays()).collect();
    let (mut schedule, mut kept) = lowering.finish(params, uses, results);
    let counts = passes::run(&mut schedule, &options, &mut kept, observe)?;
    for (pass, count) in counts.into_iter().filter(|(_, count)| *count > 0) {
        *fired.entry(pass).or_default() += count;
    }
    Ok((schedule, Report { fired, kept }))
}

impl<'p> Lowering<'p> {
    fn inputs(&mut self, program: &'p Program<Labelled>) -> Vec<ArrayId> {
        let site = |construct| Site {
            construct,
            loc: Default::default(),
        };
        let mut params: Vec<ArrayId> = vec![];
        for (position, param) in program.params.iter().enumerate() {
            let extents = self.extents_of_param(&program.alike, position, (param.ty.rank, &params));
            let id = self.input(param.ty.elem, extents.clone(), site("parameter"));
            self.define(param.name, param.ty.elem, extents, Storage::Manifest(id));
            params.push(id);
        }
        for (position, used) in program.uses.iter().enumerate() {
            let first = program.alike.uses.get(&(position as u32));
            let like = first.map(|&first| self.uses_of_host[first as usize]);
            let ArrayType { elem, rank } = used.array_type();
            let extents = match like {
                Some(like) => self.arrays[like.index()].extents.clone(),
                None => (0..rank).map(|_| self.fresh_extent(true).1).collect(),
            };
            let id = self.input(elem, extents, site("use"));
            self.uses_of_host.push(id);
        }
        params
    }

    /// The extents of a parameter: symbols of its own, but where it is like an earlier one, or has an extent that an earlier dimension
    /// has.
    fn extents_of_param(
        &mut self,
        alike: &Alike,
        position: usize,
        (rank, earlier): (usize, &[ArrayId]),
    ) -> Vec<HostValue> {
        let param = position as u32;
        if let Some(&first) = alike.params.get(&param) {
            return self.arrays[earlier[first as usize].index()].extents.clone();
        }
        let mut extents: Vec<HostValue> = vec![];
        for axis in 0..rank as u32 {
            let extent = match alike.extents.get(&ParamAxis { param, axis }) {
                Some(first) if first.param == param => extents[first.axis as usize],
                Some(first) => {
                    let of = earlier[first.param as usize];
                    self.arrays[of.index()].extents[first.axis as usize]
                }
                None => self.fresh_extent(true).1,
            };
            extents.push(extent);
        }
        extents
    }

    /// The place in the table of sites.
    pub(crate) fn site(&mut self, site: Site) -> SiteId {
        let sites = &mut self.sites;
        *self.site_ids.entry(site).or_insert_with(|| {
            sites.push(site);
            SiteId(sites.len() as u32 - 1)
        })
    }

    /// The operation as users see it.
    pub(crate) fn site_of(let_: &AccLet<Labelled>) -> Site {
        Site {
            construct: let_.op.name(),
            loc: let_.loc,
        }
    }

    pub(crate) fn storage(&self, array: ArrId) -> Storage<'p> {
        self.infos[&array].storage
    }

    pub(crate) fn extents(&self, array: ArrId) -> &[HostValue] {
        &self.infos[&array].extents
    }

    pub(crate) fn elem(&self, array: ArrId) -> ScalarType {
        self.infos[&array].elem
    }

    /// Makes an array known.
    pub(crate) fn define(
        &mut self,
        array: ArrId,
        elem: ScalarType,
        extents: Vec<HostValue>,
        storage: Storage<'p>,
    ) {
        let info = Info {
            elem,
            extents,
            storage,
            cost: cost::LOAD,
            depth: 0,
        };
        self.infos.insert(array, info);
    }

    /// Notes where an array is that was just defined.
    pub(crate) fn place(&mut self, array: ArrId, id: ArrayId) {
        self.store(array, Storage::Manifest(id));
    }

    /// The same for an array of which not all is in memory.
    pub(crate) fn store(&mut self, array: ArrId, storage: Storage<'p>) {
        if let Some(info) = self.infos.get_mut(&array) {
            info.storage = storage;
        }
    }

    /// Notes that a delayed array is in memory from here on, within the current branch.
    pub(crate) fn keep(&mut self, array: ArrId, id: ArrayId) {
        if let Some(info) = self.infos.get_mut(&array) {
            self.changes.push((array, info.storage));
            info.storage = Storage::Manifest(id);
        }
    }

    pub(crate) fn cost(&self, array: ArrId) -> u64 {
        match self.infos.get(&array).map(|info| (info.storage, info.cost)) {
            Some((Storage::Delayed(..), cost)) => cost,
            Some((Storage::Known(..), _)) => 0,
            Some((Storage::Manifest(_) | Storage::Padded(..), _)) | None => cost::LOAD,
        }
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
        self.flush();
        let (changes, checked) = (self.changes.len(), self.codes.checked.len());
        self.steps.enter();
        let result = work(self);
        self.flush();
        let steps = self.steps.leave();
        for (array, storage) in self.changes.split_off(changes).into_iter().rev() {
            if let Some(info) = self.infos.get_mut(&array) {
                info.storage = storage;
            }
        }
        self.codes.checked.truncate(checked);
        self.codes[HOST].calls.clear();
        (result, steps)
    }

    fn operation(&mut self, let_: &'p AccLet<Labelled>) {
        match &let_.op {
            AccOp::Use(id) => {
                let id = self.uses_of_host[id.0 as usize];
                let extents = self.arrays[id.index()].extents.clone();
                let bind = &let_.binds[0];
                self.define(bind.name, bind.ty.elem, extents, Storage::Manifest(id));
            }
            AccOp::Cond { cond, then_, else_ } => self.conditional(let_, cond, (then_, else_)),
            AccOp::Loop {
                trips,
                test,
                step,
                states: _,
                args,
            } => {
                let test = test.as_ref();
                let of = ArrayLoop {
                    trips,
                    test,
                    step,
                    args,
                };
                self.array_loop(let_, &of);
            }
            AccOp::Derivative { .. } | AccOp::Custom { .. } => {
                unreachable!("programs with gradients are turned down before lowering")
            }
            AccOp::Generate { .. }
            | AccOp::Map { .. }
            | AccOp::Fold { .. }
            | AccOp::Scan { .. }
            | AccOp::Move { .. }
            | AccOp::Permute { .. }
            | AccOp::Unpack { .. }
            | AccOp::Append { .. } => {
                let extents = self.extents_of_results(&let_.op);
                for (result, bind) in let_.binds.iter().enumerate() {
                    let storage = Storage::Delayed(let_, result);
                    self.define(bind.name, bind.ty.elem, extents.clone(), storage);
                }
                let read = self.uses.read_results(let_);
                if !read.is_empty() || self.uses.is_checked(let_) {
                    self.checks(let_, &extents);
                }
                if !read.is_empty() {
                    self.collective(let_, &read);
                }
            }
        }
    }

    /// Lowers an operation of which the given results are read.
    fn collective(&mut self, let_: &'p AccLet<Labelled>, read: &[usize]) {
        match &let_.op {
            AccOp::Fold { f, init, args } => self.fold(let_, f, init.as_ref(), args),
            AccOp::Scan {
                direction,
                f,
                init,
                args,
            } => self.scan(let_, *direction, (f, init.as_ref()), args),
            AccOp::Permute {
                combine,
                outside: _,
                defaults,
                target,
                args,
            } => self.permute(let_, *combine, defaults, (target, args)),
            AccOp::Unpack { args } if args.len() > 1 => self.unpack(let_, args),
            AccOp::Append { args } => self.append(let_, args),
            AccOp::Move { how, arg }
                if how.keeps_order() && !self.may_delay_reshape(let_, *arg) =>
            {
                self.materialise(let_.binds[0].name);
            }
            AccOp::Generate { .. }
            | AccOp::Map { .. }
            | AccOp::Move { .. }
            | AccOp::Unpack { .. } => self.decide(let_, read),
            AccOp::Use(_)
            | AccOp::Cond { .. }
            | AccOp::Derivative { .. }
            | AccOp::Custom { .. }
            | AccOp::Loop { .. } => {
                unreachable!("`{}` is handled by itself", let_.op.name())
            }
        }
    }

    /// The symbols of values of the host, computed here if they are not yet.
    pub(crate) fn symbols(&mut self, values: &[HostValue]) -> Vec<SymbolId> {
        let loads = values
            .iter()
            .flat_map(|&v| self.steps.loads_of(&self.codes, v));
        if loads
            .collect::<Vec<_>>()
            .into_iter()
            .any(|a| self.is_pending(a))
        {
            self.flush();
        }
        let demand = |&v| self.steps.demand(&self.codes, v);
        values.iter().map(demand).collect()
    }

    /// The memory of an array, which is written by a kernel from here if it is delayed.
    pub(crate) fn materialise(&mut self, array: ArrId) -> ArrayId {
        self.materialise_all(&[array]);
        match self.storage(array) {
            Storage::Manifest(id) => id,
            Storage::Delayed(..) | Storage::Padded(..) | Storage::Known(..) => {
                unreachable!("it was written by `materialise_all`")
            }
        }
    }

    /// The same for several arrays, together if they have one shape.
    pub(crate) fn materialise_all(&mut self, arrays: &[ArrId]) {
        let mut items = vec![];
        for &array in arrays {
            match self.storage(array) {
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
                    | AccOp::Append { .. }
                    | AccOp::Cond { .. }
                    | AccOp::Derivative { .. }
                    | AccOp::Custom { .. }
                    | AccOp::Loop { .. } => {
                        let item = Item::Result(let_, result);
                        items.push((array, item, self.own_array(array, let_)));
                    }
                },
                Storage::Padded(let_, _) | Storage::Known(let_, _) => {
                    let item = Item::Copy(array, let_);
                    items.push((array, item, self.own_array(array, let_)));
                }
            }
        }
        if let Some(&(_, _, first)) = items.first() {
            let space = self.arrays[first.index()].extents.clone();
            let written: Vec<_> = items.iter().map(|&(_, item, id)| (item, id)).collect();
            self.write(&written, &space);
        }
        for (array, _, id) in items {
            self.keep(array, id);
        }
    }

    /// Makes the memory of `arg` that of `array`, a reshape of it.
    fn view(&mut self, array: ArrId, arg: ArrId, let_: &AccLet<Labelled>) {
        let of = self.materialise(arg);
        let id = self.reshaped_view((of, arg), self.extents(array).to_vec(), let_);
        self.codes.fire("reshape as view");
        self.keep(array, id);
    }

    /// Whether a value of the host is a literal truth value.
    pub(crate) fn literal_truth(&self, value: HostValue) -> Option<bool> {
        self.codes.as_const(HOST, value.0)?.as_bool()
    }
}
