//! An open device: memory, compiled shaders, and errors that are asked for.

use crate::cache::DiskCache;
use crate::error::GpuError;
use crate::memory::Pool;
use crate::pace::Pace;
use crate::pipelines::Pipelines;
use cotangent_shaders::{Bindable, Target};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

/// The most bytes of an array: what a buffer holds, and what can be bound to a shader with nothing else but the failure
/// word.
pub(crate) fn max_array_bytes(limits: &wgpu::Limits) -> u64 {
    let bindable = bindable(limits);
    let windows = u64::from(bindable.buffers.saturating_sub(1));
    let bound = bindable.window_bytes().saturating_mul(windows);
    limits.max_buffer_size.min(bound.max(bindable.bytes))
}

fn bindable(limits: &wgpu::Limits) -> Bindable {
    Bindable {
        buffers: limits.max_storage_buffers_per_shader_stage,
        bytes: limits.max_storage_buffer_binding_size,
    }
}

/// A device and its queue.
#[derive(Clone, Debug)]
pub(crate) struct Context {
    /// The device's name.
    pub name: String,
    pub device: wgpu::Device,
    pub queue: wgpu::Queue,
    pub target: Target,
    /// What is bound to a shader; larger memory is bound in windows.
    pub bindable: Bindable,
    pub limits: wgpu::Limits,
    /// Memory that no run uses.
    pub pool: Arc<Pool>,
    /// Memory to read from, that nobody reads from now.
    pub staging: Arc<Pool>,
    /// What was compiled in other processes, too.
    pub cache: Option<Arc<DiskCache>>,
    /// What was compiled.
    pub pipelines: Arc<Pipelines>,
    /// How fast it was seen to be.
    pub pace: Arc<Pace>,
    /// Why the device was lost, if it was.
    lost: Arc<Mutex<Option<String>>>,
}

impl Context {
    /// Opens a device with these features and limits, and nothing else.
    pub fn open(
        adapter: &wgpu::Adapter,
        (required_features, required_limits): (wgpu::Features, wgpu::Limits),
        target: Target,
        cache: Option<&Path>,
    ) -> Result<Self, GpuError> {
        let descriptor = wgpu::DeviceDescriptor {
            required_features,
            required_limits,
            ..Default::default()
        };
        let opened = pollster::block_on(adapter.request_device(&descriptor));
        let (device, queue) = opened.map_err(|e| GpuError::Open {
            device: adapter.get_info().name,
            reason: e.to_string(),
        })?;
        let lost: Arc<Mutex<Option<String>>> = Arc::default();
        let cell = lost.clone();
        device.set_device_lost_callback(move |reason, message| {
            let mut lost = cell.lock().unwrap_or_else(PoisonError::into_inner);
            lost.get_or_insert(format!("{message} ({reason:?})"));
        });
        let cache = DiskCache::open(adapter, &device, cache);
        Ok(Self {
            name: adapter.get_info().name,
            cache: cache.map(Arc::new),
            bindable: bindable(&device.limits()),
            limits: device.limits(),
            device,
            queue,
            target,
            pool: Arc::default(),
            staging: Arc::default(),
            pipelines: Arc::default(),
            pace: Arc::default(),
            lost,
        })
    }

    /// The most bytes of an array.
    pub fn max_array_bytes(&self) -> u64 {
        max_array_bytes(&self.limits)
    }

    fn why_lost(&self) -> Option<String> {
        let lost = self.lost.lock().unwrap_or_else(PoisonError::into_inner);
        lost.clone()
    }

    fn is_lost(&self) -> bool {
        self.why_lost().is_some()
    }

    /// The error, or that the device was lost, which is why everything fails.
    pub fn cause(&self, error: GpuError) -> GpuError {
        match self.why_lost() {
            Some(reason) => GpuError::Lost { reason },
            None => error,
        }
    }

    /// Does something that wgpu would panic about if it failed.
    pub fn scoped<T>(&self, make: impl FnOnce() -> T) -> Result<T, String> {
        let scopes = [
            wgpu::ErrorFilter::OutOfMemory,
            wgpu::ErrorFilter::Internal,
            wgpu::ErrorFilter::Validation,
        ];
        let scopes = scopes.map(|filter| self.device.push_error_scope(filter));
        let made = make();
        let mut failure = None;
        for scope in scopes.into_iter().rev() {
            failure = pollster::block_on(scope.pop()).or(failure);
        }
        match failure {
            // A device that is lost takes everything, and does nothing.
            None if self.is_lost() => Err("the device does not answer".to_owned()),
            None => Ok(made),
            Some(error) => Err(error.to_string()),
        }
    }

    /// The error of memory that could not be had.
    pub fn out_of_memory(&self, bytes: u64, reason: String) -> GpuError {
        self.cause(GpuError::OutOfMemory {
            device: self.name.clone(),
            bytes,
            reason,
        })
    }

    /// The same for what the driver refuses, with how much it has given out where it tells.
    fn full(&self, bytes: u64, refusal: String) -> GpuError {
        let given = self.device.generate_allocator_report();
        let given = given.map(|report| report.total_allocated_bytes);
        let reason = match given {
            Some(given) => format!("{refusal} (it has given out {given} bytes to this process)"),
            None => refusal,
        };
        self.out_of_memory(bytes, reason)
    }

    /// A buffer of at least so many bytes, by the name that debuggers show.
    pub fn buffer(
        &self,
        label: &str,
        bytes: u64,
        usage: wgpu::BufferUsages,
    ) -> Result<wgpu::Buffer, GpuError> {
        // A binding has one element of any type at least, and copies are of whole words.
        let size = bytes.next_multiple_of(4).max(8);
        let descriptor = wgpu::BufferDescriptor {
            label: Some(label),
            size,
            usage,
            mapped_at_creation: false,
        };
        let made = self.scoped(|| self.device.create_buffer(&descriptor));
        made.map_err(|reason| self.full(bytes, reason))
    }

    /// Writes to the beginning of a buffer, before everything that is submitted from now on.
    pub fn write(&self, buffer: &wgpu::Buffer, bytes: &[u8]) -> Result<(), GpuError> {
        let written = self.scoped(|| {
            let (whole, rest) = bytes.split_at(bytes.len() & !3);
            self.queue.write_buffer(buffer, 0, whole);
            if !rest.is_empty() {
                let mut last = [0; 4];
                last[..rest.len()].copy_from_slice(rest);
                self.queue.write_buffer(buffer, whole.len() as u64, &last);
            }
        });
        let bytes = bytes.len() as u64;
        written.map_err(|reason| self.full(bytes, reason))
    }

    /// Begins with what was written.
    pub fn begin(&self) {
        self.queue.submit([]);
    }

    /// Queues work; what is wrong with it is an error.
    pub fn submit(
        &self,
        encode: impl FnOnce(&wgpu::Device, &mut wgpu::CommandEncoder),
    ) -> Result<wgpu::SubmissionIndex, GpuError> {
        let submitted = self.scoped(|| {
            let descriptor = wgpu::CommandEncoderDescriptor {
                label: Some("cotangent: part of a run"),
            };
            let mut encoder = self.device.create_command_encoder(&descriptor);
            encode(&self.device, &mut encoder);
            self.queue.submit([encoder.finish()])
        });
        submitted.map_err(|reason| self.cause(GpuError::Shader { reason }))
    }

    /// Waits until a submission is done.
    pub fn wait(&self, submission: wgpu::SubmissionIndex) -> Result<(), GpuError> {
        let waited = self.device.poll(wgpu::PollType::Wait {
            submission_index: Some(submission),
            timeout: None,
        });
        waited.map(drop).map_err(|e| self.lost(e))
    }

    /// The error of a device that does not answer.
    pub fn lost(&self, reason: impl std::fmt::Display) -> GpuError {
        let reason = reason.to_string();
        self.cause(GpuError::Lost { reason })
    }
}
