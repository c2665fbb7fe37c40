//! Contractions: folds of products whose factors each depend on a part of the space are matrix products.
//!
//! [`contraction`] looks at the finished body of a reduction by addition. The element is taken apart into
//! factors (through products, quotients and negations), and the factors are shared out between two sides so
//! that each side has a coordinate of its own and depends on the inner space. Of several ways the product
//! as it was written is preferred, then the one with the fewest coordinates on both sides. A product that
//! is taken apart differently is rounded differently; nothing else changes. Products of `f16` are taken as they
//! were written.
//!
//! Reductions by the operation of another [`Semiring`] are looked at in the same way, but there the element is
//! taken as it was written: its last operation must be the semiring's, on a value for each side.

mod doubled;

use cotangent_core::prim::Prim;
use cotangent_core::schedule::{
    ArrayId, Body, KernelKind, Op, Operator, Output, Role, Semiring, Structure, SymbolId, ValueId,
};
use cotangent_core::types::ScalarType;

/// Products of more factors are only taken apart at the outermost product: there would be too many ways.
const MAX_FACTORS: usize = 6;

/// The same kernel as a contraction, if it is one; the space has `rank` coordinates.
pub(crate) fn contraction(kind: &KernelKind, rank: usize) -> Option<KernelKind> {
    let KernelKind::Reduce {
        inner,
        body,
        operator,
        init,
        outputs,
    } = kind
    else {
        return None;
    };
    let [Output { value, array }] = outputs[..] else {
        return None;
    };
    let init = match init.as_deref() {
        None => None,
        Some(&[init]) => Some(init),
        Some([..]) => return None,
    };
    let coords = rank + inner.len();
    if coords > u64::BITS as usize || inner.is_empty() {
        return None;
    }
    let semiring = semiring(body, operator, value)?;
    let (body, left, right) = match semiring {
        Semiring::PlusTimes => Product::of(body, rank, value)?.split()?,
        Semiring::MinPlus
        | Semiring::MaxPlus
        | Semiring::MinTimes
        | Semiring::MaxTimes
        | Semiring::MaxMin
        | Semiring::MinMax => as_written(body, rank, value)?,
    };
    let roles = roles(&body.dependencies(), rank, left, right);
    let sides = (semiring, left, right);
    Some(pruned(inner, &body, sides, roles, init, array))
}

/// The semiring of a reduction whose elements are `value`. A sum is one of products, be it of a single factor.
fn semiring(body: &Body, operator: &Operator, value: ValueId) -> Option<Semiring> {
    let semiring = match (operator.as_prim()?, operands(body, value)) {
        (Prim::Add, _) => Semiring::PlusTimes,
        (plus, (Some(times), _)) => Semiring::of(plus, times)?,
        (_, (None, _)) => return None,
    };
    semiring.is_on(body.type_of(value)).then_some(semiring)
}

/// The two operands of a value, if they make a contraction.
fn as_written(body: &Body, rank: usize, value: ValueId) -> Option<(Body, ValueId, ValueId)> {
    let (_, &[x, y]) = operands(body, value) else {
        return None;
    };
    let deps = body.dependencies();
    shared(rank, deps[x.index()], deps[y.index()]).map(|_| (body.clone(), x, y))
}

/// The finished kernel, without the instructions that nothing needs any more.
fn pruned(
    inner: &[SymbolId],
    old: &Body,
    (semiring, left, right): (Semiring, ValueId, ValueId),
    roles: Vec<Role>,
    init: Option<SymbolId>,
    array: ArrayId,
) -> KernelKind {
    let mut body = old.clone();
    let factors = [left, right].map(|factor| doubled::without_sum(&mut body, factor));
    let [mut left, mut right] = factors;
    body.prune([&mut left, &mut right]);
    let term = Op::Prim(semiring.times(), vec![left, right]);
    let value = body.push(term, body.type_of(left));
    KernelKind::Contract {
        semiring,
        inner: inner.to_vec(),
        body,
        roles,
        left,
        right,
        init,
        structure: Structure::default(),
        output: Output { value, array },
    }
}

/// A part of a product.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Factor {
    pub value: ValueId,
    /// Whether it is divided by.
    pub divides: bool,
    /// The coordinates it depends on.
    pub deps: u64,
}

/// A product taken apart.
struct Product<'a> {
    body: &'a Body,
    rank: usize,
    /// The operands of the outermost product, if the element is one.
    outermost: Option<(ValueId, ValueId)>,
    /// The dependencies of all values.
    deps: Vec<u64>,
    factors: Vec<Factor>,
    negative: bool,
    /// How often the product of the factors is to be added to itself.
    doublings: usize,
}

/// A value as a product.
pub(crate) struct Factors {
    /// The factors, in order.
    pub factors: Vec<Factor>,
    /// Whether their product is to be negated.
    pub negative: bool,
    /// How often it is then to be added to itself.
    pub doublings: usize,
}

/// The factors of a value.
pub(crate) fn factors_of(body: &Body, value: ValueId) -> Factors {
    let product = Product::taken_apart(body, 0, value);
    Factors {
        factors: product.factors,
        negative: product.negative,
        doublings: product.doublings,
    }
}

/// A sum of products as a contraction of which one factor has no coordinate of its own: a (batched) product of
/// a matrix and a vector.
pub(crate) fn matrix_vector(kind: &KernelKind, rank: usize) -> Option<KernelKind> {
    let KernelKind::Reduce {
        inner,
        body,
        operator: _,
        init,
        outputs,
    } = kind
    else {
        return None;
    };
    let (&[Output { value, array }], Some(&[init])) = (&outputs[..], init.as_deref()) else {
        return None;
    };
    let &[x, y] = body.op(value).operands_of(Prim::Mul)?;
    let deps = body.dependencies();
    let of = |v: ValueId| deps[v.index()] & ((1 << rank) - 1);
    let (left, right) = match (of(x) | of(y) == of(x), of(x) | of(y) == of(y)) {
        (true, _) => (x, y),
        (false, true) => (y, x),
        (false, false) => return None,
    };
    let is_left = |axis: usize| of(left) & !of(right) & (1 << axis) != 0;
    let role = |axis| match is_left(axis) {
        true => Role::Left,
        false => Role::Batch,
    };
    let roles: Vec<_> = (0..rank).map(role).collect();
    let is_matrix = roles.contains(&Role::Left) && body.type_of(value).is_float();
    let sides = (Semiring::PlusTimes, left, right);
    is_matrix.then(|| pruned(inner, body, sides, roles, Some(init), array))
}

impl<'a> Product<'a> {
    /// The product that `value` is; none where it is not.
    fn of(body: &'a Body, rank: usize, value: ValueId) -> Option<Self> {
        let product = Self::taken_apart(body, rank, value);
        (product.factors.len() > 1).then_some(product)
    }

    fn taken_apart(body: &'a Body, rank: usize, value: ValueId) -> Self {
        let mut product = Self {
            body,
            rank,
            outermost: body.op(value).operands_of(Prim::Mul).map(|&[x, y]| (x, y)),
            deps: body.dependencies(),
            factors: vec![],
            negative: false,
            doublings: 0,
        };
        product.collect(value);
        product
    }

    /// Collects the factors of a value, in order.
    fn collect(&mut self, value: ValueId) {
        let mut todo = vec![(value, false)];
        while let Some((value, divides)) = todo.pop() {
            let op = self.body.op(value);
            if let Some(&[x, y]) = op.operands_of(Prim::Mul) {
                todo.extend([(y, divides), (x, divides)]);
            } else if let Some(&[x]) = op.operands_of(Prim::Neg) {
                self.negative = !self.negative;
                todo.push((x, divides));
            } else if let Some(&[x, y]) = op.operands_of(Prim::Div).filter(|_| !divides) {
                todo.extend([(y, true), (x, false)]);
            } else if let Some(x) = addend_of_double(op).filter(|_| !divides) {
                self.doublings += 1;
                todo.push((x, false));
            } else {
                self.factors.push(Factor {
                    value,
                    divides,
                    deps: self.deps[value.index()],
                });
            }
        }
    }

    /// A body with two values whose product is the element, and which make a contraction.
    fn split(&self) -> Option<(Body, ValueId, ValueId)> {
        if let Some((x, y)) = self.outermost
            && shared(self.rank, self.deps[x.index()], self.deps[y.index()]).is_some()
        {
            return Some((self.body.clone(), x, y));
        }
        let n = self.factors.len();
        // In `f16` a product that is put together in another way soon overflows, or loses its digits.
        let is_narrow = self.body.type_of(self.factors.first()?.value) == ScalarType::F16;
        if n > MAX_FACTORS || is_narrow {
            return None;
        }
        // The first factor is on the left side, without loss of generality.
        let ways = (0..1u32 << (n - 1)).map(|way| way << 1);
        let rated = ways.filter_map(|way| {
            let deps = |side| self.side(way, side).fold(0, |d, f| d | f.deps);
            shared(self.rank, deps(0), deps(1)).map(|shared| (shared, way))
        });
        let (_, way) = rated.min()?;
        let mut body = self.body.clone();
        let left = self.multiplied(&mut body, way, 0)?;
        let right = self.multiplied(&mut body, way, 1)?;
        let mut left = match self.negative {
            true => prim(&mut body, Prim::Neg, vec![left]),
            false => left,
        };
        for _ in 0..self.doublings {
            left = prim(&mut body, Prim::Add, vec![left, left]);
        }
        Some((body, left, right))
    }

    /// The factors of a side; bit `n` of `way` says where factor `n` goes.
    fn side(&self, way: u32, side: u32) -> impl Iterator<Item = &Factor> {
        let here = move |(n, _): &(usize, _)| (way >> n) & 1 == side;
        self.factors
            .iter()
            .enumerate()
            .filter(here)
            .map(|(_, factor)| factor)
    }

    /// The product of a side; none where all it does is divide.
    fn multiplied(&self, body: &mut Body, way: u32, side: u32) -> Option<ValueId> {
        let times = self.side(way, side).filter(|f| !f.divides);
        let product = times
            .map(|f| f.value)
            .reduce(|x, y| prim(body, Prim::Mul, vec![x, y]))?;
        let by = self.side(way, side).filter(|f| f.divides);
        Some(by.fold(product, |x, f| prim(body, Prim::Div, vec![x, f.value])))
    }
}

/// The number of coordinates on both sides, if what they depend on makes a contraction.
fn shared(rank: usize, left: u64, right: u64) -> Option<u32> {
    let space = (1u64 << rank) - 1;
    let inner = left & !space != 0 && right & !space != 0;
    let own = left & space & !right != 0 && right & space & !left != 0;
    (inner && own).then(|| (left & right & space).count_ones())
}

/// What each coordinate of the space is to the sides. What neither depends on counts as both's.
fn roles(deps: &[u64], rank: usize, left: ValueId, right: ValueId) -> Vec<Role> {
    let has = |side: ValueId, axis: usize| deps[side.index()] >> axis & 1 == 1;
    let role = |axis| match (has(left, axis), has(right, axis)) {
        (true, false) => Role::Left,
        (false, true) => Role::Right,
        (true, true) | (false, false) => Role::Batch,
    };
    (0..rank).map(role).collect()
}

/// `x` of `x + x`.
fn addend_of_double(op: &Op) -> Option<ValueId> {
    op.operands_of(Prim::Add)
        .and_then(|&[x, y]| (x == y).then_some(x))
}

fn prim(body: &mut Body, prim: Prim, operands: Vec<ValueId>) -> ValueId {
    let ty = body.type_of(operands[0]);
    body.push(Op::Prim(prim, operands), ty)
}

fn operands(body: &Body, value: ValueId) -> (Option<Prim>, &[ValueId]) {
    match body.op(value).as_prim() {
        Some((prim, operands)) => (Some(prim), operands),
        None => (None, &[]),
    }
}
