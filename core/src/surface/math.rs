//! Methods of scalars: elementary functions, order, comparisons, logic, rounding, conversion.
//!
//! The docs of a method say what its derivative is where that is a convention: at a kink, a jump or a pole. `partial.rs` of
//! the interpreter has them all, and a test compares these sentences with what engines do (`conventions.rs`).

macro_rules! unary {
    ($($(#[$doc:meta])* $class:ident: $name:ident = $prim:ident;)*) => {$(
        $(#[$doc])*
        #[track_caller]
        pub fn $name(self) -> Self
        where
            T: $class,
        {
            self.prim(Prim::$prim, &[])
        }
    )*};
}

macro_rules! binary {
    ($($(#[$doc:meta])* $class:ident: $name:ident = $prim:ident -> $out:ty;)*) => {$(
        $(#[$doc])*
        #[track_caller]
        pub fn $name<R: Lift<T>>(self, other: R) -> Exp<$out>
        where
            T: $class,
        {
            self.prim(Prim::$prim, &[other.lift().raw()])
        }
    )*};
}

/// Rounding to an integer type.
macro_rules! rounding_to {
    ($($(#[$doc:meta])* $name:ident = $round:ident;)*) => {$(
        $(#[$doc])*
        #[track_caller]
        pub fn $name<U: Integral>(self) -> Exp<U>
        where
            T: Float,
        {
            self.$round().to()
        }
    )*};
}

mod bits;
mod compare;
mod composed;
mod convert;
mod elementary;
mod integers;
mod layout;
mod overflow;
mod special;
