//! Memory on the device, and the pool that it comes from.
//!
//! A [`Memory`] is shared like an `Arc`; when the last one goes, its buffer returns to where it came from. During a
//! recording that is the recording's own [`Home`]: what was recorded may still use the buffer, so only what the same
//! recording does later, which the device does later, may have it. When all is submitted the device keeps the order, and
//! buffers go to the [`Pool`] for any run.
//!
//! Buffers are of few sizes, so that one fits for many arrays, at the price of at most a quarter of their memory; what
//! several runs did not need is given back to the driver. Nothing is zero to begin with.

use crate::context::Context;
use crate::error::GpuError;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use wgpu::BufferUsages;

/// So many runs later, a buffer that nobody needed is dropped.
const KEPT_FOR_RUNS: u64 = 4;
/// The smallest buffer; the others are four to each power of two.
const SMALLEST: u64 = 256;

/// Elements on a device, in the form that shaders read: a `bool` is a word.
#[derive(Clone, Debug)]
pub(crate) struct Memory(Arc<Lease>);

#[derive(Debug)]
struct Lease {
    buffer: wgpu::Buffer,
    bytes: u64,
    home: Arc<Home>,
}

impl Drop for Lease {
    fn drop(&mut self) {
        self.home.take_back(self.buffer.clone());
    }
}

impl Memory {
    /// The bytes that were asked for.
    pub fn bytes(&self) -> u64 {
        self.0.bytes
    }

    pub fn buffer(&self) -> &wgpu::Buffer {
        &self.0.buffer
    }

    /// Whether it came from that pool.
    pub fn is_of(&self, pool: &Arc<Pool>) -> bool {
        Arc::ptr_eq(&self.0.home.pool, pool)
    }

    /// Whether there is no other handle to the same memory.
    pub fn is_unshared(&self) -> bool {
        Arc::strong_count(&self.0) == 1
    }
}

/// Buffers that nobody uses, by their sizes.
#[derive(Debug, Default)]
pub(crate) struct Pool {
    free: Mutex<Free>,
}

#[derive(Debug, Default)]
struct Free {
    run: u64,
    /// Each with the run that gave it back.
    buffers: BTreeMap<u64, Vec<(u64, wgpu::Buffer)>>,
}

impl Pool {
    fn free(&self) -> MutexGuard<'_, Free> {
        self.free.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A buffer of exactly that size.
    pub fn take(&self, size: u64) -> Option<wgpu::Buffer> {
        let mut free = self.free();
        Some(free.buffers.get_mut(&size)?.pop()?.1)
    }

    /// Keeps a buffer that nobody uses.
    pub fn give(&self, buffer: wgpu::Buffer) {
        let mut free = self.free();
        let run = free.run;
        free.buffers
            .entry(buffer.size())
            .or_default()
            .push((run, buffer));
    }

    /// Another run begins: drops what several runs did not need.
    pub fn begin_run(&self) {
        let mut free = self.free();
        free.run += 1;
        let oldest = free.run.saturating_sub(KEPT_FOR_RUNS);
        free.buffers.retain(|_, buffers| {
            buffers.retain(|(run, _)| *run >= oldest);
            !buffers.is_empty()
        });
    }

    fn clear(&self) {
        self.free().buffers.clear();
    }

    /// The bytes that are kept.
    #[cfg(test)]
    pub fn kept(&self) -> u64 {
        let free = self.free();
        let sizes = free.buffers.iter();
        sizes
            .map(|(size, buffers)| size * buffers.len() as u64)
            .sum()
    }
}

/// Where the buffers of a recording return to.
#[derive(Debug)]
pub(crate) struct Home {
    pool: Arc<Pool>,
    /// What the recording may use again; none once all of it is submitted.
    own: Mutex<Option<Vec<wgpu::Buffer>>>,
}

impl Home {
    /// Of a recording that begins.
    pub fn new(pool: &Arc<Pool>) -> Arc<Self> {
        Arc::new(Self {
            pool: pool.clone(),
            own: Mutex::new(Some(vec![])),
        })
    }

    fn own(&self) -> MutexGuard<'_, Option<Vec<wgpu::Buffer>>> {
        self.own.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn take_back(&self, buffer: wgpu::Buffer) {
        match self.own().as_mut() {
            Some(own) => own.push(buffer),
            None => self.pool.give(buffer),
        }
    }

    fn take(&self, size: u64) -> Option<wgpu::Buffer> {
        let mut own = self.own();
        let found = own.as_mut().and_then(|own| {
            let at = own.iter().position(|buffer| buffer.size() == size)?;
            Some(own.swap_remove(at))
        });
        found.or_else(|| self.pool.take(size))
    }

    /// Everything that was recorded is submitted, or never will be.
    pub fn end(&self) {
        let own = self.own().take();
        own.into_iter()
            .flatten()
            .for_each(|buffer| self.pool.give(buffer));
    }

    /// Memory of so many bytes. What is in it is anything.
    pub fn memory(self: &Arc<Self>, context: &Context, bytes: u64) -> Result<Memory, GpuError> {
        self.lease(context, bytes, |size| self.take(size))
    }

    /// Memory that nothing uses which was recorded and not submitted.
    pub fn fresh(self: &Arc<Self>, context: &Context, bytes: u64) -> Result<Memory, GpuError> {
        self.lease(context, bytes, |size| self.pool.take(size))
    }

    fn lease(
        self: &Arc<Self>,
        context: &Context,
        bytes: u64,
        take: impl FnOnce(u64) -> Option<wgpu::Buffer>,
    ) -> Result<Memory, GpuError> {
        let most = context.max_array_bytes();
        if bytes > most {
            let reason = format!("an array on this device has at most {most} bytes");
            return Err(context.out_of_memory(bytes, reason));
        }
        let size = size_for(bytes).min(most & !3).max(bytes);
        let buffer = take(size).map_or_else(|| self.made(context, size), Ok);
        Ok(Memory(Arc::new(Lease {
            buffer: buffer?,
            bytes,
            home: self.clone(),
        })))
    }

    fn made(&self, context: &Context, size: u64) -> Result<wgpu::Buffer, GpuError> {
        // Parameters are bound as uniforms.
        let usage = BufferUsages::STORAGE
            | BufferUsages::UNIFORM
            | BufferUsages::COPY_SRC
            | BufferUsages::COPY_DST;
        // Buffers serve one array after another, so a name says what they are and no more.
        let label = format!("cotangent: arrays of up to {size} bytes");
        context.buffer(&label, size, usage).or_else(|_| {
            // Perhaps what is kept for others is in the way.
            self.pool.clear();
            context.buffer(&label, size, usage)
        })
    }
}

/// The size of a buffer for so many bytes: at most a quarter more.
pub(crate) fn size_for(bytes: u64) -> u64 {
    let bytes = bytes.max(SMALLEST);
    let quarter = (1 << bytes.ilog2()) / 4;
    bytes.next_multiple_of(quarter)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_are_of_few_sizes_and_large_enough() {
        let mut sizes: Vec<_> = (0..1 << 16).map(size_for).collect();
        for (bytes, &size) in (0..).zip(&sizes) {
            assert!(size >= bytes && size % 4 == 0, "{bytes}: {size}");
            assert!(size == SMALLEST || size < bytes + bytes / 4 + 4);
        }
        sizes.dedup();
        assert!(sizes.len() <= 4 * 8 + 1, "{}", sizes.len());
    }
}
