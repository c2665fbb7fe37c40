//! Loops: a WGSL `loop` whose carried values are variables.
//!
//! The names of the values inside may be those of values outside, which they hide: what the loop is given is bound to
//! the names of its arguments before any of its own values are declared. The variables of loops have the depth in their
//! names: they are written to when the values inside have been declared.
//!
//! Arrays `[T; N]` whose entries a trip reads or replaces at places that it computes are variables with an index ([`Loop::in_rows`]).

use super::{Text, name};
use crate::target::Unsupported;
use crate::types::of_value;
use cotangent_core::schedule::{Body, Initial, Kernel, KernelKind, Loop, Region, Rows, ValueId};
use std::fmt::Write;

/// The most trips that the loops of an invocation make together: with another, the program's have to be made in several
/// dispatches. Mesa's software rasteriser ends an invocation's loops *silently* after 65,535 trips in all before version
/// 23, those included in which a shader goes through the elements of a reduction (16,384 at most), and drivers stop a
/// device that is busy for some seconds.
pub const MOST_TRIPS: u32 = 48_000;

/// Arrays of fewer entries are variables one by one: variables with an index are in memory.
const LEAST: usize = 17;

impl Text<'_> {
    /// The variable that counts the trips of a loop, in the body that is being written.
    fn count(&self, of: ValueId) -> String {
        format!("n{}_{}", self.depth, of.0)
    }

    /// The variable of a value that a loop carries, in the body that is being written.
    pub(super) fn carried(&self, of: ValueId, which: usize) -> String {
        format!("{}_{which}", self.count(of))
    }

    /// The variables of the rows that a loop holds, in the body that is being written: its own, or those of the loop around.
    fn variables_of_rows(&self, body: &Body, of: ValueId, rows: &[Rows]) -> Vec<(String, usize)> {
        let own = |n| format!("{}_rows{n}", self.count(of));
        let variables = rows.iter().enumerate().map(|(n, rows)| {
            let around = rows.around(body).and_then(|around| self.rows.get(around));
            around.map_or_else(|| (own(n), rows.init.len()), Clone::clone)
        });
        variables.collect()
    }

    /// Runs a loop, and declares the number of its trips.
    ///
    /// # Errors
    /// Where the device lacks a type or a function.
    pub(super) fn looping(
        &mut self,
        body: &Body,
        v: ValueId,
        whole: &Loop,
    ) -> Result<(), Unsupported> {
        let held = whole.in_rows(LEAST);
        let of = held.as_ref().map_or(whole, |held| &held.of);
        let all: Vec<usize> = (0..whole.init.len()).collect();
        let states = held.as_ref().map_or(&all, |held| &held.plain);
        let rows = held.as_ref().map_or(&[][..], |held| &held.rows);
        let trip = self.count(v);
        self.line(&format!("var {trip} = 0i;"));
        for (&which, &init) in states.iter().zip(&of.init) {
            let (variable, ty) = (self.carried(v, which), of_value(body.type_of(init)));
            self.line(&format!("var {variable}: {ty} = {};", name(init)));
        }
        let variables = self.variables_of_rows(body, v, rows);
        self.declare_rows(body, &variables, rows);
        self.line(&format!("while {trip} < {} {{", name(of.trips)));
        self.count_trip();
        self.arguments(v, of, states);
        self.trip(&variables, &of.region, rows)?;
        for (&which, &next) in states.iter().zip(&of.region.next) {
            self.line(&format!("{} = {};", self.carried(v, which), name(next)));
        }
        self.replace(&variables, rows);
        self.line(&format!("{trip} += 1i;"));
        self.line("}");
        self.line(&format!("let {} = {trip};", name(v)));
        self.leave_rows(body, (v, &variables), rows);
        Ok(())
    }

    /// What a trip computes, and whether it is made.
    fn trip(
        &mut self,
        variables: &[(String, usize)],
        region: &Region,
        rows: &[Rows],
    ) -> Result<(), Unsupported> {
        let around = std::mem::replace(&mut self.rows, variables.to_vec());
        self.depth += 1;
        let inside = self.values(&region.body, &needed(region, rows));
        self.depth = self.depth.saturating_sub(1);
        self.rows = around;
        inside?;
        if let Some(test) = region.test {
            self.line(&format!("if !{} {{ break; }}", name(test)));
        }
        Ok(())
    }

    /// Declares rows with what is in them at first; those of the loop around are there.
    fn declare_rows(&mut self, body: &Body, variables: &[(String, usize)], rows: &[Rows]) {
        let all = variables.iter().zip(rows);
        for ((variable, len), rows) in all.filter(|(_, rows)| rows.around(body).is_none()) {
            let ty = of_value(rows.ty);
            self.line(&format!("var {variable}: array<{ty}, {len}>;"));
            for (k, &init) in rows.init.iter().enumerate() {
                let init = match init {
                    Initial::Value(v) => name(v),
                    Initial::Const(number) => {
                        let init = format!("{variable}_{k}");
                        self.constant(&init, number);
                        init
                    }
                };
                self.line(&format!("{variable}[{k}] = {init};"));
            }
        }
    }

    /// Replaces the entries that a trip has new values for.
    fn replace(&mut self, variables: &[(String, usize)], rows: &[Rows]) {
        for ((variable, len), rows) in variables.iter().zip(rows) {
            for &[place, value] in &rows.updates {
                let (place, value) = (name(place), name(value));
                // As a `u32`, what is below zero is above every length.
                self.line(&format!(
                    "if u32({place}) < {len}u {{ {variable}[{place}] = {value}; }}"
                ));
            }
        }
    }

    /// Gives the entries the names of what a loop carried; in rows of the loop around they are found.
    fn leave_rows(
        &mut self,
        body: &Body,
        (v, variables): (ValueId, &[(String, usize)]),
        rows: &[Rows],
    ) {
        let all = variables.iter().zip(rows);
        for ((variable, _), rows) in all.filter(|(_, rows)| rows.around(body).is_none()) {
            for (k, &which) in rows.states.iter().enumerate() {
                let carried = self.carried(v, which);
                self.line(&format!("let {carried} = {variable}[{k}];"));
            }
        }
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

    /// Binds the arguments of a trip to their names: its number, what is carried of the given positions, and captures.
    fn arguments(&mut self, v: ValueId, of: &Loop, states: &[usize]) {
        let states = states.iter().map(|&which| self.carried(v, which));
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
        | KernelKind::Segments { .. }
        | KernelKind::Sort { .. }
        | KernelKind::Scatter { .. } => false,
    }
}

/// The results of a trip, and all that acts without being used.
fn needed(region: &Region, rows: &[Rows]) -> Vec<ValueId> {
    let updates = rows.iter().flat_map(|rows| &rows.updates);
    let results = region
        .results()
        .into_iter()
        .chain(updates.flatten().copied());
    results.chain(region.body.acting()).collect()
}
