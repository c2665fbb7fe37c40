//! An open device: memory, compiled shaders, and errors that are asked for.

use crate::error::GpuError;
use cotangent_shaders::{Shader, Target};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// A device and its queue.
#[derive(Clone, Debug)]
pub(crate) struct Context {
    pub device: wgpu::Device,
    pub queue: wgpu::Queue,
    pub target: Target,
    pub limits: wgpu::Limits,
    /// What was compiled, by its source.
    pipelines: Arc<Mutex<HashMap<String, wgpu::ComputePipeline>>>,
}

impl Context {
    /// Opens a device with all that it allows.
    pub fn open(adapter: &wgpu::Adapter, target: Target) -> Result<Self, GpuError> {
        let wide = wgpu::Features::SHADER_F64 | wgpu::Features::SHADER_INT64;
        let wanted = wide | wgpu::Features::SUBGROUP;
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
        Ok(Self {
            limits: device.limits(),
            device,
            queue,
            target,
            pipelines: Arc::default(),
        })
    }

    /// Does something that wgpu would panic about if it failed.
    fn scoped<T>(&self, make: impl FnOnce() -> T) -> Result<T, String> {
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
            None => Ok(made),
            Some(error) => Err(error.to_string()),
        }
    }

    /// Memory of at least so many bytes, all zero.
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
        made.map_err(|reason| GpuError::OutOfMemory { bytes, reason })
    }

    /// The compiled shader.
    pub fn pipeline(&self, shader: &Shader) -> Result<wgpu::ComputePipeline, GpuError> {
        let lock = || {
            self.pipelines
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
        };
        if let Some(pipeline) = lock().get(&shader.source) {
            return Ok(pipeline.clone());
        }
        let most = self.limits.max_storage_buffers_per_shader_stage;
        let needed = shader.bindings.len() + 2;
        if needed > most as usize {
            return Err(GpuError::TooManyArrays { needed, most });
        }
        let source = shader.source.as_str();
        let made = self.scoped(|| {
            let module = self
                .device
                .create_shader_module(wgpu::ShaderModuleDescriptor {
                    label: None,
                    source: wgpu::ShaderSource::Wgsl(source.into()),
                });
            let layout = self.layout(shader);
            let layouts = [Some(&layout)];
            let layout = self
                .device
                .create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
                    label: None,
                    bind_group_layouts: &layouts,
                    immediate_size: 0,
                });
            self.device
                .create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                    label: None,
                    layout: Some(&layout),
                    module: &module,
                    entry_point: Some("main"),
                    compilation_options: wgpu::PipelineCompilationOptions {
                        // Shaders write it before they read it.
                        zero_initialize_workgroup_memory: false,
                        ..Default::default()
                    },
                    cache: None,
                })
        });
        let pipeline = made.map_err(|reason| GpuError::Shader { reason })?;
        lock().insert(shader.source.clone(), pipeline.clone());
        Ok(pipeline)
    }

    fn layout(&self, shader: &Shader) -> wgpu::BindGroupLayout {
        let written = [false, true].into_iter();
        let written = written.chain(shader.bindings.iter().map(|b| b.written));
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

    /// Queues work; what is wrong with it is an error.
    pub fn submit(
        &self,
        encode: impl FnOnce(&wgpu::Device, &mut wgpu::CommandEncoder),
    ) -> Result<(), GpuError> {
        let submitted = self.scoped(|| {
            let mut encoder = self.device.create_command_encoder(&Default::default());
            encode(&self.device, &mut encoder);
            self.queue.submit([encoder.finish()])
        });
        submitted
            .map(|_| ())
            .map_err(|reason| GpuError::Shader { reason })
    }

    /// Waits for the device, and reads the bytes of a buffer that can be mapped.
    pub fn read(&self, buffer: &wgpu::Buffer) -> Result<Vec<u8>, GpuError> {
        let lost = |reason: String| GpuError::Lost { reason };
        let (send, receive) = std::sync::mpsc::channel();
        buffer.map_async(wgpu::MapMode::Read, .., move |outcome| {
            // Nobody listens any more where waiting failed.
            let _ = send.send(outcome);
        });
        let waited = self.device.poll(wgpu::PollType::wait_indefinitely());
        waited.map_err(|e| lost(e.to_string()))?;
        let outcome = receive.recv().map_err(|e| lost(e.to_string()))?;
        outcome.map_err(|e| lost(e.to_string()))?;
        let view = buffer
            .get_mapped_range(..)
            .map_err(|e| lost(e.to_string()))?;
        let bytes = view.to_vec();
        drop(view);
        buffer.unmap();
        Ok(bytes)
    }
}
