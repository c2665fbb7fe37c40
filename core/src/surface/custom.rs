//! Derivatives by decree: functions that come with a rule, and values that count as constant.
//!
//! Array code has an operation for it, whose rules are functions. Scalar code is small enough that a rule can be asked for all
//! partial derivatives: it is called once for each input, or each result.

use super::arrays::{Arrays, array_types, columns_of, of_each_column, to_raw};
use super::elt::{self, E, Elt, scalar_types};
use super::lift::{IntoExp, Lift};
use super::node_acc;
use super::node_exp;
use super::session::{Call, RawAcc, RawColumns, RawExp, acc_lambda, columns, exp_lambda, make_acc};
use crate::constant::Const;
use crate::graph::ArrRef;
use crate::prim::Prim;
use crate::term::Rules;
use crate::types::{ArrayType, ScalarType};

/// The same arrays, which derivatives take for constant: nothing is differentiated by them, nor by what they depend on.
///
/// ```
/// # use cotangent_core::surface::prelude::*;
/// type V = Acc<Ix1, f64>;
/// let weighted = |x: V| stop_gradient(x).zip_with(x, |w, x| w * x).sum();
/// let gradient = interpret(|x: V| gradient_a(weighted, x), Array::vector(vec![2.0, 3.0])?)?;
/// assert_eq!(gradient.to_vec(), [2.0, 3.0]); // Not 2x.
/// # Ok::<(), InterpretError>(())
/// ```
#[track_caller]
pub fn stop_gradient<X: Arrays>(x: X) -> X {
    let call = Call::here("stop_gradient");
    let mut all = columns_of(call, x);
    of_each_column(call, |ty| stopped(call, ty, all.take(1)))
}

/// A column that counts as constant.
fn stopped(call: Call, ty: ArrayType, column: RawAcc) -> RawAcc {
    if !ty.elem.is_float() {
        return column;
    }
    let f = exp_lambda(call, vec![ty.elem], |x| {
        vec![node_exp::with_partials(call, &x[..1])]
    });
    node_acc::map(call, f, &[column])
}

/// The same expression, which derivatives take for constant.
///
/// ```
/// # use cotangent_core::surface::prelude::*;
/// let f = |x: Acc<Ix1, f64>| x.map(|x| gradient_e(|x| stop_gradient_e(x) * x, x));
/// assert_eq!(interpret(f, Array::vector(vec![2.0])?)?.to_vec(), [2.0]);
/// # Ok::<(), InterpretError>(())
/// ```
#[track_caller]
pub fn stop_gradient_e<X: IntoExp>(x: X) -> E<X::Elt> {
    let call = Call::here("stop_gradient_e");
    let pairs = elt::to_raw::<X::Elt>(x.into_exp()).into_iter();
    let pairs = pairs.zip(scalar_types::<X::Elt>());
    let all = pairs.map(|(x, ty)| match ty.is_float() {
        true => node_exp::with_partials(call, &[x]),
        false => x,
    });
    elt::from_raw::<X::Elt>(&all.collect::<Vec<_>>())
}

/// A function at `x`, with a rule for its derivative along a direction: `jvp` is given `x`, the results, and a tangent for each
/// array of `x`, and makes one for each result.
///
/// The rule must be linear in the tangents. It serves all derivatives, for reverse mode transposed by the system. Where it reads
/// the results, their derivative is the rule again, so there are second derivatives, too. What rule and function use from outside
/// counts as constant. Tangents have the types and shapes of what they belong to: of those that `jvp` makes, what is beyond
/// is cut off, zeros stand for what is missing, and those of arrays that are not floats do not count.
///
/// The solution y of y = cos(x·y), by iteration, and differentiated without going through the iteration:
/// y′ = −sin(x·y)·(x′·y + x·y′).
///
/// ```
/// # use cotangent_core::surface::prelude::*;
/// type V = Acc<Ix1, f64>;
/// let solve = |x: V| aiterate(100, |_, y: V| x.zip_with(y, |x, y| (x * y).cos()), x);
/// let rule = |x: V, y: V, dx: V| {
///     let steepness = x.zip_with(y, |x, y| -(x * y).sin());
///     let by_y = steepness.zip_with(x, |s, x| 1.0 / (1.0 - s * x));
///     let by_x = steepness.zip_with(y, |s, y| s * y);
///     by_x.zip_with(by_y, |a, b| a * b).zip_with(dx, |a, dx| a * dx)
/// };
/// let gradient = |x: V| gradient_a(|x: V| custom_jvp(solve, rule, x).sum(), x);
/// let dx = interpret(gradient, Array::vector(vec![0.5])?)?.to_vec();
/// assert!((dx[0] - -0.32168).abs() < 1e-4);
/// # Ok::<(), InterpretError>(())
/// ```
#[track_caller]
pub fn custom_jvp<X: Arrays, Y: Arrays>(
    f: impl FnOnce(X) -> Y,
    jvp: impl FnOnce(X, Y, X) -> Y,
    x: X,
) -> Y {
    let call = Call::here("custom_jvp");
    // Nothing is differentiated through `f` itself.
    let values = to_raw(f(stop_gradient(x)));
    let jvp = acc_lambda(call, types_of_two::<Y, X>(), |params| {
        let y = Y::from_columns(params);
        to_raw(jvp(x, y, X::from_columns(params)))
    });
    let rules = jvp.map(Rules::Jvp);
    of_columns(call, node_acc::custom(call, rules, &values, &to_raw(x)))
}

/// A function at `x`, with a rule for its derivative in reverse mode: `forward` gives the results and *residuals*, any arrays that
/// `backward` is to have, such as `x` or the results; `backward` is given these and a cotangent for each result, and makes one for
/// each array of `x`.
///
/// The rule must be linear in the cotangents. Second derivatives differentiate it in its turn: through the residuals, by what
/// `forward` made them of; through results among them by the rule again. What both functions use from outside counts as
/// constant. Types and shapes are as for [`custom_jvp`]; what is not to be differentiated by gets zeros.
///
/// Derivatives along a direction, as of [`jvp_a`](super::jvp_a), do not go through it: that is an error when the program is compiled.
/// [`custom_rules`] takes a rule for each mode. (A derivative along a direction of a *gradient*, as [`hvp_a`](super::hvp_a) takes,
/// does.)
///
/// ```
/// # use cotangent_core::surface::prelude::*;
/// type V = Acc<Ix1, f64>;
/// // ln(1 + eˣ), whose derivative by the usual rules is NaN where eˣ overflows.
/// let softplus = |x: V| {
///     let forward = |x: V| (x.map(|x| (1.0 + x.exp()).ln()), x);
///     let backward = |x: V, dy: V| x.zip_with(dy, |x, dy| dy / (1.0 + (-x).exp()));
///     custom_vjp(forward, backward, x)
/// };
/// let gradient = |x: V| gradient_a(|x: V| softplus(x).sum(), x);
/// let dx = interpret(gradient, Array::vector(vec![0.0, 1000.0])?)?;
/// assert_eq!(dx.to_vec(), [0.5, 1.0]);
/// # Ok::<(), InterpretError>(())
/// ```
#[track_caller]
pub fn custom_vjp<X: Arrays, Y: Arrays, R: Arrays>(
    forward: impl FnOnce(X) -> (Y, R),
    backward: impl FnOnce(R, Y) -> X,
    x: X,
) -> Y {
    let call = Call::here("custom_vjp");
    let (y, residuals) = forward(x);
    let values = to_raw(y);
    let vjp = acc_lambda(call, types_of_two::<Y, Y>(), |params| {
        let residuals = with_results::<X, Y, R>(call, (x, y, residuals), params);
        to_raw(backward(residuals, Y::from_columns(params)))
    });
    let rules = vjp.map(Rules::Vjp);
    of_columns(call, node_acc::custom(call, rules, &values, &to_raw(x)))
}

/// A function at `x`, with a rule for each mode: as [`custom_vjp`], with the rule of forward mode besides, which is given the residuals
/// and a tangent for each array of `x`, and makes one for each result.
///
/// The rules are transpositions of each other; the crate `cotangent` has `check_grad`, which tells where they are not. Each mode takes its own.
///
/// ```
/// # use cotangent_core::surface::prelude::*;
/// type V = Acc<Ix1, f64>;
/// let exp = |x: V| {
///     let forward = |x: V| { let y = x.map(|x| x.exp()); (y, y) };
///     let scaled = |y: V, d: V| y.zip_with(d, |y, d| y * d);
///     custom_rules(forward, scaled, scaled, x)
/// };
/// let along = |x: V| jvp_a(exp, x, fill(x.shape(), 2.0)).1;
/// assert_eq!(interpret(along, Array::vector(vec![0.0])?)?.to_vec(), [2.0]);
/// # Ok::<(), InterpretError>(())
/// ```
#[track_caller]
pub fn custom_rules<X: Arrays, Y: Arrays, R: Arrays>(
    forward: impl FnOnce(X) -> (Y, R),
    jvp: impl FnOnce(R, X) -> Y,
    vjp: impl FnOnce(R, Y) -> X,
    x: X,
) -> Y {
    let call = Call::here("custom_rules");
    let (y, residuals) = forward(x);
    let values = to_raw(y);
    let jvp = acc_lambda(call, types_of_two::<Y, X>(), |params| {
        let residuals = with_results::<X, Y, R>(call, (x, y, residuals), params);
        to_raw(jvp(residuals, X::from_columns(params)))
    });
    let vjp = acc_lambda(call, types_of_two::<Y, Y>(), |params| {
        let residuals = with_results::<X, Y, R>(call, (x, y, residuals), params);
        to_raw(vjp(residuals, Y::from_columns(params)))
    });
    let rules = jvp.zip(vjp).map(|(jvp, vjp)| Rules::Both { jvp, vjp });
    of_columns(call, node_acc::custom(call, rules, &values, &to_raw(x)))
}

fn types_of_two<A: Arrays, B: Arrays>() -> Vec<ArrayType> {
    [array_types::<A>(), array_types::<B>()].concat()
}

fn of_columns<Y: Arrays>(call: Call, results: RawAcc) -> Y {
    Y::from_columns(&mut RawColumns::of(call, results))
}

/// The residuals, with the parameters of a rule that are the results in place of those results: so the derivative of a result in
/// a rule is the rule. An input that is returned as it is stays an input.
fn with_results<X: Arrays, Y: Arrays, R: Arrays>(
    call: Call,
    (x, y, residuals): (X, Y, R),
    params: &mut RawColumns,
) -> R {
    let given = params.take(array_types::<Y>().len());
    let all = |raw: &[RawAcc]| columns(call, raw).unwrap_or_default();
    let (inputs, results) = (all(&to_raw(x)), all(&to_raw(y)));
    let given = all(&[given]);
    let replaced = |column: ArrRef| {
        let is_result =
            |&(result, _): &(&ArrRef, &ArrRef)| *result == column && !inputs.contains(&column);
        let mut pairs = results.iter().zip(&given);
        pairs.find(is_result).map_or(column, |(_, &param)| param)
    };
    let residuals = make_acc(call, |session| {
        let own = session.accs(call, &to_raw(residuals))?;
        Some(own.into_iter().map(replaced).collect())
    });
    of_columns(call, residuals)
}

/// A scalar function at `x`, with a rule for its derivative along a direction, as [`custom_jvp`] for arrays: `jvp` is given `x`,
/// the results, and a tangent for each number of `x`, and makes one for each result.
///
/// It must be linear in the tangents: it is asked for the partial derivatives, by tangents of which one is 1 and all others are 0. They
/// serve both modes. Where the rule reads the results, their derivative is the rule again, up to derivatives of the fourth order; beyond, it is
/// that of the function.
///
/// ```
/// # use cotangent_core::surface::prelude::*;
/// // The distance to the origin, with the derivative 0 there instead of NaN.
/// let norm = |p: (Exp<f64>, Exp<f64>)| {
///     let f = |(x, y): (Exp<f64>, Exp<f64>)| (x * x + y * y).sqrt();
///     let jvp = |(x, y), r: Exp<f64>, (dx, dy): (Exp<f64>, Exp<f64>)| {
///         cond(r.gt(0.0), (x * dx + y * dy) / r, 0.0)
///     };
///     custom_jvp_e(f, jvp, p)
/// };
/// let f = |v: Acc<Ix1, (f64, f64)>| v.map(|p| gradient_e(norm, p));
/// let gradients = interpret(f, Array::vector(vec![(3.0, 4.0), (0.0, 0.0)])?)?;
/// assert_eq!(gradients.to_vec(), [(0.6, 0.8), (0.0, 0.0)]);
/// # Ok::<(), InterpretError>(())
/// ```
#[track_caller]
pub fn custom_jvp_e<X: IntoExp, Y: IntoExp, T: Lift<Y::Elt>>(
    f: impl FnOnce(E<X::Elt>) -> Y,
    jvp: impl Fn(E<X::Elt>, E<Y::Elt>, E<X::Elt>) -> T,
    x: X,
) -> E<Y::Elt> {
    let call = Call::here("custom_jvp_e");
    let x = x.into_exp();
    let y = f(x).into_exp();
    let inputs = Scalars::of::<X::Elt>(call, x);
    let results = Scalars::of::<Y::Elt>(call, y);
    results.in_their_rules::<Y::Elt>(|y| {
        let columns = inputs.floats().map(|k| {
            let tangent = elt::from_raw::<X::Elt>(&inputs.unit(k));
            (k, elt::to_raw::<Y::Elt>(jvp(x, y, tangent).lift()))
        });
        let columns: Vec<_> = columns.collect();
        results.with_partials::<Y::Elt>(|j| {
            let pairs = columns.iter();
            let pairs = pairs.map(|(k, column)| (inputs.as_type(*k, results.types[j]), column[j]));
            pairs.flat_map(|(x, partial)| [x, partial]).collect()
        })
    })
}

/// A scalar function at `x`, with a rule for its derivative in reverse mode, as [`custom_vjp`] for arrays: `forward` gives the results
/// and what `backward` is to have; `backward` is given that and a cotangent for each result, and makes one for each number of `x`.
///
/// It must be linear in the cotangents: it is asked for the partial derivatives, by cotangents of which one is 1 and all others
/// are 0. They serve both modes. What `backward` is to have may be results: their derivative is the rule again, up to derivatives of the
/// fourth order.
///
/// ```
/// # use cotangent_core::surface::prelude::*;
/// let exp = |x: Exp<f64>| {
///     let forward = |x: Exp<f64>| (x.exp(), x.exp());
///     custom_vjp_e(forward, |y: Exp<f64>, dy: Exp<f64>| y * dy, x)
/// };
/// let f = |v: Acc<Ix1, f64>| v.map(|x| gradient_e(exp, x));
/// assert_eq!(interpret(f, Array::vector(vec![0.0])?)?.to_vec(), [1.0]);
/// # Ok::<(), InterpretError>(())
/// ```
#[track_caller]
pub fn custom_vjp_e<X: IntoExp, Y: IntoExp, R: IntoExp, T: Lift<X::Elt>>(
    forward: impl FnOnce(E<X::Elt>) -> (Y, R),
    backward: impl Fn(E<R::Elt>, E<Y::Elt>) -> T,
    x: X,
) -> E<Y::Elt> {
    let call = Call::here("custom_vjp_e");
    let x = x.into_exp();
    let (y, residuals) = forward(x);
    let inputs = Scalars::of::<X::Elt>(call, x);
    let results = Scalars::of::<Y::Elt>(call, y.into_exp());
    let residuals = elt::to_raw::<R::Elt>(residuals.into_exp());
    results.in_their_rules::<Y::Elt>(|y| {
        let given = elt::to_raw::<Y::Elt>(y);
        let residuals = results.replaced(&residuals, &given, &inputs.all);
        let residuals = elt::from_raw::<R::Elt>(&residuals);
        results.with_partials::<Y::Elt>(|j| {
            let cotangent = elt::from_raw::<Y::Elt>(&results.unit(j));
            let row = backward(residuals, cotangent).lift();
            let row = Scalars::of::<X::Elt>(call, row);
            let ty = results.types[j];
            let pairs = inputs
                .floats()
                .map(|k| [inputs.as_type(k, ty), row.as_type(k, ty)]);
            pairs.flatten().collect()
        })
    })
}

/// The highest order of derivatives for which a rule of scalar code that reads the results has them come with the rule. Nodes that do not read
/// them are the same for all orders.
const RULES: usize = 4;

/// The scalars of an expression and their types.
struct Scalars {
    call: Call,
    all: Vec<RawExp>,
    types: Vec<ScalarType>,
}

impl Scalars {
    fn of<T: Elt>(call: Call, exp: E<T>) -> Self {
        Self {
            call,
            all: elt::to_raw::<T>(exp),
            types: scalar_types::<T>(),
        }
    }

    /// The positions of floats.
    fn floats(&self) -> impl Iterator<Item = usize> {
        let types = self.types.iter().enumerate();
        types.filter(|(_, ty)| ty.is_float()).map(|(k, _)| k)
    }

    /// 1 at a position, and 0 elsewhere.
    fn unit(&self, at: usize) -> Vec<RawExp> {
        let types = self.types.iter().enumerate();
        let all = types.map(|(k, &ty)| match k == at {
            true => Const::small(ty, 1),
            false => Const::zero(ty),
        });
        all.map(|value| node_exp::constant(self.call, value))
            .collect()
    }

    fn as_type(&self, at: usize, ty: ScalarType) -> RawExp {
        match self.types[at] == ty {
            true => self.all[at],
            false => node_exp::prim(self.call, Prim::Convert(ty), &self.all[at..=at]),
        }
    }

    /// Results with partial derivatives by decree that may depend on these results: what `of` makes of what stands for them. So their
    /// derivatives are again those of the rule, to the order [`RULES`].
    fn in_their_rules<T: Elt>(&self, of: impl Fn(E<T>) -> E<T>) -> E<T> {
        let plain = elt::from_raw::<T>(&self.all);
        (0..RULES).fold(plain, |results, _| of(results))
    }

    /// Scalars, of which those that are one of these are what is `given` for it. An input that is returned as it is stays an input.
    fn replaced(&self, scalars: &[RawExp], given: &[RawExp], inputs: &[RawExp]) -> Vec<RawExp> {
        let replaced = |scalar: &RawExp| {
            let mut pairs = self.all.iter().zip(given);
            let pair = pairs.find(|(own, _)| *own == scalar && !inputs.contains(scalar));
            pair.map_or(*scalar, |(_, &given)| given)
        };
        scalars.iter().map(replaced).collect()
    }

    /// The floats with partial derivatives by decree: for each its pairs, of its type.
    fn with_partials<T: Elt>(&self, pairs: impl Fn(usize) -> Vec<RawExp>) -> E<T> {
        let types = self.types.iter().enumerate();
        let all = types.map(|(j, ty)| match ty.is_float() {
            true => node_exp::with_partials(self.call, &[&self.all[j..=j], &pairs(j)].concat()),
            false => self.all[j],
        });
        elt::from_raw::<T>(&all.collect::<Vec<_>>())
    }
}
