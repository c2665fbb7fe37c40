//! What is next to what, by loads whose indices are coordinates, sums of them, and elements.

use super::*;
use cotangent_core::constant::Const;
use cotangent_core::prim::Prim;
use cotangent_core::schedule::{ArrayId, Load};
use cotangent_core::types::ScalarType::{F32, I32};

/// A body over three axes.
struct Subject {
    body: Body,
    coords: [ValueId; 3],
}

impl Subject {
    fn new() -> Self {
        let mut body = Body::default();
        let coords = [0, 1, 2].map(|axis| body.push(Op::Coord(axis), I32));
        Self { body, coords }
    }

    fn load(&mut self, index: &[ValueId]) -> ValueId {
        let load = Load {
            array: ArrayId(0),
            index: index.to_vec(),
            guard: None,
            site: None,
        };
        self.body.push(Op::Load(load), F32)
    }
}

#[test]
fn axes_are_across_where_the_last_is_not_read_along() {
    let mut subject = Subject::new();
    let [i, j, k] = subject.coords;
    let along = subject.load(&[i, j, k]);
    let turned = subject.load(&[i, k, j]);
    let far = subject.load(&[k, j, i]);
    let of = |roots: &[ValueId]| across(&subject.body, roots, 3);
    assert_eq!(of(&[along]), None);
    assert_eq!(of(&[turned]), Some(1));
    assert_eq!(of(&[along, turned]), Some(1));
    assert_eq!(of(&[far]), Some(0));
    assert_eq!(of(&[]), None);
    assert_eq!(across(&subject.body, &[turned], 0), None);
}

#[test]
fn arithmetic_counts_and_elements_do_not() {
    let mut subject = Subject::new();
    let [i, j, k] = subject.coords;
    let one = subject.body.push(Op::Const(Const::I32(1)), I32);
    let next = subject.body.push(Op::Prim(Prim::Add, vec![j, one]), I32);
    let diagonal = subject.body.push(Op::Prim(Prim::Add, vec![j, k]), I32);
    let shifted = subject.load(&[k, next]);
    let mixed = subject.load(&[i, diagonal]);
    let element = subject.load(&[j]);
    let gathered = subject.load(&[k, element]);
    let fixed = subject.load(&[k, one]);
    let of = |root| across(&subject.body, &[root], 3);
    assert_eq!(of(shifted), Some(1));
    // Nothing is known of elements, and what is the same for all neighbours is no jump.
    assert_eq!([mixed, fixed, element, gathered].map(of), [None; 4]);
}
