//! Polynomials over what an index is computed from, modulo 2³², as `i32` arithmetic wraps.
//!
//! Invariants: no coefficient is 0; the atoms of a product are in order, so equal polynomials are equal as
//! values; there are at most [`MAX_TERMS`] terms of at most [`MAX_DEGREE`] atoms, so that what is computed
//! from a polynomial takes bounded time.

use super::shape::{Shapes, Size, SizeNode};
use crate::constant::Const;
use crate::prim::Prim;
use crate::term::ExpId;
use std::collections::BTreeMap;

/// The longest sum that is followed.
pub const MAX_TERMS: usize = 16;

/// The most factors of a term.
pub const MAX_DEGREE: usize = 3;

/// How a quotient by 2 is rounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Rounding {
    /// Towards zero.
    Zero,
    /// Towards −∞.
    Down,
}

/// What polynomials are made of.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Atom {
    /// The parameter of the function at this position.
    Param(usize),
    /// The extent of an array.
    Size(Size),
    /// A variable of the function's outermost block that depends on no parameter and is computed without
    /// failing.
    Uniform(ExpId),
    /// The quotient of a polynomial without halves by 2.
    Half(Rounding, Box<Poly>),
}

/// Atoms that are multiplied, in order.
pub type Product = Vec<Atom>;

/// A sum of multiples of products.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Poly {
    terms: BTreeMap<Product, i32>,
}

impl Atom {
    /// Whether the parameter at position `param` occurs in it.
    pub fn mentions(&self, param: usize) -> bool {
        match self {
            Self::Param(p) => *p == param,
            Self::Half(_, inner) => inner.mentions(param),
            Self::Size(_) | Self::Uniform(_) => false,
        }
    }

    /// Whether a parameter occurs in it.
    fn varies(&self) -> bool {
        match self {
            Self::Param(_) => true,
            Self::Half(_, inner) => inner.varies(),
            Self::Size(_) | Self::Uniform(_) => false,
        }
    }

    fn is_half(&self) -> bool {
        match self {
            Self::Half(..) => true,
            Self::Param(_) | Self::Size(_) | Self::Uniform(_) => false,
        }
    }
}

impl Poly {
    /// The constant `c`.
    pub fn constant(c: i32) -> Self {
        Self::monomial(vec![], c)
    }

    /// An atom alone.
    pub fn atom(atom: Atom) -> Self {
        Self::monomial(vec![atom], 1)
    }

    /// A multiple of a product.
    pub fn monomial(product: Product, coefficient: i32) -> Self {
        let terms = BTreeMap::from([(product, coefficient)]);
        Self { terms }.cleaned()
    }

    /// The size, as far as it is a sum of products, in terms of others.
    pub fn of_size(shapes: &Shapes, size: Size) -> Self {
        let parts = match shapes.node(size) {
            SizeNode::Const(Const::I32(c)) => Some(Self::constant(*c)),
            SizeNode::Prim(op @ (Prim::Add | Prim::Sub | Prim::Mul), operands) => {
                let of = |s: &Size| Self::of_size(shapes, *s);
                of(&operands[0]).arithmetic(*op, &of(&operands[1]))
            }
            SizeNode::Const(_) | SizeNode::Extent { .. } | SizeNode::Prim(..) => None,
        };
        parts.unwrap_or_else(|| Self::atom(Atom::Size(size)))
    }

    /// The size that this is.
    pub fn as_size(&self) -> Option<Size> {
        let mut terms = self.terms.iter();
        match (terms.next(), terms.next()) {
            (Some((product, 1)), None) => match product[..] {
                [Atom::Size(size)] => Some(size),
                [..] => None,
            },
            (Some(_), _) | (None, _) => None,
        }
    }

    /// The terms, in order of their products.
    pub fn terms(&self) -> impl Iterator<Item = (&Product, i32)> {
        self.terms.iter().map(|(product, &c)| (product, c))
    }

    /// The coefficient of a product.
    pub fn coefficient(&self, product: &[Atom]) -> i32 {
        self.terms.get(product).copied().unwrap_or(0)
    }

    /// Its value, if that is always the same.
    pub fn as_constant(&self) -> Option<i32> {
        let c = self.coefficient(&[]);
        self.terms.keys().all(Vec::is_empty).then_some(c)
    }

    /// The parameter that it is.
    pub fn as_param(&self) -> Option<usize> {
        let mut terms = self.terms();
        let (product, coefficient) = terms.next()?;
        let alone = coefficient == 1 && terms.next().is_none();
        match product[..] {
            [Atom::Param(p)] if alone => Some(p),
            [..] => None,
        }
    }

    /// Whether the parameter at position `param` occurs in it.
    pub fn mentions(&self, param: usize) -> bool {
        self.atoms().any(|atom| atom.mentions(param))
    }

    /// Whether any parameter occurs in it.
    pub fn varies(&self) -> bool {
        self.atoms().any(Atom::varies)
    }

    /// Whether it is the parameter at position `param` or its negative, and what does not vary.
    pub fn follows(&self, param: usize) -> bool {
        let mut varying = self
            .terms()
            .filter(|(product, _)| product.iter().any(Atom::varies));
        let first = varying.next();
        let alone = first
            .is_some_and(|(product, c)| product[..] == [Atom::Param(param)] && matches!(c, 1 | -1));
        alone && varying.next().is_none()
    }

    /// All occurrences of atoms.
    pub fn atoms(&self) -> impl Iterator<Item = &Atom> {
        self.terms.keys().flatten()
    }

    /// The sum.
    pub fn plus(&self, other: &Self) -> Self {
        let mut sum = self.clone();
        for (product, &c) in &other.terms {
            let entry = sum.terms.entry(product.clone()).or_insert(0);
            *entry = entry.wrapping_add(c);
        }
        sum.cleaned()
    }

    /// A multiple.
    pub fn times(&self, factor: i32) -> Self {
        let mut product = self.clone();
        let scale = |c: &mut i32| *c = c.wrapping_mul(factor);
        product.terms.values_mut().for_each(scale);
        product.cleaned()
    }

    /// The difference.
    pub fn minus(&self, other: &Self) -> Self {
        self.plus(&other.times(-1))
    }

    /// The product, unless it is too long.
    pub fn multiplied(&self, other: &Self) -> Option<Self> {
        let mut sum = Self::default();
        for (left, c) in self.terms() {
            for (right, d) in other.terms() {
                let mut product = [&left[..], right].concat();
                product.sort();
                sum = sum.plus(&Self::monomial(product, c.wrapping_mul(d)));
            }
        }
        sum.limited()
    }

    /// The quotient by 2.
    pub fn half(&self, rounding: Rounding) -> Option<Self> {
        let whole = !self.atoms().any(Atom::is_half);
        whole.then(|| Self::atom(Atom::Half(rounding, Box::new(self.clone()))))
    }

    /// Half of it, rounded down, if all terms but the constant have even coefficients; unless the whole had wrapped.
    pub fn halved(&self) -> Option<Self> {
        let is_even = |(product, c): (&Product, &i32)| product.is_empty() || c % 2 == 0;
        let half = |(product, c): (&Product, &i32)| (product.clone(), c.div_euclid(2));
        let terms = self.terms.iter();
        terms.clone().all(is_even).then(|| {
            let terms = terms.map(half).collect();
            Self { terms }.cleaned()
        })
    }

    /// A sum, difference or product, unless it is too long.
    pub fn arithmetic(&self, op: Prim, other: &Self) -> Option<Self> {
        if op == Prim::Mul {
            return self.multiplied(other);
        }
        let sum = (op == Prim::Add).then(|| self.plus(other));
        let difference = (op == Prim::Sub).then(|| self.minus(other));
        sum.or(difference)?.limited()
    }

    fn limited(self) -> Option<Self> {
        let short = self.terms.len() <= MAX_TERMS;
        let low = self.terms.keys().all(|p| p.len() <= MAX_DEGREE);
        (short && low).then_some(self)
    }

    fn cleaned(mut self) -> Self {
        self.terms.retain(|_, c| *c != 0);
        self
    }
}
