//! Generated programs: all engines agree on them, and they are what the generator promises.
//!
//! `COTANGENT_CASES` says how many programs (500 if unset), `COTANGENT_SEED` the seed of the first; a
//! failure says the seed of its program, to be run alone by `COTANGENT_CASES=1`.

use cotangent_core::check::check;
use cotangent_core::constant::Const;
use cotangent_core::host::{Column, HostArray};
use cotangent_core::interp::{dependences, jvp, run};
use cotangent_core::label::label;
use cotangent_core::recover::recover;
use cotangent_core::surface::prelude::*;
use cotangent_tests::differences::{self, Tally};
use cotangent_tests::engines::{all, disagreement, shrunk};
use cotangent_tests::generate::{Case, Statistics};
use quickcheck::Arbitrary;

/// The seed of the first program.
const SEED: u64 = 20_260_000;

fn number(variable: &str, default: u64) -> u64 {
    let value = std::env::var(variable).ok();
    value.map_or(default, |v| v.parse().expect("a number"))
}

#[test]
fn all_engines_agree() {
    let (cases, seed) = (
        number("COTANGENT_CASES", 500),
        number("COTANGENT_SEED", SEED),
    );
    let engines = all();
    let (mut failing, mut needed) = (0, 0);
    for seed in seed..seed + cases {
        match disagreement(&Case::from_seed(seed), &engines) {
            Ok(summary) => {
                failing += usize::from(summary.fails);
                needed += usize::from(summary.must_fail);
            }
            Err(found) => panic!(
                "seed {seed}: {}\nas found: {:?}",
                shrunk(found.clone()),
                found.fault
            ),
        }
    }
    println!("{cases} programs from seed {seed}: {failing} fail, {needed} of them in every engine");
}

/// A trip writes into what a loop carries, where elements are already: found by the programs above.
#[test]
fn a_row_of_what_a_loop_carries_is_written_again() {
    type State = (Acc<Ix0, f64>, Acc<Ix1, f64>);
    let f = |x: Acc<Ix0, f64>, y: Acc<Ix1, f64>| {
        let step = |_, (x, y): State| {
            let written = x.permute(Combine::Overwrite, y, |_| (true, ix![0]));
            (x, written)
        };
        aiterate(1, step, (x, y.append(fill(ix![1], 0.0)))).1
    };
    let traced = trace(f).unwrap();
    let program = label(&recover(&traced.graph, &traced.lambda).unwrap());
    let inputs = vec![
        HostArray::new(vec![], vec![2.0].into()).unwrap(),
        HostArray::new(vec![2], vec![1.0, 3.0].into()).unwrap(),
    ];
    if let Err(found) = disagreement(&Case { program, inputs }, &all()) {
        panic!("{found}");
    }
}

/// The same where the trip depends on a test, and the loop begins with what nobody else reads.
#[test]
fn a_row_of_what_a_loop_takes_over_is_written_again() {
    let f = || {
        let step =
            |_, y: Acc<Ix1, f64>| unit(2.0).permute(Combine::Overwrite, y, |_| (true, ix![0]));
        aiterate_while(1, |_| true, step, fill(ix![1], 0.0))
    };
    let traced = trace(f).unwrap();
    let program = label(&recover(&traced.graph, &traced.lambda).unwrap());
    let case = Case {
        program,
        inputs: vec![],
    };
    if let Err(found) = disagreement(&case, &all()) {
        panic!("{found}");
    }
}

#[test]
fn derivatives_are_finite_differences() {
    let (cases, seed) = (
        number("COTANGENT_CASES", 500),
        number("COTANGENT_SEED", SEED),
    );
    let mut tally = Tally::default();
    for seed in seed..seed + cases {
        match differences::verdict(&Case::smooth_from_seed(seed), seed) {
            Ok(verdict) => tally.add(verdict),
            Err(found) => panic!(
                "seed {seed}: {}\nas found: {found}",
                differences::shrunk(found.clone(), seed)
            ),
        }
    }
    println!("{cases} smooth programs from seed {seed}: {tally}");
    assert!(cases < 100 || tally.compared() >= 0.5, "{tally}");
    let twice = tally.compared_twice() as u64;
    assert!(cases < 100 || twice >= cases / 10, "{tally}");
}

/// One in a direction, zero elsewhere: tangents for all inputs along the element at a position among all of them.
fn unit_tangents(inputs: &[HostArray], position: usize) -> Vec<HostArray> {
    let mut first = 0;
    let tangents = inputs.iter().map(|input| {
        let column = input.column();
        let own = position.wrapping_sub(first);
        first += column.len();
        let ty = column.scalar_type();
        let elements = (0..column.len()).map(|i| Const::small(ty, i32::from(i == own)));
        let column = Column::from_consts(ty, elements).unwrap();
        HostArray::new(input.shape().to_vec(), column).unwrap()
    });
    tangents.collect()
}

/// A derivative that is not zero is one by an element that the result is found to depend on.
#[test]
fn derivatives_are_in_the_patterns_that_are_found() {
    let (cases, seed) = (
        number("COTANGENT_CASES", 500),
        number("COTANGENT_SEED", SEED),
    );
    let (mut compared, mut not_zero, mut zero_for_sure) = (0, 0, 0);
    for seed in seed..seed + cases {
        let Case { program, inputs } = Case::smooth_from_seed(seed);
        if run(&program, &inputs).is_err() {
            continue;
        }
        let found = dependences(&program, &inputs).unwrap();
        let count: usize = inputs.iter().map(|input| input.column().len()).sum();
        let columns = inputs.iter().flat_map(|input| {
            let column = input.column();
            std::iter::repeat_n(column.scalar_type(), column.len())
        });
        let floats = columns.enumerate().filter(|(_, ty)| ty.is_float());
        // A few elements of each program, not the same ones.
        let step = (count / 4).max(1);
        for (position, _) in floats.skip(seed as usize % step).step_by(step) {
            let (_, tangents) = jvp(&program, &inputs, &unit_tangents(&inputs, position)).unwrap();
            let tangents = tangents.iter().flat_map(|tangent| {
                let column = tangent.column();
                (0..column.len()).map(|i| column.get(i).unwrap())
            });
            for (row, tangent) in tangents.enumerate() {
                compared += 1;
                let is_found = found[row].binary_search(&position).is_ok();
                not_zero += u64::from(!tangent.is_zero());
                zero_for_sure += u64::from(!is_found);
                assert!(
                    is_found || tangent.is_zero(),
                    "seed {seed}: the derivative of result {row} by {position} is {tangent}\n{program}"
                );
            }
        }
    }
    println!("{compared} derivatives, {not_zero} not zero, {zero_for_sure} known to be zero");
    assert!(cases < 100 || (not_zero > 100 && zero_for_sure > 100));
}

#[test]
fn programs_are_large_and_of_the_whole_language() {
    let statistics = Statistics::of((SEED..SEED + 1000).map(Case::from_seed));
    println!("{statistics}");
    assert!(statistics.median_nodes() >= 30);
    assert!(statistics.ill_typed() == 0.0);
    assert!((0.1..=0.4).contains(&statistics.failing()));
    assert!(statistics.needed() >= 0.08);
    assert!(statistics.not_needed() >= 0.02);
    assert!(statistics.non_empty() >= 0.8);
    let (rarest, share) = statistics.constructs().remove(0);
    assert!(share >= 0.01, "{rarest} is in {share} of the programs");
}

#[test]
fn a_seed_gives_one_program() {
    let text = |seed| format!("{:?}", Case::from_seed(seed));
    assert_eq!(text(SEED), text(SEED));
    assert_ne!(text(SEED), text(SEED + 1));
}

/// The smallest case, by shrinking, whose text still mentions `construct`.
fn shrunk_to(construct: &str, mut case: Case) -> Case {
    let mentions = |case: &Case| case.program.to_string().contains(construct);
    while let Some(smaller) = case.shrink().find(mentions) {
        assert!(check(&smaller.program).is_ok());
        case = smaller;
    }
    case
}

#[test]
fn shrinking_leaves_little_but_the_cause() {
    for construct in ["= scanl", "= permute overwrite", "= gradient_e", "= acond"] {
        let mentions = |case: &Case| case.program.to_string().contains(construct);
        // What nothing uses goes in the first step, so look for a case where it is used.
        let is_used = |case: &Case| mentions(case) && case.shrink().any(|c| mentions(&c));
        // Single steps may lead nowhere from a single case: of three, the best is small.
        let found = (SEED..).map(Case::from_seed).filter(is_used).take(3);
        let small = found.map(|case| shrunk_to(construct, case));
        let lets = |case: &Case| case.program.to_string().matches("let ").count();
        let small = small.min_by_key(lets).expect("there is no end of cases");
        assert!(
            lets(&small) <= 16,
            "{} lets are left around {construct}:\n{small:?}",
            lets(&small)
        );
    }
}
