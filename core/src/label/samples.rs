//! Well-typed programs, one per corner of the language, for the tests of this crate.

use crate::build::{AccBuilder, Arr, FunBuilder};
use crate::constant::Const;
use crate::host::{Column, HostArray};
use crate::loc::Loc;
use crate::prim::Prim;
use crate::term::{
    AccClosure, AccOp, ArrId, Axis, Combine, Direction, ExpOp, Fun, Labelled, Mode, Program, Rules,
    UseId,
};
use crate::types::{ArrayType, ScalarType};

use ScalarType::{Bool, F64, I32};

fn vector() -> ArrayType {
    ArrayType::new(F64, 1)
}

fn matrix() -> ArrayType {
    ArrayType::new(F64, 2)
}

fn add() -> Fun<Labelled> {
    Fun::prim(Prim::Add, &[F64, F64])
}

/// The builder of a program's body, after its parameters.
fn with_params(types: &[ArrayType]) -> (AccBuilder, Vec<Arr>) {
    let mut b = AccBuilder::new(0);
    let params = types.iter().map(|&ty| b.fresh(ty)).collect();
    (b, params)
}

fn program(b: AccBuilder, params: Vec<Arr>, results: &[Arr]) -> Program<Labelled> {
    Program {
        params,
        uses: vec![],
        alike: Default::default(),
        body: b.finish(results),
    }
}

/// The sum of the products of two vectors.
pub fn dot() -> Program<Labelled> {
    let (mut b, params) = with_params(&[vector(), vector()]);
    b.set_loc(Loc::caller());
    let products = b.map(Fun::prim(Prim::Mul, &[F64, F64]), &params);
    let sum = b.fold(add(), Some(Fun::constants(&[Const::F64(0.0)])), &products);
    program(b, params, &sum)
}

/// A scalar function with nested conditionals of several results, and captures.
pub fn nested_conditionals() -> Program<Labelled> {
    let (mut b, params) = with_params(&[vector(), matrix()]);
    let f = conditional_fun(&params[0], &params[1]);
    let results = b.map(f, &params[..1]);
    program(b, params, &results)
}

fn conditional_fun(v: &Arr, m: &Arr) -> Fun<Labelled> {
    let mut b = FunBuilder::new();
    b.set_loc(Loc::caller());
    let x = b.param(F64);
    let zero = b.constant(0.0);
    let positive = b.prim(Prim::Gt, &[x, zero]);
    let y = b.cond(
        positive,
        |b| {
            let n = b.extent(m.name, 1);
            let one = b.small(I32, 1);
            let big = b.prim(Prim::Gt, &[n, one]);
            let inner = b.cond(
                big,
                |b| {
                    let i = b.small(I32, 0);
                    vec![b.index(m, &[i, one])]
                },
                |b| vec![b.prim(Prim::Neg, &[x])],
            );
            vec![inner[0], n]
        },
        |b| {
            let i = b.small(I32, 7);
            vec![b.index(v, &[i]), i]
        },
    );
    let converted = b.prim(Prim::Convert(F64), &[y[1]]);
    let sum = b.prim(Prim::Add, &[y[0], converted]);
    b.finish(vec![sum, y[1], positive])
}

/// A derivative inside a scalar function; its body reads what is around it.
pub fn scalar_gradient() -> Program<Labelled> {
    let (mut b, params) = with_params(&[vector()]);
    let mut f = FunBuilder::new();
    let i = f.param(I32);
    let x = f.index(&params[0], &[i]);
    let (u, n) = (f.fresh(F64), f.fresh(I32));
    let body = f.block(|f| {
        let product = f.prim(Prim::Mul, &[u.name, x]);
        vec![f.prim(Prim::Sin, &[product])]
    });
    let gradient = ExpOp::Derivative {
        mode: Mode::Gradient { with_value: true },
        params: vec![u, n],
        body,
        args: vec![x, i],
    };
    let results = f.push(gradient, &[F64, F64, I32]);
    let results = b.generate(Fun::shape_of(&params[0]), f.finish(results));
    program(b, params, &results)
}

/// A derivative of an array program that branches and reads a host array.
pub fn array_gradient() -> Program<Labelled> {
    let (mut b, params) = with_params(&[matrix()]);
    let weights = b.push(AccOp::Use(UseId(0)), &[vector()]);
    let (m, flag) = (b.fresh(matrix()), b.fresh(ArrayType::new(Bool, 0)));
    b.open();
    let rows = b.fold(add(), None, std::slice::from_ref(&m));
    let branch = array_conditional(&mut b, &flag, &rows[0], &weights[0]);
    let sum = b.fold(
        add(),
        Some(Fun::constants(&[Const::F64(-0.0)])),
        &branch[..1],
    );
    let body = b.close(&sum);
    let truth = b.generate(Fun::constants(&[]), Fun::constants(&[Const::Bool(true)]));
    let gradient = AccOp::Derivative {
        mode: Mode::Gradient { with_value: true },
        args: vec![params[0].name, truth[0].name],
        params: vec![m, flag],
        body,
    };
    let types = [
        ArrayType::new(F64, 0),
        matrix(),
        ArrayType::new(ScalarType::Bool, 0),
    ];
    let results = b.push(gradient, &types);
    let mut program = program(b, params, &results);
    let host = HostArray::new(vec![3], Column::from(vec![1.0, 2.0, 3.0]));
    program.uses = host.into_iter().collect();
    program
}

/// A derivative along a direction inside a scalar function; its body reads what is around it.
pub fn scalar_jvp() -> Program<Labelled> {
    let (mut b, params) = with_params(&[vector()]);
    let mut f = FunBuilder::new();
    let i = f.param(I32);
    let x = f.index(&params[0], &[i]);
    let (u, n) = (f.fresh(F64), f.fresh(I32));
    let body = f.block(|f| {
        let product = f.prim(Prim::Mul, &[u.name, x]);
        vec![f.prim(Prim::Sin, &[product]), n.name]
    });
    let jvp = ExpOp::Derivative {
        mode: Mode::Jvp,
        params: vec![u, n],
        body,
        args: vec![x, i, x, i],
    };
    let results = f.push(jvp, &[F64, I32, F64, I32]);
    let results = b.generate(Fun::shape_of(&params[0]), f.finish(results));
    program(b, params, &results)
}

/// A derivative of an array program along a direction.
pub fn array_jvp() -> Program<Labelled> {
    let (mut b, params) = with_params(&[matrix(), matrix()]);
    let m = b.fresh(matrix());
    b.open();
    let rows = b.fold(add(), None, std::slice::from_ref(&m));
    let body = b.close(&[rows[0].clone(), m.clone()]);
    let jvp = AccOp::Derivative {
        mode: Mode::Jvp,
        args: params.iter().map(|p| p.name).collect(),
        params: vec![m],
        body,
    };
    let results = b.push(jvp, &[vector(), matrix(), vector(), matrix()]);
    program(b, params, &results)
}

/// Arrays and a scalar with derivatives by decree, by rules that read what is around them.
pub fn rules() -> Program<Labelled> {
    let (mut b, params) = with_params(&[vector(), vector()]);
    let mut f = FunBuilder::new();
    let xs = f.params(&[F64, F64]);
    let product = f.prim(Prim::Mul, &xs);
    let args = vec![product, xs[0], xs[1]];
    let made = f.push(ExpOp::WithPartials(args), &[F64]);
    let y = b.map(f.finish(made), &params).remove(0);
    let mut rule = |from: &[Arr], of: usize| {
        b.open();
        let both = [from[of].clone(), params[1].clone()];
        let made = b.map(add(), &both);
        let body = b.close(&made);
        let params = from.to_vec();
        AccClosure { params, body }
    };
    let given: Vec<Arr> = (100..104).map(|n| Arr::new(ArrId(n), vector())).collect();
    let rules = Rules::Both {
        jvp: rule(&given[..2], 1),
        vjp: rule(&given[2..], 0),
    };
    let args = vec![y.name, params[0].name];
    let values = 1;
    let custom = AccOp::Custom {
        values,
        rules,
        args,
    };
    let results = b.push(custom, &[vector()]);
    program(b, params, &results)
}

fn array_conditional(b: &mut AccBuilder, flag: &Arr, rows: &Arr, weights: &Arr) -> Vec<Arr> {
    let mut cond = FunBuilder::new();
    let holds = cond.index(flag, &[]);
    let cond = cond.finish(vec![holds]);
    b.open();
    let weighted = b.map(
        Fun::prim(Prim::Mul, &[F64, F64]),
        &[rows.clone(), weights.clone()],
    );
    let then_ = b.close(&[weighted[0].clone(), rows.clone()]);
    b.open();
    let else_ = b.close(&[rows.clone(), weights.clone()]);
    b.push(AccOp::Cond { cond, then_, else_ }, &[vector(), vector()])
}

/// Every collective operation that the other samples leave out.
pub fn movements() -> Program<Labelled> {
    let (mut b, params) = with_params(&[matrix(), vector()]);
    let (m, v) = (&params[0], &params[1]);
    let zero = || Fun::constants(&[Const::F64(0.0)]);
    let one = || Fun::constants(&[Const::I32(1)]);
    let left = b.scan(
        Direction::Left,
        add(),
        Some(zero()),
        std::slice::from_ref(m),
    );
    let right = b.scan(Direction::Right, add(), None, &left);
    let flat = b.reshape(size_of(m), &right[0]);
    let tall = b.replicate(vec![Axis::Fixed, Axis::All], one(), &flat);
    let row = b.slice(vec![Axis::Fixed, Axis::All], one(), &tall);
    let transposed = b.backpermute(Fun::shape_of(m), swap(), m);
    let sums = b.permute(
        Combine::Add,
        std::slice::from_ref(v),
        first_coordinate(),
        std::slice::from_ref(m),
    );
    let pair = b.unpack(&[row, sums[0].clone()]);
    let zeros = b.fill_like(m, Const::I32(0));
    program(b, params.clone(), &[pair, transposed, zeros])
}

fn size_of(m: &Arr) -> Fun<Labelled> {
    let mut b = FunBuilder::new();
    let extents = b.shape(m);
    let size = b.prim(Prim::Mul, &extents);
    b.finish(vec![size])
}

fn swap() -> Fun<Labelled> {
    let mut b = FunBuilder::new();
    let ij = b.params(&[I32, I32]);
    b.finish(vec![ij[1], ij[0]])
}

fn first_coordinate() -> Fun<Labelled> {
    let mut b = FunBuilder::new();
    let ij = b.params(&[I32, I32]);
    let everywhere = b.constant(true);
    b.finish(vec![everywhere, ij[0]])
}

/// All samples.
pub fn all() -> Vec<Program<Labelled>> {
    vec![
        dot(),
        nested_conditionals(),
        scalar_gradient(),
        array_gradient(),
        scalar_jvp(),
        array_jvp(),
        rules(),
        movements(),
    ]
}

/// A conditional inside a conditional, `depth` times.
pub fn deep(depth: usize) -> Program<Labelled> {
    let (mut b, params) = with_params(&[vector()]);
    let mut f = FunBuilder::new();
    let x = f.param(F64);
    let positive = f.prim(Prim::Gt, &[x, x]);
    for _ in 0..depth {
        f.open();
    }
    let mut y = f.prim(Prim::Neg, &[x]);
    for _ in 0..depth {
        let then_ = f.close(vec![y]);
        let else_ = f.block(|_| vec![x]);
        let cond = positive;
        y = f.push(ExpOp::Cond { cond, then_, else_ }, &[F64])[0];
    }
    let results = b.map(f.finish(vec![y]), &params);
    program(b, params, &results)
}

/// A label that no sample binds.
pub const NOWHERE: ArrId = ArrId(1_000);
