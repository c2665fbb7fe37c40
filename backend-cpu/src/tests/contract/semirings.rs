//! Contractions by other operations than sums and products: exact on every instruction set.

use super::*;
use crate::tests::{ENGINES, run_all};
use cotangent_core::backend::Backend;
use cotangent_core::schedule::run;

/// What is sprinkled among ordinary numbers.
const SPRINKLES: [&[f64]; 5] = [
    &[],
    &[f64::INFINITY],
    &[f64::NEG_INFINITY, 0.0],
    &[f64::INFINITY, f64::NEG_INFINITY, 0.0, -0.0, 5e-324, -1e-310],
    &[f64::NAN, f64::INFINITY, 0.0, -0.0, f64::NEG_INFINITY],
];

/// Numbers of which many are equal, one of every dozen or so being strange.
fn sprinkled(n: usize, ty: ScalarType, seed: usize, strange: &[f64]) -> Column {
    let mix = |i: usize| ((i + seed * 977) as u32).wrapping_mul(2654435761) >> 7;
    let all = (0..n).map(|i| match mix(i) as usize {
        m if m.is_multiple_of(13) && !strange.is_empty() => strange[m / 13 % strange.len()],
        m => (m % 17) as f64 / 4.0 - 2.0,
    });
    match ty {
        F32 => all.map(|x| x as f32).collect::<Vec<_>>().into(),
        _other => all.collect::<Vec<_>>().into(),
    }
}

/// Runs a contraction, which must give what the reference runner gives, to the bit.
fn exactly(s: Subject, roles: &[Role], left: ValueId, right: ValueId, init: Option<f64>) {
    let (schedule, inputs) = s.contraction(roles, left, right, init);
    let expected = run::run(&schedule, &inputs).unwrap();
    let found = run_all(&schedule, &inputs).unwrap();
    assert_eq!(bits(&expected), bits(&found), "{}", *schedule);
}

impl Subject {
    fn of(semiring: Semiring, ty: ScalarType, sizes: &[usize]) -> Self {
        let mut subject = Self::new(ty, sizes);
        subject.semiring = semiring;
        subject
    }

    /// The schedule that computes the contraction of two factors, and its inputs.
    fn contraction(
        mut self,
        roles: &[Role],
        left: ValueId,
        right: ValueId,
        init: Option<f64>,
    ) -> (Checked<Schedule>, Vec<HostArray>) {
        let value = self.prim(self.semiring.times(), left, right);
        let init = init.map(|init| match self.ty {
            F32 => self.maker.known(init as f32),
            _other => self.maker.known(init),
        });
        let (space, inner) = self.extents.split_at(roles.len());
        let output = self.maker.outputs(space, &self.code.0, &[value])[0];
        let kind = KernelKind::Contract {
            semiring: self.semiring,
            inner: inner.to_vec(),
            body: self.code.0,
            roles: roles.to_vec(),
            left,
            right,
            init,
            structure: self.structure,
            output,
        };
        self.maker.kernel(space, kind);
        (check(self.maker.schedule).unwrap(), self.maker.inputs)
    }

    /// The element of a new input that has strange numbers.
    fn strange(&mut self, axes: &[usize], strange: &[f64]) -> ValueId {
        let shape: Vec<_> = axes.iter().map(|&a| self.sizes[a]).collect();
        let count = shape.iter().product();
        let column = sprinkled(count, self.ty, axes[0], strange);
        let array = self.maker.input(&shape, column);
        let index: Vec<_> = axes.iter().map(|&a| self.at[a]).collect();
        self.code.load(array, self.ty, &index)
    }
}

fn others() -> impl Iterator<Item = Semiring> {
    Semiring::ALL
        .into_iter()
        .filter(|&semiring| semiring != Semiring::PlusTimes)
}

#[test]
fn all_sizes() {
    for semiring in others() {
        for ty in [F32, F64] {
            for m in [1, 9, 33] {
                for n in [4, 33, 64] {
                    for k in [4, 257] {
                        let mut s = Subject::of(semiring, ty, &[m, n, k]);
                        let (a, b) = (s.input(&[0, 2]), s.input(&[2, 1]));
                        s.run(&[Left, Right], a, b, (m + n + k) % 2 == 0).unwrap();
                    }
                }
            }
        }
    }
}

/// Which of equals wins, and what becomes of NaNs, infinities and the smallest numbers.
#[test]
fn strange_numbers() {
    for semiring in others() {
        for ty in [F32, F64] {
            for of_left in SPRINKLES {
                for of_right in SPRINKLES {
                    let mut s = Subject::of(semiring, ty, &[9, 20, 30]);
                    let (a, b) = (s.strange(&[0, 2], of_left), s.strange(&[2, 1], of_right));
                    exactly(s, &[Left, Right], a, b, None);
                }
            }
        }
    }
}

#[test]
fn initial_values() {
    for semiring in others() {
        for init in [0.0, -0.0, 1.5, f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            for strange in [SPRINKLES[0], SPRINKLES[4]] {
                let mut s = Subject::of(semiring, F64, &[8, 17, 270]);
                let (a, b) = (s.strange(&[0, 2], strange), s.strange(&[2, 1], strange));
                exactly(s, &[Left, Right], a, b, Some(init));
            }
        }
    }
}

/// The left factor may be the one whose coordinate is last, or lies along memory.
#[test]
fn orders_of_roles() {
    for semiring in others() {
        for roles in [[Left, Right], [Right, Left]] {
            let own = if roles[0] == Left { [0, 1] } else { [1, 0] };
            for turned in 0..4 {
                let mut s = Subject::of(semiring, F64, &[20, 37, 16]);
                let mut factor = |own: usize, turn: bool| match turn {
                    false => s.strange(&[own, 2], SPRINKLES[3]),
                    true => s.strange(&[2, own], SPRINKLES[3]),
                };
                let (a, b) = (
                    factor(own[0], turned & 1 == 1),
                    factor(own[1], turned & 2 == 2),
                );
                exactly(s, &roles, a, b, None);
            }
        }
    }
}

#[test]
fn batches_and_parts() {
    for semiring in others() {
        let mut s = Subject::of(semiring, F32, &[3, 20, 17, 6, 30]);
        let (a, b) = (
            s.strange(&[0, 1, 3, 4], SPRINKLES[1]),
            s.strange(&[4, 3, 0, 2], SPRINKLES[0]),
        );
        exactly(s, &[Batch, Left, Right], a, b, None);
        let mut s = Subject::of(semiring, F64, &[5, 6, 9_000]);
        let (a, b) = (s.strange(&[2, 0], SPRINKLES[0]), s.input(&[1, 2]));
        exactly(s, &[Left, Right], a, b, Some(-0.0));
    }
}

#[test]
fn results_that_nobody_needs_are_left_out() {
    let lower = Bound::new(0, 1, 0);
    for semiring in others() {
        let [some, all] = [vec![lower], vec![]].map(|needed| {
            let mut s = Subject::of(semiring, F64, &[40, 40, 30]);
            s.structure.needed = needed;
            let (a, b) = (s.input(&[0, 2]), s.input(&[2, 1]));
            let (schedule, inputs) = s.contraction(&[Left, Right], a, b, None);
            ENGINES.with(|engines| {
                let found = engines.iter().map(|cpu| {
                    let executable = cpu.prepare(&schedule).unwrap();
                    bits(&cpu.run(&executable, &inputs).unwrap()).remove(0).1
                });
                found.collect::<Vec<_>>()
            })
        });
        for (some, all) in some.iter().zip(&all) {
            let mut needed = (0..40).flat_map(|i| (0..=i).map(move |j| i * 40 + j));
            assert!(needed.all(|at| some[at] == all[at]));
        }
    }
}
