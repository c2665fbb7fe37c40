//! What is in memory at a time, and why.

use super::*;

#[test]
fn an_array_is_held_until_its_last_reader() {
    // Four scans in a row: two of them are alive at a time.
    let chain = |x: Acc<Ix1, f64>| (0..4).fold(x, |x, _| x.scanl1(|a, b| a + b));
    let e = explained(chain, &[&[100]]);
    assert_eq!(memory(&e), [Some(3 * 800), Some(800 + 2 * 800)]);
    assert_eq!(
        reasons(&e),
        [(0, 1, "scan"), (1, 2, "scan"), (2, 3, "scan")]
    );
    // The same where the first is read at the end once more.
    let late = |x: Acc<Ix1, f64>| {
        let first = x.scanl1(|a, b| a + b);
        let last = (0..3).fold(first, |x, _| x.scanl1(|a, b| a + b));
        last.zip_with(first, |x, y| x + y)
    };
    assert_eq!(memory(&explained(late, &[&[100]]))[1], Some(800 + 3 * 800));
}

#[test]
fn expensive_arrays_are_kept_for_several_readers() {
    let softmax = |x: Acc<Ix1, f64>| {
        let e = x.map(|x| x.exp());
        let ix![n] = x.shape();
        e.zip_with(e.sum().replicate(ix![n]), |e, sum| e / sum)
    };
    let e = explained(softmax, &[&[1000]]);
    assert_eq!(kinds(&e), [Kind::Map, Kind::Reduce, Kind::Map]);
    let expected = [
        (0, 1, "read_by_several"),
        (0, 2, "read_by_several"),
        (1, 2, "fold"),
    ];
    assert_eq!(reasons(&e), expected);
    assert_eq!(memory(&e), [Some(8008), Some(3 * 8000 + 8)]);
    let text = e.boundaries[0].reason.unwrap().0.to_string();
    assert_eq!(
        text,
        "2 operations read it and an element costs 24 (computed again up to 12)"
    );
}

/// A sum, or what takes more memory: a sum of a sum of prefixes.
fn either(x: Acc<Ix1, f64>, test: Exp<bool>) -> Acc<Ix1, f64> {
    acond(
        test,
        x.scanl1(|a, b| a + b).scanl1(|a, b| a * b),
        x.map(|x| x + 1.0),
    )
}

#[test]
fn of_two_branches_the_larger_counts() {
    let f = |x: Acc<Ix1, f64>, c: Acc<Ix0, i32>| either(x, c.the().gt(0)).scanl1(|a, b| a + b);
    let e = explained(f, &[&[100], &[]]);
    assert_eq!(kinds(&e), [Kind::Scan, Kind::Scan, Kind::Map, Kind::Scan]);
    let conditions: Vec<_> = e.kernels.iter().map(|k| k.conditions.join(" ")).collect();
    let [cond, same, not, none] = &conditions[..] else {
        panic!("{e}");
    };
    assert_eq!(
        (same, not, none),
        (cond, &format!("not {cond}"), &String::new())
    );
    assert_eq!(
        reasons(&e),
        [(0, 1, "scan"), (1, 3, "conditional"), (2, 3, "conditional")]
    );
    // In the branch two, after it the merged array and the result; the input and the number in any case.
    assert_eq!(memory(&e), [Some(800 + 800), Some(800 + 4 + 1600)]);
}

#[test]
fn conditions_on_extents_are_decided() {
    let f = |x: Acc<Ix1, f64>| {
        let ix![n] = x.shape();
        either(x, n.gt(50))
    };
    assert_eq!(memory(&explained(f, &[&[100]]))[1], Some(800 + 1600));
    assert_eq!(memory(&explained(f, &[&[10]]))[1], Some(80 + 80));
    let e = formulas(f);
    assert_eq!(e.peak_bytes.to_string(), "24*x0.0");
    assert_eq!(
        e.to_dot().matches("-> \"result").count(),
        2,
        "{}",
        e.to_dot()
    );
}

#[test]
fn columns_side_by_side_are_one_array() {
    let f = |x: Acc<Ix1, f64>| x.map(|x| [x.exp(), x.sin(), x]).unpack();
    let e = explained(f, &[&[10]]);
    assert_eq!(e.kernels.len(), 1);
    assert_eq!(memory(&e), [Some(0), Some(80 + 240)]);
    assert_eq!(figures(&e.kernels[0])[1..], [80, 240]);
    assert_eq!(e.kernels[0].writes.len(), 1);
}

#[test]
fn inputs_that_are_results_are_held_once() {
    let e = explained(|x: Acc<Ix1, f64>| (x, x), &[&[10]]);
    assert_eq!((e.kernels.len(), memory(&e)), (0, [Some(0), Some(80)]));
    assert!(e.arrays[0].is_result);
}

#[test]
fn what_a_loop_begins_with_is_what_it_carries() {
    // Prefix sums of which nobody else makes use, then the sums of each trip: two arrays at a time, not three.
    let f = |x: Acc<Ix1, f64>| {
        let sums = |x: Acc<Ix1, f64>| x.scanl1(|a, b| a + b);
        aiterate(5, |_, x| sums(x), sums(x))
    };
    assert_eq!(memory(&explained(f, &[&[100]]))[1], Some(800 + 2 * 800));
    // Where somebody reads it later, there are three.
    let kept = |x: Acc<Ix1, f64>| {
        let sums = |x: Acc<Ix1, f64>| x.scanl1(|a, b| a + b);
        let first = sums(x);
        let last = aiterate(5, |_, x| sums(x), first);
        last.zip_with(first, |x, y| x + y)
    };
    assert_eq!(memory(&explained(kept, &[&[100]]))[1], Some(800 + 3 * 800));
}

#[test]
fn extents_that_stay_from_trip_to_trip_are_known() {
    let f = |x: Acc<Ix1, f64>, y: Acc<Ix1, f64>| {
        let step = |_, x: Acc<Ix1, f64>| x.zip_with(y, |x, y| x + y).scanl1(|a, b| a + b);
        aiterate(10, step, x)
    };
    let known = |x, y| memory(&explained(f, &[&[x], &[y]]))[1];
    assert!(known(10, 20).is_some());
    assert_eq!(known(20, 10), None);
}
