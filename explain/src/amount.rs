//! Amounts that depend on extents: polynomials, and the least or most of several.
//!
//! Extents count as numbers that are not negative and do not overflow: an amount says what a run takes that
//! succeeds. Terms with coefficient 0 are not there, so equal polynomials are equal values.

use cotangent_core::schedule::SymbolId;
use std::collections::BTreeMap;

/// What a polynomial is made of.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Atom {
    Symbol(SymbolId),
    Least(Vec<Amount>),
    Most(Vec<Amount>),
}

/// A number that depends on extents.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Amount {
    /// Coefficients by products of atoms, which are sorted.
    terms: BTreeMap<Vec<Atom>, i128>,
}

/// Stands for numbers that are larger.
pub(crate) const BEYOND: i128 = i128::MAX;

/// Polynomials of more terms are not multiplied out.
pub(crate) const MAX_TERMS: usize = 64;

impl Amount {
    pub(crate) fn constant(value: i128) -> Self {
        let terms = (value != 0).then(|| (vec![], value));
        Self {
            terms: terms.into_iter().collect(),
        }
    }

    pub(crate) fn symbol(symbol: SymbolId) -> Self {
        Self::atom(Atom::Symbol(symbol))
    }

    fn atom(atom: Atom) -> Self {
        Self {
            terms: BTreeMap::from([(vec![atom], 1)]),
        }
    }

    pub(crate) fn plus(&self, other: &Self) -> Self {
        let mut sum = self.clone();
        for (atoms, coefficient) in &other.terms {
            sum.add_term(atoms.clone(), *coefficient);
        }
        sum
    }

    pub(crate) fn minus(&self, other: &Self) -> Self {
        self.plus(&other.times(&Self::constant(-1)))
    }

    pub(crate) fn times(&self, other: &Self) -> Self {
        let mut product = Self::default();
        for (left, x) in &self.terms {
            for (right, y) in &other.terms {
                let mut atoms = [left.as_slice(), right].concat();
                atoms.sort();
                product.add_term(atoms, x.saturating_mul(*y));
            }
        }
        product
    }

    fn add_term(&mut self, atoms: Vec<Atom>, coefficient: i128) {
        let old = self.terms.remove(&atoms).unwrap_or(0);
        let new = old.saturating_add(coefficient);
        if new != 0 {
            self.terms.insert(atoms, new);
        }
    }

    /// The number of terms.
    pub(crate) fn len(&self) -> usize {
        self.terms.len()
    }

    /// The least of several; 0 of none.
    pub(crate) fn least(of: &[Self]) -> Self {
        let parts = |amount: &Self| match amount.sole_atom() {
            Some(Atom::Least(parts)) => parts.clone(),
            Some(Atom::Symbol(_) | Atom::Most(_)) | None => vec![amount.clone()],
        };
        Self::extreme(of, Atom::Least, parts, |x, y| x.is_at_most(y))
    }

    /// The most of several; 0 of none.
    pub(crate) fn most(of: &[Self]) -> Self {
        let parts = |amount: &Self| match amount.sole_atom() {
            Some(Atom::Most(parts)) => parts.clone(),
            Some(Atom::Symbol(_) | Atom::Least(_)) | None => vec![amount.clone()],
        };
        Self::extreme(of, Atom::Most, parts, |x, y| y.is_at_most(x))
    }

    /// The atom, if the amount is one and nothing else.
    fn sole_atom(&self) -> Option<&Atom> {
        let (atoms, coefficient) = self.terms.iter().next()?;
        match atoms.as_slice() {
            [atom] if self.terms.len() == 1 && *coefficient == 1 => Some(atom),
            [..] => None,
        }
    }

    /// `wins(x, y)` says that y adds nothing to x.
    fn extreme(
        of: &[Self],
        atom: impl Fn(Vec<Self>) -> Atom,
        parts: impl Fn(&Self) -> Vec<Self>,
        wins: impl Fn(&Self, &Self) -> bool,
    ) -> Self {
        let mut left: Vec<Self> = vec![];
        for new in of.iter().flat_map(parts) {
            if !left.iter().any(|old| wins(old, &new)) {
                left.retain(|old| !wins(&new, old));
                left.push(new);
            }
        }
        left.sort();
        match left.pop() {
            None => Self::default(),
            Some(only) if left.is_empty() => only,
            Some(last) => {
                left.push(last);
                Self::atom(atom(left))
            }
        }
    }

    /// Whether this is seen to be at most `other`, whatever the extents.
    fn is_at_most(&self, other: &Self) -> bool {
        other.minus(self).terms.values().all(|&c| c >= 0)
    }

    /// The number, where all extents in it are known: [`BEYOND`] if it, or a part of it, cannot be counted.
    pub(crate) fn value(&self, extent: &dyn Fn(SymbolId) -> Option<i128>) -> Option<i128> {
        let mut sum = Some(0i128);
        for (atoms, coefficient) in &self.terms {
            let mut product = Some(*coefficient);
            for atom in atoms {
                let factor = atom.value(extent)?;
                product = product
                    .filter(|_| factor != BEYOND)
                    .and_then(|p| p.checked_mul(factor));
            }
            sum = sum.zip(product).and_then(|(x, y)| x.checked_add(y));
        }
        Some(sum.unwrap_or(BEYOND))
    }

    /// The formula, in terms of the names of extents: products first that have the most factors.
    pub(crate) fn formula(&self, name: &dyn Fn(SymbolId) -> String) -> String {
        let mut terms: Vec<_> = self.terms.iter().collect();
        terms.sort_by_key(|(atoms, _)| std::cmp::Reverse(atoms.len()));
        let mut text = String::new();
        for (i, (atoms, coefficient)) in terms.into_iter().enumerate() {
            text += match (i, *coefficient < 0) {
                (0, true) => "-",
                (0, false) => "",
                (_, true) => " - ",
                (_, false) => " + ",
            };
            text += &term(atoms, coefficient.unsigned_abs(), name);
        }
        if text.is_empty() { "0".into() } else { text }
    }
}

fn term(atoms: &[Atom], coefficient: u128, name: &dyn Fn(SymbolId) -> String) -> String {
    let mut factors = vec![];
    if coefficient >= BEYOND.unsigned_abs() {
        factors.push("(more than 2^127)".to_owned());
    } else if coefficient != 1 || atoms.is_empty() {
        factors.push(coefficient.to_string());
    }
    for same in atoms.chunk_by(|x, y| x == y) {
        let base = same[0].formula(name);
        factors.push(match same.len() {
            1 => base,
            power => format!("{base}^{power}"),
        });
    }
    factors.join("*")
}

impl Atom {
    fn value(&self, extent: &dyn Fn(SymbolId) -> Option<i128>) -> Option<i128> {
        let all = |of: &[Amount]| {
            of.iter()
                .map(|a| a.value(extent))
                .collect::<Option<Vec<_>>>()
        };
        match self {
            Self::Symbol(symbol) => extent(*symbol),
            Self::Least(of) => all(of)?.into_iter().min(),
            Self::Most(of) => all(of)?.into_iter().max(),
        }
    }

    fn formula(&self, name: &dyn Fn(SymbolId) -> String) -> String {
        let all = |of: &[Amount]| of.iter().map(|a| a.formula(name)).collect::<Vec<_>>();
        match self {
            Self::Symbol(symbol) => name(*symbol),
            Self::Least(of) => format!("min({})", all(of).join(", ")),
            Self::Most(of) => format!("max({})", all(of).join(", ")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn symbol(n: u32) -> Amount {
        Amount::symbol(SymbolId(n))
    }

    fn name(s: SymbolId) -> String {
        ["n", "k"][s.index()].into()
    }

    #[test]
    fn polynomials_are_in_normal_form() {
        let (n, k) = (symbol(0), symbol(1));
        let sum = n.plus(&k);
        assert_eq!(sum.times(&sum).formula(&name), "n^2 + 2*n*k + k^2");
        assert_eq!(sum.minus(&k), n);
        assert_eq!(n.minus(&n).formula(&name), "0");
        assert_eq!(
            Amount::constant(-3).times(&k).plus(&n).formula(&name),
            "n - 3*k"
        );
    }

    #[test]
    fn what_cannot_be_counted_says_so() {
        let n = symbol(0);
        let ninth = [(); 8]
            .iter()
            .fold(n.clone(), |product, ()| product.times(&n));
        let vast = |_| Some(i128::from(i32::MAX));
        assert_eq!(ninth.value(&vast), Some(BEYOND));
        assert_eq!(ninth.minus(&n).value(&vast), Some(BEYOND));
        assert_eq!(
            Amount::most(&[ninth.clone(), n.clone()])
                .times(&n)
                .value(&vast),
            Some(BEYOND)
        );
        assert_eq!(ninth.value(&|_| Some(0)), Some(0));
        let constant = Amount::constant(i128::MAX)
            .times(&Amount::constant(3))
            .times(&n);
        assert_eq!(constant.formula(&name), "(more than 2^127)*n");
    }

    #[test]
    fn extremes_leave_out_what_cannot_matter() {
        let (n, k) = (symbol(0), symbol(1));
        let more = n.plus(&Amount::constant(2));
        assert_eq!(Amount::least(&[more.clone(), n.clone()]), n);
        assert_eq!(Amount::most(&[n.clone(), more.clone(), n.clone()]), more);
        let least = Amount::least(&[k.clone(), n.clone()]).times(&k);
        assert_eq!(least.formula(&name), "k*min(n, k)");
        let extent = |s: SymbolId| Some([5, 3][s.index()]);
        assert_eq!(least.value(&extent), Some(9));
        assert_eq!(Amount::most(&[k, n]).value(&extent), Some(5));
        assert_eq!(least.value(&|s| (s.0 == 0).then_some(5)), None);
    }
}
