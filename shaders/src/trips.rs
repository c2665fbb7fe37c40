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
mod writer;

use crate::Shader;
use crate::body::Text;
use crate::target::{Target, Unsupported};
use cotangent_core::schedule::{ArrayId, Kernel, Repeat, Schedule, Step};
use form::{Form, steps};
use writer::Writer;

/// The shader of all trips of a loop.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Trips {
    /// There is one point; `First` and `End` are trips. Where the loop has a test, leaves two `i32` as its component 0: how
    /// many trips were made, and whether the test has ended the loop.
    pub shader: Shader,
    /// The scalar code and the checks that the host does before the first trip, which is number 0 to them. A strip says that
    /// its only chunk is all that it goes over, which is not empty.
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
    Writer::new(schedule, &mut text, workgroup).all_trips(repeat)?;
    Ok(Some(Trips {
        shader: text.finish(),
        ahead: form.ahead.iter().map(|&step| step.clone()).collect(),
        repeat: repeat.clone(),
        made: form.made.clone(),
    }))
}
