//! Loops of scalar code, cut into chunks of trips, for devices that may not make all of them at once.
//!
//! ```text
//! kernel over [n]                       kernel over [n]: made = 0, state = init, on = trips > 0
//!     x = loop …             becomes    repeat while some on:
//!     A <- f(x)                             kernel over [n]: up to `most` trips more, from what is there
//!                                       kernel over [n]: A <- f(state)
//! ```
//!
//! What loops carry is in memory between chunks, for each point of those coordinates that the loop depends on: so a loop
//! among the elements of a reduction is made before the reduction. The trips of loops inside of a loop count, too, when the
//! trip ends that made them. Where one of those loops may make more than `most` trips by itself, the loop around it can be
//! made trip by trip ([`Nests::TripByTrip`]):
//!
//! ```text
//! repeat while some on:
//!     kernel over [n]: the loops inside of the trip, as above, of no trips where not on
//!     kernel over [n]: the rest of the trip, from their results
//! ```
//!
//! Loops in operators and in strips stay as they are.
//!
//! What fails in a trip that a chunk makes is told with the number inside of the chunk; [`Numbers::in_whole`] says what its
//! number is in the whole loop. Of several points of a kernel that fail, one that comes later may do so in an earlier chunk: who
//! is to tell the first goes on with those before it until the last part of the kernel is run ([`Part`]).

mod counted;
mod guard;
mod part;
mod step;
mod trip;

pub(super) use guard::guarded;
pub use part::Part;

use super::{
    ArrayDecl, ArrayId, Body, Kernel, KernelKind, Layout, Load, Loop, Op, Schedule, SiteId, Step,
    SymbolId, ValueId,
};
use crate::backend::Site;
use crate::types::ScalarType;

/// A set of coordinates has so many bits.
const MAX_AXES: usize = 64;

/// What is done about loops inside of loops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nests {
    /// A trip of the outermost loop is made in one chunk, with all loops inside.
    InChunks,
    /// A loop that holds others, of too many trips for a chunk or of a number that is not known, makes its trips one by one,
    /// so that those can be cut.
    TripByTrip,
}

/// A schedule whose loops go on from chunk to chunk.
#[derive(Clone, Debug)]
pub struct Chunked {
    /// The schedule.
    pub schedule: Schedule,
    /// What each kernel is a part of, in the order of [`Schedule::kernels`].
    pub parts: Vec<Part>,
    /// What tells the numbers of trips.
    pub numbers: Numbers,
}

/// The arrays that tell which trips of the loops as they were a kernel makes.
#[derive(Clone, Debug, Default)]
pub struct Numbers {
    /// The arrays that count the trips that were made before a chunk.
    before: Vec<ArrayId>,
    /// Of the loops made trip by trip, those around others first: the array that says where there is a trip to make, which
    /// whatever is a part of the trip reads, and that of its number.
    single: Vec<(ArrayId, ArrayId)>,
}

/// The schedule with its loops cut into chunks of about `most` trips; none if there is no loop that can be. Loops of a known
/// number of trips, no more than that, stay whole, but are made before reductions.
pub fn chunks(schedule: &Schedule, most: i32, nests: Nests) -> Option<Chunked> {
    let mut cutter = Cutter {
        schedule: schedule.clone(),
        numbers: Numbers::default(),
        parts: vec![],
        made: vec![],
        going_on: vec![],
        count: 0,
        most,
        nests,
    };
    let mut steps = std::mem::take(&mut cutter.schedule.steps);
    cutter.list(&mut steps);
    cutter.schedule.steps = steps;
    let is_changed = match nests {
        Nests::InChunks => cutter.parts.len() > cutter.count,
        Nests::TripByTrip => !cutter.numbers.single.is_empty(),
    };
    is_changed.then_some(Chunked {
        schedule: cutter.schedule,
        parts: cutter.parts,
        numbers: cutter.numbers,
    })
}

impl Numbers {
    /// The numbers of the trips in the loops as they were, for those that are told of a kernel, outermost first. `element` gives
    /// the element of an array at the point that the kernel was at.
    pub fn in_whole<E>(
        &self,
        kernel: &Kernel,
        mut trips: Vec<i64>,
        mut element: impl FnMut(ArrayId) -> Result<i64, E>,
    ) -> Result<Vec<i64>, E> {
        let read: Vec<_> = kernel.body().reads().collect();
        let before = self.before.iter().find(|array| read.contains(array));
        if let (Some(first), Some(&before)) = (trips.first_mut(), before) {
            *first += element(before)?;
        }
        let around = self.single.iter().filter(|(on, _)| read.contains(on));
        let around: Result<Vec<_>, _> = around.map(|&(_, number)| element(number)).collect();
        Ok(around?.into_iter().chain(trips).collect())
    }
}

struct Cutter {
    /// The schedule without its steps.
    schedule: Schedule,
    numbers: Numbers,
    parts: Vec<Part>,
    /// The first arrays of the kernels made from the one at hand, and which of its coordinates theirs are.
    made: Vec<(ArrayId, Vec<u32>)>,
    /// The arrays that say where there are trips to make.
    going_on: Vec<ArrayId>,
    /// The number of kernels of the schedule that were gone through.
    count: usize,
    most: i32,
    nests: Nests,
}

/// A loop of a kernel, and where it is run.
struct Subject<'a> {
    kernel: &'a Kernel,
    /// The value of the loop in the body of the kernel.
    value: ValueId,
    of: &'a Loop,
    /// The coordinates of the kernel that the loop depends on.
    axes: Vec<u32>,
    /// Their extents.
    space: Vec<SymbolId>,
    /// The extents of the others.
    others: Vec<SymbolId>,
    /// Which coordinates they are of the kernel that all of this is a part of.
    within: Vec<u32>,
    site: SiteId,
}

impl Cutter {
    fn list(&mut self, steps: &mut Vec<Step>) {
        let mut new = Vec::with_capacity(steps.len());
        for mut step in std::mem::take(steps) {
            for list in step.lists_mut() {
                self.list(list);
            }
            let mut before = vec![];
            if let Some(kernel) = step.as_kernel_mut() {
                let all: Vec<_> = (0..kernel.rank()).collect();
                self.kernel(kernel, &all, &mut before);
            }
            self.add_parts(&before, &step);
            new.append(&mut before);
            new.push(step);
        }
        *steps = new;
    }

    /// Has the loops of a kernel made before it. `within` tells which coordinates its own are of what it is a part of.
    fn kernel(&mut self, kernel: &mut Kernel, within: &[u32], steps: &mut Vec<Step>) {
        while let Some(value) = self.next_loop(kernel) {
            let whole = kernel.clone();
            let Some(of) = whole.body().op(value).as_loop() else {
                return;
            };
            let axes = axes(whole.body(), value);
            let extents: Vec<_> = whole.space.iter().chain(whole.inner()).collect();
            let others = (0..).zip(&extents).filter(|(axis, _)| !axes.contains(axis));
            let subject = Subject {
                others: others.map(|(_, extent)| **extent).collect(),
                space: axes.iter().map(|&axis| *extents[axis as usize]).collect(),
                within: axes.iter().map(|&axis| within[axis as usize]).collect(),
                axes,
                value,
                of,
                site: self.site(&whole),
                kernel: &whole,
            };
            let is_single = self.nests == Nests::TripByTrip;
            let results = if self.are_few(of.most_trips(whole.body())) {
                self.made_whole(&subject, steps)
            } else if is_single && !self.are_few(of.region.body.most_trips()) {
                self.repeated(&subject, Self::single_trip, steps)
            } else {
                self.repeated(&subject, Self::chunk, steps)
            };
            read_instead(kernel, value, &subject.axes, &results);
        }
    }

    /// The first loop that is to be made before a kernel.
    fn next_loop(&self, kernel: &Kernel) -> Option<ValueId> {
        let body = kernel.body();
        if kernel.rank() as usize > MAX_AXES {
            return None;
        }
        // A point of a map makes its loops once; an element of a reduction is one of many.
        let is_map = matches!(kernel.kind, KernelKind::Map { .. });
        if is_map && self.are_few(body.most_trips()) {
            return None;
        }
        let mut insts = body.iter();
        insts.find_map(|(v, inst)| inst.op.as_loop().and(Some(v)))
    }

    /// Whether these are so few trips that they need not be cut.
    fn are_few(&self, trips: Option<i64>) -> bool {
        trips.is_some_and(|trips| trips <= i64::from(self.most))
    }

    fn site(&mut self, kernel: &Kernel) -> SiteId {
        let site = Site {
            construct: kernel.name,
            loc: kernel.loc,
        };
        self.schedule.sites.push(site);
        SiteId(self.schedule.sites.len() as u32 - 1)
    }

    fn symbol(&mut self, ty: ScalarType) -> SymbolId {
        self.schedule.symbols.push(ty);
        SymbolId(self.schedule.symbols.len() as u32 - 1)
    }

    fn array(&mut self, elem: ScalarType, subject: &Subject) -> ArrayId {
        self.array_of(elem, &subject.space, subject.site)
    }

    fn array_of(&mut self, elem: ScalarType, extents: &[SymbolId], site: SiteId) -> ArrayId {
        self.schedule.arrays.push(ArrayDecl {
            elem,
            extents: extents.to_vec(),
            layout: Layout::Own,
            site,
        });
        ArrayId(self.schedule.arrays.len() as u32 - 1)
    }
}

/// The coordinates that a value depends on.
fn axes(body: &Body, value: ValueId) -> Vec<u32> {
    let set = body.dependencies()[value.index()];
    let axes = 0..MAX_AXES as u32;
    axes.filter(|axis| set >> axis & 1 == 1).collect()
}

/// Has a kernel read what its loop at `value` results in: the number of trips, then what it carried.
fn read_instead(kernel: &mut Kernel, value: ValueId, axes: &[u32], results: &[ArrayId]) {
    let coord = |axis: &u32| {
        // The loop depends on the coordinate, which is there before it.
        let mut insts = kernel.body().iter();
        insts.find_map(|(v, inst)| (inst.op.as_coord() == Some(*axis)).then_some(v))
    };
    let index: Vec<_> = axes.iter().filter_map(coord).collect();
    let mut at = 0;
    kernel.body_mut().change(|op| {
        let of = match op {
            Op::Loop(_) if at == value.0 => Some(0),
            Op::Out(of, which) if *of == value => Some(*which as usize + 1),
            Op::Const(_) | Op::Symbol(_) | Op::Coord(_) | Op::Arg(_) => None,
            Op::Prim(..) | Op::Load(_) | Op::Loop(_) | Op::Out(..) => None,
        };
        if let Some(result) = of {
            *op = Op::Load(element(results[result], index.clone()));
        }
        at += 1;
    });
}

/// An element that is in range.
fn element(array: ArrayId, index: Vec<ValueId>) -> Load {
    Load {
        array,
        index,
        guard: None,
        site: None,
    }
}
