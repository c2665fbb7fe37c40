//! From the operations of a group to vector instructions, for some number of lanes at once: as many as fill a vector, or
//! one.
//!
//! Elements of 4 bytes lie as close as those of 8: a vector of as many lanes. Truth values are bits of a mask; those beyond
//! the lanes mean nothing.

mod number;

use super::group::{Given, Group, Kind, Operation, Output, Value};
use super::ops::{Arg, Body, Class, Place, Virtual, of_bytes, of_elements};
use super::pool::Pool;
use super::table::{self, Family};
use super::way::Way;
use crate::few::Few;
use cotangent_core::integer_type;
use cotangent_core::types::ScalarType;
use iced_x86::Code as Opcode;

/// The code of one round through a group.
#[derive(Debug, Default)]
pub(super) struct Round {
    pub body: Body,
    /// What is loaded once, before the first round: the register, and the scalar's place.
    pub pinned: Vec<(Virtual, u32)>,
}

/// Lowers a group for a number of lanes. The scalars that are `pinned`, by their numbers among what is given, stay in
/// registers.
pub(super) fn lower(group: &Group, lanes: usize, pinned: &[u32], pool: &mut Pool) -> Round {
    let mut lower = Lower {
        group,
        lanes,
        body: Body::default(),
        pool,
        given: vec![None; group.given.len()],
        results: vec![],
        uses: uses(group),
    };
    let pinned = pinned.iter().map(|&given| {
        let register = lower.body.register(Class::Vector);
        lower.given[given as usize] = Some(register);
        (register, given)
    });
    let pinned = pinned.collect();
    for (number, operation) in group.operations.iter().enumerate() {
        let result = lower.operation(operation);
        lower.results.push(result);
        let outputs = group.outputs.iter().enumerate();
        for (position, output) in outputs.filter(|(_, o)| o.result as usize == number) {
            lower.store(position, output, operation.result);
        }
    }
    Round {
        body: lower.body,
        pinned,
    }
}

/// How often each operand that is given is read.
pub(super) fn uses(group: &Group) -> Vec<u32> {
    let mut uses = vec![0; group.given.len()];
    for value in group
        .operations
        .iter()
        .flat_map(|operation| &operation.args)
    {
        if let Value::Given(given) = value {
            uses[*given as usize] += 1;
        }
    }
    uses
}

/// What a value of a type is kept in.
fn class(ty: ScalarType) -> Class {
    match ty {
        ScalarType::Bool => Class::Mask,
        integer_type!() | ScalarType::F16 | ScalarType::F32 | ScalarType::F64 => Class::Vector,
    }
}

struct Lower<'g> {
    group: &'g Group,
    lanes: usize,
    body: Body,
    pool: &'g mut Pool,
    /// The register of each operand that is given and was loaded.
    given: Vec<Option<Virtual>>,
    results: Vec<Virtual>,
    uses: Vec<u32>,
}

impl Lower<'_> {
    fn operation(&mut self, operation: &Operation) -> Virtual {
        let Operation { way, ty, args, .. } = operation;
        let (x, y) = (args[0], args[args.len() - 1]);
        match (*way, x, y) {
            (Way::Binary(family, true), Value::Given(_), Value::Result(_)) => {
                self.binary(family, *ty, y, x)
            }
            (Way::Binary(family, _), _, _) => self.binary(family, *ty, x, y),
            (Way::Select, _, _) => self.select(*ty, [x, args[1], y]),
            (Way::Masks(opcode), _, _) => {
                let [x, y] = [x, y].map(|value| Arg::Read(self.register(value)));
                self.body.push(Class::Mask, opcode, &[x, y])
            }
            (Way::Not, _, _) => self.not(x),
            (Way::FromBool(to), _, _) => self.of_bool(x, to),
            (way, _, _) => self.number(way, *ty, x, y),
        }
    }

    fn not(&mut self, x: Value) -> Virtual {
        let x = Arg::Read(self.register(x));
        self.body.push(Class::Mask, Opcode::VEX_Knotw_kr_kr, &[x])
    }

    fn select(&mut self, ty: ScalarType, [cond, yes, no]: [Value; 3]) -> Virtual {
        let cond = self.register(cond);
        if class(ty) == Class::Vector {
            let (no, yes) = (self.register(no), self.operand(yes, ty));
            return self.blend(ty, cond, no, yes);
        }
        let (yes, no) = (self.register(yes), self.register(no));
        let (cond, yes, no) = (Arg::Read(cond), Arg::Read(yes), Arg::Read(no));
        let mask = Class::Mask;
        let yes = self
            .body
            .push(mask, Opcode::VEX_Kandw_kr_kr_kr, &[cond, yes]);
        let no = self
            .body
            .push(mask, Opcode::VEX_Kandnw_kr_kr_kr, &[cond, no]);
        let both = [Arg::Read(yes), Arg::Read(no)];
        self.body.push(mask, Opcode::VEX_Korw_kr_kr_kr, &both)
    }

    fn of_bool(&mut self, x: Value, to: ScalarType) -> Virtual {
        let mask = self.register(x);
        let one = self.pool.one(to);
        let fill = self.fill(to);
        let from = [Arg::Memory(one, false)];
        let mask = Some((mask, true));
        self.body.masked(Class::Vector, fill, &from, mask)
    }

    /// The instruction that brings one element from memory to all lanes.
    fn fill(&self, ty: ScalarType) -> Opcode {
        let family = [table::FILL_32, table::FILL_64];
        of_elements(family, ty.bytes(), self.lanes)
    }

    fn binary(&mut self, family: Family, ty: ScalarType, x: Value, y: Value) -> Virtual {
        let (x, y) = (self.register(x), self.operand(y, ty));
        self.two(family, ty, x, y)
    }

    /// An instruction on a register and another operand.
    fn two(&mut self, family: Family, ty: ScalarType, x: Virtual, y: Arg<Virtual>) -> Virtual {
        let opcode = of_elements(family, ty.bytes(), self.lanes);
        self.body.push(Class::Vector, opcode, &[Arg::Read(x), y])
    }

    fn one(&mut self, family: Family, ty: ScalarType, x: Arg<Virtual>) -> Virtual {
        let opcode = of_elements(family, ty.bytes(), self.lanes);
        self.body.push(Class::Vector, opcode, &[x])
    }

    fn blend(&mut self, ty: ScalarType, mask: Virtual, no: Virtual, yes: Arg<Virtual>) -> Virtual {
        let opcode = of_elements(table::BLEND, ty.bytes(), self.lanes);
        let args = [Arg::Read(no), yes];
        self.body
            .masked(Class::Vector, opcode, &args, Some((mask, false)))
    }

    fn compare(
        &mut self,
        family: Family,
        ty: ScalarType,
        (x, y): (Virtual, Arg<Virtual>),
        how: u8,
    ) -> Virtual {
        let opcode = of_elements(family, ty.bytes(), self.lanes);
        let args = [Arg::Read(x), y, Arg::Literal(how)];
        self.body.push(Class::Mask, opcode, &args)
    }

    /// The register that a value is in.
    fn register(&mut self, value: Value) -> Virtual {
        match value {
            Value::Result(result) => self.results[result as usize],
            Value::Given(given) => match self.given[given as usize] {
                Some(register) => register,
                None => {
                    let register = self.load(given);
                    self.given[given as usize] = Some(register);
                    register
                }
            },
        }
    }

    /// A value as a last operand: in memory, if it is in no register yet and nothing else reads it, or it is a scalar.
    fn operand(&mut self, value: Value, ty: ScalarType) -> Arg<Virtual> {
        let Value::Given(number) = value else {
            return Arg::Read(self.register(value));
        };
        let is_loaded = self.given[number as usize].is_some();
        let Given { kind, .. } = self.group.given[number as usize];
        let is_shared = kind == Kind::Column && self.uses[number as usize] > 1;
        if is_loaded || is_shared || class(ty) == Class::Mask {
            return Arg::Read(self.register(value));
        }
        let is_one = kind != Kind::Column || self.lanes == 1;
        Arg::Memory(self.place(number), is_one)
    }

    fn place(&self, given: u32) -> Place {
        let Given { slot, ty, kind } = self.group.given[given as usize];
        match kind {
            Kind::Column => Place::Column(given, ty.bytes() as u32),
            Kind::Single => Place::Single(given),
            Kind::Scalar => Place::Scalar(slot),
        }
    }

    fn load(&mut self, given: u32) -> Virtual {
        let Given { ty, kind, .. } = self.group.given[given as usize];
        let from = [Arg::Memory(self.place(given), false)];
        let is_one = kind != Kind::Column || self.lanes == 1;
        if class(ty) == Class::Mask {
            let bytes = match (is_one, self.lanes) {
                (true, _) => Opcode::EVEX_Vpbroadcastb_xmm_k1z_xmmm8,
                (false, 8) => Opcode::EVEX_Vmovq_xmm_xmmm64,
                (false, _) => Opcode::EVEX_Vmovdqu8_xmm_k1z_xmmm128,
            };
            let bytes = Arg::Read(self.body.push(Class::Vector, bytes, &from));
            let test = Opcode::EVEX_Vptestmb_kr_k1_xmm_xmmm128;
            return self.body.push(Class::Mask, test, &[bytes, bytes]);
        }
        let opcode = match (is_one, self.lanes, ty.bytes()) {
            (true, 1, 8) => Opcode::EVEX_Vmovsd_xmm_k1z_m64,
            (true, 1, _) => Opcode::EVEX_Vmovss_xmm_k1z_m32,
            (true, _, _) => self.fill(ty),
            (false, lanes, size) => of_bytes(table::READ, lanes * size),
        };
        self.body.push(Class::Vector, opcode, &from)
    }

    /// Writes a result to where others look for it; the pointers of outputs come after those of what is given.
    fn store(&mut self, position: usize, output: &Output, ty: ScalarType) {
        let pointer = (self.group.given.len() + position) as u32;
        let to = match output.is_column {
            true => Place::Column(pointer, ty.bytes() as u32),
            false => Place::Scalar(output.slot),
        };
        let from = self.results[output.result as usize];
        if class(ty) == Class::Mask {
            return self.store_mask(from, to);
        }
        let opcode = match (self.lanes, ty.bytes()) {
            (1, 8) => Opcode::EVEX_Vmovsd_m64_k1_xmm,
            (1, _) => Opcode::EVEX_Vmovss_m32_k1_xmm,
            (lanes, size) => of_bytes(table::WRITE, lanes * size),
        };
        self.body.store(opcode, to, &[Arg::Read(from)]);
        if output.is_stored && self.lanes > 1 {
            let line = Place::Ahead(pointer, ty.bytes() as u32);
            self.body.store(Opcode::Prefetchw_m8, line, &[]);
        }
    }

    /// Truth values are bytes of 0 and 1 in memory.
    fn store_mask(&mut self, from: Virtual, to: Place) {
        let spread = Opcode::EVEX_Vpmovm2b_xmm_kr;
        let ones = self.body.push(Class::Vector, spread, &[Arg::Read(from)]);
        let abs = Opcode::EVEX_Vpabsb_xmm_k1z_xmmm128;
        let bytes = Arg::Read(self.body.push(Class::Vector, abs, &[Arg::Read(ones)]));
        match self.lanes {
            1 => {
                let first = [bytes, Arg::Literal(0)];
                self.body
                    .store(Opcode::EVEX_Vpextrb_r32m8_xmm_imm8, to, &first);
            }
            8 => self.body.store(Opcode::EVEX_Vmovq_xmmm64_xmm, to, &[bytes]),
            _ => self
                .body
                .store(Opcode::EVEX_Vmovdqu8_xmmm128_k1z_xmm, to, &[bytes]),
        }
    }
}

/// The scalars that are read most, as many as there are registers for.
pub(super) fn most_read(group: &Group, room: usize) -> Few<u32> {
    let uses = uses(group);
    let is_number = |given: &Given| given.kind == Kind::Scalar && class(given.ty) == Class::Vector;
    let scalars = group
        .given
        .iter()
        .zip(0..)
        .filter(|(given, _)| is_number(given));
    let mut scalars: Vec<u32> = scalars.map(|(_, number)| number).collect();
    scalars.sort_by_key(|&number| std::cmp::Reverse(uses[number as usize]));
    scalars.truncate(room);
    scalars.into_iter().collect()
}
