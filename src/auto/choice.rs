//! Which backend runs a program, and why: a function of the work and of what the devices are.

use super::estimate::Rates;
use cotangent_core::backend::RunError;
use cotangent_explain::Work;
use std::fmt;

/// One of the two backends that [`Auto`](super::Auto) holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chosen {
    /// The CPU.
    Cpu,
    /// The GPU.
    Gpu,
}

/// Which backend runs a program for inputs of given shapes, and why.
///
/// [`Display`](fmt::Display) says both in a line.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Choice {
    /// The backend.
    pub on: Chosen,
    /// Why it is that one.
    pub reason: Reason,
}

/// Why a backend was chosen.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Reason {
    /// There is no GPU, or it could not be opened: what was said.
    NoGpu(String),
    /// The only GPU is a driver that computes on the CPU: its name.
    Software(String),
    /// The GPU lacks something that the program needs, such as a type: what was said.
    Unsupported(String),
    /// An array is larger than the GPU allows.
    TooLarge {
        /// The size of the array.
        bytes: u64,
        /// The most that the GPU allows.
        most: u64,
    },
    /// How much there is to do depends on elements of arrays, which nobody knows before the run.
    DependsOnData,
    /// The estimated times. They are rough: `auto/estimate.rs` says what they are made from.
    Estimate {
        /// On the CPU.
        cpu_seconds: f64,
        /// On the GPU, copies to it and from it included.
        gpu_seconds: f64,
    },
}

/// What matters of a GPU for a choice.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Device {
    pub rates: Rates,
    /// The most bytes of an array.
    pub max_array_bytes: u64,
}

/// The choice for some work, which is none where it depends on data, between a CPU and a GPU that can do it; or the
/// reason why there is no such GPU.
pub(super) fn choose(work: Option<&Work>, cpu: &Rates, gpu: Result<&Device, &Reason>) -> Choice {
    let (on, reason) = match (gpu, work) {
        (Err(reason), _) => (Chosen::Cpu, reason.clone()),
        (Ok(_), None) => (Chosen::Cpu, Reason::DependsOnData),
        (Ok(device), Some(work)) => between(work, cpu, device),
    };
    Choice { on, reason }
}

fn between(work: &Work, cpu: &Rates, gpu: &Device) -> (Chosen, Reason) {
    let (bytes, most) = (work.largest_array_bytes, gpu.max_array_bytes);
    if bytes > most {
        return (Chosen::Cpu, Reason::TooLarge { bytes, most });
    }
    // Threads go through a strip once; a GPU starts its kernels anew for each chunk.
    let cpu_seconds = cpu.seconds(work, work.kernels);
    let gpu_seconds = gpu.rates.seconds(work, work.launches);
    let on = match gpu_seconds < cpu_seconds {
        true => Chosen::Gpu,
        false => Chosen::Cpu,
    };
    let reason = Reason::Estimate {
        cpu_seconds,
        gpu_seconds,
    };
    (on, reason)
}

/// Why the CPU takes over from a GPU that refused: because it lacks something, memory included, or is gone. Any other
/// error is the program's.
pub(super) fn refusal(error: RunError) -> Result<Reason, RunError> {
    match error {
        RunError::Unsupported { .. }
        | RunError::OutOfMemory { .. }
        | RunError::DeviceMemory { .. }
        | RunError::LoopTooLong { .. }
        | RunError::DeviceLost { .. } => Ok(Reason::Unsupported(error.to_string())),
        error => Err(error),
    }
}

impl fmt::Display for Chosen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Cpu => "cpu",
            Self::Gpu => "gpu",
        })
    }
}

impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.on, self.reason)
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoGpu(error) | Self::Unsupported(error) => f.write_str(error),
            Self::Software(name) => {
                write!(f, "{name} is no GPU, but a driver that computes on the CPU")
            }
            Self::TooLarge { bytes, most } => {
                write!(f, "an array has {bytes} bytes, and the GPU allows {most}")
            }
            Self::DependsOnData => {
                f.write_str("how much there is to do depends on the elements of arrays")
            }
            Self::Estimate {
                cpu_seconds,
                gpu_seconds,
            } => write!(
                f,
                "estimated at {:.3} ms on the CPU and {:.3} ms on the GPU",
                cpu_seconds * 1e3,
                gpu_seconds * 1e3
            ),
        }
    }
}
