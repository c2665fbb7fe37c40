//! Guards: a zero adjoint passes nothing on.
//!
//! Where the result of a program does not depend on a number, because `max`, `min`, a condition, a slice or a shorter
//! array cut it off, the adjoint of that number is 0. A partial derivative that is infinite or NaN at this point must not make
//! 0 · ∞ = NaN of it: so adjoints go through primitives whose partial derivative may be that by `select [adj = 0, 0, adj · partial derivative]`.
//!
//! A guard costs a comparison and a selection, and hides a product from fusion, so there are none where they can do
//! nothing, and this depends on where zeros of the adjoint come from ([`Origin`]):
//!
//! | zeros come from | primitives whose partial derivative has a pole or overflows | other curved ones | products |
//! |---|---|---|---|
//! | data alone | guarded | – | – |
//! | outside of the function | guarded | guarded | guarded if the other factor is [singular](Singular) |
//! | a selection inside of it | guarded | guarded | guarded unless the other factor is a finite constant |
//!
//! In the first row a product of 0 and ∞ is one of the primal, too, which is then NaN itself. What is given up is in
//! the second one: a product with an infinity or NaN that an *array* holds, of which sums of products are full.
//!
//! Note \[Guards that are differentiated\]: at `adj = 0` a guard is constant, but `adj · partial derivative` is not: it grows with
//! `adj` by the partial derivative. Where an outer gradient is going to differentiate the guard, it therefore asks
//! also whether the product is NaN, and so is constant only where there is nothing to differentiate.

use cotangent_core::build::FunBuilder;
use cotangent_core::constant::Const;
use cotangent_core::prim::Prim;
use cotangent_core::term::{ExpBlock, ExpId, ExpLet, ExpOp, Fun, Labelled};
use cotangent_core::typed::{Code, Float, FloatRule, Value};
use std::collections::{HashMap, HashSet};

/// How a guard is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// For code that is not differentiated any more.
    Last,
    /// See Note \[Guards that are differentiated\].
    Differentiable,
}

impl Form {
    /// The form for the code of a gradient, inside of another one or not.
    pub(crate) fn of(is_nested: bool) -> Self {
        if is_nested {
            Self::Differentiable
        } else {
            Self::Last
        }
    }
}

/// What may make an adjoint zero, in ascending order of what guards it asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Origin {
    /// Only that a number which it was multiplied by is zero.
    Data,
    /// What the function was given as the adjoint of a result: padding, say.
    Given,
    /// A selection in the function.
    Cut,
}

impl Origin {
    /// What may make the adjoint of the operand of `op` at `position` zero, if this does for the result. A primitive may
    /// be flat where the operand is infinite, though the result is finite; what an operand is like is asked of
    /// `may_overflow` only where it costs too much to guard in vain.
    pub(crate) fn through(self, op: Prim, position: usize, may_overflow: bool) -> Self {
        use Prim::*;
        let is_flat = matches!(op, Exp | ExpM1 | Tanh | Atan | Pow)
            || may_overflow && matches!((op, position), (Div, 1) | (Atan2, 0 | 1));
        if matches!(op, Select | Max | Min) {
            Self::Cut
        } else if is_flat {
            self.max(Self::Given)
        } else {
            self
        }
    }
}

/// What decides about the guards of one primitive.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Guard<'a> {
    pub form: Form,
    pub origin: Origin,
    pub singular: &'a Singular,
}

impl Guard<'_> {
    /// Whether adjoints through `op`, which is no product, need one.
    pub(super) fn is_needed(self, op: Prim) -> bool {
        has_pole(op) || self.origin != Origin::Data
    }

    /// Whether an adjoint that is multiplied by `factor`, an operand of a product, needs one.
    pub(super) fn is_needed_by_factor(self, factor: ExpId) -> bool {
        match self.origin {
            Origin::Data => false,
            Origin::Given => self.singular.contains(factor),
            Origin::Cut => !self.singular.is_finite_constant(factor),
        }
    }
}

/// `product`, which `adj` is a factor or the dividend of, or 0 where `adj` is 0.
pub(super) fn unless_zero<'c, T: Float>(
    form: Form,
    adj: Value<'c, T>,
    product: Value<'c, T>,
) -> Value<'c, T> {
    let zero = adj.small(0);
    let nothing = adj.eq(zero);
    let cut = match form {
        Form::Last => nothing,
        Form::Differentiable => nothing.and(product.is_nan()),
    };
    cut.select(zero, product)
}

/// Pushes the same for variables whose type is known when the program is: `product` alone where that is no type of floats, of
/// which none is infinite.
pub(crate) fn guarded(b: &mut FunBuilder, form: Form, adj: ExpId, product: ExpId) -> ExpId {
    struct Guarded(Form, ExpId, ExpId);
    impl FloatRule for Guarded {
        fn write<T: Float>(self, code: &Code) -> Option<ExpId> {
            let Self(form, adj, product) = self;
            Some(unless_zero(form, code.value::<T>(adj)?, code.value(product)?).id())
        }
    }
    Code::write(b, b.type_of(adj), Guarded(form, adj, product)).unwrap_or(product)
}

/// Pushes `adj · partial derivative`, or 0 where `adj` is 0.
pub(crate) fn guarded_product(b: &mut FunBuilder, form: Form, adj: ExpId, partial: ExpId) -> ExpId {
    let product = b.prim(Prim::Mul, &[adj, partial]);
    guarded(b, form, adj, product)
}

/// Whether a partial derivative of `op` is infinite or NaN at some finite operands.
pub(super) fn has_pole(op: Prim) -> bool {
    use Prim::*;
    match op {
        Sqrt | Exp | ExpM1 | Ln | Ln1p | Asin | Acos | Sinh | Cosh | Acosh | Atanh | Div | Rem
        | Pow | Atan2 => true,
        Sin | Cos | Tan | Atan | Tanh | Asinh => false,
        Neg | Abs | Signum | Floor | Ceil | Round | Trunc | IsNan | IsInfinite | Not | BitNot
        | ToBits | FromBits | Convert(_) | Add | Sub | Mul | Quot | DivFloor | ModFloor | Max
        | Min | Eq | Ne | Lt | Le | Gt | Ge | And | Or | BitAnd | BitOr | BitXor | Shl | Shr
        | MulAdd | Select => false,
    }
}

/// Whether `op` may give an infinity or NaN for finite operands, other than by a sum or product that overflows: what has
/// a pole, but for `atan2`, whose partial derivative alone has one.
fn is_singular(op: Prim) -> bool {
    has_pole(op) && op != Prim::Atan2
}

/// The scalars of a function that may be infinite or NaN where all that the function is given is finite, unless
/// only a sum or a product overflows.
#[derive(Debug, Default)]
pub(crate) struct Singular {
    scalars: HashSet<ExpId>,
    /// Those that may overflow by a function that grows like an exponential.
    overflowing: HashSet<ExpId>,
    constants: HashMap<ExpId, Const>,
}

impl Singular {
    /// For each result of a function, whether it is one.
    pub(crate) fn results(fun: &Fun<Labelled>) -> Vec<bool> {
        let mut singular = Self::default();
        singular.spread(&fun.body);
        let results = fun.body.results.iter();
        results.map(|&x| singular.contains(x)).collect()
    }

    /// Finds those of a block.
    pub(super) fn spread(&mut self, block: &ExpBlock<Labelled>) {
        for let_ in &block.lets {
            for inner in let_.op.blocks() {
                self.spread(inner.block);
            }
            self.let_(let_);
        }
    }

    /// Whether `x` is one.
    pub(super) fn contains(&self, x: ExpId) -> bool {
        self.scalars.contains(&x)
    }

    /// Whether `x` may be infinite because an exponential is.
    pub(super) fn may_overflow(&self, x: ExpId) -> bool {
        self.overflowing.contains(&x)
    }

    fn let_(&mut self, let_: &ExpLet<Labelled>) {
        for (position, bind) in let_.binds.iter().enumerate() {
            if let ExpOp::Const(c) = let_.op {
                self.constants.insert(bind.name, c);
            }
            if !bind.ty.is_float() {
                continue;
            }
            if self.reaches(let_, position) {
                self.scalars.insert(bind.name);
            }
            if self.overflows(let_, position) {
                self.overflowing.insert(bind.name);
            }
        }
    }

    fn overflows(&self, let_: &ExpLet<Labelled>, position: usize) -> bool {
        use Prim::*;
        match &let_.op {
            ExpOp::Prim(op, operands) => {
                matches!(op, Exp | ExpM1 | Sinh | Cosh | Pow)
                    || operands.iter().any(|&x| self.may_overflow(x))
            }
            ExpOp::Cond {
                cond: _,
                then_,
                else_,
            } => [then_, else_]
                .iter()
                .any(|branch| self.may_overflow(branch.results[position])),
            ExpOp::Const(_)
            | ExpOp::Index { .. }
            | ExpOp::Extent { .. }
            | ExpOp::Derivative { .. }
            | ExpOp::Loop { .. } => false,
            ExpOp::WithPartials(args) => self.may_overflow(args[0]),
        }
    }

    fn reaches(&self, let_: &ExpLet<Labelled>, position: usize) -> bool {
        match &let_.op {
            ExpOp::Prim(Prim::Div, operands) if self.is_finite_divisor(operands[1]) => {
                self.contains(operands[0])
            }
            ExpOp::Prim(op, operands) => {
                is_singular(*op) || operands.iter().any(|&x| self.contains(x))
            }
            ExpOp::Cond {
                cond: _,
                then_,
                else_,
            } => self.contains(then_.results[position]) || self.contains(else_.results[position]),
            ExpOp::Const(c) => !c.is_finite(),
            ExpOp::Index { .. } | ExpOp::Extent { .. } => false,
            ExpOp::Loop {
                test: _,
                step,
                args,
            } => {
                let mut inside = step.body.all_lets().flat_map(|let_| &let_.binds);
                inside.any(|bind| self.contains(bind.name))
                    || args.iter().any(|&x| self.contains(x))
            }
            ExpOp::Derivative { .. } => false,
            ExpOp::WithPartials(args) => self.contains(args[0]),
        }
    }

    /// Whether `x` is a finite literal.
    fn is_finite_constant(&self, x: ExpId) -> bool {
        self.constants.get(&x).is_some_and(|c| c.is_finite())
    }

    /// Whether `x` is a literal whose reciprocal is finite.
    pub(super) fn is_finite_divisor(&self, x: ExpId) -> bool {
        let inverse = |c: &Const| Prim::Div.eval(&[Const::small(c.scalar_type(), 1), *c]);
        let inverse = self.constants.get(&x).and_then(inverse);
        self.is_finite_constant(x) && inverse.is_some_and(|c| c.is_finite())
    }
}
