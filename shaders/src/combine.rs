//! Operators: how two tuples of values combine.

use crate::Shader;
use crate::body::{Text, name};
use crate::group::Group;
use crate::target::{Target, Unsupported};
use cotangent_core::schedule::{Kernel, Operator, Schedule, Strip, Total};
use cotangent_core::types::ScalarType;

/// The total so far of a row, or of a part of it: variables `total0`, `total1` and so on, and `has_total`.
pub(crate) struct Running<'a> {
    pub operator: &'a Operator,
    /// The types of the components.
    pub types: Vec<ScalarType>,
    /// Whether what comes next goes before the total.
    pub backwards: bool,
}

impl Running<'_> {
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
        combined(text, self.operator, (x, y), &self.totals())
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
    let running = Running {
        operator: &total.operator,
        types: types.collect(),
        backwards: false,
    };
    running.declare(&mut text);
    let (wholes, parts): (Vec<_>, Vec<_>) = total.arrays.iter().map(|p| (p.whole, p.part)).unzip();
    for arrays in [&wholes, &parts] {
        let values = arrays.iter().map(|&a| text.element_value(a, "point"));
        let values: Vec<_> = values.collect();
        running.add(&mut text, &values)?;
    }
    for (n, &whole) in wholes.iter().enumerate() {
        text.store_variable(whole, "point", &format!("total{n}"));
    }
    Ok(Some(text.finish()))
}
