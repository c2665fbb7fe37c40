//! Paper 004, section 6, figure 10: the factorization of a matrix whose elements are not negative.

use cotangent::prelude::*;

type Vector = Acc<Ix1, f64>;
type Matrix = Acc<Ix2, f64>;

/// The negative logarithm of the likelihood of A = u·vᵀ where lifetimes are exponential.
pub fn likelihood(a: Matrix, u: Vector, v: Vector) -> Acc<Z, f64> {
    let guesses = generate(ix![u.size(), v.size()], |ix![i, j]| {
        u.at(ix![i]) * v.at(ix![j])
    });
    a.zip_with(guesses, |a, g| g.ln() + a / g).sum().sum()
}
