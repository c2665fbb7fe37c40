//! The text form of schedules, for dumps and snapshots.
//!
//! One line per array, step and instruction; ids as in the data structure, so that what the checker says
//! can be found here. The elements of host arrays are not printed.

use super::{
    ArrayDecl, ArrayId, Body, Carried, Check, Kernel, KernelKind, Layout, Load, Loop, Offset, Op,
    Operator, Output, Part, Region, Repeat, Role, Schedule, Semiring, Step, Strip, SymbolId, Total,
    ValueId,
};
use crate::term::{Combine, Direction};
use std::fmt::{self, Display, Formatter};

impl Display for Schedule {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self {
            symbols: _,
            arrays,
            sites: _,
            params,
            uses,
            steps,
            results,
        } = self;
        writeln!(f, "params {}", list(params))?;
        let used: Vec<_> = uses.iter().map(|(array, _)| *array).collect();
        writeln!(f, "uses {}", list(&used))?;
        for (id, decl) in arrays.iter().enumerate() {
            write_array(f, ArrayId(id as u32), decl)?;
        }
        write_steps(f, steps, self, 0)?;
        writeln!(f, "results {}", list(results))
    }
}

fn list<T: Display>(items: &[T]) -> String {
    let items: Vec<_> = items.iter().map(T::to_string).collect();
    format!("[{}]", items.join(", "))
}

fn write_array(f: &mut Formatter<'_>, id: ArrayId, decl: &ArrayDecl) -> fmt::Result {
    let ArrayDecl {
        elem,
        extents,
        layout,
        site: _,
    } = decl;
    write!(f, "{id}: {elem}{}", list(extents))?;
    match layout {
        Layout::Own => writeln!(f),
        Layout::View { of, offset, stride } => writeln!(f, " at {offset} + {stride}·p of {of}"),
    }
}

fn write_steps(f: &mut Formatter<'_>, steps: &[Step], s: &Schedule, depth: usize) -> fmt::Result {
    steps.iter().try_for_each(|step| match step {
        Step::Scalars { body, defines } => write_scalars(f, body, defines, depth),
        Step::Check(check, site) => {
            let site = &s.sites[site.index()];
            line(f, depth, format_args!("check {check} for {site}"))
        }
        Step::Kernel(kernel) => write_kernel(f, kernel, depth),
        Step::If {
            cond,
            then_,
            else_,
            symbols,
            arrays,
        } => {
            line(f, depth, format_args!("if {cond}"))?;
            write_steps(f, then_, s, depth + 1)?;
            line(f, depth, format_args!("else"))?;
            write_steps(f, else_, s, depth + 1)?;
            for (merged, then_, else_) in symbols {
                line(f, depth, format_args!("{merged} := {then_} or {else_}"))?;
            }
            for (merged, then_, else_) in arrays {
                line(f, depth, format_args!("{merged} := {then_} or {else_}"))?;
            }
            Ok(())
        }
        Step::Strip(strip) => write_strip(f, strip, depth),
        Step::Repeat(repeat) => write_repeat(f, repeat, s, depth),
    })
}

fn write_repeat(f: &mut Formatter<'_>, repeat: &Repeat, s: &Schedule, depth: usize) -> fmt::Result {
    let Repeat {
        site: _,
        most,
        number,
        made,
        test,
        body,
        symbols,
        arrays,
    } = repeat;
    line(f, depth, format_args!("repeat {number} < {most}"))?;
    for Carried { first, inside, .. } in symbols {
        line(f, depth, format_args!("{inside} := {first}"))?;
    }
    for Carried { first, inside, .. } in arrays {
        line(f, depth, format_args!("{inside} := {first}"))?;
    }
    if let Some((test, holds)) = test {
        write_steps(f, test, s, depth + 1)?;
        line(f, depth, format_args!("while {holds}"))?;
    }
    write_steps(f, body, s, depth + 1)?;
    for Carried { inside, next, .. } in symbols {
        line(f, depth, format_args!("{inside} <- {next}"))?;
    }
    for Carried { inside, next, .. } in arrays {
        line(f, depth, format_args!("{inside} <- {next}"))?;
    }
    line(f, depth, format_args!("{made} := trips"))?;
    for Carried { inside, last, .. } in symbols {
        line(f, depth, format_args!("{last} := {inside}"))?;
    }
    for Carried { inside, last, .. } in arrays {
        line(f, depth, format_args!("{last} := {inside}"))?;
    }
    Ok(())
}

fn write_strip(f: &mut Formatter<'_>, strip: &Strip, depth: usize) -> fmt::Result {
    let Strip {
        over,
        start,
        len,
        kernels,
        parts,
        totals,
    } = strip;
    let head = format_args!("strip of {over}: {len} from {start}").to_string();
    line(f, depth, format_args!("{head}"))?;
    for kernel in kernels {
        write_kernel(f, kernel, depth + 1)?;
    }
    for Part { whole, part } in parts {
        line(f, depth, format_args!("{whole} <- rows {part}"))?;
    }
    totals
        .iter()
        .try_for_each(|total| write_total(f, total, depth))
}

fn write_total(f: &mut Formatter<'_>, total: &Total, depth: usize) -> fmt::Result {
    let Total {
        operator,
        init,
        arrays,
    } = total;
    for Part { whole, part } in arrays {
        line(f, depth, format_args!("{whole} <- all {part}"))?;
    }
    write_operator(f, operator, init.as_ref(), depth + 1)
}

fn line(f: &mut Formatter<'_>, depth: usize, text: fmt::Arguments<'_>) -> fmt::Result {
    writeln!(f, "{:width$}{text}", "", width = 2 * depth)
}

fn write_scalars(
    f: &mut Formatter<'_>,
    body: &Body,
    defines: &[(SymbolId, ValueId)],
    depth: usize,
) -> fmt::Result {
    line(f, depth, format_args!("scalars"))?;
    write_body(f, body, depth + 1)?;
    for (symbol, value) in defines {
        line(f, depth + 1, format_args!("{symbol} := {value}"))?;
    }
    Ok(())
}

impl Display for Offset {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self { symbol, constant } = self;
        match (symbol, constant) {
            (None, constant) => write!(f, "{constant}"),
            (Some(symbol), 0) => write!(f, "{symbol}"),
            (Some(symbol), constant) => write!(f, "{symbol} + {constant}"),
        }
    }
}

impl Display for Check {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Shape { extents } => write!(f, "shape {}", list(extents)),
            Self::SameSize { from, to } => write!(f, "size {} = {}", list(from), list(to)),
            Self::SameShape { found, expected } => {
                write!(f, "shape {} = {}", list(found), list(expected))
            }
            Self::InRange { index, extent } => write!(f, "0 <= {index} < {extent}"),
            Self::NotEmpty { outer, inner } => {
                write!(f, "not empty {} unless {} is", list(inner), list(outer))
            }
        }
    }
}

fn write_kernel(f: &mut Formatter<'_>, kernel: &Kernel, depth: usize) -> fmt::Result {
    let Kernel {
        name,
        loc: _,
        fused,
        space,
        kind,
    } = kernel;
    let fused: Vec<_> = fused.iter().map(|site| site.construct).collect();
    let head = format!("kernel {name} over {} of {}", list(space), list(&fused));
    line(f, depth, format_args!("{head}"))?;
    write_kind(f, kind, depth + 1)
}

fn write_kind(f: &mut Formatter<'_>, kind: &KernelKind, depth: usize) -> fmt::Result {
    match kind {
        KernelKind::Map { body, outputs } => {
            write_body(f, body, depth)?;
            write_outputs(f, outputs, depth)
        }
        KernelKind::Reduce {
            inner,
            body,
            operator,
            init,
            outputs,
        } => {
            line(f, depth, format_args!("reduce over {}", list(inner)))?;
            write_combining(f, (body, operator, init.as_ref(), outputs), depth)
        }
        KernelKind::Segments { .. } => write_segments(f, kind, depth),
        KernelKind::Contract { .. } => write_contract(f, kind, depth),
        KernelKind::Scan {
            inner,
            direction,
            body,
            operator,
            init,
            outputs,
        } => {
            let from = match direction {
                Direction::Left => "left",
                Direction::Right => "right",
            };
            line(f, depth, format_args!("scan over {inner} from the {from}"))?;
            write_combining(f, (body, operator, init.as_ref(), outputs), depth)
        }
        KernelKind::Sort { .. } => write_sort(f, kind, depth),
        KernelKind::Scatter {
            body,
            guard,
            target,
            site: _,
            combine,
            outputs,
        } => {
            write_body(f, body, depth)?;
            let how = match combine {
                Combine::Add => "adding",
                Combine::Overwrite => "overwriting",
            };
            let target = list(target);
            line(f, depth, format_args!("to {target} where {guard}, {how}"))?;
            write_outputs(f, outputs, depth)
        }
    }
}

fn write_segments(f: &mut Formatter<'_>, kind: &KernelKind, depth: usize) -> fmt::Result {
    let KernelKind::Segments {
        inner,
        body,
        bounds: [start, end],
        operator,
        init,
        site: _,
        outputs,
    } = kind
    else {
        return Ok(());
    };
    let head = format_args!("reduce segments of {inner} from {start} to {end}");
    line(f, depth, head)?;
    write_combining(f, (body, operator, Some(init), outputs), depth)
}

fn write_sort(f: &mut Formatter<'_>, kind: &KernelKind, depth: usize) -> fmt::Result {
    let KernelKind::Sort {
        inner,
        order,
        body,
        output,
    } = kind
    else {
        return Ok(());
    };
    line(f, depth, format_args!("{} over {inner}", order.name()))?;
    write_body(f, body, depth)?;
    write_outputs(f, &[*output], depth)
}

fn write_contract(f: &mut Formatter<'_>, kind: &KernelKind, depth: usize) -> fmt::Result {
    let KernelKind::Contract {
        semiring,
        inner,
        body,
        roles,
        left,
        right,
        init,
        structure,
        output,
    } = kind
    else {
        return Ok(());
    };
    let (inner, roles) = (list(inner), list(roles));
    line(f, depth, format_args!("contract {roles} over {inner}"))?;
    write_body(f, body, depth)?;
    line(f, depth, format_args!("left {left}, right {right}"))?;
    if *semiring != Semiring::PlusTimes {
        line(f, depth, format_args!("by {}", semiring.plus()))?;
    }
    for fact in structure.in_words() {
        line(f, depth, format_args!("{fact}"))?;
    }
    if let Some(init) = init {
        line(f, depth, format_args!("from {init}"))?;
    }
    write_outputs(f, std::slice::from_ref(output), depth)
}

impl Display for Role {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Batch => "batch",
            Self::Left => "left",
            Self::Right => "right",
        })
    }
}

fn write_combining(
    f: &mut Formatter<'_>,
    (body, operator, init, outputs): (&Body, &Operator, Option<&Vec<SymbolId>>, &[Output]),
    depth: usize,
) -> fmt::Result {
    write_body(f, body, depth)?;
    write_operator(f, operator, init, depth)?;
    write_outputs(f, outputs, depth)
}

fn write_operator(
    f: &mut Formatter<'_>,
    operator: &Operator,
    init: Option<&Vec<SymbolId>>,
    depth: usize,
) -> fmt::Result {
    match operator.as_prim() {
        Some(prim) => line(f, depth, format_args!("by {prim}"))?,
        None => {
            line(f, depth, format_args!("by"))?;
            write_body(f, &operator.body, depth + 1)?;
            let results = list(&operator.results);
            line(f, depth + 1, format_args!("results {results}"))?;
        }
    }
    match init {
        Some(init) => line(f, depth, format_args!("from {}", list(init))),
        None => Ok(()),
    }
}

fn write_outputs(f: &mut Formatter<'_>, outputs: &[Output], depth: usize) -> fmt::Result {
    outputs
        .iter()
        .try_for_each(|Output { value, array }| line(f, depth, format_args!("{array} <- {value}")))
}

fn write_body(f: &mut Formatter<'_>, body: &Body, depth: usize) -> fmt::Result {
    for (value, inst) in body.iter() {
        line(f, depth, format_args!("{value}: {} = {}", inst.ty, inst.op))?;
        if let Some(of) = inst.op.as_loop() {
            write_region(f, &of.region, depth + 1)?;
        }
    }
    Ok(())
}

fn write_region(f: &mut Formatter<'_>, region: &Region, depth: usize) -> fmt::Result {
    let Region { body, test, next } = region;
    write_body(f, body, depth)?;
    if let Some(test) = test {
        line(f, depth, format_args!("while {test}"))?;
    }
    line(f, depth, format_args!("next {}", list(next)))
}

impl Display for Op {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Const(c) => write!(f, "{c}"),
            Self::Symbol(s) => write!(f, "{s}"),
            Self::Coord(axis) => write!(f, "coord {axis}"),
            Self::Arg(position) => write!(f, "arg {position}"),
            Self::Prim(prim, operands) => write!(f, "{prim} {}", list(operands)),
            Self::Load(load) => write!(f, "{load}"),
            Self::Loop(of) => write!(f, "{of}"),
            Self::Out(of, which) => write!(f, "{of}.{which}"),
        }
    }
}

impl Display for Loop {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self {
            trips,
            init,
            captures,
            region: _,
        } = self;
        let (init, captures) = (list(init), list(captures));
        write!(f, "loop {trips} from {init} with {captures}")
    }
}

impl Display for Load {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self {
            array,
            index,
            guard,
            site,
        } = self;
        write!(f, "{array}{}", list(index))?;
        if let Some(guard) = guard {
            write!(f, " where {guard}")?;
        }
        match site {
            Some(site) => write!(f, " else {site}"),
            None => Ok(()),
        }
    }
}
