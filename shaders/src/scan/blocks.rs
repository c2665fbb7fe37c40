//! Scans by workgroups: a row is cut into blocks that fit into workgroup memory.
//!
//! Neighbours read and write neighbours; in between, each invocation goes through a piece of the block, twice: first for
//! its total, and, when what comes before its piece is known, for the results. The totals of blocks are scanned in the
//! same way, as often as it takes, until those of a row are one block.

use super::{Source, step_to_element, store};
use crate::Parameter;
use crate::Shader;
use crate::body::{Text, name};
use crate::combine::Running;
use crate::group::{Group, invocations};
use crate::reduce::part_among_parts;
use crate::target::{Target, Unsupported};
use crate::types::{of_value, read, written};
use cotangent_core::schedule::{Kernel, Schedule};
use cotangent_core::types::ScalarType;

/// The shaders of a scan whose points are blocks, done by workgroups.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Blocks {
    /// The positions of a block, but for the last of a row.
    pub length: u32,
    /// From elements to results, where a row is one block.
    pub whole: Shader,
    /// From elements to one value a block.
    pub sums: Shader,
    /// From values to one value a block of them.
    pub sums_of_sums: Shader,
    /// From values to what comes before each, the initial value included, where those of a row are one block. Without
    /// initial value, nothing comes before the first.
    pub before: Shader,
    /// The same, from values and, as the components that follow, what comes before each block of them.
    pub before_within: Shader,
    /// From elements, and what comes before each block, to results.
    pub last: Shader,
}

impl Blocks {
    /// All shaders.
    pub fn all(&self) -> [&Shader; 6] {
        let Self {
            length: _,
            whole,
            sums,
            sums_of_sums,
            before,
            before_within,
            last,
        } = self;
        [whole, sums, sums_of_sums, before, before_within, last]
    }
}

/// The most positions of a piece. Odd, so that invocations that run at the same time meet different banks of memory.
const PIECE: u32 = 15;
/// With shorter pieces a block is not worth its barriers.
const LEAST_PIECE: u32 = 3;

/// The length of blocks.
#[derive(Clone, Copy)]
struct Size {
    invocations: u32,
    length: u32,
}

impl Size {
    /// None where tuples are too large for workgroup memory.
    fn of(target: &Target, types: &[ScalarType]) -> Option<Self> {
        // Besides a piece, the total of each invocation.
        let invocations = invocations(target, types, LEAST_PIECE + 1)?;
        let bytes: u32 = types.iter().map(|ty| ty.bytes().max(4) as u32).sum();
        let tuples = target.shared_bytes() / (bytes * invocations);
        let piece = (tuples - 1).min(PIECE);
        let piece = piece - (1 - piece % 2);
        Some(Self {
            invocations,
            length: piece * invocations,
        })
    }
}

/// What a block is of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Of {
    /// Elements; results are stored.
    Elements,
    /// Values of blocks; what comes before each is left.
    Values,
}

/// What comes before a block.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Before {
    /// The initial value, if there is one.
    Init,
    /// What another shader left for the block: the components from this one on.
    Left(usize),
}

/// The shaders of a scan by blocks; none where tuples are too large for workgroup memory.
pub(super) fn blocks(
    schedule: &Schedule,
    kernel: &Kernel,
    source: &Source,
    target: &Target,
) -> Result<Option<Blocks>, Unsupported> {
    let types = source.running().types;
    let Some(size) = Size::of(target, &types) else {
        return Ok(None);
    };
    let text = || Text::new(schedule, kernel, target);
    let block = |of, before| scanned(text(), source, size, (of, before));
    Ok(Some(Blocks {
        length: size.length,
        whole: block(Of::Elements, Before::Init)?,
        sums: summed(text(), source, size, Of::Elements)?,
        sums_of_sums: summed(text(), source, size, Of::Values)?,
        before: block(Of::Values, Before::Init)?,
        before_within: block(Of::Values, Before::Left(types.len()))?,
        last: block(Of::Elements, Before::Left(0))?,
    }))
}

fn begin(text: &mut Text, source: &Source, size: Size, of: Of) {
    text.begin_group(size.invocations);
    part_among_parts(text);
    source.running().declare(text);
    match of {
        Of::Elements => text.coordinates("row", 0, &source.kernel.space),
        Of::Values => {}
    }
}

/// The values of step `n` of the block.
fn values(text: &mut Text, source: &Source, of: Of) -> Result<Vec<String>, Unsupported> {
    text.line("let step = begin + n;");
    if of == Of::Values {
        let inner = text.word(Parameter::Inner);
        return Ok(source
            .running()
            .left(text, &format!("row * {inner} + step")));
    }
    step_to_element(text, source);
    let roots: Vec<_> = source.outputs.iter().map(|o| o.value).collect();
    text.values(source.body, &roots)?;
    let values: Vec<_> = roots.into_iter().map(name).collect();
    Ok(source.running().widened(&values))
}

/// Combines a block.
fn summed(mut text: Text, source: &Source, size: Size, of: Of) -> Result<Shader, Unsupported> {
    let running = source.running();
    begin(&mut text, source, size, of);
    let group = running.group(size.invocations);
    group.begin_loop(&mut text);
    let next = values(&mut text, source, of)?;
    running.add(&mut text, &next)?;
    text.line("}");
    group.combine(&mut text)?;
    text.line("if local != 0u { return; }");
    running.leave(&mut text, "point");
    Ok(text.finish())
}

/// Scans a block.
fn scanned(
    mut text: Text,
    source: &Source,
    size: Size,
    (of, before): (Of, Before),
) -> Result<Shader, Unsupported> {
    let running = source.running();
    let group = running.group(size.invocations);
    begin(&mut text, source, size, of);
    begin_loop_of_neighbours(&mut text, size);
    let next = values(&mut text, source, of)?;
    put(&mut text, &running, "n", &next);
    text.line("}");
    for (n, &ty) in running.types.iter().enumerate() {
        text.share(&item(n), ty, size.length);
    }
    group.declare(&mut text);
    pieces(&mut text, size);
    begin_loop_of_piece(&mut text);
    let items = items(&running, "n");
    running.add(&mut text, &items)?;
    text.line("}");
    scan_totals(&mut text, &group)?;
    come_before(&mut text, source, &group, (of, before))?;
    results_of_piece(&mut text, &running, of)?;
    text.line("workgroupBarrier();");
    begin_loop_of_neighbours(&mut text, size);
    give(&mut text, source, &running, of);
    text.line("}");
    Ok(text.finish())
}

/// Neighbours do neighbouring steps at the same time.
fn begin_loop_of_neighbours(text: &mut Text, size: Size) {
    let invocations = size.invocations;
    text.line(&format!(
        "for (var n = local; n < count; n += {invocations}u) {{"
    ));
}

/// Cuts the block into a piece for each invocation; `valid` ones have any.
fn pieces(text: &mut Text, size: Size) {
    let invocations = size.invocations;
    let rounded = invocations - 1;
    text.line("workgroupBarrier();");
    text.line(&format!(
        "let piece = max((count + {rounded}u) / {invocations}u, 1u);"
    ));
    text.line("let valid = (count + piece - 1u) / piece;");
    text.line("let stop = min((local + 1u) * piece, count);");
}

fn begin_loop_of_piece(text: &mut Text) {
    text.line("for (var n = local * piece; n < stop; n++) {");
}

/// Makes what each invocation put into workgroup memory the total of its piece and all before it.
fn scan_totals(text: &mut Text, group: &Group) -> Result<(), Unsupported> {
    let running = group.running;
    // What is there of earlier pieces comes before the total.
    let after = running.turned();
    group.share(text, "local");
    text.line("for (var distance = 1u; distance < valid; distance = distance * 2u) {");
    text.line("let takes = local >= distance && local < valid;");
    for (n, &ty) in running.types.iter().enumerate() {
        text.line(&format!("var other{n} = {}();", of_value(ty)));
    }
    text.line("workgroupBarrier();");
    text.line("if takes {");
    let mut others = vec![];
    for (n, other) in group.shared("local - distance").iter().enumerate() {
        others.push(format!("other{n}"));
        text.line(&format!("other{n} = {other};"));
    }
    text.line("}");
    text.line("workgroupBarrier();");
    text.line("if takes {");
    after.add(text, &others)?;
    group.share(text, "local");
    text.line("}");
    text.line("}");
    text.line("workgroupBarrier();");
    Ok(())
}

/// Makes the total what comes before the piece.
fn come_before(
    text: &mut Text,
    source: &Source,
    group: &Group,
    (of, before): (Of, Before),
) -> Result<(), Unsupported> {
    let (running, has_init) = (group.running, source.init.is_some());
    text.line("has_total = false;");
    match (before, source.init) {
        (Before::Init, Some(init)) => {
            let init: Vec<_> = init.iter().map(|&symbol| text.symbol(symbol)).collect();
            running.add(text, &running.widened(&init))?;
        }
        (Before::Init, None) => {}
        (Before::Left(first), _) => {
            text.line(&format!("if {has_init} || part > 0u {{"));
            let types = running.types.iter().enumerate();
            let left = types.map(|(n, &ty)| text.left(first + n, ty, "point"));
            let left: Vec<_> = left.collect();
            running.add(text, &left)?;
            text.line("}");
        }
    }
    if of == Of::Elements && has_init {
        text.line("if part == 0u && local == 0u {");
        store(text, source, running, "0u");
        text.line("}");
    }
    text.line("if local > 0u && local < valid {");
    running.add(text, &group.shared("local - 1u"))?;
    text.line("}");
    Ok(())
}

/// Goes through the piece from there, and puts the results in the place of the items.
fn results_of_piece(text: &mut Text, running: &Running, of: Of) -> Result<(), Unsupported> {
    begin_loop_of_piece(text);
    let totals = running.totals();
    let mut next = vec![];
    for (n, item) in items(running, "n").iter().enumerate() {
        next.push(format!("next{n}"));
        text.line(&format!("let next{n} = {item};"));
    }
    if of == Of::Values {
        put(text, running, "n", &totals);
    }
    running.add(text, &next)?;
    if of == Of::Elements {
        put(text, running, "n", &totals);
    }
    text.line("}");
    Ok(())
}

/// Stores the result of step `n` of the block, or leaves it.
fn give(text: &mut Text, source: &Source, running: &Running, of: Of) {
    text.line("let step = begin + n;");
    for (total, item) in running.totals().iter().zip(items(running, "n")) {
        text.line(&format!("{total} = {item};"));
    }
    match (of, source.init.is_some()) {
        (Of::Elements, true) => store(text, source, running, "step + 1u"),
        (Of::Elements, false) => store(text, source, running, "step"),
        (Of::Values, _) => {
            let inner = text.word(Parameter::Inner);
            running.leave(text, &format!("row * {inner} + step"));
        }
    }
}

fn item(component: usize) -> String {
    format!("items{component}")
}

/// The items at a position of the block.
fn items(running: &Running, position: &str) -> Vec<String> {
    let types = running.types.iter().enumerate();
    let of = |(n, &ty): (usize, &ScalarType)| read(ty, &format!("{}[{position}]", item(n)));
    types.map(of).collect()
}

/// Puts values at a position of the block.
fn put(text: &mut Text, running: &Running, position: &str, values: &[String]) {
    for (n, (value, &ty)) in values.iter().zip(&running.types).enumerate() {
        text.line(&format!(
            "{}[{position}] = {};",
            item(n),
            written(ty, value)
        ));
    }
}
