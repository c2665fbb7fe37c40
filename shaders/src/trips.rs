//! Loops of steps as one shader: one workgroup makes all trips, so that no dispatch is needed for each.
//!
//! ```text
//! for trip in first..end:
//!     for each step: the invocations share its points; a barrier, where the next one reads what this one writes
//!     what is carried is taken over, element by element
//! ```
//!
//! An element of all that is carried is read by one invocation, and then written by the same one: so it is taken over all
//! at once, and arrays may change places. What is carried has memory of its own, and so has what is made inside; that stays
//! in its buffers from dispatch to dispatch, so a loop may be cut between any two trips.
//!
//! Symbols that change from trip to trip are variables of each invocation, which computes them for itself; extents and all
//! else are parameters. Every barrier is reached by all invocations: what decides about them are the trips that are to be
//! made and, of a loop with a test, a word that all of them read from the first one.

mod form;

use crate::body::{Text, name, variable};
use crate::target::{Target, Unsupported};
use crate::types::of_value;
use crate::{Parameter, Shader, map, reduce};
use cotangent_core::schedule::{
    ArrayId, Body, Carried, Kernel, KernelKind, Repeat, Schedule, Step, SymbolId, ValueId,
};
use cotangent_core::types::ScalarType;
use form::{Form, steps};
use std::collections::BTreeSet;

/// The shader of all trips of a loop.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Trips {
    /// There is one point; `First` and `End` are trips. Where the loop has a test, leaves two `i32` as its component 0: how
    /// many trips were made, and whether the test has ended the loop.
    pub shader: Shader,
    /// The scalar code and the checks that the host does before the first trip, which is number 0 to them.
    pub ahead: Vec<Step>,
    /// The loop.
    pub repeat: Repeat,
    /// The arrays with memory of their own that come into being inside.
    pub made: Vec<ArrayId>,
}

/// The invocations of the workgroup. Loops whose state is small have few points, and a barrier takes the longer the more
/// invocations there are to wait for.
const WORKGROUP: u32 = 64;

/// The loops of a schedule that one workgroup can run, on a device that has their types and functions.
pub fn trips(schedule: &Schedule, target: &Target) -> Vec<Trips> {
    let lists = schedule.lifetimes().lists;
    let placed = lists.iter().flat_map(|list| &list.steps);
    let loops = placed.filter_map(|placed| Some((placed.step.as_repeat()?, placed)));
    let loops = loops.filter_map(|(repeat, placed)| {
        let own = lists[placed.lists.clone()].iter();
        let own = own.flat_map(|list| list.locals.iter().copied());
        let form = Form::of(schedule, repeat, &own.collect())?;
        shader(schedule, &form, target).ok().flatten()
    });
    loops.collect()
}

impl Trips {
    /// The kernels of a trip, those of the test first.
    pub fn kernels(&self) -> impl Iterator<Item = &Kernel> {
        steps(&self.repeat).flat_map(Step::kernels)
    }
}

/// What was done to arrays since the last barrier, by the owners of their memory.
#[derive(Default)]
struct Since {
    read: BTreeSet<ArrayId>,
    written: BTreeSet<ArrayId>,
}

/// The text of a loop while it is written.
struct Writer<'a, 't> {
    schedule: &'a Schedule,
    text: &'t mut Text<'a>,
    since: Since,
    workgroup: u32,
}

fn shader(schedule: &Schedule, form: &Form, target: &Target) -> Result<Option<Trips>, Unsupported> {
    let repeat = form.repeat;
    let Some(site) = repeat.site else {
        return Ok(None);
    };
    let mut carried = repeat.arrays.iter();
    if !carried.all(|c| target.has(schedule.arrays[c.inside.index()].elem)) {
        return Ok(None);
    }
    let mut text = Text::of(schedule, schedule.sites[site.index()], target);
    text.limits_trips = false;
    text.variables.clone_from(&form.variables);
    let workgroup = WORKGROUP.min(target.group);
    text.begin_alone(workgroup);
    let mut writer = Writer {
        schedule,
        text: &mut text,
        since: Since::default(),
        workgroup,
    };
    writer.all_trips(repeat)?;
    Ok(Some(Trips {
        shader: text.finish(),
        ahead: form.ahead.iter().map(|&step| step.clone()).collect(),
        repeat: repeat.clone(),
        made: form.made.clone(),
    }))
}

impl Writer<'_, '_> {
    fn line(&mut self, text: &str) {
        self.text.line(text);
    }

    fn all_trips(&mut self, repeat: &Repeat) -> Result<(), Unsupported> {
        let first = self.text.word(Parameter::First);
        let end = self.text.word(Parameter::End);
        self.line(&format!("var trip = {first};"));
        self.line("var has_ended = false;");
        self.line(&format!("for (; trip < {end}; trip++) {{"));
        self.line(&format!("let {} = i32(trip);", variable(repeat.number)));
        if let Some((steps, holds)) = &repeat.test {
            self.steps(steps)?;
            self.stop_unless(*holds);
        }
        self.steps(&repeat.body)?;
        self.take_over(&repeat.arrays);
        self.line("storageBarrier();");
        self.line("}");
        if repeat.test.is_some() {
            self.tell();
        }
        Ok(())
    }

    fn steps(&mut self, steps: &[Step]) -> Result<(), Unsupported> {
        steps.iter().try_for_each(|step| self.step(step))
    }

    fn step(&mut self, step: &Step) -> Result<(), Unsupported> {
        match step {
            Step::Scalars { body, defines } => {
                let own = defines.iter().copied();
                let own = own.filter(|(symbol, _)| self.text.variables.contains(symbol));
                let own: Vec<_> = own.collect();
                if own.is_empty() && !body.iter().any(|(_, inst)| inst.op.may_fail()) {
                    return Ok(());
                }
                self.separate(&step.reads(), &[]);
                self.scalars(body, &own)
            }
            Step::Kernel(kernel) => {
                self.separate(&step.reads(), &step.writes());
                self.kernel(kernel)
            }
            // The host has verified it.
            Step::Check(..) => Ok(()),
            // They are in no such loop.
            Step::If { .. } | Step::Strip(_) | Step::Repeat(_) => Ok(()),
        }
    }

    /// A barrier, if the order of what comes next and of what was done since the last one matters.
    fn separate(&mut self, reads: &[ArrayId], writes: &[ArrayId]) {
        let owners = |arrays: &[ArrayId]| -> BTreeSet<_> {
            let owners = arrays.iter().map(|&array| self.schedule.owner(array));
            owners.collect()
        };
        let (reads, writes) = (owners(reads), owners(writes));
        let Since { read, written } = &self.since;
        let is_apart = written.is_disjoint(&reads)
            && written.is_disjoint(&writes)
            && read.is_disjoint(&writes);
        if !is_apart {
            self.line("storageBarrier();");
            self.since = Since::default();
        }
        self.since.read.extend(reads);
        self.since.written.extend(writes);
    }

    /// Scalar code, which each invocation runs for itself.
    fn scalars(&mut self, body: &Body, defines: &[(SymbolId, ValueId)]) -> Result<(), Unsupported> {
        for &(symbol, value) in defines {
            let ty = of_value(body.type_of(value));
            self.line(&format!("var {}: {ty};", variable(symbol)));
        }
        let failing = body.iter().filter(|(_, inst)| inst.op.may_fail());
        let roots = defines.iter().map(|&(_, v)| v);
        let roots: Vec<_> = roots.chain(failing.map(|(v, _)| v)).collect();
        self.line("{");
        self.line("let point = 0u;");
        self.text.values(body, &roots)?;
        for &(symbol, value) in defines {
            self.line(&format!("{} = {};", variable(symbol), name(value)));
        }
        self.line("}");
        Ok(())
    }

    /// Begins the loop of an invocation through its share of so many points.
    fn begin_points(&mut self, points: &str) {
        let workgroup = self.workgroup;
        self.line(&format!(
            "for (var point = local; point < {points}; point += {workgroup}u) {{"
        ));
    }

    fn kernel(&mut self, kernel: &Kernel) -> Result<(), Unsupported> {
        let points = self.text.size(&kernel.space);
        self.begin_points(&points);
        match &kernel.kind {
            KernelKind::Map { .. } => map::at_point(self.text, kernel)?,
            KernelKind::Reduce { .. } | KernelKind::Contract { .. } => {
                reduce::at_point(self.text, kernel)?;
            }
            KernelKind::Scan { .. } | KernelKind::Scatter { .. } => {
                return Err(Unsupported::form(kernel));
            }
        }
        self.line("}");
        Ok(())
    }

    /// Ends the loop where the test does not hold. All invocations go by what the first one found.
    fn stop_unless(&mut self, holds: SymbolId) {
        self.text.share("goes_on", ScalarType::Bool, 1);
        let holds = self.text.symbol(holds);
        self.line(&format!(
            "if local == 0u {{ goes_on[0] = select(0u, 1u, {holds}); }}"
        ));
        self.line("has_ended = workgroupUniformLoad(&goes_on[0]) == 0u;");
        self.line("if has_ended { break; }");
    }

    /// Makes what is carried inside what comes next.
    fn take_over(&mut self, carried: &[Carried<ArrayId>]) {
        let moved = carried.iter().filter(|c| c.inside != c.next);
        let moved: Vec<_> = moved.collect();
        if moved.is_empty() {
            return;
        }
        let all = |of: fn(&Carried<ArrayId>) -> ArrayId| -> Vec<_> {
            moved.iter().map(|&c| of(c)).collect()
        };
        self.separate(&all(|c| c.next), &all(|c| c.inside));
        let mut lengths = vec![];
        for carried in &moved {
            let extents = &self.schedule.arrays[carried.inside.index()].extents;
            lengths.push(self.text.size(extents));
        }
        let most = lengths.iter().skip(1);
        let most = most.fold(lengths[0].clone(), |most, n| format!("max({most}, {n})"));
        self.begin_points(&most);
        for (n, (carried, length)) in moved.iter().zip(&lengths).enumerate() {
            let ty = of_value(self.schedule.arrays[carried.next.index()].elem);
            let next = self.text.element_value(carried.next, "point");
            self.line(&format!("var next{n}: {ty};"));
            self.line(&format!("if point < {length} {{ next{n} = {next}; }}"));
        }
        for (n, (carried, length)) in moved.iter().zip(&lengths).enumerate() {
            self.line(&format!("if point < {length} {{"));
            let next = format!("next{n}");
            self.text.store_variable(carried.inside, "point", &next);
            self.line("}");
        }
        self.line("}");
    }

    /// Leaves how many trips were made, and whether they were all.
    fn tell(&mut self) {
        self.line("if local == 0u {");
        self.text.leave(0, ScalarType::I32, "0u", "i32(trip)");
        self.text
            .leave(0, ScalarType::I32, "1u", "select(0i, 1i, has_ended)");
        self.line("}");
    }
}
