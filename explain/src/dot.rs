//! Explanations as drawings: kernels are boxes, arrays the arrows between them, inputs and results ovals.
//!
//! The text is Graphviz's language; every string in it is quoted, so that names may contain anything.

use crate::text::bytes;
use crate::{ArrayNote, Explanation, KernelNote, Role};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

impl Explanation {
    /// The program as a graph in Graphviz's language, for `dot -Tsvg`.
    pub fn to_dot(&self) -> String {
        let mut lines = vec![
            "digraph program {".to_owned(),
            "  node [fontname=\"sans-serif\"];".to_owned(),
            "  edge [fontname=\"sans-serif\"];".to_owned(),
        ];
        for (position, kernel) in self.kernels.iter().enumerate() {
            lines.push(kernel_node(position, kernel));
        }
        lines.extend(self.inputs());
        lines.extend(self.between());
        lines.extend(self.results());
        lines.push("}".to_owned());
        lines.join("\n") + "\n"
    }

    /// The inputs that are read or given back, and who reads them.
    fn inputs(&self) -> Vec<String> {
        let mut lines = vec![];
        for input in self.arrays.iter().filter(|a| a.role == Role::Input) {
            let node = quoted(&format!("input {}", input.name));
            let label = quoted(&format!("{}\n{}", input.name, type_of(input)));
            lines.push(format!(
                "  {node} [label={label}, shape=ellipse, style=filled, fillcolor=\"lightblue\"];"
            ));
            for (position, kernel) in self.kernels.iter().enumerate() {
                if kernel.reads.contains(&input.name) {
                    let label = size_of(input);
                    lines.push(format!("  {node} -> k{position} [label={label}];"));
                }
            }
        }
        lines
    }

    fn between(&self) -> Vec<String> {
        let edges = self.boundaries.iter().map(|b| {
            let reason = b
                .reason
                .map_or(String::new(), |reason| reason.0.to_string());
            let (label, tip) = (format!("{}\n{}", b.array, bytes(&b.bytes)), quoted(&reason));
            let label = quoted(&label);
            format!(
                "  k{} -> k{} [label={label}, edgetooltip={tip}];",
                b.from, b.to
            )
        });
        edges.collect()
    }

    /// What the program gives back, and the kernels that write it.
    fn results(&self) -> Vec<String> {
        let mut lines = vec![];
        for result in self.arrays.iter().filter(|a| a.is_result) {
            let node = quoted(&format!("result {}", result.name));
            let label = quoted(&format!("{}\n{}", result.name, type_of(result)));
            lines.push(format!(
                "  {node} [label={label}, shape=ellipse, style=filled, fillcolor=\"lightgreen\"];"
            ));
            for from in self.sources(result) {
                lines.push(format!("  {from} -> {node} [label={}];", size_of(result)));
            }
        }
        lines
    }

    /// The nodes that a result comes from: an input, or the kernels that write its memory. The memory of a
    /// conditional is written in its branches.
    fn sources(&self, result: &ArrayNote) -> BTreeSet<String> {
        let by_name: BTreeMap<_, _> = self.arrays.iter().map(|a| (&a.name, a)).collect();
        let (mut nodes, mut seen) = (BTreeSet::new(), BTreeSet::new());
        let mut todo = vec![result.view_of.as_ref().unwrap_or(&result.name)];
        while let Some(name) = todo.pop() {
            if !seen.insert(name) {
                continue;
            }
            let array = by_name.get(name);
            if array.is_some_and(|a| a.role == Role::Input) {
                nodes.insert(quoted(&format!("input {name}")));
            }
            todo.extend(array.into_iter().flat_map(|a| &a.merged_from));
            let kernels = self.kernels.iter().enumerate();
            let writers = kernels.filter(|(_, k)| k.writes.contains(name));
            nodes.extend(writers.map(|(position, _)| format!("k{position}")));
        }
        nodes
    }
}

fn kernel_node(position: usize, kernel: &KernelNote) -> String {
    let mut label = format!("{position}: {} ({})", kernel.name, kernel.kind);
    let space = [kernel.index_space.as_slice(), &kernel.inner_space].concat();
    let _infallible = write!(
        label,
        "\n[{}]\n{} flops\n{}",
        space.join(", "),
        kernel.flops,
        kernel.location
    );
    format!("  k{position} [label={}, shape=box];", quoted(&label))
}

fn type_of(array: &ArrayNote) -> String {
    format!("{}[{}]", array.element, array.extents.join(", "))
}

fn size_of(array: &ArrayNote) -> String {
    quoted(&format!("{}\n{}", array.name, bytes(&array.bytes)))
}

/// A string of Graphviz's language.
fn quoted(text: &str) -> String {
    let escaped = text.replace('\\', "\\\\").replace('"', "\\\"");
    format!("\"{}\"", escaped.replace('\n', "\\n"))
}
