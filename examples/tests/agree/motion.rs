//! `nbody` and `ode`.

use super::devices::everywhere;
use cotangent_examples::nbody::{self, Run};
use cotangent_examples::ode;

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

#[test]
fn ode_agrees() {
    let program = ode::program().unwrap();
    for (starts, steps) in [(30, 200), (1, 1), (2, 0), (2, -5), (0, 3)] {
        let starts = ode::starts(starts);
        let run = ode::Run { steps, time: 0.05 };
        let expected = ode::reference(&starts, run);
        everywhere(
            |device| ode::run(&program, device, &starts, run),
            |found| {
                found.len() == starts.len() && ode::difference(found, &expected) <= ode::TOLERANCE
            },
        );
    }
}

#[test]
fn hares_and_foxes_go_in_circles() {
    // What is constant along a curve.
    let kept = |(x, y): ode::State| 0.1 * x - 0.4 * x.ln() + 0.4 * y - 1.1 * y.ln();
    let starts = ode::starts(4);
    let ends = ode::reference(
        &starts,
        ode::Run {
            steps: 2000,
            time: 0.01,
        },
    );
    for (&start, &end) in starts.iter().zip(&ends) {
        assert!((kept(start) - kept(end)).abs() < 1e-6, "{start:?} {end:?}");
    }
}
