//! WGSL text of kernels. Nothing here needs a device.

pub mod math;
