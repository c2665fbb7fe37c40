//! Arguments and results of programs: arrays, and tuples and lists of them.

use super::acc::Acc;
use super::array::Array;
use super::elt::{Elt, scalar_types};
use super::node_acc;
use super::session::{Call, RawAcc, RawColumns};
use super::shape::Shape;
use crate::host::HostArray;
use crate::term::Alike;
use crate::typed::{Env, Scalars};
use crate::types::ArrayType;

/// An array of a program; or a tuple of such, or a list `[X; N]`, of up to sixteen, also nested. Derive it for structs: `#[derive(Clone, Copy, Arrays)] struct Model { .. }` makes `ModelHost`, with
/// the same fields as host arrays.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an array of a program, nor a tuple of such",
    label = "programs and gradients take and give `Acc<Sh, T>`, tuples and arrays `[X; N]` (of up to sixteen) and `#[derive(Arrays)]` structs of them",
    note = "an expression becomes an array with `unit`, and a host array with `use_`"
)]
pub trait Arrays: Copy + 'static {
    /// The same form, of host arrays.
    type Host;

    /// The types of all columns, as an environment of [typed terms](crate::typed).
    type Types: Env<ArrayType>;

    /// Appends the types of all columns.
    fn array_types(out: &mut Vec<ArrayType>) {
        Self::Types::push_types(out);
    }

    /// Appends the number of columns of each array.
    fn column_counts(out: &mut Vec<usize>);

    /// Appends for each column whether it says which variants of an enum there are, which a derivative has from what it is of.
    fn tags(out: &mut Vec<bool>);

    /// Appends the arrays.
    fn to_raw(self, out: &mut Vec<RawAcc>);

    /// Takes the columns of all arrays.
    fn from_columns(source: &mut RawColumns) -> Self;

    /// Appends the columns of host arrays.
    fn from_host(host: Self::Host, out: &mut Vec<HostArray>);

    /// Takes the columns of host arrays; `None` where they do not fit.
    fn to_host(source: &mut dyn Iterator<Item = HostArray>) -> Option<Self::Host>;
}

/// The types of all columns of `X`.
pub(super) fn array_types<X: Arrays>() -> Vec<ArrayType> {
    let mut types = vec![];
    X::array_types(&mut types);
    types
}

/// Which columns of `X` belong to one array.
pub(super) fn alike<X: Arrays>() -> Alike {
    let mut counts = vec![];
    X::column_counts(&mut counts);
    Alike::of_columns(counts)
}

/// The arrays in a value.
pub(super) fn to_raw<X: Arrays>(arrays: X) -> Vec<RawAcc> {
    let mut raw = vec![];
    arrays.to_raw(&mut raw);
    raw
}

/// All columns in a value.
pub(super) fn columns_of<X: Arrays>(call: Call, arrays: X) -> RawColumns {
    RawColumns::of(call, node_acc::columns(call, &to_raw(arrays)))
}

/// The derivative of, or by, `value`, whose columns are the next of `derivative`: zeros say nothing of its variants, which are those
/// of the value.
pub(super) fn derivative_of<X: Arrays>(call: Call, value: X, derivative: &mut RawColumns) -> X {
    let derivative = X::from_columns(derivative);
    let mut tags = vec![];
    X::tags(&mut tags);
    if !tags.contains(&true) {
        return derivative;
    }
    let [mut values, mut derivatives] = [value, derivative].map(|x| columns_of(call, x));
    let mut tags = tags.into_iter();
    of_each_column(call, |_| {
        let [value, derivative] = [values.take(1), derivatives.take(1)];
        if tags.next() == Some(true) {
            value
        } else {
            derivative
        }
    })
}

/// The value of which each column is made by itself.
pub(super) fn of_each_column<X: Arrays>(call: Call, column: impl FnMut(ArrayType) -> RawAcc) -> X {
    let all: Vec<RawAcc> = array_types::<X>().into_iter().map(column).collect();
    X::from_columns(&mut RawColumns::of(call, node_acc::columns(call, &all)))
}

impl<Sh: Shape, T: Elt> Arrays for Acc<Sh, T> {
    type Host = Array<Sh, T>;
    type Types = <T::Scalars as Scalars>::Arrays<Sh::Typed>;

    fn column_counts(out: &mut Vec<usize>) {
        out.push(scalar_types::<T>().len());
    }

    fn tags(out: &mut Vec<bool>) {
        T::tags(out);
    }

    fn to_raw(self, out: &mut Vec<RawAcc>) {
        out.push(self.raw());
    }

    fn from_columns(source: &mut RawColumns) -> Self {
        source.take_as()
    }

    fn from_host(host: Array<Sh, T>, out: &mut Vec<HostArray>) {
        out.extend(host.into_columns());
    }

    fn to_host(source: &mut dyn Iterator<Item = HostArray>) -> Option<Array<Sh, T>> {
        let columns = source.take(scalar_types::<T>().len()).collect();
        Array::from_columns(columns)
    }
}

/// The types of some arrays, one after the other.
macro_rules! types_of {
    () => { () };
    ($first:ident $($rest:ident)*) => { types_of!(@ ($first::Types) $($rest)*) };
    (@ ($all:ty)) => { $all };
    (@ ($all:ty) $next:ident $($rest:ident)*) => {
        types_of!(@ (<$next::Types as Env<ArrayType>>::On<$all>) $($rest)*)
    };
}

macro_rules! tuples {
    ($(($($t:ident $v:ident),*))*) => {$(
        #[allow(unused_variables)] // In the empty tuple.
        impl<$($t: Arrays),*> Arrays for ($($t,)*) {
            type Host = ($($t::Host,)*);
            type Types = types_of!($($t)*);

            fn column_counts(out: &mut Vec<usize>) {
                $($t::column_counts(out);)*
            }

            fn tags(out: &mut Vec<bool>) {
                $($t::tags(out);)*
            }

            fn to_raw(self, out: &mut Vec<RawAcc>) {
                let ($($v,)*) = self;
                $($v.to_raw(out);)*
            }

            #[allow(clippy::unused_unit)]
            fn from_columns(source: &mut RawColumns) -> Self {
                ($($t::from_columns(source),)*)
            }

            fn from_host(host: Self::Host, out: &mut Vec<HostArray>) {
                let ($($v,)*) = host;
                $($t::from_host($v, out);)*
            }

            fn to_host(source: &mut dyn Iterator<Item = HostArray>) -> Option<Self::Host> {
                Some(($($t::to_host(source)?,)*))
            }
        }
    )*};
}

tuples! {
    ()
    (A a)
    (A a, B b)
    (A a, B b, C c)
    (A a, B b, C c, D d)
    (A a, B b, C c, D d, F f)
    (A a, B b, C c, D d, F f, G g)
    (A a, B b, C c, D d, F f, G g, H h)
    (A a, B b, C c, D d, F f, G g, H h, I i)
    (A a, B b, C c, D d, F f, G g, H h, I i, J j)
    (A a, B b, C c, D d, F f, G g, H h, I i, J j, K k)
    (A a, B b, C c, D d, F f, G g, H h, I i, J j, K k, L l)
    (A a, B b, C c, D d, F f, G g, H h, I i, J j, K k, L l, M m)
    (A a, B b, C c, D d, F f, G g, H h, I i, J j, K k, L l, M m, N n)
    (A a, B b, C c, D d, F f, G g, H h, I i, J j, K k, L l, M m, N n, O o)
    (A a, B b, C c, D d, F f, G g, H h, I i, J j, K k, L l, M m, N n, O o, P p)
    (A a, B b, C c, D d, F f, G g, H h, I i, J j, K k, L l, M m, N n, O o, P p, Q q)
}

/// Arrays of arrays of a program: so many of one type.
macro_rules! lists {
    ($($n:literal: $($t:ident)*;)*) => {$(
        impl<X: Arrays> Arrays for [X; $n] {
            type Host = [X::Host; $n];
            type Types = types_of!($($t)*);

            fn column_counts(out: &mut Vec<usize>) {
                (0..$n).for_each(|_| X::column_counts(out));
            }

            fn tags(out: &mut Vec<bool>) {
                (0..$n).for_each(|_| X::tags(out));
            }

            fn to_raw(self, out: &mut Vec<RawAcc>) {
                self.into_iter().for_each(|x| x.to_raw(out));
            }

            fn from_columns(source: &mut RawColumns) -> Self {
                std::array::from_fn(|_| X::from_columns(source))
            }

            fn from_host(host: Self::Host, out: &mut Vec<HostArray>) {
                host.into_iter().for_each(|x| X::from_host(x, out));
            }

            fn to_host(source: &mut dyn Iterator<Item = HostArray>) -> Option<Self::Host> {
                let all: Option<Vec<X::Host>> = (0..$n).map(|_| X::to_host(source)).collect();
                all?.try_into().ok()
            }
        }
    )*};
}

lists! {
    1: X;
    2: X X;
    3: X X X;
    4: X X X X;
    5: X X X X X;
    6: X X X X X X;
    7: X X X X X X X;
    8: X X X X X X X X;
    9: X X X X X X X X X;
    10: X X X X X X X X X X;
    11: X X X X X X X X X X X;
    12: X X X X X X X X X X X X;
    13: X X X X X X X X X X X X X;
    14: X X X X X X X X X X X X X X;
    15: X X X X X X X X X X X X X X X;
    16: X X X X X X X X X X X X X X X X;
}
