//! What can go wrong in an example.

use std::path::PathBuf;

/// Why an example could not be run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExampleError {
    /// The program could not be compiled or run.
    #[error(transparent)]
    Program(#[from] cotangent::Error),
    /// Numbers or extents of an input do not fit into the types of programs.
    #[error("{what} is {value}, and at most {most} is possible")]
    TooLarge {
        /// What is too large.
        what: &'static str,
        /// How large it is.
        value: usize,
        /// The largest that is possible.
        most: usize,
    },
    /// There is nothing to compute or to draw.
    #[error("{0}")]
    Nothing(&'static str),
    /// An option is for another device.
    #[error("{0}")]
    Options(&'static str),
    /// A file could not be written.
    #[error("{}: {source}", path.display())]
    Output {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
}

/// The result of an example.
pub type Result<T> = std::result::Result<T, ExampleError>;

/// A size as the number that programs compute with.
///
/// # Errors
/// Where it exceeds an `i32`.
pub fn size(what: &'static str, value: usize) -> Result<i32> {
    let most = i32::MAX as usize;
    i32::try_from(value).map_err(|_| ExampleError::TooLarge { what, value, most })
}
