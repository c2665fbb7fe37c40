//! Which loops have no state: each column of what they carry is an array of which a trip writes one row. That no trip reads
//! them is seen when the operations are made: there is nothing for all rows that would stand for what a trip is given.

use super::super::Rewriter;
use super::super::looping::is_total;
use crate::analysis::index_map::IndexMap;
use crate::analysis::polynomial::{Atom, Poly};
use crate::analysis::shape::Size;
use crate::build::Arr;
use crate::constant::Const;
use crate::simplify::exp::{anonymous_fun, simplify_fun};
use crate::term::{
    AccClosure, AccLet, AccOp, ArrBind, ArrId, Axis, Combine, ExpId, ExpOp, Fun, Labelled, Move,
};
use std::collections::HashSet;

/// Which row a trip writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    /// That of its number.
    Forwards,
    /// That of its number, counted from the last one.
    Backwards,
}

/// A loop whose trips write the rows of arrays.
pub(super) struct Stacks<'a> {
    pub step: &'a AccClosure<Labelled>,
    /// The number of trips, which is that of rows.
    pub trips: Size,
    pub order: Order,
    /// The operations of a trip, but for those that write rows.
    pub lets: Vec<&'a AccLet<Labelled>>,
    /// For each column of the state, the row that a trip writes.
    pub outputs: Vec<Arr>,
    /// The arrays that the rows go to.
    pub targets: Vec<ArrId>,
}

/// A column that a `permute` of the step writes a row of.
struct Written<'a> {
    row: ArrId,
    target: &'a Fun<Labelled>,
}

impl Rewriter<'_> {
    /// The loop as one that writes rows.
    pub(super) fn stacks_of<'a>(
        &mut self,
        trips: &Fun<Labelled>,
        step: &'a AccClosure<Labelled>,
        args: &[ArrId],
    ) -> Option<Stacks<'a>> {
        let (number, state) = step.params.split_first()?;
        let columns = state.iter().zip(&step.body.results);
        let written: Option<Vec<Written<'_>>> = columns
            .map(|(param, &result)| written(step, param.name, result))
            .collect();
        let written = written?;
        let lets = others(step);
        if !is_total(trips) {
            return None;
        }
        let rows = self.number_of_rows(trips, args)?;
        let mut orders = vec![];
        for (column, arg) in written.iter().zip(args) {
            orders.push(self.order(column.target, number.name, rows)?);
            self.is_whole_row(column.row, *arg).then_some(())?;
        }
        let order = *orders.first()?;
        let outputs = written.iter().zip(state);
        let output = |(column, param): (&Written<'_>, &ArrBind<Labelled>)| {
            let mut ty = param.ty;
            ty.rank -= 1;
            Arr::new(column.row, ty)
        };
        orders.iter().all(|o| *o == order).then_some(Stacks {
            step,
            trips: rows,
            order,
            lets,
            outputs: outputs.map(output).collect(),
            targets: args.to_vec(),
        })
    }

    /// The number of trips, if it is the outermost extent of all arrays.
    fn number_of_rows(&mut self, trips: &Fun<Labelled>, args: &[ArrId]) -> Option<Size> {
        let said = self.facts.shapes.of_function(trips)[0];
        let code = code_of_first(trips);
        let own = |&arg: &ArrId| {
            let outer = *self.facts.shapes.sizes(arg)?.first()?;
            let made = match self.facts.definition(arg)?.0 {
                AccOp::Generate { shape, f: _ } => code_of_first(shape) == code,
                AccOp::Move { how, arg: _ } => {
                    copies(how).is_some_and(|extents| code_of_first(extents) == code)
                }
                AccOp::Use(_)
                | AccOp::Map { .. }
                | AccOp::Fold { .. }
                | AccOp::Scan { .. }
                | AccOp::Permute { .. }
                | AccOp::Unpack { .. }
                | AccOp::Argsort { .. }
                | AccOp::FoldSegments { .. }
                | AccOp::Append { .. }
                | AccOp::Cond { .. }
                | AccOp::Derivative { .. }
                | AccOp::Custom { .. }
                | AccOp::Loop { .. } => false,
            };
            (made || said == Some(outer)).then_some(outer)
        };
        let extents: Vec<Size> = args.iter().map(own).collect::<Option<_>>()?;
        extents.first().copied()
    }

    /// Which row a target function sends the elements of the row of a trip to, in their order.
    fn order(&self, target: &Fun<Labelled>, number: ArrId, rows: Size) -> Option<Order> {
        let shapes = &self.facts.shapes;
        let map = IndexMap::of(target, shapes);
        let mut inner = map.coordinates.iter().skip(1).enumerate();
        let stays = inner.all(|(k, c)| c.as_ref() == Some(&Poly::atom(Atom::Param(k))));
        let always = target.constant_result(0) == Some(Const::Bool(true));
        let number = numbers(target, number).map(|x| Poly::atom(Atom::Uniform(x)));
        let (place, number) = (map.coordinates.first()?.as_ref()?, number?);
        let last = Poly::of_size(shapes, rows).minus(&Poly::constant(1));
        let order = if *place == number {
            Order::Forwards
        } else if place.plus(&number) == last {
            Order::Backwards
        } else {
            return None;
        };
        (stays && always).then_some(order)
    }

    /// Whether an array has the shape of the rows of another one.
    fn is_whole_row(&self, row: ArrId, of: ArrId) -> bool {
        let shapes = &self.facts.shapes;
        let inner = shapes.sizes(of).and_then(|sizes| sizes.get(1..));
        inner.is_some() && shapes.sizes(row) == inner
    }
}

/// The extents of a replication whose outermost dimension is the first of them.
fn copies(how: &Move<Fun<Labelled>>) -> Option<&Fun<Labelled>> {
    let outermost = how.replicated()?.first();
    how.said().filter(|_| outermost == Some(&Axis::Fixed))
}

/// The first result of a function without parameters, as code that is compared.
fn code_of_first(fun: &Fun<Labelled>) -> Fun<Labelled> {
    let mut fun = fun.clone();
    fun.body.results.truncate(1);
    anonymous_fun(&simplify_fun(fun, &mut Default::default()))
}

/// Where a function reads the number of the trip.
fn numbers(f: &Fun<Labelled>, number: ArrId) -> Option<ExpId> {
    let is_number = |op: &ExpOp<Labelled>| match op {
        ExpOp::Index { array, index: _ } => f.captures[array.0 as usize] == number,
        ExpOp::Const(_) | ExpOp::Prim(..) | ExpOp::Extent { .. } | ExpOp::Cond { .. } => false,
        ExpOp::Derivative { .. } | ExpOp::WithPartials(_) | ExpOp::Loop { .. } => false,
    };
    let read = f.body.lets.iter().find(|let_| is_number(&let_.op));
    read.map(|let_| let_.binds[0].name)
}

/// How a step makes a column of the next state, if it is the same column with a row written.
fn written(step: &AccClosure<Labelled>, param: ArrId, result: ArrId) -> Option<Written<'_>> {
    let mut lets = step.body.lets.iter();
    let (let_, column) = lets.find_map(|let_| {
        let column = let_.binds.iter().position(|bind| bind.name == result);
        column.map(|column| (let_, column))
    })?;
    let (defaults, target, args) = overwriting(&let_.op)?;
    let is_own = defaults.get(column) == Some(&param);
    is_own.then_some(Written {
        row: *args.get(column)?,
        target,
    })
}

/// The operations that do not make a result.
fn others(step: &AccClosure<Labelled>) -> Vec<&AccLet<Labelled>> {
    let results: HashSet<ArrId> = step.body.results.iter().copied().collect();
    let makes = |let_: &AccLet<Labelled>| let_.binds.iter().any(|b| results.contains(&b.name));
    let lets = step.body.lets.iter();
    lets.filter(|let_| !makes(let_)).collect()
}

type Overwriting<'a> = (&'a [ArrId], &'a Fun<Labelled>, &'a [ArrId]);

/// The defaults, the target function and the arguments of a scatter that overwrites.
fn overwriting(op: &AccOp<Labelled>) -> Option<Overwriting<'_>> {
    match op {
        AccOp::Permute {
            combine: Combine::Overwrite,
            outside: _,
            defaults,
            target,
            args,
        } => Some((defaults, target, args)),
        AccOp::Permute { .. }
        | AccOp::Use(_)
        | AccOp::Generate { .. }
        | AccOp::Map { .. }
        | AccOp::Fold { .. }
        | AccOp::Scan { .. }
        | AccOp::Move { .. }
        | AccOp::Unpack { .. }
        | AccOp::Argsort { .. }
        | AccOp::FoldSegments { .. }
        | AccOp::Append { .. }
        | AccOp::Cond { .. }
        | AccOp::Derivative { .. }
        | AccOp::Custom { .. }
        | AccOp::Loop { .. } => None,
    }
}
