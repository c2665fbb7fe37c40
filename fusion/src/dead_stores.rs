//! Dead store elimination: stores before a loop into memory that its trips write anew.
//!
//! What a loop keeps of each trip is a row of an array that it carries, and such an array starts as zeros, or as copies of what is
//! to be its first row. Where the trips write all rows but the first ones, one row a trip, and read none, what the kernel before the
//! loop stores in those is never read: it writes a view of the first rows alone.
//!
//! Invariant: every element that is read is what it was. Elements of the carried array that no trip has written yet have no value any
//! more; nobody reads them.

mod definitions;

use cotangent_core::constant::Const;
use cotangent_core::prim::Prim;
use cotangent_core::schedule::{
    ArrayDecl, ArrayId, Body, Carried, Kernel, KernelKind, Layout, Offset, Op, Output, Repeat,
    Schedule, Step, SymbolId, steps,
};
use cotangent_core::types::ScalarType::I32;
use definitions::Definitions;
use std::collections::BTreeMap;

/// What a loop carries of which trips leave the first rows alone.
#[derive(Clone, Copy)]
struct Kept {
    /// The memory before the loop.
    first: ArrayId,
    inside: ArrayId,
    /// The number of these rows, if there are so many.
    rows: i32,
    /// The number of all, if it is known.
    all: Option<i64>,
}

/// Restricts stores to the rows that are read. Gives their number, and calls `made` with each new array and what it is in place of.
pub(crate) fn eliminate(schedule: &mut Schedule, made: &mut dyn FnMut(ArrayId, ArrayId)) -> usize {
    let definitions = Definitions::of(schedule);
    let repeats = steps::all(&schedule.steps).filter_map(Step::as_repeat);
    let kept = repeats.flat_map(|repeat| {
        let carried = repeat.arrays.iter();
        carried.filter_map(|carried| kept_rows(schedule, &definitions, repeat, carried))
    });
    let mut by_memory: BTreeMap<ArrayId, Vec<Kept>> = BTreeMap::new();
    for kept in kept {
        by_memory.entry(kept.first).or_default().push(kept);
    }
    by_memory.retain(|&first, kept| {
        let rows = kept[0].rows;
        kept.iter().all(|kept| kept.rows == rows) && references(schedule, first) == kept.len()
    });
    let mut restrict = |(&first, kept): (&ArrayId, &Vec<Kept>)| {
        let new = restrict(schedule, kept).unwrap_or_default();
        new.iter().for_each(|&new| made(new, first));
        !new.is_empty()
    };
    by_memory.iter().filter(|kept| restrict(*kept)).count()
}

/// The rows that trips leave alone, where they write all others of what is carried and read nothing of it.
fn kept_rows(
    schedule: &Schedule,
    definitions: &Definitions,
    repeat: &Repeat,
    carried: &Carried<ArrayId>,
) -> Option<Kept> {
    let Carried {
        first,
        inside,
        next,
        last: _,
    } = *carried;
    let carries_on = repeat.arrays.iter().filter(|c| c.next == inside).count();
    let stays = next == inside && carries_on == 1 && repeat.test.is_none();
    if !stays || reads(&repeat.body, schedule, inside) != 0 {
        return None;
    }
    let view = only_view(schedule, repeat, inside)?;
    let extents = &schedule.arrays[inside.index()].extents;
    let (rows, row) = (extents.first()?, &extents[1..]);
    let symbol =
        begin_of(schedule, view).filter(|_| schedule.arrays[view.index()].extents == row)?;
    let at = definitions.row(symbol, row)?;
    let most = definitions.linear(repeat.most);
    let all = definitions.linear(*rows);
    let is_all = at.symbol == Some(repeat.number) && at.plus >= 0 && all == most.add(at.plus)?;
    is_all.then_some(Kept {
        first,
        inside,
        rows: i32::try_from(at.plus).ok()?,
        all: all.symbol.is_none().then_some(all.plus),
    })
}

/// The symbol at which a view begins whose elements lie side by side.
fn begin_of(schedule: &Schedule, view: ArrayId) -> Option<SymbolId> {
    match schedule.arrays[view.index()].layout {
        Layout::View {
            of: _,
            offset: Offset {
                symbol,
                constant: 0,
            },
            stride: 1,
        } => symbol,
        Layout::View { .. } | Layout::Own => None,
    }
}

/// How often arrays with the given memory are read, taken over, or given, anywhere; of a view of it, always.
fn references(schedule: &Schedule, memory: ArrayId) -> usize {
    let is_view = |decl: &&ArrayDecl| decl.layout != Layout::Own && owner_of(decl) == Some(memory);
    let views = schedule.arrays.iter().filter(is_view).count();
    let given = schedule.params.iter().chain(&schedule.results);
    let used = schedule.uses.iter().map(|(array, _)| array);
    let given = given.chain(used).filter(|&&array| array == memory).count();
    reads(&schedule.steps, schedule, memory) + given + views
}

fn owner_of(decl: &ArrayDecl) -> Option<ArrayId> {
    match decl.layout {
        Layout::View { of, .. } => Some(of),
        Layout::Own => None,
    }
}

/// How often steps read the memory, take it over, or carry it on.
fn reads(list: &[Step], schedule: &Schedule, memory: ArrayId) -> usize {
    let all = || steps::all(list);
    let loaded = all().flat_map(Step::code).flat_map(Body::reads);
    let read = loaded.chain(all().flat_map(Step::takes));
    read.filter(|&array| schedule.owner(array) == memory)
        .count()
}

/// The view of a memory that a kernel of the trip itself writes, if nothing else in it writes any of that.
fn only_view(schedule: &Schedule, repeat: &Repeat, memory: ArrayId) -> Option<ArrayId> {
    let written = steps::all(&repeat.body).flat_map(Step::writes);
    let mut written = written.filter(|&array| schedule.owner(array) == memory);
    let view = written.next().filter(|_| written.next().is_none())?;
    let mut kernels = repeat.body.iter().filter_map(Step::as_kernel);
    let writes = |kernel: &Kernel| {
        !kernel.writes_in_place() && kernel.outputs().iter().any(|o| o.array == view)
    };
    kernels.any(writes).then_some(view)
}

/// Has the kernel that makes the memory of what is carried, which may be several arrays, store the first rows alone: in memory of its own
/// for each of them, which the loop would else have to copy. Gives the new arrays; `None` where no map makes the memory whose loads all
/// are known to be in range.
fn restrict(schedule: &mut Schedule, all: &[Kept]) -> Option<Vec<ArrayId>> {
    let Kept { first, .. } = *all.first()?;
    let whole = schedule.arrays[first.index()].clone();
    let mut lists = vec![&mut schedule.steps];
    while let Some(list) = lists.pop() {
        let Some(at) = list.iter().position(|step| makes(step, first)) else {
            lists.extend(list.iter_mut().flat_map(Step::lists_mut));
            continue;
        };
        let symbol = SymbolId(schedule.symbols.len() as u32);
        let kernel = first_rows(list[at].as_kernel_mut()?, first, symbol);
        let has_others = !list[at].writes().is_empty();
        schedule.symbols.push(I32);
        let (mut steps, mut new) = (vec![define(symbol, all[0], whole.extents[0])], vec![]);
        for (number, kept) in all.iter().enumerate() {
            let mut of = first;
            if number > 0 {
                of = add(&mut schedule.arrays, whole.clone());
                new.push(of);
                start_from(list, kept.inside, of);
            }
            let view = view_of(&whole, of, symbol);
            let view = add(&mut schedule.arrays, view);
            new.push(view);
            steps.push(Step::Kernel(storing(kernel.clone(), view)));
        }
        list.splice(at..at + usize::from(!has_others), steps);
        return Some(new);
    }
    None
}

fn add(arrays: &mut Vec<ArrayDecl>, array: ArrayDecl) -> ArrayId {
    arrays.push(array);
    ArrayId(arrays.len() as u32 - 1)
}

/// The first rows of an array that is declared like `whole`.
fn view_of(whole: &ArrayDecl, of: ArrayId, rows: SymbolId) -> ArrayDecl {
    ArrayDecl {
        extents: [&[rows], &whole.extents[1..]].concat(),
        layout: Layout::View {
            of,
            offset: Offset::default(),
            stride: 1,
        },
        ..whole.clone()
    }
}

/// Lets the loop that carries an array `inside` start from another one.
fn start_from(list: &mut [Step], inside: ArrayId, first: ArrayId) {
    let mut todo: Vec<&mut Step> = list.iter_mut().collect();
    while let Some(step) = todo.pop() {
        if let Step::Repeat(repeat) = step {
            let carried = repeat.arrays.iter_mut().filter(|c| c.inside == inside);
            carried.for_each(|carried| carried.first = first);
        }
        todo.extend(step.lists_mut().into_iter().flatten());
    }
}

/// Whether a step is a map that makes an array of all its points, by loads that cannot fail.
fn makes(step: &Step, array: ArrayId) -> bool {
    let Some(KernelKind::Map { body, outputs }) = step.as_kernel().map(|kernel| &kernel.kind)
    else {
        return false;
    };
    let Some(output) = outputs.iter().find(|output| output.array == array) else {
        return false;
    };
    let needed = body.needed(&[output.value]);
    let mut loads = needed.filter_map(|(_, inst)| inst.op.as_load());
    loads.all(|load| load.site.is_none())
}

/// Takes an output from a map, and gives a map of so many of the first rows that has it alone.
fn first_rows(kernel: &mut Kernel, array: ArrayId, rows: SymbolId) -> Kernel {
    let mut first = kernel.clone();
    first.space[0] = rows;
    let keep = |kernel: &mut Kernel, keeps: &dyn Fn(&Output) -> bool| {
        if let KernelKind::Map { body, outputs } = &mut kernel.kind {
            outputs.retain(keeps);
            body.prune(outputs.iter_mut().map(|output| &mut output.value));
        }
    };
    keep(&mut first, &|output| output.array == array);
    keep(kernel, &|output| output.array != array);
    first
}

/// The same map, which stores its only output elsewhere.
fn storing(mut kernel: Kernel, array: ArrayId) -> Kernel {
    if let KernelKind::Map { outputs, .. } = &mut kernel.kind {
        outputs.iter_mut().for_each(|output| output.array = array);
    }
    kernel
}

/// Defines the number of rows that are left alone: all, where a number of trips that is negative leaves fewer.
fn define(symbol: SymbolId, kept: Kept, all: SymbolId) -> Step {
    let mut body = Body::default();
    let mut value = body.push(Op::Const(Const::I32(kept.rows)), I32);
    if kept.all.is_none_or(|all| all < kept.rows.into()) {
        let all = body.push(Op::Symbol(all), I32);
        value = body.push(Op::Prim(Prim::Min, vec![value, all]), I32);
    }
    Step::Scalars {
        body,
        defines: vec![(symbol, value)],
    }
}
