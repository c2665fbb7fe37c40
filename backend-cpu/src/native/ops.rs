//! Vector code before it has registers: operations on *virtual registers*, each of which is written once.

use super::table::{Family, Widths};
use crate::few::Few;
use iced_x86::Code as Opcode;

/// What a register holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    /// Numbers.
    Vector,
    /// Truth values, a bit each.
    Mask,
}

/// A virtual register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Virtual(pub u32);

impl Virtual {
    /// Its position in the tables of a body.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Where an operand lies in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// The current lanes of a column, by the number of its pointer, with the size of an element.
    Column(u32, u32),
    /// Some way behind the current lanes of a column.
    Ahead(u32, u32),
    /// A single element, by the number of its pointer.
    Single(u32),
    /// The scalar of a slot.
    Scalar(u32),
    /// A constant, by its offset in the pool.
    Constant(u32),
    /// A register that was put aside.
    Spilled(u32),
}

/// An operand.
#[derive(Clone, Copy, Debug)]
pub(super) enum Arg<R> {
    /// The register that is written.
    Write(R),
    /// A register that is read.
    Read(R),
    /// Memory; whether one element there stands for all lanes.
    Memory(Place, bool),
    /// A literal.
    Literal(u8),
}

/// An instruction, with registers of some kind.
#[derive(Clone, Debug)]
pub(super) struct Op<R> {
    pub opcode: Opcode,
    /// The operands, in the order of the instruction.
    pub args: Few<Arg<R>>,
    /// The mask under which it works; whether lanes that are off become zero.
    pub mask: Option<(R, bool)>,
}

/// The code of a body.
#[derive(Debug, Default)]
pub(super) struct Body {
    pub ops: Vec<Op<Virtual>>,
    /// What each virtual register holds.
    pub classes: Vec<Class>,
}

impl Body {
    /// A register that is not written yet.
    pub fn register(&mut self, class: Class) -> Virtual {
        self.classes.push(class);
        Virtual(self.classes.len() as u32 - 1)
    }

    /// Appends an instruction whose first operand is a new register.
    pub fn push(&mut self, class: Class, opcode: Opcode, args: &[Arg<Virtual>]) -> Virtual {
        self.masked(class, opcode, args, None)
    }

    /// The same under a mask.
    pub fn masked(
        &mut self,
        class: Class,
        opcode: Opcode,
        args: &[Arg<Virtual>],
        mask: Option<(Virtual, bool)>,
    ) -> Virtual {
        let to = self.register(class);
        let args = [&[Arg::Write(to)], args].concat();
        self.ops.push(Op {
            opcode,
            args: Few::from_slice(&args),
            mask,
        });
        to
    }

    /// Appends an instruction that writes a register to memory.
    pub fn store(&mut self, opcode: Opcode, to: Place, args: &[Arg<Virtual>]) {
        let args = [&[Arg::Memory(to, false)], args].concat();
        self.ops.push(Op {
            opcode,
            args: Few::from_slice(&args),
            mask: None,
        });
    }
}

/// The instruction for vectors of so many bytes, of less than 16 in the first 16.
pub(super) fn of_bytes(widths: Widths, bytes: usize) -> Opcode {
    match bytes {
        ..=16 => widths[0],
        17..=32 => widths[1],
        _ => widths[2],
    }
}

/// The instruction for so many elements of a size.
pub(super) fn of_elements(family: Family, size: usize, lanes: usize) -> Opcode {
    of_bytes(family[usize::from(size == 8)], size * lanes)
}
