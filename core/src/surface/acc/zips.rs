//! Zips of more arrays than are common: up to nine, as in Accelerate.

use super::{Acc, Is, join};
use crate::surface::elt::{E, Elt};
use crate::surface::functions::unary;
use crate::surface::given::{ExpFn, IntoAcc};
use crate::surface::node_acc;
use crate::surface::session::{Call, RawColumns};
use crate::surface::shape::Shape;

macro_rules! zip {
    ($name:ident($($t:ident $b:ident $v:ident),+) $count:literal) => {
        #[doc = concat!("Corresponding elements of ", $count, " arrays; of each dimension, the least extent counts.")]
        #[track_caller]
        #[allow(clippy::too_many_arguments)] // As many as the name says.
        pub fn $name<$($t: Elt, $b: IntoAcc<Sh, $t>),+>(self, $($v: $b),+) -> Acc<Sh, (T, $($t),+)> {
            let args = [self.raw(), $($v.into_acc().raw()),+];
            Acc::from_raw(join::<(T, $($t),+)>(Call::here(stringify!($name)), &args))
        }
    };
}

macro_rules! zip_with {
    ($name:ident($($t:ident $b:ident $v:ident),+) $count:literal) => {
        #[doc = concat!("`f` on corresponding elements of ", $count, " arrays; of each dimension, the least extent counts.")]
        #[track_caller]
        #[allow(clippy::too_many_arguments)] // As many as the name says.
        pub fn $name<$($t: Elt, $b: IntoAcc<Sh, $t>,)+ R, F>(self, $($v: $b,)+ f: F) -> Acc<Sh, F::Elt>
        where
            F: FnOnce(E<T>, $(E<$t>),+) -> R + ExpFn<(E<T>, $(E<$t>),+)>,
        {
            let call = Call::here(stringify!($name));
            let f = unary::<(T, $($t),+), E<F::Elt>>(call, |all| f.apply(all));
            let args = [self.raw(), $($v.into_acc().raw()),+];
            Acc::from_raw(node_acc::map(call, f, &args))
        }
    };
}

macro_rules! unzip {
    ($name:ident($($t:ident),+) $count:literal) => {
        #[doc = concat!("The parts of tuples of ", $count, ".")]
        #[track_caller]
        #[allow(clippy::type_complexity)] // As many as the name says.
        pub fn $name<$($t: Elt),+>(self) -> ($(Acc<Sh, $t>),+)
        where
            T: Is<($($t),+)>,
        {
            let mut columns = RawColumns::of(Call::here(stringify!($name)), self.raw());
            ($(columns.take_as::<Sh, $t>()),+)
        }
    };
}

/// Zips of up to nine arrays: `zip4` to `zip9`, `zip_with5` to `zip_with9`, and `unzip4` to `unzip9`.
///
/// ```
/// # use cotangent_core::surface::prelude::*;
/// type V = Acc<Ix1, i32>;
/// let sums = |a: V, b: V| a.zip_with5(b, a, b, a, |a, b, c, d, e| a + b + c + d + e);
/// let thirds = |a: V, b: V| a.zip4(b, a.map(|x| 2 * x), b).unzip4().2;
/// let inputs = || (Array::vector(vec![1, 2]).unwrap(), Array::vector(vec![10, 20, 30]).unwrap());
/// assert_eq!(interpret(sums, inputs())?.to_vec(), [23, 46]);
/// assert_eq!(interpret(thirds, inputs())?.to_vec(), [2, 4]);
/// # Ok::<(), InterpretError>(())
/// ```
impl<Sh: Shape, T: Elt> Acc<Sh, T> {
    zip!(zip4(U BU second, V BV third, W BW fourth) "four");
    zip!(zip5(U BU second, V BV third, W BW fourth, X BX fifth) "five");
    zip!(zip6(U BU second, V BV third, W BW fourth, X BX fifth, Y BY sixth) "six");
    zip!(zip7(U BU second, V BV third, W BW fourth, X BX fifth, Y BY sixth, A BA seventh) "seven");
    zip!(zip8(U BU second, V BV third, W BW fourth, X BX fifth, Y BY sixth, A BA seventh, B BB eighth) "eight");
    zip!(zip9(U BU second, V BV third, W BW fourth, X BX fifth, Y BY sixth, A BA seventh, B BB eighth, C BC ninth) "nine");

    zip_with!(zip_with5(U BU second, V BV third, W BW fourth, X BX fifth) "five");
    zip_with!(zip_with6(U BU second, V BV third, W BW fourth, X BX fifth, Y BY sixth) "six");
    zip_with!(zip_with7(U BU second, V BV third, W BW fourth, X BX fifth, Y BY sixth, A BA seventh) "seven");
    zip_with!(zip_with8(U BU second, V BV third, W BW fourth, X BX fifth, Y BY sixth, A BA seventh, B BB eighth) "eight");
    zip_with!(zip_with9(U BU second, V BV third, W BW fourth, X BX fifth, Y BY sixth, A BA seventh, B BB eighth, C BC ninth) "nine");

    unzip!(unzip4(A, B, C, D) "four");
    unzip!(unzip5(A, B, C, D, G) "five");
    unzip!(unzip6(A, B, C, D, G, H) "six");
    unzip!(unzip7(A, B, C, D, G, H, I) "seven");
    unzip!(unzip8(A, B, C, D, G, H, I, J) "eight");
    unzip!(unzip9(A, B, C, D, G, H, I, J, K) "nine");
}
