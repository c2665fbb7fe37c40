//! Loops of array code whose elements have nothing to do with each other: each element makes its own trips, in one map.
//!
//! The state is then gone through once instead of once a trip, and no kernel is started anew for each. A loop with a test is
//! of this kind where its state has no dimensions: the one element is asked, where it is. What can fail stays as it is, as
//! failures are those of the first trip, not of the first element.

use super::Rewriter;
use super::looping::is_total;
use crate::analysis::fails::may_fail;
use crate::build::FunBuilder;
use crate::loc::Loc;
use crate::prim::Prim;
use crate::simplify::ArrayLoops;
use crate::term::{AccClosure, AccOp, ArrBind, ArrId, ExpBind, ExpId, ExpOp, Fun, Labelled};
use crate::types::ScalarType;
use std::collections::{HashMap, HashSet};

/// A function, its arguments, and what it makes.
type Map<'a> = (Fun<Labelled>, Vec<ArrId>, &'a [ArrBind<Labelled>]);

/// The code of a trip, or of its test, that is made of maps.
struct Code<'a> {
    closure: &'a AccClosure<Labelled>,
    maps: Vec<Map<'a>>,
}

/// A loop that is made of maps.
struct Maps<'a> {
    test: Option<Code<'a>>,
    step: Code<'a>,
    args: &'a [ArrId],
    /// The arrays from outside that the maps are over, too, or that are results.
    others: Vec<(ArrId, ScalarType)>,
}

impl Rewriter<'_> {
    /// Puts a map in the place of a loop, if that is possible. Whether it did.
    pub(super) fn by_elements(
        &mut self,
        op: &AccOp<Labelled>,
        binds: &[ArrBind<Labelled>],
        loc: Loc,
    ) -> bool {
        let AccOp::Loop {
            trips,
            test,
            step,
            states: _,
            args,
        } = op
        else {
            return false;
        };
        if self.loops == ArrayLoops::Stay || !self.is_derived() || !is_total(trips) {
            return false;
        }
        // In a loop, what may make no trip must cost nothing then.
        if !self.facts.carried.is_empty() && trips.is_at_most(1) {
            return false;
        }
        let Some(maps) = self.maps_of((test.as_ref(), step), args) else {
            return false;
        };
        self.counts.fire("loop_by_elements");
        let op = maps.map(trips, loc);
        match test {
            Some(_) => self.simple(op, binds.to_vec(), loc),
            None => {
                self.simple(trips_made(trips), vec![binds[0].clone()], loc);
                self.simple(op, binds[1..].to_vec(), loc);
            }
        }
        true
    }

    /// The loop as maps over arrays that are all of one shape.
    fn maps_of<'a>(
        &mut self,
        (test, step): (Option<&'a AccClosure<Labelled>>, &'a AccClosure<Labelled>),
        args: &'a [ArrId],
    ) -> Option<Maps<'a>> {
        let first = *args.first()?;
        let is_scalar = step.params.iter().all(|param| param.ty.rank == 0);
        if test.is_some() && !is_scalar {
            return None;
        }
        let mut others = vec![];
        let types = step.params[1..].iter().map(|param| param.ty.elem);
        let step = self.code_of((step, types), first, &mut others)?;
        let test = match test {
            Some(test) => {
                let types = [ScalarType::Bool].into_iter();
                Some(self.code_of((test, types), first, &mut others)?)
            }
            None => None,
        };
        let mut all = others
            .iter()
            .map(|&(array, _)| array)
            .chain(args.iter().copied());
        all.all(|array| self.facts.shapes.same(array, first))
            .then_some(Maps {
                test,
                step,
                args,
                others,
            })
    }

    /// A closure, with results of some types, as maps over arrays of the shape of one; takes note of those that are not from
    /// inside.
    fn code_of<'a>(
        &mut self,
        (closure, types): (&'a AccClosure<Labelled>, impl Iterator<Item = ScalarType>),
        first: ArrId,
        others: &mut Vec<(ArrId, ScalarType)>,
    ) -> Option<Code<'a>> {
        let number = closure.params.first()?;
        // The number of the trip is an array without dimensions, and another one in each trip.
        let mut inside: HashSet<ArrId> = closure.params.iter().map(|param| param.name).collect();
        let mut maps = vec![];
        for let_ in &closure.body.lets {
            let (f, args) = elementwise(&let_.op)?;
            let (f, read) = given(f, &inside, first)?;
            if !is_total(&f) || may_fail(&let_.op, &mut self.facts.shapes) {
                return None;
            }
            let args: Vec<_> = args.iter().copied().chain(read).collect();
            let types = f.params.iter().map(|param| param.ty);
            add_others(others, args.iter().copied().zip(types), &inside);
            inside.extend(let_.binds.iter().map(|bind| bind.name));
            maps.push((f, args, &*let_.binds));
        }
        let results = closure.body.results.iter().copied();
        add_others(others, results.zip(types), &inside);
        inside.remove(&number.name);
        let mut all = inside.into_iter();
        all.all(|array| self.facts.shapes.same(array, first))
            .then_some(Code { closure, maps })
    }
}

/// Takes note of the arrays that are not from inside.
fn add_others(
    others: &mut Vec<(ArrId, ScalarType)>,
    arrays: impl Iterator<Item = (ArrId, ScalarType)>,
    inside: &HashSet<ArrId>,
) {
    for (array, ty) in arrays {
        let known = others.iter().any(|&(other, _)| other == array);
        if !known && !inside.contains(&array) {
            others.push((array, ty));
        }
    }
}

impl Maps<'_> {
    /// The map, given the number of trips: that of the trips made, if a test decides it, and the last state.
    fn map(&self, trips: &Fun<Labelled>, loc: Loc) -> AccOp<Labelled> {
        let state = &self.step.closure.params[1..];
        let mut b = FunBuilder::new();
        b.set_loc(loc);
        let types: Vec<_> = state.iter().map(|param| param.ty.elem).collect();
        let first = b.params(&types);
        let others = self.others.iter();
        let others: Vec<_> = others.map(|&(array, ty)| (array, b.param(ty))).collect();
        let most = b.inline(trips, &[])[0];
        let types = [vec![ScalarType::I32], types].concat();
        let test = self.test.as_ref();
        let test = test.map(|code| b.closure(&types, |b, given| code.inline(b, given, &others)));
        let step = b.closure(&types, |b, given| self.step.inline(b, given, &others));
        let made = b.loop_(&[&[most], &first[..]].concat(), test, step);
        let results = usize::from(self.test.is_none());
        let others = others.into_iter().map(|(array, _)| array);
        AccOp::Map {
            f: b.finish(made[results..].to_vec()),
            args: self.args.iter().copied().chain(others).collect(),
        }
    }
}

impl Code<'_> {
    /// The code for one element, given the number of the trip, the state, and what is from outside.
    fn inline(&self, b: &mut FunBuilder, given: &[ExpId], others: &[(ArrId, ExpId)]) -> Vec<ExpId> {
        let mut elements: HashMap<_, _> = others.iter().copied().collect();
        let params = self.closure.params.iter().map(|param| param.name);
        elements.extend(params.zip(given.iter().copied()));
        for (f, args, binds) in &self.maps {
            let args: Vec<_> = args.iter().map(|array| elements[array]).collect();
            let made = b.inline(f, &args);
            elements.extend(binds.iter().map(|bind| bind.name).zip(made));
        }
        let results = self.closure.body.results.iter();
        results.map(|array| elements[array]).collect()
    }
}

/// The function and the arguments of an operation that makes each element of those at the same place, or the only one.
fn elementwise(op: &AccOp<Labelled>) -> Option<(&Fun<Labelled>, &[ArrId])> {
    match op {
        AccOp::Map { f, args } => Some((f, args)),
        AccOp::Generate { shape, f } if shape.body.results.is_empty() => Some((f, &[])),
        AccOp::Use(_)
        | AccOp::Generate { .. }
        | AccOp::Fold { .. }
        | AccOp::Scan { .. }
        | AccOp::Move { .. }
        | AccOp::Permute { .. }
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

/// How many trips are made, as an array without dimensions.
pub(super) fn trips_made(trips: &Fun<Labelled>) -> AccOp<Labelled> {
    let mut b = FunBuilder::new();
    let (most, none) = (b.inline(trips, &[])[0], b.constant(0));
    let made = b.prim(Prim::Max, &[most, none]);
    AccOp::Generate {
        shape: Fun::constants(&[]),
        f: b.finish(vec![made]),
    }
}

/// A function that is given the elements of arrays bound inside as more arguments, instead of reading them, and these arrays.
/// `None` if one of them has dimensions; `like` has the extents of all.
fn given(
    f: &Fun<Labelled>,
    inside: &HashSet<ArrId>,
    like: ArrId,
) -> Option<(Fun<Labelled>, Vec<ArrId>)> {
    let mut f = f.clone();
    let captures = f.captures.clone();
    let read = |op: &ExpOp<Labelled>| match op {
        ExpOp::Index { array, index } => Some((captures[array.0 as usize], index.is_empty()))
            .filter(|(array, _)| inside.contains(array)),
        ExpOp::Const(_) | ExpOp::Prim(..) | ExpOp::Extent { .. } => None,
        ExpOp::Cond { .. }
        | ExpOp::Derivative { .. }
        | ExpOp::WithPartials(_)
        | ExpOp::Loop { .. } => None,
    };
    let bound = f.params.iter().chain(f.body.bindings());
    let first = bound.map(|bind| bind.name.0 + 1).max().unwrap_or(0);
    let mut params: Vec<(ArrId, ScalarType)> = vec![];
    let mut names: HashMap<ExpId, ExpId> = HashMap::new();
    for let_ in f.body.all_lets() {
        if let Some((array, is_scalar)) = read(&let_.op) {
            let known = params.iter().position(|&(known, _)| known == array);
            let position = known.unwrap_or(params.len());
            if known.is_none() {
                params.push((array, let_.binds[0].ty));
            }
            names.insert(let_.binds[0].name, ExpId(first + position as u32));
            is_scalar.then_some(())?;
        }
    }
    f.body
        .each_block_mut(&mut |block| block.lets.retain(|let_| read(&let_.op).is_none()));
    f.body.rename(&|x| names.get(&x).copied().unwrap_or(x));
    let (arrays, types): (Vec<_>, Vec<_>) = params.into_iter().unzip();
    f.params
        .extend((first..).zip(types).map(|(name, ty)| ExpBind {
            name: ExpId(name),
            ty,
        }));
    f.clean_captures();
    f.rename_captures(|array| if inside.contains(&array) { like } else { array });
    Some((f, arrays))
}
