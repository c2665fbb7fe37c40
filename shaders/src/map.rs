//! Maps: one invocation a point.
//!
//! Where neighbouring points read elements that are far apart, as in a transposition, workgroups do *tiles* of points: what
//! is far apart for one point is next to what another point of the tile reads, and so is fetched already.

use crate::body::{Text, position};
use crate::neighbours;
use crate::target::{Target, Unsupported};
use crate::{Parameter, Shader};
use cotangent_core::schedule::{Body, Kernel, KernelKind, Output, Schedule, ValueId};

/// The shader of a map by tiles of so many points along two axes.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Tiled {
    /// Points are tiles, those along the last axis being neighbours, then those along `across`.
    pub shader: Shader,
    /// The axis besides the last one.
    pub across: usize,
}

impl Tiled {
    /// The points along each of the axes.
    pub const SIDE: u32 = 16;
}

/// The shader of a map.
///
/// # Errors
/// Where the kernel is of another form, and where the device lacks a type or a function.
pub fn map(schedule: &Schedule, kernel: &Kernel, target: &Target) -> Result<Shader, Unsupported> {
    let mut text = Text::new(schedule, kernel, target);
    text.begin();
    at_point(&mut text, kernel)?;
    Ok(text.finish())
}

/// What is done at `point`.
///
/// # Errors
/// As of [`map`].
pub(crate) fn at_point(text: &mut Text, kernel: &Kernel) -> Result<(), Unsupported> {
    let (body, outputs) = parts(kernel)?;
    text.coordinates("point", 0, &kernel.space);
    text.values(body, &roots(outputs))?;
    text.store(outputs, "point");
    Ok(())
}

/// The shader of a map by tiles; none where neighbouring points read what is next to each other, or nobody knows, and
/// where workgroups are too small.
///
/// # Errors
/// As of [`map`].
pub fn map_tiles(
    schedule: &Schedule,
    kernel: &Kernel,
    target: &Target,
) -> Result<Option<Tiled>, Unsupported> {
    let (body, outputs) = parts(kernel)?;
    let across = neighbours::across(body, &roots(outputs), kernel.space.len());
    let Some(across) = across.filter(|_| target.group >= Tiled::SIDE * Tiled::SIDE) else {
        return Ok(None);
    };
    let mut text = Text::new(schedule, kernel, target);
    text.begin_group(Tiled::SIDE * Tiled::SIDE);
    point_of_tile(&mut text, kernel, across);
    text.values(body, &roots(outputs))?;
    text.store(outputs, "position");
    let shader = text.finish();
    Ok(Some(Tiled { shader, across }))
}

fn parts(kernel: &Kernel) -> Result<(&Body, &[Output]), Unsupported> {
    match &kernel.kind {
        KernelKind::Map { body, outputs } => Ok((body, outputs)),
        KernelKind::Reduce { .. }
        | KernelKind::Contract { .. }
        | KernelKind::Scan { .. }
        | KernelKind::Segments { .. }
        | KernelKind::Sort { .. }
        | KernelKind::Scatter { .. } => Err(Unsupported::form(kernel)),
    }
}

fn roots(outputs: &[Output]) -> Vec<ValueId> {
    outputs.iter().map(|output| output.value).collect()
}

/// Declares the coordinates of the invocation's point, and `position`, its row-major one.
fn point_of_tile(text: &mut Text, kernel: &Kernel, across: usize) {
    let side = Tiled::SIDE;
    let extents = kernel.space.iter();
    let extents: Vec<_> = extents.map(|&s| text.word(Parameter::Symbol(s))).collect();
    let last = extents.len() - 1;
    text.line("var tile = point;");
    for (axis, local) in [
        (last, format!("local % {side}u")),
        (across, format!("local / {side}u")),
    ] {
        let extent = &extents[axis];
        let tiles = format!("(({extent} - 1u) / {side}u + 1u)");
        text.line(&format!(
            "let p{axis} = tile % {tiles} * {side}u + {local};"
        ));
        text.line(&format!("tile = tile / {tiles};"));
        text.line(&format!("if p{axis} >= {extent} {{ return; }}"));
        text.line(&format!("let c{axis} = i32(p{axis});"));
    }
    let others = kernel.space.iter().copied().enumerate();
    let others: Vec<_> = others
        .filter(|(axis, _)| ![last, across].contains(axis))
        .collect();
    text.coordinates_of("tile", &others);
    let coordinates: Vec<_> = (0..=last).map(|axis| format!("c{axis}")).collect();
    let position = position(&coordinates, &extents);
    text.line(&format!("let position = {position};"));
}
