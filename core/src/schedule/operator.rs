//! Operators of reductions and scans, put together and taken apart.

use super::{Body, Inst, Op, ValueId};
use crate::prim::Prim;
use crate::types::ScalarType;
use std::collections::HashMap;

/// An associative operator on k-tuples.
#[derive(Clone, Debug, PartialEq)]
pub struct Operator {
    /// Arguments 0..k are the left operand, k..2k the right one. No loads and no coordinates.
    pub body: Body,
    /// The k results.
    pub results: Vec<ValueId>,
}

impl Operator {
    /// A primitive on two values of one type, the type of the result.
    pub fn of_prim(prim: Prim, ty: ScalarType) -> Self {
        let mut body = Body::default();
        let operands = vec![body.push(Op::Arg(0), ty), body.push(Op::Arg(1), ty)];
        let result = body.push(Op::Prim(prim, operands), ty);
        Self {
            body,
            results: vec![result],
        }
    }

    /// The types of the components.
    pub fn types(&self) -> Vec<ScalarType> {
        let results = self.results.iter();
        results.map(|&v| self.body.type_of(v)).collect()
    }

    /// The primitive that this operator is, if it is a single one on its two arguments in order; the operands of a
    /// sum may be in either.
    pub fn as_prim(&self) -> Option<Prim> {
        match self.results[..] {
            [_] => self.prim_of(0),
            [..] => None,
        }
    }

    /// The primitive that a component is of the two operands' component, as for [`as_prim`](Self::as_prim).
    fn prim_of(&self, component: usize) -> Option<Prim> {
        let (x, y) = (component, self.results.len() + component);
        let arg = |v: &ValueId| self.body.op(*v).as_arg();
        let (prim, operands) = self.body.op(self.results[component]).as_prim()?;
        let args: Option<Vec<_>> = operands.iter().map(arg).collect();
        let args = args?;
        let swapped = prim == Prim::Add && args == [y, x];
        (swapped || args == [x, y]).then_some(prim)
    }

    /// The components that are sums of narrow floats, and their types: see the Note \[Sums of narrow floats\] at
    /// [`AccOp`](crate::term::AccOp).
    pub fn narrow_sums(&self) -> Vec<Option<ScalarType>> {
        let sum = |component: usize| {
            let ty = self.body.type_of(self.results[component]);
            let is_sum = || self.prim_of(component) == Some(Prim::Add);
            (ty.is_narrow_float() && is_sum()).then_some(ty)
        };
        (0..self.results.len()).map(sum).collect()
    }

    /// The operator on tuples in which some components, which are sums, have wider types; what else is computed from
    /// the operands of these sees them rounded.
    pub fn widened(&self, types: &[Option<ScalarType>]) -> Self {
        let mut body = Body::default();
        let mut args = HashMap::new();
        let values = body.append(&self.body, |body, (_, Inst { op, ty }), _| {
            let n = op.as_arg()?;
            let wide = body.push(op.clone(), types[n % types.len()]?);
            args.insert(n, wide);
            Some(body.push(Op::Prim(Prim::Convert(*ty), vec![wide]), *ty))
        });
        let mut results: Vec<_> = self.results.iter().map(|v| values[v.index()]).collect();
        for (c, wide) in types.iter().enumerate() {
            let operands = [args.get(&c), args.get(&(types.len() + c))];
            if let (Some(ty), [Some(&x), Some(&y)]) = (wide, operands) {
                results[c] = body.push(Op::Prim(Prim::Add, vec![x, y]), *ty);
            }
        }
        Self { body, results }
    }

    /// The operator on tuples that have the components of both, each combined by its own operator.
    pub fn product(first: &Self, second: &Self) -> Self {
        let (k, l) = (first.results.len(), second.results.len());
        let mut body = Body::default();
        let of_first = renumbered(
            &mut body,
            &first.body,
            |arg| {
                if arg < k { arg } else { arg + l }
            },
        );
        let of_second = renumbered(&mut body, &second.body, |arg| {
            arg + if arg < l { k } else { k + k }
        });
        let results = first.results.iter().map(|v| of_first[v.index()]);
        let others = second.results.iter().map(|v| of_second[v.index()]);
        Self {
            results: results.chain(others).collect(),
            body,
        }
    }

    /// The operators that this one is a product of: as many as possible, in the order of their first components.
    pub fn parts(&self) -> Vec<OperatorPart> {
        let k = self.results.len();
        // The first component that is combined with each.
        let mut leaders: Vec<usize> = (0..k).collect();
        for component in 0..k {
            let needed = self.body.needed(&[self.results[component]]);
            for arg in needed.filter_map(|(_, inst)| inst.op.as_arg()) {
                let (x, y) = (leaders[component], leaders[arg % k]);
                let joined = leaders.iter_mut().filter(|l| **l == x || **l == y);
                joined.for_each(|leader| *leader = x.min(y));
            }
        }
        let firsts = (0..k).filter(|&component| leaders[component] == component);
        let components = |first| (0..k).filter(|&c| leaders[c] == first).collect();
        firsts.map(|first| self.part(components(first))).collect()
    }

    /// The operator on some of the components, which depend on no others.
    fn part(&self, components: Vec<usize>) -> OperatorPart {
        let k = self.results.len();
        let position = |arg: usize| {
            let at = components.iter().position(|&c| c == arg % k).unwrap_or(0);
            at + if arg < k { 0 } else { components.len() }
        };
        let mut results: Vec<_> = components.iter().map(|&c| self.results[c]).collect();
        let mut body = self.body.clone();
        body.prune(&mut results);
        body.change(|op| {
            if let Op::Arg(arg) = op {
                *arg = position(*arg as usize) as u32;
            }
        });
        OperatorPart {
            operator: Self { body, results },
            components,
        }
    }
}

/// A part of an operator: components that it combines by themselves.
#[derive(Clone, Debug, PartialEq)]
pub struct OperatorPart {
    /// Their positions in the tuples.
    pub components: Vec<usize>,
    /// How they combine.
    pub operator: Operator,
}

/// Appends the instructions of an operator, its arguments having other positions; gives the new values.
fn renumbered(body: &mut Body, operator: &Body, position: impl Fn(usize) -> usize) -> Vec<ValueId> {
    body.append(operator, |body, (_, inst), _| {
        let arg = position(inst.op.as_arg()?);
        Some(body.push(Op::Arg(arg as u32), inst.ty))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use ScalarType::{F64, I32};

    /// The maximum with its position.
    fn extremum() -> Operator {
        let mut body = Body::default();
        let types = [F64, I32, F64, I32];
        let args: Vec<_> = (0..4)
            .map(|i| body.push(Op::Arg(i), types[i as usize]))
            .collect();
        let max = body.push(Op::Prim(Prim::Max, vec![args[0], args[2]]), F64);
        let first = body.push(Op::Prim(Prim::Ge, vec![args[0], args[2]]), ScalarType::Bool);
        let choice = vec![first, args[1], args[3]];
        let position = body.push(Op::Prim(Prim::Select, choice), I32);
        Operator {
            body,
            results: vec![max, position],
        }
    }

    fn primitives(operator: &Operator) -> Vec<(Vec<usize>, Option<Prim>)> {
        let parts = operator.parts().into_iter();
        parts
            .map(|part| (part.components, part.operator.as_prim()))
            .collect()
    }

    #[test]
    fn a_primitive_is_its_own_part() {
        let add = Operator::of_prim(Prim::Add, F64);
        assert_eq!(primitives(&add), [(vec![0], Some(Prim::Add))]);
        assert_eq!(add.parts()[0].operator, add);
    }

    #[test]
    fn a_sum_is_one_in_either_order_and_a_difference_in_one() {
        for (prim, expected) in [(Prim::Add, Some(Prim::Add)), (Prim::Sub, None)] {
            let mut operator = Operator::of_prim(prim, ScalarType::F32);
            assert_eq!(operator.as_prim(), Some(prim));
            let Op::Prim(_, operands) = &mut operator.body.insts_mut()[2].op else {
                panic!("a primitive");
            };
            operands.reverse();
            assert_eq!(operator.as_prim(), expected);
        }
    }

    #[test]
    fn narrow_sums_are_found_among_other_components() {
        let sum = |ty| Operator::of_prim(Prim::Add, ty);
        let max = Operator::of_prim(Prim::Max, ScalarType::F32);
        let wide = Operator::product(&sum(F64), &sum(I32));
        let both = Operator::product(&Operator::product(&max, &sum(ScalarType::F32)), &wide);
        let all = Operator::product(&both, &sum(ScalarType::F16));
        let (f32, f16) = (Some(ScalarType::F32), Some(ScalarType::F16));
        assert_eq!(all.narrow_sums(), [None, f32, None, None, f16]);
    }

    #[test]
    fn wide_sums_are_rounded_for_what_else_reads_them() {
        use ScalarType::F32;
        let mut sums = Operator::product(
            &Operator::of_prim(Prim::Add, F32),
            &Operator::of_prim(Prim::Max, F32),
        );
        let [x, y] = sums.results[..] else {
            panic!("two results");
        };
        sums.results[1] = sums.body.push(Op::Prim(Prim::Mul, vec![x, y]), F32);
        let wide = sums.widened(&[Some(F64), None]);
        let types: Vec<_> = wide.results.iter().map(|&v| wide.body.type_of(v)).collect();
        assert_eq!(types, [F64, F32]);
        let of = |v: ValueId| wide.body.op(v).clone();
        let Op::Prim(Prim::Add, operands) = of(wide.results[0]) else {
            panic!("no sum: {wide:?}");
        };
        assert_eq!([of(operands[0]), of(operands[1])], [Op::Arg(0), Op::Arg(2)]);
        assert_eq!(sums.widened(&[None, None]), sums);
    }

    #[test]
    fn a_product_has_the_parts_of_both() {
        let (add, min) = (
            Operator::of_prim(Prim::Add, F64),
            Operator::of_prim(Prim::Min, I32),
        );
        let both = Operator::product(&add, &Operator::product(&extremum(), &min));
        let expected = [
            (vec![0], Some(Prim::Add)),
            (vec![1, 2], None),
            (vec![3], Some(Prim::Min)),
        ];
        assert_eq!(primitives(&both), expected);
        let parts = both.parts();
        assert_eq!(parts[0].operator, add);
        assert_eq!(parts[1].operator, extremum());
        assert_eq!(parts[2].operator, min);
    }

    #[test]
    fn components_that_a_third_one_needs_are_one_part() {
        let mut operator = Operator::product(
            &Operator::of_prim(Prim::Add, F64),
            &Operator::product(
                &Operator::of_prim(Prim::Add, F64),
                &Operator::of_prim(Prim::Max, F64),
            ),
        );
        let [x, _, z] = operator.results[..] else {
            panic!("three results");
        };
        operator.results[2] = operator.body.push(Op::Prim(Prim::Mul, vec![x, z]), F64);
        let components: Vec<_> = operator.parts().into_iter().map(|p| p.components).collect();
        assert_eq!(components, [vec![0, 2], vec![1]]);
    }
}
