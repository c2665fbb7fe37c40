//! What is bound to a shader: its memory, or copies of it where a device binds fewer buffers.
//!
//! Copies go into one buffer for each shared binding before the shader runs, and what it writes goes back after it. What
//! is there and not written comes back as it was.

use super::{Bound, Op, Place, Recording, place};
use crate::error::GpuError;
use crate::memory::Memory;
use cotangent_shaders::{Binds, Location, Shader};

/// How memory is bound to a shader.
#[derive(Debug, Default)]
pub(super) struct Arranged {
    /// The shader for it, if it is not the one that was given.
    pub shader: Option<Shader>,
    /// Where memory begins in shared bindings, for the shader.
    pub offsets: Vec<u32>,
    /// The buffers of shared bindings.
    shared: Vec<Memory>,
}

impl Recording {
    /// How memory is to be bound to a shader; nothing is copied.
    pub(super) fn arranged(
        &mut self,
        shader: &Shader,
        memory: &[Memory],
    ) -> Result<Arranged, GpuError> {
        let bindable = self.gpu.context.bindable;
        let bytes: Vec<_> = memory.iter().map(Memory::bytes).collect();
        let binds = shader.arranged(&bytes, bindable);
        let binds = binds.map_err(|e| GpuError::TooManyBindings {
            needed: e.needed,
            most: bindable.buffers,
        })?;
        let Some(binds) = binds else {
            return Ok(Arranged::default());
        };
        let (shader, offsets) = shader.bound(&binds);
        let shared = binds.shared.iter().map(|shared| self.memory(shared.bytes));
        Ok(Arranged {
            shared: shared.collect::<Result<_, _>>()?,
            shader: Some(shader),
            offsets,
        })
    }

    /// What is bound after the parameters.
    pub(super) fn buffers(
        &mut self,
        shader: &Shader,
        memory: &[Memory],
        arranged: &Arranged,
    ) -> Result<Vec<Bound>, GpuError> {
        let failure = match shader.may_fail {
            true => Some(self.failure()?),
            false => None,
        };
        let alone = memory.iter().zip(&shader.binds.locations);
        let alone = alone.flat_map(|(memory, location)| match location {
            Location::Alone(windows) => windows_of(memory, (*windows).into(), &shader.binds),
            Location::Shared(_) => vec![],
        });
        let failure = failure.iter().map(whole);
        let shared = arranged.shared.iter().map(whole);
        Ok(failure.chain(alone).chain(shared).collect())
    }

    /// Copies memory to where it is bound with other memory.
    pub(super) fn share(
        &mut self,
        shader: &Shader,
        memory: &[Memory],
        arranged: &Arranged,
    ) -> Result<(), GpuError> {
        for (own, there, bytes, _) in copies(shader, memory, arranged) {
            let (from, to) = (own, there);
            self.push(Op::Copy { from, to, bytes })?;
        }
        Ok(())
    }

    /// Copies what was written back.
    pub(super) fn unshare(
        &mut self,
        shader: &Shader,
        memory: &[Memory],
        arranged: &Arranged,
    ) -> Result<(), GpuError> {
        for (own, there, bytes, is_written) in copies(shader, memory, arranged) {
            if is_written {
                let (from, to) = (there, own);
                self.push(Op::Copy { from, to, bytes })?;
            }
        }
        Ok(())
    }
}

/// Where memory is by itself and with other memory, how many bytes of it, and whether it is written.
fn copies(
    shader: &Shader,
    memory: &[Memory],
    arranged: &Arranged,
) -> Vec<(Place, Place, u64, bool)> {
    let shared = shader.binds.shared.iter().zip(&arranged.shared);
    let copies = shared.flat_map(|(shared, there)| {
        let members = shared.members.iter();
        members.map(move |(at, range)| {
            let bytes = memory[*at].bytes().next_multiple_of(4);
            let (own, there) = (place(&memory[*at], 0), place(there, range.start));
            (own, there, bytes, shader.bindings[*at].written)
        })
    });
    copies.filter(|&(_, _, bytes, _)| bytes > 0).collect()
}

/// All of memory. Of an empty array, too, something is bound: an element of any type.
fn whole(memory: &Memory) -> Bound {
    Bound {
        buffer: memory.buffer().clone(),
        bytes: 0..memory.bytes().next_multiple_of(4).max(8),
    }
}

fn windows_of(memory: &Memory, windows: u64, binds: &Binds) -> Vec<Bound> {
    let Bound { buffer, bytes } = whole(memory);
    if windows == 1 {
        return vec![Bound { buffer, bytes }];
    }
    let window = binds.window_bytes;
    let windows = (0..windows).map(|n| Bound {
        buffer: buffer.clone(),
        bytes: n * window..bytes.end.min((n + 1) * window),
    });
    windows.collect()
}
