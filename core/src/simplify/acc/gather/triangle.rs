//! Packed triangles: the rows of a triangle of indices, one after the other, in either order.
//!
//! Note \[Triangles\]. Let x − y ≥ a hold of two coordinates below n. That is a triangle, and each of the
//! four [`Corner`]s counts it by rows r = 0, 1, … of 1, 2, … elements: the element at `offset` in row r, where
//! 0 ≤ offset ≤ r, comes at position q = r(r+1)/2 + offset, and (r, offset) ↔ q is one to one. A packing is
//! recognised by its values: if its place is `base ± q` for a corner, where `base` does not depend on x and
//! y, then it is that corner. For this, 2·place is a polynomial, as (r(r+1))/2 can be written with a
//! halving in many ways, of which only the double is in a normal form.
//!
//! Doubling is faithful since all coefficients that concern x and y are small, and what is halved is even
//! and does not overflow: for extents up to [`MAX_EXTENT`], which the bound in [`is_small`] is for. (A square
//! of larger extents has more elements than the reference semantics allows an array.)
//!
//! The row is ⌊(√(8q+1) − 1) / 2⌋. It is estimated in floating point, which for all q below 2³⁰ is off by one at
//! most, in f32, too, and however roots are rounded: the root is below 2¹⁷, where f32 has a step of 2⁻⁷ at most.
//! What integers say corrects it. The float type is one that the program has where possible
//! ([`estimating_type`]), as devices may lack f64.

use super::solve::Code;
use crate::analysis::polynomial::{Atom, Poly};
use crate::build::FunBuilder;
use crate::prim::Prim;
use crate::term::ExpId;
use crate::types::ScalarType;

#[cfg(test)]
mod tests;

/// The extents up to which halves are proved not to overflow.
pub(super) const MAX_EXTENT: i32 = 46_000;

/// The largest coefficient that is doubled.
const MAX_COEFFICIENT: u32 = 1 << 20;

/// How a triangle is counted by rows that grow. Coordinates are x and y, x − y ≥ a, both below n.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Corner {
    /// Row x − a, offset y.
    XUpY,
    /// Row x − a, offset x − a − y.
    XDownY,
    /// Row n − 1 − a − y, offset n − 1 − x.
    YDownX,
    /// Row n − 1 − a − y, offset x − y − a.
    YUpX,
}

const CORNERS: [Corner; 4] = [Corner::XUpY, Corner::XDownY, Corner::YDownX, Corner::YUpX];

/// How a packed triangle is stored.
#[derive(Clone, Debug)]
pub(super) struct Triangle {
    corner: Corner,
    /// Whether places go down while q goes up.
    backwards: bool,
    x: usize,
    y: usize,
    distance: i32,
    extent: Poly,
    /// The place, in terms of the coordinates.
    place: Poly,
}

/// The triangle that `place` packs, where parameter `x` is at least `distance` more than `y` and both are
/// less than `extent`. Note \[Triangles\].
pub(super) fn recognise(
    place: &Poly,
    x: usize,
    y: usize,
    distance: i32,
    extent: &Poly,
) -> Option<Triangle> {
    if !(0..MAX_EXTENT).contains(&distance) || !is_extent(extent) {
        return None;
    }
    let doubled = doubled(place, x, y, extent)?;
    let orders = [false, true].into_iter();
    let mut kinds = orders.flat_map(|backwards| CORNERS.map(|corner| (corner, backwards)));
    let (corner, backwards) = kinds.find(|&(corner, backwards)| {
        let position = corner.doubled_position(x, y, distance, extent);
        let base = position.and_then(|p| {
            let base = if backwards {
                doubled.plus(&p)
            } else {
                doubled.minus(&p)
            };
            (!base.mentions(x) && !base.mentions(y)).then_some(base)
        });
        base.is_some()
    })?;
    Some(Triangle {
        corner,
        backwards,
        x,
        y,
        distance,
        extent: extent.clone(),
        place: place.clone(),
    })
}

/// Whether this is a constant in bounds or a single size.
fn is_extent(extent: &Poly) -> bool {
    match extent.as_constant() {
        Some(n) => (0..=MAX_EXTENT).contains(&n),
        None => extent_atom(extent).is_some(),
    }
}

fn extent_atom(extent: &Poly) -> Option<Atom> {
    let (product, _) = extent.terms().next()?;
    let atom = product.first()?.clone();
    (*extent == Poly::atom(atom.clone())).then_some(atom)
}

/// Twice the place, without halves of x or y; none if that may lose anything.
fn doubled(place: &Poly, x: usize, y: usize, extent: &Poly) -> Option<Poly> {
    let concerns = |atom: &Atom| atom.mentions(x) || atom.mentions(y);
    let mut sum = Poly::default();
    for (product, c) in place.terms() {
        if !product.iter().any(concerns) {
            sum = sum.plus(&Poly::monomial(product.clone(), c.wrapping_mul(2)));
            continue;
        }
        let whole = match &product[..] {
            [Atom::Half(_, inner)] if c.unsigned_abs() == 1 => {
                let param = if inner.mentions(x) { x } else { y };
                Halved::of(inner, param, extent)?.check()?;
                inner.times(c)
            }
            factors if c.unsigned_abs() <= MAX_COEFFICIENT => {
                let halves = factors.iter().any(|f| matches!(f, Atom::Half(..)));
                (!halves).then(|| Poly::monomial(product.clone(), c * 2))?
            }
            [..] => return None,
        };
        sum = sum.plus(&whole);
    }
    Some(sum)
}

/// What is halved: the coefficients of v², vn, v, n², n and 1, where v < n are a coordinate and the extent.
struct Halved {
    squares: [i32; 3],
    units: [i32; 3],
    extent: Option<i32>,
}

impl Halved {
    /// `inner`, if there is nothing else in it.
    fn of(inner: &Poly, param: usize, extent: &Poly) -> Option<Self> {
        let v = Atom::Param(param);
        let sorted = |mut product: Vec<Atom>| {
            product.sort();
            product
        };
        let mut read = 0;
        let mut coefficient = |product: Vec<Atom>| {
            let c = inner.coefficient(&sorted(product));
            read += usize::from(c != 0);
            c
        };
        let n = extent_atom(extent);
        let mut with_extent = |mut product: Vec<Atom>, times: usize| {
            n.as_ref().map_or(0, |n| {
                product.extend(std::iter::repeat_n(n.clone(), times));
                coefficient(product)
            })
        };
        let (vn, nn, n) = (
            with_extent(vec![v.clone()], 1),
            with_extent(vec![], 2),
            with_extent(vec![], 1),
        );
        let squares = [coefficient(vec![v.clone(), v.clone()]), vn, nn];
        let units = [coefficient(vec![v]), n, coefficient(vec![])];
        let all = squares.iter().chain(&units);
        let small = all.clone().all(|c| c.unsigned_abs() <= MAX_COEFFICIENT);
        (small && read == inner.terms().count()).then_some(Self {
            squares,
            units,
            extent: extent.as_constant(),
        })
    }

    fn check(&self) -> Option<()> {
        (self.is_even() && is_small(self)).then_some(())
    }

    /// Whether it is even for all v and n, whose squares are even as they are.
    fn is_even(&self) -> bool {
        let ([vv, vn, nn], [v, n, one]) = (self.squares, self.units);
        [vv + v, nn + n, vn, one].iter().all(|c| c % 2 == 0)
    }
}

/// Whether what is halved fits into 31 bits for all 0 ≤ v < n ≤ [`MAX_EXTENT`]: at v = sn it is
/// n²·(αs² + βs + γ) + n·(δs + ε) + ζ, and each of the brackets is extreme at an end or at the vertex.
fn is_small(halved: &Halved) -> bool {
    let ([vv, vn, nn], [v, n, one]) = (halved.squares.map(f64::from), halved.units.map(f64::from));
    let largest = f64::from(halved.extent.unwrap_or(MAX_EXTENT));
    let square = |s: f64| (vv * s * s + vn * s + nn).abs();
    let vertex = if vv == 0.0 { 0.0 } else { -vn / (2.0 * vv) };
    let squares = square(0.0)
        .max(square(1.0))
        .max(square(vertex.clamp(0.0, 1.0)));
    let units = n.abs().max((v + n).abs());
    largest * largest * squares + largest * units + one.abs() < f64::from(i32::MAX)
}

impl Corner {
    /// Row and offset as polynomials.
    fn row_and_offset(self, x: usize, y: usize, distance: i32, extent: &Poly) -> (Poly, Poly) {
        let (x, y) = (Poly::atom(Atom::Param(x)), Poly::atom(Atom::Param(y)));
        let last = extent.minus(&Poly::constant(1));
        let distance = Poly::constant(distance);
        let (up, down) = (x.minus(&distance), last.minus(&distance).minus(&y));
        match self {
            Self::XUpY => (up, y),
            Self::XDownY => (up.clone(), up.minus(&y)),
            Self::YDownX => (down, last.minus(&x)),
            Self::YUpX => (down, up.minus(&y)),
        }
    }

    /// 2q = r² + r + 2·offset.
    fn doubled_position(self, x: usize, y: usize, distance: i32, extent: &Poly) -> Option<Poly> {
        let (row, offset) = self.row_and_offset(x, y, distance, extent);
        let square = row.multiplied(&row)?;
        Some(square.plus(&row).plus(&offset.times(2)))
    }
}

impl Triangle {
    /// The coordinates that it gives.
    pub fn params(&self) -> [usize; 2] {
        [self.x, self.y]
    }

    /// Pushes code that finds both coordinates of what is at `place`.
    pub fn solve(&self, code: &mut Code<'_>, place: ExpId) {
        let zero = code.b.constant(0);
        self.unfold(code, zero, zero);
        let base = code.poly(&self.place);
        let operands = if self.backwards {
            [base, place]
        } else {
            [place, base]
        };
        let position = code.b.prim(Prim::Sub, &operands);
        let (row, offset) = row_and_offset(code.b, position, code.float);
        self.unfold(code, row, offset);
    }

    /// The coordinates of the element at an offset in a row.
    fn unfold(&self, code: &mut Code<'_>, row: ExpId, offset: ExpId) {
        let distance = code.b.constant(self.distance);
        let last = code.poly(&self.extent.minus(&Poly::constant(1)));
        let b = &mut *code.b;
        let (x, y) = match self.corner {
            Corner::XUpY => (b.prim(Prim::Add, &[row, distance]), offset),
            Corner::XDownY => {
                let x = b.prim(Prim::Add, &[row, distance]);
                (x, b.prim(Prim::Sub, &[row, offset]))
            }
            Corner::YDownX => {
                let x = b.prim(Prim::Sub, &[last, offset]);
                let from_end = b.prim(Prim::Add, &[row, distance]);
                (x, b.prim(Prim::Sub, &[last, from_end]))
            }
            Corner::YUpX => {
                let from_end = b.prim(Prim::Sub, &[row, offset]);
                let x = b.prim(Prim::Sub, &[last, from_end]);
                let row = b.prim(Prim::Add, &[row, distance]);
                (x, b.prim(Prim::Sub, &[last, row]))
            }
        };
        (code.source[self.x], code.source[self.y]) = (x, y);
    }
}

/// The row r with r(r+1)/2 ≤ q < (r+1)(r+2)/2, and q − r(r+1)/2. Note \[Triangles\].
fn row_and_offset(b: &mut FunBuilder, q: ExpId, float: ScalarType) -> (ExpId, ExpId) {
    let estimate = estimate(b, q, float);
    corrected(b, q, estimate)
}

/// The same from an estimate that is off by one at most.
fn corrected(b: &mut FunBuilder, q: ExpId, estimate: ExpId) -> (ExpId, ExpId) {
    let (one, two) = (b.constant(1), b.constant(2));
    let double = b.prim(Prim::Add, &[q, q]);
    let next = b.prim(Prim::Add, &[estimate, one]);
    let after = b.prim(Prim::Add, &[estimate, two]);
    let begin = b.prim(Prim::Mul, &[estimate, next]);
    let end = b.prim(Prim::Mul, &[next, after]);
    let too_high = b.prim(Prim::Gt, &[begin, double]);
    let too_low = b.prim(Prim::Le, &[end, double]);
    let before = b.prim(Prim::Sub, &[estimate, one]);
    let row = b.prim(Prim::Select, &[too_low, next, estimate]);
    let row = b.prim(Prim::Select, &[too_high, before, row]);
    let next = b.prim(Prim::Add, &[row, one]);
    let product = b.prim(Prim::Mul, &[row, next]);
    let begin = b.prim(Prim::Quot, &[product, two]);
    (row, b.prim(Prim::Sub, &[q, begin]))
}

/// The row of position `q`, by floating point.
fn estimate(b: &mut FunBuilder, q: ExpId, float: ScalarType) -> ExpId {
    let (eight, one, two) = (b.small(float, 8), b.small(float, 1), b.small(float, 2));
    let q = b.prim(Prim::Convert(float), &[q]);
    let eight_fold = b.prim(Prim::Mul, &[q, eight]);
    let square = b.prim(Prim::Add, &[eight_fold, one]);
    let root = b.prim(Prim::Sqrt, &[square]);
    let double = b.prim(Prim::Sub, &[root, one]);
    let row = b.prim(Prim::Div, &[double, two]);
    b.prim(Prim::Convert(ScalarType::I32), &[row])
}

/// The type in which rows are estimated, given those of the elements that are moved: `f64` where they are `f64`, so
/// that a program of `f64` stays one, and otherwise `f32`, which every device has.
pub(super) fn estimating_type(elems: &[ScalarType]) -> ScalarType {
    match elems.contains(&ScalarType::F64) {
        true => ScalarType::F64,
        false => ScalarType::F32,
    }
}
