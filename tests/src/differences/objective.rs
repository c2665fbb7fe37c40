//! A generated program as a function to one number.

use super::double::in_double;
use super::floats;
use crate::generate::{Case, Random};
use cotangent_core::build::{AccBuilder, Arr, FunBuilder};
use cotangent_core::constant::Const;
use cotangent_core::host::HostArray;
use cotangent_core::interp;
use cotangent_core::prim::Prim;
use cotangent_core::term::{AccBlock, AccLet, AccOp, Alike, Fun, Labelled, Mode, Program, UseId};
use cotangent_core::types::ArrayType;
use cotangent_core::types::ScalarType::F64;
use std::collections::BTreeMap;

/// Results beyond this do not count: differences of what is computed with them would be noise.
const LARGE: f64 = 1e6;

/// A function from arrays to one number, a point, and a direction from there.
pub(super) struct Objective {
    pub(super) value: Program<Labelled>,
    pub(super) inputs: Vec<HostArray>,
    /// Per input, zeros where that is no float.
    pub(super) direction: Vec<HostArray>,
}

/// The sum of all float results of the case, with random weights.
pub(super) fn objective(case: &Case, seed: u64) -> Option<Objective> {
    let mut random = Random::from_seed(seed);
    let Case {
        mut program,
        inputs,
    } = in_double(case);
    let results = interp::run(&program, &inputs).ok()?;
    let mut b = continued(&program);
    let mut sum: Option<Arr> = None;
    for (&name, result) in program.body.results.iter().zip(&results) {
        let (ty, values) = (result.array_type(), floats(std::slice::from_ref(result)));
        if ty.elem == F64 && values.iter().all(|x| x.abs() <= LARGE) {
            program.uses.push(filled(result, || random.unit()));
            let weights = AccOp::Use(UseId(program.uses.len() as u32 - 1));
            let weights = b.push(weights, &[ty]).remove(0);
            let weighted = product_sum(&mut b, Arr::new(name, ty), weights);
            sum = Some(match sum {
                Some(sum) => binary(&mut b, Prim::Add, &[sum, weighted]),
                None => weighted,
            });
        }
    }
    let AccBlock { lets, results } = b.finish(&[sum?]);
    program.body.lets.extend(lets);
    program.body.results = results;
    let direction = inputs.iter().map(|x| filled(x, || random.unit())).collect();
    Some(Objective {
        value: program,
        inputs,
        direction,
    })
}

/// A builder of code that goes on after the program.
fn continued(program: &Program<Labelled>) -> AccBuilder {
    let bound = program.params.iter().chain(program.body.bindings());
    let free = bound.map(|b| b.name.0 + 1).max().unwrap_or(0);
    AccBuilder::new(free)
}

/// An array of that shape with other floats; zeros where it has none.
fn filled(like: &HostArray, mut element: impl FnMut() -> f64) -> HostArray {
    let len = like.column().len();
    let column = match like.array_type().elem {
        F64 => Some((0..len).map(|_| element()).collect::<Vec<_>>().into()),
        ty => cotangent_core::host::Column::from_consts(ty, vec![Const::zero(ty); len]),
    };
    column
        .and_then(|column| HostArray::new(like.shape().to_vec(), column).ok())
        .unwrap_or_else(|| like.clone())
}

fn binary(b: &mut AccBuilder, prim: Prim, operands: &[Arr]) -> Arr {
    b.map(Fun::prim(prim, &[F64; 2]), operands).remove(0)
}

fn product_sum(b: &mut AccBuilder, x: Arr, y: Arr) -> Arr {
    let mut sum = binary(b, Prim::Mul, &[x, y]);
    while sum.ty.rank > 0 {
        let zero = Fun::constants(&[Const::zero(F64)]);
        sum = b
            .fold(Fun::prim(Prim::Add, &[F64; 2]), Some(zero), &[sum])
            .remove(0);
    }
    sum
}

impl Objective {
    /// The value and the gradient by all inputs.
    pub(super) fn gradient(&self) -> Case {
        let mut b = continued(&self.value);
        let Program {
            params,
            uses,
            alike,
            body,
        } = self.value.clone();
        let args: Vec<Arr> = params.iter().map(|p| b.fresh(p.ty)).collect();
        let types: Vec<_> = std::iter::once(ArrayType::new(F64, 0))
            .chain(params.iter().map(|p| p.ty))
            .collect();
        let op = AccOp::Derivative {
            mode: Mode::Gradient { with_value: true },
            params,
            body,
            args: args.iter().map(|a| a.name).collect(),
        };
        let results = b.push(op, &types);
        let program = Program {
            params: args,
            uses,
            alike,
            body: b.finish(&results),
        };
        Case {
            program,
            inputs: self.inputs.clone(),
        }
    }

    /// The function of how far to go in the direction, its first parameter, and the inputs for going nowhere.
    pub(super) fn along_direction(&self) -> (Program<Labelled>, Vec<HostArray>) {
        let mut b = continued(&self.value);
        let Program {
            mut params,
            mut uses,
            alike,
            body,
        } = self.value.clone();
        let distance = b.fresh(ArrayType::new(F64, 0));
        for (param, along) in params
            .iter_mut()
            .zip(&self.direction)
            .filter(|(p, _)| p.ty.elem == F64)
        {
            uses.push(along.clone());
            let id = UseId(uses.len() as u32 - 1);
            let along = b.push(AccOp::Use(id), &[param.ty]).remove(0);
            let origin = b.fresh(param.ty);
            b.push_let(AccLet {
                op: AccOp::Map {
                    f: moved(&distance),
                    args: vec![origin.name, along.name],
                },
                binds: vec![std::mem::replace(param, origin)],
                loc: cotangent_core::loc::Loc::UNKNOWN,
            });
        }
        params.insert(0, distance);
        // The parameters are counted from another one now.
        let alike = Alike {
            params: BTreeMap::new(),
            ..alike
        };
        let AccBlock { mut lets, .. } = b.finish(&[]);
        lets.extend(body.lets);
        let body = AccBlock {
            lets,
            results: body.results,
        };
        let nowhere = HostArray::new(vec![], vec![0.0].into()).ok();
        let inputs = nowhere
            .into_iter()
            .chain(self.inputs.iter().cloned())
            .collect();
        let program = Program {
            params,
            uses,
            alike,
            body,
        };
        (program, inputs)
    }
}

/// `x + distance · along`.
fn moved(distance: &Arr) -> Fun<Labelled> {
    let mut f = FunBuilder::new();
    let [x, along] = [f.param(F64), f.param(F64)];
    let distance = f.index(distance, &[]);
    let step = f.prim(Prim::Mul, &[distance, along]);
    let there = f.prim(Prim::Add, &[x, step]);
    f.finish(vec![there])
}
