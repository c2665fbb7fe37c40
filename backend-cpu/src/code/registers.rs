//! Register allocation over columns: linear scan by last use.
//!
//! The columns of a segment that a later segment reads live as long as that may be repeated; a destination never
//! shares its register with an operand, since loops must not overlap.

use super::{Code, Dim, Instr, Level, Plan, Slot, usual};
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
        Instr::Entry(which) => code.entries[*which as usize].uses(),
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
        let all = allocate(&columns, &columns.all());
        let usual = allocate(&columns, &columns.usual());
        let kept = kept(&columns);
        Self {
            only_called: only_called(code, &segments),
            outside_only: outside_only(code, &segments),
            segments,
            registers: all.registers,
            register_count: all.most,
            filled: usual.most_filled,
            kept,
        }
    }
}

/// For each load, whether only the general forms of forks read it whose simpler form is for blocks inside.
fn outside_only(code: &Code, segments: &[Vec<Instr>; 6]) -> Vec<bool> {
    let (mut outside, mut elsewhere) = (vec![false; code.loads.len()], vec![]);
    for segment in segments {
        let mut general = 0..0;
        for (at, instr) in segment.iter().enumerate() {
            match instr {
                Instr::Inside { len } => general = at + 1..at + 1 + *len as usize,
                Instr::Fetch(load) | Instr::Load(load) if general.contains(&at) => {
                    outside[*load as usize] = true;
                }
                Instr::Fetch(load) | Instr::Load(load) | Instr::Test(load) => elsewhere.push(*load),
                Instr::Op { .. } | Instr::Chain { .. } | Instr::Twin { .. } => {}
                Instr::Native(_) | Instr::Entry(_) | Instr::Loop(_) | Instr::Coord { .. } => {}
                Instr::Store { .. } | Instr::StoreRow(_) | Instr::Fork { .. } => {}
            }
        }
    }
    for load in elsewhere {
        outside[load as usize] = false;
    }
    outside
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
            | Instr::Entry(_)
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

impl Columns<'_> {
    /// The code of blocks and steps, with its level.
    fn all(&self) -> Vec<(Level, &Instr)> {
        self.code_of(|segment| segment.iter().collect())
    }

    /// The same, without what blocks leave out that take the simpler way at a fork.
    fn usual(&self) -> Vec<(Level, &Instr)> {
        self.code_of(|segment| usual(segment).collect())
    }

    fn code_of<'b>(
        &'b self,
        instrs: impl Fn(&'b [Instr]) -> Vec<&'b Instr>,
    ) -> Vec<(Level, &'b Instr)> {
        let levels = [Level::Kept, Level::Block, Level::Step];
        let of_level = |level: Level| {
            let instrs = instrs(&self.segments[level as usize]);
            instrs.into_iter().map(move |instr| (level, instr))
        };
        levels.into_iter().flat_map(of_level).collect()
    }
}

/// Registers of columns.
struct Allocation {
    /// The register of each slot that needs one.
    registers: Vec<Option<u32>>,
    /// The number of registers.
    most: usize,
    /// How many are in use at once, without those of elements as they lie in an array, which need not be copied.
    most_filled: usize,
}

fn allocate(columns: &Columns, code: &[(Level, &Instr)]) -> Allocation {
    let last_use = last_uses(columns, code);
    let mut registers = vec![None; columns.is_column.len()];
    let (mut free, mut filled) = (vec![], Filled::default());
    for (at, (_, instr)) in code.iter().enumerate() {
        let (read, written) = uses(instr, columns.code);
        let written = written.iter().filter(|&&w| columns.is_column[w as usize]);
        let is_filled = !is_read_in_place(instr, columns.code);
        let mut unused = vec![];
        for &written in written {
            let register = free.pop().unwrap_or_else(|| filled.one_more());
            registers[written as usize] = Some(register);
            filled.take(register, is_filled);
            if last_use[written as usize] <= at {
                unused.push(register);
            }
        }
        let before = free.len();
        free.append(&mut unused);
        release(&read, at, &last_use, &registers, &mut free);
        free[before..].iter().for_each(|&r| filled.leave(r));
    }
    Allocation {
        registers,
        most: filled.is_filled.len(),
        most_filled: filled.most,
    }
}

/// Which registers are filled.
#[derive(Default)]
struct Filled {
    is_filled: Vec<bool>,
    now: usize,
    most: usize,
}

impl Filled {
    fn one_more(&mut self) -> u32 {
        self.is_filled.push(false);
        self.is_filled.len() as u32 - 1
    }

    fn take(&mut self, register: u32, is_filled: bool) {
        self.is_filled[register as usize] = is_filled;
        self.now += usize::from(is_filled);
        self.most = self.most.max(self.now);
    }

    fn leave(&mut self, register: u32) {
        self.now -= usize::from(std::mem::take(&mut self.is_filled[register as usize]));
    }
}

/// Whether an instruction makes a column of what lies in an array side by side, most likely.
fn is_read_in_place(instr: &Instr, code: &Code) -> bool {
    let Instr::Load(load) = instr else {
        return false;
    };
    let dims = &code.loads[*load as usize].dims;
    dims.iter().all(|dim| matches!(dim, Dim::Affine { .. }))
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
