//! Scans: a row is cut into parts; each is combined, what comes before each is added up, and each is gone through once
//! more from there.
//!
//! Steps count from the end that the scan begins at.

mod blocks;

pub use blocks::Blocks;

use crate::body::{Text, name};
use crate::combine::Running;
use crate::reduce::part_among_parts;
use crate::target::{Target, Unsupported};
use crate::{Parameter, Shader};
use cotangent_core::schedule::{Body, Kernel, KernelKind, Operator, Output, Schedule, SymbolId};
use cotangent_core::term::Direction;
use cotangent_core::types::ScalarType;

/// The shaders of a scan.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Scanning {
    /// From elements to results, where a row is one part. Points are rows.
    pub whole: Shader,
    /// From elements to one value a part. Points are parts of rows.
    pub parts: Shader,
    /// From values of parts to what comes before each, the initial value included; without initial value nothing comes
    /// before the first part of a row. Points are rows.
    pub before: Shader,
    /// From elements, and what comes before, to results. Points are parts of rows.
    pub last: Shader,
    /// The same by workgroups; none where tuples are too large for their memory.
    pub blocks: Option<Blocks>,
    /// The same by small workgroups.
    pub small: Option<Blocks>,
    /// The types of the values that are left in between.
    pub types: Vec<ScalarType>,
    /// Whether there is an initial value, which is a result, too.
    pub has_init: bool,
}

/// What a scan is.
struct Source<'a> {
    kernel: &'a Kernel,
    inner: SymbolId,
    direction: Direction,
    body: &'a Body,
    operator: &'a Operator,
    init: Option<&'a [SymbolId]>,
    outputs: &'a [Output],
    /// Whether the shader does other kernels, too, so that the length of rows is not one of its parameters.
    is_among_others: bool,
}

impl<'a> Source<'a> {
    fn of(kernel: &'a Kernel) -> Option<Self> {
        match &kernel.kind {
            KernelKind::Scan {
                inner,
                direction,
                body,
                operator,
                init,
                outputs,
            } => Some(Self {
                kernel,
                inner: *inner,
                direction: *direction,
                body,
                operator,
                init: init.as_deref(),
                outputs,
                is_among_others: false,
            }),
            KernelKind::Map { .. }
            | KernelKind::Reduce { .. }
            | KernelKind::Contract { .. }
            | KernelKind::Segments { .. }
            | KernelKind::Sort { .. }
            | KernelKind::Scatter { .. } => None,
        }
    }

    fn running(&self) -> Running {
        let values = self.outputs.iter().map(|o| self.body.type_of(o.value));
        let backwards = self.direction == Direction::Right;
        Running::new(self.operator, values.collect(), backwards)
    }

    /// The length of a row.
    fn length(&self, text: &mut Text) -> String {
        match self.is_among_others {
            true => text.extent(self.inner),
            false => text.word(Parameter::Inner),
        }
    }
}

/// The shaders of a scan.
///
/// # Errors
/// Where the kernel is of another form, and where the device lacks a type or a function.
pub fn scan(
    schedule: &Schedule,
    kernel: &Kernel,
    target: &Target,
) -> Result<Scanning, Unsupported> {
    let Some(source) = Source::of(kernel) else {
        return Err(Unsupported::form(kernel));
    };
    let text = || Text::new(schedule, kernel, target);
    Ok(Scanning {
        whole: through(text(), &source, Way::Whole)?,
        parts: through(text(), &source, Way::Sums)?,
        before: before(text(), &source)?,
        last: through(text(), &source, Way::Last)?,
        blocks: blocks::blocks(schedule, kernel, &source, target)?,
        small: blocks::blocks(schedule, kernel, &source, &target.small())?,
        types: source.running().types,
        has_init: source.init.is_some(),
    })
}

/// What going through the elements of a part is for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    /// To leave their combination.
    Sums,
    /// To store results, from what comes before the part.
    Last,
    /// To store results, the part being a row.
    Whole,
}

/// Does the row of number `point` from elements to results, by the invocation alone.
///
/// # Errors
/// As of [`scan`].
pub(crate) fn at_point(text: &mut Text, kernel: &Kernel) -> Result<(), Unsupported> {
    let source = Source::of(kernel).ok_or_else(|| Unsupported::form(kernel))?;
    let source = Source {
        is_among_others: true,
        ..source
    };
    let count = source.length(text);
    text.line("let row = point;");
    text.line("let begin = 0u;");
    text.line(&format!("let count = {count};"));
    through_positions(text, &source, Way::Whole)
}

/// Goes through the elements of a part.
fn through(mut text: Text, source: &Source, way: Way) -> Result<Shader, Unsupported> {
    text.begin();
    part_among_parts(&mut text);
    if source.direction == Direction::Right {
        let parts = text.word(Parameter::Parts);
        // Of the parts of a row, the last has its first elements.
        let leftmost = format!("row * {parts} + ({parts} - 1u - part)");
        text.line(&format!("let from_left = {leftmost};"));
        text.tell_of("from_left");
    }
    through_positions(&mut text, source, way)?;
    Ok(text.finish())
}

/// Goes through `count` positions from `begin` on.
fn through_positions(text: &mut Text, source: &Source, way: Way) -> Result<(), Unsupported> {
    let running = source.running();
    running.declare(text);
    match way {
        Way::Sums => {}
        Way::Last => begin_with_before(text, source, &running)?,
        Way::Whole => begin_with_init(text, source, &running)?,
    }
    text.coordinates("row", 0, &source.kernel.space);
    running.declare_sums(text);
    running.begin_blocks(text);
    text.line("let step = begin + n;");
    step_to_element(text, source);
    let roots: Vec<_> = source.outputs.iter().map(|o| o.value).collect();
    text.values(source.body, &roots)?;
    let next: Vec<_> = roots.into_iter().map(name).collect();
    running.add(text, &running.widened(&next))?;
    let step = match source.init {
        Some(_) => "step + 1u",
        None => "step",
    };
    match way {
        Way::Sums => {}
        Way::Last | Way::Whole => store_with_sums(text, source, &running, step)?,
    }
    running.end_blocks(text)?;
    if way == Way::Sums {
        running.leave(text, "point");
    }
    Ok(())
}

/// The coordinate that follows those of the row, at a step.
fn step_to_element(text: &mut Text, source: &Source) {
    let inner = source.length(text);
    match source.direction {
        Direction::Left => text.line("let i = step;"),
        Direction::Right => text.line(&format!("let i = {inner} - 1u - step;")),
    }
    text.coordinates("i", source.kernel.space.len(), &[source.inner]);
}

/// Stores what the total and the blocks before it are together.
fn store_with_sums(
    text: &mut Text,
    source: &Source,
    running: &Running,
    step: &str,
) -> Result<(), Unsupported> {
    if !running.is_narrow_sum() {
        store(text, source, running, step);
        return Ok(());
    }
    text.line("{");
    for total in running.totals() {
        text.line(&format!("let own_{total} = {total};"));
    }
    running.add_sums(text)?;
    store(text, source, running, step);
    for total in running.totals() {
        text.line(&format!("{total} = own_{total};"));
    }
    text.line("}");
    Ok(())
}

/// Makes the total the initial value, and stores that.
fn begin_with_init(text: &mut Text, source: &Source, running: &Running) -> Result<(), Unsupported> {
    if let Some(init) = source.init {
        let init: Vec<_> = init.iter().map(|&symbol| text.symbol(symbol)).collect();
        running.add(text, &running.widened(&init))?;
        store(text, source, running, "0u");
    }
    Ok(())
}

/// Makes the total what comes before the part, and stores the initial value in the first one.
fn begin_with_before(
    text: &mut Text,
    source: &Source,
    running: &Running,
) -> Result<(), Unsupported> {
    let has_init = source.init.is_some();
    let has_before = if has_init { "true" } else { "part > 0u" };
    text.line(&format!("if {has_before} {{"));
    let values = running.left(text, "point");
    running.add(text, &values)?;
    text.line("}");
    if has_init {
        text.line("if part == 0u {");
        store(text, source, running, "0u");
        text.line("}");
    }
    Ok(())
}

/// Stores the total as the result of a step, the initial value being one.
fn store(text: &mut Text, source: &Source, running: &Running, step: &str) {
    let inner = source.length(text);
    let width = match source.init.is_some() {
        true => format!("({inner} + 1u)"),
        false => inner,
    };
    let column = match source.direction {
        Direction::Left => step.to_owned(),
        Direction::Right => format!("{width} - 1u - ({step})"),
    };
    let position = format!("row * {width} + {column}");
    for (n, output) in source.outputs.iter().enumerate() {
        let total = running.narrowed(n, &format!("total{n}"));
        text.store_variable(output.array, &position, &total);
    }
}

/// For each row, adds up what comes before each of its parts.
fn before(mut text: Text, source: &Source) -> Result<Shader, Unsupported> {
    let running = source.running();
    text.begin();
    let parts = text.word(Parameter::Parts);
    running.declare(&mut text);
    if let Some(init) = source.init {
        let init: Vec<_> = init.iter().map(|&symbol| text.symbol(symbol)).collect();
        running.add(&mut text, &running.widened(&init))?;
    }
    text.line(&format!("let count = {parts};"));
    running.declare_sums(&mut text);
    running.begin_blocks(&mut text);
    let position = format!("point * {parts} + n");
    let values = running.left(&mut text, &position);
    leave_with_sums(&mut text, &running, &position)?;
    running.add(&mut text, &values)?;
    running.end_blocks(&mut text)?;
    Ok(text.finish())
}

/// Leaves what the total and the blocks before it are together; the one may have nothing, and so may the others.
fn leave_with_sums(text: &mut Text, running: &Running, position: &str) -> Result<(), Unsupported> {
    if !running.is_narrow_sum() {
        running.leave(text, position);
        return Ok(());
    }
    text.line("{");
    for (n, total) in running.totals().iter().enumerate() {
        text.line(&format!("let own_{total} = {total};"));
        text.line(&format!("if !has_total {{ {total} = sum{n}; }}"));
    }
    text.line("if has_total {");
    running.add_sums(text)?;
    text.line("}");
    running.leave(text, position);
    for total in running.totals() {
        text.line(&format!("{total} = own_{total};"));
    }
    text.line("}");
    Ok(())
}
