//! The CPU backend: vector bytecode over rayon.
//!
//! A kernel's body is compiled once to bytecode whose instructions are loops over *columns* of some
//! hundred lanes (`lanes`, `code`), so that deciding what to do costs nothing per element and the compiler
//! vectorises what is done. A `machine` runs bytecode block by block; `kernel` puts blocks together to
//! maps, folds, scans and scatters and shares them among threads; `run` goes through the steps of a
//! schedule and looks after memory.
//!
//! Results depend on the program and its inputs alone: neither the number of threads nor the instruction
//! set changes a bit of them, but for contractions on the baseline, which has no fused multiply-add, and
//! for which NaN a NaN is, which IEEE 754 leaves open. Every access to an array is tested, those that the
//! schedule calls proved too: a wrong proof is reported, never executed.

#![deny(unsafe_code)]
// Without machine code, what only that needs to know of bytecode is not asked for.
#![cfg_attr(
    not(all(feature = "native", target_arch = "x86_64")),
    allow(dead_code, unused_imports)
)]

mod code;
#[allow(unsafe_code)]
mod contract;
mod few;
mod isa;
#[allow(unsafe_code)]
mod kernel;
#[allow(unsafe_code)]
mod lanes;
#[allow(unsafe_code)]
mod machine;
mod math;
#[allow(unsafe_code)]
mod memory;
mod native;
mod passes;
mod prepare;
#[allow(unsafe_code)]
mod run;
#[cfg(test)]
mod tests;

pub use isa::Isa;
pub use native::Native;
pub use prepare::Executable;

use cotangent_core::backend::{
    Backend, Control, KernelTime, Resident, RunError, RunMeasures, Timed,
};
use cotangent_core::host::HostArray;
use cotangent_core::schedule::{Checked, Schedule};
use isa::Target;
use rayon::ThreadPool;
use std::sync::Arc;

/// The CPU of this machine.
///
/// ```
/// use cotangent_backend_cpu::Cpu;
/// use cotangent_core::backend::Backend;
///
/// let cpu = Cpu::builder().threads(2).build()?;
/// assert!(cpu.name().starts_with("cpu"));
/// # Ok::<(), cotangent_backend_cpu::BuildError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Cpu {
    target: Target,
    threads: Threads,
    tries_operators: bool,
    control: Control,
}

#[derive(Clone, Debug)]
enum Threads {
    /// Those of rayon's global pool, or of the pool that the caller runs in.
    Ambient,
    /// The caller's.
    One,
    /// Threads of its own.
    Own(Arc<ThreadPool>),
}

impl Default for Cpu {
    /// All threads of rayon's global pool, and the widest instruction set there is.
    fn default() -> Self {
        Self {
            target: Target {
                isa: Isa::detect(),
                native: Native::default(),
            },
            threads: Threads::Ambient,
            tries_operators: cfg!(debug_assertions),
            control: Control::default(),
        }
    }
}

impl Cpu {
    /// The most threads that a backend can be made with.
    pub const MAX_THREADS: usize = 1024;

    /// Settings for a backend.
    pub fn builder() -> CpuBuilder {
        CpuBuilder {
            isa: Isa::detect(),
            native: None,
            threads: None,
            tries_operators: cfg!(debug_assertions),
        }
    }

    /// The same backend, whose runs obey a control.
    ///
    /// ```
    /// use cotangent_backend_cpu::Cpu;
    /// use cotangent_core::backend::Control;
    /// let control = Control::builder().max_trips(1_000_000).build();
    /// let cpu = Cpu::default().with_control(&control);
    /// control.cancel(); // From any thread: what `cpu` runs ends.
    /// assert!(format!("{cpu:?}").contains("is_cancelled: true"));
    /// ```
    pub fn with_control(&self, control: &Control) -> Self {
        Self {
            control: control.clone(),
            ..self.clone()
        }
    }

    /// The instruction set that this backend uses.
    pub fn isa(&self) -> Isa {
        self.target.isa
    }

    /// The number of threads that it runs on.
    pub fn threads(&self) -> usize {
        self.threads.count()
    }
}

/// Settings for a [`Cpu`].
#[derive(Clone, Debug)]
pub struct CpuBuilder {
    isa: Isa,
    native: Option<Native>,
    threads: Option<usize>,
    tries_operators: bool,
}

/// Why a backend could not be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// More threads than a backend can have.
    #[error(
        "{threads} threads were asked for; a backend has at most {limit}: leave the number out for one per processor"
    )]
    TooManyThreads {
        /// The number asked for.
        threads: usize,
        /// The largest number.
        limit: usize,
    },
    /// The system gave no threads.
    #[error("{threads} threads could not be started; ask for fewer")]
    Threads {
        /// The number asked for.
        threads: usize,
        /// What the thread pool says.
        source: rayon::ThreadPoolBuildError,
    },
}

impl CpuBuilder {
    /// Runs on that many threads of its own; on the caller's alone if it is 1, on one per processor if it
    /// is 0. At most [`Cpu::MAX_THREADS`]. Without this, on those of rayon's global pool.
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = Some(threads);
        self
    }

    /// Uses an instruction set, or the widest narrower one that this machine has. The results are the same
    /// for all, up to the rounding of products in contractions on the baseline.
    pub fn isa(mut self, isa: Isa) -> Self {
        self.isa = isa;
        self
    }

    /// Which parts of programs become machine code: `true` for those that run for long enough, `false` for none. Without
    /// this, what the variable `COTANGENT_NATIVE` says (`off` or `at-once`), or those that run for long enough. There is
    /// machine code for AVX-512; everything else has the bytecode alone, and the same results.
    ///
    /// ```
    /// use cotangent_backend_cpu::Cpu;
    /// let cpu = Cpu::builder().native(false).build()?;
    /// # Ok::<(), cotangent_backend_cpu::BuildError>(())
    /// ```
    pub fn native(mut self, native: impl Into<Native>) -> Self {
        self.native = Some(native.into());
        self
    }

    /// Whether operators of folds and scans that are not known to be associative are tried on some of the values that
    /// they combine: where two ways to put parentheses differ by more than rounding explains, the run is an error,
    /// [`RunError::NotAssociative`], with the line and the values. Known are sums, products, extrema and the operations
    /// on bits and truth values, each column by itself. A launch of another operator tries 16 triples and takes some
    /// ten to hundred microseconds more; a kernel that runs chunk by chunk is launched for each chunk. On where debug
    /// assertions are, off elsewhere, unless it is said here.
    pub fn check_associativity(mut self, check: bool) -> Self {
        self.tries_operators = check;
        self
    }

    /// The backend.
    ///
    /// # Errors
    /// Where there are too many threads, or they cannot be started.
    ///
    /// ```
    /// use cotangent_backend_cpu::{BuildError, Cpu};
    /// let far_too_many = Cpu::builder().threads(usize::MAX).build();
    /// assert!(matches!(far_too_many, Err(BuildError::TooManyThreads { .. })));
    /// ```
    pub fn build(self) -> Result<Cpu, BuildError> {
        let Self {
            isa,
            native,
            threads,
            tries_operators,
        } = self;
        let threads = match threads {
            None => Threads::Ambient,
            Some(1) => Threads::One,
            Some(threads) if threads > Cpu::MAX_THREADS => {
                return Err(BuildError::TooManyThreads {
                    threads,
                    limit: Cpu::MAX_THREADS,
                });
            }
            Some(n) => {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(n).build();
                let pool = pool.map_err(|source| BuildError::Threads { threads: n, source })?;
                Threads::Own(Arc::new(pool))
            }
        };
        Ok(Cpu {
            target: Target {
                isa: isa.or_narrower(),
                native: native.unwrap_or_default(),
            },
            threads,
            tries_operators,
            control: Control::default(),
        })
    }
}

impl Threads {
    fn count(&self) -> usize {
        match self {
            Self::Ambient => rayon::current_num_threads(),
            Self::One => 1,
            Self::Own(pool) => pool.current_num_threads(),
        }
    }

    /// Calls `work` on one of the threads.
    fn enter<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        match self {
            Self::Ambient => rayon::scope(|_| work()),
            Self::One => work(),
            Self::Own(pool) => pool.install(work),
        }
    }
}

impl Backend for Cpu {
    type Executable = Executable;

    fn name(&self) -> String {
        let isa = match self.target.isa {
            Isa::Baseline => "baseline",
            Isa::Avx2 => "avx2",
            Isa::Avx512 => "avx512",
        };
        format!("cpu ({isa}, {} threads)", self.threads.count())
    }

    fn watches_loops(&self) -> bool {
        self.control.watches_loops()
    }

    fn prepare(&self, schedule: &Checked<Schedule>) -> Result<Executable, RunError> {
        Executable::new(self.target, schedule, self.tries_operators)
    }

    fn run_measured(
        &self,
        executable: &Executable,
        inputs: &[HostArray],
    ) -> Result<(Vec<HostArray>, RunMeasures), RunError> {
        run::run((&self.threads, &self.control), executable, inputs)
    }
}

/// The time of a kernel is that of the thread that starts it, until all threads that share it are done; of kernels that several
/// threads start, as those of strips, it is that of all of them together.
impl Timed for Cpu {
    fn run_timed(
        &self,
        executable: &Executable,
        inputs: &[HostArray],
    ) -> Result<(Vec<HostArray>, Vec<KernelTime>), RunError> {
        run::run_timed((&self.threads, &self.control), executable, inputs)
    }
}

/// Where the CPU computes is where the host's arrays are.
impl Resident for Cpu {
    type Array = HostArray;

    fn put(&self, array: &HostArray) -> Result<HostArray, RunError> {
        Ok(array.clone())
    }

    fn shape_of(array: &HostArray) -> &[usize] {
        array.shape()
    }

    fn get(&self, arrays: &[HostArray]) -> Result<Vec<HostArray>, RunError> {
        Ok(arrays.to_vec())
    }

    fn run_there(
        &self,
        executable: &Executable,
        inputs: &[HostArray],
    ) -> Result<(Vec<HostArray>, RunMeasures), RunError> {
        self.run_measured(executable, inputs)
    }
}
