//! Extents of inputs that are likely to be equal.
//!
//! Operations on several arrays take what their shapes have in common, so extents are the least of others; and nearly always these are
//! the same. A program that is compiled for inputs where they are has no tests for those where they are not: no minima, no
//! conditions, no paddings of adjoints. Whoever runs it looks at the inputs first.

use super::shape::Shapes;
use crate::term::{AccOp, Alike, ArrId, Fun, Labelled, Move, MoveFails, ParamAxis, Program};
use std::collections::{BTreeMap, HashMap};

/// How often a program is gone through: of equal extents may follow more that meet.
const MAX_ROUNDS: usize = 4;

/// The extents of parameters of which a program takes the least, as a map of each to the first of those that it meets. What the
/// program says to be alike is among it.
pub fn equal_extents(program: &Program<Labelled>) -> BTreeMap<ParamAxis, ParamAxis> {
    let positions = program.params.iter().zip(0..);
    let positions: HashMap<ArrId, u32> = positions.map(|(param, at)| (param.name, at)).collect();
    let mut alike = program.alike.clone();
    for _ in 0..MAX_ROUNDS {
        let before = alike.extents.len();
        for met in meets(program, &alike) {
            let sides = met.into_iter().filter_map(|(array, axis)| {
                let (&param, axis) = (positions.get(&array)?, axis as u32);
                Some(ParamAxis { param, axis })
            });
            unite(&mut alike.extents, sides);
        }
        if alike.extents.len() == before {
            break;
        }
    }
    alike.extents
}

/// The extents that meet, given which are equal.
fn meets(program: &Program<Labelled>, alike: &Alike) -> Vec<Vec<(ArrId, usize)>> {
    let mut shapes = Shapes::default();
    shapes.params(&program.params, alike);
    shapes.block(&program.body);
    let mut met = shapes.meets();
    for let_ in program.body.all_lets() {
        if let AccOp::Move { how, arg } = &let_.op
            && how.fails() == MoveFails::ByExtents
        {
            met.extend(expected(how, *arg, &mut shapes));
        }
    }
    met
}

/// The extents of an array, and those that are expected of it.
fn expected(
    how: &Move<Fun<Labelled>>,
    arg: ArrId,
    shapes: &mut Shapes,
) -> Vec<Vec<(ArrId, usize)>> {
    let expected = shapes.moved(how, arg).unwrap_or_default();
    let found = shapes.sizes(arg).unwrap_or_default().to_vec();
    let pairs = found.into_iter().zip(expected);
    let pairs = pairs.map(|(found, expected)| [Some(found), expected]);
    let roots = pairs.map(|pair| {
        pair.into_iter()
            .flatten()
            .filter_map(|size| shapes.root_of(size))
    });
    roots.map(Iterator::collect).collect()
}

/// Notes that extents are equal.
fn unite(extents: &mut BTreeMap<ParamAxis, ParamAxis>, sides: impl Iterator<Item = ParamAxis>) {
    let first = |side: ParamAxis| extents.get(&side).copied().unwrap_or(side);
    let mut firsts: Vec<ParamAxis> = sides.map(first).collect();
    firsts.sort();
    firsts.dedup();
    if let Some((&first, others)) = firsts.split_first() {
        for gone in others {
            let followers = extents.values_mut().filter(|of| *of == gone);
            followers.for_each(|of| *of = first);
            extents.insert(*gone, first);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::surface::prelude::*;
    use crate::surface::{AccFn, trace};
    use crate::{label::label, recover::recover};

    type Vector = Acc<Ix1, f64>;
    type Matrix = Acc<Ix2, f64>;

    /// What is found, as numbers of parameters and dimensions.
    fn found<M, F: AccFn<M>>(f: F) -> Vec<[(u32, u32); 2]> {
        let traced = trace(f).unwrap();
        let program = label(&recover(&traced.graph, &traced.lambda).unwrap());
        let numbers = |side: ParamAxis| (side.param, side.axis);
        let found = equal_extents(&program).into_iter();
        found.map(|(a, b)| [numbers(a), numbers(b)]).collect()
    }

    #[test]
    fn zipped_arrays() {
        let sum =
            |x: Vector, y: Vector, z: Vector| x.zip_with(y, |x, y| x + y).zip_with(z, |x, z| x * z);
        assert_eq!(found(sum), [[(1, 0), (0, 0)], [(2, 0), (0, 0)]]);
        let apart = |x: Vector, y: Vector| (x.sum(), y.sum());
        assert!(found(apart).is_empty());
    }

    /// What has to be equal is taken to be, and then nothing is left to be tested.
    #[test]
    fn shapes_that_are_expected() {
        assert_eq!(found(|x: Vector, y: Vector| x + y), [[(1, 0), (0, 0)]]);
        let rows = |m: Matrix, v: Vector| m + v.broadcast(m.shape());
        assert_eq!(found(rows), [[(1, 0), (0, 1)]]);
    }

    /// A network with a recurrent layer: that its matrix is square is seen from its state, which is like the inputs.
    #[test]
    fn what_follows_from_others() {
        let network = |w: Matrix, inputs: Matrix| {
            let step = |_, h: Vector, x: Vector| {
                let rows = h.replicate(ix![w.shape().0.1, All]);
                let h = w.zip_with(rows, |w, h| w * h).sum();
                (h.zip_with(x, |h, x| (h + x).tanh()), ())
            };
            ascan(inputs, step, fill(ix![w.shape().0.1], 0.0)).0
        };
        let expected = [[(0, 1), (0, 0)], [(1, 1), (0, 0)]];
        assert_eq!(found(network), expected);
        let gradient = move |w: Matrix, inputs: Matrix| gradient_a(|w| network(w, inputs).sum(), w);
        assert_eq!(found(gradient), expected);
    }

    /// Appended arrays are as long as they like, but their rows are not.
    #[test]
    fn appended_arrays() {
        assert!(found(|x: Vector, y: Vector| x.append(y)).is_empty());
        assert_eq!(
            found(|x: Matrix, y: Matrix| x.append(y)),
            [[(1, 1), (0, 1)]]
        );
    }

    #[test]
    fn what_is_shorter_on_purpose() {
        let differences = |x: Vector| {
            generate(ix![x.size() - 1], |ix![i]| x.at(ix![i + 1]) - x.at(ix![i]))
                .zip_with(x, |d, x| d * x)
        };
        assert!(found(differences).is_empty());
    }
}
