//! Columns that are kept from row to row: what a block needs and no moving coordinate changes.
//!
//! Each block that is remembered has registers of its own for them; a column that is part of an array is kept
//! as its address.
//!
//! Unsafe code: none here; the registers lie in memory that the machine keeps, and have room for its lanes.

use super::{Machine, Scratch};
use crate::code::{Level, Plan};

/// What is kept of the first blocks of a row.
pub(super) struct Kept {
    blocks: Vec<Block>,
    /// How often all was forgotten: while that stays, what is kept of the same lanes is the same.
    pub forgotten: u64,
    _memory: Option<Scratch>,
}

/// What is kept of one block.
#[derive(Default)]
struct Block {
    /// The registers, in the order of the code's list.
    homes: Vec<*mut u8>,
    /// The first lane and the number of lanes that are there.
    of: Option<(i64, usize)>,
    /// Where their columns are.
    at: Vec<*const u8>,
}

impl Kept {
    /// Room for what the code keeps of so many blocks.
    pub fn new(plan: &Plan, register_bytes: usize, blocks: usize) -> Self {
        if plan.kept.is_empty() {
            return Self {
                blocks: vec![],
                forgotten: 0,
                _memory: None,
            };
        }
        let count = plan.kept.len();
        let mut memory = Scratch::take(blocks * count * register_bytes);
        let base = memory.as_mut_ptr();
        let block = |block: usize| Block {
            homes: (0..count)
                .map(|n| base.wrapping_add((block * count + n) * register_bytes))
                .collect(),
            ..Block::default()
        };
        Self {
            blocks: (0..blocks).map(block).collect(),
            forgotten: 0,
            _memory: Some(memory),
        }
    }

    /// Nothing is there any more: a coordinate that does not move has moved.
    pub fn forget(&mut self) {
        self.blocks.iter_mut().for_each(|block| block.of = None);
        self.forgotten += 1;
    }
}

impl Machine<'_> {
    /// Computes what is kept of the current block of `n` lanes, or finds it again.
    pub(super) fn keep(&mut self, n: usize) {
        if self.kept.blocks.is_empty() {
            return;
        }
        let number = (self.start as usize / self.lanes) % self.kept.blocks.len();
        let mut block = std::mem::take(&mut self.kept.blocks[number]);
        let slots = self.plan.kept.iter().map(|&slot| slot as usize);
        if block.of == Some((self.start, n)) {
            for (slot, &at) in slots.zip(&block.at) {
                self.at[slot] = at;
            }
        } else {
            for (slot, &home) in slots.clone().zip(&block.homes) {
                self.home[slot] = home;
                self.at[slot] = home.cast_const();
            }
            self.run(Level::Kept, n);
            block.of = Some((self.start, n));
            block.at.clear();
            block.at.extend(slots.map(|slot| self.at[slot]));
        }
        self.kept.blocks[number] = block;
    }
}
