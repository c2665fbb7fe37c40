//! Reductions, contractions among them: a row is cut into parts, each combined by one invocation; what the parts give
//! is combined in the same way, until one value a row is left.
//!
//! So the order of combination depends on the lengths of parts alone, which the host chooses by the extents. The
//! initial value comes in last, from the left.

use crate::body::{Text, name};
use crate::combine::Running;
use crate::target::{Target, Unsupported};
use crate::{Parameter, Shader};
use cotangent_core::schedule::{Body, Kernel, KernelKind, Operator, Output, Schedule, SymbolId};
use cotangent_core::types::ScalarType;

/// The shaders of a reduction. Points are parts of rows, those of one row being neighbours.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Reduction {
    /// From elements to results, where a row is one part.
    pub whole: Shader,
    /// From elements to one value a part.
    pub parts: Shader,
    /// From values of parts to fewer.
    pub between: Shader,
    /// From values of parts to results, where what is left of a row is one part.
    pub last: Shader,
    /// The types of the values that are left in between.
    pub types: Vec<ScalarType>,
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
        }
    }

    fn roots(&self) -> Vec<cotangent_core::schedule::ValueId> {
        self.outputs.iter().map(|o| o.value).collect()
    }

    fn types(&self) -> Vec<ScalarType> {
        let roots = self.roots().into_iter();
        roots.map(|v| self.body.type_of(v)).collect()
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
    let shader = |from_elements, to_results| {
        let text = Text::new(schedule, kernel, target);
        pass(text, &source, from_elements, to_results)
    };
    Ok(Reduction {
        whole: shader(true, true)?,
        parts: shader(true, false)?,
        between: shader(false, false)?,
        last: shader(false, true)?,
        types: source.types(),
    })
}

/// The positions of a part, `begin` to `end`, and its row and number.
pub(crate) fn part_of_row(text: &mut Text) {
    let parts = text.word(Parameter::Parts);
    let length = text.word(Parameter::PartLength);
    let inner = text.word(Parameter::Inner);
    text.line(&format!("let row = point / {parts};"));
    text.line(&format!("let part = point % {parts};"));
    text.line(&format!("let begin = part * {length};"));
    text.line(&format!("let end = min(begin + {length}, {inner});"));
}

fn pass(
    mut text: Text,
    source: &Source,
    from_elements: bool,
    to_results: bool,
) -> Result<Shader, Unsupported> {
    let running = Running {
        operator: &source.operator,
        types: source.types(),
        backwards: false,
    };
    text.begin();
    part_of_row(&mut text);
    running.declare(&mut text);
    if from_elements {
        text.coordinates("row", 0, &source.kernel.space);
    }
    text.line("for (var i = begin; i < end; i++) {");
    let next = match from_elements {
        true => elements(&mut text, source)?,
        false => {
            let position = format!("row * {} + i", text.word(Parameter::Inner));
            let types = running.types.iter().enumerate();
            types.map(|(n, &ty)| text.left(n, ty, &position)).collect()
        }
    };
    running.add(&mut text, &next)?;
    text.line("}");
    match to_results {
        true => results(&mut text, source, &running)?,
        false => text.leave_totals(&running.types, "point"),
    }
    Ok(text.finish())
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
        let before = Running {
            operator: running.operator,
            types: running.types.clone(),
            backwards: true,
        };
        let init: Vec<_> = init.iter().map(|&symbol| text.symbol(symbol)).collect();
        before.add(text, &init)?;
    }
    for (n, output) in source.outputs.iter().enumerate() {
        text.store_variable(output.array, "row", &format!("total{n}"));
    }
    Ok(())
}
