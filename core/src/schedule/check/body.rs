//! The rules of bodies.

use super::defined::Defined;
use super::{Problem, Result, array_decl, rule, same_type, site, symbol_type};
use crate::schedule::{ArrayId, Body, Inst, Load, Loop, Op, Region, Schedule, ValueId};
use crate::types::ScalarType;

/// What a body may contain.
pub(super) struct BodyChecker<'a> {
    schedule: &'a Schedule,
    defined: &'a Defined<'a>,
    /// The number of coordinates.
    rank: usize,
    /// The types of the arguments.
    args: Vec<ScalarType>,
    loads: bool,
    /// Whether the code is that of a loop, which names nothing of the code around it.
    closed: bool,
}

impl<'a> BodyChecker<'a> {
    /// For code that the host runs.
    pub(super) fn host(schedule: &'a Schedule, defined: &'a Defined<'a>) -> Self {
        Self::points(schedule, defined, 0)
    }

    /// For the body of a kernel over a space of the given rank.
    pub(super) fn points(schedule: &'a Schedule, defined: &'a Defined<'a>, rank: usize) -> Self {
        Self {
            schedule,
            defined,
            rank,
            args: vec![],
            loads: true,
            closed: false,
        }
    }

    /// For an operator on values of the given types.
    pub(super) fn operator(
        schedule: &'a Schedule,
        defined: &'a Defined<'a>,
        elems: &[ScalarType],
    ) -> Self {
        Self {
            schedule,
            defined,
            rank: 0,
            args: [elems, elems].concat(),
            loads: false,
            closed: false,
        }
    }

    pub(super) fn body(&self, body: &Body) -> Result<()> {
        for (value, Inst { op, ty }) in body.iter() {
            if let Some(late) = op.operands().into_iter().find(|&v| v >= value) {
                return Err(Problem::Undefined(format!(
                    "{late}, an operand of {value},"
                )));
            }
            same_type(value, self.op(body, op)?, *ty)?;
        }
        Ok(())
    }

    fn op(&self, body: &Body, op: &Op) -> Result<ScalarType> {
        match op {
            Op::Const(c) => Ok(c.scalar_type()),
            Op::Symbol(symbol) => {
                rule(!self.closed, || format!("{symbol} inside of a loop"))?;
                self.defined.need_symbol(*symbol)?;
                symbol_type(self.schedule, *symbol)
            }
            Op::Coord(axis) => {
                let known = (*axis as usize) < self.rank;
                rule(known, || format!("coordinate {axis} of {}", self.rank))?;
                Ok(ScalarType::I32)
            }
            Op::Arg(position) => self
                .args
                .get(*position as usize)
                .copied()
                .ok_or_else(|| Problem::Unknown(format!("argument {position}"))),
            Op::Prim(prim, operands) => {
                let types: Vec<_> = operands.iter().map(|&v| body.type_of(v)).collect();
                prim.result_type(&types)
                    .ok_or_else(|| Problem::Rule(format!("`{prim}` on {types:?}")))
            }
            Op::Load(load) => self.load(body, load),
            Op::Loop(of) => self.looping(body, of),
            Op::Out(of, which) => carried(body, *of, *which),
        }
    }

    fn looping(&self, body: &Body, of: &Loop) -> Result<ScalarType> {
        let Loop {
            trips,
            init,
            captures,
            region,
        } = of;
        let Region {
            body: inside,
            test,
            next,
        } = region;
        same_type("the trips of a loop", ScalarType::I32, body.type_of(*trips))?;
        let given = init.iter().chain(captures).map(|&v| body.type_of(v));
        let within = Self {
            rank: 0,
            args: [ScalarType::I32].into_iter().chain(given).collect(),
            closed: true,
            ..*self
        };
        within.body(inside)?;
        if let Some(test) = test {
            same_type(
                "the test of a loop",
                ScalarType::Bool,
                type_of(inside, *test)?,
            )?;
        }
        same_type("the values carried", init.len(), next.len())?;
        for (&init, &next) in init.iter().zip(next) {
            same_type(
                "a value carried",
                body.type_of(init),
                type_of(inside, next)?,
            )?;
        }
        Ok(ScalarType::I32)
    }

    fn load(&self, body: &Body, load: &Load) -> Result<ScalarType> {
        let Load {
            array,
            index,
            guard,
            site: at,
        } = load;
        rule(self.loads, || format!("an operator loads from {array}"))?;
        let decl = array_decl(self.schedule, *array)?;
        self.defined.need_array(*array)?;
        same_type(
            format!("the index of {array}"),
            decl.extents.len(),
            index.len(),
        )?;
        for &coordinate in index {
            same_type("a coordinate", ScalarType::I32, body.type_of(coordinate))?;
        }
        if let Some(guard) = guard {
            same_type("a guard", ScalarType::Bool, body.type_of(*guard))?;
        }
        at.map_or(Ok(()), |at| site(self.schedule, at))?;
        Ok(decl.elem)
    }
}

/// The type of a value that a loop carries.
fn carried(body: &Body, of: ValueId, which: u32) -> Result<ScalarType> {
    let value = body
        .op(of)
        .as_loop()
        .and_then(|of| of.init.get(which as usize));
    let unknown = || Problem::Unknown(format!("value {which} carried by {of}"));
    value.map(|&v| body.type_of(v)).ok_or_else(unknown)
}

/// The type of a value, if there is such a value.
pub(super) fn type_of(body: &Body, value: ValueId) -> Result<ScalarType> {
    let inst = body.get(value);
    inst.map(|inst| inst.ty)
        .ok_or_else(|| Problem::Unknown(value.to_string()))
}

/// The arrays that a body reads.
pub(super) fn reads(body: &Body) -> impl Iterator<Item = ArrayId> {
    body.reads()
}
