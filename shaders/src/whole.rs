//! All shaders of a kernel or of a schedule, for whoever wants to read or to check their text. What runs them takes those
//! that it needs.

use crate::{
    Blocks, Combining, Each, Passes, Reduction, Scattering, Shader, Target, Unsupported, contract,
    hand_on, map, map_tiles, reduce, scalars, scan, scatter, total, trips,
};
use cotangent_core::schedule::networks::networks;
use cotangent_core::schedule::{Kernel, KernelKind, Schedule, Strip};
use std::fmt::Write;

impl Target {
    /// A device that offers everything, with workgroups of the usual sizes.
    pub const COMPLETE: Self = Self {
        has_f64: true,
        has_i64: true,
        has_f16: true,
        workgroup: 64,
        group: 256,
        workgroup_bytes: 16 << 10,
        has_subgroups: true,
        has_i64_atomics: true,
        has_f32_atomics: true,
        adds_in_any_order: false,
    };
}

/// All shaders of a kernel, of which a run takes some, by the extents.
///
/// # Errors
/// Where the device lacks a type or a function, and of a sort, which is made a network before.
pub fn of_kernel(
    schedule: &Schedule,
    kernel: &Kernel,
    target: &Target,
) -> Result<Vec<Shader>, Unsupported> {
    Ok(match &kernel.kind {
        KernelKind::Map { .. } => {
            let tiled = map_tiles(schedule, kernel, target)?.map(|tiled| tiled.shader);
            let plain = map(schedule, kernel, target)?;
            [plain].into_iter().chain(tiled).collect()
        }
        KernelKind::Reduce { .. } => of_reduction(&reduce(schedule, kernel, target)?),
        KernelKind::Contract { .. } => {
            let shaders = contract(schedule, kernel, target)?;
            let tilings = shaders.tilings.into_iter();
            let tilings = tilings.flat_map(|tiling| [tiling.whole, tiling.parts]);
            tilings.chain(of_reduction(&shaders.reduction)).collect()
        }
        KernelKind::Scan { .. } => {
            let shaders = scan(schedule, kernel, target)?;
            let blocks = [&shaders.blocks, &shaders.small].into_iter().flatten();
            let blocks = blocks.flat_map(Blocks::all);
            let alone = [
                &shaders.whole,
                &shaders.parts,
                &shaders.before,
                &shaders.last,
            ];
            alone.into_iter().chain(blocks).cloned().collect()
        }
        KernelKind::Scatter { .. } => of_scatter(scatter(schedule, kernel, target)?),
        // Other steps do it: `cotangent_core::schedule::networks`.
        KernelKind::Segments { .. } | KernelKind::Sort { .. } => {
            return Err(Unsupported::form(kernel));
        }
    })
}

fn of_reduction(shaders: &Reduction) -> Vec<Shader> {
    let groups = [&shaders.together, &shaders.small];
    let groups = groups.into_iter().flatten().flat_map(Passes::all);
    let all = shaders.alone.all().into_iter().chain(groups);
    all.chain([&shaders.columns]).cloned().collect()
}

fn of_scatter(code: Scattering) -> Vec<Shader> {
    let mut shaders = vec![code.updates.shader];
    match code.combining {
        Combining::Atomic(shader) => shaders.push(*shader),
        Combining::Last(last) => {
            shaders.extend([last.updates, last.claim]);
            shaders.extend(last.write);
        }
        Combining::Ordered(ordered) => {
            let s = ordered.sorting;
            shaders.extend([s.count, s.sums, s.before, s.before_in_blocks]);
            shaders.extend([s.reorder, s.reorder_again]);
            for adding in ordered.adding {
                let t = adding.table;
                shaders.extend([adding.points, adding.totals]);
                shaders.extend([t.clear, t.add, t.merge, t.last]);
            }
        }
    }
    shaders
}

/// The shaders of a schedule that are none of kernels: those of scalar code, of what strips hand on, and of loops that one
/// workgroup can run. Scalar code of
/// types that the device lacks is left out: the host does it.
///
/// # Errors
/// Where the device lacks a type or a function.
pub fn between_kernels(schedule: &Schedule, target: &Target) -> Result<Vec<Shader>, Unsupported> {
    let mut shaders = vec![];
    for list in schedule.lifetimes().lists {
        for placed in &list.steps {
            if let Some(code) = placed.step.as_scalars() {
                let scalars = scalars(schedule, code, target);
                shaders.extend(scalars.map(|scalars| scalars.shader));
            }
            if let Some(strip) = placed.step.as_strip() {
                shaders.extend(of_strip(schedule, strip, target)?);
            }
        }
    }
    let loops = trips(schedule, target).into_iter();
    shaders.extend(loops.map(|trips| trips.shader));
    Ok(shaders)
}

fn of_strip(
    schedule: &Schedule,
    strip: &Strip,
    target: &Target,
) -> Result<Vec<Shader>, Unsupported> {
    let parts = strip.parts.iter();
    let mut shaders: Vec<_> = parts.map(|part| hand_on(schedule, part, target)).collect();
    for one in &strip.totals {
        let total = total(schedule, (strip, one), target)?;
        shaders.extend(total.fill.into_iter().flatten());
        shaders.extend(total.first.into_iter().chain(total.more));
    }
    Ok(shaders)
}

/// The text of all shaders of a schedule, each with the operation and the line that it comes from. Sorts are networks.
pub fn listing(schedule: &Schedule, target: &Target) -> String {
    let networks = networks(schedule);
    let schedule = networks.as_ref().map_or(schedule, |made| &made.schedule);
    let kernels = schedule.kernels().into_iter();
    let kernels = kernels.map(|kernel| of_kernel(schedule, kernel, target));
    let mut text = String::new();
    for shaders in kernels.chain([between_kernels(schedule, target)]) {
        match shaders {
            Ok(shaders) => shaders.iter().for_each(|shader| list(&mut text, shader)),
            Err(lacking) => {
                let _ = writeln!(text, "// no shader for {lacking}\n");
            }
        }
    }
    text
}

fn list(text: &mut String, shader: &Shader) {
    let point = match shader.each {
        Each::Invocation => "an invocation",
        Each::Workgroup => "a workgroup",
    };
    let (origin, source) = (shader.origin, shader.source.trim());
    let _ = writeln!(text, "// {origin}; {point} does a point\n{source}\n");
}
