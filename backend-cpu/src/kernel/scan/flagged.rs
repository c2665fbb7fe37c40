//! Scans that start again where a flag says so: segmented scans.
//!
//! Such an operator is written with pairs of a flag and values (Blelloch, *Prefix sums and their applications*, 1990, §1.5), `(f, x) ∘ (g, y) = (f ∨ g, g ? y : x + y)`.
//! As long as nobody reads the flags of the results, and each value is combined by a primitive, there are loops for it.
//! A chunk is scanned by itself, and combined with what precedes it up to its first flag, so that results depend on the extents alone.

use super::running::Running;
use crate::few::Few;
use crate::isa::Isa;
use crate::lanes::{FlaggedFns, ProgressMemory, flagged_fns};
use cotangent_core::prim::Prim;
use cotangent_core::schedule::{Operator, ValueId};
use cotangent_core::term::Direction;

/// An operator that starts again.
#[derive(Debug)]
pub(crate) struct Flagged {
    /// The component that says where.
    flag: usize,
    /// The direction in which it does.
    direction: Direction,
    /// The other components.
    values: Vec<(usize, FlaggedFns)>,
}

impl Flagged {
    /// The operator as one of these, if it is one.
    pub fn of(isa: Isa, operator: &Operator) -> Option<Self> {
        let directions = [Direction::Left, Direction::Right];
        let mut found = directions.into_iter().flat_map(|direction| {
            let flags = 0..operator.results.len();
            flags.filter_map(move |flag| Self::by_flag((isa, direction), operator, flag))
        });
        found.next()
    }

    fn by_flag(
        (isa, direction): (Isa, Direction),
        operator: &Operator,
        flag: usize,
    ) -> Option<Self> {
        let parts = Parts {
            operator,
            direction,
        };
        let k = operator.results.len();
        let [f, g] = operator
            .body
            .op(operator.results[flag])
            .operands_of::<2>(Prim::Or)?;
        let [f, g] = [parts.arg(*f)?, parts.arg(*g)?];
        if k < 2 || [f.min(g), f.max(g)] != [flag, k + flag] {
            return None;
        }
        let types = operator.types();
        let others = (0..k).filter(|component| *component != flag);
        let values = others.map(|component| {
            let prim = parts.by_prim(component, flag)?;
            Some((
                component,
                flagged_fns((isa, direction), prim, types[component])?,
            ))
        });
        Some(Self {
            flag,
            direction,
            values: values.collect::<Option<_>>()?,
        })
    }

    /// Whether a scan in a direction may go by it, of whose results some are read.
    pub fn fits(&self, direction: Direction, read: &[bool]) -> bool {
        self.direction == direction && !read[self.flag]
    }
}

struct Parts<'a> {
    operator: &'a Operator,
    direction: Direction,
}

impl Parts<'_> {
    fn arg(&self, value: ValueId) -> Option<usize> {
        self.operator.body.op(value).as_arg()
    }

    /// The primitive that a component is combined by, unless the element that is new is flagged.
    fn by_prim(&self, component: usize, flag: usize) -> Option<Prim> {
        let Operator { body, results } = self.operator;
        let k = results.len();
        let new = match self.direction {
            Direction::Left => k,
            Direction::Right => 0,
        };
        let [test, own, both] = body.op(results[component]).operands_of::<3>(Prim::Select)?;
        let (prim, operands) = body.op(*both).as_prim()?;
        let [x, y] = operands else {
            return None;
        };
        let args = |values: [ValueId; 2]| values.map(|value| self.arg(value));
        let is_new = args([*test, *own]) == [Some(new + flag), Some(new + component)];
        let sides = [Some(component), Some(k + component)];
        let in_order = args([*x, *y]) == sides || (prim == Prim::Add && args([*y, *x]) == sides);
        (is_new && in_order).then_some(prim)
    }
}

/// The progress of each component.
pub(super) type FlaggedRun = Few<ProgressMemory>;

impl Running<'_> {
    /// Begins a chunk after the carry, if there is one.
    pub(super) fn begin_flagged(&mut self, flagged: &Flagged) {
        let carry = self.carry.columns();
        let n = usize::from(self.has_carry);
        let none = std::ptr::null_mut();
        for ((component, fns), progress) in flagged.values.iter().zip(&mut self.flagged) {
            let (from, at) = (
                carry[*component].cast_const(),
                progress.as_mut_ptr().cast_const().cast(),
            );
            // SAFETY: the carry has a value of each component, where there is one, and there is memory for a progress.
            unsafe { (fns.begin)(n, none, from, at, none) }
        }
        if !self.has_carry {
            // SAFETY: the carry has a flag.
            unsafe { carry[flagged.flag].write(0) }
        }
    }

    /// # Safety
    /// As for `block`.
    pub(super) unsafe fn flagged_block(
        &mut self,
        flagged: &Flagged,
        values: &[*const u8],
        n: usize,
        position: Option<i64>,
    ) {
        let own = self.banks[0].columns();
        let flags = values[flagged.flag];
        for ((component, fns), progress) in flagged.values.iter().zip(&mut self.flagged) {
            let output = &self.scan.outputs[*component];
            let is_read = self.scan.operator.read[*component];
            let position = position.filter(|_| is_read);
            let direct = position.and_then(|position| output.direct(position, 1));
            let out = direct.unwrap_or(own[*component]);
            // SAFETY: the columns have `n` lanes, as has the room for the results, which are a bank's or this task's; the progress has begun.
            unsafe {
                let at = progress.as_mut_ptr().cast_const().cast();
                (fns.scan)(n, out, values[*component], at, flags);
                if let (Some(position), None) = (position, direct) {
                    output.store(out, position, 1, n);
                }
            }
        }
    }

    /// What the next chunk goes on with.
    pub(super) fn end_flagged(&mut self, flagged: &Flagged) {
        let carry = self.carry.columns();
        let flag = carry[flagged.flag].cast_const();
        for ((component, fns), progress) in flagged.values.iter().zip(&mut self.flagged) {
            let (to, at) = (carry[*component], progress.as_mut_ptr().cast_const().cast());
            // SAFETY: the carry has room for a value of each component, and for a flag, which is written; the progress has begun.
            unsafe { (fns.end)(1, to, at, at, flag) }
        }
        self.has_carry = true;
    }
}
