//! Memory, and runs of single shaders.

use crate::device::Gpu;
use crate::error::GpuError;
use cotangent_shaders::{Each, Parameter, Shader};
use wgpu::BufferUsages;

/// The failure buffer's value where nothing failed.
const NONE: u32 = u32::MAX;

/// Elements on a device, in the form that shaders read: a `bool` is a word.
#[derive(Clone, Debug)]
pub(crate) struct Memory {
    buffer: wgpu::Buffer,
    pub bytes: u64,
}

impl Gpu {
    /// Memory of so many bytes, all zero.
    pub(crate) fn zeroed(&self, bytes: u64) -> Result<Memory, GpuError> {
        let usage = BufferUsages::STORAGE | BufferUsages::COPY_SRC | BufferUsages::COPY_DST;
        let most = self.info().max_array_bytes;
        if bytes > most {
            let reason = format!("an array on this device has at most {most}");
            return Err(GpuError::OutOfMemory { bytes, reason });
        }
        let buffer = self.context.buffer(bytes, usage)?;
        Ok(Memory { buffer, bytes })
    }

    /// Memory with the given bytes.
    pub(crate) fn upload(&self, bytes: &[u8]) -> Result<Memory, GpuError> {
        let memory = self.zeroed(bytes.len() as u64)?;
        let mut whole = bytes.to_vec();
        whole.resize(bytes.len().next_multiple_of(4), 0);
        self.context.queue.write_buffer(&memory.buffer, 0, &whole);
        Ok(memory)
    }

    /// The bytes of memory, once all that was queued is done.
    pub(crate) fn download(&self, memory: &Memory) -> Result<Vec<u8>, GpuError> {
        let usage = BufferUsages::COPY_DST | BufferUsages::MAP_READ;
        let copy = self.context.buffer(memory.bytes, usage)?;
        self.context.submit(|_, encoder| {
            encoder.copy_buffer_to_buffer(&memory.buffer, 0, &copy, 0, copy.size());
        })?;
        let mut bytes = self.context.read(&copy)?;
        bytes.truncate(memory.bytes as usize);
        Ok(bytes)
    }

    /// Copies the first `bytes` bytes of one piece of memory into another; positions and numbers are whole words.
    pub(crate) fn copy(
        &self,
        from: &Memory,
        (to, at): (&Memory, u64),
        bytes: u64,
    ) -> Result<(), GpuError> {
        if bytes == 0 {
            return Ok(());
        }
        self.context.submit(|_, encoder| {
            encoder.copy_buffer_to_buffer(&from.buffer, 0, &to.buffer, at, bytes);
        })
    }

    /// Runs a shader over `points` points on the memory that it binds, with `words` saying what its parameters are.
    /// Returns the first point at which an index was out of range.
    pub(crate) fn run_shader(
        &self,
        shader: &Shader,
        points: u32,
        words: &dyn Fn(Parameter) -> Vec<u32>,
        memory: &[Memory],
    ) -> Result<Option<u32>, GpuError> {
        let pipeline = self.context.pipeline(shader)?;
        let failure = self.upload(&NONE.to_le_bytes())?;
        let most = self.most_points(shader);
        for first in (0..points).step_by(most as usize) {
            let end = first.saturating_add(most).min(points);
            let words = |parameter: &Parameter| match parameter {
                Parameter::First => vec![first],
                Parameter::End => vec![end],
                Parameter::Symbol(_)
                | Parameter::Offset(_)
                | Parameter::Rows
                | Parameter::Inner
                | Parameter::Parts
                | Parameter::PartLength => words(*parameter),
            };
            let parameters: Vec<u32> = shader.parameters.iter().flat_map(words).collect();
            let parameters = self.upload(bytemuck::cast_slice(&parameters))?;
            let buffers = [&parameters, &failure].into_iter().chain(memory);
            let buffers: Vec<_> = buffers.map(|memory| &memory.buffer).collect();
            self.dispatch(&pipeline, shader, end - first, &buffers)?;
        }
        if !shader.may_fail {
            return Ok(None);
        }
        let bytes = self.download(&failure)?;
        let point = bytes.first_chunk();
        let point = point.map_or(NONE, |&bytes| u32::from_le_bytes(bytes));
        Ok((point != NONE).then_some(point))
    }

    /// The most points of a dispatch: all workgroups that a device allows along x, and as many rows of them along y as
    /// `u32` can count.
    fn most_points(&self, shader: &Shader) -> u32 {
        let groups = self.context.limits.max_compute_workgroups_per_dimension;
        let row = groups.saturating_mul(points_of_a_group(shader)).max(1);
        row.saturating_mul(groups.min(u32::MAX / row / 2).max(1))
    }

    fn dispatch(
        &self,
        pipeline: &wgpu::ComputePipeline,
        shader: &Shader,
        points: u32,
        buffers: &[&wgpu::Buffer],
    ) -> Result<(), GpuError> {
        let most = self.context.limits.max_compute_workgroups_per_dimension;
        let groups = points.div_ceil(points_of_a_group(shader));
        let rows = groups.div_ceil(most);
        let columns = groups.div_ceil(rows.max(1));
        self.context.submit(|device, encoder| {
            let entries = (0..).zip(buffers.iter().copied());
            let entries = entries.map(|(binding, buffer)| wgpu::BindGroupEntry {
                binding,
                resource: buffer.as_entire_binding(),
            });
            let entries: Vec<_> = entries.collect();
            let group = device.create_bind_group(&wgpu::BindGroupDescriptor {
                label: None,
                layout: &pipeline.get_bind_group_layout(0),
                entries: &entries,
            });
            let mut pass = encoder.begin_compute_pass(&Default::default());
            pass.set_pipeline(pipeline);
            pass.set_bind_group(0, &group, &[]);
            pass.dispatch_workgroups(columns, rows, 1);
        })
    }
}

/// The points that a workgroup does.
fn points_of_a_group(shader: &Shader) -> u32 {
    match shader.each {
        Each::Invocation => shader.workgroup,
        Each::Workgroup => 1,
    }
}
