//! GPUs through wgpu: Vulkan now; no toolkit is needed, only a driver.
//!
//! [`devices`] lists what there is; a [`Gpu`] is one of them, opened, and a
//! [`Backend`](cotangent_core::backend::Backend). The host goes through the steps of a schedule (`run.rs`) and writes down
//! what the device is to do, by the shaders of `cotangent-shaders` (`recording.rs`), until somebody asks for a result. A
//! shader's source is compiled once and kept, work beyond the device's limits is split (`dispatch.rs`), and what a driver
//! refuses is an error, never a panic: everything that may fail is done inside of an error scope (`context.rs`). Where an
//! index is out of range, the program runs again synchronously, which tells the index.

mod array;
mod cache;
mod context;
mod device;
mod dispatch;
mod duration;
mod elements;
mod error;
mod memory;
mod needs;
mod opening;
mod pace;
mod pipelines;
mod prepare;
mod recording;
mod run;
mod staging;

#[cfg(test)]
mod tests;

pub use array::GpuArray;
pub use device::{DeviceInfo, DeviceKind, Gpu, Groups, devices};
pub use error::GpuError;
pub use opening::{Feature, GpuBuilder};
pub use prepare::Executable;
