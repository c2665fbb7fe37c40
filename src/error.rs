//! Everything that can go wrong between closure and result.

use crate::program::ColumnsError;
use cotangent_ad::AdError;
use cotangent_backend_cpu::BuildError;
use cotangent_core::backend::RunError;
use cotangent_core::check::CheckError;
use cotangent_core::graph::SurfaceError;
use cotangent_core::host::HostArrayError;
use cotangent_core::parse::ParseError;
use cotangent_core::schedule::check::ScheduleError;
use cotangent_core::surface::{InterpretError, SparsityError};
use cotangent_core::typed::CastError;
use cotangent_explain::ExplainError;
use cotangent_fusion::FusionError;

/// An error of compiling or running a program.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The closures do not make a program.
    #[error(transparent)]
    Surface(#[from] SurfaceError),
    /// The text of a program is none.
    #[error(transparent)]
    Parse(#[from] ParseError),
    /// The program asks for a derivative that is not to be had.
    #[error(transparent)]
    Ad(#[from] AdError),
    /// The program failed while it ran.
    #[error(transparent)]
    Run(#[from] RunError),
    /// A CPU backend cannot be set up.
    #[error(transparent)]
    Cpu(#[from] BuildError),
    /// A host array cannot be made.
    #[error(transparent)]
    Array(#[from] HostArrayError),
    /// Compressed rows are no sparsity pattern.
    #[error(transparent)]
    Sparsity(#[from] SparsityError),
    /// A pass of the compiler made an ill-typed program: a defect of this library.
    #[error("internal error, please report it: {0}")]
    Check(#[from] CheckError),
    /// Fusion made an ill-typed schedule: a defect of this library.
    #[error("internal error, please report it: {0}")]
    Schedule(#[from] ScheduleError),
    /// A program was taken for one of other types.
    #[error(transparent)]
    Cast(#[from] CastError),
    /// Columns of one array came out with several shapes.
    #[error(transparent)]
    Columns(#[from] ColumnsError),
    /// Shapes were given that do not fit the program.
    #[error(transparent)]
    Explain(#[from] ExplainError),
    /// A program that was interpreted at once has no result.
    #[error(transparent)]
    Interpret(#[from] InterpretError),
    /// The program asks for something that no kernel can do.
    #[error(transparent)]
    Fusion(#[from] FusionError),
    /// There is no GPU, or it cannot be opened.
    #[cfg(feature = "gpu")]
    #[error(transparent)]
    Gpu(#[from] cotangent_backend_gpu::GpuError),
}
