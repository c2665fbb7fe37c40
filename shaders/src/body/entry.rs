//! Entry points: what they begin with, and the module around them.

use super::{Text, memory_name};
use crate::library;
use crate::math;
use crate::target::Target;
use crate::types::of_element;
use crate::{Each, Parameter, Shader};
use cotangent_core::types::ScalarType;
use std::fmt::Write;

impl Text<'_> {
    /// Begins a shader over points: `point` is the number of the invocation's own.
    pub fn begin(&mut self) {
        let (first, end) = (self.word(Parameter::First), self.word(Parameter::End));
        let workgroup = self.workgroup;
        self.line(&format!(
            "let number = id.x + id.y * groups.x * {workgroup}u;"
        ));
        self.line(&format!("if number >= {end} - {first} {{ return; }}"));
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

    /// Declares workgroup memory.
    pub fn share(&mut self, name: &str, elem: ScalarType, len: u32) {
        let elem = of_element(elem);
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
    pub fn finish(self) -> Shader {
        let (workgroup, inputs) = (self.workgroup, self.inputs());
        let mut source = library::source(&self.functions);
        source += &math::library(self.math.iter().copied());
        let access = |written| if written { "read_write" } else { "read" };
        let mut global = |n: usize, access: &str, name: &str, ty: &str| {
            let binding = format!("@group(0) @binding({n})");
            let _ = writeln!(
                source,
                "{binding} var<storage, {access}> {name}: array<{ty}>;"
            );
        };
        global(0, "read", "parameters", "u32");
        global(1, "read_write", "failure", "atomic<u32>");
        for (n, binding) in self.bindings.iter().enumerate() {
            let mut atomics = self.atomics.iter();
            let atomic = atomics.find(|(memory, _)| *memory == binding.memory);
            let elem = atomic.map_or(of_element(binding.elem), |&(_, atomic)| atomic);
            let name = memory_name(binding.memory);
            global(n + 2, access(binding.written), &name, elem);
        }
        let _ = writeln!(
            source,
            "{}\n@compute @workgroup_size({workgroup})\nfn main({inputs}) {{\n{}}}",
            self.shared, self.lines
        );
        Shader {
            source,
            parameters: self.parameters,
            bindings: self.bindings,
            workgroup,
            each: self.each,
            may_fail: self.may_fail,
        }
    }
}
