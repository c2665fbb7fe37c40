//! `nbody`.

use super::devices::everywhere;
use cotangent_examples::nbody::{self, Run};

#[test]
fn nbody_agrees() {
    let program = nbody::program().unwrap();
    for (systems, steps) in [(1, 100), (1, 1), (20, 30), (3, 0), (3, -1), (0, 5)] {
        let start = nbody::systems(systems);
        let run = Run { steps, time: 0.01 };
        let expected = nbody::reference(&start, run);
        everywhere(
            |device| nbody::run(&program, device, &start, run),
            |found| {
                found.len() == systems && nbody::difference(found, &expected) <= nbody::TOLERANCE
            },
        );
    }
}

#[test]
fn energy_is_kept() {
    let start = nbody::systems(1);
    let before = nbody::energy(&start[0]);
    // What the task of the benchmarks game prints first.
    assert!((before - -0.169_075_164).abs() < 1e-9, "{before}");
    let end = nbody::reference(
        &start,
        Run {
            steps: 1000,
            time: 0.01,
        },
    );
    assert!(((nbody::energy(&end[0]) - before) / before).abs() < 1e-4);
    assert!(nbody::difference(&nbody::systems(2)[1..], &start) > 1e-7);
}
