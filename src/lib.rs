//! A typed functional array language with automatic differentiation.
//!
//! Programs are composed from collective operations on arrays ([`prelude`]), compiled once by [`compile`],
//! and run for arrays of any extents on a backend such as [`Cpu`].
//!
//! ```
//! use cotangent::prelude::*;
//! use cotangent::{Cpu, compile};
//!
//! # fn main() -> Result<(), cotangent::Error> {
//! let dot = |x: Acc<Ix1, f64>, y: Acc<Ix1, f64>| x.zip_with(y, |a, b| a * b).sum();
//! let gradient = compile(move |x: Acc<Ix1, f64>, y: Acc<Ix1, f64>| gradient_a(|x| dot(x, y), x))?;
//! let (x, y) = (Array::from_vec([2], vec![1.0, 2.0])?, Array::from_vec([2], vec![3.0, 4.0])?);
//! assert_eq!(gradient.run(&Cpu::default(), (x, y))?.to_vec(), [3.0, 4.0]);
//! # Ok(())
//! # }
//! ```
//!
//! The feature `gpu` adds GPUs: `Gpu` is a backend, and `Auto` chooses between both by the size of the work.

#[cfg(feature = "gpu")]
mod auto;
mod check_grad;
mod dump;
mod error;
mod passes;
mod placed;
mod program;

pub use check_grad::{Derivative, GradCheck, check_grad};
#[doc(inline)]
pub use cotangent_backend_cpu::{BuildError, Cpu, CpuBuilder, Isa, Native};
#[doc(inline)]
pub use cotangent_core::backend::{
    Backend, Control, ControlBuilder, LoopProgress, Progress, Resident, RunError, RunMeasures,
    Site, Timed, Trace,
};
#[doc(inline)]
pub use cotangent_core::host::{Column, HostArray, HostArrayError, reserved};
#[doc(inline)]
pub use cotangent_core::interp::NonFinite;
#[doc(inline)]
pub use cotangent_core::loc::Loc;
#[doc(inline)]
pub use cotangent_core::parse::Hosts;
#[doc(inline)]
pub use cotangent_core::rounding::f16;
/// What functions that are generic over shapes, elements or programs ask of them, beside what is in the [`prelude`].
#[doc(inline)]
pub use cotangent_core::surface::{
    AccFn, Any, Bits, Dims, ExpFn, IntoAcc, Is, Single, Slice, Traced,
};
/// Programs as terms with types, to look at and to write: see [`Program::typed`] and [`Program::from_typed`].
#[doc(inline)]
pub use cotangent_core::typed;
#[doc(inline)]
pub use cotangent_core::types::{ArrayType, ScalarType};
#[doc(inline)]
pub use cotangent_explain as explain;
#[doc(inline)]
pub use cotangent_explain::Explanation;
pub use error::Error;
pub use placed::Placed;
pub use program::{ErasedProgram, Program, compile, compile_text};

#[cfg(feature = "gpu")]
pub use auto::{Auto, AutoBuilder, AutoExecutable, Choice, Chosen, Reason};

#[cfg(feature = "gpu")]
#[doc(inline)]
pub use cotangent_backend_gpu::{
    DeviceInfo, DeviceKind, Feature as GpuFeature, GpuArray, GpuBuilder, GpuError, devices,
};

/// ```
/// use cotangent::prelude::*;
/// use cotangent::{Gpu, GpuError, compile};
///
/// let norm = compile(|x: Acc<Ix1, f32>| x.map(|x| x * x).sum())?;
/// let x = Array::vector(vec![1.0, 2.0, 3.0])?;
/// match Gpu::open(None) {
///     Ok(gpu) => assert_eq!(norm.run(&gpu, x)?.to_vec(), [14.0]),
///     Err(error @ GpuError::NoDevice { .. }) => println!("{error}"),
///     Err(error) => return Err(error.into()),
/// }
/// # Ok::<(), cotangent::Error>(())
/// ```
#[cfg(feature = "gpu")]
#[doc(inline)]
pub use cotangent_backend_gpu::Gpu;

#[doc(hidden)]
pub use cotangent_core as __private;

/// Everything that programs are written with, `#[derive(Elt)]` and `#[derive(Arrays)]` included.
pub mod prelude {
    #[doc(inline)]
    pub use cotangent_core::surface::prelude::*;
    #[doc(inline)]
    pub use cotangent_derive::{Arrays, Elt};
}

/// The errors inside of [`Error`], by the stage that finds them.
pub mod errors {
    pub use crate::program::ColumnsError;
    #[doc(inline)]
    pub use cotangent_ad::AdError;
    #[doc(inline)]
    pub use cotangent_core::backend::RunError;
    #[doc(inline)]
    pub use cotangent_core::check::CheckError;
    #[doc(inline)]
    pub use cotangent_core::graph::SurfaceError;
    #[doc(inline)]
    pub use cotangent_core::host::HostArrayError;
    #[doc(inline)]
    pub use cotangent_core::parse::{ParseError, ParseProblem, Place};
    #[doc(inline)]
    pub use cotangent_core::schedule::check::ScheduleError;
    #[doc(inline)]
    pub use cotangent_core::surface::{InterpretError, SparsityError};
    #[doc(inline)]
    pub use cotangent_core::typed::CastError;
    #[doc(inline)]
    pub use cotangent_explain::ExplainError;
    #[doc(inline)]
    pub use cotangent_fusion::FusionError;
}

/// The code of the README, run as a test.
#[cfg(all(doctest, feature = "gpu"))]
#[doc = include_str!("../README.md")]
struct ReadMe;
