//! Bodies of kernels: one statement a value, in their order.

mod elements;
mod entry;
mod looping;

use crate::access::{Access, parameter_word};
use crate::math::Function;
use crate::prim::{Called, expression};
use crate::scatter::NO_INDEX;
use crate::target::{Target, Unsupported};
use crate::types::{from_words, literal, of_value};
use crate::{Binding, Each, Memory, Parameter};
use cotangent_core::backend::Site;
use cotangent_core::constant::Const;
use cotangent_core::integer_type;
use cotangent_core::prim::Prim;
use cotangent_core::schedule::{Body, Inst, Kernel, Load, Op, Schedule, SymbolId, ValueId};
use cotangent_core::types::ScalarType;
pub use looping::MOST_TRIPS;
use looping::has_few_trips;
use std::collections::BTreeSet;
use std::fmt::Write;

/// The text of one kernel while it is written.
pub(crate) struct Text<'a> {
    schedule: &'a Schedule,
    /// What is said to be unsupported where something is.
    origin: Site,
    target: &'a Target,
    parameters: Vec<Parameter>,
    bindings: Vec<Binding>,
    /// What is done with the memory.
    accesses: Vec<(Memory, Access)>,
    functions: BTreeSet<&'static str>,
    math: Vec<&'static Function>,
    each: Each,
    /// The invocations of a workgroup.
    workgroup: u32,
    /// Declarations of workgroup memory.
    shared: String,
    has_subgroups: bool,
    may_fail: bool,
    /// The variable of the point that a failure is told of: among those of a shader, the least one is kept.
    told: &'static str,
    /// Whether loops count their trips, and end where there are too many of them.
    pub limits_trips: bool,
    /// The symbols that are variables of the shader's own: it computes them itself.
    pub variables: BTreeSet<SymbolId>,
    /// The number of loops around what is being written.
    depth: usize,
    /// The variables of the rows that the loop around it holds, and their lengths.
    rows: Vec<(String, usize)>,
    /// The statements so far.
    lines: String,
}

impl<'a> Text<'a> {
    pub fn new(schedule: &'a Schedule, kernel: &Kernel, target: &'a Target) -> Self {
        let origin = Site {
            construct: kernel.name,
            loc: kernel.loc,
        };
        Self {
            limits_trips: !has_few_trips(kernel),
            ..Self::of(schedule, origin, target)
        }
    }

    pub fn of(schedule: &'a Schedule, origin: Site, target: &'a Target) -> Self {
        Self {
            schedule,
            origin,
            target,
            parameters: vec![],
            bindings: vec![],
            accesses: vec![],
            functions: BTreeSet::new(),
            math: vec![],
            each: Each::Invocation,
            workgroup: target.workgroup,
            shared: String::new(),
            has_subgroups: false,
            may_fail: false,
            told: "point",
            limits_trips: true,
            variables: BTreeSet::new(),
            depth: 0,
            rows: vec![],
            lines: String::new(),
        }
    }

    /// Adds a statement.
    pub fn line(&mut self, text: &str) {
        let _ = writeln!(self.lines, "    {text}");
    }

    /// The word, or words, of a parameter.
    fn words(&mut self, parameter: Parameter) -> Vec<String> {
        let at = self.parameters.iter().position(|&p| p == parameter);
        let at = at.unwrap_or_else(|| {
            self.parameters.push(parameter);
            self.parameters.len() - 1
        });
        let symbols = &self.schedule.symbols;
        let before = &self.parameters[..at];
        let first: u32 = before.iter().map(|p| p.words(symbols)).sum();
        let words = first..first + parameter.words(symbols);
        words.map(parameter_word).collect()
    }

    /// A parameter of one word.
    pub fn word(&mut self, parameter: Parameter) -> String {
        self.words(parameter).remove(0)
    }

    /// The extent that a symbol is, as `u32`.
    pub fn extent(&mut self, symbol: SymbolId) -> String {
        self.word(Parameter::Symbol(symbol))
    }

    /// The number of positions of a space, as `u32`.
    pub fn size(&mut self, space: &[SymbolId]) -> String {
        let extents: Vec<_> = space.iter().map(|&s| self.extent(s)).collect();
        match extents.is_empty() {
            true => "1u".to_owned(),
            false => extents.join(" * "),
        }
    }

    /// The coordinates of position number `position` of a space, as `c0`, `c1` and so on, from number `before` on.
    pub fn coordinates(&mut self, position: &str, before: usize, space: &[SymbolId]) {
        let axes: Vec<_> = (before..).zip(space.iter().copied()).collect();
        self.coordinates_of(position, &axes);
    }

    /// The coordinates of position number `position` of the space that some axes make, by the axes' numbers.
    pub fn coordinates_of(&mut self, position: &str, axes: &[(usize, SymbolId)]) {
        let Some((&(outermost, _), others)) = axes.split_first() else {
            return;
        };
        let rest = format!("rest{outermost}");
        self.line(&format!("var {rest} = {position};"));
        for &(axis, symbol) in others.iter().rev() {
            let extent = self.extent(symbol);
            self.line(&format!("let c{axis} = i32({rest} % {extent});"));
            self.line(&format!("{rest} = {rest} / {extent};"));
        }
        // What is left is in range.
        self.line(&format!("let c{outermost} = i32({rest});"));
    }

    /// Declares `index`: the row-major one, or none where the guard does not hold. An index that is out of range where it
    /// holds is a failure.
    pub fn index(&mut self, guard: &str, index: &[String], extents: &[String]) {
        self.may_fail = true;
        self.line(&format!("let inside = {};", inside(index, extents)));
        self.line(&format!(
            "if {guard} & !inside {{ atomicMin(&failure[0], {}); }}",
            self.told
        ));
        self.line(&format!("var index = {NO_INDEX}u;"));
        let position = position(index, extents);
        self.line(&format!("if {guard} & inside {{ index = {position}; }}"));
    }

    /// Has failures from here on told of the point in a variable of the given name, not of the invocation's.
    pub fn tell_of(&mut self, variable: &'static str) {
        self.told = variable;
    }

    /// Reports a failure where something does not hold.
    pub fn fail_unless(&mut self, holds: &str) {
        self.may_fail = true;
        self.line(&format!("if !({holds}) {{ atomicMin(&failure[0], 0u); }}"));
    }

    /// The value of a symbol.
    pub fn symbol(&mut self, symbol: SymbolId) -> String {
        if self.variables.contains(&symbol) {
            return variable(symbol);
        }
        let words = self.words(Parameter::Symbol(symbol));
        from_words(self.schedule.symbols[symbol.index()], &words)
    }

    /// The values of a body that `roots` need, by their names.
    ///
    /// # Errors
    /// Where the device lacks a type or a function.
    pub fn values(&mut self, body: &Body, roots: &[ValueId]) -> Result<(), Unsupported> {
        let mut needed = body.needed(roots);
        needed.try_for_each(|(v, inst)| self.value(body, v, inst))
    }

    fn value(&mut self, body: &Body, v: ValueId, inst: &Inst) -> Result<(), Unsupported> {
        let ty = inst.ty;
        if !self.target.has(ty) {
            return Err(Unsupported::Type {
                kernel: self.origin.construct,
                loc: self.origin.loc,
                ty,
            });
        }
        let name = name(v);
        match &inst.op {
            Op::Const(value) => self.constant(&name, *value),
            Op::Symbol(symbol) => {
                let value = self.symbol(*symbol);
                self.line(&format!("let {name} = {value};"));
            }
            Op::Coord(axis) => self.line(&format!("let {name} = c{axis};")),
            Op::Arg(position) => self.line(&format!("let {name} = x{position};")),
            Op::Prim(prim, operands) => {
                let text = self.prim(body, *prim, operands)?;
                self.line(&format!("let {name} = {text};"));
            }
            Op::Load(load) => self.load(&name, ty, load),
            Op::Loop(of) => self.looping(body, v, of)?,
            Op::Out(of, which) => {
                self.line(&format!(
                    "let {name} = {};",
                    self.carried(*of, *which as usize)
                ));
            }
        }
        Ok(())
    }

    fn constant(&mut self, name: &str, value: Const) {
        let ty = value.scalar_type();
        let Some(text) = literal(value) else {
            let bits = value.bits();
            let unsigned = if ty.bytes() == 8 { "lu" } else { "u" };
            // A variable, so that the bits are not looked at before the shader runs.
            self.line(&format!("var bits_{name} = {bits}{unsigned};"));
            let bits = format!("bits_{name}");
            let text = match ty {
                ScalarType::F16 => from_words(ty, &[bits]),
                ScalarType::Bool | integer_type!() | ScalarType::F32 | ScalarType::F64 => {
                    format!("bitcast<{}>({bits})", of_value(ty))
                }
            };
            return self.line(&format!("let {name} = {text};"));
        };
        self.line(&format!("let {name} = {text};"));
    }

    fn prim(
        &mut self,
        body: &Body,
        prim: Prim,
        operands: &[ValueId],
    ) -> Result<String, Unsupported> {
        let ty = operands
            .last()
            .map_or(ScalarType::Bool, |&v| body.type_of(v));
        let names: Vec<_> = operands.iter().map(|&v| name(v)).collect();
        self.primitive(prim, ty, &names)
    }

    /// A primitive on named values; `ty` is the type of the last one.
    ///
    /// # Errors
    /// Where the device lacks it.
    pub fn primitive(
        &mut self,
        prim: Prim,
        ty: ScalarType,
        names: &[String],
    ) -> Result<String, Unsupported> {
        let expr = expression(prim, ty, names).ok_or(Unsupported::Function {
            kernel: self.origin.construct,
            loc: self.origin.loc,
            prim,
            ty,
        })?;
        match expr.calls {
            Some(Called::Library(name)) => self.functions.extend([name]),
            Some(Called::Math(function)) => self.math.push(function),
            None => {}
        }
        Ok(expr.text)
    }

    /// An element, or zero where it is not to be read or out of range.
    fn load(&mut self, name: &str, ty: ScalarType, load: &Load) {
        if load.array.as_whole_rows().is_some() {
            // Who is given them knows their variable.
            return;
        }
        if let Some((rows, len)) = load.array.as_rows().and_then(|n| self.rows.get(n)) {
            let at = format!("clamp({}, 0i, {}i)", self::name(load.index[0]), len - 1);
            return self.line(&format!("let {name} = {rows}[{at}];"));
        }
        let extents = self.schedule.arrays[load.array.index()].extents.clone();
        let extents: Vec<_> = extents.into_iter().map(|s| self.extent(s)).collect();
        let index: Vec<_> = load.index.iter().map(|&v| self::name(v)).collect();
        let element = self.element_value(load.array, &position(&index, &extents));
        if load.guard.is_none() && load.site.is_none() {
            return self.line(&format!("let {name} = {element};"));
        }
        self.line(&format!("var {name} = {}();", of_value(ty)));
        let guard = load.guard.map_or("true".to_owned(), self::name);
        if load.site.is_none() {
            return self.line(&format!("if {guard} {{ {name} = {element}; }}"));
        }
        self.may_fail = true;
        let inside = inside(&index, &extents);
        self.line(&format!("let inside_{name} = {inside};"));
        self.line(&format!(
            "if {guard} & inside_{name} {{ {name} = {element}; }}"
        ));
        self.line(&format!(
            "if {guard} & !inside_{name} {{ atomicMin(&failure[0], {}); }}",
            self.told
        ));
    }
}

/// The variable of a symbol that the shader computes itself.
pub(crate) fn variable(symbol: SymbolId) -> String {
    format!("s{}", symbol.0)
}

/// The name of a value.
pub(crate) fn name(v: ValueId) -> String {
    format!("v{}", v.0)
}

/// Whether an index is in range.
fn inside(index: &[String], extents: &[String]) -> String {
    // As a `u32`, what is below zero is above every extent.
    let tests = index.iter().zip(extents);
    let tests = tests.map(|(i, extent)| format!("(u32({i}) < {extent})"));
    let tests: Vec<_> = tests.collect();
    match tests.is_empty() {
        true => "true".to_owned(),
        false => tests.join(" & "),
    }
}

/// The row-major position of an index.
pub(crate) fn position(index: &[String], extents: &[String]) -> String {
    let mut pairs = index.iter().zip(extents);
    let Some((first, _)) = pairs.next() else {
        return "0u".to_owned();
    };
    pairs.fold(format!("u32({first})"), |position, (index, extent)| {
        format!("({position} * {extent} + u32({index}))")
    })
}
