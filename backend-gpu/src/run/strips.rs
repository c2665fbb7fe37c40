//! Strips: their kernels chunk by chunk, one chunk after the other.
//!
//! Chunks are to keep what is handed on in a processor's cache; a device wants much work at a time. So chunks are as
//! long as their memory allows: mostly there is one.

use super::Run;
use crate::prepare::StripCode;
use cotangent_core::backend::RunError;
use cotangent_core::constant::Const;
use cotangent_core::schedule::condition::size;
use cotangent_core::schedule::drive::Engine;
use cotangent_core::schedule::{ArrayId, Layout, Part, Strip, Total};
use cotangent_shaders::{Memory, Shader, Totalling};
use std::ops::Range;

impl Run<'_> {
    pub(super) fn run_strip(&mut self, strip: &Strip, code: &StripCode) -> Result<(), RunError> {
        let chunks = self.chunks(strip);
        let is_whole = chunks.len() == 1;
        for (total, code) in strip.totals.iter().zip(&code.totals) {
            self.begin_total(total, code)?;
        }
        if chunks.is_empty() {
            let parts = strip.parts.iter();
            parts
                .map(|part| part.whole)
                .try_for_each(|whole| self.make(whole))?;
        }
        for (n, chunk) in chunks.into_iter().enumerate() {
            self.store.symbols[strip.start.index()] = Const::I32(chunk.start as i32);
            self.store.symbols[strip.len.index()] = Const::I32((chunk.end - chunk.start) as i32);
            for (kernel, code) in strip.kernels.iter().zip(&code.kernels) {
                self.run_kernel(kernel, code)?;
            }
            for (part, shader) in strip.parts.iter().zip(&code.parts) {
                self.hand_on(part, shader, (chunk.start, is_whole))?;
            }
            for (total, code) in strip.totals.iter().zip(&code.totals) {
                self.add(total, code, (n == 0, is_whole))?;
            }
        }
        let inside: Vec<_> = strip.made_inside().collect();
        inside.into_iter().for_each(|array| self.release(array));
        Ok(())
    }

    /// The chunks: as few as memory allows, of about the same length.
    fn chunks(&self, strip: &Strip) -> Vec<Range<i64>> {
        let over = self.store.int(strip.over).max(0);
        let arrays = &self.schedule.arrays;
        let bytes = strip.bytes_per_position(arrays, &|s| self.store.int(s));
        // A `bool` takes four bytes; arrays are best bound in one piece.
        let most = self.gpu.context.bindable.bytes / 4;
        let most = most.min(self.gpu.chunk_bytes());
        let longest = (most / bytes.max(1)).clamp(1, i32::MAX as u64) as i64;
        let count = (over as u64).div_ceil(longest as u64) as i64;
        let at = |n: i64| (i128::from(over) * i128::from(n) / i128::from(count.max(1))) as i64;
        (0..count).map(|n| at(n)..at(n + 1)).collect()
    }

    /// Makes the memory of an array outside.
    fn make(&mut self, whole: ArrayId) -> Result<(), RunError> {
        self.allocate_array(self.schedule.owner(whole))
    }

    /// Makes a total what comes first, if there is anything.
    fn begin_total(&mut self, total: &Total, code: &Totalling) -> Result<(), RunError> {
        for (part, shader) in total.arrays.iter().zip(code.fill.iter().flatten()) {
            self.make(part.whole)?;
            let points = self.points(part.whole);
            self.move_elements(shader, points, 0)?;
        }
        Ok(())
    }

    fn points(&self, array: ArrayId) -> u32 {
        size(&self.store.shape(array)).unwrap_or(0) as u32
    }

    /// Runs a shader over elements of arrays that are there.
    fn move_elements(&mut self, shader: &Shader, points: u32, begin: u32) -> Result<(), RunError> {
        let memory = shader.bindings.iter().map(|binding| match binding.memory {
            Memory::Array(array) => self.memory(array).cloned(),
            Memory::From(_) | Memory::To(_) => {
                Err(RunError::Bug("strips have no scratch memory".to_owned()))
            }
        });
        let memory = memory.collect::<Result<Vec<_>, _>>()?;
        let words = |parameter| self.words_from(parameter, begin);
        self.record(shader, (points, 0.0), &words, &memory)?;
        self.measures.passes += 1;
        Ok(())
    }

    /// Brings what a chunk made to where it belongs; if there is no other chunk, it is there.
    fn hand_on(
        &mut self,
        part: &Part,
        shader: &Shader,
        (start, is_whole): (i64, bool),
    ) -> Result<(), RunError> {
        let decl = self.store.decl(part.whole);
        if is_whole && decl.layout == Layout::Own {
            self.release(part.whole);
            self.store.memory[part.whole.index()] = Some(self.memory(part.part)?.clone());
            return Ok(());
        }
        self.make(part.whole)?;
        let shape = self.store.shape(part.part);
        let row = shape.get(1..).and_then(size).unwrap_or(0);
        self.move_elements(shader, self.points(part.part), (start * row) as u32)
    }

    /// Adds what a chunk contributes to a total.
    fn add(
        &mut self,
        total: &Total,
        code: &Totalling,
        (is_first, is_whole): (bool, bool),
    ) -> Result<(), RunError> {
        if let (Some(shader), true) = (&code.more, total.init.is_some() || !is_first) {
            let points = self.points(total.arrays[0].whole);
            return self.move_elements(shader, points, 0);
        }
        let mut parts = total.arrays.iter().zip(&code.first);
        parts.try_for_each(|(part, shader)| self.hand_on(part, shader, (0, is_whole)))
    }
}
