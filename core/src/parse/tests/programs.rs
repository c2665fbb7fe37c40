//! `parse(print(p)) == p` for samples and generated programs, in both forms.

use super::{both_come_back, comes_back, random};
use crate::build::{AccBuilder, FunBuilder};
use crate::constant::Const;
use crate::label::{label, samples};
use crate::parse::forms::Forms;
use crate::prim;
use crate::print::Printer;
use crate::recover;
use crate::rounding::f16;
use crate::simplify;
use crate::term::{
    AccOp, Combine, DeBruijn, ExpOp, Fun, Labelled, Mode, Move, Outside, ParamAxis, Program,
};
use crate::types::{ArrayType, ScalarType};
use std::collections::BTreeSet;

/// A map of one function over arrays of its parameters' types.
fn map_of(f: Fun<Labelled>) -> Program<Labelled> {
    let mut b = AccBuilder::new(0);
    let types = f.param_types().into_iter();
    let params: Vec<_> = types.map(|ty| b.fresh(ArrayType::new(ty, 1))).collect();
    let results = b.map(f, &params);
    Program {
        params,
        uses: vec![],
        alike: Default::default(),
        body: b.finish(&results),
    }
}

#[test]
fn samples_come_back() {
    samples::all().iter().for_each(both_come_back);
}

#[test]
fn locations_in_comments_are_not_read() {
    for program in samples::all() {
        let text = Printer { locations: true }.program(&program);
        assert!(super::read(&text, &program).is_ok(), "{text}");
    }
}

#[test]
fn generated_array_programs_come_back() {
    let mut met = BTreeSet::new();
    for seed in 1..=400 {
        let program = random::program(seed);
        both_come_back(&program);
        met.extend(program.body.all_lets().map(|l| l.op.name()));
    }
    let all: BTreeSet<_> = Forms::<Labelled>::new().acc.into_keys().collect();
    assert_eq!(met, all, "each operation is met");
}

#[test]
fn recovered_programs_come_back() {
    let mut met = BTreeSet::new();
    for seed in 1..=400 {
        let program = recover::tests::random::program(seed);
        comes_back(&program);
        comes_back(&label(&program));
        let fun = program.body.lets.first().map(|l| l.op.funs()[0].clone());
        let lets = fun.iter().flat_map(|f| f.body.all_lets());
        met.extend(lets.map(|l| l.op.name()));
    }
    for name in ["cond", "gradient_e", "loop", "index"] {
        assert!(met.contains(name), "{name}");
    }
}

#[test]
fn random_functions_come_back() {
    for seed in 0..100 {
        both_come_back(&map_of(simplify::tests::random::random_function(seed)));
    }
}

/// An operand of each type for each primitive, well-typed where there is a way.
#[test]
fn every_primitive_comes_back() {
    for op in prim::ALL {
        let types = ScalarType::ALL.into_iter().map(|ty| vec![ty; op.arity()]);
        let mixed = [vec![ScalarType::Bool, ScalarType::F64, ScalarType::F64]];
        let fits = types.chain(mixed).find(|t| op.result_type(t).is_some());
        both_come_back(&map_of(Fun::prim(op, &fits.unwrap())));
        assert_eq!(prim::Prim::named(&op.name()), Some(op));
    }
}

#[test]
fn no_name_means_two_operations() {
    let forms = Forms::<DeBruijn>::new();
    // Seven constructs beside the primitives; twenty-three forms of operations on arrays beside the moves.
    assert_eq!(
        (forms.exp.len(), forms.acc.len()),
        (prim::ALL.len() + 7, Move::forms((), ()).len() + 23)
    );
    for name in forms.exp.keys() {
        assert!(name.parse::<Const>().is_err(), "{name}");
    }
    for (name, form) in &forms.acc {
        assert_eq!(*name, form.name());
    }
}

#[test]
fn constants_of_every_kind_come_back() {
    let mut b = FunBuilder::new();
    let halves = [0x7e00, 0xfc01, 0x7c00, 0xfc00, 0x8000, 0x0001, 0x7bff];
    let mut values: Vec<Const> = halves.map(|h| f16::from_bits(h).into()).into();
    for x in [
        0.0,
        -0.0,
        0.1,
        1e300,
        5e-324,
        f64::INFINITY,
        f64::NEG_INFINITY,
    ] {
        values.extend([Const::F64(x), Const::F32(x as f32)]);
    }
    values.push(Const::F64(f64::from_bits(0xfff0_0000_0000_0f32)));
    values.push(Const::F32(f32::from_bits(0x7f80_0f16)));
    values.extend([
        Const::I32(i32::MIN),
        Const::I64(i64::MIN),
        Const::U32(u32::MAX),
    ]);
    values.extend([true, false].map(Const::Bool));
    b.param(ScalarType::I32);
    let results = values.iter().map(|&value| b.constant(value)).collect();
    both_come_back(&map_of(b.finish(results)));
}

/// AD's scatters say so, on adding and on overwriting.
#[test]
fn what_scatters_say_comes_back() {
    for combine in [Combine::Add, Combine::Overwrite] {
        for outside in [Outside::Fails, Outside::MayDrop] {
            let mut program = samples::movements();
            for let_ in &mut program.body.lets {
                if let AccOp::Permute {
                    combine: c,
                    outside: o,
                    ..
                } = &mut let_.op
                {
                    (*c, *o) = (combine, outside);
                }
            }
            both_come_back(&program);
        }
    }
}

#[test]
fn inputs_of_one_shape_come_back() {
    let mut program = samples::dot();
    program.alike.params.extend([(1, 0)]);
    both_come_back(&program);

    let side = |param, axis| ParamAxis { param, axis };
    program.alike.params.clear();
    program.alike.extents.extend([(side(1, 0), side(0, 0))]);
    both_come_back(&program);
    assert!(program.to_string().contains("alike extents #0 0, #1 0\n"));

    let mut program = samples::array_gradient();
    let host = program.uses[0].clone();
    program.uses.extend([host.clone(), host.clone(), host]);
    program.alike.uses.extend([(2, 0), (3, 1)]);
    both_come_back(&program);
}

#[test]
fn labels_of_any_number_come_back() {
    let mut program = samples::dot();
    program.params[0].name.0 = u32::MAX;
    let AccOp::Map { args, .. } = &mut program.body.lets[0].op else {
        panic!("a map")
    };
    args[0].0 = u32::MAX;
    both_come_back(&program);
}

/// Lets and closures that bind nothing, a `map` that makes nothing, and a gradient by nothing.
#[test]
fn what_binds_nothing_comes_back() {
    let mut b = FunBuilder::new();
    let x = b.param(ScalarType::F64);
    let holds = b.constant(true);
    let nothing = |b: &mut FunBuilder| b.block(|_| vec![]);
    let (then_, else_) = (nothing(&mut b), nothing(&mut b));
    b.push(
        ExpOp::Cond {
            cond: holds,
            then_,
            else_,
        },
        &[],
    );
    let body = b.block(|_| vec![x]);
    let gradient = ExpOp::Derivative {
        mode: Mode::Gradient { with_value: false },
        params: vec![],
        body,
        args: vec![],
    };
    b.push(gradient, &[]);
    both_come_back(&map_of(b.finish(vec![])));
}
