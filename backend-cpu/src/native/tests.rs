//! Machine code against bytecode and the reference: every number of lanes, and more values than there are registers. That
//! of each primitive is tested with the engine's (`tests/prims.rs`).

use crate::code::{Instr, Level, Nest, Wanted, compile};
use crate::isa::{Isa, Target};
use crate::native::Native;
use crate::tests::maker::{Code, Maker};
use cotangent_core::prim::Prim::{self, Add, And, Convert, Gt, Lt, Mul, Not, Or, Select, Sub};
use cotangent_core::schedule::ValueId;
use cotangent_core::types::ScalarType::{self, Bool, F32, F64, I32};

fn numbers(n: usize, salt: usize) -> Vec<f64> {
    (0..n)
        .map(|i| ((i * 7 + salt * 3) % 23) as f64 - 11.0)
        .collect()
}

/// Loads of so many inputs at the point.
fn loads(maker: &mut Maker, code: &mut Code, count: usize, n: usize) -> Vec<ValueId> {
    let i = code.coord(0);
    let inputs: Vec<_> = (0..count)
        .map(|k| maker.input(&[n], numbers(n, k)))
        .collect();
    inputs
        .iter()
        .map(|&input| code.load(input, F64, &[i]))
        .collect()
}

/// Runs a map of one input of `n` numbers more than it has loads, which gives the values of `body`.
fn map(n: usize, count: usize, body: impl Fn(&mut Code, &[ValueId]) -> Vec<ValueId>) {
    let mut maker = Maker::new();
    let mut code = Code::default();
    let loads = loads(&mut maker, &mut code, count, n);
    let space = maker.schedule.arrays[0].extents.clone();
    let values = body(&mut code, &loads);
    maker.map(&space, code.0, &values);
    maker.run().unwrap();
}

#[test]
fn every_number_of_lanes_is_computed() {
    for n in (0..=40).chain([63, 64, 65, 1023, 1024, 1025, 3000]) {
        map(n, 2, |code, x| {
            let narrow = [x[0], x[1]].map(|x| code.prim(Convert(F32), &[x]));
            let sum = code.prim(Add, &narrow);
            let small = code.prim(Mul, &[sum, narrow[1]]);
            let less = code.prim(Lt, &[x[0], x[1]]);
            let more = code.prim(Gt, &[sum, narrow[0]]);
            let one = code.prim(Or, &[less, more]);
            let count = code.prim(Convert(I32), &[one]);
            let chosen = code.prim(Select, &[one, x[0], x[1]]);
            vec![small, one, count, chosen]
        });
    }
}

#[test]
fn narrow_numbers_fill_whole_vectors() {
    for n in [1, 7, 15, 16, 17, 33, 500] {
        let mut maker = Maker::new();
        let mut code = Code::default();
        let i = code.coord(0);
        let x: Vec<f32> = numbers(n, 1).iter().map(|&x| x as f32).collect();
        let x = maker.input(&[n], x);
        let x = code.load(x, F32, &[i]);
        let half = code.constant(0.5_f32);
        let product = code.prim(Mul, &[x, half]);
        let less = code.prim(Lt, &[product, x]);
        let sum = code.prim(Add, &[product, x]);
        let chosen = code.prim(Select, &[less, sum, product]);
        let not = code.prim(Not, &[less]);
        let space = maker.schedule.arrays[0].extents.clone();
        maker.map(&space, code.0, &[chosen, not]);
        maker.run().unwrap();
    }
}

#[test]
fn more_values_than_registers_go_to_the_stack() {
    for count in [5, 31, 33, 60, 120] {
        map(77, count, |code, x| {
            // All products are there before the first of them is needed for the last time.
            let next = |k: usize| x[(k + 1) % x.len()];
            let products: Vec<_> = (x.iter().enumerate())
                .map(|(k, &x)| code.prim(Mul, &[x, next(k)]))
                .collect();
            let up = products
                .iter()
                .copied()
                .reduce(|a, b| code.prim(Add, &[a, b]))
                .unwrap();
            let down = products
                .iter()
                .rev()
                .copied()
                .reduce(|a, b| code.prim(Sub, &[a, b]));
            vec![up, down.unwrap()]
        });
    }
}

#[test]
fn more_truth_values_than_masks_go_to_the_stack() {
    map(77, 20, |code, x| {
        let last = x[x.len() - 1];
        let tests: Vec<_> = x.iter().map(|&x| code.prim(Lt, &[x, last])).collect();
        let any = tests
            .iter()
            .copied()
            .reduce(|a, b| code.prim(Or, &[a, b]))
            .unwrap();
        let all = tests
            .iter()
            .rev()
            .copied()
            .reduce(|a, b| code.prim(And, &[a, b]));
        vec![any, all.unwrap()]
    });
}

#[test]
fn neighbours_beyond_an_end_are_those_at_the_end() {
    for n in [1, 2, 15, 63, 64, 65, 80, 127, 200, 1023, 1024, 1040, 3000] {
        let mut maker = Maker::new();
        let mut code = Code::default();
        let i = code.coord(0);
        let wide = maker.input(&[n], numbers(n, 1));
        let narrow: Vec<f32> = numbers(n, 2).iter().map(|&x| x as f32).collect();
        let narrow = maker.input(&[n], narrow);
        let mut neighbour = |distance: i32, input, ty| {
            let distance = code.constant(distance);
            let there = code.prim(Add, &[i, distance]);
            let (first, last) = (code.constant(0), code.constant(n as i32 - 1));
            let there = code.prim(Prim::Max, &[there, first]);
            let there = code.prim(Prim::Min, &[there, last]);
            code.load(input, ty, &[there])
        };
        let wide = [-40, -1, 0, 1, 17].map(|distance| neighbour(distance, wide, F64));
        let narrow = [-2, 1].map(|distance| neighbour(distance, narrow, F32));
        let difference = code.prim(Sub, &narrow);
        let difference = code.prim(Mul, &[difference, narrow[0]]);
        let mut sum = code.prim(Convert(F64), &[difference]);
        for x in wide {
            let product = code.prim(Mul, &[x, sum]);
            sum = code.prim(Add, &[product, x]);
        }
        // What is read by others, too, cannot stay where it is.
        let root = code.prim(Prim::Exp, &[wide[1]]);
        let space = maker.schedule.arrays[0].extents.clone();
        maker.map(&space, code.0, &[sum, difference, root]);
        maker.run().unwrap();
    }
}

/// The functions that a map of neighbours calls for a block.
fn calls(prims: &[Prim], ty: ScalarType) -> usize {
    let mut code = Code::default();
    let i = code.coord(0);
    let mut maker = Maker::new();
    let x = maker.input(&[8], numbers(8, 0));
    let x = code.load(x, ty, &[i]);
    let value = prims.iter().fold(x, |value, &prim| match prim.arity() {
        1 => code.prim(prim, &[value]),
        _more => code.prim(prim, &[value, x]),
    });
    let nest = Nest {
        coords: 1,
        lane: 0..1,
        ..Nest::default()
    };
    let target = Target {
        isa: Isa::detect(),
        native: Native::AtOnce,
    };
    let code = compile(target, &code.0, &nest, &Wanted::Columns(vec![value])).unwrap();
    let (plan, functions) = code.running(1);
    let is_native = target.isa == Isa::Avx512 && cfg!(feature = "native");
    assert_eq!(functions.is_some(), is_native);
    let block = plan.segments[Level::Block as usize].iter();
    block
        .filter(|instr| matches!(instr, Instr::Native(_)))
        .count()
}

#[test]
fn neighbours_are_one_function_and_transcendental_functions_part_them() {
    let most = usize::from(Isa::detect() == Isa::Avx512 && cfg!(feature = "native"));
    assert_eq!(calls(&[Add, Mul, Sub, Add], F64), most);
    assert_eq!(calls(&[Add, Mul, Prim::Exp, Add, Mul], F64), 2 * most);
    assert_eq!(Bool.bytes(), 1);
}

#[test]
fn the_environment_and_the_builder_say_whether_there_is_machine_code() {
    assert_eq!(Native::from(false), Native::Off);
    assert_eq!(Native::from(true), Native::WhenItPays);
    let cpu = crate::Cpu::builder()
        .native(Native::AtOnce)
        .build()
        .unwrap();
    assert_eq!(cpu.target.native, Native::AtOnce);
}
