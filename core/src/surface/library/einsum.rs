//! Sums of products, as the indices say that they have: Einstein's convention, written as NumPy and JAX do.

use crate::constant::Const;
use crate::prim::Prim;
use crate::surface::acc::Acc;
use crate::surface::node_acc;
use crate::surface::node_exp;
use crate::surface::scalar::Num;
use crate::surface::session::{Call, RawAcc, RawExp, exp_lambda};
use crate::surface::shape::Shape;
use crate::term::Move;
use crate::types::ScalarType;
use std::collections::BTreeMap;

/// The arrays of an [`einsum`]: one, or a tuple of up to four.
pub trait Factors<T> {
    /// Appends the arrays, and how many dimensions each has.
    fn push(self, factors: &mut Vec<(RawAcc, usize)>);
}

impl<Sh: Shape, T: Num> Factors<T> for Acc<Sh, T> {
    fn push(self, factors: &mut Vec<(RawAcc, usize)>) {
        factors.push((self.raw(), Sh::RANK));
    }
}

macro_rules! factors {
    ($(($($a:ident),*))*) => {$(
        impl<T: Num, $($a: Factors<T>),*> Factors<T> for ($($a,)*) {
            #[allow(non_snake_case)]
            fn push(self, factors: &mut Vec<(RawAcc, usize)>) {
                let ($($a,)*) = self;
                $($a.push(factors);)*
            }
        }
    )*};
}

factors! {
    (A)
    (A, B)
    (A, B, C)
    (A, B, C, D)
}

/// The sums of products of elements, where each dimension has a letter: those that the result lacks are summed over. `"ij,jk->ik"` is the
/// product of matrices, `"ij->ji"` the transpose, `"ii->i"` the diagonal, `"bi,bi->b"` the dot products of rows, `"ijk->"` the sum of all.
///
/// Dimensions of one letter have to be as long, or running the program fails; what is wrong with the letters is an error of the program, found
/// when it is compiled. The result's letters are always written. Products of two arrays are contractions, as [`matmul`](Acc::matmul); of more, each term of
/// the sum multiplies all of them: where two can be summed by themselves, write two calls.
///
/// ```
/// # use cotangent_core::surface::prelude::*;
/// // xᵀ·A·x.
/// let form = |x: Acc<Ix1, f64>, a: Acc<Ix2, f64>| -> Acc<Ix0, f64> { einsum("i,ij,j->", (x, a, x)) };
/// let a = Array::from_vec([2, 2], vec![1.0, 2.0, 3.0, 4.0])?;
/// assert_eq!(interpret(form, (Array::vector(vec![1.0, 10.0])?, a))?.item(), 451.0);
/// # Ok::<(), InterpretError>(())
/// ```
#[track_caller]
pub fn einsum<Sh: Shape, T: Num>(letters: &str, factors: impl Factors<T>) -> Acc<Sh, T> {
    let call = Call::here("einsum");
    let mut arrays = vec![];
    factors.push(&mut arrays);
    let ranks: Vec<usize> = arrays.iter().map(|(_, rank)| *rank).collect();
    let raw = match Letters::parse(letters, &ranks, Sh::RANK) {
        Ok(parsed) => parsed.sums(call, arrays.into_iter().map(|(raw, _)| raw), T::TYPE),
        Err(problem) => node_acc::misused(call, format!("`{letters}`: {problem}")),
    };
    Acc::from_raw(raw)
}

/// The letters of all dimensions.
struct Letters {
    factors: Vec<Vec<char>>,
    /// Those of the result, and then those that are summed over.
    all: Vec<char>,
    /// How many of them are the result's.
    rank: usize,
}

impl Letters {
    /// Reads the letters of arrays with so many dimensions.
    fn parse(text: &str, ranks: &[usize], rank: usize) -> Result<Self, String> {
        let text: String = text.split_whitespace().collect();
        let (factors, result) = text.split_once("->").ok_or(
            "the letters of the result are missing; write them after `->`, as in `ij,jk->ik`",
        )?;
        if let Some(other) = text
            .replacen("->", "", 1)
            .chars()
            .find(|c| !c.is_ascii_alphabetic() && *c != ',')
        {
            return Err(format!(
                "`{other}` is no letter; each dimension has one of its own"
            ));
        }
        let factors: Vec<Vec<char>> = factors.split(',').map(|f| f.chars().collect()).collect();
        if factors.len() != ranks.len() {
            let (names, given) = (factors.len(), ranks.len());
            return Err(format!(
                "there are letters for {names} arrays, and {given} are given"
            ));
        }
        for (at, (names, rank)) in factors.iter().zip(ranks).enumerate() {
            fits(&format!("array {}", at + 1), names.len(), *rank)?;
        }
        let mut all: Vec<char> = result.chars().collect();
        fits("the result", all.len(), rank)?;
        let given = || factors.iter().flatten().copied();
        for (at, name) in all.iter().enumerate() {
            if all[..at].contains(name) {
                return Err(format!("the result has `{name}` twice"));
            }
            if !given().any(|other| other == *name) {
                return Err(format!("no array has the result's `{name}`"));
            }
        }
        for name in given() {
            if !all.contains(&name) {
                all.push(name);
            }
        }
        Ok(Self { factors, all, rank })
    }

    /// The sums.
    fn sums(&self, call: Call, arrays: impl Iterator<Item = RawAcc>, elem: ScalarType) -> RawAcc {
        let arrays: Vec<RawAcc> = arrays.collect();
        let mut extents: BTreeMap<char, RawExp> = BTreeMap::new();
        let mut factors = vec![];
        for (array, names) in arrays.into_iter().zip(&self.factors) {
            for (axis, name) in names.iter().enumerate() {
                let extent = || node_exp::extent(call, array, axis);
                extents.entry(*name).or_insert_with(extent);
            }
            let shape = names.iter().map(|name| extents[name]).collect();
            factors.push(node_acc::moved(call, &Move::Expect { shape }, array));
        }
        let shape: Vec<RawExp> = self.all.iter().map(|name| extents[name]).collect();
        let products = exp_lambda(call, vec![ScalarType::I32; self.all.len()], |index| {
            vec![self.product(call, &factors, index)]
        });
        let mut sums = node_acc::generate(call, &shape, products);
        for _ in self.rank..self.all.len() {
            let add = |x: &[RawExp]| vec![node_exp::prim(call, Prim::Add, x)];
            let add = exp_lambda(call, vec![elem; 2], add);
            let zero = node_exp::constant(call, Const::small(elem, 0));
            sums = node_acc::fold(call, add, Some(&[zero]), sums);
        }
        sums
    }

    /// The product of one element of each array.
    fn product(&self, call: Call, factors: &[RawAcc], index: &[RawExp]) -> RawExp {
        let place = |name: &char| self.all.iter().position(|other| other == name);
        let elements = factors.iter().zip(&self.factors).map(|(array, names)| {
            let at: Vec<RawExp> = names.iter().filter_map(place).map(|k| index[k]).collect();
            node_exp::index(call, 1, *array, &at)[0]
        });
        let elements: Vec<RawExp> = elements.collect();
        // There are letters for one array at least.
        let times = |x, &y: &RawExp| node_exp::prim(call, Prim::Mul, &[x, y]);
        elements[1..].iter().fold(elements[0], times)
    }
}

fn fits(what: &str, letters: usize, rank: usize) -> Result<(), String> {
    match letters == rank {
        true => Ok(()),
        false => Err(format!(
            "{what} has {rank} dimensions, and {letters} letters"
        )),
    }
}
