//! Folds whose operators are products: what each component gives, it gives alone, bit for bit.

use super::bits;
use super::maker::{Code, Maker, composition, last, operator};
use cotangent_core::constant::Const;
use cotangent_core::host::HostArray;
use cotangent_core::prim::Prim;
use cotangent_core::schedule::{KernelKind, Operator};
use cotangent_core::types::ScalarType::{self, F16, F32, F64, I32};

/// Values that sums round differently in every order.
fn rough(n: usize) -> Vec<f64> {
    let value = |i: usize| ((i * 7919) % 1009) as f64 * 0.002_3 - 1.0;
    (0..n).map(value).collect()
}

/// Folds the rows (or columns) of a matrix by all operators, in one kernel or in one for each.
fn folded(
    [m, n]: [usize; 2],
    columns: bool,
    operators: &[(Operator, Vec<Const>)],
    (together, init): (bool, bool),
) -> Vec<HostArray> {
    let mut maker = Maker::new();
    let a = maker.input(&[m, n], rough(m * n));
    let [h, w] = maker.extents(a)[..] else {
        panic!("a matrix")
    };
    let (space, inner) = if columns { (w, h) } else { (h, w) };
    let groups: Vec<_> = match together {
        true => vec![operators.to_vec()],
        false => operators.iter().map(|one| vec![one.clone()]).collect(),
    };
    for group in groups {
        let mut code = Code::default();
        let (i, j) = (code.coord(0), code.coord(1));
        let index = if columns { [j, i] } else { [i, j] };
        let x = code.load(a, F64, &index);
        let whole = code.prim(Prim::Convert(I32), &[x]);
        let of_type = |ty: ScalarType| if ty == F64 { x } else { whole };
        let types = group
            .iter()
            .flat_map(|(o, _)| o.results.iter().map(|&v| o.body.type_of(v)));
        let values: Vec<_> = types.map(of_type).collect();
        let starts = group.iter().flat_map(|(_, init)| init).copied();
        let starts: Vec<_> = starts.map(|c| maker.known(c)).collect();
        let operators = group.into_iter().map(|(operator, _)| operator);
        let operator = operators.reduce(|x, y| Operator::product(&x, &y)).unwrap();
        let kind = KernelKind::Reduce {
            inner: vec![inner],
            outputs: maker.outputs(&[space], &code.0, &values),
            body: code.0,
            operator,
            init: init.then_some(starts),
        };
        maker.kernel(&[space], kind);
    }
    maker.run().unwrap()
}

fn agree(operators: &[(Operator, Vec<Const>)]) {
    let shapes = [
        [1, 1],
        [1, 70_001],
        [3, 5000],
        [2, 17],
        [300, 7],
        [300, 40],
        [40, 300],
        [5000, 3],
    ];
    for shape in shapes {
        for columns in [false, true] {
            for init in [false, true] {
                let folded = |together| bits(&folded(shape, columns, operators, (together, init)));
                assert_eq!(folded(true), folded(false), "{shape:?} {columns} {init}");
            }
        }
    }
}

fn primitive(prim: Prim, init: impl Into<Const>) -> (Operator, Vec<Const>) {
    let init = init.into();
    (operator(prim, init.scalar_type()), vec![init])
}

#[test]
fn primitives_together() {
    agree(&[
        primitive(Prim::Add, 0.5),
        primitive(Prim::Max, 0.25),
        primitive(Prim::Min, -3),
        primitive(Prim::Mul, 1.5),
    ]);
}

#[test]
fn primitives_beside_others() {
    agree(&[
        primitive(Prim::Add, 0.5),
        (composition(), vec![Const::I32(3), Const::I32(-4)]),
        primitive(Prim::Add, 7),
        (last(F64), vec![Const::F64(0.125)]),
    ]);
}

/// Adds up x·y, y, x·x, x·(x + y) and y·y along the rows of two matrices, in one kernel or in one for each.
fn added(ty: ScalarType, [m, n]: [usize; 2], together: bool) -> Vec<HostArray> {
    let mut maker = Maker::new();
    let [a, b] = [0.5, -0.75].map(|shift| {
        let elements: Vec<f64> = rough(m * n).iter().map(|x| x * 1.5 + shift).collect();
        maker.input(&[m, n], elements)
    });
    let [h, w] = maker.extents(a)[..] else {
        panic!("a matrix")
    };
    let groups = match together {
        true => vec![vec![0, 1, 2, 3, 4]],
        false => (0..5).map(|i| vec![i]).collect(),
    };
    for group in groups {
        let mut code = Code::default();
        let index = [code.coord(0), code.coord(1)];
        let [x, y] = [a, b].map(|array| {
            let element = code.load(array, F64, &index);
            code.prim(Prim::Convert(ty), &[element])
        });
        let sum = code.prim(Prim::Add, &[x, y]);
        let all = [
            code.prim(Prim::Mul, &[x, y]),
            y,
            code.prim(Prim::Mul, &[x, x]),
            code.prim(Prim::Mul, &[x, sum]),
            // Four products of three values that are computed.
            code.prim(Prim::Mul, &[y, y]),
        ];
        let values: Vec<_> = group.iter().map(|&i: &usize| all[i]).collect();
        let operators = values.iter().map(|_| operator(Prim::Add, ty));
        let kind = KernelKind::Reduce {
            inner: vec![w],
            operator: operators.reduce(|x, y| Operator::product(&x, &y)).unwrap(),
            outputs: maker.outputs(&[h], &code.0, &values),
            body: code.0,
            init: None,
        };
        maker.kernel(&[h], kind);
    }
    maker.run().unwrap()
}

#[test]
fn sums_of_products_together() {
    for ty in [F64, F32, F16, I32] {
        for shape in [[1, 1], [1, 70_001], [3, 5000], [2, 17], [300, 40]] {
            let [one, many] = [true, false].map(|together| bits(&added(ty, shape, together)));
            assert_eq!(one, many, "{ty} {shape:?}");
        }
    }
}
