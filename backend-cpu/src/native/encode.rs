//! Functions of groups, in the machine's language.
//!
//! A function has two loops: over vectors of lanes, and one lane at a time, where there are too few. Vectors begin at multiples
//! of their lanes, as memory mostly does, but for the first and the last one, which overlap their neighbours (what is written
//! is no operand, so that the same is written twice).
//!
//! | register | is |
//! |---|---|
//! | rdi | the end of the lanes, then the first lane of the last vector |
//! | rsi, rdx | where slots are read, and written |
//! | rcx | the scalars |
//! | r8 | the first of the lanes, then of this round |
//! | rax | the end of the first vector, then a pointer that has no register of its own |
//! | the others | pointers |

use super::allocate::{Allocated, Physical, VECTORS, allocate};
use super::group::{Group, Kind};
use super::lower::{Round, lower, most_read};
use super::ops::{Arg, Class, Op, Place, of_elements};
use super::pool::Pool;
use super::table;
use crate::code::Slot;
use iced_x86::{Code as Opcode, Encoder, Instruction, OpCodeOperandKind, OpKind, Register};

/// The registers that pointers are kept in; the first of those that the caller wants back come last.
const POINTERS: [Register; 9] = [
    Register::R9,
    Register::R10,
    Register::R11,
    Register::RBX,
    Register::RBP,
    Register::R12,
    Register::R13,
    Register::R14,
    Register::R15,
];

/// How many of these the caller does not want back.
const OURS: usize = 3;

/// Registers that are left alone when scalars are given theirs.
const SPARE: usize = 2;

/// The bytes of a place on the stack.
const PLACE: u32 = 64;

/// How many bytes behind the lanes that are written lies the line that is asked for.
const AHEAD: u64 = 512;

/// A function in the machine's language.
#[derive(Debug)]
pub(super) struct Encoded {
    /// Constants and code, which is right at the offset that was asked for.
    pub bytes: Vec<u8>,
    /// Where the function begins.
    pub entry: u32,
}

/// Encodes a group for some offset, a multiple of 64. `None` where an instruction cannot be encoded, which is a defect of
/// this module; the group is run as it was then.
pub(super) fn encode(group: &Group, offset: u32) -> Option<Encoded> {
    let mut pool = Pool::default();
    let lanes = group.lanes();
    let trial = allocate(&lower(group, lanes, &[], &mut pool));
    let room = usize::from(VECTORS).saturating_sub(trial.vectors + SPARE);
    let pinned = most_read(group, room);
    let many = lower(group, lanes, &pinned, &mut pool);
    let one = lower(group, 1, &[], &mut pool);
    let constants = pool.bytes();
    let mut writer = Writer {
        encoder: Encoder::new(64),
        at: u64::from(offset) + constants.len() as u64,
        constants: u64::from(offset),
        pointers: pointers(group),
    };
    let entry = writer.at as u32;
    writer.function(group, lanes, [&many, &one])?;
    let code = writer.encoder.take_buffer();
    Some(Encoded {
        bytes: [constants, code].concat(),
        entry,
    })
}

/// A pointer: its number, the table and the slot that it is found at.
type Pointer = (u32, Register, Slot);

/// The pointers of a group: those of operands, then those of outputs.
fn pointers(group: &Group) -> Vec<Pointer> {
    let given = group.given.iter().zip(0..);
    let given = given.filter(|(given, _)| given.kind != Kind::Scalar);
    let given = given.map(|(given, number)| (number, Register::RSI, given.slot));
    let outputs = group.outputs.iter().zip(group.given.len() as u32..);
    let outputs = outputs.filter(|(output, _)| output.is_column);
    let outputs = outputs.map(|(output, number)| (number, Register::RDX, output.slot));
    given.chain(outputs).collect()
}

struct Writer {
    encoder: Encoder,
    /// The offset of the next instruction.
    at: u64,
    /// That of the constants.
    constants: u64,
    pointers: Vec<Pointer>,
}

/// A jump whose target is not known yet: where the target has to be written.
struct Jump(usize);

impl Writer {
    fn function(&mut self, group: &Group, lanes: usize, rounds: [&Round; 2]) -> Option<()> {
        let [many, one] = rounds.map(allocate);
        let frame = many.spills.max(one.spills) * PLACE;
        let kept = self.pointers.len().clamp(OURS, POINTERS.len());
        for &register in &POINTERS[OURS..kept] {
            self.registers(Opcode::Push_r64, &[register])?;
        }
        self.with_literal(Opcode::Sub_rm64_imm32, Register::RSP, frame)?;
        let in_registers: Vec<_> = self.pointers.iter().copied().zip(POINTERS).collect();
        for ((_, table, slot), register) in in_registers {
            self.pointer(register, table, slot)?;
        }
        self.loops(group, lanes, [&many, &one])?;
        self.with_literal(Opcode::Add_rm64_imm32, Register::RSP, frame)?;
        for &register in POINTERS[OURS..kept].iter().rev() {
            self.registers(Opcode::Pop_r64, &[register])?;
        }
        self.put(Instruction::with(Opcode::VEX_Vzeroupper))?;
        self.put(Instruction::with(Opcode::Retnq))
    }

    fn loops(&mut self, group: &Group, lanes: usize, [many, one]: [&Allocated; 2]) -> Option<()> {
        let (end, lane) = (Register::RDI, Register::R8);
        self.registers(Opcode::Mov_r64_rm64, &[Register::RAX, lane])?;
        self.with_literal(Opcode::Add_rm64_imm32, Register::RAX, lanes as u32)?;
        self.registers(Opcode::Cmp_r64_rm64, &[Register::RAX, end])?;
        let few = self.jump(Opcode::Ja_rel32_64)?;
        self.with_literal(Opcode::Sub_rm64_imm32, end, lanes as u32)?;
        for &(register, scalar) in &many.pinned {
            let given = group.given[scalar as usize];
            let family = [table::FILL_32, table::FILL_64];
            self.op(&Op {
                opcode: of_elements(family, given.ty.bytes(), lanes),
                args: [
                    Arg::Write(register),
                    Arg::Memory(Place::Scalar(given.slot), false),
                ]
                .into_iter()
                .collect(),
                mask: None,
            })?;
        }
        let top = self.at;
        self.round(many)?;
        self.registers(Opcode::Cmp_r64_rm64, &[lane, end])?;
        let done = self.jump(Opcode::Jae_rel32_64)?;
        self.with_literal(Opcode::Add_rm64_imm32, lane, lanes as u32)?;
        self.with_literal(Opcode::And_rm64_imm32, lane, (lanes as u32).wrapping_neg())?;
        self.registers(Opcode::Cmp_r64_rm64, &[lane, end])?;
        self.registers(Opcode::Cmova_r64_rm64, &[lane, end])?;
        self.jump_to(Opcode::Jmp_rel32_64, top)?;
        self.lands(&few);
        self.registers(Opcode::Cmp_r64_rm64, &[lane, end])?;
        let nothing = self.jump(Opcode::Jae_rel32_64)?;
        let top = self.at;
        self.round(one)?;
        self.with_literal(Opcode::Add_rm64_imm32, lane, 1)?;
        self.registers(Opcode::Cmp_r64_rm64, &[lane, end])?;
        self.jump_to(Opcode::Jb_rel32_64, top)?;
        self.lands(&done);
        self.lands(&nothing);
        Some(())
    }

    fn round(&mut self, round: &Allocated) -> Option<()> {
        round.ops.iter().try_for_each(|op| self.op(op))
    }

    fn op(&mut self, op: &Op<Physical>) -> Option<()> {
        let mut instr = Instruction::default();
        instr.set_code(op.opcode);
        for (i, arg) in (0..).zip(&op.args) {
            match *arg {
                Arg::Read(register) | Arg::Write(register) => {
                    instr.set_op_kind(i, OpKind::Register);
                    instr.set_op_register(i, named(op.opcode, i, register));
                }
                Arg::Memory(place, is_one) => {
                    instr.set_op_kind(i, OpKind::Memory);
                    self.memory(&mut instr, place)?;
                    instr.set_is_broadcast(is_one);
                }
                Arg::Literal(value) => {
                    instr.set_op_kind(i, OpKind::Immediate8);
                    instr.set_immediate8(value);
                }
            }
        }
        if let Some((mask, zeroing)) = op.mask {
            instr.set_op_mask(Register::K0 + u32::from(mask.index));
            instr.set_zeroing_masking(zeroing);
        }
        self.put(instr)
    }

    /// Says where an operand lies in memory; loads its pointer if that has no register.
    fn memory(&mut self, instr: &mut Instruction, place: Place) -> Option<()> {
        let (base, displacement) = match place {
            Place::Column(pointer, _) | Place::Single(pointer) => (self.base(pointer)?, 0),
            Place::Ahead(pointer, _) => (self.base(pointer)?, AHEAD),
            Place::Scalar(slot) => (Register::RCX, u64::from(slot) * 8),
            Place::Constant(offset) => (Register::RIP, self.constants + u64::from(offset)),
            Place::Spilled(number) => (Register::RSP, u64::from(number * PLACE)),
        };
        instr.set_memory_base(base);
        if let Place::Column(_, size) | Place::Ahead(_, size) = place {
            instr.set_memory_index(Register::R8);
            instr.set_memory_index_scale(size);
        }
        instr.set_memory_displacement64(displacement);
        let is_far = base == Register::RIP || displacement != 0;
        instr.set_memory_displ_size(if is_far { 8 } else { 0 });
        Some(())
    }

    fn base(&mut self, pointer: u32) -> Option<Register> {
        let known = self
            .pointers
            .iter()
            .position(|(number, _, _)| *number == pointer)?;
        if let Some(&register) = POINTERS.get(known) {
            return Some(register);
        }
        let (_, table, slot) = self.pointers[known];
        self.pointer(Register::RAX, table, slot)?;
        Some(Register::RAX)
    }

    /// Loads a pointer from a table.
    fn pointer(&mut self, to: Register, table: Register, slot: Slot) -> Option<()> {
        let mut instr = Instruction::default();
        instr.set_code(Opcode::Mov_r64_rm64);
        instr.set_op_kind(0, OpKind::Register);
        instr.set_op_register(0, to);
        instr.set_op_kind(1, OpKind::Memory);
        instr.set_memory_base(table);
        instr.set_memory_displacement64(u64::from(slot) * 8);
        instr.set_memory_displ_size(8);
        self.put(instr)
    }

    fn registers(&mut self, opcode: Opcode, registers: &[Register]) -> Option<()> {
        let mut instr = Instruction::default();
        instr.set_code(opcode);
        for (i, &register) in (0..).zip(registers) {
            instr.set_op_kind(i, OpKind::Register);
            instr.set_op_register(i, register);
        }
        self.put(instr)
    }

    fn with_literal(&mut self, opcode: Opcode, register: Register, value: u32) -> Option<()> {
        self.put(Instruction::with2(opcode, register, value as i32).ok()?)
    }

    /// A jump forwards, whose target `lands` sets.
    fn jump(&mut self, opcode: Opcode) -> Option<Jump> {
        self.jump_to(opcode, self.at)?;
        Some(Jump(self.at as usize - 4))
    }

    fn jump_to(&mut self, opcode: Opcode, target: u64) -> Option<()> {
        self.put(Instruction::with_branch(opcode, target).ok()?)
    }

    /// Lets a jump go to here.
    fn lands(&mut self, jump: &Jump) {
        let distance = self.at as u32 - (jump.0 as u32 + 4);
        let mut buffer = self.encoder.take_buffer();
        let start = self.at as usize - buffer.len();
        let target = jump.0 - start;
        buffer[target..target + 4].copy_from_slice(&distance.to_le_bytes());
        self.encoder.set_buffer(buffer);
    }

    fn put(&mut self, instr: Instruction) -> Option<()> {
        self.at += self.encoder.encode(&instr, self.at).ok()? as u64;
        Some(())
    }
}

/// A register by the name that the instruction has for it.
fn named(opcode: Opcode, operand: u32, register: Physical) -> Register {
    use OpCodeOperandKind as Operand;
    let first = match (register.class, opcode.op_code().op_kind(operand)) {
        (Class::Mask, _) => Register::K0,
        (Class::Vector, Operand::xmm_reg | Operand::xmm_rm | Operand::xmm_vvvv) => Register::XMM0,
        (Class::Vector, Operand::xmm_or_mem) => Register::XMM0,
        (Class::Vector, Operand::ymm_reg | Operand::ymm_rm | Operand::ymm_vvvv) => Register::YMM0,
        (Class::Vector, Operand::ymm_or_mem) => Register::YMM0,
        (Class::Vector, _) => Register::ZMM0,
    };
    first + u32::from(register.index)
}
