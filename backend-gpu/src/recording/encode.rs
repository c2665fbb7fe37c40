//! From what is written down to commands of the driver.

use super::{Dispatch, Op, Read, Recording, Timing};
use crate::error::GpuError;
use crate::pipelines::label;
use crate::staging::{Staged, Staging};
use std::ops::Range;
use std::time::Instant;

impl Recording {
    /// Submits everything, and copies what is to be read to where the host can read it.
    pub(super) fn submit(&mut self, reads: &[Read]) -> Result<Option<Staged>, GpuError> {
        let context = self.gpu.context.clone();
        if self.ops.is_empty() && reads.is_empty() {
            return Ok(None);
        }
        // Not what was given back on the way: the arena is written before all that is recorded is done.
        let arena = self.home.fresh(&context, self.arena.len() as u64)?;
        context.write(arena.buffer(), &self.arena)?;
        let pieces = reads.iter().map(|read| (read.bytes, read.elem));
        let staging = Staging::new(&context, pieces)?;
        let timing = self.timing.as_ref();
        let timed = timing.map(|timing| timing.begin(&context, &self.ops));
        let timed = timed.transpose()?;
        let submission = context.submit(|device, encoder| {
            encode(device, encoder, (&self.ops, arena.buffer()), timing);
            if let (Some(timing), Some(timed)) = (timing, &timed) {
                timing.resolve(encoder, timed);
            }
            for (read, (to, at)) in reads.iter().zip(staging.places()) {
                // Copies are of whole words.
                let bytes = read.bytes.next_multiple_of(4);
                encoder.copy_buffer_to_buffer(read.memory.buffer(), read.at, to, at, bytes);
            }
        })?;
        if let (Some(timing), Some(timed)) = (&mut self.timing, timed) {
            timing.end(timed, submission.clone());
        }
        self.submits += 1;
        let estimated = self.seconds * context.pace.get();
        let (since, before) = self.under_way.unwrap_or((Instant::now(), 0.0));
        self.under_way = Some((since, before + estimated));
        self.seconds = 0.0;
        self.ops.clear();
        self.arena.clear();
        Ok(Some(Staged {
            staging,
            submission,
        }))
    }
}

fn encode(
    device: &wgpu::Device,
    encoder: &mut wgpu::CommandEncoder,
    (ops, arena): (&[Op], &wgpu::Buffer),
    timing: Option<&Timing>,
) {
    let is_dispatch = |op: &Op| matches!(op, Op::Dispatch(_));
    // Dispatches one after the other share a pass, unless each is timed.
    let share = |x: &Op, y: &Op| timing.is_none() && is_dispatch(x) && is_dispatch(y);
    let mut count = 0;
    for ops in ops.chunk_by(share) {
        if !ops.iter().all(is_dispatch) {
            ops.iter().for_each(|op| transfer(encoder, op, arena));
            continue;
        }
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
            label: label_of_pass(ops).as_deref(),
            timestamp_writes: timing.map(|timing| wgpu::ComputePassTimestampWrites {
                query_set: &timing.queries,
                beginning_of_pass_write_index: Some(count),
                end_of_pass_write_index: Some(count + 1),
            }),
        });
        count += 2;
        for op in ops {
            if let Op::Dispatch(dispatch) = op {
                run(device, &mut pass, dispatch, arena);
            }
        }
    }
}

/// What a pass is called: by its first dispatch, and how many follow.
fn label_of_pass(ops: &[Op]) -> Option<String> {
    let Some(Op::Dispatch(first)) = ops.first() else {
        return None;
    };
    let label = label(first.origin);
    Some(match ops.len() {
        1 => label,
        several => format!("{label} and {} more", several - 1),
    })
}

fn transfer(encoder: &mut wgpu::CommandEncoder, op: &Op, arena: &wgpu::Buffer) {
    let (from, to, bytes) = match op {
        Op::Copy { from, to, bytes } => ((&from.buffer, from.at), (&to.buffer, to.at), *bytes),
        Op::Write { at, to, bytes } => ((arena, *at), (&to.buffer, to.at), *bytes),
        Op::Give { from, at, bytes } => ((&from.buffer, from.at), (arena, *at), *bytes),
        Op::Dispatch(_) => return,
    };
    encoder.copy_buffer_to_buffer(from.0, from.1, to.0, to.1, bytes);
}

fn run(
    device: &wgpu::Device,
    pass: &mut wgpu::ComputePass<'_>,
    dispatch: &Dispatch,
    arena: &wgpu::Buffer,
) {
    let label = label(dispatch.origin);
    let words = binding(arena, &dispatch.words);
    let buffers = dispatch.buffers.iter();
    let buffers = buffers.map(|bound| binding(&bound.buffer, &bound.bytes));
    let resources = [words].into_iter().chain(buffers);
    let entries = (0..).zip(resources);
    let entries = entries.map(|(binding, resource)| wgpu::BindGroupEntry { binding, resource });
    let entries: Vec<_> = entries.collect();
    let group = device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: Some(&label),
        layout: &dispatch.pipeline.layout,
        entries: &entries,
    });
    pass.push_debug_group(&label);
    pass.set_pipeline(&dispatch.pipeline.pipeline);
    pass.set_bind_group(0, &group, &[]);
    let [columns, rows] = dispatch.groups;
    pass.dispatch_workgroups(columns, rows, 1);
    pass.pop_debug_group();
}

fn binding<'a>(buffer: &'a wgpu::Buffer, bytes: &Range<u64>) -> wgpu::BindingResource<'a> {
    wgpu::BindingResource::Buffer(wgpu::BufferBinding {
        buffer,
        offset: bytes.start,
        size: wgpu::BufferSize::new(bytes.end - bytes.start),
    })
}
