//! GPUs through wgpu: Vulkan now; no toolkit is needed, only a driver.
//!
//! [`devices`] lists what there is; a [`Gpu`] is one of them, opened, and a
//! [`Backend`](cotangent_core::backend::Backend). The host goes through the steps of a schedule (`run.rs`), the device
//! does the kernels, by the shaders of `cotangent-shaders`. A shader's source is compiled once and kept, work beyond the
//! device's limits is split (`dispatch.rs`), and what a driver refuses is an error, never a panic: everything that may
//! fail is created inside of an error scope (`context.rs`). Where an index is out of range, the device tells the part of
//! the kernel, and the host goes through it again to say which index it was.
//!
//! What a scatter sends is combined by the host as yet, in the order of the points (`run/scatters.rs`).

mod array;
mod cache;
mod context;
mod device;
mod dispatch;
mod elements;
mod error;
mod memory;
mod needs;
mod prepare;
mod recording;
mod run;
mod staging;

#[cfg(test)]
mod tests;

pub use array::GpuArray;
pub use device::{DeviceInfo, Gpu, Groups, devices};
pub use error::GpuError;
pub use prepare::Executable;
