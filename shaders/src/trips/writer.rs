//! The text of a loop, step by step.
//!
//! Each step ends with no barrier; the next one begins with one if it has to ([`Writer::separate`]).

use crate::body::{Text, name, variable};
use crate::combine::Running;
use crate::target::Unsupported;
use crate::types::of_value;
use crate::{Parameter, map, reduce, scan, scatter};
use cotangent_core::schedule::{
    ArrayId, Body, Carried, Check, Kernel, KernelKind, Part, Repeat, Schedule, Step, Strip,
    SymbolId, Total, ValueId,
};
use cotangent_core::types::ScalarType;
use std::collections::BTreeSet;

/// What was done to arrays since the last barrier, by the owners of their memory.
#[derive(Default)]
struct Since {
    read: BTreeSet<ArrayId>,
    written: BTreeSet<ArrayId>,
}

/// The text of a loop while it is written.
pub(super) struct Writer<'a, 't> {
    schedule: &'a Schedule,
    text: &'t mut Text<'a>,
    since: Since,
    workgroup: u32,
}

impl<'a, 't> Writer<'a, 't> {
    pub fn new(schedule: &'a Schedule, text: &'t mut Text<'a>, workgroup: u32) -> Self {
        Self {
            schedule,
            text,
            since: Since::default(),
            workgroup,
        }
    }
}

impl Writer<'_, '_> {
    fn line(&mut self, text: &str) {
        self.text.line(text);
    }

    /// All trips.
    ///
    /// # Errors
    /// Where the device lacks a type or a function.
    pub fn all_trips(&mut self, repeat: &Repeat) -> Result<(), Unsupported> {
        let first = self.text.word(Parameter::First);
        let end = self.text.word(Parameter::End);
        self.line(&format!("var trip = {first};"));
        self.line("var has_ended = false;");
        self.line(&format!("for (; trip < {end}; trip++) {{"));
        self.line(&format!("let {} = i32(trip);", variable(repeat.number)));
        if let Some((steps, holds)) = &repeat.test {
            self.steps(steps)?;
            self.stop_unless(*holds);
        }
        self.steps(&repeat.body)?;
        self.take_over(&repeat.arrays);
        self.line("storageBarrier();");
        self.line("}");
        if repeat.test.is_some() {
            self.tell();
        }
        Ok(())
    }

    fn steps(&mut self, steps: &[Step]) -> Result<(), Unsupported> {
        steps.iter().try_for_each(|step| self.step(step))
    }

    fn step(&mut self, step: &Step) -> Result<(), Unsupported> {
        match step {
            Step::Scalars { body, defines } => {
                let own = defines.iter().copied();
                let own = own.filter(|(symbol, _)| self.text.variables.contains(symbol));
                let own: Vec<_> = own.collect();
                if own.is_empty() && !body.iter().any(|(_, inst)| inst.op.may_fail()) {
                    return Ok(());
                }
                self.separate(&step.reads(), &[]);
                self.scalars(body, &own)
            }
            Step::Kernel(kernel) => self.kernel(kernel),
            Step::Strip(strip) => self.strip(strip),
            Step::Check(check, _) => {
                self.check(check);
                Ok(())
            }
            // They are in no such loop.
            Step::If { .. } | Step::Repeat(_) => Ok(()),
        }
    }

    /// A check of what changes from trip to trip; the host has verified the others.
    fn check(&mut self, check: &Check) {
        match check {
            Check::InRange { index, extent } if self.text.variables.contains(index) => {
                let [index, extent] = [index, extent].map(|&symbol| self.text.symbol(symbol));
                let holds = format!("{index} >= 0i && {index} < {extent}");
                self.text.fail_unless(&holds);
            }
            Check::InRange { .. } | Check::Shape { .. } => {}
            Check::SameSize { .. } | Check::SameShape { .. } | Check::NotEmpty { .. } => {}
        }
    }

    /// A strip of one chunk.
    fn strip(&mut self, strip: &Strip) -> Result<(), Unsupported> {
        let mut kernels = strip.kernels.iter();
        kernels.try_for_each(|kernel| self.kernel(kernel))?;
        for part in &strip.parts {
            self.part(part);
        }
        let mut totals = strip.totals.iter();
        totals.try_for_each(|total| self.total(total))
    }

    fn part(&mut self, part: &Part) {
        self.separate(&[part.part], &[part.whole]);
        self.begin_points_of(part.part);
        let value = self.text.element_value(part.part, "point");
        self.line(&format!("let value = {value};"));
        self.text.store_variable(part.whole, "point", "value");
        self.line("}");
    }

    /// What the chunk contributes, after what comes before it.
    fn total(&mut self, total: &Total) -> Result<(), Unsupported> {
        let (wholes, parts): (Vec<_>, Vec<_>) =
            total.arrays.iter().map(|p| (p.whole, p.part)).unzip();
        self.separate(&parts, &wholes);
        let Some(&first) = wholes.first() else {
            return Ok(());
        };
        let types = wholes.iter();
        let types = types.map(|array| self.schedule.arrays[array.index()].elem);
        let running = Running::new(&total.operator, types.collect(), false);
        self.begin_points_of(first);
        running.declare(self.text);
        if let Some(init) = &total.init {
            let init: Vec<_> = init
                .iter()
                .map(|&symbol| self.text.symbol(symbol))
                .collect();
            running.add(self.text, &running.widened(&init))?;
        }
        let values = parts.iter();
        let values = values.map(|&part| self.text.element_value(part, "point"));
        let values: Vec<_> = values.collect();
        running.add(self.text, &running.widened(&values))?;
        for (n, &whole) in wholes.iter().enumerate() {
            let total = running.narrowed(n, &format!("total{n}"));
            self.text.store_variable(whole, "point", &total);
        }
        self.line("}");
        Ok(())
    }

    /// A barrier, if the order of what comes next and of what was done since the last one matters.
    fn separate(&mut self, reads: &[ArrayId], writes: &[ArrayId]) {
        let owners = |arrays: &[ArrayId]| -> BTreeSet<_> {
            let owners = arrays.iter().map(|&array| self.schedule.owner(array));
            owners.collect()
        };
        let (reads, writes) = (owners(reads), owners(writes));
        let Since { read, written } = &self.since;
        let is_apart = written.is_disjoint(&reads)
            && written.is_disjoint(&writes)
            && read.is_disjoint(&writes);
        if !is_apart {
            self.line("storageBarrier();");
            self.since = Since::default();
        }
        self.since.read.extend(reads);
        self.since.written.extend(writes);
    }

    /// Scalar code, which each invocation runs for itself.
    fn scalars(&mut self, body: &Body, defines: &[(SymbolId, ValueId)]) -> Result<(), Unsupported> {
        for &(symbol, value) in defines {
            let ty = of_value(body.type_of(value));
            self.line(&format!("var {}: {ty};", variable(symbol)));
        }
        let failing = body.iter().filter(|(_, inst)| inst.op.may_fail());
        let roots = defines.iter().map(|&(_, v)| v);
        let roots: Vec<_> = roots.chain(failing.map(|(v, _)| v)).collect();
        self.line("{");
        self.line("let point = 0u;");
        self.text.values(body, &roots)?;
        for &(symbol, value) in defines {
            self.line(&format!("{} = {};", variable(symbol), name(value)));
        }
        self.line("}");
        Ok(())
    }

    /// Begins the loop of an invocation through its share of so many points.
    fn begin_points(&mut self, points: &str) {
        let workgroup = self.workgroup;
        self.line(&format!(
            "for (var point = local; point < {points}; point += {workgroup}u) {{"
        ));
    }

    fn begin_points_of(&mut self, array: ArrayId) {
        let points = self.text.size(&self.schedule.arrays[array.index()].extents);
        self.begin_points(&points);
    }

    /// Begins the loop of the first invocation through all points, in their order.
    fn begin_in_order(&mut self, points: &str) {
        self.line(&format!(
            "for (var point = 0u; local == 0u && point < {points}; point++) {{"
        ));
    }

    fn kernel(&mut self, kernel: &Kernel) -> Result<(), Unsupported> {
        let reads = kernel.body().reads().collect::<Vec<_>>();
        let writes = kernel.outputs().iter().map(|output| output.array);
        self.separate(&reads, &writes.collect::<Vec<_>>());
        let points = self.text.size(&kernel.space);
        match kernel.writes_in_place() {
            false => self.begin_points(&points),
            true => self.begin_in_order(&points),
        }
        match &kernel.kind {
            KernelKind::Map { .. } => map::at_point(self.text, kernel)?,
            KernelKind::Reduce { .. } | KernelKind::Contract { .. } => {
                reduce::at_point(self.text, kernel)?;
            }
            KernelKind::Scan { .. } => scan::at_point(self.text, kernel)?,
            KernelKind::Scatter { .. } => scatter::at_point(self.text, self.schedule, kernel)?,
            KernelKind::Segments { .. } | KernelKind::Sort { .. } => {
                return Err(Unsupported::form(kernel));
            }
        }
        self.line("}");
        Ok(())
    }

    /// Ends the loop where the test does not hold. All invocations go by what the first one found.
    fn stop_unless(&mut self, holds: SymbolId) {
        self.text.share("goes_on", ScalarType::Bool, 1);
        let holds = self.text.symbol(holds);
        self.line(&format!(
            "if local == 0u {{ goes_on[0] = select(0u, 1u, {holds}); }}"
        ));
        self.line("has_ended = workgroupUniformLoad(&goes_on[0]) == 0u;");
        self.line("if has_ended { break; }");
    }

    /// Makes what is carried inside what comes next.
    fn take_over(&mut self, carried: &[Carried<ArrayId>]) {
        let moved = carried.iter().filter(|c| c.inside != c.next);
        let moved: Vec<_> = moved.collect();
        if moved.is_empty() {
            return;
        }
        let all = |of: fn(&Carried<ArrayId>) -> ArrayId| -> Vec<_> {
            moved.iter().map(|&c| of(c)).collect()
        };
        self.separate(&all(|c| c.next), &all(|c| c.inside));
        let mut lengths = vec![];
        for carried in &moved {
            let extents = &self.schedule.arrays[carried.inside.index()].extents;
            lengths.push(self.text.size(extents));
        }
        let most = lengths.iter().skip(1);
        let most = most.fold(lengths[0].clone(), |most, n| format!("max({most}, {n})"));
        self.begin_points(&most);
        for (n, (carried, length)) in moved.iter().zip(&lengths).enumerate() {
            let ty = of_value(self.schedule.arrays[carried.next.index()].elem);
            let next = self.text.element_value(carried.next, "point");
            self.line(&format!("var next{n}: {ty};"));
            self.line(&format!("if point < {length} {{ next{n} = {next}; }}"));
        }
        for (n, (carried, length)) in moved.iter().zip(&lengths).enumerate() {
            self.line(&format!("if point < {length} {{"));
            let next = format!("next{n}");
            self.text.store_variable(carried.inside, "point", &next);
            self.line("}");
        }
        self.line("}");
    }

    /// Leaves how many trips were made, and whether they were all.
    fn tell(&mut self) {
        self.line("if local == 0u {");
        self.text.leave(0, ScalarType::I32, "0u", "i32(trip)");
        self.text
            .leave(0, ScalarType::I32, "1u", "select(0i, 1i, has_ended)");
        self.line("}");
    }
}
