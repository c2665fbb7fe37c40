//! Columns of a loop's state that are written row by row, as the outputs of `ascan` are.
//!
//! If no two trips write to one place, and nobody reads the column before the loop has ended, an element that a trip writes has the
//! adjoint of the last state's element there. So the dual needs no adjoint of the column that changes from trip to trip.

use super::Counted;
use crate::acc::permute::is_injective;
use crate::acc::reverse::Reverse;
use cotangent_core::prim::Prim;
use cotangent_core::term::{
    AccClosure, AccOp, ArrId, Combine, ExpId, ExpLet, ExpOp, Fun, Labelled,
};
use std::collections::HashMap;

impl Reverse<'_> {
    /// Whether a column is written row by row, into what does not depend on what is differentiated by.
    pub(super) fn is_written_apart(
        &self,
        (step, args): (&AccClosure<Labelled>, &[ArrId]),
        column: usize,
    ) -> bool {
        let (state, result) = (step.params[column + 1].name, step.body.results[column]);
        let used = |name: ArrId| step.body.reads().filter(|&read| read == name).count();
        let writes = step.body.lets.iter().any(|let_| match &let_.op {
            AccOp::Permute {
                combine: Combine::Overwrite,
                defaults,
                target,
                args,
                ..
            } => {
                let mut pairs = let_.binds.iter().zip(defaults);
                let is_it = pairs.any(|(bind, &d)| bind.name == result && d == state);
                let alike = args.iter().all(|&a| self.shapes.same(a, args[0]));
                is_it && alike && is_injective(target) && follows_trips(target, step)
            }
            AccOp::Permute { .. } | AccOp::Use(_) | AccOp::Generate { .. } => false,
            AccOp::Map { .. } | AccOp::Fold { .. } | AccOp::Scan { .. } => false,
            AccOp::Move { .. } | AccOp::Unpack { .. } | AccOp::Append { .. } => false,
            AccOp::Argsort { .. }
            | AccOp::FoldSegments { .. }
            | AccOp::Cond { .. }
            | AccOp::Derivative { .. } => false,
            AccOp::Custom { .. } | AccOp::Loop { .. } => false,
        });
        writes && used(state) == 1 && used(result) == 1 && !self.is_active(args[column])
    }
}

impl Counted {
    /// Whether a column is written row by row.
    pub(super) fn is_apart(&self, column: usize) -> bool {
        self.apart[column]
    }
}

/// Whether a coordinate of the target is the number of the trip, but for its sign and an offset.
fn follows_trips(target: &Fun<Labelled>, step: &AccClosure<Labelled>) -> bool {
    let number = step.params[0].name;
    let inside = step.params.iter().chain(step.body.bindings());
    let inside: Vec<ArrId> = inside.map(|bind| bind.name).collect();
    let mut slopes: HashMap<ExpId, i32> = HashMap::new();
    for let_ in &target.body.lets {
        if let (Some(slope), [bind]) = (
            slope(target, let_, &slopes, (number, &inside)),
            &let_.binds[..],
        ) {
            slopes.insert(bind.name, slope);
        }
    }
    let mut coordinates = target.body.results.iter().skip(1);
    coordinates.any(|x| slopes.get(x).is_some_and(|slope| slope.abs() == 1))
}

/// By how much a scalar grows from trip to trip, if that is always the same.
fn slope(
    target: &Fun<Labelled>,
    let_: &ExpLet<Labelled>,
    slopes: &HashMap<ExpId, i32>,
    (number, inside): (ArrId, &[ArrId]),
) -> Option<i32> {
    match &let_.op {
        ExpOp::Const(_) => Some(0),
        ExpOp::Extent { array, axis: _ } => {
            let array = target.captures[array.0 as usize];
            (!inside.contains(&array)).then_some(0)
        }
        ExpOp::Index { array, index } => {
            let array = target.captures[array.0 as usize];
            let stays = index.iter().all(|i| slopes.get(i) == Some(&0));
            match array == number {
                true => Some(1),
                false => (stays && !inside.contains(&array)).then_some(0),
            }
        }
        ExpOp::Prim(op, operands) => {
            let of: Vec<i32> = operands
                .iter()
                .map(|x| slopes.get(x).copied())
                .collect::<Option<_>>()?;
            let stays = of.iter().all(|&slope| slope == 0);
            match of[..] {
                [x, y] if *op == Prim::Add => Some(x + y),
                [x, y] if *op == Prim::Sub => Some(x - y),
                [x] if *op == Prim::Neg => Some(-x),
                [..] => stays.then_some(0),
            }
        }
        ExpOp::Cond { .. } | ExpOp::Loop { .. } | ExpOp::Derivative { .. } => None,
        ExpOp::WithPartials(_) => None,
    }
}
