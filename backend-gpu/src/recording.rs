//! What a run wants the device to do, written down until somebody has to know a result: then everything is submitted at
//! once.
//!
//! The words that shaders are given, and bytes that the host writes in between, are kept in one buffer (the *arena*),
//! each at an offset that the device allows. What would keep the device for too long is submitted earlier
//! (`duration.rs`). All shaders that may fail report it in two words: the recording says that something failed, or that loops
//! are not at their ends, not what.

mod binding;
mod encode;
mod timing;

use crate::device::Gpu;
use crate::error::GpuError;
use crate::memory::{Home, Memory};
use crate::pipelines::Pipeline;
use cotangent_core::backend::Site;
use cotangent_core::constant::Const;
use cotangent_core::host::Column;
use cotangent_core::types::ScalarType;
use cotangent_shaders::Shader;
use std::ops::Range;
use std::sync::Arc;
use std::time::Instant;
use timing::{MOST_TIMED, Timing};

/// The first word of failures where nothing failed.
const NONE: u32 = u32::MAX;
/// The second word of failures where all loops made all of their trips.
const FINISHED: u32 = 0;
/// With more than that written down, it is submitted without waiting.
const MOST_OPS: usize = 1 << 12;
/// The bytes of four words.
const QUAD: u32 = 16;
/// As many bytes of the arena.
const MOST_BYTES: usize = 16 << 20;

/// One thing to do.
#[derive(Debug)]
enum Op {
    Dispatch(Dispatch),
    Copy {
        from: Place,
        to: Place,
        bytes: u64,
    },
    /// From the arena to memory.
    Write {
        at: u64,
        to: Place,
        bytes: u64,
    },
    /// From memory to the arena: words that the device computes and that a shader is given.
    Give {
        from: Place,
        at: u64,
        bytes: u64,
    },
}

/// A position in a buffer, in bytes.
#[derive(Debug)]
struct Place {
    buffer: wgpu::Buffer,
    at: u64,
}

/// A shader, what it is bound to, and over how many workgroups it runs.
#[derive(Debug)]
struct Dispatch {
    pipeline: Pipeline,
    /// Where its words are in the arena.
    words: Range<u64>,
    buffers: Vec<Bound>,
    groups: [u32; 2],
    /// What it was made for, as debuggers show it.
    origin: Site,
    /// The kernel that it belongs to.
    kernel: usize,
}

/// What is bound of a buffer.
#[derive(Clone, Debug)]
struct Bound {
    buffer: wgpu::Buffer,
    bytes: Range<u64>,
}

/// Words that a shader is given.
#[derive(Clone, Debug)]
pub(crate) enum Words {
    /// Known on the host.
    Known(Vec<u32>),
    /// At the beginning of memory: so many.
    OnDevice(Memory, u32),
}

/// Elements to be read by the host; offset, a multiple of 4, and length in bytes.
#[derive(Clone, Debug)]
pub(crate) struct Read {
    pub memory: Memory,
    pub elem: ScalarType,
    pub at: u64,
    pub bytes: u64,
}

impl Read {
    /// All of the memory.
    pub fn all(memory: &Memory, elem: ScalarType) -> Self {
        Self {
            memory: memory.clone(),
            elem,
            at: 0,
            bytes: memory.bytes(),
        }
    }
}

/// What has come of a recording so far.
#[derive(Debug)]
pub(crate) struct Outcome {
    /// The elements that were asked for.
    pub columns: Vec<Column>,
    /// The least point, of whatever shader, at which an index was out of range.
    pub failed: Option<u32>,
    /// Whether loops were ended that have more trips to make, so that nothing else here means anything.
    pub is_unfinished: bool,
}

/// See the module.
#[derive(Debug)]
pub(crate) struct Recording {
    gpu: Gpu,
    home: Arc<Home>,
    ops: Vec<Op>,
    arena: Vec<u8>,
    /// Made when the first shader is recorded.
    failure: Option<Memory>,
    /// Whether a shader that may fail was recorded since the failure word was looked at.
    may_have_failed: bool,
    /// The kernel that what is recorded belongs to.
    kernel: usize,
    /// The estimated seconds of what is recorded and was not submitted.
    seconds: f64,
    /// Since when the device has been at work that nobody waited for, and the estimated seconds of that.
    under_way: Option<(Instant, f64)>,
    /// How long kernels took, if that is asked for.
    timing: Option<Timing>,
    /// How often something was submitted.
    pub submits: u64,
}

impl Drop for Recording {
    fn drop(&mut self) {
        self.failure = None;
        self.home.end();
    }
}

impl Recording {
    pub fn new(gpu: &Gpu) -> Self {
        Self {
            gpu: gpu.clone(),
            home: Home::new(&gpu.context.pool),
            ops: vec![],
            arena: vec![],
            failure: None,
            may_have_failed: false,
            kernel: 0,
            seconds: 0.0,
            under_way: None,
            timing: None,
            submits: 0,
        }
    }

    /// What is recorded from now on belongs to that kernel.
    pub fn begin_kernel(&mut self, number: usize) {
        self.kernel = number;
    }

    /// Memory of so many bytes. What is in it is anything.
    pub fn memory(&self, bytes: u64) -> Result<Memory, GpuError> {
        self.home.memory(&self.gpu.context, bytes)
    }

    /// Memory with the given bytes.
    pub fn upload(&mut self, bytes: &[u8]) -> Result<Memory, GpuError> {
        let memory = self.memory(bytes.len() as u64)?;
        self.write(bytes, &memory)?;
        Ok(memory)
    }

    /// Writes to the beginning of memory.
    fn write(&mut self, bytes: &[u8], to: &Memory) -> Result<(), GpuError> {
        // What is written at once comes before all that is recorded, which may use the same memory for something else.
        if self.ops.is_empty() {
            return self.gpu.context.write(to.buffer(), bytes);
        }
        let at = self.reserve(bytes.len());
        self.arena[at as usize..][..bytes.len()].copy_from_slice(bytes);
        let to = place(to, 0);
        let bytes = (bytes.len() as u64).next_multiple_of(4);
        self.push(Op::Write { at, to, bytes })
    }

    /// Bytes of the arena, at an offset that bindings allow.
    fn reserve(&mut self, bytes: usize) -> u64 {
        let limits = &self.gpu.context.limits;
        let units = [
            limits.min_storage_buffer_offset_alignment,
            limits.min_uniform_buffer_offset_alignment,
        ];
        let unit = units.into_iter().fold(QUAD, u32::max) as usize;
        let at = self.arena.len().next_multiple_of(unit);
        // Parameters are bound as words of four.
        self.arena.resize(
            at + bytes.next_multiple_of(QUAD as usize).max(QUAD as usize),
            0,
        );
        at as u64
    }

    fn push(&mut self, op: Op) -> Result<(), GpuError> {
        self.ops.push(op);
        let most = match self.timing {
            Some(_) => MOST_TIMED,
            None => MOST_OPS,
        };
        if self.ops.len() < most && self.arena.len() < MOST_BYTES {
            return Ok(());
        }
        self.submit(&[]).map(drop)
    }

    /// Copies so many of the first bytes of memory, and the rest of the last word, to other memory.
    pub fn copy(&mut self, from: &Memory, to: &Memory, bytes: u64) -> Result<(), GpuError> {
        if bytes == 0 {
            return Ok(());
        }
        let (from, to) = (place(from, 0), place(to, 0));
        let bytes = bytes.next_multiple_of(4);
        self.push(Op::Copy { from, to, bytes })
    }

    /// Submits what is recorded if so many more seconds would be too many.
    fn make_time(&mut self, seconds: f64) -> Result<(), GpuError> {
        let is_full = self.seconds + seconds > self.gpu.submission_seconds();
        if is_full && !self.ops.is_empty() {
            self.begin()?;
        }
        self.seconds += seconds;
        Ok(())
    }

    /// Runs a shader over so many points, for an estimated number of seconds, on the memory that it binds; `words` are its
    /// parameters for a range of points.
    pub fn dispatch(
        &mut self,
        shader: &Shader,
        (points, seconds): (u32, f64),
        words: &dyn Fn(Range<u32>) -> Vec<Words>,
        memory: &[Memory],
    ) -> Result<(), GpuError> {
        let gpu = self.gpu.clone();
        let seconds = seconds / gpu.context.pace.get();
        let arranged = self.arranged(shader, memory)?;
        let shader = arranged.shader.as_ref().unwrap_or(shader);
        let pipeline = gpu.context.pipeline(shader)?;
        self.may_have_failed |= shader.may_fail;
        let buffers = self.buffers(shader, memory, &arranged)?;
        self.share(shader, memory, &arranged)?;
        for piece in gpu.pieces(shader, (points, seconds)) {
            self.make_time(seconds * piece.len() as f64 / f64::from(points))?;
            let groups = gpu.groups(shader, piece.len() as u32);
            let mut words = words(piece);
            words.push(Words::Known(arranged.offsets.clone()));
            let words = self.words(&words)?;
            self.push(Op::Dispatch(Dispatch {
                pipeline: pipeline.clone(),
                words,
                buffers: buffers.clone(),
                groups,
                origin: shader.origin,
                kernel: self.kernel,
            }))?;
        }
        self.unshare(shader, memory, &arranged)
    }

    /// Puts the words of a dispatch into the arena.
    fn words(&mut self, words: &[Words]) -> Result<Range<u64>, GpuError> {
        let known = words.iter().flat_map(|words| match words {
            Words::Known(words) => words.clone(),
            Words::OnDevice(_, count) => vec![0; *count as usize],
        });
        let known: Vec<u32> = known.collect();
        let bytes: &[u8] = bytemuck::cast_slice(&known);
        let begin = self.reserve(bytes.len());
        self.arena[begin as usize..][..bytes.len()].copy_from_slice(bytes);
        let mut at = begin;
        for words in words {
            match words {
                Words::Known(words) => at += 4 * words.len() as u64,
                Words::OnDevice(memory, count) => {
                    let (from, bytes) = (place(memory, 0), 4 * u64::from(*count));
                    // Not counted: it belongs to the dispatch that follows.
                    self.ops.push(Op::Give { from, at, bytes });
                    at += bytes;
                }
            }
        }
        Ok(begin..self.arena.len() as u64)
    }

    fn failure(&mut self) -> Result<Memory, GpuError> {
        if let Some(failure) = &self.failure {
            return Ok(failure.clone());
        }
        let words = [NONE, FINISHED].map(u32::to_le_bytes);
        let failure = self.upload(words.as_flattened())?;
        self.failure = Some(failure.clone());
        Ok(failure)
    }

    /// Whether a shader was recorded that may fail, and nobody has looked whether it did.
    pub fn may_have_failed(&self) -> bool {
        self.may_have_failed
    }

    /// Begins with what is recorded, and goes on recording.
    pub fn begin(&mut self) -> Result<(), GpuError> {
        self.submit(&[]).map(drop)
    }

    /// Submits everything, and waits for some memory and for whether something failed.
    pub fn wait(&mut self, reads: &[Read]) -> Result<Outcome, GpuError> {
        let mut reads = reads.to_vec();
        let failure = self.failure.clone().filter(|_| self.may_have_failed);
        let words = |failure| Read::all(failure, ScalarType::I32);
        reads.extend(failure.as_ref().map(words));
        let mut columns = match self.submit(&reads)? {
            Some(staged) => staged.read(&self.gpu.context)?,
            None => vec![],
        };
        if let Some((since, estimated)) = self.under_way.take() {
            self.gpu.context.pace.learn(estimated, since.elapsed());
        }
        let (mut failed, mut is_unfinished) = (None, false);
        if failure.is_some() {
            let [first, second] = columns
                .pop()
                .map_or([NONE, FINISHED], |words| [0, 1].map(|at| word(&words, at)));
            failed = (first != NONE).then_some(first);
            is_unfinished = second != FINISHED;
            self.may_have_failed = false;
            // What follows begins with a word of its own.
            let is_clean = failed.is_none() && !is_unfinished;
            self.failure = self.failure.take().filter(|_| is_clean);
        }
        Ok(Outcome {
            columns,
            failed,
            is_unfinished,
        })
    }
}

fn word(words: &Column, at: usize) -> u32 {
    let word = words.get(at).and_then(Const::as_i32);
    word.unwrap_or_default() as u32
}

fn place(memory: &Memory, at: u64) -> Place {
    let buffer = memory.buffer().clone();
    Place { buffer, at }
}
