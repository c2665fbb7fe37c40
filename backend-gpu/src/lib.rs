//! GPUs through wgpu: Vulkan now; no toolkit is needed, only a driver.
//!
//! [`devices`] lists what there is; a [`Gpu`] is one of them, opened. It runs single shaders as yet (`dispatch.rs`): a
//! shader's source is compiled once and kept, work beyond the device's limits is split, and what a driver refuses is an
//! error, never a panic: everything that may fail is created inside of an error scope (`context.rs`).

mod context;
mod device;
mod dispatch;
mod error;

#[cfg(test)]
mod tests;

pub use device::{DeviceInfo, Gpu, devices};
pub use dispatch::Memory;
pub use error::GpuError;
