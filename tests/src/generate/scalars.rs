//! Random scalar functions.
//!
//! Note [Exact values]: engines agree bit for bit on everything but what rounds differently: transcendental
//! functions, reductions in another order, derivatives by another road. A value is *exact* if it depends on
//! none of these. Whatever is not continuous (comparisons, conversions to integers, `floor`, …) is applied to
//! exact operands only, so that integers, truth values and shapes are always exact and compared by equality;
//! `f32` that is not exact is not converted to `f64`, so that `f64` have errors of their own precision.
//!
//! Note [Bounded values]: a value carries a bound of its magnitude. What is not exact is kept small by putting
//! `tanh` and its like in between, and steep functions get arguments where they are not, so that errors do
//! not grow. Inside of gradients (*smooth* code) exact values are kept small, too, and primitives keep away
//! from their poles: there derivatives are bounded as well.
//!
//! Note [Half-precision]: `f16` has so few digits that engines which round differently soon have nothing in common,
//! and overflows early. So it occurs where everything is exact only: two numbers are converted to it, one operation is
//! done, and its result is converted back. `tests/it/half.rs` has programs with more of it.

use super::inputs::literal;
use super::random::Random;
use super::scope::Known;
use cotangent_core::build::FunBuilder;
use cotangent_core::loc::Loc;
use cotangent_core::prim::{ALL, Prim};
use cotangent_core::term::{ExpId, Fun, Labelled};
use cotangent_core::types::ScalarType;

use ScalarType::{Bool, F16, F32, F64, I8, I16, I32, U8, U16, U32, U64};

/// How large values may become that are not exact.
pub(crate) const LIMIT: f64 = 100.0;

/// Beyond this, values may overflow to infinities, from where it is not far to NaN.
const ASTRONOMIC: f64 = 1e30;

/// Not exceeded by any integer.
const ANY_INTEGER: f64 = 1e19;

/// A scalar variable and what is known of its value.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Var {
    pub(crate) id: ExpId,
    pub(crate) ty: ScalarType,
    /// Whether all engines have it with the same bits.
    pub(crate) exact: bool,
    /// Not exceeded by its magnitude, unless it is NaN.
    pub(crate) bound: f64,
    /// Whether it is certainly not NaN.
    pub(crate) number: bool,
    /// Whether it may depend on what the code around it is differentiated by.
    pub(crate) active: bool,
}

/// A scalar function in the making.
pub(crate) struct Scalars<'a> {
    pub(crate) random: &'a mut Random,
    pub(crate) b: FunBuilder,
    /// The arrays that may be captured.
    pub(super) scope: &'a [Known],
    /// The variables in scope.
    pub(crate) vars: Vec<Var>,
    /// Whether the code is differentiated.
    pub(crate) smooth: bool,
    /// Whether its derivatives are compared with differences.
    pub(super) by_differences: bool,
    /// Whether it is to fail now and then.
    pub(super) careless: bool,
    pub(super) nesting: usize,
}

impl<'a> Scalars<'a> {
    /// An empty function that may capture the given arrays.
    pub(crate) fn new(random: &'a mut Random, scope: &'a [Known], smooth: bool) -> Self {
        let mut b = FunBuilder::new();
        b.set_loc(Loc::caller());
        Self {
            random,
            b,
            scope,
            vars: vec![],
            smooth,
            by_differences: smooth,
            careless: false,
            nesting: 0,
        }
    }

    /// One more parameter.
    pub(crate) fn param(&mut self, ty: ScalarType, exact: bool, bound: f64) -> Var {
        let id = self.b.param(ty);
        self.enter(id, exact, bound)
    }

    /// A parameter for an element of an array.
    pub(crate) fn element_of(&mut self, array: &Known) -> Var {
        self.param(array.arr.ty.elem, array.exact, array.bound);
        self.activated(array.active)
    }

    /// Parameters for an index.
    pub(crate) fn index_params(&mut self, rank: usize) -> Vec<Var> {
        (0..rank).map(|_| self.param(I32, true, 300.0)).collect()
    }

    pub(super) fn enter(&mut self, id: ExpId, exact: bool, bound: f64) -> Var {
        let bound = if bound.is_nan() { f64::INFINITY } else { bound };
        let (ty, number) = (self.b.type_of(id), bound < ASTRONOMIC);
        let var = Var {
            id,
            ty,
            exact,
            bound,
            number,
            active: false,
        };
        self.vars.push(var);
        var
    }

    /// Enters a variable that is NaN only if it is large or `number` does not hold.
    pub(super) fn enter_if(&mut self, id: ExpId, exact: bool, bound: f64, number: bool) -> Var {
        let var = self.enter(id, exact, bound);
        let var = Var {
            number: number && var.number,
            ..var
        };
        self.vars.pop();
        self.vars.push(var);
        var
    }

    /// Says of the variable entered last whether it is active, which only floats are.
    pub(super) fn activated(&mut self, active: bool) -> Var {
        let last = self.vars.len() - 1;
        self.vars[last].active = active && self.vars[last].ty.is_float();
        self.vars[last]
    }

    /// The function with the given results.
    pub(crate) fn finish(self, results: &[Var]) -> Fun<Labelled> {
        self.b.finish(results.iter().map(|v| v.id).collect())
    }

    /// Adds some random operations.
    pub(crate) fn grow(&mut self, steps: usize) {
        for _ in 0..steps {
            self.step();
        }
    }

    fn step(&mut self) {
        let nested = if self.nesting < 2 { 1 } else { 0 };
        match self.random.weighted(&[
            (66, 0),
            (12, 1),
            (5, 2),
            (9 * nested, 3),
            (4 * nested, 4),
            (6 * nested, 5),
            (3, 6),
        ]) {
            0 => {
                let prim = self.random.pick(&ALL);
                self.prim(prim);
            }
            1 => self.index(),
            2 => self.extent(),
            3 => self.cond(),
            4 => self.gradient(),
            5 => self.iterate(),
            _ => self.with_partials(),
        }
    }

    /// A variable of type `ty` that satisfies a condition, or a literal.
    pub(crate) fn some(&mut self, ty: ScalarType, fits: impl Fn(&Var) -> bool) -> Var {
        let fitting: Vec<_> = self
            .vars
            .iter()
            .copied()
            .filter(|v| v.ty == ty && fits(v))
            .collect();
        if fitting.is_empty() || self.random.chance(8) {
            return self.literal(ty);
        }
        let chosen = fitting[self.random.late(fitting.len())];
        if !self.smooth || chosen.active {
            return chosen;
        }
        let other = fitting[self.random.late(fitting.len())];
        if other.active { other } else { chosen }
    }

    pub(super) fn literal(&mut self, ty: ScalarType) -> Var {
        let value = literal(self.random, ty, self.smooth);
        self.constant(value)
    }

    /// A given literal.
    pub(crate) fn constant(&mut self, value: impl Into<cotangent_core::constant::Const>) -> Var {
        let value = value.into();
        let id = self.b.constant(value);
        self.enter(id, true, super::inputs::magnitude_of(value))
    }

    pub(super) fn exact(&mut self, ty: ScalarType) -> Var {
        self.some(ty, |v| v.exact)
    }

    /// A float that is no larger than `limit`, unless it is exact and not differentiated.
    fn bounded(&mut self, ty: ScalarType, limit: f64) -> Var {
        let v = self.some(ty, |_| true);
        if !ty.is_float() || v.bound <= limit || (v.exact && !self.smooth) {
            return v;
        }
        self.squash(v, limit)
    }

    /// A float that is no larger than `limit`.
    pub(super) fn small(&mut self, ty: ScalarType, limit: f64) -> Var {
        let v = self.some(ty, |_| true);
        if v.bound <= limit {
            v
        } else {
            self.squash(v, limit)
        }
    }

    /// Makes a float small, continuously and without steep places.
    pub(crate) fn squash(&mut self, v: Var, limit: f64) -> Var {
        let gentle = v.bound <= 30.0;
        let choices: &[Prim] = match (limit >= 1.6, gentle) {
            (true, true) => &[Prim::Tanh, Prim::Atan, Prim::Sin, Prim::Cos],
            (true, false) => &[Prim::Tanh, Prim::Atan],
            (false, true) => &[Prim::Tanh, Prim::Sin],
            (false, false) => &[Prim::Tanh],
        };
        let prim = self.random.pick(choices);
        let y = self.put(prim, &[v], 1.6, false);
        if limit >= 1.0 {
            Var {
                bound: limit.min(1.6),
                ..y
            }
        } else {
            self.scaled(y, limit)
        }
    }

    fn scaled(&mut self, v: Var, factor: f64) -> Var {
        let factor = self.float(v.ty, factor);
        self.put(Prim::Mul, &[v, factor], factor.bound, v.exact)
    }

    /// A float literal of the given type.
    pub(crate) fn float(&mut self, ty: ScalarType, value: f64) -> Var {
        if ty == F32 {
            self.constant(value as f32)
        } else {
            self.constant(value)
        }
    }

    /// Pushes a primitive.
    pub(crate) fn put(&mut self, prim: Prim, operands: &[Var], bound: f64, exact: bool) -> Var {
        let ids: Vec<_> = operands.iter().map(|v| v.id).collect();
        let id = self.b.prim(prim, &ids);
        let number = operands.iter().all(|v| v.number);
        let wraps = matches!(prim, Prim::Neg | Prim::Sub | Prim::Convert(_));
        let ty = self.b.type_of(id);
        // What would be negative is large.
        let bound = match ty.is_unsigned() && wraps {
            true => bound.max(2f64.powi(8 * ty.bytes() as i32)),
            false => bound,
        };
        self.enter_if(id, exact, bound, number);
        self.activated(operands.iter().any(|v| v.active))
    }

    /// Pushes a primitive that is computed alike everywhere.
    fn put_exact(&mut self, prim: Prim, operands: &[Var], bound: f64) -> Var {
        let exact = operands.iter().all(|v| v.exact);
        self.put(prim, operands, bound, exact)
    }

    pub(super) fn any_float(&mut self) -> ScalarType {
        let floats: Vec<_> = self
            .vars
            .iter()
            .map(|v| v.ty)
            .filter(|ty| ty.is_float())
            .collect();
        if floats.is_empty() {
            F64
        } else {
            self.random.pick(&floats)
        }
    }

    pub(super) fn any_type(&mut self) -> ScalarType {
        let types: Vec<_> = self.vars.iter().map(|v| v.ty).collect();
        if types.is_empty() || self.random.chance(10) {
            return super::inputs::elem(self.random);
        }
        self.random.pick(&types)
    }

    fn any_integer(&mut self) -> ScalarType {
        let narrow = self.random.pick(&[I8, I16, U8, U16, U64]);
        let common = [(6, I32), (2, ScalarType::I64), (2, U32)];
        self.random
            .weighted(&[&common[..], &[(1, narrow)]].concat())
    }

    fn any_number(&mut self) -> ScalarType {
        let ty = self.any_type();
        if ty == Bool { self.any_integer() } else { ty }
    }

    /// Applies a primitive to operands that suit it.
    pub(crate) fn prim(&mut self, prim: Prim) -> Var {
        use Prim::*;
        match prim {
            Neg | Abs => {
                let ty = self.any_number();
                let x = self.bounded(ty, LIMIT);
                self.put_exact(prim, &[x], x.bound)
            }
            Signum => self.jump(prim, Self::any_number),
            Floor | Ceil | Round | Trunc => self.jump(prim, Self::any_float),
            IsNan | IsInfinite => self.jump(prim, Self::any_float),
            Sqrt | Exp | ExpM1 | Ln | Ln1p | Sin | Cos | Tan | Asin | Acos | Atan | Sinh | Cosh
            | Tanh | Asinh | Acosh | Atanh => self.transcendental(prim),
            Not => self.integral(prim, Bool),
            And | Or => self.integral(prim, Bool),
            Rem if self.random.chance(50) => self.remainder(),
            BitNot | Quot | Rem | DivFloor | ModFloor | BitAnd | BitOr | BitXor | Shl | Shr => {
                let ty = self.any_integer();
                self.integral(prim, ty)
            }
            Convert(F16) if self.smooth => self.convert(F32),
            Convert(F16) => self.in_half(),
            Convert(to) => self.convert(to),
            // Differences are those of the program in `f64`, where there are other bits.
            ToBits | FromBits if self.by_differences => self.jump(Floor, Self::any_float),
            ToBits => self.bits().1,
            FromBits => self.neighbour(),
            Add | Sub | Mul | Max | Min => self.arithmetic(prim),
            Div | Pow | Atan2 => self.quotient(prim),
            Eq | Ne => {
                let ty = self.any_type();
                self.integral(prim, ty)
            }
            Lt | Le | Gt | Ge => {
                let ty = self.any_number();
                self.integral(prim, ty)
            }
            MulAdd => self.fused(),
            Select => self.select(),
        }
    }

    /// A function of one operand that jumps.
    fn jump(&mut self, prim: Prim, ty: fn(&mut Self) -> ScalarType) -> Var {
        let ty = ty(self);
        let x = self.exact(ty);
        self.put(prim, &[x], x.bound + 1.0, true)
    }

    /// A function of exact operands of one type.
    fn integral(&mut self, prim: Prim, ty: ScalarType) -> Var {
        let operands: Vec<_> = (0..prim.arity()).map(|_| self.exact(ty)).collect();
        self.put(prim, &operands, ANY_INTEGER, true)
    }

    /// A product to which something is added, which engines may round twice.
    fn fused(&mut self) -> Var {
        let ty = self.any_float();
        let (x, y) = (self.bounded(ty, 10.0), self.bounded(ty, 10.0));
        let z = self.bounded(ty, LIMIT / 2.0);
        let bound = x.bound * y.bound + z.bound;
        let v = self.put(Prim::MulAdd, &[x, y, z], bound, false);
        if bound <= LIMIT {
            v
        } else {
            self.squash(v, 1.6)
        }
    }

    /// What floats leave: of exact ones anything; elsewhere of what lies between two multiples, where it does not jump.
    fn remainder(&mut self) -> Var {
        let ty = self.any_float();
        if !self.smooth {
            let (x, y) = (self.exact(ty), self.exact(ty));
            return self.put_exact(Prim::Rem, &[x, y], x.bound);
        }
        let y = self.small(ty, 2.0);
        let (y, off) = (self.positive(y, 0.5), self.small(ty, 0.2));
        let times = self.float(ty, 2.5);
        let x = self.put(Prim::Mul, &[y, times], 2.5 * y.bound, false);
        let x = self.put(Prim::Add, &[x, off], x.bound + 0.2, false);
        self.put(Prim::Rem, &[x, y], y.bound, false)
    }

    fn arithmetic(&mut self, prim: Prim) -> Var {
        let ty = self.any_number();
        let limit = if prim == Prim::Mul { 10.0 } else { LIMIT / 2.0 };
        let (x, y) = (self.bounded(ty, limit), self.bounded(ty, limit));
        let bound = match prim {
            Prim::Mul => x.bound * y.bound,
            Prim::Max | Prim::Min => x.bound.max(y.bound),
            _ => x.bound + y.bound,
        };
        // A product that is not exact may have one factor that is, and large.
        let exact = x.exact && y.exact;
        let v = self.put_exact(prim, &[x, y], bound);
        if exact || bound <= LIMIT {
            v
        } else {
            self.squash(v, 1.6)
        }
    }

    fn select(&mut self) -> Var {
        let ty = self.any_type();
        let (c, x, y) = (
            self.exact(Bool),
            self.bounded(ty, LIMIT),
            self.bounded(ty, LIMIT),
        );
        self.put_exact(Prim::Select, &[c, x, y], x.bound.max(y.bound))
    }

    fn convert(&mut self, to: ScalarType) -> Var {
        let from = self.any_type();
        let jumps = from.is_float() && !to.is_float();
        let widens = from == F32 && to == F64;
        let x = if jumps || widens {
            self.exact(from)
        } else {
            self.bounded(from, LIMIT)
        };
        let bound = if jumps { ANY_INTEGER } else { x.bound };
        let v = self.put_exact(Prim::Convert(to), &[x], bound);
        if self.smooth && to.is_float() && bound > LIMIT {
            self.squash(v, 1.6)
        } else {
            v
        }
    }

    /// A float and its bits. It is neither a NaN, of which there are many, nor a zero, whose sign the simplifier may change.
    fn bits(&mut self) -> (Var, Var) {
        let ty = self.any_float();
        let x = self.some(ty, |v| v.exact && v.number);
        let x = self.positive(x, 1.25);
        (x, self.put(Prim::ToBits, &[x], ANY_INTEGER, true))
    }

    /// The float next to another one.
    fn neighbour(&mut self) -> Var {
        let (x, bits) = self.bits();
        let one = self.constant(cotangent_core::constant::Const::small(bits.ty, 1));
        let other = self.put(Prim::BitXor, &[bits, one], ANY_INTEGER, true);
        self.put(Prim::FromBits, &[other], x.bound + 1.0, true)
    }

    /// An operation of `f16`, on numbers of another type; see the note [Half-precision].
    fn in_half(&mut self) -> Var {
        use Prim::*;
        let ty = self.any_number();
        let operands = [self.exact(ty), self.exact(ty)].map(|v| v.id);
        let [x, y] = operands.map(|id| self.b.prim(Convert(F16), &[id]));
        let binary = [Add, Sub, Mul, Div, Max, Min, Lt, Le, Eq, Ne];
        let unary = [Neg, Abs, Signum, Sqrt, Floor, Ceil, Round, Trunc, IsNan];
        let result = match self.random.chance(70) {
            true => self.b.prim(self.random.pick(&binary), &[x, y]),
            false => self.b.prim(self.random.pick(&unary), &[x]),
        };
        let result = self.b.prim(Convert(ty), &[result]);
        let bound = if ty.is_float() {
            f64::INFINITY
        } else {
            ANY_INTEGER
        };
        self.enter_if(result, true, bound, false)
    }

    /// Applies a function as it comes to an exact operand: there may be poles.
    fn raw(&mut self) -> bool {
        !self.smooth && self.random.chance(30)
    }

    fn transcendental(&mut self, prim: Prim) -> Var {
        use Prim::*;
        let ty = self.any_float();
        if self.raw() {
            let x = self.exact(ty);
            return self.put(prim, &[x], f64::INFINITY, prim == Sqrt);
        }
        let x = match prim {
            Exp | ExpM1 | Sinh | Cosh => self.small(ty, 3.0),
            Tan => self.small(ty, 1.0),
            Asin | Acos | Atanh => self.small(ty, 0.75),
            Sin | Cos => self.small(ty, 30.0),
            _ => self.small(ty, LIMIT),
        };
        let x = match prim {
            Sqrt | Ln | Ln1p => self.positive(x, 0.5),
            Acosh => self.positive(x, 1.5),
            _ => x,
        };
        let bound = match prim {
            Exp | ExpM1 | Sinh | Cosh => 21.0,
            Sqrt | Ln | Ln1p | Acosh | Asinh => x.bound,
            _ => 3.2,
        };
        self.put(prim, &[x], bound, prim == Sqrt && x.exact)
    }

    /// `|x| + least`.
    fn positive(&mut self, x: Var, least: f64) -> Var {
        let x = self.put_exact(Prim::Abs, &[x], x.bound);
        let least = self.float(x.ty, least);
        self.put_exact(Prim::Add, &[x, least], x.bound + least.bound)
    }

    /// Division and its like.
    ///
    /// Negative zeros do not get there as they come, as the simplifier may change their sign (`add_zero`):
    /// adding something other than zero leaves no negative zero.
    fn quotient(&mut self, prim: Prim) -> Var {
        let ty = self.any_float();
        if self.raw() {
            let (x, y) = (self.exact(ty), self.exact(ty));
            let shift = self.float(ty, 1.25);
            let x = self.put_exact(Prim::Add, &[x, shift], f64::INFINITY);
            let y = self.put_exact(Prim::Add, &[y, shift], f64::INFINITY);
            return self.put(prim, &[x, y], f64::INFINITY, prim == Prim::Div);
        }
        let (x, y) = (self.small(ty, 3.0), self.small(ty, 2.0));
        match prim {
            Prim::Pow => {
                let x = self.positive(x, 0.5);
                self.put(prim, &[x, y], 13.0, false)
            }
            Prim::Div => {
                let y = self.positive(y, 0.5);
                self.put_exact(prim, &[x, y], 6.0)
            }
            _ => {
                let y = self.positive(y, 0.5);
                self.put(prim, &[x, y], 3.2, false)
            }
        }
    }
}
