//! Rules that read as mathematics: typed labelled variables that know the code which they belong to.

use super::prims::for_each_prim;
use super::types::{Float, FloatVisitor, Integer, Number, Scalar, Truth, with_float};
use super::var::{TypedBuilder, Var};
use crate::build::FunBuilder;
use crate::term::ExpId;
use crate::types::ScalarType;
use std::cell::RefCell;
use std::fmt;
use std::ops;

/// A [`FunBuilder`] that all [`Value`]s of a rule push onto, in the order in which Rust evaluates the rule.
///
/// ```
/// use cotangent_core::build::FunBuilder;
/// use cotangent_core::term::ExpId;
/// use cotangent_core::typed::{Code, Float, FloatRule};
/// use cotangent_core::types::ScalarType;
///
/// /// d tan(x) = (1 + tan(x)²) · dx
/// struct Tan { tan: ExpId, adjoint: ExpId }
///
/// impl FloatRule for Tan {
///     fn write<T: Float>(self, code: &Code) -> Option<ExpId> {
///         let (y, adjoint) = (code.value::<T>(self.tan)?, code.value::<T>(self.adjoint)?);
///         let one = code.small::<T>(1);
///         Some((adjoint * (one + y * y)).id())
///     }
/// }
///
/// let mut b = FunBuilder::new();
/// let (tan, adjoint) = (b.param(ScalarType::F32), b.param(ScalarType::F32));
/// let result = Code::write(&mut b, ScalarType::F32, Tan { tan, adjoint });
/// assert_eq!(b.finish(result.into_iter().collect()).body.lets.len(), 4);
/// ```
///
/// What is of another type is turned down by Rust:
///
/// ```compile_fail,E0308
/// use cotangent_core::typed::Code;
/// fn rule(code: &Code) {
///     let _ = code.small::<f64>(1) + code.small::<f32>(1);
/// }
/// ```
#[derive(Debug)]
pub struct Code {
    builder: RefCell<FunBuilder>,
}

/// A rule over floats of any one type.
pub trait FloatRule {
    /// Pushes it, and gives its result; `None` where it has none.
    fn write<T: Float>(self, code: &Code) -> Option<ExpId>;
}

impl Code {
    /// Pushes a rule over floats of type `ty` onto `builder`; `None` if that is no type of floats.
    pub fn write(builder: &mut FunBuilder, ty: ScalarType, rule: impl FloatRule) -> Option<ExpId> {
        struct Written<'c, R>(&'c Code, R);
        impl<R: FloatRule> FloatVisitor for Written<'_, R> {
            type Out = Option<ExpId>;
            fn visit<T: Float>(self) -> Option<ExpId> {
                self.1.write::<T>(self.0)
            }
        }
        let code = Self {
            builder: RefCell::new(std::mem::take(builder)),
        };
        let result = with_float(ty, Written(&code, rule)).flatten();
        *builder = code.builder.into_inner();
        result
    }

    /// A variable of the builder as one of type `T`, if that is its type.
    pub fn value<T: Scalar>(&self, variable: ExpId) -> Option<Value<'_, T>> {
        let var = TypedBuilder::new(&mut self.builder.borrow_mut()).cast(variable)?;
        Some(Value { var, code: self })
    }

    /// The small integer `value` as a literal.
    pub fn small<T: Scalar>(&self, value: i32) -> Value<'_, T> {
        self.push(|b| b.small(value))
    }

    fn push<T>(&self, op: impl FnOnce(&mut TypedBuilder<'_>) -> Var<T>) -> Value<'_, T> {
        let var = op(&mut TypedBuilder::new(&mut self.builder.borrow_mut()));
        Value { var, code: self }
    }
}

/// A variable of type `T`, with the code that what is made of it becomes a part of.
pub struct Value<'c, T> {
    var: Var<T>,
    code: &'c Code,
}

impl<T> Clone for Value<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Value<'_, T> {}

impl<T> fmt::Debug for Value<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.var.fmt(f)
    }
}

impl<'c, T: Scalar> Value<'c, T> {
    /// The variable without its type.
    pub fn id(self) -> ExpId {
        self.var.id()
    }

    /// The small integer `value` as a literal of the same type.
    pub fn small(self, value: i32) -> Self {
        self.code.small(value)
    }

    /// [`Prim::Convert`](crate::prim::Prim::Convert) to `U`.
    pub fn convert<U: Scalar>(self) -> Value<'c, U> {
        self.code.push(|b| b.convert(self.var))
    }
}

impl<'c> Value<'c, bool> {
    /// [`Prim::Select`](crate::prim::Prim::Select).
    pub fn select<T: Scalar>(self, x: Value<'c, T>, y: Value<'c, T>) -> Value<'c, T> {
        self.code.push(|b| b.select(self.var, x.var, y.var))
    }
}

/// Defines one method per primitive.
macro_rules! define {
    (
        unary { $($u:ident $u_variant:ident $u_class:ident $u_result:ty,)* }
        binary { $($b:ident $b_variant:ident $b_class:ident $b_result:ty,)* }
    ) => {
        // The names are those of primitives; where there is an operator, it does the same.
        #[expect(clippy::should_implement_trait)]
        impl<'c, T: Scalar> Value<'c, T> {
            $(
                #[doc = concat!("[`Prim::", stringify!($u_variant), "`](crate::prim::Prim::", stringify!($u_variant), ").")]
                pub fn $u(self) -> Value<'c, $u_result>
                where
                    T: $u_class,
                {
                    self.code.push(|b| b.$u(self.var))
                }
            )*
            $(
                #[doc = concat!("[`Prim::", stringify!($b_variant), "`](crate::prim::Prim::", stringify!($b_variant), ").")]
                pub fn $b(self, other: Self) -> Value<'c, $b_result>
                where
                    T: $b_class,
                {
                    self.code.push(|b| b.$b(self.var, other.var))
                }
            )*
        }
    };
}

for_each_prim!(define);

/// Defines one operator per arithmetic primitive.
macro_rules! operators {
    ($($operator:ident $method:ident $class:ident,)*) => {$(
        impl<T: $class> ops::$operator for Value<'_, T> {
            type Output = Self;
            fn $method(self, other: Self) -> Self {
                Value::$method(self, other)
            }
        }
    )*};
}

operators! {
    Add add Number,
    Sub sub Number,
    Mul mul Number,
    Div div Float,
}

impl<T: Number> ops::Neg for Value<'_, T> {
    type Output = Self;
    fn neg(self) -> Self {
        Value::neg(self)
    }
}
