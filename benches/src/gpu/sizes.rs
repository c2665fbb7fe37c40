//! How large the cases are.

use cotangent::DeviceInfo;

/// The sizes of all cases.
#[derive(Clone, Debug)]
pub struct Sizes {
    /// The bytes of the largest arrays of cases that are bound by bandwidth: a power of two.
    pub bytes: usize,
    /// Points that have chains of multiply-adds.
    pub points: usize,
    /// Rows, and columns, of matrices.
    pub matrices: &'static [usize],
    /// Points, dimensions, components.
    pub gmm: &'static [[usize; 3]],
    /// Cameras, points, observations.
    pub ba: &'static [[usize; 3]],
}

impl Sizes {
    /// What shows what a device can do in seconds: a driver that computes on the CPU gets less.
    pub fn of(info: &DeviceInfo, large: bool) -> Self {
        let (bytes, points, matrices): (_, _, &[usize]) = match (info.is_software(), large) {
            (true, false) => (4 << 20, 1 << 16, &[256, 512]),
            (true, true) => (64 << 20, 1 << 18, &[512, 1024]),
            (false, false) => (256 << 20, 1 << 20, &[512, 1024, 2048]),
            (false, true) => (1 << 30, 1 << 22, &[512, 1024, 2048, 4096]),
        };
        let most = usize::try_from(info.max_array_bytes).unwrap_or(usize::MAX);
        Self {
            bytes: bytes.min(1 << most.max(1).ilog2()),
            points,
            matrices,
            gmm: &[[1000, 10, 25], [1000, 64, 25], [10_000, 64, 50]],
            ba: &[[49, 7776, 31_843]],
        }
    }

    /// What shows that all cases run.
    #[cfg(test)]
    pub fn tiny() -> Self {
        Self {
            bytes: 1 << 12,
            points: 64,
            matrices: &[16],
            gmm: &[[10, 3, 2]],
            ba: &[[2, 5, 7]],
        }
    }
}
