//! Sums of sums of products.

use super::*;

/// The rows and columns of results.
const N: i32 = 3;

/// Reads elements of four matrices, and combines them to what is added up.
type Element = fn(&mut FunBuilder, [ExpId; 4]) -> Vec<ExpId>;

/// Sums over so many k of what `element` makes of a\[i, k], b\[k, j], c\[i, k] and d\[k, j].
fn summed(ty: ScalarType, inner: i32, element: Element) -> Subject {
    let value = |x: f64| Const::float(ty, x);
    let input = |(rows, columns, step): (i32, i32, usize)| {
        let values = (0..(rows * columns) as usize).map(|i| value((i * step % 7) as f64 - 3.0));
        let column = Column::from_consts(ty, values).unwrap();
        HostArray::new(vec![rows as usize, columns as usize], column).unwrap()
    };
    let shapes = [(N, inner, 3), (inner, N, 5), (N, inner, 2), (inner, N, 4)];
    subject(&shapes.map(input), |b, xs| {
        let mut f = FunBuilder::new();
        let [i, j, k] = [f.param(I32), f.param(I32), f.param(I32)];
        let at = [[i, k], [k, j], [i, k], [k, j]];
        let elements: [ExpId; 4] = std::array::from_fn(|n| f.index(&xs[n], &at[n]));
        let values = element(&mut f, elements);
        let count = values.len();
        let columns = b.generate(extents(&[N, N, inner]), f.finish(values));
        let mut operator = FunBuilder::new();
        let params = operator.params(&vec![ty; 2 * count]);
        let sums = (0..count)
            .map(|c| operator.prim(Prim::Add, &[params[c], params[count + c]]))
            .collect();
        let init = Fun::constants(&vec![value(0.0); count]);
        b.fold(operator.finish(sums), Some(init), &columns)
    })
}

fn times(b: &mut FunBuilder, x: ExpId, y: ExpId) -> ExpId {
    b.prim(Prim::Mul, &[x, y])
}

/// How many kernels are contractions, reductions and maps.
fn kinds(s: &Subject) -> [usize; 3] {
    let kernels = s.kernels();
    let count = |is: fn(&KernelKind) -> bool| kernels.iter().filter(|k| is(&k.kind)).count();
    [
        count(|kind| matches!(kind, KernelKind::Contract { .. })),
        count(|kind| matches!(kind, KernelKind::Reduce { .. })),
        count(|kind| matches!(kind, KernelKind::Map { .. })),
    ]
}

fn two(op: Prim) -> impl Fn(&mut FunBuilder, [ExpId; 4]) -> Vec<ExpId> {
    move |f, [a, b, c, d]| {
        let products = [times(f, a, b), times(f, c, d)];
        vec![f.prim(op, &products)]
    }
}

#[test]
fn sums_and_differences_of_products_are_taken_apart() {
    let s = summed(F64, 20, |f, of| two(Prim::Add)(f, of));
    assert_eq!(kinds(&s), [2, 0, 1]);
    let s = summed(F64, 20, |f, of| two(Prim::Sub)(f, of));
    assert_eq!(kinds(&s), [2, 0, 1]);
    let s = summed(ScalarType::F32, 20, |f, of| two(Prim::Sub)(f, of));
    assert_eq!(kinds(&s), [2, 0, 1]);
}

#[test]
fn signs_of_nested_differences() {
    // −a·b − (c·b − a·d): the first term has to be negated.
    let s = summed(F64, 20, |f, [a, b, c, d]| {
        let (first, second, third) = (times(f, a, b), times(f, c, b), times(f, a, d));
        let first = f.prim(Prim::Neg, &[first]);
        let inner = f.prim(Prim::Sub, &[second, third]);
        vec![f.prim(Prim::Sub, &[first, inner])]
    });
    assert_eq!(kinds(&s), [3, 0, 1]);
}

#[test]
fn products_of_complex_matrices() {
    let s = summed(F64, 20, |f, [a, b, c, d]| {
        let (ab, cd) = (times(f, a, b), times(f, c, d));
        let (ad, cb) = (times(f, a, d), times(f, c, b));
        vec![f.prim(Prim::Sub, &[ab, cd]), f.prim(Prim::Add, &[ad, cb])]
    });
    assert_eq!(kinds(&s), [4, 0, 2]);
    // Results that are a product each need no sum.
    let s = summed(F64, 20, |f, [a, b, c, d]| {
        vec![times(f, a, b), times(f, c, d)]
    });
    assert_eq!(kinds(&s), [2, 0, 0]);
}

#[test]
fn what_would_not_gain_stays_whole() {
    // Short sums; halves, of which the parts may overflow; and sums of which a term is no contraction.
    let s = summed(F64, 8, |f, of| two(Prim::Add)(f, of));
    assert_eq!(kinds(&s), [0, 1, 0]);
    let s = summed(ScalarType::F16, 20, |f, of| two(Prim::Add)(f, of));
    assert_eq!(kinds(&s), [0, 1, 0]);
    let s = summed(F64, 20, |f, [a, b, c, _]| {
        let product = times(f, a, b);
        vec![f.prim(Prim::Add, &[product, c])]
    });
    assert_eq!(kinds(&s), [0, 1, 0]);
}
