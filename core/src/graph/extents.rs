//! The extents of what the step of a loop makes, as expressions from outside of the loop.
//!
//! An extent is the least of some expressions, as shapes are intersected everywhere; as a set, the same ones met again
//! change nothing. Extents that depend on elements, or on the number of the trip, are not known.

use super::parts::Node;
use super::{AccLambda, AccNodeOp, ArrRef, Binder, ExpNode, ExpNodeOp, ExpRef, GraphBuilder};
use crate::constant::Const;
use crate::deep::with_deep_stack;
use crate::loc::Loc;
use crate::prim::Prim;
use crate::term::Mode;
use crate::types::ScalarType;
use std::collections::{BTreeSet, HashMap};

/// The least of these; `None` if it is not known.
type Extent = Option<BTreeSet<ExpRef>>;
type Shape = Vec<Extent>;

/// The extents that each of `rows`, made by each trip of a loop from the state `init`, has in all trips; or the position of
/// the first of which they are not known. The step's results begin with the next state.
///
/// Time: that of a pass over what the step made, for each time that the extents of the state change, and for each loop
/// around.
pub(crate) fn of_rows(
    builder: &mut GraphBuilder,
    loc: Loc,
    (step, init): (&AccLambda, &[ArrRef]),
    rows: &[ArrRef],
) -> Result<Vec<Vec<ExpRef>>, usize> {
    with_deep_stack(|| {
        let mut extents = Extents {
            builder,
            loc,
            given: HashMap::new(),
            known: Known::default(),
        };
        let state = extents.all(init);
        let first = extents.with(step, &state, rows);
        let later = extents.after_trips(step, &state);
        let later = extents.with(step, &later, rows);
        let rows = first.into_iter().zip(later).enumerate();
        rows.map(|(i, (first, later))| extents.expressions(agreed(first, later)).ok_or(i))
            .collect()
    })
}

/// What is known to be the same in both shapes.
fn agreed(a: Shape, b: Shape) -> Shape {
    let same = |(a, b): (Extent, Extent)| a.filter(|a| b.as_ref() == Some(a));
    a.into_iter().zip(b).map(same).collect()
}

/// The least of both, dimension by dimension.
fn intersected(a: Shape, b: Shape) -> Shape {
    let least = |(a, b): (Extent, Extent)| Some(a?.union(&b?).copied().collect());
    a.into_iter().zip(b).map(least).collect()
}

struct Extents<'b> {
    builder: &'b mut GraphBuilder,
    /// Where new nodes are said to come from.
    loc: Loc,
    /// The shapes of the parameters of the steps that are gone through.
    given: HashMap<(Binder, u32), Shape>,
    /// What depends on these, so far.
    known: Known,
}

/// What was found for the parameters given.
#[derive(Default)]
struct Known {
    arrays: HashMap<ArrRef, Shape>,
    expressions: HashMap<ExpRef, Extent>,
}

impl Extents<'_> {
    /// The shapes of arrays that a step makes of a state of the given shapes.
    fn with(&mut self, step: &AccLambda, state: &[Shape], arrays: &[ArrRef]) -> Vec<Shape> {
        let number = vec![];
        let params = [number].into_iter().chain(state.iter().cloned());
        self.inside(step.binder, params, arrays)
    }

    /// The shapes of arrays that depend on the parameters of `binder`, given those of the parameters.
    fn inside(
        &mut self,
        binder: Binder,
        params: impl IntoIterator<Item = Shape>,
        arrays: &[ArrRef],
    ) -> Vec<Shape> {
        let known = std::mem::take(&mut self.known);
        for (position, shape) in (0..).zip(params) {
            self.given.insert((binder, position), shape);
        }
        let shapes = self.all(arrays);
        self.given.retain(|(other, _), _| *other != binder);
        self.known = known;
        shapes
    }

    /// The shapes of the state after any number of trips but zero.
    fn after_trips(&mut self, step: &AccLambda, first: &[Shape]) -> Vec<Shape> {
        let next = &step.results[..first.len()];
        let mut state = self.with(step, first, next);
        loop {
            let after = self.with(step, &state, next);
            let both = state.iter().cloned().zip(after);
            let kept: Vec<_> = both.map(|(a, b)| agreed(a, b)).collect();
            if kept == state {
                return state;
            }
            state = kept;
        }
    }

    fn all(&mut self, arrays: &[ArrRef]) -> Vec<Shape> {
        arrays.iter().map(|&array| self.array(array)).collect()
    }

    /// Whether a node depends on a parameter of one of the steps.
    fn is_inside(&self, node: Node) -> bool {
        let free = self.builder.graph().free.get(node);
        let mut binders = self.given.keys().map(|(binder, _)| binder);
        binders.any(|binder| free.contains(binder))
    }

    fn array(&mut self, array: ArrRef) -> Shape {
        if !self.is_inside(Node::Acc(array.node)) {
            let rank = self.builder.acc_type(array).map_or(0, |ty| ty.rank);
            let extent = |axis| {
                let op = ExpNodeOp::Extent { array, axis };
                Some(BTreeSet::from([self.add(op)]))
            };
            return (0..rank).map(extent).collect();
        }
        if let Some(known) = self.known.arrays.get(&array) {
            return known.clone();
        }
        let op = self.builder.graph().accs[array.node as usize].op.clone();
        let shape = self.result(op, array);
        self.known.arrays.insert(array, shape.clone());
        shape
    }

    /// The shape of one result of an operation.
    fn result(&mut self, op: AccNodeOp, array: ArrRef) -> Shape {
        let output = array.output as usize;
        match op {
            AccNodeOp::Param { binder, position } => self
                .given
                .get(&(binder, position))
                .cloned()
                .unwrap_or_default(),
            AccNodeOp::Use(_) => vec![],
            AccNodeOp::Generate { shape, f: _ } => self.said(&shape),
            AccNodeOp::Map { f: _, args } => self.intersection(&args),
            AccNodeOp::Fold { args, .. } => self.outer(&args),
            AccNodeOp::FoldSegments { lengths, args, .. } => self.segments(lengths, &args),
            AccNodeOp::Scan { init, args, .. } => self.scanned(init.is_some(), &args),
            AccNodeOp::Move { how, arg } => {
                let own = match how.keeps_extents() {
                    true => self.array(arg),
                    false => vec![],
                };
                let said = how.said().map_or(vec![], |said| self.said(said));
                how.extents(said, &own)
            }
            AccNodeOp::Permute { defaults, .. } => self.intersection(&defaults),
            AccNodeOp::Unpack { args } => {
                let count = self.constant(args.len() as i32);
                let mut shape = self.intersection(&args);
                shape.push(Some(BTreeSet::from([count])));
                shape
            }
            AccNodeOp::Append { args } => self.appended(&args),
            AccNodeOp::Argsort { order: _, arg } => self.array(arg),
            AccNodeOp::Cond {
                cond: _,
                then_,
                else_,
            } => agreed(self.array(then_[output]), self.array(else_[output])),
            AccNodeOp::Derivative {
                mode: Mode::Jvp,
                f,
                args,
            } => {
                let point = self.all(&args[..f.params.len()]);
                let result = f.results[output % f.results.len()];
                self.inside(f.binder, point, &[result]).swap_remove(0)
            }
            AccNodeOp::Derivative {
                mode: Mode::Gradient { with_value },
                f: _,
                args,
            } => {
                let arg = output.checked_sub(usize::from(with_value));
                arg.map_or(vec![], |arg| self.array(args[arg]))
            }
            AccNodeOp::Custom { args, .. } => self.array(args[output]),
            AccNodeOp::Loop { step, args, .. } => self.looped(&step, &args, output),
        }
    }

    fn intersection(&mut self, args: &[ArrRef]) -> Shape {
        let shapes = self.all(args).into_iter();
        shapes.reduce(intersected).unwrap_or_default()
    }

    /// With an initial value, one more element along the inner dimension.
    fn scanned(&mut self, longer: bool, args: &[ArrRef]) -> Shape {
        let mut shape = self.intersection(args);
        if let (true, Some(inner)) = (longer, shape.last_mut()) {
            let one = self.constant(1);
            let sum = inner.take().map(|inner| self.least(inner));
            *inner = sum.map(|sum| BTreeSet::from([self.prim(Prim::Add, sum, one)]));
        }
        shape
    }

    /// With as many elements along the inner dimension as there are segments.
    fn segments(&mut self, lengths: ArrRef, args: &[ArrRef]) -> Shape {
        [self.outer(args), self.array(lengths)].concat()
    }

    fn outer(&mut self, args: &[ArrRef]) -> Shape {
        let mut shape = self.intersection(args);
        shape.pop();
        shape
    }

    fn appended(&mut self, args: &[ArrRef]) -> Shape {
        let mut shape = self.intersection(args);
        let outer = args.iter().map(|&arg| {
            let outer = self.array(arg).into_iter().next().flatten();
            outer.map(|outer| self.least(outer))
        });
        let outer: Option<Vec<_>> = outer.collect();
        let sum = outer.and_then(|outer| {
            let parts = outer.into_iter();
            parts.reduce(|sum, part| self.prim(Prim::Add, sum, part))
        });
        if let Some(first) = shape.first_mut() {
            *first = sum.map(|sum| BTreeSet::from([sum]));
        }
        shape
    }

    /// The shape of a result of a loop inside: that of the first state, if it is the same after a trip.
    fn looped(&mut self, step: &AccLambda, args: &[ArrRef], output: usize) -> Shape {
        let Some(position) = output.checked_sub(1) else {
            return vec![];
        };
        let first = self.all(args);
        let mut later = self.after_trips(step, &first);
        agreed(first[position].clone(), later.swap_remove(position))
    }

    /// A shape that the program says.
    fn said(&mut self, shape: &[ExpRef]) -> Shape {
        let extents = shape.iter().map(|&extent| self.outside(extent));
        extents.collect()
    }

    /// An expression, as one from outside of the steps.
    fn outside(&mut self, exp: ExpRef) -> Extent {
        if let Some(known) = self.known.expressions.get(&exp) {
            return known.clone();
        }
        let found = self.found_outside(exp);
        self.known.expressions.insert(exp, found.clone());
        found
    }

    fn found_outside(&mut self, exp: ExpRef) -> Extent {
        let ExpNode { op, types, loc: _ } = &self.builder.graph().exps[exp.node as usize];
        let ty = types[exp.output as usize];
        let is_least = |prim: Prim| prim == Prim::Min && ty == ScalarType::I32;
        match (op, self.is_inside(Node::Exp(exp.node))) {
            (&ExpNodeOp::Extent { array, axis }, _) => self.array(array).swap_remove(axis),
            (ExpNodeOp::Prim(prim, args), inside) if is_least(*prim) || inside => {
                let (prim, args) = (*prim, args.clone());
                let args = args.iter().map(|&arg| self.outside(arg));
                let args: Vec<_> = args.collect::<Option<_>>()?;
                Some(match is_least(prim) {
                    true => args.into_iter().flatten().collect(),
                    false => BTreeSet::from([self.applied(prim, args, ty)]),
                })
            }
            (_, false) => Some(BTreeSet::from([exp])),
            (
                ExpNodeOp::Const(_)
                | ExpNodeOp::Param { .. }
                | ExpNodeOp::Prim(..)
                | ExpNodeOp::Index { .. }
                | ExpNodeOp::Cond { .. }
                | ExpNodeOp::Derivative { .. }
                | ExpNodeOp::WithPartials(_)
                | ExpNodeOp::Loop { .. },
                true,
            ) => None,
        }
    }

    /// A primitive of expressions from outside.
    fn applied(&mut self, prim: Prim, args: Vec<BTreeSet<ExpRef>>, ty: ScalarType) -> ExpRef {
        let args = args.into_iter().map(|arg| self.least(arg)).collect();
        let op = ExpNodeOp::Prim(prim, args);
        let node = self.builder.add_exp(op, vec![ty], self.loc);
        ExpRef { node, output: 0 }
    }

    fn expressions(&mut self, shape: Shape) -> Option<Vec<ExpRef>> {
        let extents = shape.into_iter().map(|extent| Some(self.least(extent?)));
        extents.collect()
    }

    /// The least of some expressions, of which there is at least one.
    fn least(&mut self, of: BTreeSet<ExpRef>) -> ExpRef {
        let least = of.into_iter().reduce(|a, b| self.prim(Prim::Min, a, b));
        least.unwrap_or_else(|| self.constant(0))
    }

    fn prim(&mut self, prim: Prim, a: ExpRef, b: ExpRef) -> ExpRef {
        self.add(ExpNodeOp::Prim(prim, vec![a, b]))
    }

    fn constant(&mut self, value: i32) -> ExpRef {
        self.add(ExpNodeOp::Const(Const::I32(value)))
    }

    /// An expression of type `i32`, as extents are.
    fn add(&mut self, op: ExpNodeOp) -> ExpRef {
        let node = self.builder.add_exp(op, vec![ScalarType::I32], self.loc);
        ExpRef { node, output: 0 }
    }
}
