//! From bytecode to a plan in which functions stand in place of instructions.

use super::encode::encode;
use super::group::{Item, Readers, grouped};
use super::{Call, Functions};
use crate::code::{Code, Instr, LEVELS, Level, Plan};
use crate::isa::Isa;
use std::sync::Arc;

/// Compiles the segments of a body. `None` if no instructions of it can become functions, be it that the machine or the
/// system does not allow it.
pub(super) fn compile(code: &Code) -> Option<(Plan, Functions)> {
    if code.target.isa != Isa::Avx512 {
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
