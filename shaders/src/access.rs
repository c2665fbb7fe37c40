//! How elements of memory are read and written: by functions, one for each use of each memory.
//!
//! A device binds only so much memory at a time. Larger memory is bound in several pieces of the same length, its
//! *windows*. Only these functions know of them, so that [`Shader::in_windows`] can turn a shader into one for larger memory
//! without its kernel.

use crate::types::{bytes_of, of_element, of_value, read, written};
use crate::{Binding, Memory, Shader};
use std::fmt::Write;

/// What is done with an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    Read,
    Write,
    /// Memory that is used atomically is used in no other way.
    Atomic(Atomic),
}

/// What is done at once, whoever else does something with the element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Atomic {
    /// A word becomes zero.
    Clear,
    /// A word becomes the largest that it is given.
    Max,
    /// Something is added by a function of the device's.
    Add,
    /// Something is added by trying until nobody else came between, on words of this type.
    Exchange(&'static str),
}

/// The text of a shader around the functions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Around {
    pub before: String,
    pub accesses: Vec<(Memory, Access)>,
    pub after: String,
}

impl Around {
    /// The whole module.
    pub fn module(&self, bindings: &[Binding], windows: &Windows) -> String {
        let mut text = self.before.clone();
        let mut number = 0;
        let mut global = |access: &str, name: &str, elem: &str| {
            let place = format!("@group(0) @binding({number})");
            number += 1;
            let _ = writeln!(
                text,
                "{place} var<storage, {access}> {name}: array<{elem}>;"
            );
        };
        global("read", "parameters", "u32");
        global("read_write", "failure", "atomic<u32>");
        for (n, binding) in bindings.iter().enumerate() {
            let access = if binding.written {
                "read_write"
            } else {
                "read"
            };
            for name in windows.names(n, binding) {
                global(access, &name, &self.cell(binding));
            }
        }
        for &(memory, access) in &self.accesses {
            let bound = bindings.iter().enumerate();
            for (n, binding) in bound.filter(|(_, binding)| binding.memory == memory) {
                text += &windows.function(n, binding, access);
            }
        }
        text + &self.after
    }

    /// The type that memory is declared to be of.
    fn cell(&self, binding: &Binding) -> String {
        let accesses = self.accesses.iter();
        let mut own = accesses.filter(|(memory, _)| *memory == binding.memory);
        own.find_map(|(_, access)| access.atomic_cell(binding))
            .unwrap_or_else(|| of_element(binding.elem).to_owned())
    }
}

/// In how many pieces memory is bound.
pub(crate) struct Windows<'a> {
    /// The bytes of a piece: a power of two.
    pub bytes: u64,
    /// The pieces of each binding; those that are left out have one.
    pub counts: &'a [u32],
}

impl Windows<'_> {
    /// All memory in one piece.
    pub const NONE: Self = Self {
        bytes: 0,
        counts: &[],
    };

    fn count(&self, n: usize) -> u32 {
        self.counts.get(n).copied().unwrap_or(1)
    }

    fn names(&self, n: usize, binding: &Binding) -> Vec<String> {
        let name = memory_name(binding.memory);
        match self.count(n) {
            1 => vec![name],
            count => (0..count)
                .map(|window| format!("{name}_{window}"))
                .collect(),
        }
    }

    /// The function for a use of memory.
    fn function(&self, n: usize, binding: &Binding, access: Access) -> String {
        let name = function_name(binding.memory, access);
        let signature = access.signature(binding);
        let names = self.names(n, binding);
        let text = match names.as_slice() {
            [name] => access.text(binding, &format!("{name}[at]")),
            names => self.chosen(binding, access, names),
        };
        format!("fn {name}{signature} {{ {text} }}\n")
    }

    /// What is done with an element of the window that it is in.
    fn chosen(&self, binding: &Binding, access: Access, names: &[String]) -> String {
        let elements = (self.bytes / bytes_of(binding.elem)).max(1);
        let (shift, mask) = (elements.ilog2(), elements - 1);
        let mut text = format!("let place = at & {mask}u;\n    switch at >> {shift}u {{\n");
        for (n, name) in names.iter().enumerate() {
            let done = access.text(binding, &format!("{name}[place]"));
            let case = match n + 1 == names.len() {
                true => "default".to_owned(),
                false => format!("case {n}u"),
            };
            let _ = writeln!(text, "        {case}: {{ {done} }}");
        }
        text + "    }\n"
    }
}

impl Access {
    fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Atomic(Atomic::Clear) => "clear",
            Self::Atomic(Atomic::Max) => "raise",
            Self::Atomic(Atomic::Add | Atomic::Exchange(_)) => "add_to",
        }
    }

    fn signature(self, binding: &Binding) -> String {
        let value = of_value(binding.elem);
        match self {
            Self::Read => format!("(at: u32) -> {value}"),
            Self::Write | Self::Atomic(Atomic::Add | Atomic::Exchange(_)) => {
                format!("(at: u32, value: {value})")
            }
            Self::Atomic(Atomic::Clear) => "(at: u32)".to_owned(),
            Self::Atomic(Atomic::Max) => "(at: u32, value: u32)".to_owned(),
        }
    }

    fn text(self, binding: &Binding, element: &str) -> String {
        match self {
            Self::Read => format!("return {};", read(binding.elem, element)),
            Self::Write => format!("{element} = {};", written(binding.elem, "value")),
            Self::Atomic(Atomic::Clear) => format!("atomicStore(&{element}, 0u);"),
            Self::Atomic(Atomic::Max) => format!("atomicMax(&{element}, value);"),
            Self::Atomic(Atomic::Add) => format!("atomicAdd(&{element}, value);"),
            Self::Atomic(Atomic::Exchange(bits)) => exchange(binding, bits, element),
        }
    }

    /// What elements have to be for an atomic use.
    fn atomic_cell(self, binding: &Binding) -> Option<String> {
        match self {
            Self::Read | Self::Write => None,
            Self::Atomic(Atomic::Clear | Atomic::Max) => Some("atomic<u32>".to_owned()),
            Self::Atomic(Atomic::Add) => Some(format!("atomic<{}>", of_value(binding.elem))),
            Self::Atomic(Atomic::Exchange(bits)) => Some(format!("atomic<{bits}>")),
        }
    }
}

fn exchange(binding: &Binding, bits: &str, element: &str) -> String {
    let ty = of_value(binding.elem);
    let tried = format!("atomicCompareExchangeWeak(&{element}, old, sum)");
    format!(
        "var old = atomicLoad(&{element}); loop {{ let sum = bitcast<{bits}>(bitcast<{ty}>(old) + value); \
         let found = {tried}; if found.exchanged {{ break; }} old = found.old_value; }}"
    )
}

/// The function for a use of memory.
pub(crate) fn function_name(memory: Memory, access: Access) -> String {
    format!("{}_{}", access.name(), memory_name(memory))
}

fn memory_name(memory: Memory) -> String {
    match memory {
        Memory::Array(array) => format!("a{}", array.0),
        Memory::From(component) => format!("from{component}"),
        Memory::To(component) => format!("to{component}"),
    }
}

impl Shader {
    /// The same shader for memory that is bound in windows of `bytes` bytes, a power of two and no less than an element:
    /// `counts` of them for each of the bindings, one after the other. The last may be shorter.
    pub fn in_windows(&self, bytes: u64, counts: &[u32]) -> Self {
        let windows = Windows { bytes, counts };
        Self {
            source: self.around.module(&self.bindings, &windows),
            parameters: self.parameters.clone(),
            bindings: self.bindings.clone(),
            windows: counts.to_vec(),
            around: self.around.clone(),
            ..*self
        }
    }
}

#[cfg(test)]
mod tests;
