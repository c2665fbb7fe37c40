//! How long kernels take: the device writes down its clock before and after each shader.

use super::{Op, Recording};
use crate::context::Context;
use crate::error::GpuError;
use crate::staging::{Staged, Staging};
use cotangent_core::backend::KernelTime;
use cotangent_core::constant::Const;
use cotangent_core::host::Column;
use cotangent_core::types::ScalarType;
use std::collections::BTreeMap;
use wgpu::BufferUsages;

/// The shaders of a submission whose times can be taken, each by two queries.
pub(super) const MOST_TIMED: usize = wgpu::QUERY_SET_MAX_QUERIES as usize / 2;
/// The bytes of what a shader's two queries give.
const BYTES: u64 = 16;

/// The clock of a device, and what it has told.
#[derive(Debug)]
pub(crate) struct Timing {
    pub(super) queries: wgpu::QuerySet,
    /// Where the device puts down what it was asked.
    answers: wgpu::Buffer,
    /// The seconds of a tick.
    tick: f64,
    /// Submissions whose times nobody read yet.
    open: Vec<Submission>,
    /// What each kernel took.
    times: BTreeMap<usize, (f64, u64)>,
}

#[derive(Debug)]
struct Submission {
    staged: Staged,
    /// The kernel of each shader.
    kernels: Vec<usize>,
}

/// Shaders that are being timed.
#[derive(Debug)]
pub(super) struct Timed {
    staging: Staging,
    kernels: Vec<usize>,
}

impl Timing {
    /// For a device that has a clock.
    pub fn new(context: &Context) -> Result<Self, GpuError> {
        let usage = BufferUsages::QUERY_RESOLVE | BufferUsages::COPY_SRC;
        let answers = context.buffer("cotangent: times", MOST_TIMED as u64 * BYTES, usage)?;
        let queries = context.device.create_query_set(&wgpu::QuerySetDescriptor {
            label: Some("cotangent: times"),
            ty: wgpu::QueryType::Timestamp,
            count: wgpu::QUERY_SET_MAX_QUERIES,
        });
        Ok(Self {
            queries,
            answers,
            tick: f64::from(context.queue.get_timestamp_period()) * 1e-9,
            open: vec![],
            times: BTreeMap::new(),
        })
    }

    /// Makes room for the times of what is recorded.
    pub(super) fn begin(&self, context: &Context, ops: &[Op]) -> Result<Timed, GpuError> {
        let kernels = ops.iter().filter_map(|op| match op {
            Op::Dispatch(dispatch) => Some(dispatch.kernel),
            Op::Copy { .. } | Op::Write { .. } | Op::Give { .. } => None,
        });
        let kernels: Vec<_> = kernels.collect();
        let bytes = kernels.len() as u64 * BYTES;
        let piece = (bytes > 0).then_some((bytes, ScalarType::I64));
        let staging = Staging::new(context, piece.into_iter())?;
        Ok(Timed { staging, kernels })
    }

    /// Has the device put down the times.
    pub(super) fn resolve(&self, encoder: &mut wgpu::CommandEncoder, timed: &Timed) {
        let count = timed.kernels.len();
        for (to, at) in timed.staging.places() {
            encoder.resolve_query_set(&self.queries, 0..2 * count as u32, &self.answers, 0);
            encoder.copy_buffer_to_buffer(&self.answers, 0, to, at, count as u64 * BYTES);
        }
    }

    pub(super) fn end(&mut self, timed: Timed, submission: wgpu::SubmissionIndex) {
        let Timed { staging, kernels } = timed;
        let staged = Staged {
            staging,
            submission,
        };
        self.open.push(Submission { staged, kernels });
    }

    /// Waits for all that was submitted, and adds up what kernels took.
    fn read(&mut self, context: &Context) -> Result<(), GpuError> {
        for Submission { staged, kernels } in self.open.drain(..) {
            let columns = staged.read(context)?;
            let Some(ticks) = columns.first() else {
                continue;
            };
            for (n, kernel) in kernels.into_iter().enumerate() {
                let ticks = tick(ticks, 2 * n + 1).wrapping_sub(tick(ticks, 2 * n));
                let (seconds, starts) = self.times.entry(kernel).or_default();
                // A clock that was set back tells nothing.
                *seconds += ticks.max(0) as f64 * self.tick;
                *starts += 1;
            }
        }
        Ok(())
    }
}

fn tick(ticks: &Column, at: usize) -> i64 {
    let Some(Const::I64(tick)) = ticks.get(at) else {
        return 0;
    };
    tick
}

impl Recording {
    /// Measures from now on how long kernels take.
    pub fn time(&mut self) -> Result<(), GpuError> {
        self.timing = Some(Timing::new(&self.gpu.context)?);
        Ok(())
    }

    /// Waits, and tells how long kernels took.
    pub fn times(&mut self) -> Result<Vec<KernelTime>, GpuError> {
        let Some(timing) = &mut self.timing else {
            return Ok(vec![]);
        };
        timing.read(&self.gpu.context)?;
        let times = timing.times.iter();
        let times = times.map(|(&kernel, &(seconds, starts))| KernelTime {
            kernel,
            seconds,
            starts,
        });
        Ok(times.collect())
    }
}
