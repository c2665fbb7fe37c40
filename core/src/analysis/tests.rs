//! What the analyses see, on small programs.

use super::index_map::IndexMap;
use super::polynomial::Poly;
use super::shape::{Shapes, SizeNode};
use crate::build::{AccBuilder, Arr, FunBuilder};
use crate::constant::Const;
use crate::prim::Prim;
use crate::term::{ArrId, Direction, ExpId, Fun, Labelled, Program};
use crate::types::{ArrayType, ScalarType};

fn vector(name: u32) -> Arr {
    Arr::new(ArrId(name), ArrayType::new(ScalarType::F64, 1))
}

fn map_of(rank: usize, body: impl FnOnce(&mut FunBuilder, &[ExpId]) -> Vec<ExpId>) -> IndexMap {
    let mut b = FunBuilder::new();
    let index = b.params(&vec![ScalarType::I32; rank]);
    let results = body(&mut b, &index);
    IndexMap::alone(&b.finish(results))
}

#[test]
fn reversal_follows_a_coordinate_wherever_it_starts() {
    let a = vector(3);
    let map = map_of(1, |b, i| {
        let n = b.extent(a.name, 0);
        let one = b.constant(1);
        let last = b.prim(Prim::Sub, &[n, one]);
        let scaled = b.prim(Prim::Mul, &[n, i[0]]);
        let back = b.prim(Prim::Sub, &[last, i[0]]);
        let doubled = b.prim(Prim::Sub, &[back, i[0]]);
        let both = b.prim(Prim::Add, &[back, scaled]);
        vec![back, scaled, doubled, both]
    });
    let follows = map.coordinates.iter().flatten().map(|c| c.follows(0));
    assert_eq!(follows.collect::<Vec<_>>(), [true, false, false, false]);
    assert!(map.is_injective(1) && !map.is_injective(2) && !map.is_identity(1));
}

#[test]
fn arithmetic_that_cancels_is_seen_through() {
    let map = map_of(2, |b, ij| {
        let two = b.constant(2);
        let doubled = b.prim(Prim::Mul, &[two, ij[0]]);
        let again = b.prim(Prim::Sub, &[doubled, ij[0]]);
        let product = b.prim(Prim::Mul, &[ij[0], ij[1]]);
        let nothing = b.prim(Prim::Sub, &[ij[1], ij[1]]);
        let rem = b.prim(Prim::Rem, &[two, two]);
        vec![again, product, nothing, rem]
    });
    let all: Vec<_> = map.coordinates.iter().flatten().collect();
    let params: Vec<_> = all.iter().map(|c| c.as_param()).collect();
    let constants: Vec<_> = all.iter().map(|c| c.as_constant()).collect();
    assert_eq!(params, [Some(0), None, None, None]);
    assert_eq!(constants, [None, None, Some(0), Some(0)]);
}

#[test]
fn guarded_and_read_coordinates_are_unknown() {
    let a = Arr::new(ArrId(0), ArrayType::new(ScalarType::I32, 1));
    let map = map_of(1, |b, i| {
        let read = b.index(&a, i);
        let zero = b.constant(0);
        let positive = b.prim(Prim::Gt, &[i[0], zero]);
        let chosen = b.cond(positive, |_| vec![i[0]], |_| vec![zero]);
        vec![read, chosen[0]]
    });
    assert_eq!(map.coordinates, [None, None]);
}

#[test]
fn permutations_are_told_from_other_maps() {
    let permutation = |picked: &[usize]| {
        let map = map_of(2, |_, ij| picked.iter().map(|&p| ij[p]).collect());
        (map.as_permutation(2), map.is_identity(2))
    };
    assert_eq!(permutation(&[1, 0]), (Some(vec![1, 0]), false));
    assert_eq!(permutation(&[0, 1]), (Some(vec![0, 1]), true));
    assert_eq!(permutation(&[1, 1]), (None, false));
    assert_eq!(permutation(&[0]), (None, false));
    let constant = map_of(2, |b, ij| vec![ij[0], b.constant(0)]);
    assert_eq!(constant.as_permutation(2), None);
    assert_eq!(constant.coordinates[1], Some(Poly::constant(0)));
}

fn add() -> Fun<Labelled> {
    Fun::prim(Prim::Add, &[ScalarType::F64; 2])
}

#[test]
fn shapes_go_through_operations() {
    let (x, y) = (vector(0), vector(1));
    let mut b = AccBuilder::new(2);
    let neg = b.map(
        Fun::prim(Prim::Neg, &[ScalarType::F64]),
        std::slice::from_ref(&x),
    );
    let both = b.map(add(), &[x.clone(), y.clone()]);
    let other_way = b.map(add(), &[y.clone(), neg[0].clone()]);
    let init = Fun::constants(&[Const::F64(0.0)]);
    let prefix = b.scan(Direction::Left, add(), Some(init), std::slice::from_ref(&x));
    let total = b.fold(add(), None, std::slice::from_ref(&x));
    let zeros = b.fill_like(&neg[0], Const::F64(0.0));
    let body = b.finish(&both);
    let program = Program {
        params: vec![x.clone(), y.clone()],
        uses: vec![],
        alike: Default::default(),
        body,
    };
    let shapes = Shapes::of(&program);

    assert!(shapes.same(x.name, neg[0].name) && shapes.same(x.name, zeros.name));
    assert!(shapes.same(both[0].name, other_way[0].name));
    assert!(!shapes.same(x.name, y.name) && !shapes.same(x.name, both[0].name));
    assert_eq!(shapes.sizes(total[0].name).map(<[_]>::len), Some(0));
    let longer = shapes.sizes(prefix[0].name).unwrap()[0];
    assert!(matches!(shapes.node(longer), SizeNode::Prim(Prim::Add, _)));
    assert_eq!(shapes.emit_fun(&[longer]).captures, [x.name]);
}

/// How many elements there are nobody knows, but all columns have as many.
#[test]
fn columns_have_one_shape() {
    let n = Arr::new(ArrId(0), ArrayType::new(ScalarType::I32, 0));
    let mut b = AccBuilder::new(1);
    let mut of = FunBuilder::new();
    let many = of.index(&n, &[]);
    let shape = of.finish(vec![many]);
    let mut of = FunBuilder::new();
    let i = of.param(ScalarType::I32);
    let zero = of.constant(0.0);
    let columns = b.generate(shape.clone(), of.finish(vec![i, zero]));
    let others = b.generate(shape, Fun::identity(&[ScalarType::I32]));
    let program = Program {
        params: vec![n],
        uses: vec![],
        alike: Default::default(),
        body: b.finish(&[&columns[..], &others].concat()),
    };
    let shapes = Shapes::of(&program);
    assert!(shapes.same(columns[0].name, columns[1].name));
    assert!(!shapes.same(columns[0].name, others[0].name));
}

#[test]
fn shapes_do_not_leave_the_branch_that_they_come_from() {
    let x = vector(0);
    let mut b = AccBuilder::new(1);
    let negate = || Fun::prim(Prim::Neg, &[ScalarType::F64]);
    b.open();
    let inside = b.map(negate(), std::slice::from_ref(&x));
    let then_ = b.close(&inside);
    b.open();
    let else_ = b.close(std::slice::from_ref(&x));
    let cond = Fun::constants(&[Const::Bool(true)]);
    let same = b.push(
        crate::term::AccOp::Cond {
            cond: cond.clone(),
            then_,
            else_,
        },
        &[x.ty],
    );

    let mut shape = FunBuilder::new();
    let a = Arr::new(ArrId(0), ArrayType::new(ScalarType::I32, 1));
    let zero = shape.constant(0);
    let n = shape.index(&a, &[zero]);
    let shape = shape.finish(vec![n]);
    b.open();
    let inside = b.reshape(shape, &x);
    let then_ = b.close(std::slice::from_ref(&inside));
    b.open();
    let else_ = b.close(std::slice::from_ref(&inside));
    let opaque = b.push(crate::term::AccOp::Cond { cond, then_, else_ }, &[x.ty]);
    let body = b.finish(&same);
    let shapes = Shapes::of(&Program {
        params: vec![x.clone()],
        uses: vec![],
        alike: Default::default(),
        body,
    });

    assert!(shapes.same(x.name, same[0].name));
    let own = SizeNode::Extent {
        array: opaque[0].name,
        axis: 0,
    };
    assert_eq!(*shapes.node(shapes.sizes(opaque[0].name).unwrap()[0]), own);
}

#[test]
fn sizes_computed_by_floats_are_their_own() {
    let x = vector(0);
    let mut shape = FunBuilder::new();
    let n = shape.extent(x.name, 0);
    let float = shape.prim(Prim::Convert(ScalarType::F64), &[n]);
    let root = shape.prim(Prim::Sqrt, &[float]);
    let n = shape.prim(Prim::Convert(ScalarType::I32), &[root]);
    let shape = shape.finish(vec![n]);
    let mut f = FunBuilder::new();
    f.param(ScalarType::I32);
    let one = f.constant(1.0);
    let mut b = AccBuilder::new(1);
    let ones = b.generate(shape, f.finish(vec![one]));
    let body = b.finish(&ones);
    let shapes = Shapes::of(&Program {
        params: vec![x],
        uses: vec![],
        alike: Default::default(),
        body,
    });
    let own = SizeNode::Extent {
        array: ones[0].name,
        axis: 0,
    };
    assert_eq!(*shapes.node(shapes.sizes(ones[0].name).unwrap()[0]), own);
}

#[test]
fn tangents_have_the_shapes_of_values() {
    let (x, dx) = (vector(0), vector(1));
    let mut b = AccBuilder::new(2);
    let param = b.fresh(x.ty);
    let a = Arr::new(ArrId(0), ArrayType::new(ScalarType::I32, 1));
    let mut shape = FunBuilder::new();
    let zero = shape.constant(0);
    let n = shape.index(&a, &[zero]);
    let shape = shape.finish(vec![n]);
    b.open();
    let negated = b.map(
        Fun::prim(Prim::Neg, &[ScalarType::F64]),
        std::slice::from_ref(&param),
    );
    let unknown = b.reshape(shape, &param);
    let body = b.close(&[negated[0].clone(), unknown]);
    let op = crate::term::AccOp::Derivative {
        mode: crate::term::Mode::Jvp,
        params: vec![param],
        body,
        args: vec![x.name, dx.name],
    };
    let ys = b.push(op, &[x.ty; 4]);
    let body = b.finish(&ys);
    let shapes = Shapes::of(&Program {
        params: vec![x.clone(), dx.clone()],
        uses: vec![],
        alike: Default::default(),
        body,
    });
    assert!(shapes.same(x.name, ys[0].name) && shapes.same(x.name, ys[2].name));
    assert!(!shapes.same(dx.name, ys[2].name));
    let own = SizeNode::Extent {
        array: ys[1].name,
        axis: 0,
    };
    assert_eq!(*shapes.node(shapes.sizes(ys[1].name).unwrap()[0]), own);
    assert!(shapes.same(ys[1].name, ys[3].name));
}
