//! WGSL text of kernels. Nothing here needs a device.
