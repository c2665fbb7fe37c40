//! From the operations of a program to kernels: which arrays are kept, and in what order things happen.

use crate::code::{Codes, HOST, HostValue};
use crate::cost;
use crate::element::Split;
use crate::groups::{Group, Item};
use crate::memory::Array;
use crate::slice::{self, all_results};
use crate::steps::Steps;
use crate::uses::Uses;
use crate::{FusionError, Options, Report};
use cotangent_core::backend::Site;
use cotangent_core::constant::Const;
use cotangent_core::prim::Prim;
use cotangent_core::schedule::{ArrayId, Check, Schedule, SiteId, Step, SymbolId};
use cotangent_core::term::{AccBlock, AccLet, AccOp, ArrId, Axis, Fun, Labelled, Program};
use cotangent_core::types::ScalarType;
use std::collections::HashMap;

/// Where the elements of an array of the program are.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Storage<'p> {
    /// In memory.
    Manifest(ArrayId),
    /// Nowhere: a result of this operation is computed where it is read.
    Delayed(&'p AccLet<Labelled>, usize),
}

/// What is known about an array of the program.
#[derive(Clone, Debug)]
struct Info<'p> {
    elem: ScalarType,
    extents: Vec<HostValue>,
    storage: Storage<'p>,
    /// The cost of an element, while it is delayed.
    cost: u64,
    /// The number of delayed arrays nested in this one, while it is delayed.
    depth: usize,
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
    site_ids: HashMap<Site, SiteId>,
    infos: HashMap<ArrId, Info<'p>>,
    /// Arrays that came into memory after their definition, and what their storage was.
    changes: Vec<(ArrId, Storage<'p>)>,
    uses_of_host: Vec<ArrayId>,
}

/// Makes the schedule of a program without gradients.
pub(crate) fn program(
    program: &Program<Labelled>,
    options: Options,
) -> Result<(Schedule, Report), FusionError> {
    let mut lowering = Lowering {
        codes: Codes::new(),
        steps: Steps::new(),
        options,
        uses: Uses::of_program(&program.body),
        arrays: vec![],
        groups: vec![],
        sites: vec![],
        site_ids: HashMap::new(),
        infos: HashMap::new(),
        changes: vec![],
        uses_of_host: vec![],
    };
    let params = lowering.inputs(program);
    lowering.block(&program.body);
    let results = &program.body.results;
    let results: Vec<_> = results.iter().map(|&r| lowering.materialise(r)).collect();
    lowering.flush();
    if let Some(site) = lowering.codes.operator_loads {
        let site = lowering.sites[site.index()];
        return Err(FusionError::OperatorLoad { site });
    }
    let report = Report {
        fired: std::mem::take(&mut lowering.codes.fired),
    };
    let uses = std::mem::take(&mut lowering.uses_of_host);
    let uses = uses.into_iter().zip(program.uses.iter().cloned()).collect();
    Ok((lowering.finish(params, uses, results), report))
}

impl<'p> Lowering<'p> {
    fn inputs(&mut self, program: &'p Program<Labelled>) -> Vec<ArrayId> {
        let site = |construct| Site {
            construct,
            loc: Default::default(),
        };
        let mut params = vec![];
        for param in &program.params {
            let id = self.input(param.ty, site("parameter"));
            let extents = self.arrays[id.index()].extents.clone();
            self.define(param.name, param.ty.elem, extents, Storage::Manifest(id));
            params.push(id);
        }
        for used in &program.uses {
            let id = self.input(used.array_type(), site("use"));
            self.uses_of_host.push(id);
        }
        params
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
        if let Some(info) = self.infos.get_mut(&array) {
            info.storage = Storage::Manifest(id);
        }
    }

    /// Notes that a delayed array is in memory from here on, within the current branch.
    pub(crate) fn keep(&mut self, array: ArrId, id: ArrayId) {
        if let Some(info) = self.infos.get_mut(&array) {
            self.changes.push((array, info.storage));
            info.storage = Storage::Manifest(id);
        }
    }

    fn cost(&self, array: ArrId) -> u64 {
        match self.infos.get(&array).map(|info| (info.storage, info.cost)) {
            Some((Storage::Delayed(..), cost)) => cost,
            Some((Storage::Manifest(_), _)) | None => cost::LOAD,
        }
    }

    /// The elementwise minimum of the extents of one or more arrays.
    pub(crate) fn intersection(&mut self, arrays: &[ArrId]) -> Vec<HostValue> {
        let mut shape = arrays.first().map_or(vec![], |&a| self.extents(a).to_vec());
        for &array in arrays.iter().skip(1) {
            let other = self.extents(array).to_vec();
            for (extent, other) in shape.iter_mut().zip(other) {
                *extent = self.codes.host_prim(Prim::Min, &[*extent, other]);
            }
        }
        shape
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
            AccOp::Gradient { .. } => {
                unreachable!("programs with gradients are turned down before lowering")
            }
            AccOp::Generate { .. }
            | AccOp::Map { .. }
            | AccOp::Fold { .. }
            | AccOp::Scan { .. }
            | AccOp::Reshape { .. }
            | AccOp::Replicate { .. }
            | AccOp::Slice { .. }
            | AccOp::Backpermute { .. }
            | AccOp::Permute { .. }
            | AccOp::Unpack { .. } => {
                let extents = self.extents_of_results(&let_.op);
                for (result, bind) in let_.binds.iter().enumerate() {
                    let storage = Storage::Delayed(let_, result);
                    self.define(bind.name, bind.ty.elem, extents.clone(), storage);
                }
                let read = self.uses.read_results(let_);
                if !read.is_empty() {
                    self.checks(let_, &extents);
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
                defaults,
                target,
                args,
            } => self.permute(let_, *combine, defaults, (target, args)),
            AccOp::Unpack { args } if args.len() > 1 => self.unpack(let_, args),
            AccOp::Reshape { shape: _, arg } if !self.may_delay_reshape(let_, *arg) => {
                self.materialise(let_.binds[0].name);
            }
            AccOp::Generate { .. }
            | AccOp::Map { .. }
            | AccOp::Reshape { .. }
            | AccOp::Replicate { .. }
            | AccOp::Slice { .. }
            | AccOp::Backpermute { .. }
            | AccOp::Unpack { .. } => self.decide(let_, read),
            AccOp::Use(_) | AccOp::Cond { .. } | AccOp::Gradient { .. } => {
                unreachable!("`{}` is handled by itself", let_.op.name())
            }
        }
    }

    /// The extents of the results of an operation, all of one shape.
    fn extents_of_results(&mut self, op: &'p AccOp<Labelled>) -> Vec<HostValue> {
        match op {
            AccOp::Generate { shape, f: _ }
            | AccOp::Reshape { shape, arg: _ }
            | AccOp::Backpermute {
                shape,
                f: _,
                arg: _,
            } => self.closed(shape),
            AccOp::Map { f: _, args } => self.intersection(args),
            AccOp::Fold {
                f: _,
                init: _,
                args,
            } => {
                let mut extents = self.intersection(args);
                extents.pop();
                extents
            }
            AccOp::Scan {
                direction: _,
                f: _,
                init,
                args,
            } => {
                let mut extents = self.intersection(args);
                if let (Some(last), Some(_)) = (extents.last_mut(), init) {
                    let one = self.codes.host_constant(1);
                    *last = self.codes.host_prim(Prim::Add, &[*last, one]);
                }
                extents
            }
            AccOp::Replicate { axes, extents, arg } => {
                let mut new = self.closed(extents).into_iter();
                let mut old = self.extents(*arg).to_vec().into_iter();
                let extent = |axis: &Axis| match axis {
                    Axis::All => old.next(),
                    Axis::Fixed => new.next(),
                };
                axes.iter().filter_map(extent).collect()
            }
            AccOp::Slice {
                axes,
                indices: _,
                arg,
            } => {
                let extents = axes.iter().zip(self.extents(*arg));
                let kept = extents.filter(|(axis, _)| **axis == Axis::All);
                kept.map(|(_, &extent)| extent).collect()
            }
            AccOp::Permute { defaults, .. } => self.intersection(defaults),
            AccOp::Unpack { args } => {
                let mut extents = self.intersection(args);
                extents.push(self.codes.host_constant(args.len() as i32));
                extents
            }
            AccOp::Use(_) | AccOp::Cond { .. } | AccOp::Gradient { .. } => vec![],
        }
    }

    /// The conditions under which an operation fails whatever its elements are.
    fn checks(&mut self, let_: &'p AccLet<Labelled>, extents: &[HostValue]) {
        match &let_.op {
            AccOp::Generate { .. } | AccOp::Backpermute { .. } | AccOp::Replicate { .. } => {
                self.check_shape(let_, extents);
            }
            AccOp::Reshape { shape: _, arg } => {
                self.check_shape(let_, extents);
                let from = self.extents(*arg).to_vec();
                if from != extents {
                    let (from, to) = (self.symbols(&from), self.symbols(extents));
                    self.check(Check::SameSize { from, to }, let_);
                }
            }
            AccOp::Slice { axes, indices, arg } => self.check_slice(let_, axes, indices, *arg),
            AccOp::Fold {
                f: _,
                init: None,
                args,
            } => {
                let inner = self.intersection(args).split_off(extents.len());
                let low = |e: &HostValue| self.codes.range(HOST, e.0).low;
                if inner.iter().any(|e| low(e) < 1) {
                    let (outer, inner) = (self.symbols(extents), self.symbols(&inner));
                    self.check(Check::NotEmpty { outer, inner }, let_);
                }
            }
            AccOp::Fold { init: Some(_), .. }
            | AccOp::Use(_)
            | AccOp::Map { .. }
            | AccOp::Scan { .. }
            | AccOp::Permute { .. }
            | AccOp::Unpack { .. }
            | AccOp::Cond { .. }
            | AccOp::Gradient { .. } => {}
        }
    }

    /// Checks extents that are not seen to be possible; two that are not negative have a product in range.
    fn check_shape(&mut self, let_: &AccLet<Labelled>, extents: &[HostValue]) {
        let low = |e: &HostValue| self.codes.range(HOST, e.0).low;
        if extents.len() > 2 || extents.iter().any(|e| low(e) < 0) {
            let extents = self.symbols(extents);
            self.check(Check::Shape { extents }, let_);
        }
    }

    fn check_slice(
        &mut self,
        let_: &'p AccLet<Labelled>,
        axes: &[Axis],
        indices: &Fun<Labelled>,
        arg: ArrId,
    ) {
        let cut = axes.iter().zip(self.extents(arg));
        let cut = cut.filter(|(axis, _)| **axis == Axis::Fixed);
        let cut: Vec<_> = cut.map(|(_, &extent)| extent).collect();
        for (index, extent) in self.closed(indices).into_iter().zip(cut) {
            if !self.codes.is_in_range(HOST, &[index.0], &[extent], None) {
                let symbols = self.symbols(&[index, extent]);
                let (index_symbol, extent_symbol) = (symbols[0], symbols[1]);
                let check = Check::InRange {
                    index: index_symbol,
                    extent: extent_symbol,
                };
                self.check(check, let_);
                self.codes.checked.push((index, extent));
            }
        }
    }

    fn check(&mut self, check: Check, let_: &AccLet<Labelled>) {
        let site = self.site(Self::site_of(let_));
        self.steps.push(Step::Check(check, site));
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

    /// Whether a reshape of a delayed array can be delayed too: its index costs no division, or the fold that
    /// reads it takes the dimensions apart.
    fn may_delay_reshape(&self, let_: &AccLet<Labelled>, arg: ArrId) -> bool {
        let result = let_.binds[0].name;
        let split = Split::of(self.extents(arg), self.extents(result));
        match self.storage(arg) {
            Storage::Manifest(_) => false,
            Storage::Delayed(..) => {
                split.from.len() <= 1 || (split.is_simple() && self.uses.feeds_fold(result))
            }
        }
    }

    /// Delays the results that are read, or keeps them, by the rules of `cost.rs`.
    fn decide(&mut self, let_: &'p AccLet<Labelled>, read: &[usize]) {
        let name = |r: &usize| let_.binds[*r].name;
        let depth = self.depth_of_results(&let_.op);
        for &r in read {
            let cost = self.cost_of_result(&let_.op, r);
            if let Some(info) = self.infos.get_mut(&name(&r)) {
                (info.cost, info.depth) = (cost, depth);
            }
        }
        let keep_all = !self.options.fuse || depth > cost::MAX_DEPTH;
        let cost = |r: &usize| self.infos[&name(r)].cost;
        let (forced, free): (Vec<usize>, Vec<usize>) = read
            .iter()
            .partition(|r| self.uses.is_forced(name(r)) || keep_all);
        let (cheap, dear): (Vec<usize>, Vec<usize>) =
            free.iter().partition(|r| cost(r) <= cost::CHEAP);
        let inlined = dear.iter().map(cost).fold(0, u64::saturating_add) <= cost::MAX_INLINED;
        let readers: Vec<_> = dear
            .iter()
            .map(|r| self.uses.sole_reader(name(r)))
            .collect();
        let one = readers.iter().all(|r| r.is_some() && *r == readers[0]);
        let delayed = forced.is_empty() && one && inlined;
        cheap
            .iter()
            .for_each(|_| self.codes.fire("delay cheap array"));
        if delayed {
            dear.iter()
                .for_each(|_| self.codes.fire("delay array read once"));
            self.keep_results(let_, &[]);
        } else {
            self.keep_results(let_, &[forced, dear].concat());
        }
    }

    fn keep_results(&mut self, let_: &'p AccLet<Labelled>, results: &[usize]) {
        let results: Vec<_> = results.iter().map(|&r| let_.binds[r].name).collect();
        self.materialise_all(&results);
    }

    /// The number of delayed arrays that the results of an operation are made of, one in the other.
    fn depth_of_results(&self, op: &AccOp<Labelled>) -> usize {
        let captured = op.funs().into_iter().flat_map(|f| f.captures.clone());
        let inside = op.arguments().into_iter().chain(captured);
        let depth = |a: ArrId| match &self.infos[&a] {
            Info {
                storage: Storage::Delayed(..),
                depth,
                ..
            } => *depth,
            Info { .. } => 0,
        };
        1 + inside.map(depth).max().unwrap_or(0)
    }

    /// The cost of an element of one result.
    fn cost_of_result(&self, op: &AccOp<Labelled>, result: usize) -> u64 {
        let element = |a: ArrId| self.cost(a);
        match op {
            AccOp::Generate { shape: _, f } => cost::fun(f, &[result], &element),
            AccOp::Map { f, args } => {
                let needed = slice::needed(f, &[result]);
                let args = f.params.iter().zip(args);
                let args = args.filter(|(p, _)| needed.contains(&p.name));
                args.map(|(_, &a)| element(a))
                    .fold(cost::fun(f, &[result], &element), u64::saturating_add)
            }
            AccOp::Backpermute { shape: _, f, arg } => {
                cost::fun(f, &all_results(f), &element).saturating_add(element(*arg))
            }
            AccOp::Reshape { shape: _, arg } => {
                let divided = self.extents(*arg).len() as u64 * cost::DIVIDED_COORDINATE;
                element(*arg).saturating_add(divided)
            }
            AccOp::Replicate {
                axes: _,
                extents: _,
                arg,
            }
            | AccOp::Slice {
                axes: _,
                indices: _,
                arg,
            } => element(*arg),
            AccOp::Unpack { args } => args
                .iter()
                .map(|&a| element(a))
                .fold(0, u64::saturating_add),
            AccOp::Use(_)
            | AccOp::Fold { .. }
            | AccOp::Scan { .. }
            | AccOp::Permute { .. }
            | AccOp::Cond { .. }
            | AccOp::Gradient { .. } => cost::LOAD,
        }
    }

    /// The memory of an array, which is written by a kernel from here if it is delayed.
    pub(crate) fn materialise(&mut self, array: ArrId) -> ArrayId {
        self.materialise_all(&[array]);
        match self.storage(array) {
            Storage::Manifest(id) => id,
            Storage::Delayed(..) => unreachable!("it was written by `materialise_all`"),
        }
    }

    /// The same for several arrays, together if they have one shape.
    fn materialise_all(&mut self, arrays: &[ArrId]) {
        let mut items = vec![];
        for &array in arrays {
            if let Storage::Delayed(let_, result) = self.storage(array) {
                if let AccOp::Reshape { shape: _, arg } = &let_.op {
                    let of = self.materialise(*arg);
                    let id = self.reshaped_view(of, self.extents(array).to_vec(), let_);
                    self.codes.fire("reshape as view");
                    self.keep(array, id);
                } else {
                    let id = self.own_array(array, let_);
                    items.push((Item::Result(let_, result), id));
                }
            }
        }
        if let Some(&(_, first)) = items.first() {
            let space = self.arrays[first.index()].extents.clone();
            self.write(&items, &space);
        }
        for (item, id) in items {
            if let Item::Result(let_, result) = item {
                self.keep(let_.binds[result].name, id);
            }
        }
    }

    /// Whether a value of the host is a literal truth value.
    pub(crate) fn literal_truth(&self, value: HostValue) -> Option<bool> {
        match self.codes.as_const(HOST, value.0) {
            Some(Const::Bool(holds)) => Some(holds),
            Some(Const::I32(_) | Const::I64(_) | Const::F32(_) | Const::F64(_)) | None => None,
        }
    }
}
