//! Loops: a WGSL `loop` whose carried values are variables.
//!
//! The names of the values inside may be those of values outside, which they hide: what the loop is given is bound to
//! the names of its arguments before any of its own values are declared. The variables of loops have the depth in their
//! names: they are written to when the values inside have been declared.

use super::{Text, name};
use crate::target::Unsupported;
use crate::types::of_value;
use cotangent_core::schedule::{Body, Kernel, KernelKind, Loop, Region, ValueId};
use std::fmt::Write;

/// The most trips that the loops of an invocation make together: with another, the program's have to be made in several
/// dispatches. Mesa's software rasteriser ends an invocation's loops *silently* after 65,535 trips in all before version
/// 23, those included in which a shader goes through the elements of a reduction (16,384 at most), and drivers stop a
/// device that is busy for some seconds.
pub const MOST_TRIPS: u32 = 48_000;

impl Text<'_> {
    /// The variable that counts the trips of a loop, in the body that is being written.
    fn count(&self, of: ValueId) -> String {
        format!("n{}_{}", self.depth, of.0)
    }

    /// The variable of a value that a loop carries, in the body that is being written.
    pub(super) fn carried(&self, of: ValueId, which: usize) -> String {
        format!("{}_{which}", self.count(of))
    }

    /// Runs a loop, and declares the number of its trips.
    ///
    /// # Errors
    /// Where the device lacks a type or a function.
    pub(super) fn looping(
        &mut self,
        body: &Body,
        v: ValueId,
        of: &Loop,
    ) -> Result<(), Unsupported> {
        let Loop {
            trips,
            init,
            captures: _,
            region,
        } = of;
        let trip = self.count(v);
        self.line(&format!("var {trip} = 0i;"));
        for (which, &init) in init.iter().enumerate() {
            let (variable, ty) = (self.carried(v, which), of_value(body.type_of(init)));
            self.line(&format!("var {variable}: {ty} = {};", name(init)));
        }
        self.line(&format!("while {trip} < {} {{", name(*trips)));
        self.count_trip();
        self.arguments(v, of);
        self.depth += 1;
        let inside = self.values(&region.body, &needed(region));
        self.depth = self.depth.saturating_sub(1);
        inside?;
        if let Some(test) = region.test {
            self.line(&format!("if !{} {{ break; }}", name(test)));
        }
        for (which, &next) in region.next.iter().enumerate() {
            self.line(&format!("{} = {};", self.carried(v, which), name(next)));
        }
        self.line(&format!("{trip} += 1i;"));
        self.line("}");
        self.line(&format!("let {} = {trip};", name(v)));
        Ok(())
    }

    /// Counts a trip, and ends the loop where there were too many: then the second word of failures says so.
    fn count_trip(&mut self) {
        if !self.limits_trips {
            return;
        }
        let declared = "var<private> spent: u32;";
        if !self.shared.contains(declared) {
            let _ = writeln!(self.shared, "{declared}");
        }
        self.may_fail = true;
        self.line(&format!(
            "if spent == {MOST_TRIPS}u {{ atomicMax(&failure[1], 1u); break; }}"
        ));
        self.line("spent += 1u;");
    }

    /// Binds the arguments of a trip to their names.
    fn arguments(&mut self, v: ValueId, of: &Loop) {
        let states = (0..of.init.len()).map(|which| self.carried(v, which));
        let captures = of.captures.iter().map(|&v| name(v));
        let all = [self.count(v)].into_iter().chain(states).chain(captures);
        let all: Vec<_> = all.collect();
        for (n, given) in all.iter().enumerate() {
            self.line(&format!("let x{n} = {given};"));
        }
    }
}

/// Whether no invocation of a kernel makes too many trips, however many there are.
pub(super) fn has_few_trips(kernel: &Kernel) -> bool {
    match &kernel.kind {
        KernelKind::Map { body, .. } => body
            .most_trips()
            .is_some_and(|trips| trips <= MOST_TRIPS.into()),
        // An invocation goes through as many elements as there are.
        KernelKind::Reduce { .. }
        | KernelKind::Contract { .. }
        | KernelKind::Scan { .. }
        | KernelKind::Scatter { .. } => false,
    }
}

/// The results of a trip, and all that may fail.
fn needed(region: &Region) -> Vec<ValueId> {
    let failing = region.body.iter().filter(|(_, inst)| inst.op.may_fail());
    let results = region.results().into_iter();
    results.chain(failing.map(|(v, _)| v)).collect()
}
