//! Register allocation over columns: linear scan by last use.
//!
//! The columns of a segment that a later segment reads live as long as that may be repeated; a destination never
//! shares its register with an operand, since loops must not overlap.

use super::{Code, Dim, Instr, Level, Plan, Slot};
use std::collections::BTreeSet;

/// What the allocation reads.
struct Columns<'a> {
    code: &'a Code,
    segments: &'a [Vec<Instr>; 6],
    /// Whether a slot is a column in a register.
    is_column: &'a [bool],
    /// Slots that live to the end.
    kept: &'a [Slot],
}

/// The slots an instruction reads, and those it writes.
pub(crate) fn uses(instr: &Instr, code: &Code) -> (Vec<Slot>, Vec<Slot>) {
    match instr {
        Instr::Op { dst, args, .. } => (args.to_vec(), vec![*dst]),
        Instr::Chain { dst, args, .. } => (args.to_vec(), vec![*dst]),
        Instr::Native(call) => (call.reads.clone(), call.writes.clone()),
        Instr::Twin { f: _, dst, from } => (vec![*from], dst.to_vec()),
        Instr::Coord { dst, coord: _ } => (vec![], vec![*dst]),
        Instr::Store { from, output: _ } => (vec![*from], vec![]),
        Instr::Fork {
            from,
            rare: _,
            len: _,
        } => (vec![*from], vec![]),
        Instr::Inside { len: _ } | Instr::Test(_) => (vec![], vec![]),
        Instr::StoreRow(row) => (code.rows[*row as usize].slots.clone(), vec![]),
        Instr::Loop(which) => code.loops[*which as usize].uses(),
        Instr::Fetch(load) | Instr::Load(load) => {
            let load = &code.loads[*load as usize];
            let dims = load.dims.iter().filter_map(|dim| match dim {
                Dim::Affine { .. } => None,
                Dim::Column(slot) => Some(*slot),
            });
            (dims.chain(load.guard).collect(), vec![load.dst])
        }
    }
}

impl Plan {
    /// Gives the columns of segments their registers; those of outputs that are not stored last to the end.
    pub fn new(code: &Code, segments: [Vec<Instr>; 6]) -> Self {
        let keep = code.stores_nothing;
        let is_column = written_columns(code, &segments);
        let columns = Columns {
            code,
            segments: &segments,
            is_column: &is_column,
            kept: if keep { &code.outputs } else { &[] },
        };
        let (registers, register_count) = allocate(&columns);
        let kept = kept(&columns);
        Self {
            only_called: only_called(code, &segments),
            segments,
            registers,
            register_count,
            kept,
        }
    }
}

/// For each slot, whether it is read, and by functions only.
fn only_called(code: &Code, segments: &[Vec<Instr>; 6]) -> Vec<bool> {
    let (mut called, mut others) = (vec![false; code.slots], vec![false; code.slots]);
    for instr in segments.iter().flatten() {
        let readers = match instr {
            Instr::Native(_) => &mut called,
            Instr::Op { .. }
            | Instr::Chain { .. }
            | Instr::Twin { .. }
            | Instr::Fetch(_)
            | Instr::Load(_)
            | Instr::Loop(_)
            | Instr::Test(_)
            | Instr::Coord { .. }
            | Instr::Store { .. }
            | Instr::StoreRow(_)
            | Instr::Fork { .. }
            | Instr::Inside { .. } => &mut others,
        };
        for slot in uses(instr, code).0 {
            readers[slot as usize] = true;
        }
    }
    for &slot in code.outputs.iter().chain(&code.outputs_again) {
        others[slot as usize] = true;
    }
    let only = called.into_iter().zip(others);
    only.map(|(called, others)| called && !others).collect()
}

/// The slots that instructions for all lanes write.
pub(super) fn written_columns(code: &Code, segments: &[Vec<Instr>; 6]) -> Vec<bool> {
    let mut is_column = vec![false; code.slots];
    for level in [Level::Kept, Level::Block, Level::Step] {
        for instr in &segments[level as usize] {
            for written in uses(instr, code).1 {
                is_column[written as usize] = true;
            }
        }
    }
    is_column
}

/// The register of each slot that needs one, and the number of registers.
fn allocate(columns: &Columns) -> (Vec<Option<u32>>, usize) {
    let levels = [Level::Kept, Level::Block, Level::Step];
    let of_level = |level: Level| {
        let segment = columns.segments[level as usize].iter();
        segment.map(move |instr| (level, instr))
    };
    let code: Vec<(Level, &Instr)> = levels.into_iter().flat_map(of_level).collect();
    let last_use = last_uses(columns, &code);
    let mut registers = vec![None; columns.is_column.len()];
    let (mut free, mut count) = (vec![], 0);
    for (at, (_, instr)) in code.iter().enumerate() {
        let (read, written) = uses(instr, columns.code);
        let written = written.iter().filter(|&&w| columns.is_column[w as usize]);
        let mut unused = vec![];
        for &written in written {
            let register = free.pop().unwrap_or_else(|| {
                count += 1;
                count - 1
            });
            registers[written as usize] = Some(register);
            if last_use[written as usize] <= at {
                unused.push(register);
            }
        }
        free.append(&mut unused);
        release(&read, at, &last_use, &registers, &mut free);
    }
    (registers, count as usize)
}

/// The columns that one visit of a block leaves to the next, in another row.
fn kept(columns: &Columns) -> Vec<Slot> {
    let used = |level: Level| {
        let instrs = columns.segments[level as usize].iter();
        instrs.map(|instr| uses(instr, columns.code))
    };
    let later = used(Level::Block).chain(used(Level::Step));
    let read: BTreeSet<Slot> = later.flat_map(|(read, _)| read).collect();
    let written = used(Level::Kept).flat_map(|(_, written)| written);
    written.filter(|slot| read.contains(slot)).collect()
}

/// Frees the registers of the slots read for the last time.
fn release(
    read: &[Slot],
    at: usize,
    last_use: &[usize],
    registers: &[Option<u32>],
    free: &mut Vec<u32>,
) {
    for (i, &slot) in read.iter().enumerate() {
        let first_mention = !read[..i].contains(&slot);
        if let Some(register) = registers[slot as usize]
            && first_mention
            && last_use[slot as usize] == at
        {
            free.push(register);
        }
    }
}

/// The position at which each slot is read last; 0 for never.
fn last_uses(columns: &Columns, code: &[(Level, &Instr)]) -> Vec<usize> {
    let mut last = vec![0; columns.is_column.len()];
    let mut written_in = vec![None; columns.is_column.len()];
    for (at, (level, instr)) in code.iter().enumerate() {
        let (read, written) = uses(instr, columns.code);
        for slot in read {
            let is_repeated = written_in[slot as usize].is_some_and(|before| before < *level);
            last[slot as usize] = if is_repeated { usize::MAX } else { at };
        }
        for written in written {
            written_in[written as usize] = Some(*level);
        }
    }
    for &slot in columns.kept {
        last[slot as usize] = usize::MAX;
    }
    last
}
