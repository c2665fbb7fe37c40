//! Every program of the corpus: its gradient by reverse mode is the one by dual numbers and, where it is
//! smooth, by finite differences; all engines have the same values.

mod engines;

use cotangent_core::host::HostArray;
use cotangent_core::interp;
use cotangent_core::label::label;
use cotangent_tests::corpus::{Entry, corpus, corpus_of};
use cotangent_tests::differences::{difference_in, floats, scale};
use engines::{ENGINES, derivative};

/// Between results that should be the same but for rounding, relative to max(1, |x| + |y|).
const TOLERANCE: f64 = 1e-10;
/// The same for `f32`.
const TOLERANCE_F32: f64 = 1e-3;
/// The longest samples in `f32`: the products in the corpus overflow it on longer ones.
const LONGEST_F32: usize = 9;
/// The step of finite differences.
const STEP: f64 = 1e-5;

/// The names in the table, with their stars, and `nonfloat_lam_friendly`, which it has lost.
const NAMES: &str = "\
    acond_0 acond_0a acond_1 *acond_2a acond_2a_friendly *acond_2b acond_2b_friendly acond_3a acond_3b \
    map zipWith fold_1 fold_2 *fold_3 fold_3_friendly fold1_1 *fold1_2 fold1_2_friendly \
    replicate_1 replicate_2 replicate_3 replicate_4 slice_1 slice_2 reshape_1 reshape_2 \
    backpermute_1 backpermute_2 aindex_generate_1 aindex_generate_2 aindex_generate_3 aindex_generate_4 \
    aindex_map_1 *aindex_map_2 aindex_map_2_friendly *aindex_map_3 *aindex_map_4 *aindex_acond aindex_only \
    a_ignore_argument *nonfloat_lam nonfloat_lam_friendly logsumexp1 *logsumexp2 *logsumexp3 \
    tuple1 *tuple2 tuple3 tuple4 neural *acond_cond1 \
    *cond_0 cond_0_friendly cond_1 cond_2 *cond_3a *cond_3b *cond_4 ignore_argument";

/// Goes through all samples of all programs, and says for which ones `check` found a difference.
fn for_all(entries: &[Entry], check: impl Fn(&Entry, &[HostArray]) -> Option<String>) {
    let mut problems = vec![];
    for entry in entries {
        for sample in &entry.samples {
            if let Some(problem) = check(entry, sample) {
                problems.push(format!("{}: {problem}\n  for {sample:?}", entry.name));
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

/// The first difference between two lists of arrays; a NaN is equal to itself.
fn difference(found: &[HostArray], expected: &[HostArray], tolerance: f64) -> Option<String> {
    let shapes = |arrays: &[HostArray]| -> Vec<_> {
        arrays
            .iter()
            .map(|a| (a.array_type(), a.shape().to_vec()))
            .collect()
    };
    if shapes(found) != shapes(expected) {
        return Some(format!(
            "shapes {:?} instead of {:?}",
            shapes(found),
            shapes(expected)
        ));
    }
    let pairs = floats(found).into_iter().zip(floats(expected));
    let close = |x: f64, y: f64| {
        let is_same = x == y || (x.is_nan() && y.is_nan());
        is_same || (x - y).abs() <= tolerance * (x.abs() + y.abs()).max(1.0)
    };
    pairs
        .enumerate()
        .find(|&(_, (x, y))| !close(x, y))
        .map(|(i, (x, y))| format!("element {i} is {x} instead of {y}"))
}

#[test]
fn the_corpus_is_the_appendix() {
    let entries = corpus();
    let star = |e: &Entry| if e.smooth { "" } else { "*" };
    let mut found: Vec<_> = entries
        .iter()
        .map(|e| format!("{}{}", star(e), e.name))
        .collect();
    let mut expected: Vec<_> = NAMES.split_whitespace().collect();
    found.sort_unstable();
    expected.sort_unstable();
    assert_eq!(found, expected);
    for entry in &entries {
        let sizes: Vec<_> = entry.samples.iter().map(|s| s[0].shape()[0]).collect();
        assert!(sizes.len() >= 5, "{}: {sizes:?}", entry.name);
        assert_eq!(sizes.last(), Some(&20), "{}", entry.name);
    }
}

/// The difference between the gradient by reverse mode and by dual numbers.
fn reverse_against_duals(entry: &Entry, sample: &[HostArray], tolerance: f64) -> Option<String> {
    let by_duals = interp::run(&label(&entry.gradient), sample).unwrap();
    let by_reverse = interp::run(&derivative(&entry.gradient), sample).unwrap();
    difference(&by_reverse, &by_duals, tolerance)
}

#[test]
fn reverse_mode_is_dual_numbers() {
    for_all(&corpus(), |entry, sample| {
        reverse_against_duals(entry, sample, TOLERANCE)
    });
}

#[test]
fn reverse_mode_is_dual_numbers_in_single_precision() {
    for_all(&corpus_of::<f32>(), |entry, sample| {
        let is_long = sample[0].column().len() > LONGEST_F32;
        if is_long {
            None
        } else {
            reverse_against_duals(entry, sample, TOLERANCE_F32)
        }
    });
}

#[test]
fn finite_differences_agree_where_programs_are_smooth() {
    let smooth: Vec<_> = corpus().into_iter().filter(|e| e.smooth).collect();
    for_all(&smooth, |entry, sample| {
        let program = label(&entry.value);
        let gradient = interp::run(&derivative(&entry.gradient), sample).unwrap();
        let by_differences = (0..entry.differentiated)
            .map(|i| interp::finite_differences(&program, sample, i, STEP).unwrap());
        let value = interp::run(&program, sample).unwrap();
        let by_differences: Vec<_> = by_differences.collect();
        difference_in(scale(&gradient, &value), &by_differences, &gradient)
    });
}

#[test]
fn every_engine_has_the_values() {
    for_all(&corpus(), |entry, sample| {
        [&entry.value, &entry.gradient]
            .into_iter()
            .find_map(|program| {
                let expected = interp::run(&label(program), sample).unwrap();
                ENGINES.iter().find_map(|(name, run)| {
                    let found = run(program, sample);
                    let problem = difference(&found, &expected, TOLERANCE)?;
                    Some(format!("{name}: {problem}"))
                })
            })
    });
}
