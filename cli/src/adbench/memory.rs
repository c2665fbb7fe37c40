//! The memory of this process.

/// The most physical memory that this process had at a time, in bytes; none where the system does not say.
/// Linux does, in kibibytes, in a line such as `VmHWM:      1234 kB`.
pub fn peak_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
}
