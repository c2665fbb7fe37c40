//! Entry points: what they begin with, and the module around them.

use super::Text;
use crate::access::Around;
use crate::library;
use crate::math;
use crate::sharing::Binds;
use crate::target::Target;
use crate::types::of_shared;
use crate::{Each, Parameter, Shader};
use cotangent_core::types::ScalarType;
use std::fmt::Write;

impl Text<'_> {
    /// Begins a shader over points, a loop that [`finish`](Self::finish) ends: an invocation does every so many-th point, as many as
    /// there are invocations, and `point` is the one at hand. A device starts a workgroup in about the time in which its memory takes
    /// in a few hundred bytes, so many small ones would take longer than their work.
    pub fn begin(&mut self) {
        let (first, end) = (self.word(Parameter::First), self.word(Parameter::End));
        let workgroup = self.workgroup;
        self.line(&format!(
            "for (var number = id.x; number < {end} - {first}; number += groups.x * {workgroup}u) {{"
        ));
        self.line(&format!("let point = {first} + number;"));
    }

    /// Begins a shader whose points are done by workgroups of so many invocations: `point` is the number of the
    /// workgroup's own, `local` that of the invocation in it.
    pub fn begin_group(&mut self, invocations: u32) {
        self.each = Each::Workgroup;
        self.workgroup = invocations;
        let (first, end) = (self.word(Parameter::First), self.word(Parameter::End));
        self.line("let number = group.x + group.y * groups.x;");
        self.line(&format!("if number >= {end} - {first} {{ return; }}"));
        self.line(&format!("let point = {first} + number;"));
    }

    /// Begins a shader that one workgroup of so many invocations does alone: `local` is the number of an invocation.
    pub fn begin_alone(&mut self, invocations: u32) {
        self.each = Each::Workgroup;
        self.workgroup = invocations;
    }

    /// Declares workgroup memory.
    pub fn share(&mut self, name: &str, elem: ScalarType, len: u32) {
        let elem = of_shared(elem);
        let _ = writeln!(self.shared, "var<workgroup> {name}: array<{elem}, {len}>;");
    }

    /// Goes on with `lane`, `subgroup` and `subgroups`: the number of the invocation in its subgroup, that of the
    /// subgroup, and how many there are.
    pub fn use_subgroups(&mut self) {
        self.has_subgroups = true;
    }

    /// What the device offers.
    pub fn target(&self) -> &Target {
        self.target
    }

    /// What the entry point is given.
    fn inputs(&self) -> String {
        let own: &[_] = match self.each {
            Each::Invocation => &[("global_invocation_id", "id: vec3<u32>")],
            Each::Workgroup => &[
                ("workgroup_id", "group: vec3<u32>"),
                ("local_invocation_index", "local: u32"),
            ],
        };
        let of_subgroups: &[_] = match self.has_subgroups {
            false => &[],
            true => &[
                ("subgroup_invocation_id", "lane: u32"),
                ("subgroup_id", "subgroup: u32"),
                ("num_subgroups", "subgroups: u32"),
            ],
        };
        let all = [("num_workgroups", "groups: vec3<u32>")];
        let all = all.iter().chain(own).chain(of_subgroups);
        let all = all.map(|(builtin, input)| format!("@builtin({builtin}) {input}"));
        all.collect::<Vec<_>>().join(", ")
    }

    /// The whole module, with what was written so far as its entry point.
    pub fn finish(mut self) -> Shader {
        if self.each == Each::Invocation {
            self.line("}");
        }
        let (workgroup, inputs) = (self.workgroup, self.inputs());
        let functions =
            library::source(&self.functions) + &math::library(self.math.iter().copied());
        let after = format!(
            "{}\n@compute @workgroup_size({workgroup})\nfn main({inputs}) {{\n{}}}\n",
            self.shared, self.lines
        );
        // Whatever is of this type names it.
        let bound = |ty| self.bindings.iter().any(|binding| binding.elem == ty);
        let has_f16 =
            bound(ScalarType::F16) || [&functions, &after].iter().any(|text| text.contains("f16"));
        let enabled = if has_f16 { "enable f16;\n" } else { "" };
        let symbols = &self.schedule.symbols;
        let around = Around {
            before: enabled.to_owned() + &functions,
            accesses: self.accesses,
            after,
            words: self.parameters.iter().map(|p| p.words(symbols)).sum(),
            may_fail: self.may_fail,
        };
        let binds = Binds::alone(self.bindings.len());
        Shader {
            source: around.module(&self.bindings, &binds),
            around,
            binds,
            parameters: self.parameters,
            bindings: self.bindings,
            workgroup,
            each: self.each,
            may_fail: self.may_fail,
            origin: self.origin,
        }
    }
}
