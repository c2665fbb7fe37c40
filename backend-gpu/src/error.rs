//! What can go wrong with a device.

/// Why a device could not be had, or failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GpuError {
    /// There is no device, or none of that name.
    #[error(
        "{}; install a Vulkan driver (`mesa-vulkan-drivers` on Debian has one that needs no GPU), or use the CPU",
        missing(.wanted, .found)
    )]
    NoDevice {
        /// A part of the name that was asked for.
        wanted: Option<String>,
        /// The names of the devices that there are.
        found: Vec<String>,
    },
    /// The device could not be opened.
    #[error("the device {device} could not be opened: {reason}")]
    Open {
        /// Its name.
        device: String,
        /// What the driver says.
        reason: String,
    },
    /// The device's memory is full, or a buffer is larger than it allows.
    #[error(
        "{bytes} bytes of memory of {device} could not be allocated: {reason}; use smaller arrays, or fewer at a time, or the CPU"
    )]
    OutOfMemory {
        /// The device's name.
        device: String,
        /// The size asked for.
        bytes: u64,
        /// The limit that was met, or what the driver says and how much it has given out.
        reason: String,
    },
    /// A kernel of more arrays than the device binds, or of larger ones.
    #[error(
        "a kernel takes {needed} bindings, one for each array that it reads or writes and more for large ones; \
         this device allows {most}"
    )]
    TooManyBindings {
        /// The bindings of the kernel, with two that are the backend's own.
        needed: u32,
        /// The most that the device allows.
        most: u32,
    },
    /// A shader that the driver does not take: a defect of this library, or of the driver.
    #[error("a shader was not accepted, please report it: {reason}")]
    Shader {
        /// What the driver says.
        reason: String,
    },
    /// The device was lost, or did not answer.
    #[error("the device was lost: {reason}")]
    Lost {
        /// What the driver says.
        reason: String,
    },
}

fn missing(wanted: &Option<String>, found: &[String]) -> String {
    match (wanted, found) {
        (_, []) => "there is no GPU".to_owned(),
        (None, _) => "no GPU could be chosen".to_owned(),
        (Some(wanted), _) => format!("no GPU is called {wanted:?}: there is {}", found.join(", ")),
    }
}
