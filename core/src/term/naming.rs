//! The two ways of naming variables.

use std::fmt::{self, Debug};
use std::hash::Hash;

/// What every kind of name can do.
pub trait Name: Copy + Eq + Ord + Hash + Debug + Send + Sync {}
impl<T: Copy + Eq + Ord + Hash + Debug + Send + Sync> Name for T {}

/// A way of naming variables: what stands at a use, and what at a binding.
pub trait Naming: Copy + Eq + Ord + Hash + Debug + Send + Sync + 'static {
    /// A use of a scalar variable.
    type Exp: Name;
    /// A use of an array variable.
    type Arr: Name;
    /// What a binding of a scalar variable carries.
    type ExpBinder: Name;
    /// What a binding of an array variable carries.
    type ArrBinder: Name;
}

/// Variables as distances: 0 is the variable bound last. Bindings carry nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DeBruijn {}

impl Naming for DeBruijn {
    type Exp = ExpIx;
    type Arr = ArrIx;
    type ExpBinder = ();
    type ArrBinder = ();
}

/// Variables as labels. A scalar label is unique within its [`Fun`](super::Fun), an array label within its
/// [`Program`](super::Program).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Labelled {}

impl Naming for Labelled {
    type Exp = ExpId;
    type Arr = ArrId;
    type ExpBinder = ExpId;
    type ArrBinder = ArrId;
}

macro_rules! names {
    ($($(#[$doc:meta])* $name:ident = $prefix:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub u32);

        impl $name {
            /// What its text begins with; its number follows.
            pub const PREFIX: &'static str = $prefix;
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}{}", $prefix, self.0)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}{}", $prefix, self.0)
            }
        }
    )*};
}

names! {
    /// The label of a scalar variable.
    ExpId = "x";
    /// The label of an array variable.
    ArrId = "a";
    /// The de Bruijn index of a scalar variable.
    ExpIx = "x@";
    /// The de Bruijn index of an array variable.
    ArrIx = "a@";
}
