//! Linear recurrences λᵢ = vᵢ + Aᵢ·λⱼ, with j the next or the previous position: scans of maps z ↦ v + A·z under composition. The
//! derivatives of scans are such scans.
//!
//! Their own derivative is one of the same size: the adjoints of all states are μᵢ = dᵢ + Aᵀ·μ, the recurrence the other way, of the
//! transposed matrices; vᵢ receives μᵢ, and Aᵢ the outer product μᵢ·λⱼᵀ. So derivatives of any order take columns for one matrix, where the
//! [rule](super::coupled) for any operator would take the square of that at each order.

use super::recurrence::{Combined, shifted};
use super::reverse::{Node, Reverse};
use crate::error::AdError;
use crate::exp::{Form, guarded, guarded_product};
use cotangent_core::build::{Arr, FunBuilder};
use cotangent_core::prim::Prim;
use cotangent_core::simplify::exp::anonymous_fun;
use cotangent_core::term::{Direction, ExpId, Fun, Labelled};
use cotangent_core::types::ScalarType;

/// Composition of maps z ↦ v + A·z, of which the one scanned last is applied last: of the rows of A, then v. If guarded, what
/// the first of them gives passes nothing on where it is 0.
pub(super) fn composition(
    direction: Direction,
    types: &[ScalarType],
    guard: Option<Form>,
) -> Fun<Labelled> {
    let k = types.len();
    let rows = types.iter().flat_map(|&ty| vec![ty; k]);
    let all: Vec<ScalarType> = rows.chain(types.iter().copied()).collect();
    let mut b = FunBuilder::new();
    let (left, right) = (b.params(&all), b.params(&all));
    let (inner, outer) = match direction {
        Direction::Left => (left, right),
        Direction::Right => (right, left),
    };
    let mut sum = |first: Option<ExpId>, row: usize, column: &dyn Fn(usize) -> usize| {
        let mut total = first;
        for j in 0..k {
            let factor = in_type(&mut b, inner[column(j)], types[row]);
            let product = b.prim(Prim::Mul, &[outer[row * k + j], factor]);
            let product = guard.map_or(product, |form| guarded(&mut b, form, factor, product));
            total = Some(match total {
                None => product,
                Some(sum) => b.prim(Prim::Add, &[sum, product]),
            });
        }
        total
    };
    let mut results = vec![];
    for row in 0..k {
        for column in 0..k {
            results.extend(sum(None, row, &|j| j * k + column));
        }
    }
    for row in 0..k {
        results.extend(sum(Some(outer[k * k + row]), row, &|j| k * k + j));
    }
    b.finish(results)
}

/// `x` as a float of type `ty`.
fn in_type(b: &mut FunBuilder, x: ExpId, ty: ScalarType) -> ExpId {
    if b.type_of(x) == ty {
        x
    } else {
        b.prim(Prim::Convert(ty), &[x])
    }
}

pub(super) fn opposite(direction: Direction) -> Direction {
    match direction {
        Direction::Left => Direction::Right,
        Direction::Right => Direction::Left,
    }
}

/// A scan that is a linear recurrence, of which only the states have adjoints.
struct Linear<'a> {
    direction: Direction,
    elem: ScalarType,
    /// How many numbers a state has.
    k: usize,
    guard: Option<Form>,
    /// The rows of all Aᵢ.
    matrices: &'a [Arr],
    states: &'a [Arr],
    adjoints: &'a [Option<Arr>],
}

impl Reverse<'_> {
    /// The dual of a scan that is a linear recurrence. Whether it is one.
    pub(super) fn linear(&mut self, node: &Node, of: &Combined) -> Result<bool, AdError> {
        let args = self.arrays(of.args)?;
        if args[1..]
            .iter()
            .any(|arg| !self.shapes.same(arg.name, args[0].name))
        {
            return Ok(false);
        }
        let Some(linear) = Linear::of(node, of, &args) else {
            return Ok(false);
        };
        let adjoints = linear.adjoints_of_states(self);
        let matrices = linear.adjoints_of_matrices(self, &adjoints);
        for (arg, adjoint) in args.iter().zip(matrices.into_iter().chain(adjoints)) {
            self.contribute(arg.name, adjoint);
        }
        Ok(true)
    }
}

impl<'a> Linear<'a> {
    fn of(node: &Node<'a>, of: &Combined, args: &'a [Arr]) -> Option<Self> {
        let k = (1..).find(|k| k * k + k >= args.len())?;
        let elem = args[0].ty.elem;
        let fits = k * k + k == args.len() && args.iter().all(|arg| arg.ty.elem == elem);
        if !fits || !elem.is_float() || of.init.is_some() {
            return None;
        }
        let (unwanted, adjoints) = node.adjoints.split_at(k * k);
        if unwanted.iter().any(Option::is_some) {
            return None;
        }
        let found = anonymous_fun(of.f);
        let guards = [None, Some(Form::Last), Some(Form::Differentiable)];
        let is_such = |guard: &Option<Form>| {
            found == anonymous_fun(&composition(of.direction, &vec![elem; k], *guard))
        };
        Some(Self {
            direction: of.direction,
            elem,
            k,
            guard: guards.into_iter().find(is_such)?,
            matrices: &args[..k * k],
            states: &node.binds[k * k..],
            adjoints,
        })
    }

    fn rank(&self) -> usize {
        self.states[0].ty.rank
    }

    /// How far the state that another one is made of is from that.
    fn step(&self) -> i32 {
        match self.direction {
            Direction::Left => -1,
            Direction::Right => 1,
        }
    }

    /// What `inside` makes of the index `by` further along the row, zeros where there is no such position.
    fn beside(
        &self,
        b: &mut FunBuilder,
        (index, by): (&[ExpId], i32),
        inside: impl FnOnce(&mut FunBuilder, &[ExpId]) -> Vec<ExpId>,
    ) -> Vec<ExpId> {
        let beside = shifted(b, index, by);
        let at = beside[self.rank() - 1];
        let is_inside = match by < 0 {
            true => {
                let zero = b.constant(0i32);
                b.prim(Prim::Ge, &[at, zero])
            }
            false => {
                let n = b.extent(self.states[0].name, self.rank() - 1);
                b.prim(Prim::Lt, &[at, n])
            }
        };
        let zeros = |b: &mut FunBuilder| vec![b.small(self.elem, 0); self.k * self.k];
        b.cond(is_inside, |b| inside(b, &beside), zeros)
    }

    /// μᵢ, of all positions.
    fn adjoints_of_states(&self, reverse: &mut Reverse) -> Vec<Arr> {
        let k = self.k;
        let mut b = FunBuilder::new();
        let index = b.params(&vec![ScalarType::I32; self.rank()]);
        let mut maps = self.beside(&mut b, (&index, -self.step()), |b, beside| {
            let transposed = (0..k * k).map(|at| &self.matrices[at % k * k + at / k]);
            transposed.map(|array| b.index(array, beside)).collect()
        });
        for adjoint in self.adjoints {
            maps.push(match adjoint {
                Some(d) => b.index(d, &index),
                None => b.small(self.elem, 0),
            });
        }
        let f = b.finish(maps);
        let maps = (reverse.b).generate(Fun::shape_of(&self.states[0]), f);
        let back = opposite(self.direction);
        let compose = composition(back, &vec![self.elem; k], self.guard);
        reverse.b.scan(back, compose, None, &maps).split_off(k * k)
    }

    /// μᵢ·λⱼᵀ, of all positions.
    fn adjoints_of_matrices(&self, reverse: &mut Reverse, adjoints: &[Arr]) -> Vec<Arr> {
        let (k, form) = (self.k, reverse.form);
        let mut b = FunBuilder::new();
        let index = b.params(&vec![ScalarType::I32; self.rank()]);
        let adjoints: Vec<ExpId> = adjoints.iter().map(|a| b.index(a, &index)).collect();
        let products = self.beside(&mut b, (&index, self.step()), |b, beside| {
            let states = self.states.iter().map(|state| b.index(state, beside));
            let states: Vec<ExpId> = states.collect();
            let entry = |at: usize| match self.guard {
                Some(_) => guarded_product(b, form, adjoints[at / k], states[at % k]),
                None => b.prim(Prim::Mul, &[adjoints[at / k], states[at % k]]),
            };
            (0..k * k).map(entry).collect()
        });
        let f = b.finish(products);
        reverse.b.generate(Fun::shape_of(&self.states[0]), f)
    }
}
