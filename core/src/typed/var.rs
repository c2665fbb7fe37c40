//! Typed labelled variables: rules of transformations, written so that they cannot mix up types.

use super::index::Ix;
use super::prims::for_each_prim;
use super::types::sealed::Sealed;
use super::types::{Array, Env, Float, Integer, Number, Phantom, Scalar, Shape, Truth, Typed};
use crate::build::{Arr, FunBuilder};
use crate::prim::Prim;
use crate::term::{ExpBlock, ExpId, ExpOp, Labelled};
use crate::types::ScalarType;
use std::fmt;
use std::marker::PhantomData;

/// A labelled scalar variable of type `T`.
pub struct Var<T> {
    id: ExpId,
    types: Phantom<T>,
}

impl<T> Clone for Var<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Var<T> {}

impl<T> fmt::Debug for Var<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.id.fmt(f)
    }
}

impl<T> Var<T> {
    fn new(id: ExpId) -> Self {
        Self {
            id,
            types: PhantomData,
        }
    }

    /// The variable without its type.
    pub fn id(self) -> ExpId {
        self.id
    }
}

/// Variables: `()`, one, or `(variables, variable)`.
pub trait VarList: Sealed {
    /// Their types.
    type Types: Env<ScalarType>;
    /// Appends them, without types, in order.
    fn push_ids(&self, ids: &mut Vec<ExpId>);
    /// Other variables of the same types, as long as there are any.
    fn renamed(self, others: &mut std::vec::IntoIter<ExpId>) -> Self;
}

impl<T> Sealed for Var<T> {}

impl VarList for () {
    type Types = ();
    fn push_ids(&self, _: &mut Vec<ExpId>) {}
    fn renamed(self, _: &mut std::vec::IntoIter<ExpId>) -> Self {}
}

impl<T: Scalar> VarList for Var<T> {
    type Types = ((), T);
    fn push_ids(&self, ids: &mut Vec<ExpId>) {
        ids.push(self.id);
    }
    fn renamed(self, others: &mut std::vec::IntoIter<ExpId>) -> Self {
        others.next().map_or(self, Self::new)
    }
}

impl<L: VarList, T: Scalar> VarList for (L, Var<T>) {
    type Types = (L::Types, T);
    fn push_ids(&self, ids: &mut Vec<ExpId>) {
        self.0.push_ids(ids);
        self.1.push_ids(ids);
    }
    fn renamed(self, others: &mut std::vec::IntoIter<ExpId>) -> Self {
        (self.0.renamed(others), self.1.renamed(others))
    }
}

fn ids(list: &impl VarList) -> Vec<ExpId> {
    let mut ids = vec![];
    list.push_ids(&mut ids);
    ids
}

/// A labelled array variable with dimensions `Sh` and elements `T`.
#[derive(Clone, Debug)]
pub struct ArrVar<Sh, T> {
    array: Arr,
    types: Phantom<(Sh, T)>,
}

impl<Sh: Shape, T: Scalar> ArrVar<Sh, T> {
    /// The variable with its type, if that is the one.
    pub fn cast(array: &Arr) -> Option<Self> {
        (array.ty == Array::<Sh, T>::TYPE).then(|| Self {
            array: array.clone(),
            types: PhantomData,
        })
    }

    /// The variable without its type.
    pub fn array(&self) -> &Arr {
        &self.array
    }
}

/// A [`FunBuilder`] whose variables have types.
///
/// Variables of another builder are not told apart by their types; the checker does.
///
/// ```
/// use cotangent_core::build::FunBuilder;
/// use cotangent_core::typed::{Float, TypedBuilder, Var};
///
/// /// d sin(x) = cos(x) · dx
/// fn sin_rule<T: Float>(b: &mut TypedBuilder<'_>, x: Var<T>, adjoint: Var<T>) -> Var<T> {
///     let partial = b.cos(x);
///     b.mul(partial, adjoint)
/// }
///
/// let mut builder = FunBuilder::new();
/// let mut b = TypedBuilder::new(&mut builder);
/// let (x, adjoint) = (b.param::<f64>(), b.param());
/// let result = sin_rule(&mut b, x, adjoint);
/// assert_eq!(builder.finish(vec![result.id()]).body.lets.len(), 2);
/// ```
#[derive(Debug)]
pub struct TypedBuilder<'b> {
    builder: &'b mut FunBuilder,
}

impl<'b> TypedBuilder<'b> {
    /// Pushes onto `builder`.
    pub fn new(builder: &'b mut FunBuilder) -> Self {
        Self { builder }
    }

    /// The builder behind, for what has no typed form.
    pub fn untyped(&mut self) -> &mut FunBuilder {
        self.builder
    }

    /// A variable of the builder as one of type `T`, if that is its type.
    pub fn cast<T: Scalar>(&self, variable: ExpId) -> Option<Var<T>> {
        (self.builder.type_of(variable) == T::TYPE).then(|| Var::new(variable))
    }

    /// One more parameter.
    pub fn param<T: Scalar>(&mut self) -> Var<T> {
        Var::new(self.builder.param(T::TYPE))
    }

    /// A literal.
    pub fn constant<T: Scalar>(&mut self, value: T) -> Var<T> {
        Var::new(self.builder.constant(value))
    }

    /// The small integer `value` as a literal.
    pub fn small<T: Scalar>(&mut self, value: i32) -> Var<T> {
        Var::new(self.builder.small(T::TYPE, value))
    }

    /// [`Prim::Convert`] to `U`.
    pub fn convert<T: Scalar, U: Scalar>(&mut self, x: Var<T>) -> Var<U> {
        Var::new(self.builder.prim(Prim::Convert(U::TYPE), &[x.id]))
    }

    /// [`Prim::ToBits`].
    pub fn to_bits<T: Float>(&mut self, x: Var<T>) -> Var<T::Unsigned> {
        Var::new(self.builder.prim(Prim::ToBits, &[x.id]))
    }

    /// [`Prim::FromBits`].
    pub fn from_bits<T: Float>(&mut self, x: Var<T::Unsigned>) -> Var<T> {
        Var::new(self.builder.prim(Prim::FromBits, &[x.id]))
    }

    /// [`Prim::MulAdd`].
    pub fn mul_add<T: Float>(&mut self, x: Var<T>, y: Var<T>, z: Var<T>) -> Var<T> {
        Var::new(self.builder.prim(Prim::MulAdd, &[x.id, y.id, z.id]))
    }

    /// [`Prim::Select`].
    pub fn select<T: Scalar>(&mut self, condition: Var<bool>, x: Var<T>, y: Var<T>) -> Var<T> {
        let operands = [condition.id, x.id, y.id];
        Var::new(self.builder.prim(Prim::Select, &operands))
    }

    /// The element of an array at an index, outermost coordinate first.
    pub fn index<Sh: Shape, T: Scalar>(
        &mut self,
        array: &ArrVar<Sh, T>,
        index: impl VarList<Types = Sh::Index>,
    ) -> Var<T> {
        Var::new(self.builder.index(&array.array, &ids(&index)))
    }

    /// The extent of an array along a dimension, which is given as its place in the type of indices:
    /// `Ix::zero()` is the innermost.
    pub fn extent<Sh: Shape, T: Scalar>(
        &mut self,
        array: &ArrVar<Sh, T>,
        dimension: Ix<Sh::Index, i32>,
    ) -> Var<i32> {
        let axis = Sh::RANK - 1 - dimension.number() as usize;
        Var::new(self.builder.extent(array.array.name, axis))
    }

    /// A conditional.
    pub fn cond<L: VarList>(
        &mut self,
        condition: Var<bool>,
        then_: impl FnOnce(&mut Self) -> L,
        else_: impl FnOnce(&mut Self) -> L,
    ) -> L {
        let (results, then_) = self.block(then_);
        let (_, else_) = self.block(else_);
        let cond = condition.id;
        let names = self
            .builder
            .push(ExpOp::Cond { cond, then_, else_ }, &L::Types::types());
        results.renamed(&mut names.into_iter())
    }

    fn block<L: VarList>(&mut self, body: impl FnOnce(&mut Self) -> L) -> (L, ExpBlock<Labelled>) {
        self.builder.open();
        let results = body(self);
        let names = ids(&results);
        (results, self.builder.close(names))
    }
}

/// Defines one method per primitive.
macro_rules! define {
    (
        unary { $($u:ident $u_variant:ident $u_class:ident $u_result:ty,)* }
        binary { $($b:ident $b_variant:ident $b_class:ident $b_result:ty,)* }
    ) => {
        impl TypedBuilder<'_> {
            $(
                #[doc = concat!("[`Prim::", stringify!($u_variant), "`].")]
                pub fn $u<T: $u_class>(&mut self, x: Var<T>) -> Var<$u_result> {
                    Var::new(self.builder.prim(Prim::$u_variant, &[x.id]))
                }
            )*
            $(
                #[doc = concat!("[`Prim::", stringify!($b_variant), "`].")]
                pub fn $b<T: $b_class>(&mut self, x: Var<T>, y: Var<T>) -> Var<$b_result> {
                    Var::new(self.builder.prim(Prim::$b_variant, &[x.id, y.id]))
                }
            )*
        }
    };
}

for_each_prim!(define);
