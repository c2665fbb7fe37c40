//! Contractions by tiles: a workgroup computes a rectangle of results, and reads each factor once for all of them.
//!
//! The factors of a few positions of the inner space are put into workgroup memory, then each invocation adds their
//! products to the sums of its own block of the rectangle, and so on. The inner space may be cut into parts, which
//! passes of the plain reduction combine. Beyond the extents nothing is read: factors are zeros there, and sums of
//! products may go through them.

use crate::body::{Text, name, position};
use crate::neighbours::{self, Neighbours};
use crate::reduce::{Reduction, positions_of_part, reduce};
use crate::target::{Target, Unsupported};
use crate::types::{converted, of_sum, of_value};
use crate::{Parameter, Shader};
use cotangent_core::schedule::{
    Body, Kernel, KernelKind, Output, Role, Schedule, Semiring, SymbolId, ValueId,
};
use cotangent_core::types::ScalarType;

/// The shaders of a contraction.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Contraction {
    /// Those of each tile that the device can do.
    pub tilings: Vec<Tiling>,
    /// The same as a reduction, which also combines parts.
    pub reduction: Reduction,
}

/// The shaders of a tile. Points are, from the outermost: the batch, tiles of rows, tiles of columns, parts of the inner
/// space; workgroups do them.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Tiling {
    /// The rectangle.
    pub tile: Tile,
    /// To results, where the inner space is one part.
    pub whole: Shader,
    /// To one value a result and part.
    pub parts: Shader,
}

/// A rectangle of results, cut into blocks: `[rows, columns]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tile {
    /// How many invocations there are.
    pub invocations: [u32; 2],
    /// How many results of each.
    pub block: [u32; 2],
}

impl Tile {
    /// Those that shaders are made for.
    pub const ALL: [Self; 6] = [
        Self::new([16, 16], [8, 8]),
        Self::new([16, 16], [4, 4]),
        Self::new([8, 8], [4, 4]),
        Self::new([16, 4], [4, 2]),
        Self::new([4, 16], [2, 4]),
        Self::new([8, 8], [2, 2]),
    ];

    const fn new(invocations: [u32; 2], block: [u32; 2]) -> Self {
        Self { invocations, block }
    }

    /// Its rows and columns.
    pub fn extents(self) -> [u32; 2] {
        [0, 1].map(|side| self.invocations[side] * self.block[side])
    }

    /// The invocations of its workgroup.
    pub fn workgroup(self) -> u32 {
        self.invocations[0] * self.invocations[1]
    }

    /// How often an invocation goes through loops, for so many positions of the inner space.
    pub fn trips(self, target: &Target, ty: ScalarType, inner: u32) -> u32 {
        let depth = self.depth(target, ty).max(1);
        let fetches = self
            .extents()
            .map(|e| (e * depth).div_ceil(self.workgroup()));
        inner.div_ceil(depth) * (1 + fetches[0] + fetches[1] + depth)
    }

    /// How many positions of the inner space are in workgroup memory at once; none where there is too little of it.
    fn depth(self, target: &Target, ty: ScalarType) -> u32 {
        let [rows, columns] = self.extents();
        // Rows may be padded by an element, and both factors to 16 bytes.
        let bytes = target.shared_bytes().saturating_sub(2 * 16);
        let most = bytes / ((rows + columns + 2) * ty.bytes() as u32);
        most.checked_ilog2().map_or(0, |log| (1 << log).min(DEPTH))
    }

    /// Whether a device can do it.
    fn is_possible(self, target: &Target, ty: ScalarType) -> bool {
        self.workgroup() <= target.group && self.depth(target, ty) > 0
    }
}

/// The most positions of the inner space that are in workgroup memory at once.
const DEPTH: u32 = 16;

/// What a contraction is.
struct Source<'a> {
    semiring: Semiring,
    /// The axes of the batch, of rows and of columns, by their numbers; those of the inner space.
    batch: Vec<(usize, SymbolId)>,
    sides: [Vec<(usize, SymbolId)>; 2],
    inner: Vec<(usize, SymbolId)>,
    space: &'a [SymbolId],
    body: &'a Body,
    factors: [ValueId; 2],
    init: Option<SymbolId>,
    output: Output,
    ty: ScalarType,
    /// The type of totals.
    total: ScalarType,
}

impl<'a> Source<'a> {
    fn of(kernel: &'a Kernel) -> Option<Self> {
        let KernelKind::Contract {
            semiring,
            inner,
            body,
            roles,
            left,
            right,
            init,
            structure: _,
            output,
        } = &kernel.kind
        else {
            return None;
        };
        let axes = kernel.space.iter().copied().enumerate();
        let of_role = |role| {
            let axes = axes.clone().zip(roles).filter(|(_, r)| **r == role);
            axes.map(|(axis, _)| axis).collect()
        };
        let ty = body.type_of(output.value);
        Some(Self {
            semiring: *semiring,
            batch: of_role(Role::Batch),
            sides: [of_role(Role::Left), of_role(Role::Right)],
            inner: (kernel.space.len()..).zip(inner.iter().copied()).collect(),
            space: &kernel.space,
            body,
            factors: [*left, *right],
            init: *init,
            output: *output,
            ty,
            total: match *semiring == Semiring::PlusTimes {
                true => of_sum(ty),
                false => ty,
            },
        })
    }

    /// Whether the neighbours of a factor, in memory, are along the inner space.
    fn is_along_inner(&self, side: usize) -> bool {
        let last = |axes: &[(usize, SymbolId)]| axes.last().map(|&(axis, _)| axis);
        let (across, along) = (last(&self.sides[side]), last(&self.inner));
        let neighbours = neighbours::of(self.body, &[self.factors[side]], across, along);
        neighbours == Neighbours::Elements
    }
}

/// The shaders of a contraction.
///
/// # Errors
/// Where the kernel is of another form, and where the device lacks a type or a function.
pub fn contract(
    schedule: &Schedule,
    kernel: &Kernel,
    target: &Target,
) -> Result<Contraction, Unsupported> {
    let Some(source) = Source::of(kernel) else {
        return Err(Unsupported::form(kernel));
    };
    let tiles = Tile::ALL.into_iter();
    let tiles = tiles.filter(|tile| tile.is_possible(target, source.ty));
    let tilings = tiles.map(|tile| {
        let shader = |to_results| {
            let text = Text::new(schedule, kernel, target);
            tiled(text, &source, tile, to_results)
        };
        Ok(Tiling {
            tile,
            whole: shader(true)?,
            parts: shader(false)?,
        })
    });
    Ok(Contraction {
        tilings: tilings.collect::<Result<_, _>>()?,
        reduction: reduce(schedule, kernel, target)?,
    })
}

/// The names of what there is of each side: its extent, the first coordinate of the tile, and workgroup memory.
const EXTENTS: [&str; 2] = ["rows", "columns"];
const FIRSTS: [&str; 2] = ["first_row", "first_column"];
const FACTORS: [&str; 2] = ["left", "right"];

fn tiled(
    mut text: Text,
    source: &Source,
    tile: Tile,
    to_results: bool,
) -> Result<Shader, Unsupported> {
    text.begin_group(tile.workgroup());
    place_of_tile(&mut text, source, tile);
    positions_of_part(&mut text);
    text.coordinates_of("batch", &source.batch);
    let [_, columns] = tile.invocations;
    text.line(&format!("let own_row = local / {columns}u;"));
    text.line(&format!("let own_column = local % {columns}u;"));
    for (row, column) in blocks(tile) {
        let ty = of_value(source.total);
        text.line(&format!("var sum{row}_{column} = {ty}();"));
    }
    let depth = tile.depth(text.target(), source.ty);
    text.line(&format!(
        "for (var done = 0u; done < count; done += {depth}u) {{"
    ));
    text.line("workgroupBarrier();");
    for side in [0, 1] {
        fill(&mut text, source, tile, side)?;
    }
    text.line("workgroupBarrier();");
    multiply(&mut text, source, tile)?;
    text.line("}");
    results(&mut text, source, tile, to_results)?;
    Ok(text.finish())
}

/// The rows and columns of a block.
fn blocks(tile: Tile) -> impl Iterator<Item = (u32, u32)> {
    let [rows, columns] = tile.block;
    (0..rows).flat_map(move |row| (0..columns).map(move |column| (row, column)))
}

/// Where the tile of a workgroup begins, and which part it adds up.
fn place_of_tile(text: &mut Text, source: &Source, tile: Tile) {
    for side in [0, 1] {
        let extents = source.sides[side].iter();
        let extents = extents.map(|&(_, symbol)| text.word(Parameter::Symbol(symbol)));
        let extents: Vec<_> = ["1u".to_owned()].into_iter().chain(extents).collect();
        text.line(&format!("let {} = {};", EXTENTS[side], extents.join(" * ")));
    }
    let [high, wide] = tile.extents();
    let parts = text.word(Parameter::Parts);
    text.line(&format!(
        "let row_tiles = (rows + {}u) / {high}u;",
        high - 1
    ));
    text.line(&format!(
        "let column_tiles = (columns + {}u) / {wide}u;",
        wide - 1
    ));
    text.line(&format!("let part = point % {parts};"));
    text.line(&format!("let tile = point / {parts};"));
    text.line(&format!(
        "let first_column = (tile % column_tiles) * {wide}u;"
    ));
    text.line(&format!(
        "let first_row = (tile / column_tiles % row_tiles) * {high}u;"
    ));
    text.line("let batch = tile / column_tiles / row_tiles;");
}

/// The elements from one position of the inner space to the next, in workgroup memory: one more where neighbours of a
/// factor are apart there, so that they are in different banks.
fn pitch(source: &Source, tile: Tile, side: usize) -> u32 {
    tile.extents()[side] + u32::from(source.is_along_inner(side))
}

/// Puts the factors of the next positions of the inner space into workgroup memory.
fn fill(text: &mut Text, source: &Source, tile: Tile, side: usize) -> Result<(), Unsupported> {
    let (extent, depth) = (tile.extents()[side], tile.depth(text.target(), source.ty));
    let (pitch, memory) = (pitch(source, tile, side), FACTORS[side]);
    text.share(memory, source.ty, pitch * depth);
    let invocations = tile.workgroup();
    text.line(&format!(
        "for (var n = local; n < {}u; n += {invocations}u) {{",
        extent * depth
    ));
    let (across, along) = match source.is_along_inner(side) {
        true => (format!("n / {depth}u"), format!("n % {depth}u")),
        false => (format!("n % {extent}u"), format!("n / {extent}u")),
    };
    text.line(&format!("let across = {across};"));
    text.line(&format!("let along = {along};"));
    text.line(&format!("var factor = {}();", of_value(source.ty)));
    let (first, all) = (FIRSTS[side], EXTENTS[side]);
    text.line(&format!(
        "if {first} + across < {all} && done + along < count {{"
    ));
    text.coordinates_of(&format!("{first} + across"), &source.sides[side]);
    text.coordinates_of("begin + done + along", &source.inner);
    text.values(source.body, &[source.factors[side]])?;
    text.line(&format!("factor = {};", name(source.factors[side])));
    text.line("}");
    text.line(&format!("{memory}[along * {pitch}u + across] = factor;"));
    text.line("}");
    Ok(())
}

/// Adds the products of what is in workgroup memory. Rows of a block are neighbours, columns are apart: invocations that
/// run at the same time read and write neighbours.
fn multiply(text: &mut Text, source: &Source, tile: Tile) -> Result<(), Unsupported> {
    let is_sum = source.semiring == Semiring::PlusTimes;
    let depth = tile.depth(text.target(), source.ty);
    match is_sum {
        true => text.line(&format!("for (var k = 0u; k < {depth}u; k++) {{")),
        false => text.line(&format!(
            "for (var k = 0u; k < min({depth}u, count - done); k++) {{"
        )),
    }
    let [pitch_of_left, pitch_of_right] = [0, 1].map(|side| pitch(source, tile, side));
    let ([rows, columns], [_, apart]) = (tile.block, tile.invocations);
    for row in 0..rows {
        text.line(&format!(
            "let x{row} = left[k * {pitch_of_left}u + own_row * {rows}u + {row}u];"
        ));
    }
    for column in 0..columns {
        text.line(&format!(
            "let y{column} = right[k * {pitch_of_right}u + own_column + {}u];",
            column * apart
        ));
    }
    if !is_sum {
        text.line("if done + k == 0u {");
        for (row, column) in blocks(tile) {
            let term = term(text, source, row, column)?;
            text.line(&format!("sum{row}_{column} = {term};"));
        }
        text.line("} else {");
    }
    for (row, column) in blocks(tile) {
        let term = term(text, source, row, column)?;
        let sum = format!("sum{row}_{column}");
        let term = converted(&term, source.ty, source.total);
        let next = plus(text, source, [sum.clone(), term])?;
        text.line(&format!("{sum} = {next};"));
    }
    if !is_sum {
        text.line("}");
    }
    text.line("}");
    Ok(())
}

fn term(text: &mut Text, source: &Source, row: u32, column: u32) -> Result<String, Unsupported> {
    let factors = [format!("x{row}"), format!("y{column}")];
    text.primitive(source.semiring.times(), source.ty, &factors)
}

fn plus(text: &mut Text, source: &Source, operands: [String; 2]) -> Result<String, Unsupported> {
    text.primitive(source.semiring.plus(), source.total, &operands)
}

/// Stores the sums, or leaves them, as far as there are results.
fn results(
    text: &mut Text,
    source: &Source,
    tile: Tile,
    to_results: bool,
) -> Result<(), Unsupported> {
    let ([rows, columns], [_, apart]) = (tile.block, tile.invocations);
    for row in 0..rows {
        text.line("{");
        text.line(&format!(
            "let row = first_row + own_row * {rows}u + {row}u;"
        ));
        text.line("if row < rows {");
        text.coordinates_of("row", &source.sides[0]);
        for column in 0..columns {
            let beside = column * apart;
            text.line("{");
            text.line(&format!(
                "let column = first_column + own_column + {beside}u;"
            ));
            text.line("if column < columns {");
            text.coordinates_of("column", &source.sides[1]);
            result(text, source, &format!("sum{row}_{column}"), to_results)?;
            text.line("}");
            text.line("}");
        }
        text.line("}");
        text.line("}");
    }
    Ok(())
}

fn result(
    text: &mut Text,
    source: &Source,
    sum: &str,
    to_results: bool,
) -> Result<(), Unsupported> {
    let coordinates: Vec<_> = (0..source.space.len())
        .map(|axis| format!("c{axis}"))
        .collect();
    let extents = source.space.iter();
    let extents: Vec<_> = extents.map(|&s| text.word(Parameter::Symbol(s))).collect();
    let position = position(&coordinates, &extents);
    text.line(&format!("let position = {position};"));
    if !to_results {
        let parts = text.word(Parameter::Parts);
        text.leave(0, source.total, &format!("position * {parts} + part"), sum);
        return Ok(());
    }
    if let Some(init) = source.init {
        // The initial value comes before the sum.
        let init = converted(&text.symbol(init), source.ty, source.total);
        let all = plus(text, source, [init.clone(), sum.to_owned()])?;
        text.line(&format!(
            "if count == 0u {{ {sum} = {init}; }} else {{ {sum} = {all}; }}"
        ));
    }
    let sum = converted(sum, source.total, source.ty);
    text.store_variable(source.output.array, "position", &sum);
    Ok(())
}
