//! The two ways to take a derivative.

/// Which derivative [`AccOp::Derivative`](super::AccOp::Derivative) and
/// [`ExpOp::Derivative`](super::ExpOp::Derivative) take.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Mode {
    /// Of one number by all parameters: reverse mode.
    Gradient {
        /// Whether the value comes first among the results.
        with_value: bool,
    },
    /// Of all results along one direction: forward mode, the product of the Jacobian with a vector.
    Jvp,
}

impl Mode {
    /// The name of the operation on arrays, as users know it.
    pub const fn acc_name(self) -> &'static str {
        match self {
            Self::Gradient { with_value: _ } => "gradient_a",
            Self::Jvp => "jvp_a",
        }
    }

    /// The name of the operation on scalars, as users know it.
    pub const fn exp_name(self) -> &'static str {
        match self {
            Self::Gradient { with_value: _ } => "gradient_e",
            Self::Jvp => "jvp_e",
        }
    }
}
