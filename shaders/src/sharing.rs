//! Which memory shares a binding, where a device binds fewer buffers to a shader than the shader uses.
//!
//! Memory of one kind of [`Cells`] may be part of one buffer, which is bound once: a *shared* binding. What lies in it begins
//! at an offset that the shader is given as a parameter, so that the text does not depend on it. Whoever runs the shader
//! sees to it that the elements are there, by copies if need be, and that those which were written go back; so the least
//! memory shares, and no more of it than it takes. Memory that is bound in windows never does: it would save nothing.

use crate::Shader;
use std::ops::Range;

/// What a device binds to a shader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bindable {
    /// The most storage buffers.
    pub buffers: u32,
    /// The most bytes of each; larger memory is bound in windows.
    pub bytes: u64,
}

impl Bindable {
    /// The bytes of a window: a power of two, at which a binding may begin.
    pub fn window_bytes(self) -> u64 {
        1 << self.bytes.max(1).ilog2()
    }

    /// In how many windows memory of so many bytes is bound.
    pub fn windows(self, bytes: u64) -> u32 {
        match bytes <= self.bytes {
            true => 1,
            false => u32::try_from(bytes.div_ceil(self.window_bytes())).unwrap_or(u32::MAX),
        }
    }
}

/// What the elements of a binding are declared as. Those of the same width share one, whatever their types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cells {
    /// Two bytes. They are not parts of words, since others may write the other half.
    Halves,
    /// Four bytes.
    Words,
    /// Eight bytes.
    Wides,
    /// An atomic type.
    Atomic(&'static str),
}

impl Cells {
    /// The bytes of one.
    pub fn bytes(self) -> u64 {
        match self {
            Self::Halves => 2,
            Self::Words => 4,
            Self::Wides => 8,
            Self::Atomic(ty) if ty.contains("64") => 8,
            Self::Atomic(_) => 4,
        }
    }

    /// The type.
    pub(crate) fn ty(self) -> &'static str {
        match self {
            Self::Halves => "f16",
            Self::Words => "u32",
            Self::Wides => "u64",
            Self::Atomic(ty) => ty,
        }
    }
}

/// Where the memory of a shader is bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Location {
    /// By itself, in so many windows.
    Alone(u32),
    /// With other memory, in the shared binding of that number.
    Shared(usize),
}

/// A binding of several memories.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Shared {
    /// What it consists of.
    pub cells: Cells,
    /// Its bytes.
    pub bytes: u64,
    /// The positions of its memories among [`Shader::bindings`], in order, and the bytes of each there.
    pub members: Vec<(usize, Range<u64>)>,
}

/// How all memory of a shader is bound.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Binds {
    /// The bytes of a window.
    pub window_bytes: u64,
    /// That of each of [`Shader::bindings`].
    pub locations: Vec<Location>,
    /// The shared bindings, which follow the others.
    pub shared: Vec<Shared>,
}

/// A shader uses more memory than a device binds, however it is arranged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "a shader takes {needed} storage buffers, more than the device binds: use smaller arrays, or the CPU"
)]
#[non_exhaustive]
pub struct TooMany {
    /// The storage buffers that it takes, each memory by itself.
    pub needed: u32,
}

/// Shared memory begins at multiples of so many bytes: any cell may begin there, and any copy.
const UNIT: u64 = 16;

/// Memory to be bound: its bytes, and what it can be part of.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wanted {
    pub bytes: u64,
    pub cells: Cells,
}

/// How memory is bound to at most `buffers` buffers.
pub(crate) fn arrange(
    wanted: &[Wanted],
    buffers: u32,
    bindable: Bindable,
) -> Result<Binds, TooMany> {
    let windows = wanted.iter().map(|memory| bindable.windows(memory.bytes));
    let windows: Vec<_> = windows.collect();
    let needed = windows.iter().fold(0, |sum: u32, &n| sum.saturating_add(n));
    let mut taken = needed;
    let mut shared: Vec<Shared> = vec![];
    for at in smallest_first(wanted, bindable) {
        if taken <= buffers {
            break;
        }
        let joined = join(&mut shared, (at, wanted[at]), bindable.bytes);
        taken -= u32::from(joined);
    }
    if taken > buffers {
        return Err(TooMany { needed });
    }
    shared.retain(|shared| shared.members.len() > 1);
    let mut locations: Vec<_> = windows.into_iter().map(Location::Alone).collect();
    for (number, shared) in shared.iter_mut().enumerate() {
        shared.members.sort_unstable_by_key(|&(at, _)| at);
        let members = shared.members.iter();
        members.for_each(|&(at, _)| locations[at] = Location::Shared(number));
    }
    Ok(Binds {
        window_bytes: bindable.window_bytes(),
        locations,
        shared,
    })
}

/// What may be part of a shared binding, in the order in which it is to become one.
fn smallest_first(wanted: &[Wanted], bindable: Bindable) -> Vec<usize> {
    let fits = |&at: &usize| wanted[at].bytes <= bindable.bytes;
    let mut order: Vec<_> = (0..wanted.len()).filter(fits).collect();
    order.sort_by_key(|&at| wanted[at].bytes);
    order
}

/// Makes memory part of a binding, and says whether there was one already.
fn join(shared: &mut Vec<Shared>, (at, memory): (usize, Wanted), most: u64) -> bool {
    let mut of_width = shared
        .iter_mut()
        .filter(|shared| shared.cells == memory.cells);
    let joined = of_width.find_map(|shared| {
        let begin = shared.bytes.next_multiple_of(UNIT);
        (begin.saturating_add(memory.bytes) <= most).then_some((shared, begin))
    });
    let is_joined = joined.is_some();
    match joined {
        Some((shared, begin)) => {
            shared.bytes = begin + memory.bytes;
            shared.members.push((at, begin..shared.bytes));
        }
        None => shared.push(Shared {
            cells: memory.cells,
            bytes: memory.bytes,
            members: vec![(at, 0..memory.bytes)],
        }),
    }
    is_joined
}

impl Shader {
    /// How memory of so many bytes each, in the order of [`bindings`](Self::bindings), is bound by a device: as this
    /// shader has it if that is enough.
    ///
    /// # Errors
    /// Where there is too much of it.
    pub fn arranged(&self, bytes: &[u64], bindable: Bindable) -> Result<Option<Binds>, TooMany> {
        let own = self.own_buffers();
        let count = bytes.len() as u32 + own;
        if count <= bindable.buffers && bytes.iter().all(|&bytes| bytes <= bindable.bytes) {
            return Ok(None);
        }
        let wanted = self.bindings.iter().zip(bytes);
        let wanted = wanted.map(|(binding, &bytes)| Wanted {
            bytes,
            cells: self.around.cells(binding),
        });
        let wanted: Vec<_> = wanted.collect();
        let buffers = bindable.buffers.saturating_sub(own);
        let binds = arrange(&wanted, buffers, bindable).map_err(|e| TooMany {
            needed: e.needed.saturating_add(own),
        })?;
        Ok(Some(binds))
    }

    /// The same shader for memory that is bound in another way, and what it is given besides its parameters: where
    /// memory begins in shared bindings, in cells.
    pub fn bound(&self, binds: &Binds) -> (Self, Vec<u32>) {
        let shared = self.bindings.iter().enumerate();
        let offsets = shared.filter_map(|(n, _)| binds.offset(n)).collect();
        let shader = Self {
            source: self.around.module(&self.bindings, binds),
            parameters: self.parameters.clone(),
            bindings: self.bindings.clone(),
            binds: binds.clone(),
            around: self.around.clone(),
            ..*self
        };
        (shader, offsets)
    }

    /// The storage buffers that are bound besides memory.
    fn own_buffers(&self) -> u32 {
        u32::from(self.may_fail) + u32::from(!self.has_uniform())
    }

    /// Whether parameters are in a uniform buffer.
    pub fn has_uniform(&self) -> bool {
        self.around.has_uniform(&self.bindings)
    }

    /// The storage buffers that follow the parameters, in the order of their bindings: whether each is written.
    pub fn buffers(&self) -> Vec<bool> {
        let failure = self.may_fail.then_some(true);
        let alone = self.bindings.iter().zip(&self.binds.locations);
        let alone = alone.flat_map(|(binding, location)| match location {
            Location::Alone(windows) => vec![binding.written; *windows as usize],
            Location::Shared(_) => vec![],
        });
        let shared = self.binds.shared.iter();
        let shared = shared.map(|shared| shared.is_written(&self.bindings));
        failure.into_iter().chain(alone).chain(shared).collect()
    }
}

impl Shared {
    /// Whether any of its memory is written.
    pub(crate) fn is_written(&self, bindings: &[crate::Binding]) -> bool {
        self.members.iter().any(|&(at, _)| bindings[at].written)
    }
}

impl Binds {
    /// So many memories, each in one piece.
    pub(crate) fn alone(count: usize) -> Self {
        Self {
            window_bytes: 0,
            locations: vec![Location::Alone(1); count],
            shared: vec![],
        }
    }

    /// Where memory begins in a shared binding, in cells.
    pub(crate) fn offset(&self, at: usize) -> Option<u32> {
        let Location::Shared(number) = self.locations[at] else {
            return None;
        };
        let shared = &self.shared[number];
        let (_, bytes) = shared.members.iter().find(|&&(member, _)| member == at)?;
        Some((bytes.start / shared.cells.bytes()) as u32)
    }
}

#[cfg(test)]
mod tests;
