//! Which devices there are, and which one is taken.

use crate::context::{Context, max_array_bytes};
use crate::duration::SUBMISSION_SECONDS;
use crate::error::GpuError;
use crate::opening::{GpuBuilder, Reduction};
use cotangent_core::backend::Control;
use cotangent_core::types::ScalarType;
use cotangent_shaders::Target;
use std::fmt;
use std::path::Path;

/// What a device is; the ones to be preferred first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DeviceKind {
    /// A GPU with memory of its own.
    Discrete,
    /// A GPU that shares its memory with the CPU.
    Integrated,
    /// A GPU that several systems share.
    Virtual,
    /// Nobody knows.
    Other,
    /// A driver that computes on the CPU.
    Software,
}

impl DeviceKind {
    fn of(kind: wgpu::DeviceType) -> Self {
        match kind {
            wgpu::DeviceType::DiscreteGpu => Self::Discrete,
            wgpu::DeviceType::IntegratedGpu => Self::Integrated,
            wgpu::DeviceType::VirtualGpu => Self::Virtual,
            wgpu::DeviceType::Other => Self::Other,
            wgpu::DeviceType::Cpu => Self::Software,
        }
    }
}

impl fmt::Display for DeviceKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Discrete => "discrete GPU",
            Self::Integrated => "integrated GPU",
            Self::Virtual => "virtual GPU",
            Self::Other => "other",
            Self::Software => "software",
        })
    }
}

/// A device that can be opened.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DeviceInfo {
    /// The name that the driver gives it.
    pub name: String,
    /// What it is.
    pub kind: DeviceKind,
    /// The interface it is reached by, such as `vulkan`.
    pub interface: String,
    /// The driver and its version.
    pub driver: String,
    /// Whether it computes with `f64`.
    pub has_f64: bool,
    /// Whether it computes with `i64`.
    pub has_i64: bool,
    /// Whether it computes with `f16`.
    pub has_f16: bool,
    /// The most bytes of an array.
    pub max_array_bytes: u64,
}

impl DeviceInfo {
    /// Whether it is a driver that computes on the CPU.
    pub fn is_software(&self) -> bool {
        self.kind == DeviceKind::Software
    }
}

impl fmt::Display for DeviceInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            name,
            kind,
            interface,
            driver,
            has_f64,
            has_i64,
            has_f16,
            max_array_bytes,
        } = self;
        let has = |has: bool, ty| {
            if has {
                format!(", {ty}")
            } else {
                String::new()
            }
        };
        let more = has(*has_f64, "f64") + &has(*has_i64, "i64") + &has(*has_f16, "f16");
        let most = max_array_bytes >> 20;
        write!(
            f,
            "{name} ({kind}, {interface}, {driver}): f32, i32, u32{more}; arrays up to {most} MiB"
        )
    }
}

/// All devices, the ones to be preferred first: discrete GPUs before others, real ones before software.
pub fn devices() -> Vec<DeviceInfo> {
    let whole = |adapter| info(adapter, &Reduction::default().of(adapter));
    adapters().iter().map(whole).collect()
}

/// When the invocations of a workgroup do a row of a reduction or of a scan together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Groups {
    /// Each invocation works by itself, but for tiles of contractions. The rule on CPUs, where waiting for each other is
    /// expensive.
    Never,
    /// For long rows. The rule on GPUs.
    WherePaying,
    /// For all rows, and tiles for all contractions. For tests.
    Always,
}

/// The bytes that the arrays of a chunk should take at most, if nothing is said.
const CHUNK_BYTES: u64 = 1 << 28;

/// A device that was opened. Clones are the same device, which threads may share.
#[derive(Clone, Debug)]
pub struct Gpu {
    pub(crate) context: Context,
    info: DeviceInfo,
    /// What of the device is not used.
    pub(crate) reduction: Reduction,
    /// Whether kernels run the simple way only.
    pub(crate) is_simple: bool,
    pub(crate) groups: Groups,
    chunk_bytes: u64,
    /// The estimated seconds that the device is kept by one submission.
    submission_seconds: f64,
    /// Whether the host combines the updates of scatters: slow, and what is compared with.
    pub(crate) scatters_on_host: bool,
    /// What runs obey.
    pub(crate) control: Control,
}

impl Gpu {
    /// Opens the first device whose name contains `name`, whatever the case of its letters; the first of all if none
    /// is given.
    ///
    /// # Errors
    /// Where there is no such device, and where it cannot be opened.
    pub fn open(name: Option<&str>) -> Result<Self, GpuError> {
        match name {
            Some(name) => Self::builder().name(name).open(),
            None => Self::builder().open(),
        }
    }

    /// A device with less than it offers, such as a small one where there is none:
    ///
    /// ```
    /// use cotangent_backend_gpu::{Feature, Gpu, GpuError};
    /// match Gpu::builder().portable_limits().without(Feature::F64).open() {
    ///     Ok(gpu) => assert!(!gpu.info().has_f64 && gpu.info().max_array_bytes <= 256 << 20),
    ///     Err(GpuError::NoDevice { .. }) => println!("there is no GPU here"),
    ///     Err(error) => return Err(error),
    /// }
    /// # Ok::<(), GpuError>(())
    /// ```
    pub fn builder() -> GpuBuilder {
        GpuBuilder::default()
    }

    /// Opens the first device, with compiled shaders in a folder.
    #[cfg(test)]
    pub(crate) fn open_with_cache(folder: &Path) -> Result<Self, GpuError> {
        Self::opened(&Self::builder(), Some(folder))
    }

    pub(crate) fn opened(
        GpuBuilder { name, reduction }: &GpuBuilder,
        cache: Option<&Path>,
    ) -> Result<Self, GpuError> {
        let adapters = adapters();
        let wanted = |adapter: &&wgpu::Adapter| {
            let is = adapter.get_info().name.to_lowercase();
            let name = name.as_ref();
            name.is_none_or(|name| is.contains(&name.to_lowercase()))
        };
        let Some(adapter) = adapters.iter().find(wanted) else {
            return Err(GpuError::NoDevice {
                wanted: name.clone(),
                found: adapters.iter().map(|a| a.get_info().name).collect(),
            });
        };
        let offer = reduction.of(adapter);
        let info = info(adapter, &offer);
        let target = target(&offer);
        let context = Context::open(adapter, offer, target, cache)?;
        let software = info.is_software();
        Ok(Self {
            context,
            info,
            reduction: reduction.clone(),
            is_simple: false,
            groups: match software {
                true => Groups::Never,
                false => Groups::WherePaying,
            },
            chunk_bytes: CHUNK_BYTES,
            submission_seconds: SUBMISSION_SECONDS,
            scatters_on_host: false,
            control: Control::default(),
        })
    }

    /// The same device, whose runs obey a control: between what the host has the device do. What was handed to the device
    /// is finished, loops within kernels included.
    ///
    /// ```
    /// use cotangent_backend_gpu::{Gpu, GpuError};
    /// use cotangent_core::backend::Control;
    /// let control = Control::builder().max_trips(1_000).build();
    /// match Gpu::open(None) {
    ///     Ok(gpu) => assert!(format!("{:?}", gpu.with_control(&control)).contains("Some(1000)")),
    ///     Err(GpuError::NoDevice { .. }) => println!("there is no GPU here"),
    ///     Err(error) => return Err(error),
    /// }
    /// # Ok::<(), GpuError>(())
    /// ```
    pub fn with_control(&self, control: &Control) -> Self {
        Self {
            control: control.clone(),
            ..self.clone()
        }
    }

    /// The same device with another rule for workgroups.
    pub fn with_groups(self, groups: Groups) -> Self {
        Self { groups, ..self }
    }

    /// The same device with another limit for the bytes that the kernels of a strip hand to each other at a time: 256 MiB
    /// if nothing is said. What takes more is done in chunks, one after the other.
    pub fn with_chunk_bytes(self, chunk_bytes: u64) -> Self {
        Self {
            chunk_bytes,
            ..self
        }
    }

    /// See [`with_chunk_bytes`](Self::with_chunk_bytes).
    pub fn chunk_bytes(&self) -> u64 {
        self.chunk_bytes
    }

    /// The same device with another limit for how long one submission keeps it, half a second if nothing is said: what is
    /// estimated to take longer is submitted in several. Drivers stop what takes some seconds, and on a device
    /// that shows a screen, too, that stands still meanwhile. Estimates are rough, and too long rather than too short.
    pub fn with_submission_seconds(self, submission_seconds: f64) -> Self {
        Self {
            submission_seconds: submission_seconds.max(f64::MIN_POSITIVE),
            ..self
        }
    }

    /// See [`with_submission_seconds`](Self::with_submission_seconds).
    pub fn submission_seconds(&self) -> f64 {
        self.submission_seconds
    }

    /// The same device with another limit for what is bound to a shader at a time, as if it allowed no more: larger arrays
    /// are bound in several pieces. Less than what the device asks of where bindings begin, or more than it binds, counts
    /// as that. For tests.
    pub fn with_binding_bytes(mut self, binding_bytes: u64) -> Self {
        let limits = &self.context.limits;
        let least = limits.min_storage_buffer_offset_alignment.max(16).into();
        let most = limits.max_storage_buffer_binding_size.max(least);
        self.context.bindable.bytes = binding_bytes.clamp(least, most);
        self
    }

    /// The same device with another limit for the storage buffers that are bound to a shader at a time, as if it allowed
    /// no more: where a kernel uses more arrays, the smaller ones share a binding. More than the device binds counts as
    /// that, and less than one for each width of elements and the word that tells of failures makes kernels impossible.
    /// For tests; [`portable_limits`](GpuBuilder::portable_limits) are those of a real device.
    pub fn with_storage_buffers(mut self, buffers: u32) -> Self {
        let most = self.context.limits.max_storage_buffers_per_shader_stage;
        self.context.bindable.buffers = buffers.min(most);
        self
    }

    /// The same device, with scatters that add floats in whatever order they come: faster, but the last digits of results
    /// differ from run to run. Without this all results are the same each time. Types that the device has no atomic
    /// functions for are added as before. Values that meet are added one by one, so a sum of many `f32` is less exact, too.
    pub fn with_fast_atomics(mut self) -> Self {
        self.context.target.adds_in_any_order = true;
        self
    }

    /// The same device, with scatters done by the host.
    #[cfg(test)]
    pub(crate) fn with_host_scatters(mut self) -> Self {
        self.scatters_on_host = true;
        self
    }

    /// Whether it can tell how long kernels take.
    pub fn has_clock(&self) -> bool {
        let features = self.context.device.features();
        features.contains(wgpu::Features::TIMESTAMP_QUERY)
    }

    /// What it is.
    pub fn info(&self) -> &DeviceInfo {
        &self.info
    }

    /// What its shaders may use.
    pub fn target(&self) -> Target {
        self.context.target
    }
}

fn adapters() -> Vec<wgpu::Adapter> {
    let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle();
    descriptor.backends = wgpu::Backends::PRIMARY;
    let instance = wgpu::Instance::new(descriptor);
    let mut adapters = pollster::block_on(instance.enumerate_adapters(wgpu::Backends::PRIMARY));
    adapters.sort_by_key(|adapter| DeviceKind::of(adapter.get_info().device_type));
    adapters
}

/// What is said of a device of which so much is used.
fn info(adapter: &wgpu::Adapter, offer: &(wgpu::Features, wgpu::Limits)) -> DeviceInfo {
    let (info, target) = (adapter.get_info(), target(offer));
    let (_, limits) = offer;
    DeviceInfo {
        name: info.name,
        kind: DeviceKind::of(info.device_type),
        interface: info.backend.to_string(),
        driver: format!("{} {}", info.driver, info.driver_info)
            .trim()
            .to_owned(),
        has_f64: target.has(ScalarType::F64),
        has_i64: target.has(ScalarType::I64),
        has_f16: target.has(ScalarType::F16),
        max_array_bytes: max_array_bytes(limits),
    }
}

/// Workgroups that do a point together have so many invocations, or fewer where the device allows no more.
const GROUP: u32 = 256;
/// Workgroups have so many invocations, or fewer where the device allows no more.
const WORKGROUP: u32 = 64;

fn target((features, limits): &(wgpu::Features, wgpu::Limits)) -> Target {
    let most = limits
        .max_compute_workgroup_size_x
        .min(limits.max_compute_invocations_per_workgroup);
    Target {
        has_f64: features.contains(wgpu::Features::SHADER_F64),
        has_i64: features.contains(wgpu::Features::SHADER_INT64),
        has_f16: features.contains(wgpu::Features::SHADER_F16),
        workgroup: WORKGROUP.min(most),
        group: GROUP.min(1 << most.max(1).ilog2()),
        workgroup_bytes: limits.max_compute_workgroup_storage_size,
        has_subgroups: features.contains(wgpu::Features::SUBGROUP),
        has_i64_atomics: features.contains(wgpu::Features::SHADER_INT64_ATOMIC_ALL_OPS),
        has_f32_atomics: features.contains(wgpu::Features::SHADER_FLOAT32_ATOMIC),
        adds_in_any_order: false,
    }
}
