//! Runs of single kernels.
//!
//! A kernel runs the fast way, if it has one, in which workgroups may do parts of rows together. A synchronous run takes the
//! simple way, in which each invocation does a part by itself: which one failed tells the position.

use super::Run;
use super::cut::Cut;
use crate::elements::words;
use crate::error::GpuError;
use crate::memory::Memory as Buffer;
use crate::prepare::{KernelCode, Numbered};
use crate::recording::Words;
use cotangent_core::backend::{RunError, Site};
use cotangent_core::schedule::condition::size;
use cotangent_core::schedule::{Kernel, KernelKind, SymbolId};
use cotangent_core::types::ScalarType;
use cotangent_shaders::{
    Each, MOST_TRIPS, Memory, Parameter, Reduction, Scanning, Shader, bytes_of,
};
use std::ops::Range;

impl Run<'_> {
    pub(super) fn run_kernel(
        &mut self,
        kernel: &Kernel,
        Numbered {
            position,
            number,
            code,
        }: &Numbered,
    ) -> Result<(), RunError> {
        self.recording.borrow_mut().begin_kernel(*number);
        self.position = *position;
        self.run_code(kernel, code)?;
        self.end_part(kernel)
    }

    fn run_code(&mut self, kernel: &Kernel, code: &KernelCode) -> Result<(), RunError> {
        if !matches!(kernel.kind, KernelKind::Scatter { .. }) {
            self.allocate(kernel.outputs())?;
        }
        let rows = self.count(kernel, &self.store.ints(&kernel.space))?;
        let inner = self.count(kernel, &self.store.ints(kernel.inner()))?;
        if rows == 0 {
            return Ok(());
        }
        // A synchronous run has to find failures, which the simple way tells.
        let is_simple = self.synchronous || self.gpu.is_simple;
        if !is_simple && self.fast(kernel, code, rows, inner)? {
            return Ok(());
        }
        self.simple(kernel, code, rows, inner)
    }

    /// The simple way: invocations do parts.
    fn simple(
        &mut self,
        kernel: &Kernel,
        code: &KernelCode,
        rows: u32,
        inner: u32,
    ) -> Result<(), RunError> {
        match code {
            KernelCode::Map(mapping) => {
                self.launch(kernel, &mapping.plain, Cut::of_points(rows), &[], &[])
            }
            KernelCode::Reduce(reduction) => {
                self.reduction(kernel, reduction, Cut::of_reduction(rows, inner))
            }
            KernelCode::Contract(contraction) => {
                let cut = Cut::of_reduction(rows, inner);
                self.reduction(kernel, &contraction.reduction, cut)
            }
            KernelCode::Scan(scanning) if inner > 0 || scanning.has_init => {
                self.scanning(kernel, scanning, Cut::of_scan(rows, inner))
            }
            KernelCode::Scatter(scattering) => self.scattering(kernel, scattering, rows),
            // There are no results.
            KernelCode::Scan(_) => Ok(()),
        }
    }

    /// The number of points of a space.
    pub(super) fn count(&self, kernel: &Kernel, extents: &[i64]) -> Result<u32, RunError> {
        if extents.iter().any(|&extent| extent <= 0) {
            return Ok(0);
        }
        let count = size(extents).and_then(|n| u32::try_from(n).ok());
        count.ok_or_else(|| RunError::Unsupported {
            what: format!("`{}` at {} over {extents:?}", kernel.name, kernel.loc),
            engine: self.gpu.info().name.clone(),
            way_out: "use the CPU: GPUs count to 2^32".to_owned(),
        })
    }

    fn reduction(
        &mut self,
        kernel: &Kernel,
        reduction: &Reduction,
        cut: Cut,
    ) -> Result<(), RunError> {
        let alone = &reduction.alone;
        if cut.parts() == 1 {
            return self.launch(kernel, &alone.whole, cut, &[], &[]);
        }
        let mut left = self.scratch(kernel, &reduction.types, cut)?;
        self.launch(kernel, &alone.parts, cut, &[], &left)?;
        let mut cut = cut.left();
        while cut.parts() > 1 {
            let next = self.scratch(kernel, &reduction.types, cut)?;
            self.launch(kernel, &alone.between, cut, &left, &next)?;
            (left, cut) = (next, cut.left());
        }
        self.launch(kernel, &alone.last, cut, &left, &[])
    }

    fn scanning(&mut self, kernel: &Kernel, scanning: &Scanning, cut: Cut) -> Result<(), RunError> {
        let parts = self.scratch(kernel, &scanning.types, cut)?;
        let before = self.scratch(kernel, &scanning.types, cut)?;
        self.launch(kernel, &scanning.parts, cut, &[], &parts)?;
        self.launch_over(cut.rows, kernel, &scanning.before, cut, &parts, &before)?;
        self.launch(kernel, &scanning.last, cut, &before, &[])
    }

    /// Memory for a value of each type for each part.
    pub(super) fn scratch(
        &self,
        kernel: &Kernel,
        types: &[ScalarType],
        cut: Cut,
    ) -> Result<Vec<Buffer>, RunError> {
        let parts = u64::from(cut.rows) * u64::from(cut.parts());
        let array = kernel.outputs()[0].array;
        let recording = self.recording.borrow();
        let memory = types.iter();
        let memory = memory.map(|&ty| recording.memory(parts * bytes_of(ty)));
        let memory: Result<Vec<_>, _> = memory.collect();
        memory.map_err(|e| self.failed(array, e))
    }

    /// Runs a shader whose points are parts.
    pub(super) fn launch(
        &mut self,
        kernel: &Kernel,
        shader: &Shader,
        cut: Cut,
        from: &[Buffer],
        to: &[Buffer],
    ) -> Result<(), RunError> {
        let points = cut.rows.checked_mul(cut.parts());
        let points = points.ok_or_else(|| RunError::Unsupported {
            what: format!("`{}` at {}, so large", kernel.name, kernel.loc),
            engine: self.gpu.info().name.clone(),
            way_out: "use the CPU: GPUs count to 2^32".to_owned(),
        })?;
        self.launch_over(points, kernel, shader, cut, from, to)
    }

    pub(super) fn launch_over(
        &mut self,
        points: u32,
        kernel: &Kernel,
        shader: &Shader,
        cut: Cut,
        from: &[Buffer],
        to: &[Buffer],
    ) -> Result<(), RunError> {
        let memory = shader.bindings.iter().map(|binding| match binding.memory {
            Memory::Array(array) => self.memory(array).cloned(),
            Memory::From(component) => Ok(from[component].clone()),
            Memory::To(component) => Ok(to[component].clone()),
        });
        let memory = memory.collect::<Result<Vec<_>, _>>()?;
        let words = |parameter| self.words(parameter, cut);
        let seconds = self.gpu.seconds_per_position(kernel) * positions(shader, points, cut);
        self.record(shader, (points, seconds), &words, &memory)?;
        self.measures.passes += 1;
        match self.failed_point(kernel, shader)? {
            None => Ok(()),
            Some(part) => self.failed_in(kernel, part, cut),
        }
    }

    /// Writes a shader down, for the device to run it over so many points, for an estimated number of seconds.
    pub(super) fn record(
        &self,
        shader: &Shader,
        (points, seconds): (u32, f64),
        words: &dyn Fn(Parameter) -> Vec<u32>,
        memory: &[Buffer],
    ) -> Result<(), RunError> {
        let words = |points: Range<u32>| self.given(shader, &points, words);
        let mut recording = self.recording.borrow_mut();
        let recorded = recording.dispatch(shader, (points, seconds), &words, memory);
        recorded.map_err(|e| self.refused(shader, e))
    }

    /// What a shader is given for a range of points.
    pub(super) fn given(
        &self,
        shader: &Shader,
        points: &Range<u32>,
        words: &dyn Fn(Parameter) -> Vec<u32>,
    ) -> Vec<Words> {
        let words = |&parameter: &Parameter| match parameter {
            Parameter::First => Words::Known(vec![points.start]),
            Parameter::End => Words::Known(vec![points.end]),
            Parameter::Symbol(symbol) => self.words_of(symbol),
            Parameter::Offset(_)
            | Parameter::Rows
            | Parameter::Inner
            | Parameter::Parts
            | Parameter::PartLength
            | Parameter::Digit => Words::Known(words(parameter)),
        };
        shader.parameters.iter().map(words).collect()
    }

    pub(super) fn refused(&self, shader: &Shader, error: GpuError) -> RunError {
        let origin = shader.origin;
        match error {
            GpuError::TooManyBindings { needed, most } => RunError::Unsupported {
                what: format!(
                    "{origin}, with {needed} bindings of at most {most} (one an array, and more for large ones),"
                ),
                engine: self.gpu.info().name.clone(),
                way_out: "use the CPU, or smaller arrays".to_owned(),
            },
            GpuError::NoDevice { .. }
            | GpuError::Open { .. }
            | GpuError::OutOfMemory { .. }
            | GpuError::Shader { .. }
            | GpuError::Lost { .. } => self.device_error(error),
        }
    }

    fn words_of(&self, symbol: SymbolId) -> Words {
        let known = words(self.store.symbol(symbol));
        match &self.on_device[symbol.index()] {
            Some(memory) => Words::OnDevice(memory.clone(), known.len() as u32),
            None => Words::Known(known),
        }
    }

    /// Loops have more trips to make than they may in one dispatch.
    pub(super) fn too_long(&self, site: Option<Site>) -> RunError {
        RunError::LoopTooLong {
            site,
            most: MOST_TRIPS,
            engine: self.gpu.info().name.clone(),
        }
    }

    /// The parameters of a shader that is about no rows and parts.
    pub(super) fn no_cut(&self, parameter: Parameter) -> Vec<u32> {
        self.words(parameter, Cut::none())
    }

    /// Those of a shader that moves elements to where they belong from position `begin` on.
    pub(super) fn words_from(&self, parameter: Parameter, begin: u32) -> Vec<u32> {
        let cut = Cut {
            inner: begin,
            ..Cut::none()
        };
        self.words(parameter, cut)
    }

    pub(super) fn words(&self, parameter: Parameter, cut: Cut) -> Vec<u32> {
        match parameter {
            Parameter::Symbol(symbol) => words(self.store.symbol(symbol)),
            Parameter::Offset(array) => vec![self.store.span(array).0 as u32],
            Parameter::Rows => vec![cut.rows],
            Parameter::Inner => vec![cut.inner],
            Parameter::Parts => vec![cut.parts()],
            Parameter::PartLength => vec![cut.length],
            Parameter::Digit => vec![cut.digit],
            // Whoever splits the work knows.
            Parameter::First | Parameter::End => vec![0],
        }
    }
}

/// The positions that a shader goes through: those of all rows, or, where rows are not cut, an invocation's each.
fn positions(shader: &Shader, points: u32, cut: Cut) -> f64 {
    let invocations = match shader.each {
        Each::Invocation => 1,
        Each::Workgroup => shader.workgroup,
    };
    let by_rows = f64::from(cut.rows) * f64::from(cut.inner);
    by_rows.max(f64::from(points) * f64::from(invocations))
}
