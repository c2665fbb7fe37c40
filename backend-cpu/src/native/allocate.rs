//! Registers for a round: one walk through straight code, which knows when each value is read next.
//!
//! Where registers run out, the value that is read last of all goes to the stack, once, and comes back when it is read:
//! Belady's rule, which is best for straight code whose values cost the same to bring back.

use super::lower::Round;
use super::ops::{Arg, Class, Op, Place, Virtual};
use iced_x86::Code as Opcode;

/// A register of the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Physical {
    pub class: Class,
    pub index: u8,
}

/// The number of vector registers.
pub(super) const VECTORS: u8 = 32;

/// The mask registers that can select lanes; mask 0 stands for all of them.
const MASKS: std::ops::Range<u8> = 1..8;

/// A round with registers.
#[derive(Debug)]
pub(super) struct Allocated {
    pub ops: Vec<Op<Physical>>,
    /// The registers of what is loaded before, with the number of the scalar.
    pub pinned: Vec<(Physical, u32)>,
    /// How many places on the stack it needs.
    pub spills: u32,
    /// The most vector registers that were taken at once.
    pub vectors: usize,
}

/// Gives a round its registers.
pub(super) fn allocate(round: &Round) -> Allocated {
    let mut allocator = Allocator::new(round);
    for (at, op) in round.body.ops.iter().enumerate() {
        allocator.op(at, op);
    }
    let physical = |&(register, scalar): &(Virtual, u32)| {
        let index = allocator.at[register.index()].unwrap_or(0);
        let class = Class::Vector;
        (Physical { class, index }, scalar)
    };
    Allocated {
        pinned: round.pinned.iter().map(physical).collect(),
        ops: allocator.out,
        spills: allocator.spills,
        vectors: allocator.most,
    }
}

struct Allocator<'r> {
    classes: &'r [Class],
    /// Where each value is read, the next place last.
    reads: Vec<Vec<usize>>,
    /// The register of each value that is in one.
    at: Vec<Option<u8>>,
    /// The place of each value on the stack.
    aside: Vec<Option<u32>>,
    free_vectors: Vec<u8>,
    free_masks: Vec<u8>,
    spills: u32,
    most: usize,
    out: Vec<Op<Physical>>,
}

impl<'r> Allocator<'r> {
    fn new(round: &'r Round) -> Self {
        let count = round.body.classes.len();
        let mut reads = vec![vec![]; count];
        for (at, op) in round.body.ops.iter().enumerate().rev() {
            for register in read(op) {
                reads[register.index()].push(at);
            }
        }
        let mut free_vectors: Vec<u8> = (0..VECTORS).rev().collect();
        let mut at = vec![None; count];
        for (register, _) in &round.pinned {
            at[register.index()] = free_vectors.pop();
            // Read again in the next round: never free, and never put aside.
            reads[register.index()].insert(0, usize::MAX);
        }
        Self {
            classes: &round.body.classes,
            reads,
            at,
            aside: vec![None; count],
            free_vectors,
            free_masks: MASKS.rev().collect(),
            spills: 0,
            most: 0,
            out: vec![],
        }
    }

    fn op(&mut self, at: usize, op: &Op<Virtual>) {
        let locked = read(op);
        for &register in &locked {
            self.bring(register, &locked);
        }
        let mut args = op.args.iter().map(|&arg| self.arg(arg)).collect::<Vec<_>>();
        let mask = op
            .mask
            .map(|(mask, zeroing)| (self.physical(mask), zeroing));
        for &register in &locked {
            self.passed(register, at);
        }
        for (arg, &before) in args.iter_mut().zip(&op.args) {
            if let Arg::Write(register) = before {
                self.give(register, &locked);
                *arg = Arg::Write(self.physical(register));
                if self.reads[register.index()].is_empty() {
                    self.release(register);
                }
            }
        }
        self.out.push(Op {
            opcode: op.opcode,
            args: args.into_iter().collect(),
            mask,
        });
    }

    fn arg(&self, arg: Arg<Virtual>) -> Arg<Physical> {
        match arg {
            Arg::Read(register) => Arg::Read(self.physical(register)),
            // Set once it has a register.
            Arg::Write(register) => Arg::Write(self.physical(register)),
            Arg::Memory(place, is_one) => Arg::Memory(place, is_one),
            Arg::Literal(value) => Arg::Literal(value),
        }
    }

    fn physical(&self, register: Virtual) -> Physical {
        Physical {
            class: self.classes[register.index()],
            index: self.at[register.index()].unwrap_or(0),
        }
    }

    fn free(&mut self, class: Class) -> &mut Vec<u8> {
        match class {
            Class::Vector => &mut self.free_vectors,
            Class::Mask => &mut self.free_masks,
        }
    }

    /// Takes note that an instruction has read a value.
    fn passed(&mut self, register: Virtual, at: usize) {
        let reads = &mut self.reads[register.index()];
        while reads.last().is_some_and(|&next| next <= at) {
            reads.pop();
        }
        if self.reads[register.index()].is_empty() {
            self.release(register);
        }
    }

    fn release(&mut self, register: Virtual) {
        if let Some(index) = self.at[register.index()].take() {
            self.free(self.classes[register.index()]).push(index);
        }
    }

    /// Gives a value a register.
    fn give(&mut self, register: Virtual, locked: &[Virtual]) {
        let class = self.classes[register.index()];
        if self.free(class).is_empty() {
            self.put_aside(class, locked);
        }
        self.at[register.index()] = self.free(class).pop();
        let taken = usize::from(VECTORS) - self.free_vectors.len();
        self.most = self.most.max(taken);
    }

    /// Sees to it that a value is in a register.
    fn bring(&mut self, register: Virtual, locked: &[Virtual]) {
        if self.at[register.index()].is_some() {
            return;
        }
        self.give(register, locked);
        let to = self.physical(register);
        let from = Place::Spilled(self.aside[register.index()].unwrap_or(0));
        let opcode = match to.class {
            Class::Vector => Opcode::EVEX_Vmovups_zmm_k1z_zmmm512,
            Class::Mask => Opcode::VEX_Kmovw_kr_km16,
        };
        self.emit(opcode, [Arg::Write(to), Arg::Memory(from, false)]);
    }

    /// Frees the register whose value is read last, if nothing else can be.
    fn put_aside(&mut self, class: Class, locked: &[Virtual]) {
        let all = (0..self.classes.len() as u32).map(Virtual);
        let is_candidate = |v: &Virtual| {
            self.classes[v.index()] == class
                && self.at[v.index()].is_some()
                && !locked.contains(v)
                && self.reads[v.index()].first() != Some(&usize::MAX)
        };
        let candidates = all.filter(is_candidate);
        let next = |v: &Virtual| self.reads[v.index()].last().copied();
        let Some(victim) = candidates.max_by_key(next) else {
            return;
        };
        if self.aside[victim.index()].is_none() {
            let to = Place::Spilled(self.spills);
            self.aside[victim.index()] = Some(self.spills);
            self.spills += 1;
            let opcode = match class {
                Class::Vector => Opcode::EVEX_Vmovups_zmmm512_k1z_zmm,
                Class::Mask => Opcode::VEX_Kmovw_m16_kr,
            };
            let from = self.physical(victim);
            self.emit(opcode, [Arg::Memory(to, false), Arg::Read(from)]);
        }
        self.release(victim);
    }

    fn emit(&mut self, opcode: Opcode, args: [Arg<Physical>; 2]) {
        self.out.push(Op {
            opcode,
            args: args.into_iter().collect(),
            mask: None,
        });
    }
}

/// The registers that an instruction reads.
fn read(op: &Op<Virtual>) -> Vec<Virtual> {
    let args = op.args.iter().filter_map(|arg| match arg {
        Arg::Read(register) => Some(*register),
        Arg::Write(_) | Arg::Memory(..) | Arg::Literal(_) => None,
    });
    args.chain(op.mask.map(|(mask, _)| mask)).collect()
}
