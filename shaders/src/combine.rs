//! Operators: how two tuples of values combine.
//!
//! Note \[Sums\]. Numbers of few digits lose what is added to them one by one. Where an operator adds components (the Note
//! \[Sums of narrow floats\] at `AccOp` says which), totals of `f16` are kept in `f32`, and an invocation goes through
//! its positions in blocks ([`Running::begin_blocks`]), so that in `f32` each number takes part in a bounded number of
//! additions. There is no `f64` for it on most devices, and none is needed.

use crate::Shader;
use crate::body::{Text, name};
use crate::group::Group;
use crate::target::{Target, Unsupported};
use crate::types::{converted, of_sum};
use cotangent_core::schedule::{Kernel, Operator, Schedule, Strip, Total};
use cotangent_core::types::ScalarType;

/// The total so far of a row, or of a part of it: variables `total0`, `total1` and so on, and `has_total`.
#[derive(Clone)]
pub(crate) struct Running {
    /// How totals combine.
    pub operator: Operator,
    /// The types of the components of a total.
    pub types: Vec<ScalarType>,
    /// The types of the components of values.
    values: Vec<ScalarType>,
    /// Whether what comes next goes before the total.
    pub backwards: bool,
}

/// The positions of a block.
const BLOCK: u32 = 64;

impl Running {
    /// For values of the given types.
    pub fn new(operator: &Operator, values: Vec<ScalarType>, backwards: bool) -> Self {
        let wide = |(&ty, sum): (&ScalarType, Option<ScalarType>)| {
            sum.map(of_sum).filter(|&of_sum| of_sum != ty)
        };
        let wide: Vec<_> = values
            .iter()
            .zip(operator.narrow_sums())
            .map(wide)
            .collect();
        let types = values.iter().zip(&wide);
        Self {
            types: types.map(|(&ty, wide)| wide.unwrap_or(ty)).collect(),
            operator: operator.widened(&wide),
            values,
            backwards,
        }
    }

    /// The same in the other direction.
    pub fn turned(&self) -> Self {
        Self {
            backwards: !self.backwards,
            ..self.clone()
        }
    }

    /// Whether the order of additions matters to how exact a sum is. Note \[Sums\].
    pub fn is_narrow_sum(&self) -> bool {
        let mut sums = self.operator.narrow_sums().into_iter();
        sums.any(|sum| sum.is_some())
    }

    /// Values as components of totals.
    pub fn widened(&self, values: &[String]) -> Vec<String> {
        let types = self.values.iter().zip(&self.types);
        let columns = values.iter().zip(types);
        columns
            .map(|(x, (&from, &to))| converted(x, from, to))
            .collect()
    }

    /// A component of a total as a value.
    pub fn narrowed(&self, component: usize, total: &str) -> String {
        converted(total, self.types[component], self.values[component])
    }

    /// Begins the loop of an invocation through `count` positions, of which `n` is the number: where the operator adds,
    /// block by block, `sum0`, `sum1` and so on being what the blocks before this one gave.
    pub fn begin_blocks(&self, text: &mut Text) {
        if !self.is_narrow_sum() {
            return text.line("for (var n = 0u; n < count; n++) {");
        }
        text.line(&format!(
            "for (var block = 0u; block < count; block += {BLOCK}u) {{"
        ));
        text.line("has_total = false;");
        text.line(&format!("let stop = min(block + {BLOCK}u, count);"));
        text.line("for (var n = block; n < stop; n++) {");
    }

    /// Declares the sums: there is none, or they are the total so far.
    pub fn declare_sums(&self, text: &mut Text) {
        if !self.is_narrow_sum() {
            return;
        }
        text.line("var has_sum = has_total;");
        for (n, total) in self.totals().iter().enumerate() {
            text.line(&format!("var sum{n} = {total};"));
        }
    }

    /// Makes the total that of all blocks so far, inside of the loop or after a block.
    ///
    /// # Errors
    /// Where the device lacks a type or a function.
    pub fn add_sums(&self, text: &mut Text) -> Result<(), Unsupported> {
        let (sums, totals) = (self.sums(), self.totals());
        text.line("if has_sum {");
        match self.backwards {
            false => self.combined(text, &sums, &totals)?,
            true => self.combined(text, &totals, &sums)?,
        }
        text.line("}");
        Ok(())
    }

    /// Ends the loop.
    ///
    /// # Errors
    /// Where the device lacks a type or a function.
    pub fn end_blocks(&self, text: &mut Text) -> Result<(), Unsupported> {
        text.line("}");
        if !self.is_narrow_sum() {
            return Ok(());
        }
        self.add_sums(text)?;
        self.keep_sums(text);
        text.line("}");
        Ok(())
    }

    /// Makes the sums what the total is.
    pub fn keep_sums(&self, text: &mut Text) {
        text.line("has_sum = true;");
        for (sum, total) in self.sums().iter().zip(self.totals()) {
            text.line(&format!("{sum} = {total};"));
        }
    }

    fn sums(&self) -> Vec<String> {
        (0..self.types.len()).map(|n| format!("sum{n}")).collect()
    }

    /// A workgroup whose invocations each have such a total.
    pub fn group(&self, invocations: u32) -> Group<'_> {
        Group {
            running: self,
            invocations,
        }
    }

    /// Declares the variables.
    pub fn declare(&self, text: &mut Text) {
        text.line("var has_total = false;");
        for (n, &ty) in self.types.iter().enumerate() {
            text.line(&format!("var total{n} = {}();", crate::types::of_value(ty)));
        }
    }

    /// Adds a tuple to the total.
    ///
    /// # Errors
    /// Where the device lacks a type or a function.
    pub fn add(&self, text: &mut Text, next: &[String]) -> Result<(), Unsupported> {
        let totals = self.totals();
        text.line("if has_total {");
        match self.backwards {
            false => self.combined(text, &totals, next)?,
            true => self.combined(text, next, &totals)?,
        }
        text.line("} else {");
        for (total, next) in totals.iter().zip(next) {
            text.line(&format!("{total} = {next};"));
        }
        text.line("}");
        text.line("has_total = true;");
        Ok(())
    }

    /// Makes the total what two tuples combine to.
    fn combined(&self, text: &mut Text, x: &[String], y: &[String]) -> Result<(), Unsupported> {
        combined(text, &self.operator, (x, y), &self.totals())
    }

    /// The variables.
    pub fn totals(&self) -> Vec<String> {
        let totals = 0..self.types.len();
        totals.map(|n| format!("total{n}")).collect()
    }

    /// Leaves the total to another shader.
    pub fn leave(&self, text: &mut Text, position: &str) {
        for (n, (&elem, total)) in self.types.iter().zip(self.totals()).enumerate() {
            text.leave(n, elem, position, &total);
        }
    }

    /// The values that another shader left at a position.
    pub fn left(&self, text: &mut Text, position: &str) -> Vec<String> {
        let types = self.types.iter().enumerate();
        types.map(|(n, &ty)| text.left(n, ty, position)).collect()
    }
}

/// Makes variables what two tuples combine to.
///
/// # Errors
/// Where the device lacks a type or a function.
pub(crate) fn combined(
    text: &mut Text,
    operator: &Operator,
    (x, y): (&[String], &[String]),
    into: &[String],
) -> Result<(), Unsupported> {
    text.line("{");
    for (n, argument) in x.iter().chain(y).enumerate() {
        text.line(&format!("let x{n} = {argument};"));
    }
    // A scope of its own: values of other bodies have the same names.
    text.line("{");
    text.values(&operator.body, &operator.results)?;
    for (&result, into) in operator.results.iter().zip(into) {
        text.line(&format!("{into} = {};", name(result)));
    }
    text.line("}");
    text.line("}");
    Ok(())
}

/// The shader that adds a chunk's contribution to a total of a strip, element by element. Points are elements. None for a
/// strip without kernels, which has no contributions.
///
/// # Errors
/// Where the device lacks a type or a function.
pub fn combine(
    schedule: &Schedule,
    (strip, total): (&Strip, &Total),
    target: &Target,
) -> Result<Option<Shader>, Unsupported> {
    let Some(kernel): Option<&Kernel> = strip.kernels.first() else {
        return Ok(None);
    };
    let mut text = Text::new(schedule, kernel, target);
    text.begin();
    let types = total.arrays.iter();
    let types = types.map(|part| schedule.arrays[part.whole.index()].elem);
    let running = Running::new(&total.operator, types.collect(), false);
    running.declare(&mut text);
    let (wholes, parts): (Vec<_>, Vec<_>) = total.arrays.iter().map(|p| (p.whole, p.part)).unzip();
    for arrays in [&wholes, &parts] {
        let values = arrays.iter().map(|&a| text.element_value(a, "point"));
        let values: Vec<_> = values.collect();
        let values = running.widened(&values);
        running.add(&mut text, &values)?;
    }
    for (n, &whole) in wholes.iter().enumerate() {
        let total = running.narrowed(n, &format!("total{n}"));
        text.store_variable(whole, "point", &total);
    }
    Ok(Some(text.finish()))
}
