//! Compiled shaders on disk, so that the next process need not compile them.
//!
//! The driver decides what is kept for a shader, and by which key; we keep a file for each version of this crate and each
//! device. It is in the user's cache directory, or where `COTANGENT_CACHE` says; `COTANGENT_CACHE=off` is none. A file
//! that cannot be read or written costs time, and nothing else, so nobody is told.
//!
//! A driver may take what it once gave for granted, and must not get anything else: a file has a checksum, and is replaced
//! as a whole.

use cotangent_core::hash::hash_of_bytes;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// Where caches are, or `off`.
const VARIABLE: &str = "COTANGENT_CACHE";
/// What a file begins with; then comes the checksum.
const MAGIC: &[u8; 16] = b"cotangent cache\n";
/// No file is larger: what is beyond is not kept.
const MOST_BYTES: usize = 64 << 20;

/// The compiled shaders of a device, which are written down when the last user of the device has gone.
#[derive(Debug)]
pub(crate) struct DiskCache {
    pub cache: wgpu::PipelineCache,
    path: PathBuf,
    /// What is in the file.
    written: Vec<u8>,
    /// The shaders compiled since.
    fresh: AtomicU64,
}

impl DiskCache {
    /// That of a device, if it can have one, in a folder or where the module says.
    pub fn open(
        adapter: &wgpu::Adapter,
        device: &wgpu::Device,
        folder: Option<&Path>,
    ) -> Option<Self> {
        let variable = folder.map(|folder| folder.as_os_str().to_owned());
        let variable = variable.or_else(|| std::env::var_os(VARIABLE));
        let path = path(&adapter.get_info(), variable.as_deref())?;
        if !device.features().contains(wgpu::Features::PIPELINE_CACHE) {
            return None;
        }
        let written = read(&path).unwrap_or_default();
        let data = (!written.is_empty()).then_some(written.as_slice());
        // SAFETY: what the file has is what `get_data` gave to this version of this crate, as the checksum shows; wgpu
        // and the driver see to it that it is of the same device and driver.
        let cache = unsafe {
            device.create_pipeline_cache(&wgpu::PipelineCacheDescriptor {
                label: None,
                data,
                fallback: true,
            })
        };
        Some(Self {
            cache,
            path,
            written,
            fresh: AtomicU64::new(0),
        })
    }

    /// Another shader was compiled.
    pub fn grow(&self) {
        self.fresh.fetch_add(1, Ordering::Relaxed);
    }

    /// Writes down what is not written.
    fn save(&self) -> io::Result<()> {
        if self.fresh.load(Ordering::Relaxed) == 0 {
            return Ok(());
        }
        let Some(data) = self.cache.get_data() else {
            return Ok(());
        };
        match self.written == data || data.len() > MOST_BYTES {
            true => Ok(()),
            false => write(&self.path, &data),
        }
    }
}

impl Drop for DiskCache {
    fn drop(&mut self) {
        // See the module: nobody is told.
        let _ = self.save();
    }
}

/// The file of a device.
fn path(info: &wgpu::AdapterInfo, variable: Option<&OsStr>) -> Option<PathBuf> {
    let key = wgpu::util::pipeline_cache_key(info)?;
    let folder = match variable {
        Some(off) if off == "off" => return None,
        Some(folder) if !folder.is_empty() => PathBuf::from(folder),
        Some(_) | None => dirs::cache_dir()?.join("cotangent"),
    };
    let file = format!("{}_{key}.bin", env!("CARGO_PKG_VERSION"));
    Some(folder.join(file))
}

/// What was written, if it is as it was written.
fn read(path: &Path) -> Option<Vec<u8>> {
    let bytes = fs::read(path).ok()?;
    let (sum, data) = bytes.strip_prefix(MAGIC)?.split_first_chunk()?;
    (u128::from_le_bytes(*sum) == checksum(data)).then(|| data.to_vec())
}

/// Replaces the file: others who read it see the old one or the new one.
fn write(path: &Path, data: &[u8]) -> io::Result<()> {
    let sum = checksum(data).to_le_bytes();
    let bytes = [MAGIC.as_slice(), &sum, data].concat();
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let beside = path.with_extension(format!("{}.tmp", std::process::id()));
    fs::write(&beside, bytes)?;
    fs::rename(&beside, path).inspect_err(|_| {
        let _ = fs::remove_file(&beside);
    })
}

fn checksum(data: &[u8]) -> u128 {
    hash_of_bytes(data.iter().copied())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Gpu;

    fn scratch(name: &str) -> PathBuf {
        let name = format!("cotangent-{name}-{}", std::process::id());
        std::env::temp_dir().join(name)
    }

    #[test]
    fn files_that_were_changed_are_not_read() {
        let folder = scratch("changed");
        let path = folder.join("file.bin");
        assert_eq!(read(&path), None);
        write(&path, b"compiled").unwrap();
        assert_eq!(read(&path).unwrap(), b"compiled");
        write(&path, b"again").unwrap();
        assert_eq!(read(&path).unwrap(), b"again");
        let mut bytes = fs::read(&path).unwrap();
        *bytes.last_mut().unwrap() ^= 1;
        for bad in [&bytes[..], &bytes[..20], b"", b"something else"] {
            fs::write(&path, bad).unwrap();
            assert_eq!(read(&path), None);
        }
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn the_place_is_what_the_variable_says() {
        let Ok(gpu) = Gpu::open(None) else {
            return println!("skipped: no GPU adapter");
        };
        let info = gpu.context.device.adapter_info();
        let of = |variable: &str| path(&info, Some(OsStr::new(variable)));
        assert_eq!(of("off"), None);
        let (there, usual) = (of("/there"), of(""));
        if let (Some(there), Some(usual)) = (there, usual) {
            assert!(there.starts_with("/there"));
            assert_eq!(there.file_name(), usual.file_name());
            assert!(there.to_string_lossy().contains(env!("CARGO_PKG_VERSION")));
        }
    }

    /// Two devices, one after the other, on the same file.
    #[test]
    fn what_one_process_compiles_the_next_one_has() {
        let folder = scratch("kept");
        let Ok(gpu) = Gpu::open_with_cache(&folder) else {
            return println!("skipped: no GPU adapter");
        };
        let Some(cache) = &gpu.context.cache else {
            return println!("skipped: a device without pipeline caches");
        };
        let path = cache.path.clone();
        cache.grow();
        drop(gpu);
        let written = read(&path).unwrap();
        assert!(!written.is_empty());
        let again = Gpu::open_with_cache(&folder).unwrap();
        let cache = again.context.cache.as_ref().unwrap();
        assert_eq!(cache.written, written);
        drop(again);
        fs::remove_dir_all(folder).unwrap();
    }
}
