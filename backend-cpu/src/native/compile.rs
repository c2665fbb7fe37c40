//! From bytecode to a plan in which functions stand in place of instructions.

use super::encode::encode;
use super::group::{Item, Readers, grouped};
use super::{Call, Functions};
use crate::code::{Code, Instr, LEVELS, Level, Plan};
use crate::isa::Isa;
use std::sync::Arc;

/// Rows of more columns are written by bytecode alone. Their columns would all be there at once, and the lines that they
/// are written to all be asked for at once, where bytecode spreads both among its instructions: the Jacobian of bundle
/// adjustment, with rows of 31, took a third longer.
const LONGEST_ROW: usize = 8;

/// Compiles the segments of a body. `None` if no instructions of it can become functions, be it that the machine or the
/// system does not allow it, or if that does not pay.
pub(super) fn compile(code: &Code) -> Option<(Plan, Functions)> {
    let is_long = code.rows.iter().any(|row| row.slots.len() > LONGEST_ROW);
    if code.target.isa != Isa::Avx512 || is_long {
        return None;
    }
    let readers = Readers::of(code);
    let mut bytes = vec![];
    let mut segment = |level: Level| {
        let items = grouped(code, level, &readers);
        let instrs = items.into_iter().map(|item| match item {
            Item::Instr(instr) => Some(instr),
            Item::Group(group) => {
                let encoded = encode(&group, bytes.len() as u32)?;
                bytes.extend(encoded.bytes);
                bytes.resize(bytes.len().next_multiple_of(64), 0);
                Some(Instr::Native(Arc::new(Call {
                    entry: encoded.entry,
                    instrs: group.instrs,
                    reads: group.reads(),
                    writes: group.writes(),
                })))
            }
        });
        instrs.collect::<Option<Vec<Instr>>>()
    };
    let segments: Option<Vec<_>> = LEVELS.into_iter().map(&mut segment).collect();
    let segments = segments?.try_into().ok()?;
    if bytes.is_empty() {
        return None;
    }
    Some((Plan::new(code, segments), Functions::new(&bytes)?))
}
