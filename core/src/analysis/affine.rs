//! Which coordinates of an index function are affine in its parameters.
//!
//! A coordinate is described modulo 2³², as `i32` arithmetic wraps; so every description is exact, not
//! merely for small extents. [`coordinate_map`] looks at the straight-line code of the function's outermost
//! block; what a conditional or an indexing computes is [`Coordinate::Unknown`].

use crate::constant::Const;
use crate::prim::Prim;
use crate::term::{ArrId, ExpId, ExpLet, ExpOp, Fun, Labelled, Slot};
use crate::types::ScalarType;
use std::collections::{BTreeMap, HashMap};

/// One extent of an array: a value that is the same for all elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ExtentOf {
    /// The array, as captured by the function.
    pub array: ArrId,
    /// Its dimension.
    pub axis: usize,
}

/// A sum of multiples of parameters and of extents, and a constant; all modulo 2³².
///
/// Coefficients are never 0; both lists are ordered by what they multiply.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Affine {
    /// Position of a parameter, and its coefficient.
    pub params: Vec<(usize, i32)>,
    /// An extent, and its coefficient.
    pub extents: Vec<(ExtentOf, i32)>,
    /// What is added.
    pub offset: i32,
}

/// What a function from index to index does to one coordinate of its result.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Coordinate {
    /// The parameter at this position, unchanged.
    Param(usize),
    /// The same position everywhere.
    Constant(i32),
    /// Anything else that is affine, such as `n - 1 - i`.
    Affine(Affine),
    /// None of these, or not recognised.
    Unknown,
}

/// Describes each result of `f`, whose parameters are the coordinates of an index.
///
/// ```
/// use cotangent_core::analysis::affine::{Coordinate, coordinate_map};
/// use cotangent_core::{build::FunBuilder, types::ScalarType};
/// let mut b = FunBuilder::new();
/// let ij = b.params(&[ScalarType::I32; 2]);
/// let transpose = b.finish(vec![ij[1], ij[0]]);
/// assert_eq!(coordinate_map(&transpose), [Coordinate::Param(1), Coordinate::Param(0)]);
/// ```
pub fn coordinate_map(f: &Fun<Labelled>) -> Vec<Coordinate> {
    let mut reader = Reader {
        captures: &f.captures,
        known: HashMap::new(),
    };
    for (position, param) in f.params.iter().enumerate() {
        if param.ty == ScalarType::I32 {
            reader.known.insert(param.name, Sum::param(position));
        }
    }
    f.body.lets.iter().for_each(|l| reader.read(l));
    let describe = |x| {
        reader
            .known
            .get(x)
            .map_or(Coordinate::Unknown, Sum::describe)
    };
    f.body.results.iter().map(describe).collect()
}

/// If `map` sends the index of `rank` coordinates to a permutation of them: for each result, which.
pub fn as_permutation(map: &[Coordinate], rank: usize) -> Option<Vec<usize>> {
    let mut seen = vec![false; rank];
    let positions: Option<Vec<usize>> = map
        .iter()
        .map(|c| match c {
            Coordinate::Param(p) if !std::mem::replace(seen.get_mut(*p)?, true) => Some(*p),
            Coordinate::Param(_)
            | Coordinate::Constant(_)
            | Coordinate::Affine(_)
            | Coordinate::Unknown => None,
        })
        .collect();
    positions.filter(|p| p.len() == rank)
}

/// Whether `map` is the identity on indices of `rank` coordinates.
pub fn is_identity(map: &[Coordinate], rank: usize) -> bool {
    let own = |(position, c): (usize, &Coordinate)| *c == Coordinate::Param(position);
    map.len() == rank && map.iter().enumerate().all(own)
}

/// What a sum is made of.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Term {
    Param(usize),
    Extent(ExtentOf),
}

/// An affine value under construction; coefficients may be 0.
#[derive(Clone, Default)]
struct Sum {
    terms: BTreeMap<Term, i32>,
    offset: i32,
}

impl Sum {
    fn term(term: Term) -> Self {
        Self {
            terms: BTreeMap::from([(term, 1)]),
            offset: 0,
        }
    }

    fn param(position: usize) -> Self {
        Self::term(Term::Param(position))
    }

    fn constant(offset: i32) -> Self {
        Self {
            terms: BTreeMap::new(),
            offset,
        }
    }

    fn scale(mut self, factor: i32) -> Self {
        let product = |c: i32| c.wrapping_mul(factor);
        self.terms.values_mut().for_each(|c| *c = product(*c));
        self.terms.retain(|_, c| *c != 0);
        self.offset = product(self.offset);
        self
    }

    fn add(mut self, other: Self) -> Self {
        for (term, coefficient) in other.terms {
            let entry = self.terms.entry(term).or_insert(0);
            *entry = entry.wrapping_add(coefficient);
        }
        self.terms.retain(|_, c| *c != 0);
        self.offset = self.offset.wrapping_add(other.offset);
        self
    }

    fn as_constant(&self) -> Option<i32> {
        self.terms.is_empty().then_some(self.offset)
    }

    fn describe(&self) -> Coordinate {
        if let Some(c) = self.as_constant() {
            return Coordinate::Constant(c);
        }
        let mut affine = Affine {
            offset: self.offset,
            ..Affine::default()
        };
        for (term, &coefficient) in &self.terms {
            match *term {
                Term::Param(p) => affine.params.push((p, coefficient)),
                Term::Extent(e) => affine.extents.push((e, coefficient)),
            }
        }
        match (&affine.params[..], &affine.extents[..], affine.offset) {
            (&[(p, 1)], [], 0) => Coordinate::Param(p),
            _ => Coordinate::Affine(affine),
        }
    }
}

/// Longest sum that is followed, so that the analysis stays linear in the length of the code.
const MAX_TERMS: usize = 16;

struct Reader<'a> {
    captures: &'a [ArrId],
    known: HashMap<ExpId, Sum>,
}

impl Reader<'_> {
    fn read(&mut self, let_: &ExpLet<Labelled>) {
        let sum = match &let_.op {
            ExpOp::Const(Const::I32(c)) => Some(Sum::constant(*c)),
            ExpOp::Extent { array, axis } => Some(self.extent(*array, *axis)),
            ExpOp::Prim(op, operands) => self.prim(*op, operands),
            ExpOp::Const(_) | ExpOp::Index { .. } | ExpOp::Cond { .. } => None,
            ExpOp::Derivative { .. } | ExpOp::WithPartials(_) | ExpOp::Loop { .. } => None,
        };
        if let (Some(sum), [bind]) = (sum, &let_.binds[..])
            && sum.terms.len() <= MAX_TERMS
        {
            self.known.insert(bind.name, sum);
        }
    }

    fn extent(&self, array: Slot, axis: usize) -> Sum {
        let array = self.captures[array.0 as usize];
        Sum::term(Term::Extent(ExtentOf { array, axis }))
    }

    fn prim(&self, op: Prim, operands: &[ExpId]) -> Option<Sum> {
        let sum = |i: usize| self.known.get(operands.get(i)?).cloned();
        match op {
            Prim::Neg => Some(sum(0)?.scale(-1)),
            Prim::Add => Some(sum(0)?.add(sum(1)?)),
            Prim::Sub => Some(sum(0)?.add(sum(1)?.scale(-1))),
            Prim::Mul => {
                let (x, y) = (sum(0)?, sum(1)?);
                match (x.as_constant(), y.as_constant()) {
                    (_, Some(c)) => Some(x.scale(c)),
                    (Some(c), _) => Some(y.scale(c)),
                    (None, None) => None,
                }
            }
            Prim::Shl => {
                let (x, distance) = (sum(0)?, sum(1)?.as_constant()?);
                Some(x.scale(1i32.wrapping_shl(distance as u32)))
            }
            // Of the other primitives none is affine, unless its operands are constants.
            other => {
                let constants: Option<Vec<_>> = (0..other.arity())
                    .map(|i| Some(Const::I32(sum(i)?.as_constant()?)))
                    .collect();
                other.eval(&constants?)?.as_i32().map(Sum::constant)
            }
        }
    }
}
