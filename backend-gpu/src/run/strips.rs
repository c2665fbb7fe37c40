//! Strips: their kernels chunk by chunk, one chunk after the other.

use super::Run;
use super::cut::Cut;
use crate::elements::{bytes_of, to_bytes};
use crate::prepare::StripCode;
use cotangent_core::backend::RunError;
use cotangent_core::constant::Const;
use cotangent_core::host::Column;
use cotangent_core::schedule::condition::size;
use cotangent_core::schedule::strip::Cuts;
use cotangent_core::schedule::{ArrayId, Strip, Total};
use cotangent_shaders::{Memory, Shader};

impl Run<'_> {
    pub(super) fn strip(&mut self, strip: &Strip, code: &StripCode) -> Result<(), RunError> {
        let cuts = Cuts::new(strip, &self.schedule.arrays, &|s| self.extent(s));
        for part in &strip.parts {
            self.allocate_array(part.whole)?;
        }
        for total in &strip.totals {
            self.begin_total(total)?;
        }
        let mut is_first = true;
        for chunk in (0..cuts.groups).flat_map(|group| cuts.chunks(group).collect::<Vec<_>>()) {
            self.symbols[strip.start.index()] = Const::I32(chunk.start as i32);
            self.symbols[strip.len.index()] = Const::I32((chunk.end - chunk.start) as i32);
            for (kernel, code) in strip.kernels.iter().zip(&code.kernels) {
                self.kernel(kernel, code)?;
            }
            for part in &strip.parts {
                self.keep_rows(part.whole, part.part, chunk.start)?;
            }
            for (total, shader) in strip.totals.iter().zip(&code.totals) {
                self.add(total, shader.as_ref(), is_first)?;
            }
            is_first = false;
        }
        Ok(())
    }

    /// Makes the memory of a total, full of what comes first, if there is anything.
    fn begin_total(&mut self, total: &Total) -> Result<(), RunError> {
        for (i, part) in total.arrays.iter().enumerate() {
            self.allocate_array(part.whole)?;
            let Some(init) = &total.init else { continue };
            let value = self.symbols[init[i].index()];
            let count = size(&self.shape(part.whole)).unwrap_or(0) as usize;
            let elements = std::iter::repeat_n(value, count);
            let column = Column::from_consts(value.scalar_type(), elements);
            let column = column.ok_or_else(|| RunError::Bug("mixed types".to_owned()))?;
            let memory = self.gpu.upload(&to_bytes(&column));
            let memory = memory.map_err(|e| self.failed(part.whole, e))?;
            self.memory[part.whole.index()] = Some(memory);
        }
        Ok(())
    }

    /// Copies the rows that a chunk made to where they belong.
    fn keep_rows(&mut self, whole: ArrayId, part: ArrayId, start: i64) -> Result<(), RunError> {
        let shape = self.shape(part);
        let bytes = bytes_of(self.schedule.arrays[part.index()].elem);
        let row = size(&shape[1..]).unwrap_or(0) as u64 * bytes;
        let (from, to) = (self.memory(part)?, self.memory(whole)?);
        let at = start as u64 * row;
        let copied = self.gpu.copy(from, (to, at), shape[0] as u64 * row);
        copied.map_err(|e| self.failed(whole, e))
    }

    /// Adds what a chunk contributes to a total.
    fn add(
        &mut self,
        total: &Total,
        shader: Option<&Shader>,
        is_first: bool,
    ) -> Result<(), RunError> {
        match shader {
            Some(shader) if total.init.is_some() || !is_first => {
                let shape = self.shape(total.arrays[0].whole);
                let points = size(&shape).unwrap_or(0) as u32;
                let memory = shader.bindings.iter().map(|binding| match binding.memory {
                    Memory::Array(array) => self.memory(array).cloned(),
                    Memory::From(_) | Memory::To(_) => {
                        Err(RunError::Bug("a total has no scratch memory".to_owned()))
                    }
                });
                let memory = memory.collect::<Result<Vec<_>, _>>()?;
                let words = |parameter| self.words(parameter, Cut::none());
                let ran = self.gpu.run_shader(shader, points, &words, &memory);
                ran.map_err(|e| self.device_error(&e))?;
                self.measures.passes += 1;
                Ok(())
            }
            Some(_) | None => total.arrays.iter().try_for_each(|part| {
                let (from, to) = (self.memory(part.part)?, self.memory(part.whole)?);
                let copied = self.gpu.copy(from, (to, 0), to.bytes);
                copied.map_err(|e| self.failed(part.whole, e))
            }),
        }
    }
}
