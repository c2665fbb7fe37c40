//! An open device: memory, compiled shaders, and errors that are asked for.

use crate::cache::DiskCache;
use crate::error::GpuError;
use crate::memory::Pool;
use cotangent_shaders::{Shader, Target};
use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

/// The bindings that every shader has: its parameters, and the failure word.
const OWN_BINDINGS: u32 = 2;

/// The most bytes of an array: what a buffer holds, and what can be bound to a shader with nothing else.
pub(crate) fn max_array_bytes(limits: &wgpu::Limits) -> u64 {
    let windows = limits
        .max_storage_buffers_per_shader_stage
        .saturating_sub(OWN_BINDINGS);
    let binding = limits.max_storage_buffer_binding_size;
    let bound = binding.max((1 << binding.max(1).ilog2()) * u64::from(windows));
    limits.max_buffer_size.min(bound)
}

/// A device and its queue.
#[derive(Clone, Debug)]
pub(crate) struct Context {
    pub device: wgpu::Device,
    pub queue: wgpu::Queue,
    pub target: Target,
    /// The most bytes of a binding; larger memory is bound in windows.
    pub binding_bytes: u64,
    pub limits: wgpu::Limits,
    /// Memory that no run uses.
    pub pool: Arc<Pool>,
    /// Memory to read from, that nobody reads from now.
    pub staging: Arc<Pool>,
    /// What was compiled in other processes, too.
    pub cache: Option<Arc<DiskCache>>,
    /// What was compiled, by its source.
    pipelines: Arc<Mutex<HashMap<String, Pipeline>>>,
    /// Why the device was lost, if it was.
    lost: Arc<Mutex<Option<String>>>,
}

/// A compiled shader, and how its memory is bound.
#[derive(Clone, Debug)]
pub(crate) struct Pipeline {
    pub pipeline: wgpu::ComputePipeline,
    pub layout: wgpu::BindGroupLayout,
}

impl Context {
    /// Opens a device with all that it allows.
    pub fn open(
        adapter: &wgpu::Adapter,
        target: Target,
        cache: Option<&Path>,
    ) -> Result<Self, GpuError> {
        let wanted = wgpu::Features::SHADER_F64
            | wgpu::Features::SHADER_F16
            | wgpu::Features::SHADER_INT64
            | wgpu::Features::SUBGROUP
            | wgpu::Features::SHADER_INT64_ATOMIC_ALL_OPS
            | wgpu::Features::SHADER_FLOAT32_ATOMIC
            | wgpu::Features::PIPELINE_CACHE
            | wgpu::Features::TIMESTAMP_QUERY;
        let descriptor = wgpu::DeviceDescriptor {
            required_features: adapter.features() & wanted,
            required_limits: adapter.limits(),
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
            cache: cache.map(Arc::new),
            binding_bytes: device.limits().max_storage_buffer_binding_size,
            limits: device.limits(),
            device,
            queue,
            target,
            pool: Arc::default(),
            staging: Arc::default(),
            pipelines: Arc::default(),
            lost,
        })
    }

    /// The most bytes of an array.
    pub fn max_array_bytes(&self) -> u64 {
        max_array_bytes(&self.limits)
    }

    /// The bytes of a window: a power of two, at which a binding may begin.
    pub fn window_bytes(&self) -> u64 {
        1 << self.binding_bytes.max(1).ilog2()
    }

    /// In how many windows memory of so many bytes is bound.
    pub fn windows(&self, bytes: u64) -> u32 {
        match bytes <= self.binding_bytes {
            true => 1,
            false => u32::try_from(bytes.div_ceil(self.window_bytes())).unwrap_or(u32::MAX),
        }
    }

    fn why_lost(&self) -> Option<String> {
        let lost = self.lost.lock().unwrap_or_else(PoisonError::into_inner);
        lost.clone()
    }

    fn is_lost(&self) -> bool {
        self.why_lost().is_some()
    }

    /// The error, or that the device was lost, which is why everything fails.
    fn cause(&self, error: GpuError) -> GpuError {
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

    /// A buffer of at least so many bytes.
    pub fn buffer(&self, bytes: u64, usage: wgpu::BufferUsages) -> Result<wgpu::Buffer, GpuError> {
        // A binding has one element of any type at least, and copies are of whole words.
        let size = bytes.next_multiple_of(4).max(8);
        let descriptor = wgpu::BufferDescriptor {
            label: None,
            size,
            usage,
            mapped_at_creation: false,
        };
        let made = self.scoped(|| self.device.create_buffer(&descriptor));
        made.map_err(|reason| self.cause(GpuError::OutOfMemory { bytes, reason }))
    }

    /// The compiled shader.
    pub fn pipeline(&self, shader: &Shader) -> Result<Pipeline, GpuError> {
        let lock = || {
            self.pipelines
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
        };
        if let Some(pipeline) = lock().get(&shader.source) {
            return Ok(pipeline.clone());
        }
        let most = self.limits.max_storage_buffers_per_shader_stage;
        let needed = shader
            .windows
            .iter()
            .fold(OWN_BINDINGS, |n, &windows| n.saturating_add(windows));
        if needed > most {
            return Err(GpuError::TooManyBindings { needed, most });
        }
        let source = shader.source.as_str();
        let made = self.scoped(|| {
            let description = wgpu::ShaderModuleDescriptor {
                label: None,
                source: wgpu::ShaderSource::Wgsl(source.into()),
            };
            let mut checks = wgpu::ShaderRuntimeChecks::checked();
            checks.force_loop_bounding = false;
            // SAFETY: what is not checked is whether loops end. Those of our shaders count up to a bound, or exchange a
            // value until nobody else has come between. Indices are checked, as ever.
            let module = unsafe {
                self.device
                    .create_shader_module_trusted(description, checks)
            };
            let layout = self.layout(shader);
            let layouts = [Some(&layout)];
            let whole = self
                .device
                .create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
                    label: None,
                    bind_group_layouts: &layouts,
                    immediate_size: 0,
                });
            let descriptor = wgpu::ComputePipelineDescriptor {
                label: None,
                layout: Some(&whole),
                module: &module,
                entry_point: Some("main"),
                compilation_options: wgpu::PipelineCompilationOptions {
                    // Shaders write it before they read it.
                    zero_initialize_workgroup_memory: false,
                    ..Default::default()
                },
                cache: self.cache.as_ref().map(|kept| &kept.cache),
            };
            let pipeline = self.device.create_compute_pipeline(&descriptor);
            Pipeline { pipeline, layout }
        });
        let pipeline = made.map_err(|reason| self.cause(GpuError::Shader { reason }))?;
        lock().insert(shader.source.clone(), pipeline.clone());
        self.cache.iter().for_each(|cache| cache.grow());
        Ok(pipeline)
    }

    fn layout(&self, shader: &Shader) -> wgpu::BindGroupLayout {
        let written = [false, true].into_iter();
        let windows = shader.bindings.iter().zip(&shader.windows);
        let windows = windows.flat_map(|(b, &n)| std::iter::repeat_n(b.written, n as usize));
        let written = written.chain(windows);
        let entry = |(binding, written): (u32, bool)| wgpu::BindGroupLayoutEntry {
            binding,
            visibility: wgpu::ShaderStages::COMPUTE,
            ty: wgpu::BindingType::Buffer {
                ty: wgpu::BufferBindingType::Storage {
                    read_only: !written,
                },
                has_dynamic_offset: false,
                min_binding_size: None,
            },
            count: None,
        };
        let entries: Vec<_> = (0..).zip(written).map(entry).collect();
        self.device
            .create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
                label: None,
                entries: &entries,
            })
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
        written.map_err(|reason| self.cause(GpuError::OutOfMemory { bytes, reason }))
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
            let mut encoder = self.device.create_command_encoder(&Default::default());
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
