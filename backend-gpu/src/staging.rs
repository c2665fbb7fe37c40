//! Memory that the device copies results to and that the host reads.

use crate::context::Context;
use crate::elements::from_bytes;
use crate::error::GpuError;
use crate::memory::size_for;
use cotangent_core::host::Column;
use cotangent_core::types::ScalarType;
use std::sync::mpsc::{Receiver, channel};
use wgpu::BufferUsages;

/// Where bytes are to be copied to: as few buffers as possible.
#[derive(Debug)]
pub(crate) struct Staging {
    buffers: Vec<wgpu::Buffer>,
    pieces: Vec<Piece>,
}

/// Elements in one of the buffers; offset and length in bytes.
#[derive(Debug)]
struct Piece {
    buffer: usize,
    at: u64,
    bytes: u64,
    elem: ScalarType,
}

/// Elements that are there when a submission is done.
#[derive(Debug)]
pub(crate) struct Staged {
    pub staging: Staging,
    pub submission: wgpu::SubmissionIndex,
}

impl Staging {
    /// For so many bytes each of such elements.
    pub fn new(
        context: &Context,
        reads: impl Iterator<Item = (u64, ScalarType)>,
    ) -> Result<Self, GpuError> {
        let (mut pieces, mut totals) = (vec![], vec![]);
        for (bytes, elem) in reads {
            let last = totals.last().copied().unwrap_or(u64::MAX);
            if last.saturating_add(bytes) > context.limits.max_buffer_size {
                totals.push(0);
            }
            let buffer = totals.len() - 1;
            // Ranges that are read begin at multiples of 8.
            let at = totals[buffer];
            totals[buffer] = (at + bytes).next_multiple_of(8);
            pieces.push(Piece {
                buffer,
                at,
                bytes,
                elem,
            });
        }
        let buffers = totals.into_iter().map(|bytes| buffer(context, bytes));
        Ok(Self {
            buffers: buffers.collect::<Result<_, _>>()?,
            pieces,
        })
    }

    /// The place of each piece.
    pub fn places(&self) -> impl Iterator<Item = (&wgpu::Buffer, u64)> {
        let pieces = self.pieces.iter();
        pieces.map(|piece| (&self.buffers[piece.buffer], piece.at))
    }
}

fn buffer(context: &Context, bytes: u64) -> Result<wgpu::Buffer, GpuError> {
    let size = size_for(bytes).min(context.limits.max_buffer_size & !3);
    match context.staging.take(size) {
        Some(buffer) => Ok(buffer),
        None => {
            let usage = BufferUsages::COPY_DST | BufferUsages::MAP_READ;
            context.buffer("cotangent: results for the host", size, usage)
        }
    }
}

impl Staged {
    /// Waits, and reads.
    pub fn read(self, context: &Context) -> Result<Vec<Column>, GpuError> {
        let Self {
            staging,
            submission,
        } = self;
        let map_all = || staging.buffers.iter().map(map).collect::<Vec<_>>();
        let mapped = context.scoped(map_all).map_err(|e| context.lost(e))?;
        context.wait(submission)?;
        for outcome in mapped {
            let outcome = outcome.recv().map_err(|e| context.lost(e))?;
            outcome.map_err(|e| context.lost(e))?;
        }
        let read = staging
            .pieces
            .iter()
            .map(|piece| read(context, &staging, piece));
        let read = read.collect::<Result<Vec<_>, _>>()?;
        for buffer in staging.buffers {
            buffer.unmap();
            context.staging.give(buffer);
        }
        Ok(read)
    }
}

fn read(context: &Context, staging: &Staging, piece: &Piece) -> Result<Column, GpuError> {
    let Piece {
        buffer,
        at,
        bytes,
        elem,
    } = *piece;
    if bytes == 0 {
        return Ok(from_bytes(elem, &[]));
    }
    let view = staging.buffers[buffer].get_mapped_range(at..at + bytes.next_multiple_of(4));
    let view = view.map_err(|e| context.lost(e))?;
    Ok(from_bytes(elem, &view[..bytes as usize]))
}

fn map(buffer: &wgpu::Buffer) -> Receiver<Result<(), wgpu::BufferAsyncError>> {
    let (send, receive) = channel();
    buffer.map_async(wgpu::MapMode::Read, .., move |outcome| {
        // Nobody listens any more where waiting failed.
        let _ = send.send(outcome);
    });
    receive
}
