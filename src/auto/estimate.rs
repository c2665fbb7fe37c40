//! How long a run takes, roughly: what [`Auto`](super::Auto) compares.
//!
//! The time is a sum, as if nothing overlapped: so much for the run, so much for each kernel that is started, and what
//! there is to move and to compute at constant rates. **The rates are typical of a kind of device; none was measured on
//! the device at hand.** They are meant to tell microseconds from seconds: where both times are within a factor of
//! a few of each other, either choice may be the wrong one.

use cotangent_backend_gpu::DeviceKind;
use cotangent_explain::Work;

/// What a kind of device does, in seconds and per second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Rates {
    /// Seconds for a run, whatever it does.
    per_run: f64,
    /// Seconds for starting a kernel.
    per_kernel: f64,
    /// Seconds for each byte that goes to the device or comes from it.
    per_byte_moved: f64,
    /// Seconds for each byte that a kernel reads or writes.
    per_byte: f64,
    /// Seconds for each floating-point operation of kernels without `f64`.
    per_flop: f64,
    /// Seconds for each floating-point operation of kernels with `f64`.
    per_flop_f64: f64,
}

/// One thread of a CPU, at 3 GHz or so: eight lanes of `f32` in AVX2, an operation of which takes a cycle where its
/// operands are in the first cache, as the bytecode has them; what of it is reached is about a third. Half
/// the lanes for `f64`.
const THREAD_FLOPS: f64 = 8e9;
/// A core gets some 10 GB/s out of main memory,
const THREAD_BANDWIDTH: f64 = 8e9;
/// and all together the 40 GB/s of two channels of DDR4-3200 or so.
const CPU_BANDWIDTH: f64 = 40e9;

/// A card of the middle class of recent years: 10 TFLOP/s of `f32` and 400 GB/s on its data sheet. Of the operations a
/// tenth is reached by kernels that are not tuned for the device, of the bandwidth about two thirds. `f64` runs at a
/// 32nd of the speed (gaming cards have a 32nd or a 64th; those of data centres have a half, and are underestimated).
/// PCIe 4.0 has 25 GB/s, of which copies through a staging buffer leave a quarter. Recording, submitting and waiting
/// takes some hundred microseconds a run, a kernel about twenty.
const DISCRETE: Rates = Rates {
    per_run: 300e-6,
    per_kernel: 20e-6,
    per_byte_moved: 1.0 / 6e9,
    per_byte: 1.0 / 250e9,
    per_flop: 1.0 / 1e12,
    per_flop_f64: 32.0 / 1e12,
};

/// A GPU that shares its memory with the CPU, or about which nothing is known: 1 TFLOP/s of `f32` and the bandwidth of
/// the CPU. Copies are copies in memory.
const INTEGRATED: Rates = Rates {
    per_run: 300e-6,
    per_kernel: 20e-6,
    per_byte_moved: 1.0 / 8e9,
    per_byte: 1.0 / 30e9,
    per_flop: 1.0 / 100e9,
    per_flop_f64: 32.0 / 100e9,
};

/// A device that takes no time: tests have it chosen whatever there is to do.
#[cfg(test)]
pub(crate) const FREE: Rates = Rates {
    per_run: 0.0,
    per_kernel: 0.0,
    per_byte_moved: 0.0,
    per_byte: 0.0,
    per_flop: 0.0,
    per_flop_f64: 0.0,
};

impl Rates {
    /// A CPU with so many threads. Starting a kernel wakes them, which takes some microseconds.
    pub(crate) fn of_cpu(threads: usize) -> Self {
        let threads = threads.max(1) as f64;
        Self {
            per_run: 10e-6,
            per_kernel: 5e-6,
            per_byte_moved: 0.0,
            per_byte: 1.0 / (threads * THREAD_BANDWIDTH).min(CPU_BANDWIDTH),
            per_flop: 1.0 / (threads * THREAD_FLOPS),
            per_flop_f64: 2.0 / (threads * THREAD_FLOPS),
        }
    }

    /// A GPU of a kind.
    pub(crate) fn of_gpu(kind: DeviceKind) -> Self {
        match kind {
            DeviceKind::Discrete => DISCRETE,
            DeviceKind::Integrated
            | DeviceKind::Virtual
            | DeviceKind::Other
            | DeviceKind::Software => INTEGRATED,
        }
    }

    /// The seconds that a run takes which starts so many kernels.
    pub(crate) fn seconds(&self, work: &Work, kernels: u64) -> f64 {
        let Self {
            per_run,
            per_kernel,
            per_byte_moved,
            per_byte,
            per_flop,
            per_flop_f64,
        } = self;
        let moved = work.inputs_bytes as f64 + work.results_bytes as f64;
        per_run
            + per_kernel * kernels as f64
            + per_byte_moved * moved
            + per_byte * work.bytes as f64
            + per_flop * work.flops as f64
            + per_flop_f64 * work.flops_f64 as f64
    }
}
