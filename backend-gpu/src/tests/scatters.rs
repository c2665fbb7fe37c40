//! Scatters on the device do what the host does, in whatever number points and elements come.

mod cases;

use super::gpu;
use crate::Gpu;
use cases::{Case, places_at_random};
use cotangent_core::backend::{Backend, RunError};
use cotangent_core::constant::Const;
use cotangent_core::term::Combine;
use cotangent_core::types::ScalarType::{self, Bool, F16, F32, F64, I8, I32, I64, U16, U32};

/// Arrays of more bytes are bound in pieces, where that is tried.
const BINDING_BYTES: u64 = 1 << 19;

/// The ways of a device: as it is, without the atomic functions that not all have, with those for floats, and with arrays
/// in pieces.
fn ways(gpu: &Gpu) -> Vec<Gpu> {
    let mut plain = gpu.clone();
    plain.context.target.has_i64_atomics = false;
    plain.context.target.has_f32_atomics = false;
    let fast = [gpu.clone(), plain.clone()].map(Gpu::with_fast_atomics);
    let whole: Vec<_> = [gpu.clone(), plain].into_iter().chain(fast).collect();
    let in_pieces = whole[1..].iter().cloned();
    let in_pieces = in_pieces.map(|gpu| gpu.with_binding_bytes(BINDING_BYTES));
    whole.iter().cloned().chain(in_pieces).collect()
}

/// Every way gives what is expected; values are small integers, whose sums are exact in any order.
fn check(case: &Case) {
    let Some(gpu) = gpu() else { return };
    if case.types.iter().any(|&ty| !gpu.target().has(ty)) {
        return;
    }
    let expected = case.expected();
    for way in ways(gpu) {
        let found = case.run(&way).unwrap();
        assert!(
            found == expected,
            "{:?} of {:?}, {} points to {} elements",
            case.combine,
            case.types,
            case.places.len(),
            case.elements
        );
    }
}

/// Few elements, whose totals each part has, and so many that points are sorted.
const FEW_AND_MANY: [usize; 2] = [77, 5000];

#[test]
fn all_numbers_of_points_and_elements() {
    for points in [0, 1, 255, 256, 257, 1000, 100_000] {
        for elements in [1, 2, 1000, 1_000_000] {
            let places = places_at_random(points, elements);
            check(&Case::new(Combine::Add, &[F32], places.clone(), elements));
            check(&Case::new(Combine::Overwrite, &[F32], places, elements));
        }
    }
}

/// So many that sums of sums of sums are needed.
#[test]
fn many_points() {
    for elements in [3, 100_000] {
        let places = places_at_random(600_000, elements);
        check(&Case::new(Combine::Add, &[F32], places, elements));
    }
}

#[test]
fn all_types() {
    for ty in ScalarType::ALL {
        for (points, elements) in [100, 5000].into_iter().zip(FEW_AND_MANY) {
            let places = places_at_random(points, elements);
            if ty != Bool {
                check(&Case::new(Combine::Add, &[ty], places.clone(), elements));
            }
            check(&Case::new(Combine::Overwrite, &[ty], places, elements));
        }
    }
}

/// The greatest key, which is that of nowhere, has a digit more, or is the last of its digits.
#[test]
fn numbers_of_elements_at_powers_of_two() {
    for power in [1 << 10, 1 << 11, 1 << 15, 1 << 20] {
        for elements in [power - 1, power, power + 1] {
            let places = places_at_random(2000, elements);
            check(&Case::new(Combine::Add, &[F32], places, elements));
        }
    }
}

/// So many that no invocation may go through them all.
#[test]
fn all_points_to_one_element() {
    for ty in [F32, F64, I32, I64, U32, I8, U16] {
        let places = vec![3; 200_000];
        for elements in [4, 1000, 5000] {
            check(&Case::new(Combine::Add, &[ty], places.clone(), elements));
        }
        check(&Case::new(Combine::Overwrite, &[ty], places, 5));
    }
}

/// Segments that end where parts end, and that go on for several parts.
#[test]
fn runs_of_one_place() {
    for run in [64, 128, 255, 256, 257, 512, 1000] {
        let places = (0..10_000).map(|point| point / run).collect();
        check(&Case::new(Combine::Add, &[F32], places, 2000));
    }
}

#[test]
fn distinct_places() {
    let places = (0..100_000).map(|point| point * 7919 % 100_003);
    let places: Vec<_> = places.collect();
    for ty in [F32, I64] {
        check(&Case::new(Combine::Add, &[ty], places.clone(), 100_003));
        check(&Case::new(
            Combine::Overwrite,
            &[ty],
            places.clone(),
            100_003,
        ));
    }
}

#[test]
fn guards_that_hold_nowhere() {
    for combine in [Combine::Add, Combine::Overwrite] {
        for points in [10, 3000] {
            check(&Case::new(combine, &[F32], vec![-1; points], 10));
            check(&Case::new(combine, &[F32], vec![-1; points], 0));
        }
    }
}

#[test]
fn several_outputs() {
    let Some(gpu) = gpu() else { return };
    let types = [F32, I32, F64, I8, I64, U32, F16].into_iter();
    let types: Vec<_> = types.filter(|&ty| gpu.target().has(ty)).collect();
    for elements in FEW_AND_MANY {
        let places = places_at_random(3000, elements);
        for types in [&types[..], &types[1..2], &types[..2]] {
            check(&Case::new(Combine::Add, types, places.clone(), elements));
            check(&Case::new(
                Combine::Overwrite,
                types,
                places.clone(),
                elements,
            ));
        }
        check(&Case::new(Combine::Add, &[I32, I32], places, elements));
    }
}

#[test]
fn views_as_targets() {
    for span in [(0, 1), (5, 1), (0, 3), (2, 3)] {
        for combine in [Combine::Add, Combine::Overwrite] {
            for (ty, elements) in [(I32, 50)]
                .into_iter()
                .chain(FEW_AND_MANY.map(|n| (F32, n)))
            {
                let places = places_at_random(2000, elements);
                let mut case = Case::new(combine, &[ty], places, elements);
                case.span = span;
                check(&case);
            }
        }
    }
}

/// What shares the target's memory keeps what it has.
#[test]
fn memory_that_others_share_is_not_written() {
    for combine in [Combine::Add, Combine::Overwrite] {
        for (points, ty) in [(20, F32), (2000, F32), (20, I32)] {
            let mut case = Case::new(combine, &[ty], places_at_random(points, 50), 50);
            case.is_shared = true;
            check(&case);
        }
    }
}

/// An index out of range is told as on the host, for the first point that has one.
#[test]
fn indices_out_of_range() {
    let Some(gpu) = gpu() else { return };
    for (combine, ty) in [
        (Combine::Add, F32),
        (Combine::Add, I32),
        (Combine::Overwrite, F32),
    ] {
        for wrong in [-2, 100, i32::MAX, i32::MIN] {
            let mut places = places_at_random(1000, 100);
            places[700] = wrong;
            places[900] = 200;
            let case = Case::new(combine, &[ty], places, 100);
            for way in ways(gpu) {
                let found = case.run(&way).unwrap_err();
                assert_eq!(
                    found,
                    case.run(&gpu.clone().with_host_scatters()).unwrap_err()
                );
                let RunError::IndexOutOfRange { index, extents, .. } = found else {
                    panic!("{found}");
                };
                assert_eq!((index, extents), (vec![i64::from(wrong)], vec![100]));
            }
        }
    }
}

/// Values whose sums depend on the order: the bits are the same each time, and near those of the host.
#[test]
fn sums_are_the_same_each_time() {
    let Some(gpu) = gpu() else { return };
    for elements in [1, 1000, 5000] {
        let mut case = Case::new(
            Combine::Add,
            &[F32],
            places_at_random(50_000, elements),
            elements,
        );
        let value = |i: usize| Const::F32(((i * 7919 % 1009) as f32).sin() * 1e3);
        case.values[0] = (0..50_000).map(value).collect();
        let found = case.run(gpu).unwrap();
        assert_eq!(found, case.run(gpu).unwrap());
        let others = ways(gpu)
            .into_iter()
            .chain([gpu.clone().with_host_scatters()]);
        for way in others {
            for (x, y) in found[0].iter().zip(&case.run(&way).unwrap()[0]) {
                let (Const::F32(x), Const::F32(y)) = (x, y) else {
                    panic!("{x:?} and {y:?}");
                };
                assert!((x - y).abs() < 10.0, "{x} and {y}");
            }
        }
    }
}

/// The host agrees with what is expected, too.
#[test]
fn the_slow_way() {
    let Some(gpu) = gpu() else { return };
    for combine in [Combine::Add, Combine::Overwrite] {
        let mut case = Case::new(combine, &[F32, I32], places_at_random(3000, 100), 100);
        case.span = (1, 2);
        let slow = gpu.clone().with_host_scatters();
        assert_eq!(case.run(&slow).unwrap(), case.expected());
    }
}

/// Programs keep what was prepared by the name.
#[test]
fn fast_atomics_have_a_name_of_their_own() {
    let Some(gpu) = gpu() else { return };
    let fast = gpu.clone().with_fast_atomics();
    assert_ne!(gpu.name(), fast.name());
}
