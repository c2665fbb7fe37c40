//! Hash and equality ignore what they should, and nothing else.

use super::{Fnv, alpha_eq, alpha_hash, hash_of_bytes};
use crate::host::{Column, HostArray};
use crate::label::{label, samples, unlabel};
use crate::loc::Loc;
use crate::term::{ArrId, DeBruijn, ExpOp, Program};
use std::fmt::Write;

fn same(left: &Program<DeBruijn>, right: &Program<DeBruijn>) -> bool {
    let equal = alpha_eq(left, right);
    assert_eq!(alpha_hash(left) == alpha_hash(right), equal);
    equal
}

#[test]
fn the_hash_is_fnv() {
    let known = 0x343e_1662_793c_64bf_6f0d_3597_ba44_6f18;
    let mut hash = Fnv(Fnv::OFFSET);
    assert_eq!(hash.write_str("foobar"), Ok(()));
    assert_eq!((hash.0, hash_of_bytes(*b"foobar")), (known, known));
}

#[test]
fn samples_differ_from_each_other_only() {
    let samples: Vec<_> = samples::all().iter().map(unlabel).collect();
    for (i, left) in samples.iter().enumerate() {
        for (j, right) in samples.iter().enumerate() {
            assert_eq!(same(left, right), i == j);
        }
    }
}

#[test]
fn labels_and_locations_do_not_count() {
    let official = unlabel(&samples::dot());
    let mut renamed = label(&official);
    renamed.body.lets[1].binds[0].name = ArrId(77);
    renamed.body.results = vec![ArrId(77)];
    renamed.body.lets[0].loc = Loc::UNKNOWN;
    assert!(same(&official, &unlabel(&renamed)));
}

#[test]
fn host_arrays_count_by_type() {
    let official = unlabel(&samples::array_gradient());
    let with = |column: Column, shape: Vec<usize>| {
        let mut other = official.clone();
        other.uses = HostArray::new(shape, column).into_iter().collect();
        other
    };
    assert!(same(&official, &with(vec![4.0, 5.0].into(), vec![2])));
    assert!(!same(&official, &with(vec![4.0f32].into(), vec![1])));
    assert!(!same(&official, &with(vec![4.0].into(), vec![1, 1])));
}

#[test]
fn constants_count_by_bits() {
    let official = unlabel(&samples::dot());
    let mut other = official.clone();
    other.body.lets[1].op.funs_mut()[1].body.lets[0].op = ExpOp::Const((-0.0).into());
    assert!(!same(&official, &other));
}
