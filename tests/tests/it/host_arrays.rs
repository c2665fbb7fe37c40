//! Arrays in host memory from and to what others have: iterators, vectors, slices, `ndarray`, `nalgebra`, `serde`; and outputs that are reused.

use cotangent::prelude::*;
use cotangent::{Cpu, HostArrayError, compile, f16};
use ndarray::{Array0, Array2, Array3, Axis, s};

type Vector = Acc<Ix1, f64>;

#[test]
fn iterators_give_vectors_and_take_elements() {
    let v: Array<Ix1, i64> = (0..5).filter(|n| n % 2 == 0).collect();
    assert_eq!(v.to_vec(), [0, 2, 4]);
    let none = Array::<Ix1, f32>::try_from_iter(std::iter::empty()).unwrap();
    assert_eq!((none.shape(), (&none).into_iter().count()), (&[0][..], 0));
    let m = Array::from_fn([2, 3], |[i, j]| (i, j as f64).1 + i as f64).unwrap();
    let mut seen = vec![];
    for x in &m {
        seen.push(x);
    }
    assert_eq!(seen, m.clone().into_iter().collect::<Vec<_>>());
    assert_eq!(Array::scalar(true).into_iter().collect::<Vec<_>>(), [true]);
    let pairs: Array<Ix1, (bool, i32)> = vec![(true, 1), (false, 2)].try_into().unwrap();
    assert_eq!(Vec::from(pairs), [(true, 1), (false, 2)]);
    let part = Array::try_from(&[1u32, 2, 3][1..]).unwrap();
    assert_eq!(part.as_slice(), [2, 3]);
}

#[test]
fn vectors_are_not_copied() {
    let values = vec![1.0f64; 1000];
    let at = values.as_ptr();
    let array = Array::<Ix1, f64>::try_from(values).unwrap();
    assert_eq!(array.as_slice().as_ptr(), at);
    let values = Vec::from(array);
    assert_eq!(values.as_ptr(), at);
}

#[test]
fn arrays_of_ndarray_are_shown_in_place() {
    let m = Array::from_fn([2, 3, 4], |[i, j, k]| (100 * i + 10 * j + k) as i32).unwrap();
    let view = m.view();
    assert_eq!(view.shape(), [2, 3, 4]);
    assert_eq!(view.as_ptr(), m.as_slice().as_ptr());
    assert_eq!(view[[1, 2, 3]], 123);
    assert_eq!(view.sum_axis(Axis(2))[[1, 2]], 486);
    let empty = Array::<Ix2, f64>::from_vec([3, 0], vec![]).unwrap();
    assert_eq!(empty.view().dim(), (3, 0));
    assert_eq!(Array::scalar(2.5).view()[[]], 2.5);
}

#[test]
fn arrays_of_ndarray_come_in_any_layout() {
    let m = Array2::from_shape_fn((3, 4), |(i, j)| (10 * i + j) as f32);
    let at = m.as_ptr();
    let array = Array::<Ix2, f32>::try_from(m.clone()).unwrap();
    assert_eq!(array.to_vec(), m.iter().copied().collect::<Vec<_>>());
    assert_eq!(Array::<Ix2, f32>::try_from(m.view()).unwrap(), array);
    let by_columns = Array::<Ix2, f32>::try_from(m.clone().reversed_axes()).unwrap();
    assert_eq!(
        (by_columns.shape(), by_columns[[3, 1]]),
        (&[4, 3][..], 13.0)
    );
    // Rows from the second on begin later in memory; every other column has gaps; rows may go backwards.
    let rows = m.clone().slice_move(s![1.., ..]);
    assert_eq!(Array::<Ix2, f32>::try_from(rows).unwrap()[[0, 0]], 10.0);
    let first = m.clone().slice_move(s![..2, ..]);
    assert_eq!(Array::<Ix2, f32>::try_from(first).unwrap().shape(), [2, 4]);
    let columns = m.clone().slice_move(s![.., ..;2]);
    assert_eq!(Array::<Ix2, f32>::try_from(columns).unwrap()[[2, 1]], 22.0);
    let backwards = m.clone().slice_move(s![..;-1, ..]);
    assert_eq!(
        Array::<Ix2, f32>::try_from(backwards).unwrap()[[0, 3]],
        23.0
    );
    let whole = Array::<Ix2, f32>::try_from(m).unwrap();
    assert_eq!(whole.as_slice().as_ptr(), at);
    let back = Array2::from(whole);
    assert_eq!(back.as_ptr(), at);
    assert_eq!(Array0::from(Array::scalar(1)).into_scalar(), 1);
    let none = Array3::<f64>::zeros((0, 2, 3));
    assert_eq!(
        Array::<Ix3, f64>::try_from(none).unwrap().shape(),
        [0, 2, 3]
    );
    // Tuples, which are columns here.
    let pairs = Array2::from_elem((2, 2), (1, 0.5));
    let array = Array::<Ix2, (i32, f64)>::try_from(pairs.clone()).unwrap();
    assert_eq!(Array2::from(array), pairs);
}

#[test]
fn matrices_of_nalgebra_lie_by_columns() {
    let m = nalgebra::DMatrix::from_fn(2, 3, |i, j| (10 * i + j) as f64);
    let array = Array::<Ix2, f64>::try_from(&m).unwrap();
    assert_eq!(array.to_vec(), [0.0, 1.0, 2.0, 10.0, 11.0, 12.0]);
    assert_eq!(nalgebra::DMatrix::from(array), m);
    let rows = Array::<Ix2, f64>::try_from(&m.rows(1, 1)).unwrap();
    assert_eq!((rows.shape(), rows[[0, 2]]), (&[1, 3][..], 12.0));
    let none = Array::<Ix2, f64>::from_vec([0, 3], vec![]).unwrap();
    assert_eq!(nalgebra::DMatrix::from(none).shape(), (0, 3));
    let v = nalgebra::DVector::from(Array::<Ix1, f32>::from([1.0, 2.0]));
    assert_eq!(Array::<Ix1, f32>::try_from(v).unwrap().to_vec(), [1.0, 2.0]);
}

#[test]
fn arrays_are_data() {
    let m = Array::<Ix2, f64>::from([[1.0, -0.5], [25e20, 0.1]]);
    let text = serde_json::to_string(&m).unwrap();
    assert_eq!(text, r#"{"shape":[2,2],"elements":[1.0,-0.5,2.5e+21,0.1]}"#);
    assert_eq!(serde_json::from_str::<Array<Ix2, f64>>(&text).unwrap(), m);
    let halves = Array::<Ix1, f16>::from([f16::from_f32(0.5), f16::MAX]);
    let text = serde_json::to_string(&halves).unwrap();
    assert_eq!(
        serde_json::from_str::<Array<Ix1, f16>>(&text).unwrap(),
        halves
    );
    let empty = Array::<Ix2, bool>::from_vec([0, 7], vec![]).unwrap();
    let text = serde_json::to_string(&empty).unwrap();
    assert_eq!(
        serde_json::from_str::<Array<Ix2, bool>>(&text).unwrap(),
        empty
    );
}

#[test]
fn data_that_is_no_such_array_is_told() {
    let told = |text: &str| {
        serde_json::from_str::<Array<Ix2, f64>>(text)
            .unwrap_err()
            .to_string()
    };
    let [rank, length, large] = [
        told(r#"{"shape":[2],"elements":[1.0,2.0]}"#),
        told(r#"{"shape":[2,2],"elements":[1.0]}"#),
        told(r#"{"shape":[4294967296,4294967296],"elements":[]}"#),
    ];
    assert!(
        rank.starts_with("an array of rank 2 is needed here, not one of shape [2]"),
        "{rank}"
    );
    assert!(
        length.starts_with("shape [2, 2] does not hold 1 elements"),
        "{length}"
    );
    assert!(large.contains("too large"), "{large}");
    assert!(told(r#"{"shape":[1,1],"elements":["x"]}"#).contains("invalid type"));
    assert!(told(r#"{"shape":[1,1]}"#).contains("missing field `elements`"));
    let error = Array::<Ix1, f64>::from_vec([3], vec![1.0]).unwrap_err();
    assert!(matches!(error, HostArrayError::Length { .. }));
}

#[test]
fn outputs_are_reused() {
    let n = 100_000;
    let program = compile(|v: Vector| (v * 2.0, v.sum())).unwrap();
    let cpu = Cpu::builder().threads(1).build().unwrap();
    let input = Array::from_fn([n], |[i]| i as f64).unwrap();
    let mut out = program.run(&cpu, input.clone()).unwrap();
    let at = out.0.as_slice().as_ptr();
    for run in 0..3 {
        let input = input.clone();
        program.run_into(&cpu, input, &mut out).unwrap();
        assert_eq!(out.0.as_slice().as_ptr(), at, "run {run}");
        assert_eq!((out.0[[n - 1]], out.0.len()), (2.0 * (n - 1) as f64, n));
    }
    // Others that hold the results keep them.
    let kept = out.0.clone();
    program
        .run_into(&cpu, Array::from([1.0]), &mut out)
        .unwrap();
    assert_eq!(
        (out.0.to_vec(), out.1.item(), kept.len()),
        (vec![2.0], 1.0, n)
    );
}

#[test]
fn outputs_of_a_run_that_fails_are_empty() {
    let program = compile(|v: Vector| (generate(ix![1], move |_: Ix1| v.at(ix![1])), v.sum()));
    let (program, cpu) = (program.unwrap(), Cpu::default());
    let mut out = program.run(&cpu, Array::from([1.0, 2.0])).unwrap();
    assert_eq!((out.0.to_vec(), out.1.item()), (vec![2.0], 3.0));
    assert!(
        program
            .run_into(&cpu, Array::from([1.0]), &mut out)
            .is_err()
    );
    assert_eq!((out.0.to_vec(), out.1.item()), (vec![], 0.0));
}
