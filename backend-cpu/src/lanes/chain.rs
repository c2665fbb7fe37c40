//! Two steps of a sum of products in one loop: `±(±x ± a·b) ± c·d`.
//!
//! Derivatives are sums of many products. Each operation rounds as it does alone.
//!
//! Unsafe code: raw pointers, as in the module above.

use super::column;
use super::destination;
use super::number::{f32, f64};
use super::{Binary, Pair, RingOp};
use crate::isa::Isa;
use cotangent_core::integer_type;
use cotangent_core::types::ScalarType;
use std::marker::PhantomData;

/// The operands of a chain: `a`, `b`, `x`, `c`, `d`.
pub(crate) type Operands = [*const u8; 5];

/// A loop over `n` lanes of five columns.
///
/// # Safety
/// As for [`LaneFn`](super::LaneFn), all operands being columns.
pub(crate) type ChainFn = unsafe fn(n: usize, dst: *mut u8, operands: &Operands);

/// What is done with a product and a sum so far.
trait Step {
    type Number: Binary;

    /// `product` and `sum`, combined.
    fn apply(product: X<Self>, sum: X<Self>) -> X<Self>;
}

type X<S> = <<S as Step>::Number as Binary>::X;

/// `product + sum`, or `product − sum`.
struct Plain<O>(PhantomData<O>);
/// `sum − product`.
struct Swapped<O>(PhantomData<O>);

impl<O: Binary<R = <O as Binary>::X>> Step for Plain<O> {
    type Number = O;

    #[inline(always)]
    fn apply(product: O::X, sum: O::X) -> O::X {
        O::apply(product, sum)
    }
}

impl<O: Binary<R = <O as Binary>::X>> Step for Swapped<O> {
    type Number = O;

    #[inline(always)]
    fn apply(product: O::X, sum: O::X) -> O::X {
        O::apply(sum, product)
    }
}

/// The text of a chain: `S` after `F`, products by `M`.
struct Chain<M, F, S>(PhantomData<(M, F, S)>);

impl<M, F, S> Chain<M, F, S>
where
    M: Binary<R = <M as Binary>::X>,
    F: Step<Number: Binary<X = M::X>>,
    S: Step<Number: Binary<X = M::X>>,
{
    /// # Safety
    /// As for [`ChainFn`].
    #[inline(always)]
    unsafe fn run(n: usize, dst: *mut u8, [a, b, x, c, d]: &Operands) {
        // SAFETY: `ChainFn` asks for five columns of `n` lanes, and a destination of as many that nothing else
        // refers to.
        let (out, [a, b, x, c, d]) = unsafe {
            let columns = [a, b, x, c, d].map(|operand| column::<M::X>(*operand, n));
            (destination::<M::X>(dst, n), columns)
        };
        let products = a.iter().zip(b).zip(x).zip(c.iter().zip(d));
        for (out, (((&a, &b), &x), (&c, &d))) in out.iter_mut().zip(products) {
            let first = F::apply(M::apply(a, b), x);
            *out = S::apply(M::apply(c, d), first);
        }
    }
}

macro_rules! wrapper {
    ($(#[$attribute:meta])* $name:ident) => {
        /// # Safety
        /// As for [`ChainFn`].
        $(#[$attribute])*
        unsafe fn $name<M, F, S>(n: usize, dst: *mut u8, operands: &Operands)
        where
            M: Binary<R = <M as Binary>::X>,
            F: Step<Number: Binary<X = M::X>>,
            S: Step<Number: Binary<X = M::X>>,
        {
            // SAFETY: `ChainFn` asks of its caller what `Chain::run` does, and the features of this wrapper
            // besides.
            unsafe { Chain::<M, F, S>::run(n, dst, operands) }
        }
    };
}

wrapper!(baseline);
wrapper!(
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    avx2
);
wrapper!(
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl")]
    avx512
);

fn instance<M, F, S>(isa: Isa) -> ChainFn
where
    M: Binary<R = <M as Binary>::X>,
    F: Step<Number: Binary<X = M::X>>,
    S: Step<Number: Binary<X = M::X>>,
{
    #[cfg(target_arch = "x86_64")]
    match isa {
        Isa::Baseline => baseline::<M, F, S>,
        Isa::Avx2 => avx2::<M, F, S>,
        Isa::Avx512 => avx512::<M, F, S>,
    }
    #[cfg(not(target_arch = "x86_64"))]
    match isa {
        Isa::Baseline | Isa::Avx2 | Isa::Avx512 => baseline::<M, F, S>,
    }
}

/// How a product is combined with what is not one.
#[derive(Clone, Copy)]
enum Form {
    Add,
    ProductLess,
    LessProduct,
}

impl Form {
    fn of(pair: Pair) -> Option<Self> {
        match (pair.inner, pair.outer, pair.swapped) {
            (RingOp::Mul, RingOp::Add, _) => Some(Self::Add),
            (RingOp::Mul, RingOp::Sub, false) => Some(Self::ProductLess),
            (RingOp::Mul, RingOp::Sub, true) => Some(Self::LessProduct),
            (RingOp::Mul, RingOp::Mul, _) | (RingOp::Add | RingOp::Sub, _, _) => None,
        }
    }
}

/// The loop of two pairs on floats of type `ty`, the second of which takes the result of the first for its third
/// operand; `None` unless both are a product and a sum or difference.
pub(crate) fn chain_fn(isa: Isa, [first, second]: [Pair; 2], ty: ScalarType) -> Option<ChainFn> {
    let forms = (Form::of(first)?, Form::of(second)?);
    macro_rules! of_type {
        ($m:ident) => {{
            type Add = Plain<$m::Add>;
            type Less = Plain<$m::Sub>;
            type From = Swapped<$m::Sub>;
            match forms {
                (Form::Add, Form::Add) => instance::<$m::Mul, Add, Add>(isa),
                (Form::Add, Form::ProductLess) => instance::<$m::Mul, Add, Less>(isa),
                (Form::Add, Form::LessProduct) => instance::<$m::Mul, Add, From>(isa),
                (Form::ProductLess, Form::Add) => instance::<$m::Mul, Less, Add>(isa),
                (Form::ProductLess, Form::ProductLess) => instance::<$m::Mul, Less, Less>(isa),
                (Form::ProductLess, Form::LessProduct) => instance::<$m::Mul, Less, From>(isa),
                (Form::LessProduct, Form::Add) => instance::<$m::Mul, From, Add>(isa),
                (Form::LessProduct, Form::ProductLess) => instance::<$m::Mul, From, Less>(isa),
                (Form::LessProduct, Form::LessProduct) => instance::<$m::Mul, From, From>(isa),
            }
        }};
    }
    match ty {
        ScalarType::F32 => Some(of_type!(f32)),
        ScalarType::F64 => Some(of_type!(f64)),
        ScalarType::Bool | integer_type!() | ScalarType::F16 => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn combined(pair: Pair, product: f64, sum: f64) -> f64 {
        match (pair.outer, pair.swapped) {
            (RingOp::Add, _) => product + sum,
            (RingOp::Sub, false) => product - sum,
            (RingOp::Sub, true) => sum - product,
            (RingOp::Mul, _) => product * sum,
        }
    }

    #[test]
    fn chains_round_as_their_steps() {
        let pair = |outer, swapped| Pair {
            inner: RingOp::Mul,
            outer,
            swapped,
        };
        let pairs = [
            pair(RingOp::Add, false),
            pair(RingOp::Add, true),
            pair(RingOp::Sub, false),
            pair(RingOp::Sub, true),
        ];
        let n = 43;
        let columns: [Vec<f64>; 5] = std::array::from_fn(|k| {
            (0..n)
                .map(|i| 1.0 / f64::from(i * 5 + k as i32 + 1))
                .collect()
        });
        for isa in Isa::ALL.into_iter().filter(|isa| isa.is_available()) {
            for (first, second) in pairs
                .iter()
                .flat_map(|f| pairs.iter().map(move |s| (*f, *s)))
            {
                let f = chain_fn(isa, [first, second], ScalarType::F64).unwrap();
                let mut found = vec![0.0; n as usize];
                let operands = columns.each_ref().map(|c| c.as_ptr().cast());
                // SAFETY: all columns have `n` elements.
                unsafe { f(n as usize, found.as_mut_ptr().cast(), &operands) }
                let [a, b, x, c, d] = &columns;
                for (i, found) in found.iter().enumerate() {
                    let sum = combined(first, a[i] * b[i], x[i]);
                    assert_eq!(*found, combined(second, c[i] * d[i], sum), "{isa:?} {i}");
                }
            }
        }
    }
}
