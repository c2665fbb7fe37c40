//! Random derivatives by decree. They say nothing true, so none are in code that is compared with differences.
//!
//! Rules are linear, and two rules for one operation are transpositions of each other: the derivative is the same by either.

use super::arrays::{Arrays, Made};
use super::scalars::{LIMIT, Scalars};
use super::scope::Known;
use cotangent_core::build::{Arr, FunBuilder};
use cotangent_core::constant::Const;
use cotangent_core::prim::Prim;
use cotangent_core::term::{AccClosure, AccOp, Direction, ExpOp, Fun, Labelled, Rules};
use cotangent_core::types::ScalarType;

/// How a rule makes a tangent or cotangent of another.
#[derive(Clone, Copy)]
enum Way {
    /// It is scaled: its own transposition.
    Scaled,
    /// It is added up along rows.
    Scanned,
}

impl Arrays<'_> {
    /// One or two values with a derivative by one or two inputs.
    pub(super) fn custom(&mut self) -> Option<Made> {
        if self.by_differences {
            return None;
        }
        let values = self.one_or_two()?;
        let inputs = self.one_or_two()?;
        let rules = match self.random.below(if self.forward { 2 } else { 3 }) {
            0 => Rules::Jvp(self.rule(&values, &inputs, Way::Scanned)),
            1 => Rules::Both {
                jvp: self.rule(&values, &inputs, Way::Scaled),
                vjp: self.back(&values, &inputs, Way::Scaled),
            },
            _ => Rules::Vjp(self.back(&values, &inputs, Way::Scanned)),
        };
        let args = values.iter().chain(&inputs).map(|k| k.arr.name);
        Some(Made {
            op: AccOp::Custom {
                values: values.len(),
                rules,
                args: args.collect(),
            },
            types: values.iter().map(|k| k.arr.ty).collect(),
            exact: values.iter().map(|k| k.exact).collect(),
        })
    }

    fn one_or_two(&mut self) -> Option<Vec<Known>> {
        let first = self.some(|k| k.arr.ty.elem.is_float() && k.is_bounded())?;
        let mut all = vec![first];
        if self.random.chance(30) {
            all.push(self.some(Known::is_bounded)?);
        }
        Some(all)
    }

    /// From values and tangents of the inputs to those of the values.
    fn rule(&mut self, values: &[Known], inputs: &[Known], way: Way) -> AccClosure<Labelled> {
        let given = self.like(values);
        let tangents = self.like(inputs);
        self.linear(given, tangents, values, way)
    }

    /// From values and their cotangents to those of the inputs.
    fn back(&mut self, values: &[Known], inputs: &[Known], way: Way) -> AccClosure<Labelled> {
        let given = self.like(values);
        let cotangents = self.like(values);
        self.linear(given, cotangents, inputs, way)
    }

    fn like(&mut self, all: &[Known]) -> Vec<Arr> {
        all.iter().map(|k| self.b.fresh(k.arr.ty)).collect()
    }

    /// A rule whose results are like `to`, and linear in `from`: sums of those of the same type.
    fn linear(
        &mut self,
        given: Vec<Arr>,
        from: Vec<Arr>,
        to: &[Known],
        way: Way,
    ) -> AccClosure<Labelled> {
        self.b.open();
        let results: Vec<Arr> = to
            .iter()
            .map(|k| self.combined(&from, &k.arr, way))
            .collect();
        AccClosure {
            params: [given, from].concat(),
            body: self.b.close(&results),
        }
    }

    fn combined(&mut self, from: &[Arr], like: &Arr, way: Way) -> Arr {
        let elem = like.ty.elem;
        let alike = from.iter().filter(|x| x.ty == like.ty && elem.is_float());
        let made: Vec<Arr> = alike.map(|x| self.transformed(x, way)).collect();
        match made.as_slice() {
            [] => self.b.fill_like(like, Const::zero(elem)),
            [only] => only.clone(),
            [first, second, ..] => {
                let both = [first.clone(), second.clone()];
                self.b
                    .map(Fun::prim(Prim::Add, &[elem; 2]), &both)
                    .remove(0)
            }
        }
    }

    fn transformed(&mut self, x: &Arr, way: Way) -> Arr {
        let elem = x.ty.elem;
        match way {
            Way::Scanned if x.ty.rank > 0 => {
                let add = Fun::prim(Prim::Add, &[elem; 2]);
                let args = std::slice::from_ref(x);
                self.b.scan(Direction::Left, add, None, args).remove(0)
            }
            Way::Scaled | Way::Scanned => {
                let mut f = FunBuilder::new();
                let (x_at, factor) = (f.param(elem), f.constant(Const::small(elem, 2)));
                let scaled = f.prim(Prim::Mul, &[x_at, factor]);
                self.b
                    .map(f.finish(vec![scaled]), std::slice::from_ref(x))
                    .remove(0)
            }
        }
    }
}

impl Scalars<'_> {
    /// A value with partial derivatives by none, one or two scalars.
    pub(super) fn with_partials(&mut self) {
        let ty = self.any_float();
        if self.by_differences || ty == ScalarType::F16 {
            return;
        }
        let value = self.small(ty, LIMIT);
        let mut args = vec![value];
        for _ in 0..self.random.below(3) {
            args.extend([self.small(ty, LIMIT), self.small(ty, 3.0)]);
        }
        let active = args.iter().any(|v| v.active);
        let ids = args.iter().map(|v| v.id).collect();
        let id = self.b.push(ExpOp::WithPartials(ids), &[ty])[0];
        self.enter_if(id, value.exact, value.bound, value.number);
        self.activated(active);
    }
}
