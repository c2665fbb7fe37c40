//! Tests without a device: what is printed is valid WGSL.
