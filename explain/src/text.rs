//! Explanations for people: aligned columns, one kernel after the other.

use crate::{
    ArrayNote, Boundary, Explanation, Extent, Figure, KernelNote, Kind, Operation, Role, Time,
};
use std::fmt::{self, Display, Formatter};

impl Display for Kind {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Map => "map",
            Self::Reduce => "reduce",
            Self::Segments => "segments",
            Self::Contract => "contract",
            Self::Scan => "scan",
            Self::Sort => "sort",
            Self::Scatter => "scatter",
        })
    }
}

impl Display for Explanation {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self {
            kernels,
            arrays,
            boundaries,
            extents,
            inputs_bytes,
            temporaries_bytes,
            peak_bytes,
            bytes_per_thread,
            assumes,
            rewrites,
        } = self;
        for (position, kernel) in kernels.iter().enumerate() {
            write_kernel(f, position, kernel)?;
        }
        let kept_apart: Vec<_> = boundaries.iter().map(boundary).collect();
        section(
            f,
            "Not fused: a kernel reads what another has written, because",
            &kept_apart,
        )?;
        let memory = arrays.iter().filter(|a| a.role != Role::View).map(array);
        section(f, "Arrays in memory", &memory.collect::<Vec<_>>())?;
        let extents: Vec<_> = extents.iter().map(extent).collect();
        section(f, "Extents that the host computes", &extents)?;
        let totals = [
            ("inputs", inputs_bytes),
            ("temporaries", temporaries_bytes),
            ("peak", peak_bytes),
            ("each further thread", bytes_per_thread),
        ];
        let totals = totals.map(|(name, figure)| vec![name.to_owned(), bytes(figure)]);
        section(f, "Memory", &totals)?;
        let assumes: Vec<_> = assumes.iter().map(|equal| vec![equal.clone()]).collect();
        section(f, "Extents that are equal", &assumes)?;
        let rewrites = rewrites
            .iter()
            .map(|(name, n)| vec![name.clone(), n.to_string()]);
        section(f, "Rewrites by fusion", &rewrites.collect::<Vec<_>>())
    }
}

/// How often a kernel runs, and when.
fn around(
    trips: &[String],
    conditions: &[String],
    chunked_over: Option<&str>,
) -> Vec<(&'static str, String)> {
    let trips = (!trips.is_empty()).then(|| ("trips", trips.join(" × ")));
    let conditions = (!conditions.is_empty()).then(|| ("if", conditions.join(", ")));
    let chunks = chunked_over.map(|over| ("chunks", format!("of {over}")));
    [trips, conditions, chunks].into_iter().flatten().collect()
}

fn write_kernel(f: &mut Formatter<'_>, position: usize, kernel: &KernelNote) -> fmt::Result {
    let KernelNote {
        name,
        location,
        kind,
        conditions,
        trips,
        chunked_over,
        index_space,
        sizes,
        inner_space,
        inner_sizes,
        structure,
        flops,
        bytes: _,
        bytes_read,
        bytes_written,
        fused,
        tested_loads,
        reads,
        writes,
        time,
    } = kernel;
    writeln!(f, "kernel {position}: {kind} `{name}` at {location}")?;
    let mut rows = around(trips, conditions, chunked_over.as_deref());
    rows.push(("space", space(index_space, sizes)));
    if !inner_space.is_empty() {
        rows.push(("along", space(inner_space, inner_sizes)));
    }
    rows.extend(structure.iter().map(|fact| ("where", fact.clone())));
    rows.push(("flops", flops.to_string()));
    let traffic = |figure, arrays| format!("{} of {}", bytes(figure), names(arrays));
    rows.push(("reads", traffic(bytes_read, reads)));
    rows.push(("writes", traffic(bytes_written, writes)));
    rows.extend(time.map(|time| ("took", took(time, kernel))));
    for (i, Operation { name, location }) in fused.iter().enumerate() {
        let label = if i == 0 { "fused" } else { "" };
        rows.push((label, format!("`{name}` at {location}")));
    }
    for load in tested_loads {
        let place = format!(
            "{} by `{}` at {}",
            load.array, load.operation, load.location
        );
        rows.push(("tested", place));
    }
    for (label, text) in rows {
        writeln!(f, "  {label:8}{text}")?;
    }
    writeln!(f)
}

/// A time, and what that is of bytes and operations a second.
fn took(time: Time, kernel: &KernelNote) -> String {
    let Time { seconds, starts } = time;
    let rate = |figure: &Figure, unit| {
        let amount = figure.number().filter(|_| seconds > 0.0)?;
        Some(format!(", {:.2} {unit}/s", amount as f64 / seconds / 1e9))
    };
    let bytes = rate(&kernel.bytes, "GB").unwrap_or_default();
    let flops = rate(&kernel.flops, "Gflop").unwrap_or_default();
    let ended = if starts == 1 { "start" } else { "starts" };
    format!("{:.3} ms in {starts} {ended}{bytes}{flops}", seconds * 1e3)
}

/// `[n, k]`, and the numbers where they are not the same text.
fn space(formulas: &[String], sizes: &[Figure]) -> String {
    let formulas = format!("[{}]", formulas.join(", "));
    let known: Option<Vec<_>> = sizes.iter().map(|s| s.number()).collect();
    match known.map(|known| format!("{known:?}")) {
        Some(numbers) if numbers != formulas => format!("{formulas} = {numbers}"),
        Some(_) | None => formulas,
    }
}

fn names(names: &[String]) -> String {
    if names.is_empty() {
        "nothing".into()
    } else {
        names.join(", ")
    }
}

pub(crate) fn bytes(figure: &Figure) -> String {
    match figure {
        Figure::Number(_) | Figure::Formula(_) | Figure::TooLarge => format!("{figure} B"),
        Figure::DependsOnData => figure.to_string(),
    }
}

fn boundary(boundary: &Boundary) -> Vec<String> {
    let Boundary {
        from,
        to,
        array,
        bytes: size,
        reason,
    } = boundary;
    let reason = reason.map_or("no reason was noted".into(), |reason| reason.0.to_string());
    vec![
        format!("{from} -> {to}"),
        array.clone(),
        bytes(size),
        reason,
    ]
}

fn array(array: &ArrayNote) -> Vec<String> {
    let ArrayNote {
        name,
        element,
        extents,
        bytes: size,
        role,
        is_result,
        view_of: _,
        merged_from: _,
        kept,
    } = array;
    let role = match (role, is_result) {
        (Role::Input, true) => "input, result",
        (Role::Input, false) => "input",
        (Role::Result, _) => "result",
        (Role::Temporary, _) => "temporary",
        (Role::View, _) => "view",
        (Role::Branch, _) => "part of a conditional",
        (Role::Chunk, _) => "chunks",
    };
    let role = match kept {
        Some(reason) if !is_result => format!("{role}: {}", reason.0),
        Some(_) | None => role.into(),
    };
    let ty = format!("{element}[{}]", extents.join(", "));
    vec![name.clone(), ty, bytes(size), role]
}

fn extent(extent: &Extent) -> Vec<String> {
    let Extent {
        name,
        meaning,
        value,
    } = extent;
    let value = value.map_or(String::new(), |v| format!("= {v}"));
    vec![name.clone(), value, meaning.clone()]
}

/// A title and aligned rows; nothing if there are none.
fn section(f: &mut Formatter<'_>, title: &str, rows: &[Vec<String>]) -> fmt::Result {
    if rows.is_empty() {
        return Ok(());
    }
    writeln!(f, "{title}")?;
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    for row in rows {
        let padded = row.iter().enumerate().map(|(i, cell)| {
            let width = if i + 1 < row.len() { width(i) } else { 0 };
            format!("{cell:width$}")
        });
        writeln!(f, "  {}", padded.collect::<Vec<_>>().join("  "))?;
    }
    writeln!(f)
}
