//! Elements of arrays and of scratch memory, as a kernel's text names them.

use super::{Text, name, variable};
use crate::access::{Access, Atomic, function_name};
use crate::{Binding, Memory, Parameter};
use cotangent_core::schedule::{ArrayId, Layout, Offset, Output};
use cotangent_core::types::ScalarType;

impl Text<'_> {
    /// What does something with an element of memory, which is bound from now on.
    fn access(&mut self, (memory, elem): (Memory, ScalarType), access: Access) -> String {
        let written = access != Access::Read;
        self.bind(Binding {
            memory,
            elem,
            written,
        });
        if !self.accesses.contains(&(memory, access)) {
            self.accesses.push((memory, access));
        }
        function_name(memory, access)
    }

    fn bind(&mut self, binding: Binding) {
        let mut bound = self.bindings.iter_mut();
        match bound.find(|b| b.memory == binding.memory) {
            Some(bound) => bound.written |= binding.written,
            None => self.bindings.push(binding),
        }
    }

    /// The memory of an array, and the offset there of a row-major position.
    fn located(&mut self, array: ArrayId, position: &str) -> ((Memory, ScalarType), String) {
        let arrays = &self.schedule.arrays;
        let layout = arrays[array.index()].layout;
        let owner = layout.owner(array);
        let memory = (Memory::Array(owner), arrays[owner.index()].elem);
        match layout {
            Layout::Own => (memory, position.to_owned()),
            Layout::View {
                of: _,
                offset,
                stride,
            } => {
                let offset = self.offset(array, offset);
                (memory, format!("{offset} + {stride}u * ({position})"))
            }
        }
    }

    /// Where an array that is a view begins.
    fn offset(&mut self, array: ArrayId, offset: Offset) -> String {
        match offset.symbol.filter(|s| self.variables.contains(s)) {
            Some(symbol) => format!("u32({}) + {}u", variable(symbol), offset.constant),
            None => self.word(Parameter::Offset(array)),
        }
    }

    /// The value of an element of an array.
    pub fn element_value(&mut self, array: ArrayId, position: &str) -> String {
        let (memory, offset) = self.located(array, position);
        let read = self.access(memory, Access::Read);
        format!("{read}({offset})")
    }

    /// Stores the value of a variable at a position of an array.
    pub fn store_variable(&mut self, array: ArrayId, position: &str, variable: &str) {
        let (memory, offset) = self.located(array, position);
        let write = self.access(memory, Access::Write);
        self.line(&format!("{write}({offset}, {variable});"));
    }

    /// Stores values at a position of arrays.
    pub fn store(&mut self, outputs: &[Output], position: &str) {
        for &Output { value, array } in outputs {
            self.store_variable(array, position, &name(value));
        }
    }

    /// Adds a value to an element of an array at once; the array is used in no other way.
    pub fn add_atomically(&mut self, array: ArrayId, position: &str, (value, how): (&str, Atomic)) {
        let (memory, offset) = self.located(array, position);
        let add = self.access(memory, Access::Atomic(how));
        self.line(&format!("{add}({offset}, {value});"));
    }

    /// The value of an element that another shader left, by its component and position.
    pub fn left(&mut self, component: usize, elem: ScalarType, position: &str) -> String {
        let read = self.access((Memory::From(component), elem), Access::Read);
        format!("{read}({position})")
    }

    /// Leaves the value of a variable to another shader.
    pub fn leave(&mut self, component: usize, elem: ScalarType, position: &str, variable: &str) {
        let write = self.access((Memory::To(component), elem), Access::Write);
        self.line(&format!("{write}({position}, {variable});"));
    }

    /// The value of an element that this shader leaves itself.
    pub fn own(&mut self, component: usize, elem: ScalarType, position: &str) -> String {
        let read = self.access((Memory::To(component), elem), Access::Read);
        format!("{read}({position})")
    }

    /// Leaves zero to another shader that uses words atomically.
    pub fn clear(&mut self, component: usize, position: &str) -> String {
        let memory = (Memory::To(component), ScalarType::U32);
        let clear = self.access(memory, Access::Atomic(Atomic::Clear));
        format!("{clear}({position});")
    }

    /// Makes a word that another shader goes on with the largest of what it is given.
    pub fn raise(&mut self, component: usize, position: &str, value: &str) -> String {
        let memory = (Memory::To(component), ScalarType::U32);
        let raise = self.access(memory, Access::Atomic(Atomic::Max));
        format!("{raise}({position}, {value});")
    }
}
