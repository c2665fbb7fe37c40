//! Writing a strip: kernels on chunks, arrays that hold chunks, and what is handed on.
//!
//! What exists inside only may lie in any order. Where a kernel reads nothing that speaks against it, its
//! arrays get the dimension that is cut as their last one: then neighbours in memory are at neighbouring
//! positions of the chunk, all of which are treated alike, and what is summed up or broadcast along other
//! dimensions is so for whole vectors.

use super::members::{Cut, Members, cut};
use crate::visit::prune;
use cotangent_core::prim::Prim;
use cotangent_core::schedule::{
    ArrayId, Body, Inst, Kernel, KernelKind, Load, Op, Operator, Output, Part, Schedule, Step,
    Strip, SymbolId, Total, ValueId,
};
use cotangent_core::types::ScalarType;
use std::collections::{HashMap, HashSet};

/// Replaces the members by a strip over `over`.
pub(super) fn replace(
    schedule: &mut Schedule,
    steps: &mut Vec<Step>,
    members: &Members,
    over: SymbolId,
) {
    let mut old: Vec<Option<Step>> = std::mem::take(steps).into_iter().map(Some).collect();
    let mut take = |i: &usize| old[*i].take();
    let mut builder = Builder::new(schedule, members, over);
    let inside: Vec<_> = members.inside.iter().filter_map(&mut take).collect();
    for kernel in inside.iter().flat_map(Step::kernels) {
        builder.kernel(kernel.clone());
    }
    let strip = Step::Strip(builder.strip);
    steps.extend(members.before.iter().filter_map(&mut take));
    steps.push(strip);
    steps.extend(members.after.iter().filter_map(&mut take));
}

struct Builder<'a> {
    schedule: &'a mut Schedule,
    strip: Strip,
    chunked: HashMap<ArrayId, usize>,
    /// The arrays inside that stand for arrays that are needed as a whole.
    inside: HashMap<ArrayId, ArrayId>,
    /// The arrays whose dimension that is cut has become the last one.
    turned: HashSet<ArrayId>,
}

impl<'a> Builder<'a> {
    fn new(schedule: &'a mut Schedule, members: &Members, over: SymbolId) -> Self {
        let symbols = &mut schedule.symbols;
        let mut symbol = || {
            symbols.push(ScalarType::I32);
            SymbolId(symbols.len() as u32 - 1)
        };
        let strip = Strip {
            over,
            start: symbol(),
            len: symbol(),
            kernels: vec![],
            parts: vec![],
            totals: vec![],
        };
        let chunked = members.chunked.iter().map(|(&array, &axis)| (array, axis));
        let mut builder = Self {
            schedule,
            strip,
            chunked: chunked.collect(),
            inside: HashMap::new(),
            turned: HashSet::new(),
        };
        for (&array, &axis) in &members.chunked {
            builder.chunk(array, axis, members.lasting.contains(&array));
        }
        builder
    }

    /// Makes an array one of chunks, or an array of chunks that stands for it inside.
    fn chunk(&mut self, array: ArrayId, axis: usize, lasts: bool) {
        let part = match lasts {
            true => self.twin(array),
            false => array,
        };
        self.schedule.arrays[part.index()].extents[axis] = self.strip.len;
        if lasts {
            self.strip.parts.push(Part { whole: array, part });
            self.inside.insert(array, part);
        }
    }

    /// Another array of the same declaration.
    fn twin(&mut self, array: ArrayId) -> ArrayId {
        let arrays = &mut self.schedule.arrays;
        arrays.push(arrays[array.index()].clone());
        ArrayId(arrays.len() as u32 - 1)
    }

    fn kernel(&mut self, mut kernel: Kernel) {
        let Some(cut) = cut(&kernel, self.strip.over) else {
            return;
        };
        let coord = match cut {
            Cut::Space(axis) => axis,
            Cut::Inner => kernel.space.len(),
        };
        let turns = match cut {
            Cut::Space(axis) => self.turns(&kernel, axis),
            Cut::Inner => false,
        };
        if let Cut::Space(axis) = cut {
            kernel.space[axis] = self.strip.len;
        }
        self.on_chunks(&mut kernel, cut, coord);
        if turns && let Cut::Space(axis) = cut {
            self.turn(&mut kernel, axis);
        }
        self.strip.kernels.push(kernel);
    }

    /// Lets a kernel compute a chunk, and notes what it contributes to totals.
    fn on_chunks(&mut self, kernel: &mut Kernel, cut: Cut, coord: usize) {
        let parts = match cut {
            Cut::Space(_) => self.parts(kernel.outputs()),
            Cut::Inner => self.contributions(kernel.outputs()),
        };
        match &mut kernel.kind {
            KernelKind::Map { body, outputs } | KernelKind::Scan { body, outputs, .. } => {
                self.body(body, outputs, coord);
                rewire(outputs, &parts);
            }
            KernelKind::Reduce {
                inner,
                body,
                operator,
                init,
                outputs,
            } => {
                self.body(body, outputs, coord);
                if cut == Cut::Inner {
                    *inner = vec![self.strip.len];
                    self.total(operator.clone(), init.take(), outputs, &parts);
                }
                rewire(outputs, &parts);
            }
            KernelKind::Contract {
                semiring,
                inner,
                body,
                roles: _,
                left,
                right,
                init,
                structure: _,
                output,
            } => {
                let mut values = [output.value, *left, *right].map(|value| Output {
                    value,
                    array: output.array,
                });
                self.body(body, &mut values, coord);
                [output.value, *left, *right] = values.map(|output| output.value);
                if cut == Cut::Inner {
                    *inner = vec![self.strip.len];
                    let elem = self.schedule.arrays[output.array.index()].elem;
                    let (plus, init) = (Operator::of_prim(semiring.plus(), elem), init.take());
                    self.total(plus, init.map(|s| vec![s]), &[*output], &parts);
                }
                rewire(std::slice::from_mut(output), &parts);
            }
            KernelKind::Segments { .. } => {}
            KernelKind::Scatter { .. } | KernelKind::Sort { .. } => {}
        }
    }

    /// Whether a kernel's arrays are better off with the dimension that is cut as their last one.
    fn turns(&self, kernel: &Kernel, axis: usize) -> bool {
        let stays = |output: &Output| self.inside.contains_key(&output.array);
        if kernel.outputs().iter().any(stays) {
            return false;
        }
        match &kernel.kind {
            KernelKind::Contract { .. } => true,
            KernelKind::Map { body, .. } | KernelKind::Reduce { body, .. } => {
                self.reads_turned(body, axis)
            }
            KernelKind::Segments { .. } => false,
            KernelKind::Scan { .. } | KernelKind::Sort { .. } | KernelKind::Scatter { .. } => false,
        }
    }

    /// Whether whatever depends on the coordinate that is cut is read along it.
    fn reads_turned(&self, body: &Body, axis: usize) -> bool {
        let deps = body.dependencies();
        let depends = |v: &ValueId| deps[v.index()] >> axis & 1 == 1;
        let is_turned = |array: ArrayId| self.turned.contains(&array);
        body.iter().all(|(_, inst)| match &inst.op {
            Op::Load(load) if load.index.iter().any(depends) => {
                let last = load.index.last();
                let along = last.is_some_and(|&v| body.op(v).as_coord() == Some(axis as u32));
                along || is_turned(load.array)
            }
            // What a loop reads may depend on all that it is given.
            Op::Loop(of) if of.captures.iter().any(depends) => {
                of.region.body.reads().all(is_turned)
            }
            Op::Load(_) | Op::Loop(_) | Op::Const(_) | Op::Symbol(_) => true,
            Op::Coord(_) | Op::Arg(_) | Op::Prim(..) | Op::Out(..) => true,
        })
    }

    /// Makes `axis` the last dimension of a kernel's space and outputs.
    fn turn(&mut self, kernel: &mut Kernel, axis: usize) {
        let rank = kernel.space.len();
        kernel.space[axis..].rotate_left(1);
        let coord = |c: u32| match c as usize {
            c if c == axis => rank as u32 - 1,
            c if c > axis && c < rank => c as u32 - 1,
            c => c as u32,
        };
        for output in kernel.outputs() {
            self.schedule.arrays[output.array.index()].extents[axis..].rotate_left(1);
            self.turned.insert(output.array);
        }
        let body = match &mut kernel.kind {
            KernelKind::Contract { body, roles, .. } => {
                roles[axis..].rotate_left(1);
                body
            }
            KernelKind::Map { body, .. }
            | KernelKind::Reduce { body, .. }
            | KernelKind::Segments { body, .. }
            | KernelKind::Scan { body, .. }
            | KernelKind::Sort { body, .. }
            | KernelKind::Scatter { body, .. } => body,
        };
        body.change(|op| {
            if let Op::Coord(c) = op {
                *c = coord(*c);
            }
        });
    }

    /// For each output, the array that it has inside.
    fn parts(&self, outputs: &[Output]) -> Vec<ArrayId> {
        let inside = |output: &Output| self.inside.get(&output.array);
        let arrays = outputs
            .iter()
            .map(|o| inside(o).copied().unwrap_or(o.array));
        arrays.collect()
    }

    /// For each output, an array for what a chunk contributes to it.
    fn contributions(&mut self, outputs: &[Output]) -> Vec<ArrayId> {
        outputs
            .iter()
            .map(|output| self.twin(output.array))
            .collect()
    }

    fn total(
        &mut self,
        operator: Operator,
        init: Option<Vec<SymbolId>>,
        outputs: &[Output],
        parts: &[ArrayId],
    ) {
        let wholes = outputs.iter().map(|output| output.array);
        let arrays = wholes.zip(parts).map(|(whole, &part)| Part { whole, part });
        self.strip.totals.push(Total {
            operator,
            init,
            arrays: arrays.collect(),
        });
    }

    /// Rewrites a body for chunks: coordinate `coord` counts within the chunk.
    fn body(&self, body: &mut Body, outputs: &mut [Output], coord: usize) {
        let mut writer = BodyWriter {
            builder: self,
            coord: Op::Coord(coord as u32),
            body: Body::default(),
            new: vec![],
        };
        for (_, Inst { op, ty }) in body.iter() {
            writer.inst(op, *ty);
        }
        for output in outputs.iter_mut() {
            output.value = writer.new[output.value.index()].anywhere;
        }
        *body = writer.body;
        prune(body, outputs);
    }
}

fn rewire(outputs: &mut [Output], arrays: &[ArrayId]) {
    for (output, &array) in outputs.iter_mut().zip(arrays) {
        output.array = array;
    }
}

/// What became of a value.
#[derive(Clone, Copy)]
struct New {
    /// Its meaning in the whole dimension.
    anywhere: ValueId,
    /// For the coordinate that is cut: the position in the chunk.
    within: Option<ValueId>,
}

struct BodyWriter<'a, 'b> {
    builder: &'a Builder<'b>,
    coord: Op,
    body: Body,
    new: Vec<New>,
}

impl BodyWriter<'_, '_> {
    fn inst(&mut self, op: &Op, ty: ScalarType) {
        if *op == self.coord {
            return self.coordinate(op, ty);
        }
        let mut renamed = op.renamed(&|v| self.new[v.index()].anywhere);
        if let (Op::Load(old), Op::Load(load)) = (op, &mut renamed) {
            self.load(old, load);
        }
        let anywhere = self.body.push(renamed, ty);
        self.new.push(New {
            anywhere,
            within: None,
        });
    }

    /// The position in the chunk, and that in the whole dimension, which nothing may need.
    fn coordinate(&mut self, op: &Op, ty: ScalarType) {
        let within = self.body.push(op.clone(), ty);
        let start = self.body.push(Op::Symbol(self.builder.strip.start), ty);
        let sum = Op::Prim(Prim::Add, vec![within, start]);
        let anywhere = self.body.push(sum, ty);
        self.new.push(New {
            anywhere,
            within: Some(within),
        });
    }

    /// A load of what the strip makes is at the position in the chunk.
    fn load(&self, old: &Load, load: &mut Load) {
        if let Some(&axis) = self.builder.chunked.get(&load.array) {
            let index = self.new[old.index[axis].index()];
            load.index[axis] = index.within.unwrap_or(index.anywhere);
            if self.builder.turned.contains(&load.array) {
                load.index[axis..].rotate_left(1);
            }
            let inside = self.builder.inside.get(&load.array);
            load.array = inside.copied().unwrap_or(load.array);
        }
    }
}
