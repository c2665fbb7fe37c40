//! The least that it takes to run a kernel on three arrays.

use bytemuck::Pod;
use cotangent_core::types::ScalarType;
use std::fmt::LowerExp;
use wgpu::util::{BufferInitDescriptor, DeviceExt};

/// A float type of kernels.
pub(crate) trait Real: Pod + LowerExp {
    const TYPE: ScalarType;
    /// Its name in WGSL.
    const NAME: &'static str;
    /// What a device must have for it.
    const FEATURES: wgpu::Features;
    /// Its bytes.
    const SIZE: usize = size_of::<Self>();
    /// The least positive number that is not subnormal.
    const LEAST: f64;
    fn narrow(x: f64) -> Self;
    fn wide(self) -> f64;
    /// An integer that counts floats: the next one is one more.
    fn order(self) -> i64;
    /// Any float, by its bits.
    fn from_random(bits: u64) -> Self;
}

impl Real for f32 {
    const TYPE: ScalarType = ScalarType::F32;
    const NAME: &'static str = "f32";
    const FEATURES: wgpu::Features = wgpu::Features::empty();
    const LEAST: f64 = f32::MIN_POSITIVE as f64;

    fn narrow(x: f64) -> Self {
        x as f32
    }

    fn wide(self) -> f64 {
        f64::from(self)
    }

    fn order(self) -> i64 {
        let size = i64::from(self.abs().to_bits());
        if self.is_sign_negative() { -size } else { size }
    }

    fn from_random(bits: u64) -> Self {
        f32::from_bits((bits >> 32) as u32)
    }
}

impl Real for f64 {
    const TYPE: ScalarType = ScalarType::F64;
    const NAME: &'static str = "f64";
    const FEATURES: wgpu::Features = wgpu::Features::SHADER_F64.union(wgpu::Features::SHADER_INT64);
    const LEAST: f64 = f64::MIN_POSITIVE;

    fn narrow(x: f64) -> Self {
        x
    }

    fn wide(self) -> f64 {
        self
    }

    fn order(self) -> i64 {
        let size = self.abs().to_bits().cast_signed();
        if self.is_sign_negative() { -size } else { size }
    }

    fn from_random(bits: u64) -> Self {
        f64::from_bits(bits)
    }
}

/// A device and its queue.
pub(crate) struct Device {
    device: wgpu::Device,
    queue: wgpu::Queue,
}

impl Device {
    /// The first device, if it has the features.
    pub(crate) fn open(features: wgpu::Features) -> Option<Self> {
        let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle());
        let options = wgpu::RequestAdapterOptions::default();
        let adapter = pollster::block_on(instance.request_adapter(&options)).ok()?;
        if !adapter.features().contains(features) {
            return None;
        }
        println!("on {}", adapter.get_info().name);
        let descriptor = wgpu::DeviceDescriptor {
            required_features: features,
            required_limits: adapter.limits(),
            ..Default::default()
        };
        let (device, queue) = pollster::block_on(adapter.request_device(&descriptor)).unwrap();
        Some(Self { device, queue })
    }

    fn input<T: Real>(&self, values: &[T]) -> wgpu::Buffer {
        self.device.create_buffer_init(&BufferInitDescriptor {
            label: None,
            contents: bytemuck::cast_slice(values),
            usage: wgpu::BufferUsages::STORAGE,
        })
    }

    fn buffer(&self, size: u64, usage: wgpu::BufferUsages) -> wgpu::Buffer {
        self.device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size,
            usage,
            mapped_at_creation: false,
        })
    }

    fn pipeline(&self, source: &str) -> wgpu::ComputePipeline {
        let module = self
            .device
            .create_shader_module(wgpu::ShaderModuleDescriptor {
                label: None,
                source: wgpu::ShaderSource::Wgsl(source.into()),
            });
        let descriptor = wgpu::ComputePipelineDescriptor {
            label: None,
            layout: None,
            module: &module,
            entry_point: None,
            compilation_options: Default::default(),
            cache: None,
        };
        self.device.create_compute_pipeline(&descriptor)
    }

    /// Runs a kernel that makes an array as long as its two arguments, 64 elements a workgroup.
    pub(crate) fn run<T: Real>(&self, source: &str, x: &[T], y: &[T]) -> Vec<T> {
        use wgpu::BufferUsages as Usages;
        let pipeline = self.pipeline(source);
        let size = (x.len() * T::SIZE) as u64;
        let result = self.buffer(size, Usages::STORAGE | Usages::COPY_SRC);
        let mapped = self.buffer(size, Usages::MAP_READ | Usages::COPY_DST);
        let buffers = [&self.input(x), &self.input(y), &result];
        let mut encoder = self.device.create_command_encoder(&Default::default());
        let group = self.group(&pipeline, buffers);
        let mut pass = encoder.begin_compute_pass(&Default::default());
        pass.set_pipeline(&pipeline);
        pass.set_bind_group(0, &group, &[]);
        pass.dispatch_workgroups(x.len().div_ceil(64) as u32, 1, 1);
        drop(pass);
        encoder.copy_buffer_to_buffer(&result, 0, &mapped, 0, size);
        self.queue.submit([encoder.finish()]);
        self.read(&mapped)
    }

    fn group(
        &self,
        pipeline: &wgpu::ComputePipeline,
        buffers: [&wgpu::Buffer; 3],
    ) -> wgpu::BindGroup {
        let entries = [0, 1, 2].map(|n| wgpu::BindGroupEntry {
            binding: n as u32,
            resource: buffers[n].as_entire_binding(),
        });
        self.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &pipeline.get_bind_group_layout(0),
            entries: &entries,
        })
    }

    fn read<T: Real>(&self, buffer: &wgpu::Buffer) -> Vec<T> {
        buffer.map_async(wgpu::MapMode::Read, .., |result| result.unwrap());
        self.device
            .poll(wgpu::PollType::wait_indefinitely())
            .unwrap();
        bytemuck::cast_slice(&buffer.get_mapped_range(..).unwrap()).to_vec()
    }
}
