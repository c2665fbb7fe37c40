//! What matters of a schedule's steps, in order.

use cotangent_core::schedule::{Body, Kernel, Repeat, Step, Strip, SymbolId, ValueId};

/// What is around a kernel.
#[derive(Clone, Debug, Default)]
pub(crate) struct Around {
    /// The conditions that hold or do not hold where it runs.
    pub conditions: Vec<(SymbolId, bool)>,
    /// The dimension over which it runs chunk by chunk.
    pub strip: Option<SymbolId>,
    /// The trips of the loops that it is in, outermost first.
    pub trips: Vec<SymbolId>,
}

/// What matters of a step; the steps of branches stand before the end of their conditional.
pub(crate) enum Event<'a> {
    Scalars(&'a Body, &'a [(SymbolId, ValueId)]),
    /// A kernel, and what is around it.
    Kernel(&'a Kernel, Around),
    Merge(&'a [(SymbolId, SymbolId, SymbolId)], SymbolId),
    /// A strip begins, whose kernels follow.
    Strip(&'a Strip),
    /// A loop begins, whose steps follow.
    Repeat(&'a Repeat),
}

/// All events, in order. Conditionals may be nested deeply, so this does not recurse.
pub(crate) fn events(steps: &[Step]) -> Vec<Event<'_>> {
    enum Todo<'a> {
        Steps(std::slice::Iter<'a, Step>, Around),
        Event(Event<'a>),
    }
    let (mut events, mut todo) = (vec![], vec![Todo::Steps(steps.iter(), Around::default())]);
    while let Some(next) = todo.pop() {
        let (mut steps, around) = match next {
            Todo::Event(event) => {
                events.push(event);
                continue;
            }
            Todo::Steps(steps, around) => (steps, around),
        };
        let Some(step) = steps.next() else {
            continue;
        };
        todo.push(Todo::Steps(steps, around.clone()));
        match step {
            Step::Scalars { body, defines } => events.push(Event::Scalars(body, defines)),
            Step::Check(..) => {}
            Step::Kernel(kernel) => events.push(Event::Kernel(kernel, around)),
            Step::Strip(strip) => {
                events.push(Event::Strip(strip));
                let inside = Around {
                    strip: Some(strip.over),
                    ..around
                };
                let kernels = strip.kernels.iter();
                events.extend(kernels.map(|k| Event::Kernel(k, inside.clone())));
            }
            Step::Repeat(repeat) => {
                events.push(Event::Repeat(repeat));
                let inside = Around {
                    trips: [&around.trips[..], &[repeat.trips()]].concat(),
                    ..around
                };
                let lists = step.lists().into_iter().rev();
                todo.extend(lists.map(|steps| Todo::Steps(steps.iter(), inside.clone())));
            }
            Step::If {
                cond,
                then_,
                else_,
                symbols,
                arrays: _,
            } => {
                let under = |holds| Around {
                    conditions: [around.conditions.clone(), vec![(*cond, holds)]].concat(),
                    ..around.clone()
                };
                todo.push(Todo::Event(Event::Merge(symbols, *cond)));
                todo.push(Todo::Steps(else_.iter(), under(false)));
                todo.push(Todo::Steps(then_.iter(), under(true)));
            }
        }
    }
    events
}
