//! The transcendental functions, one lane at a time.
//!
//! The lane loops call these for every element and are compiled once per instruction set; a function that
//! is branch-free and `#[inline(always)]` is therefore vectorised with the loop around it.

macro_rules! from_std {
    ($($(#[$doc:meta])* $name:ident = $std:ident;)*) => {
        /// For `f64`.
        pub(crate) mod double {
            $($(#[$doc])* #[inline(always)] pub(crate) fn $name(x: f64) -> f64 { x.$std() })*
            /// xʸ.
            #[inline(always)]
            pub(crate) fn pow(x: f64, y: f64) -> f64 {
                x.powf(y)
            }
            /// The angle of the point (y, x).
            #[inline(always)]
            pub(crate) fn atan2(y: f64, x: f64) -> f64 {
                y.atan2(x)
            }
        }
        /// For `f32`.
        pub(crate) mod single {
            $($(#[$doc])* #[inline(always)] pub(crate) fn $name(x: f32) -> f32 { x.$std() })*
            /// xʸ.
            #[inline(always)]
            pub(crate) fn pow(x: f32, y: f32) -> f32 {
                x.powf(y)
            }
            /// The angle of the point (y, x).
            #[inline(always)]
            pub(crate) fn atan2(y: f32, x: f32) -> f32 {
                y.atan2(x)
            }
        }
    };
}

from_std! {
    /// eˣ.
    exp = exp;
    /// eˣ − 1.
    exp_m1 = exp_m1;
    /// ln x.
    ln = ln;
    /// ln(1 + x).
    ln_1p = ln_1p;
    /// sin x.
    sin = sin;
    /// cos x.
    cos = cos;
    /// tan x.
    tan = tan;
    /// arcsin x.
    asin = asin;
    /// arccos x.
    acos = acos;
    /// arctan x.
    atan = atan;
    /// sinh x.
    sinh = sinh;
    /// cosh x.
    cosh = cosh;
    /// tanh x.
    tanh = tanh;
    /// arsinh x.
    asinh = asinh;
    /// arcosh x.
    acosh = acosh;
    /// artanh x.
    atanh = atanh;
}
