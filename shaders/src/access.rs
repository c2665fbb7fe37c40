//! How elements of memory are read and written: by functions, one for each use of each memory.
//!
//! A device binds only so much memory at a time, and only so many buffers. Larger memory is bound in several pieces of the
//! same length, its *windows*; where buffers are too few, memory shares a binding with others (`sharing.rs`). Only these
//! functions know of that, so that [`Shader::bound`](crate::Shader::bound) can turn a shader into one for other bindings
//! without its kernel; and of elements that are parts of words (`access/packed.rs`).

mod packed;

use crate::sharing::{Binds, Cells, Location};
use crate::types::{bytes_of, from_cell, is_packed, of_element, of_value, read, to_cell, written};
use crate::{Binding, Memory};
use cotangent_core::integer_type;
use cotangent_core::types::ScalarType;
use packed::Packed;
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
    /// Something is added by a function of the device's; where elements are parts of words, by trying.
    Add,
    /// Something is added by trying until nobody else came between, on words of this type.
    Exchange(&'static str),
}

/// Parameters of more words are no uniform buffer: every device binds as many.
const MOST_UNIFORM_WORDS: u32 = 4096;

/// The text of a shader around the functions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Around {
    pub before: String,
    pub accesses: Vec<(Memory, Access)>,
    pub after: String,
    /// The words of the parameters.
    pub words: u32,
    pub may_fail: bool,
}

/// The declarations of a module so far.
struct Globals {
    text: String,
    /// The number of the next binding.
    next: u32,
}

impl Globals {
    fn declare(&mut self, space: &str, name: &str, ty: &str) {
        let binding = format!("@group(0) @binding({})", self.next);
        self.next += 1;
        let _ = writeln!(self.text, "{binding} var<{space}> {name}: {ty};");
    }

    fn storage(&mut self, is_written: bool, name: &str, cell: &str) {
        let space = match is_written {
            true => "storage, read_write",
            false => "storage, read",
        };
        self.declare(space, name, &format!("array<{cell}>"));
    }
}

impl Around {
    /// The whole module.
    pub fn module(&self, bindings: &[Binding], binds: &Binds) -> String {
        let mut globals = Globals {
            text: self.before.clone(),
            next: 0,
        };
        self.parameters(&mut globals, bindings, binds);
        if self.may_fail {
            globals.storage(true, "failure", "atomic<u32>");
        }
        for (n, binding) in bindings.iter().enumerate() {
            for name in binds.names(n, binding) {
                globals.storage(binding.written, &name, &self.cell(binding));
            }
        }
        for (n, shared) in binds.shared.iter().enumerate() {
            let is_written = shared.is_written(bindings);
            globals.storage(is_written, &shared_name(n), shared.cells.ty());
        }
        let mut offset = self.words;
        for (n, binding) in bindings.iter().enumerate() {
            let own = self.accesses.iter();
            for (_, access) in own.filter(|(memory, _)| *memory == binding.memory) {
                globals.text += &binds.function((n, offset), binding, *access);
            }
            offset += u32::from(binds.offset(n).is_some());
        }
        globals.text + &self.after
    }

    /// Words of four, as elements of uniform buffers are no smaller.
    fn parameters(&self, globals: &mut Globals, bindings: &[Binding], binds: &Binds) {
        let space = match self.has_uniform(bindings) {
            true => "uniform",
            false => "storage, read",
        };
        let shared = binds.shared.iter().map(|shared| shared.members.len());
        let words = self.words + shared.sum::<usize>() as u32;
        let quads = words.div_ceil(4).max(1);
        globals.declare(space, "parameters", &format!("array<vec4<u32>, {quads}>"));
    }

    /// Whether parameters are in a uniform buffer, wherever memory is bound.
    pub fn has_uniform(&self, bindings: &[Binding]) -> bool {
        self.words.saturating_add(bindings.len() as u32) <= MOST_UNIFORM_WORDS
    }

    /// The type that memory is declared to be of by itself.
    fn cell(&self, binding: &Binding) -> String {
        let atomic = self.atomic_cell(binding).map(str::to_owned);
        atomic.unwrap_or_else(|| of_element(binding.elem).to_owned())
    }

    fn atomic_cell(&self, binding: &Binding) -> Option<&'static str> {
        let accesses = self.accesses.iter();
        let mut own = accesses.filter(|(memory, _)| *memory == binding.memory);
        own.find_map(|(_, access)| access.atomic_cell(binding))
    }

    /// What memory can be a part of.
    pub fn cells(&self, binding: &Binding) -> Cells {
        match (self.atomic_cell(binding), bytes_of(binding.elem)) {
            (Some(cell), _) => Cells::Atomic(cell),
            (None, _) if is_packed(binding.elem) => Cells::Words,
            (None, 2) => Cells::Halves,
            (None, 4) => Cells::Words,
            (None, _eight) => Cells::Wides,
        }
    }
}

/// A word of the parameters.
pub(crate) fn parameter_word(word: u32) -> String {
    let part = ["x", "y", "z", "w"][word as usize % 4];
    format!("parameters[{}].{part}", word / 4)
}

fn shared_name(number: usize) -> String {
    format!("shared_memory{number}")
}

impl Binds {
    /// The windows of memory that is bound by itself.
    fn names(&self, n: usize, binding: &Binding) -> Vec<String> {
        let name = memory_name(binding.memory);
        match self.locations[n] {
            Location::Shared(_) => vec![],
            Location::Alone(1) => vec![name],
            Location::Alone(count) => (0..count)
                .map(|window| format!("{name}_{window}"))
                .collect(),
        }
    }

    /// The function for a use of memory, and the word that says where it begins if it is shared.
    fn function(&self, (n, word): (usize, u32), binding: &Binding, access: Access) -> String {
        let name = function_name(binding.memory, access);
        let signature = access.signature(binding);
        let names = self.names(n, binding);
        let text = match (self.locations[n], names.as_slice()) {
            (Location::Shared(number), _) => {
                let (name, begin) = (shared_name(number), parameter_word(word));
                let cell = |at: &str| format!("{name}[{begin} + {at}]");
                access.text((binding, "at"), &cell, Access::of_cell)
            }
            (Location::Alone(_), [name]) => access.alone((binding, "at"), name),
            (Location::Alone(_), names) => self.chosen(binding, access, names),
        };
        format!("fn {name}{signature} {{ {text} }}\n")
    }

    /// What is done with an element of the window that it is in.
    fn chosen(&self, binding: &Binding, access: Access, names: &[String]) -> String {
        let elements = (self.window_bytes / bytes_of(binding.elem)).max(1);
        let (shift, mask) = (elements.ilog2(), elements - 1);
        let mut text = format!("let offset = at & {mask}u;\n    switch at >> {shift}u {{\n");
        for (n, name) in names.iter().enumerate() {
            let done = access.alone((binding, "offset"), name);
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

    /// What is done with element `at` of memory that is bound by itself, by this name.
    fn alone(self, element: (&Binding, &str), name: &str) -> String {
        let cell = |at: &str| format!("{name}[{at}]");
        self.text(element, &cell, Self::of_element)
    }

    /// What is done with element `at` of memory, given the names of its cells, and how it is done with a cell that is an
    /// element.
    fn text(
        self,
        (binding, at): (&Binding, &str),
        cell: &dyn Fn(&str) -> String,
        whole: fn(Self, &Binding, &str) -> String,
    ) -> String {
        let Some(packed) = Packed::of(binding.elem) else {
            return whole(self, binding, &cell(at));
        };
        let word = cell(&packed.word(at));
        match self {
            Self::Read => packed.read((at, &word), binding.written),
            Self::Write => packed.write((at, &word)),
            Self::Atomic(Atomic::Add) => packed.add((at, &word)),
            Self::Atomic(Atomic::Clear | Atomic::Max | Atomic::Exchange(_)) => {
                whole(self, binding, &cell(at))
            }
        }
    }

    fn of_element(self, binding: &Binding, element: &str) -> String {
        match self {
            Self::Read => format!("return {};", read(binding.elem, element)),
            Self::Write => format!("{element} = {};", written(binding.elem, "value")),
            Self::Atomic(Atomic::Clear) => format!("atomicStore(&{element}, 0u);"),
            Self::Atomic(Atomic::Max) => format!("atomicMax(&{element}, value);"),
            Self::Atomic(Atomic::Add) => format!("atomicAdd(&{element}, value);"),
            Self::Atomic(Atomic::Exchange(bits)) => exchange(binding, bits, element),
        }
    }

    /// The same with a cell that is shared with other memory.
    fn of_cell(self, binding: &Binding, cell: &str) -> String {
        match self {
            Self::Read => format!("return {};", from_cell(binding.elem, cell)),
            Self::Write => format!("{cell} = {};", to_cell(binding.elem, "value")),
            Self::Atomic(_) => self.of_element(binding, cell),
        }
    }

    /// What cells have to be, where it is an atomic type.
    fn atomic_cell(self, binding: &Binding) -> Option<&'static str> {
        match self {
            Self::Read => None,
            Self::Write => is_packed(binding.elem).then_some("atomic<u32>"),
            Self::Atomic(Atomic::Clear | Atomic::Max) => Some("atomic<u32>"),
            Self::Atomic(Atomic::Add) => Some(atomic_of(binding.elem)),
            Self::Atomic(Atomic::Exchange("u32")) => Some("atomic<u32>"),
            Self::Atomic(Atomic::Exchange(_)) => Some("atomic<u64>"),
        }
    }
}

fn atomic_of(ty: ScalarType) -> &'static str {
    match ty {
        ScalarType::I32 => "atomic<i32>",
        ScalarType::I64 => "atomic<i64>",
        ScalarType::U64 => "atomic<u64>",
        ScalarType::F16 => "atomic<f16>",
        ScalarType::F32 => "atomic<f32>",
        ScalarType::F64 => "atomic<f64>",
        integer_type!() | ScalarType::Bool => "atomic<u32>",
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

#[cfg(test)]
mod tests;
