//! Scalar code with tangents: what forward mode makes of functions and of `jvp_e`.

use super::forward::{Direction, Forward, Reach};
use super::gradient::Eliminator;
use super::guard::{Form, Singular};
use super::reverse::builder_beside;
use crate::rename::renaming;
use cotangent_core::build::FunBuilder;
use cotangent_core::term::{ArrId, ExpBind, ExpBlock, ExpId, ExpLet, ExpOp, Fun, Labelled, Slot};
use std::collections::HashMap;

/// The direction that arrays have tangents in.
const ALONG: Direction = 0;

/// Scalars with their tangents, in each direction.
pub(super) type Seeds = Vec<Vec<(ExpId, ExpId)>>;

/// The function with the tangents of its float results for which `results` holds after them, zeros where they do not depend on
/// anything that has one. After its parameters it takes the tangents of those for which `params` holds; `tangents_of` says
/// which arrays have tangents, and what those are.
pub(crate) fn with_tangents(
    f: &Fun<Labelled>,
    (params, results): (&[bool], &[bool]),
    tangents_of: impl Fn(ArrId) -> Option<ArrId>,
    form: Form,
) -> Fun<Labelled> {
    let mut fun = f.clone();
    let mut b = builder_beside(f);
    let captured = f.captures.iter().enumerate();
    let captured = captured.filter_map(|(at, &a)| Some((Slot(at as u32), tangents_of(a)?)));
    let arrays: HashMap<Slot, Slot> = captured.map(|(slot, a)| (slot, b.capture(a))).collect();
    let seeds = f.params.iter().zip(params).filter(|(_, active)| **active);
    let seeds = vec![seeds.map(|(p, _)| (p.name, b.param(p.ty))).collect()];
    block_with_tangents(&mut b, &mut fun.body, (&seeds, arrays), form, |position| {
        results[position]
    });
    let added = b.finish(vec![]);
    fun.params.extend(added.params);
    fun.captures = added.captures;
    fun
}

/// Gives the results of a block tangents, after all its results: those for which `chosen` holds, each in all directions of
/// `seeds`. `arrays` says which captured arrays have tangents, in the first direction, and what those are.
pub(super) fn block_with_tangents(
    b: &mut FunBuilder,
    block: &mut ExpBlock<Labelled>,
    (seeds, arrays): (&Seeds, HashMap<Slot, Slot>),
    form: Form,
    chosen: impl Fn(usize) -> bool,
) {
    let mut singular = Singular::default();
    singular.spread(block);
    let mut reach = Reach::default();
    for (direction, x, _) in directed(seeds) {
        reach.seed(x, direction);
    }
    for let_ in block.all_lets() {
        let is_read = let_
            .op
            .slot()
            .is_some_and(|slot| arrays.contains_key(&slot));
        if is_read && matches!(let_.op, ExpOp::Index { .. }) && let_.binds[0].ty.is_float() {
            reach.seed(let_.binds[0].name, ALONG);
        }
    }
    reach.block(block);
    let types: Vec<_> = block.results.iter().map(|&x| b.type_of(x)).collect();
    let mut forward = Forward::new(b, form, &singular, &reach);
    forward.arrays = arrays;
    for (direction, x, tangent) in directed(seeds) {
        forward.set(x, direction, tangent);
    }
    forward.block(block);
    for (position, ty) in types.into_iter().enumerate().filter(|(at, _)| chosen(*at)) {
        let result = block.results[position];
        for direction in 0..seeds.len() {
            forward.result(block, (result, direction), ty);
        }
    }
}

fn directed(seeds: &Seeds) -> impl Iterator<Item = (Direction, ExpId, ExpId)> {
    let directions = seeds.iter().enumerate();
    directions.flat_map(|(direction, seeds)| seeds.iter().map(move |&(x, t)| (direction, x, t)))
}

/// The parts of a derivative along a direction; there is no other derivative in its body.
pub(super) struct Jvp {
    /// The values of the results, then their tangents.
    pub(super) binds: Vec<ExpBind<Labelled>>,
    pub(super) params: Vec<ExpBind<Labelled>>,
    pub(super) body: ExpBlock<Labelled>,
    /// The point, then the tangents.
    pub(super) args: Vec<ExpId>,
}

impl Eliminator {
    /// The code that takes the place of a derivative along a direction; its results become aliases.
    pub(super) fn jvp(&mut self, jvp: Jvp) -> Vec<ExpLet<Labelled>> {
        let Jvp {
            binds,
            params,
            mut body,
            args,
        } = jvp;
        let (point, tangents) = args.split_at(params.len());
        let seeds = params.iter().zip(tangents).filter(|(p, _)| p.ty.is_float());
        let seeds = vec![seeds.map(|(p, &t)| (p.name, t)).collect()];
        let form = Form::of(self.depth > 0);
        block_with_tangents(
            &mut self.b,
            &mut body,
            (&seeds, HashMap::new()),
            form,
            |_| true,
        );
        let names = params.iter().map(|p| p.name).zip(point.iter().copied());
        body.rename(&renaming(&names.collect()));
        let names = binds.iter().map(|b| b.name);
        self.aliases.extend(names.zip(body.results));
        body.lets
    }
}
