//! Host arrays, and host values as columns.

use crate::check::check;
use crate::host::{Column, HostArrayError};
use crate::label::{label, unlabel};
use crate::recover::recover;
use crate::surface::arrays::Arrays;
use crate::surface::prelude::*;
use crate::term::Alike;
use crate::types::{ArrayType, ScalarType};
use cotangent_derive::Elt;

#[derive(Clone, Copy, Debug, PartialEq, Elt)]
#[elt(crate = crate)]
struct Particle {
    position: [f64; 2],
    charge: i32,
    alive: (bool, f32),
}

#[derive(Clone, Debug, PartialEq, Elt)]
#[elt(crate = crate)]
struct Complex<T>(T, T);

fn particles() -> Vec<Particle> {
    let particle = |i: i32| Particle {
        position: [f64::from(i), -0.5],
        charge: -i,
        alive: (i % 2 == 0, i as f32 / 2.0),
    };
    (0..4).map(particle).collect()
}

#[test]
fn structs_become_columns_in_order_of_declaration() {
    let array = Array::<Ix2, Particle>::from_vec([2, 2], particles()).unwrap();
    let types: Vec<_> = array.columns().iter().map(|c| c.array_type()).collect();
    use ScalarType::{Bool, F32, F64, I32};
    assert_eq!(
        types,
        [F64, F64, I32, Bool, F32].map(|ty| ArrayType::new(ty, 2))
    );
    assert_eq!(
        array.columns()[2].column(),
        &Column::from(vec![0, -1, -2, -3])
    );
    assert_eq!(array.to_vec(), particles());
    assert_eq!(array.get([1, 0]), Some(particles()[2]));
    assert_eq!(array.get([0, 2]), None);
    assert_eq!(array.clone(), array);
    assert_eq!(array.into_vec(), particles());
}

#[test]
fn structs_may_have_parameters_and_no_names() {
    let values = vec![Complex(1.0f32, 2.0), Complex(3.0, 4.0)];
    let array = Array::<Ix1, Complex<f32>>::vector(values.clone()).unwrap();
    assert_eq!(array.columns().len(), 2);
    assert_eq!(array.to_vec(), values);
    let conjugate = |ComplexE(re, im): ComplexE<f32>| ComplexE::<f32>(re, -im);
    let traced = trace(|v: Acc<Ix1, Complex<f32>>| v.map(conjugate)).unwrap();
    assert_eq!(traced.lambda.results.len(), 2);
}

#[test]
fn empty_and_single_arrays() {
    let empty = Array::<Ix2, (f64, bool)>::from_vec([0, 3], vec![]).unwrap();
    assert_eq!((empty.len(), empty.shape()), (0, &[0, 3][..]));
    assert!(empty.is_empty() && empty.to_vec().is_empty());
    let single = Array::scalar((1, 2.0));
    assert_eq!(single.get([]), Some((1, 2.0)));
    assert_eq!(single.len(), 1);
}

#[test]
fn a_single_value_is_its_item() {
    assert_eq!(Array::scalar((1, 2.0)).item(), (1, 2.0));
    assert_eq!(Array::scalar(particles().remove(1)).item(), particles()[1]);
    let made = Array::<Ix0, u32>::from_vec([], vec![7]).unwrap();
    assert_eq!((made.item(), made.get([])), (7, Some(7)));
    let found = interpret(|v: Acc<Ix1, Particle>| unit(v.at(ix![3])), {
        Array::vector(particles()).unwrap()
    });
    assert_eq!(found.unwrap().item(), particles()[3]);
}

#[test]
fn arrays_have_up_to_twelve_dimensions() {
    type Ix12 = Snoc<Snoc<Snoc<Snoc<Snoc<Snoc<Ix6>>>>>>;
    let array = Array::<Ix12, i32>::from_vec([1; 12], vec![3]).unwrap();
    assert_eq!((array.shape(), array.get([0; 12])), (&[1; 12][..], Some(3)));
    let of_six = Array::<Ix6, i32>::from_fn([1, 1, 1, 1, 2, 2], |i| i[5] as i32).unwrap();
    assert_eq!(of_six.get([0, 0, 0, 0, 1, 1]), Some(1));
}

#[test]
fn the_number_of_extents_says_which_shape() {
    let matrix = Array::from_vec([1, 2], vec![0.5, 1.5]).unwrap();
    assert_eq!(format!("{matrix:?}"), "Array[1, 2] [0.5, 1.5]");
}

#[test]
fn from_fn_goes_by_rows() {
    let array = Array::<Ix2, i32>::from_fn([2, 3], |[i, j]| (10 * i + j) as i32).unwrap();
    assert_eq!(array.to_vec(), [0, 1, 2, 10, 11, 12]);
    assert_eq!(format!("{array:?}"), "Array[2, 3] [0, 1, 2, 10, 11, 12]");
}

#[test]
fn wrong_lengths_are_errors() {
    let wrong = Array::<Ix1, [f64; 2]>::from_vec([3], vec![[0.0; 2]; 2]);
    assert!(matches!(wrong, Err(HostArrayError::Length { len: 2, .. })));
    let huge = Array::<Ix2, f64>::from_fn([usize::MAX, 2], |_| 0.0);
    assert!(matches!(huge, Err(HostArrayError::TooLarge { .. })));
}

/// Nothing is computed from indices and extents before it is known to fit.
#[test]
fn what_cannot_be_counted_is_no_panic() {
    let m = Array::<Ix2, f32>::from_fn([2, 3], |[i, j]| (3 * i + j) as f32).unwrap();
    assert_eq!(m.get([1, 2]), Some(5.0));
    for index in [
        [1, usize::MAX],
        [usize::MAX, 0],
        [usize::MAX; 2],
        [2, 0],
        [0, 3],
    ] {
        assert_eq!(m.get(index), None, "{index:?}");
    }
    let most = i32::MAX as usize;
    let never = |_| -> bool { panic!("there is no memory for so many elements") };
    let vast = Array::<Ix2, bool>::from_fn([most, most], never);
    assert!(matches!(vast, Err(HostArrayError::OutOfMemory { .. })));
    for shape in [[most + 1, 0, 1], [usize::MAX; 3], [most; 3]] {
        let made = Array::<Ix3, bool>::from_fn(shape, |_| true);
        assert!(
            matches!(made, Err(HostArrayError::TooLarge { .. })),
            "{shape:?}"
        );
        let made = Array::<Ix3, (i32, f64)>::from_vec(shape, vec![(1, 2.0)]);
        assert!(
            matches!(made, Err(HostArrayError::TooLarge { .. })),
            "{shape:?}"
        );
    }
    for shape in [[0, most, most, most], [most, most, most, 0]] {
        let empty = Array::<Ix4, [u32; 2]>::from_vec(shape, vec![]).unwrap();
        assert_eq!((empty.len(), empty.is_empty()), (0, true));
        assert_eq!(empty.get([0, most - 1, most - 1, 0]), None);
        assert_eq!(
            Array::<Ix4, [u32; 2]>::from_fn(shape, |_| [0; 2]).unwrap(),
            empty
        );
    }
}

#[test]
fn columns_of_another_type_are_refused() {
    let array = Array::<Ix1, (f64, i32)>::vector(vec![(1.0, 2)]).unwrap();
    let columns = array.into_columns();
    assert!(Array::<Ix1, (f64, i32)>::from_columns(columns.clone()).is_some());
    assert!(Array::<Ix1, (i32, f64)>::from_columns(columns.clone()).is_none());
    assert!(Array::<Ix0, (f64, i32)>::from_columns(columns.clone()).is_none());
    assert!(Array::<Ix1, f64>::from_columns(columns).is_none());
}

#[test]
fn arguments_are_their_columns_in_a_row() {
    type Form = (Acc<Ix1, (f64, i32)>, (Acc<Ix0, bool>, Acc<Ix2, f32>));
    let first = Array::vector(vec![(1.0, 2)]).unwrap();
    let third = Array::from_vec([1, 2], vec![1.0, 2.0]).unwrap();
    let host = (first, (Array::scalar(true), third));
    let mut columns = vec![];
    Form::from_host(host.clone(), &mut columns);
    let mut types = vec![];
    Form::array_types(&mut types);
    assert_eq!(types.len(), 4);
    assert!(
        types
            .iter()
            .copied()
            .eq(columns.iter().map(|c| c.array_type()))
    );
    assert_eq!(Form::to_host(&mut columns.into_iter()), Some(host));
}

#[test]
fn scalar_vectors_are_not_copied() {
    let values = vec![1.0; 8];
    let address = values.as_ptr();
    let array = Array::<Ix1, f64>::vector(values).unwrap();
    let values = array.into_vec();
    assert_eq!(values.as_ptr(), address);
}

#[test]
fn constants_of_any_element_type() {
    let value = particles()[1];
    let traced = trace(|| unit(constant(value))).unwrap();
    assert_eq!(traced.lambda.results.len(), 5);
    let traced = trace(|| fill(ix![3], constant((1.0, [true])))).unwrap();
    assert_eq!(traced.lambda.results.len(), 2);
}

#[test]
fn programs_know_which_columns_have_one_shape() {
    let pairs = Array::<Ix1, (f64, i32)>::vector(vec![(1.0, 2)]).unwrap();
    let traced = trace(|n: Acc<Ix0, i32>, v: Acc<Ix1, (f64, [i32; 2])>| {
        let used = use_(&pairs);
        (n, v, used, use_(&pairs))
    });
    let traced = traced.unwrap();
    let program = recover(&traced.graph, &traced.lambda).unwrap();
    check(&program).unwrap();
    let alike = Alike {
        params: [(2, 1), (3, 1)].into(),
        uses: [(1, 0)].into(),
        ..Alike::default()
    };
    assert_eq!(program.alike, alike);
    let text = program.to_string();
    for line in ["  alike params #1, #2, #3\n", "  alike hosts #0, #1\n"] {
        assert!(text.contains(line), "{text}");
    }
    assert_eq!(unlabel(&label(&program)), program);
}
