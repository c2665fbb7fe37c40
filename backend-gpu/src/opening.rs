//! How a device is opened: which one, and how much of it is used.
//!
//! A device that offers more can be opened as one that offers less, so that what others have can be tried where it is
//! not. What is left out is left out of what the driver is asked for, so that wgpu itself refuses whatever goes beyond.

use crate::device::Gpu;
use crate::error::GpuError;
use std::fmt;
use wgpu::{Features, Limits};

/// Something that not every device offers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Feature {
    /// Computing with `f64`.
    F64,
    /// Computing with `i64`. Without it there is no `f64`, either: there is no other way to the bits.
    I64,
    /// Computing with `f16`.
    F16,
    /// Combining the values of a subgroup.
    Subgroups,
    /// Atomic functions of `i64`.
    I64Atomics,
    /// Adding `f32` atomically.
    F32Atomics,
    /// Telling how long kernels take.
    Clock,
}

impl Feature {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::F64,
        Self::I64,
        Self::F16,
        Self::Subgroups,
        Self::I64Atomics,
        Self::F32Atomics,
        Self::Clock,
    ];

    /// What a driver is not asked for without it.
    fn of_driver(self) -> Features {
        match self {
            Self::F64 => Features::SHADER_F64,
            Self::I64 => Features::SHADER_INT64 | Features::SHADER_INT64_ATOMIC_ALL_OPS,
            Self::F16 => Features::SHADER_F16,
            Self::Subgroups => Features::SUBGROUP,
            Self::I64Atomics => Features::SHADER_INT64_ATOMIC_ALL_OPS,
            Self::F32Atomics => Features::SHADER_FLOAT32_ATOMIC,
            Self::Clock => Features::TIMESTAMP_QUERY,
        }
    }
}

impl fmt::Display for Feature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::F64 => "f64",
            Self::I64 => "i64",
            Self::F16 => "f16",
            Self::Subgroups => "subgroups",
            Self::I64Atomics => "atomic i64",
            Self::F32Atomics => "atomic f32",
            Self::Clock => "a clock",
        })
    }
}

/// Opens a device; see [`Gpu::builder`].
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct GpuBuilder {
    pub(crate) name: Option<String>,
    pub(crate) reduction: Reduction,
}

impl GpuBuilder {
    /// The first device whose name contains this, whatever the case of its letters.
    pub fn name(self, name: impl Into<String>) -> Self {
        let name = Some(name.into());
        Self { name, ..self }
    }

    /// With the limits that WebGPU guarantees and no more: among others 8 storage buffers a shader, 128 MiB of each, 16
    /// KiB of workgroup memory and 256 invocations a workgroup. So the device is as small as any that there is.
    pub fn portable_limits(mut self) -> Self {
        self.reduction.has_portable_limits = true;
        self
    }

    /// Without a feature, whether the device has it or not.
    pub fn without(mut self, feature: Feature) -> Self {
        if !self.reduction.without.contains(&feature) {
            self.reduction.without.push(feature);
            self.reduction.without.sort_unstable();
        }
        self
    }

    /// As little as every device offers: [`portable_limits`](Self::portable_limits), and none of the [`Feature`]s.
    pub fn portable(self) -> Self {
        Feature::ALL
            .into_iter()
            .fold(self.portable_limits(), Self::without)
    }

    /// Opens it.
    ///
    /// # Errors
    /// As of [`Gpu::open`].
    pub fn open(self) -> Result<Gpu, GpuError> {
        Gpu::opened(&self, None)
    }
}

/// What is left out of a device.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Reduction {
    has_portable_limits: bool,
    /// Sorted.
    without: Vec<Feature>,
}

impl Reduction {
    /// What is left of an adapter's features, and of its limits.
    pub fn of(&self, adapter: &wgpu::Adapter) -> (Features, Limits) {
        let without = self.without.iter().map(|feature| feature.of_driver());
        let without = without.fold(Features::empty(), Features::union);
        let limits = match self.has_portable_limits {
            true => Limits::default(),
            false => adapter.limits(),
        };
        (adapter.features() & (wanted() - without), limits)
    }
}

/// As a part of a name: nothing where nothing is left out.
impl fmt::Display for Reduction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.has_portable_limits {
            f.write_str(", portable limits")?;
        }
        let mut without = self.without.iter();
        without.try_for_each(|feature| write!(f, ", without {feature}"))
    }
}

/// The features of devices that are made use of.
fn wanted() -> Features {
    let of_driver = Feature::ALL.into_iter().map(Feature::of_driver);
    of_driver.fold(Features::PIPELINE_CACHE, Features::union)
}
