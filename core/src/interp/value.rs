//! Scalars of the interpreter: constants, or dual numbers of any order.
//!
//! A dual number belongs to a *level*, the number of gradients around the code that made it. Primitives on
//! operands of several levels differentiate with respect to the highest; what lies below is an ordinary
//! number to it, and may itself be dual. So nested gradients give higher derivatives, and a variable that
//! is constant for the inner gradient keeps its derivative for the outer one.
//!
//! Tangents are sparse: one entry per coordinate that the value depends on, so that one run gives the whole
//! gradient. What is absent contributes nothing, not `0 · ∞`; nor does a tangent, infinite or NaN, that is multiplied
//! by a partial derivative of 0. Backwards, this is that a zero adjoint passes nothing on. Derivatives along a direction have
//! one coordinate, [`DIRECTION`], and there a tangent of 0 passes nothing on either.
//!
//! In a run that finds out what depends on what (`sparsity.rs`), numbers of level 0 may be [`Value::Traced`]: constants with the set of
//! the input elements that they depend on. Tangents and primals are made of such numbers then, so that derivatives have sets, too.
//!
//! Invariants: levels count from 1; the primal and the tangent's entries of a [`Dual`] are of lower level;
//! its tangent is not empty and sorted by coordinate, all entries being of the primal's type, a float.
//! A traced number is a float. It follows that a value which is not a float is [`Value::Plain`].

use super::dependence::Dependence;
use super::partial::{Partial, passes_on};
use crate::constant::Const;
use crate::prim::Prim;
use crate::types::ScalarType;
use std::cmp::Ordering;
use std::rc::Rc;

/// How many gradients are being computed around a piece of code.
pub(super) type Level = u32;

/// Partial derivatives by coordinate, in ascending order.
pub(super) type Tangent = Vec<(usize, Value)>;

/// The one coordinate of derivatives along a direction.
pub(super) const DIRECTION: usize = usize::MAX;

/// A scalar.
#[derive(Clone, Debug)]
pub(super) enum Value {
    /// Depends on nothing that anyone differentiates by.
    Plain(Const),
    /// A number, and the elements of the inputs that it depends on.
    Traced(Rc<Traced>),
    /// Carries derivatives.
    Dual(Rc<Dual>),
}

/// A number, and the elements of the inputs that it depends on.
#[derive(Debug)]
pub(super) struct Traced {
    constant: Const,
    on: Dependence,
}

/// A number and its derivatives for the gradient of one level.
#[derive(Debug)]
pub(super) struct Dual {
    level: Level,
    primal: Value,
    tangent: Tangent,
}

impl Value {
    /// A constant that depends on a set of elements, if that is not empty and it is a float.
    pub(super) fn traced(constant: Const, on: Option<Dependence>) -> Self {
        match on.filter(|_| constant.scalar_type().is_float()) {
            Some(on) => Self::Traced(Rc::new(Traced { constant, on })),
            None => Self::Plain(constant),
        }
    }

    /// The elements that a number of level 0 depends on.
    pub(super) fn dependence(&self) -> Option<&Dependence> {
        match self {
            Self::Traced(traced) => Some(&traced.on),
            Self::Plain(_) | Self::Dual(_) => None,
        }
    }

    /// A value with a tangent; `primal` itself if that is empty.
    pub(super) fn dual(level: Level, primal: Value, tangent: Tangent) -> Self {
        if tangent.is_empty() {
            return primal;
        }
        Self::Dual(Rc::new(Dual {
            level,
            primal,
            tangent,
        }))
    }

    /// The variable number `coordinate` of the gradient at `level`, at the point `self`: its derivative by
    /// itself is 1. What is no float has no derivative.
    pub(super) fn seed(&self, level: Level, coordinate: usize) -> Self {
        let ty = self.scalar_type();
        if !ty.is_float() {
            return self.clone();
        }
        let one = Value::Plain(Const::small(ty, 1));
        Self::dual(level, self.clone(), vec![(coordinate, one)])
    }

    /// The number as it changes along a direction, at `level`. What is no float does not.
    pub(super) fn along(&self, level: Level, tangent: Value) -> Self {
        match self.scalar_type().is_float() {
            true => Self::dual(level, self.clone(), vec![(DIRECTION, tangent)]),
            false => self.clone(),
        }
    }

    /// The derivative of `self` at `level` by a variable of type `ty`; zero where it does not depend on it.
    pub(super) fn partial(&self, level: Level, coordinate: usize, ty: ScalarType) -> Option<Self> {
        let (_, tangent) = self.split(level);
        match tangent.binary_search_by_key(&coordinate, |(c, _)| *c) {
            Ok(found) if self.scalar_type() == ty => Some(tangent[found].1.clone()),
            Ok(found) => apply(Prim::Convert(ty), std::slice::from_ref(&tangent[found].1)),
            Err(_) => Some(Value::Plain(Const::zero(ty))),
        }
    }

    /// The derivatives at `level`, by coordinate.
    pub(super) fn tangent(&self, level: Level) -> &[(usize, Self)] {
        self.split(level).1
    }

    /// The number with one more derivative at `level`, by a coordinate greater than the others.
    pub(super) fn with_tangent(&self, level: Level, coordinate: usize, derivative: Self) -> Self {
        if !self.scalar_type().is_float() {
            return self.clone();
        }
        let (primal, tangent) = self.split(level);
        let mut tangent = tangent.to_vec();
        tangent.push((coordinate, derivative));
        Self::dual(level, primal.clone(), tangent)
    }

    /// The number with derivatives at `level`: those of the first of each pair, times the second.
    pub(super) fn with_partials(&self, level: Level, pairs: &[(Self, Self)]) -> Option<Self> {
        let mut total = vec![];
        for (x, partial) in pairs {
            let partial = Partial::Times(partial.below(level));
            let part = scale(&partial, x.tangent(level))?;
            // What it is differentiated by may be a float of another type.
            let own = Partial::Through(Prim::Convert(self.scalar_type()));
            total = sum(total, scale(&own, &part)?)?;
        }
        Some(Self::dual(level, self.clone(), total))
    }

    /// What remains without the derivatives of `level` and of those above.
    pub(super) fn below(&self, level: Level) -> Self {
        let mut value = self;
        while let Self::Dual(dual) = value
            && dual.level >= level
        {
            value = &dual.primal;
        }
        value.clone()
    }

    /// What remains without the derivatives of `level`.
    pub(super) fn primal(&self, level: Level) -> Self {
        self.split(level).0.clone()
    }

    /// The number without any derivatives.
    pub(super) fn constant(&self) -> Const {
        let mut value = self;
        loop {
            match value {
                Self::Plain(constant) => return *constant,
                Self::Traced(traced) => return traced.constant,
                Self::Dual(dual) => value = &dual.primal,
            }
        }
    }

    /// The type.
    pub(super) fn scalar_type(&self) -> ScalarType {
        self.constant().scalar_type()
    }

    /// The first part of the number for which `wanted` holds, and whether that is a derivative.
    pub(super) fn find(&self, wanted: &impl Fn(Const) -> bool) -> Option<(Const, bool)> {
        match self {
            Self::Plain(_) | Self::Traced(_) => {
                let x = self.constant();
                wanted(x).then_some((x, false))
            }
            Self::Dual(dual) => dual.primal.find(wanted).or_else(|| {
                let mut entries = dual.tangent.iter();
                entries.find_map(|(_, x)| Some((x.find(wanted)?.0, true)))
            }),
        }
    }

    /// The level of its derivatives, 0 if it has none.
    pub(super) fn level(&self) -> Level {
        match self {
            Self::Plain(_) | Self::Traced(_) => 0,
            Self::Dual(dual) => dual.level,
        }
    }

    /// The primal and the tangent at `level`, which must not be below that of `self`.
    fn split(&self, level: Level) -> (&Value, &[(usize, Value)]) {
        match self {
            Self::Dual(dual) if dual.level == level => (&dual.primal, &dual.tangent),
            Self::Plain(_) | Self::Traced(_) | Self::Dual(_) => (self, &[]),
        }
    }
}

/// [`ExpOp::WithPartials`](crate::term::ExpOp::WithPartials) of a value and pairs of a scalar and a partial derivative; `None`
/// where they do not fit.
pub(super) fn with_partials(args: &[Value]) -> Option<Value> {
    let (value, pairs) = args.split_first()?;
    if pairs.len() == 1 {
        return Some(value.clone());
    }
    let level = pairs.iter().step_by(2).map(Value::level).max().unwrap_or(0);
    if level == 0 {
        let on = pairs.iter().step_by(2).filter_map(Value::dependence);
        return Some(Value::traced(value.constant(), union(on)));
    }
    let low: Vec<Value> = args.iter().map(|x| x.below(level)).collect();
    let pairs = pairs.chunks_exact(2);
    let pairs: Vec<_> = pairs
        .map(|pair| (pair[0].clone(), pair[1].clone()))
        .collect();
    with_partials(&low)?.with_partials(level, &pairs)
}

/// Applies a primitive; `None` where the operands do not fit, as for [`Prim::eval`].
pub(super) fn apply(op: Prim, operands: &[Value]) -> Option<Value> {
    match operands {
        [Value::Plain(x)] => op.eval(&[*x]).map(Value::Plain),
        [Value::Plain(x), Value::Plain(y)] => op.eval(&[*x, *y]).map(Value::Plain),
        [Value::Plain(x), Value::Plain(y), Value::Plain(z)] => {
            op.eval(&[*x, *y, *z]).map(Value::Plain)
        }
        _ if operands.iter().all(|x| x.level() == 0) => apply_to_traced(op, operands),
        _ => apply_to_duals(op, operands),
    }
}

/// The result depends on what those operands depend on that pass changes on.
fn apply_to_traced(op: Prim, operands: &[Value]) -> Option<Value> {
    let constants: Vec<_> = operands.iter().map(Value::constant).collect();
    let result = op.eval(&constants)?;
    let passing = operands.iter().enumerate();
    let passing = passing.filter(|(position, _)| passes_on(op, *position, &constants));
    let on = union(passing.filter_map(|(_, x)| x.dependence()));
    Some(Value::traced(result, on))
}

/// The union of sets; `None` of none.
pub(super) fn union<'s>(sets: impl Iterator<Item = &'s Dependence>) -> Option<Dependence> {
    sets.fold(None, |all: Option<Dependence>, set| match all {
        Some(all) => Some(all.union(set)),
        None => Some(set.clone()),
    })
}

/// The chain rule: the tangent is the sum, over the operands, of partial derivative times tangent.
fn apply_to_duals(op: Prim, operands: &[Value]) -> Option<Value> {
    let highest = operands.iter().map(Value::level).max();
    let level = highest.filter(|&level| level > 0)?;
    let primals: Vec<_> = operands.iter().map(|x| x.primal(level)).collect();
    let result = apply(op, &primals)?;
    let mut result_tan = vec![];
    for (position, operand) in operands.iter().enumerate() {
        let (_, operand_tan) = operand.split(level);
        if !operand_tan.is_empty() {
            let partial = Partial::of(op, position, &primals, &result)?;
            result_tan = sum(result_tan, scale(&partial, operand_tan)?)?;
        }
    }
    Some(Value::dual(level, result, result_tan))
}

fn scale(partial: &Partial, tangent: &[(usize, Value)]) -> Option<Tangent> {
    let entries = tangent.iter().filter_map(|(c, x_tan)| {
        let stops = *c == DIRECTION && x_tan.constant().is_zero();
        let y_tan = scaled(partial, x_tan, stops)?;
        Some(y_tan.map(|y_tan| (*c, y_tan)))
    });
    entries.collect()
}

/// A partial derivative times one entry of a tangent, which passes nothing on if it `stops`. The outer `None`: it ends there;
/// the inner one: types do not fit.
fn scaled(partial: &Partial, x_tan: &Value, stops: bool) -> Option<Option<Value>> {
    Some(match partial {
        Partial::Zero => return None,
        Partial::One => Some(x_tan.clone()),
        Partial::Through(op) => apply(*op, std::slice::from_ref(x_tan)),
        Partial::Times(factor) => {
            let product = apply(Prim::Mul, &[factor.clone(), x_tan.clone()]);
            product.map(|y_tan| unless_cut_off(stops || factor.constant().is_zero(), y_tan))
        }
        Partial::Over(divisor) => {
            let quotient = apply(Prim::Div, &[x_tan.clone(), divisor.clone()]);
            quotient.map(|y_tan| unless_cut_off(stops || is_infinite(divisor), y_tan))
        }
        Partial::InF32(partial) => {
            let narrow = |y_tan| apply(Prim::Convert(ScalarType::F16), &[y_tan]);
            match apply(Prim::Convert(ScalarType::F32), std::slice::from_ref(x_tan)) {
                Some(wide) => scaled(partial, &wide, stops)?.and_then(narrow),
                None => None,
            }
        }
    })
}

fn is_infinite(x: &Value) -> bool {
    Prim::IsInfinite.eval(&[x.constant()]) == Some(Const::Bool(true))
}

/// A tangent after a partial derivative, one of which may be a zero that passes nothing on; if so, 0 for NaN. No derivative depends
/// on that any more, but at other points it would be something else.
fn unless_cut_off(is_cut_off: bool, y_tan: Value) -> Value {
    let y = y_tan.constant();
    if is_cut_off && Prim::IsNan.eval(&[y]) == Some(Const::Bool(true)) {
        return Value::traced(Const::zero(y.scalar_type()), y_tan.dependence().cloned());
    }
    y_tan
}

fn sum(x_tan: Tangent, y_tan: Tangent) -> Option<Tangent> {
    let mut total = Vec::with_capacity(x_tan.len().max(y_tan.len()));
    let (mut xs, mut ys) = (x_tan.into_iter().peekable(), y_tan.into_iter().peekable());
    while let (Some((x_at, _)), Some((y_at, _))) = (xs.peek(), ys.peek()) {
        match x_at.cmp(y_at) {
            Ordering::Less => total.extend(xs.next()),
            Ordering::Greater => total.extend(ys.next()),
            Ordering::Equal => {
                let ((at, x), (_, y)) = (xs.next()?, ys.next()?);
                total.push((at, apply(Prim::Add, &[x, y])?));
            }
        }
    }
    total.extend(xs);
    total.extend(ys);
    Some(total)
}
