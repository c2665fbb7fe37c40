//! Reductions, contractions among them: a row is cut into parts, each combined by one invocation or by one workgroup;
//! what the parts give is combined in the same way, until one value a row is left.
//!
//! So the order of combination depends on the lengths of parts alone, which the host chooses by the extents. The
//! initial value comes in last, from the left.

use crate::body::{Text, name};
use crate::combine::Running;
use crate::group::invocations;
use crate::neighbours::{self, Neighbours};
use crate::target::{Target, Unsupported};
use crate::{Parameter, Shader};
use cotangent_core::schedule::{Body, Kernel, KernelKind, Operator, Output, Schedule, SymbolId};
use cotangent_core::types::ScalarType;

/// The shaders of a reduction. Points are parts of rows, those of one row being neighbours, but for `columns`.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Reduction {
    /// An invocation does a part.
    pub alone: Passes,
    /// A workgroup does a part; none where tuples are too large for its memory.
    pub together: Option<Passes>,
    /// A small workgroup does a part.
    pub small: Option<Passes>,
    /// From elements to one value a part; an invocation does a part, and points of neighbouring rows are neighbours.
    pub columns: Shader,
    /// What is next to what in memory.
    pub neighbours: Neighbours,
    /// The types of the values that are left in between.
    pub types: Vec<ScalarType>,
}

/// Shaders that combine parts of rows.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Passes {
    /// From elements to results, where a row is one part.
    pub whole: Shader,
    /// From elements to one value a part.
    pub parts: Shader,
    /// From values of parts to fewer.
    pub between: Shader,
    /// From values of parts to results, where what is left of a row is one part.
    pub last: Shader,
}

impl Passes {
    /// All of them.
    pub fn all(&self) -> [&Shader; 4] {
        let Self {
            whole,
            parts,
            between,
            last,
        } = self;
        [whole, parts, between, last]
    }
}

/// Who does a part.
#[derive(Clone, Copy, PartialEq, Eq)]
enum By {
    /// An invocation, next to those of the same row.
    Invocation,
    /// An invocation, next to those of other rows.
    Column,
    /// A workgroup of so many invocations.
    Group(u32),
}

/// A reduction of either kind.
struct Source<'a> {
    kernel: &'a Kernel,
    inner: &'a [SymbolId],
    body: &'a Body,
    operator: Operator,
    init: Option<Vec<SymbolId>>,
    outputs: Vec<Output>,
}

impl<'a> Source<'a> {
    fn of(kernel: &'a Kernel) -> Option<Self> {
        match &kernel.kind {
            KernelKind::Reduce {
                inner,
                body,
                operator,
                init,
                outputs,
            } => Some(Self {
                kernel,
                inner,
                body,
                operator: operator.clone(),
                init: init.clone(),
                outputs: outputs.clone(),
            }),
            KernelKind::Contract {
                semiring,
                inner,
                body,
                roles: _,
                left: _,
                right: _,
                init,
                structure: _,
                output,
            } => Some(Self {
                kernel,
                inner,
                body,
                operator: Operator::of_prim(semiring.plus(), body.type_of(output.value)),
                init: init.map(|init| vec![init]),
                outputs: vec![*output],
            }),
            KernelKind::Map { .. } | KernelKind::Scan { .. } | KernelKind::Scatter { .. } => None,
            KernelKind::Segments { .. } | KernelKind::Sort { .. } => None,
        }
    }

    fn roots(&self) -> Vec<cotangent_core::schedule::ValueId> {
        self.outputs.iter().map(|o| o.value).collect()
    }

    fn running(&self) -> Running {
        let roots = self.roots().into_iter();
        let values = roots.map(|v| self.body.type_of(v)).collect();
        Running::new(&self.operator, values, false)
    }

    /// Whether neighbouring rows or neighbours in a row are neighbours in memory.
    fn neighbours(&self) -> Neighbours {
        let (space, inner) = (self.kernel.space.len(), self.inner.len());
        let of_rows = space.checked_sub(1);
        let within = (space + inner).checked_sub(1).filter(|_| inner > 0);
        neighbours::of(self.body, &self.roots(), of_rows, within)
    }

    /// The types of totals.
    fn types(&self) -> Vec<ScalarType> {
        self.running().types
    }
}

/// The shaders of a reduction or a contraction.
///
/// # Errors
/// Where the kernel is of another form, and where the device lacks a type or a function.
pub fn reduce(
    schedule: &Schedule,
    kernel: &Kernel,
    target: &Target,
) -> Result<Reduction, Unsupported> {
    let Some(source) = Source::of(kernel) else {
        return Err(Unsupported::form(kernel));
    };
    let shader = |by, [from_elements, to_results]: [bool; 2]| {
        let text = Text::new(schedule, kernel, target);
        pass(text, &source, by, (from_elements, to_results))
    };
    let passes = |by| -> Result<Passes, Unsupported> {
        Ok(Passes {
            whole: shader(by, [true, true])?,
            parts: shader(by, [true, false])?,
            between: shader(by, [false, false])?,
            last: shader(by, [false, true])?,
        })
    };
    let together = invocations(target, &source.types(), 1);
    let small = invocations(&target.small(), &source.types(), 1);
    Ok(Reduction {
        alone: passes(By::Invocation)?,
        together: together.map(|n| passes(By::Group(n))).transpose()?,
        small: small.map(|n| passes(By::Group(n))).transpose()?,
        columns: shader(By::Column, [true, false])?,
        neighbours: source.neighbours(),
        types: source.types(),
    })
}

/// Does the row of number `point` from elements to results, by the invocation alone.
///
/// # Errors
/// As of [`reduce`].
pub(crate) fn at_point(text: &mut Text, kernel: &Kernel) -> Result<(), Unsupported> {
    let source = Source::of(kernel).ok_or_else(|| Unsupported::form(kernel))?;
    let (running, count) = (source.running(), text.size(source.inner));
    text.line("let row = point;");
    text.line(&format!("let count = {count};"));
    running.declare(text);
    text.coordinates("row", 0, &kernel.space);
    running.declare_sums(text);
    running.begin_blocks(text);
    text.line("let i = n;");
    let next = running.widened(&elements(text, &source)?);
    running.add(text, &next)?;
    running.end_blocks(text)?;
    results(text, &source, &running)
}

/// The first position of a part, `begin`, the `count` of its positions, and its row and number.
fn part_of_row(text: &mut Text, by: By) {
    match by {
        By::Invocation | By::Group(_) => part_among_parts(text),
        By::Column => {
            let rows = text.word(Parameter::Rows);
            text.line(&format!("let row = point % {rows};"));
            text.line(&format!("let part = point / {rows};"));
            positions_of_part(text);
        }
    }
}

/// The same, where the parts of a row are neighbours.
pub(crate) fn part_among_parts(text: &mut Text) {
    let parts = text.word(Parameter::Parts);
    text.line(&format!("let row = point / {parts};"));
    text.line(&format!("let part = point % {parts};"));
    positions_of_part(text);
}

/// The first position of a part, and the count of its positions.
pub(crate) fn positions_of_part(text: &mut Text) {
    let (length, inner) = (
        text.word(Parameter::PartLength),
        text.word(Parameter::Inner),
    );
    text.line(&format!("let begin = part * {length};"));
    text.line(&format!("let count = min({length}, {inner} - begin);"));
}

fn pass(
    mut text: Text,
    source: &Source,
    by: By,
    (from_elements, to_results): (bool, bool),
) -> Result<Shader, Unsupported> {
    let running = source.running();
    match by {
        By::Invocation | By::Column => text.begin(),
        By::Group(invocations) => text.begin_group(invocations),
    }
    part_of_row(&mut text, by);
    running.declare(&mut text);
    if from_elements {
        text.coordinates("row", 0, &source.kernel.space);
    }
    match by {
        By::Invocation | By::Column => {
            running.declare_sums(&mut text);
            running.begin_blocks(&mut text);
        }
        By::Group(invocations) => running.group(invocations).begin_loop(&mut text),
    }
    text.line("let i = begin + n;");
    let next = match from_elements {
        true => running.widened(&elements(&mut text, source)?),
        false => {
            let position = format!("row * {} + i", text.word(Parameter::Inner));
            running.left(&mut text, &position)
        }
    };
    running.add(&mut text, &next)?;
    match by {
        By::Invocation | By::Column => running.end_blocks(&mut text)?,
        By::Group(_) => text.line("}"),
    }
    if let By::Group(invocations) = by {
        running.group(invocations).combine(&mut text)?;
        text.line("if local != 0u { return; }");
    }
    match to_results {
        true => results(&mut text, source, &running)?,
        false => leave(&mut text, &running, by),
    }
    Ok(text.finish())
}

fn leave(text: &mut Text, running: &Running, by: By) {
    match by {
        By::Invocation | By::Group(_) => running.leave(text, "point"),
        By::Column => {
            let parts = text.word(Parameter::Parts);
            running.leave(text, &format!("row * {parts} + part"));
        }
    }
}

fn elements(text: &mut Text, source: &Source) -> Result<Vec<String>, Unsupported> {
    text.coordinates("i", source.kernel.space.len(), source.inner);
    let roots = source.roots();
    text.values(source.body, &roots)?;
    Ok(roots.into_iter().map(name).collect())
}

fn results(text: &mut Text, source: &Source, running: &Running) -> Result<(), Unsupported> {
    if let Some(init) = &source.init {
        // The initial value comes before the total.
        let init: Vec<_> = init.iter().map(|&symbol| text.symbol(symbol)).collect();
        running.turned().add(text, &running.widened(&init))?;
    }
    for (n, output) in source.outputs.iter().enumerate() {
        let total = running.narrowed(n, &format!("total{n}"));
        text.store_variable(output.array, "row", &total);
    }
    Ok(())
}
