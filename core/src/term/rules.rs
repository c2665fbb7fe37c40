//! Derivatives by decree: the rules of [`AccOp::Custom`](super::AccOp::Custom).

/// How the results of an operation change with its inputs, as the user says: at least one of two rules, each a function.
///
/// Both are linear in what they are given of tangents or cotangents. Nothing checks that; derivatives of what is not are
/// whatever an engine makes of it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Rules<C> {
    /// Forward mode: from the results and the tangents of the inputs to the tangents of the results. Reverse mode is its
    /// transposition.
    Jvp(C),
    /// Reverse mode: from the results and their cotangents to the cotangents of the inputs. Forward mode is refused.
    Vjp(C),
    /// One for each mode, transpositions of each other.
    Both {
        /// As of [`Rules::Jvp`].
        jvp: C,
        /// As of [`Rules::Vjp`].
        vjp: C,
    },
}

impl<C> Rules<C> {
    /// The name of the operation, as users know it.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Jvp(_) => "custom_jvp",
            Self::Vjp(_) => "custom_vjp",
            Self::Both { .. } => "custom_rules",
        }
    }

    /// The rule of forward mode.
    pub const fn jvp(&self) -> Option<&C> {
        match self {
            Self::Jvp(jvp) | Self::Both { jvp, vjp: _ } => Some(jvp),
            Self::Vjp(_) => None,
        }
    }

    /// The rule of reverse mode.
    pub const fn vjp(&self) -> Option<&C> {
        match self {
            Self::Vjp(vjp) | Self::Both { jvp: _, vjp } => Some(vjp),
            Self::Jvp(_) => None,
        }
    }

    /// The rules by their names, forward mode first.
    pub fn named(&self) -> Vec<(&'static str, &C)> {
        match self {
            Self::Jvp(jvp) => vec![("jvp", jvp)],
            Self::Vjp(vjp) => vec![("vjp", vjp)],
            Self::Both { jvp, vjp } => vec![("jvp", jvp), ("vjp", vjp)],
        }
    }

    /// The same, to be rewritten.
    pub fn named_mut(&mut self) -> Vec<(&'static str, &mut C)> {
        match self {
            Self::Jvp(jvp) => vec![("jvp", jvp)],
            Self::Vjp(vjp) => vec![("vjp", vjp)],
            Self::Both { jvp, vjp } => vec![("jvp", jvp), ("vjp", vjp)],
        }
    }

    /// The same rules in another form.
    pub fn map<D>(&self, mut f: impl FnMut(&C) -> D) -> Rules<D> {
        match self {
            Self::Jvp(jvp) => Rules::Jvp(f(jvp)),
            Self::Vjp(vjp) => Rules::Vjp(f(vjp)),
            Self::Both { jvp, vjp } => Rules::Both {
                jvp: f(jvp),
                vjp: f(vjp),
            },
        }
    }
}
