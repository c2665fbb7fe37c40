//! A function with a loop, in parts: what comes before the loop, its closures, and the rest.

use crate::exp::trim;
use cotangent_core::term::{ExpBind, ExpBlock, ExpId, ExpLet, ExpOp, Fun, Labelled};
use std::collections::BTreeSet;

/// The parts of a function.
#[derive(Debug)]
pub(in crate::acc) struct Parts {
    /// From the parameters to the most trips, unless those are the same for all elements, the first state, and what is live:
    /// what the other parts need of the code before the loop.
    pub before: Fun<Labelled>,
    /// How many scalars are live.
    pub live: usize,
    /// The most trips, where they are the same for all elements.
    pub trips: Option<Fun<Labelled>>,
    /// From the number of the trip, the state, what is live and the parameters to whether to make a trip.
    pub test: Option<Fun<Labelled>>,
    /// The same, to the next state.
    pub step: Fun<Labelled>,
    /// How many scalars the state has.
    pub state: usize,
    /// From the number of trips made, the last state, what is live and the parameters to the results.
    pub rest: Fun<Labelled>,
}

impl Parts {
    /// The parts of `f` around its loop at a position among its lets.
    pub(super) fn of(f: &Fun<Labelled>, at: usize) -> Option<Self> {
        let (before, others) = f.body.lets.split_at(at);
        let (loop_, rest) = others.split_first()?;
        let ExpOp::Loop { test, step, args } = &loop_.op else {
            return None;
        };
        let uniform = Uniform::of(before);
        let rest = ExpBlock {
            lets: rest.to_vec(),
            results: f.body.results.clone(),
        };
        let live = live(before, loop_, &rest, &uniform);
        let cut = Cut {
            f,
            uniform: &uniform,
            live: &live,
        };
        let is_uniform = uniform.names.contains(&args[0]);
        let first = &args[usize::from(is_uniform)..];
        let live_names = live.iter().map(|bind| bind.name);
        let results = first.iter().copied().chain(live_names).collect();
        let before = ExpBlock {
            lets: before.to_vec(),
            results,
        };
        let most = ExpBlock {
            lets: vec![],
            results: vec![args[0]],
        };
        Some(Self {
            before: trim(Fun {
                body: before,
                ..f.clone()
            }),
            live: live.len(),
            trips: is_uniform.then(|| {
                let trips = cut.fun(&[], &most);
                Fun {
                    params: vec![],
                    ..trips
                }
            }),
            test: test.as_ref().map(|test| cut.fun(&test.params, &test.body)),
            step: cut.fun(&step.params, &step.body),
            state: step.body.results.len(),
            rest: cut.fun(&loop_.binds, &rest),
        })
    }
}

/// Code that gives the same for all elements: constants, extents, and what follows from these.
struct Uniform {
    lets: Vec<ExpLet<Labelled>>,
    names: BTreeSet<ExpId>,
}

impl Uniform {
    fn of(lets: &[ExpLet<Labelled>]) -> Self {
        let mut uniform = Self {
            lets: vec![],
            names: BTreeSet::new(),
        };
        for let_ in lets {
            let is_uniform = match &let_.op {
                ExpOp::Const(_) | ExpOp::Extent { .. } => true,
                ExpOp::Prim(_, operands) => operands.iter().all(|x| uniform.names.contains(x)),
                ExpOp::Index { .. } | ExpOp::Cond { .. } => false,
                ExpOp::Loop { .. } | ExpOp::Derivative { .. } | ExpOp::WithPartials(_) => false,
            };
            if is_uniform {
                uniform.lets.push(let_.clone());
                uniform
                    .names
                    .extend(let_.binds.iter().map(|bind| bind.name));
            }
        }
        uniform
    }
}

/// What the loop and the rest need of the code before, besides what is the same for all elements.
fn live(
    before: &[ExpLet<Labelled>],
    loop_: &ExpLet<Labelled>,
    rest: &ExpBlock<Labelled>,
    uniform: &Uniform,
) -> Vec<ExpBind<Labelled>> {
    let closures = loop_.op.blocks().into_iter();
    let mut needed: BTreeSet<ExpId> = closures.flat_map(|inner| inner.block.reads()).collect();
    needed.extend(rest.reads());
    let bound = before.iter().flat_map(|let_| &let_.binds);
    let is_live = |bind: &&ExpBind<Labelled>| {
        needed.contains(&bind.name) && !uniform.names.contains(&bind.name)
    };
    bound.filter(is_live).cloned().collect()
}

/// What parts of a function have in common.
struct Cut<'a> {
    f: &'a Fun<Labelled>,
    uniform: &'a Uniform,
    live: &'a [ExpBind<Labelled>],
}

impl Cut<'_> {
    /// A part with parameters of its own before those that all have.
    fn fun(&self, own: &[ExpBind<Labelled>], body: &ExpBlock<Labelled>) -> Fun<Labelled> {
        let lets = self.uniform.lets.iter().chain(&body.lets);
        trim(Fun {
            captures: self.f.captures.clone(),
            params: [own, self.live, &self.f.params].concat(),
            body: ExpBlock {
                lets: lets.cloned().collect(),
                results: body.results.clone(),
            },
        })
    }
}
