//! Arrays that stay on a device.

use crate::device::Gpu;
use crate::elements::to_bytes;
use crate::error::GpuError;
use crate::memory::Memory;
use crate::prepare::Executable;
use crate::recording::{Read, Recording};
use crate::run::Run;
use cotangent_core::backend::{Resident, RunError, RunMeasures};
use cotangent_core::host::HostArray;
use cotangent_core::schedule::inputs::Input;
use cotangent_core::types::{ArrayType, ScalarType};
use cotangent_shaders::way_out;

/// An array in the memory of a device, which stays there until it is asked for. Clones share it.
#[derive(Clone, Debug)]
pub struct GpuArray {
    pub(crate) elem: ScalarType,
    pub(crate) shape: Vec<usize>,
    pub(crate) memory: Memory,
}

impl Input for GpuArray {
    fn array_type(&self) -> ArrayType {
        ArrayType::new(self.elem, self.shape.len())
    }

    fn shape(&self) -> &[usize] {
        &self.shape
    }
}

impl Resident for Gpu {
    type Array = GpuArray;

    fn put(&self, array: &HostArray) -> Result<GpuArray, RunError> {
        let elem = array.column().scalar_type();
        if !self.target().has(elem) {
            return Err(self.no_type(elem));
        }
        let memory = Recording::new(self).upload(&to_bytes(array.column()));
        Ok(GpuArray {
            elem,
            shape: array.shape().to_vec(),
            memory: memory.map_err(|e| self.unusable(e))?,
        })
    }

    fn shape_of(array: &GpuArray) -> &[usize] {
        &array.shape
    }

    fn get(&self, arrays: &[GpuArray]) -> Result<Vec<HostArray>, RunError> {
        arrays.iter().try_for_each(|array| self.is_here(array))?;
        let reads = arrays.iter().map(|a| Read::all(&a.memory, a.elem));
        let reads: Vec<_> = reads.collect();
        let outcome = Recording::new(self).wait(&reads);
        let columns = outcome.map_err(|e| self.unusable(e))?.columns;
        let arrays = arrays.iter().zip(columns);
        let arrays = arrays.map(|(array, column)| HostArray::new(array.shape.clone(), column));
        let arrays = arrays.collect::<Result<_, _>>();
        arrays.map_err(|e| RunError::Bug(e.to_string()))
    }

    fn run_there(
        &self,
        executable: &Executable,
        inputs: &[GpuArray],
    ) -> Result<(Vec<GpuArray>, RunMeasures), RunError> {
        inputs.iter().try_for_each(|array| self.is_here(array))?;
        self.run_twice(executable, |executable, synchronous| {
            let mut driver = Run::begin(self, executable, synchronous);
            driver.bind_by(inputs, |run, array, input: &GpuArray| {
                run.bytes(array)?;
                Ok(input.memory.clone())
            })?;
            let mut run = Run::finish_steps(driver)?;
            let results = run.results_there()?;
            Ok((results, run.measures()))
        })
    }
}

impl Gpu {
    fn is_here(&self, array: &GpuArray) -> Result<(), RunError> {
        if array.memory.is_of(&self.context.pool) {
            return Ok(());
        }
        Err(RunError::Unsupported {
            what: "an array of another device".to_owned(),
            engine: self.info().name.clone(),
            way_out: "bring it to the host and from there to this device".to_owned(),
        })
    }

    fn no_type(&self, ty: ScalarType) -> RunError {
        RunError::Unsupported {
            what: format!("an array of {ty}"),
            engine: self.info().name.clone(),
            way_out: way_out(ty).to_owned(),
        }
    }

    /// An error of the device that concerns no array of a program.
    pub(crate) fn unusable(&self, error: GpuError) -> RunError {
        let device = self.info().name.clone();
        match error {
            GpuError::Lost { reason } => RunError::DeviceLost { device, reason },
            GpuError::Shader { .. } => RunError::Bug(format!("{device}: {error}")),
            GpuError::OutOfMemory {
                device,
                bytes,
                reason,
            } => RunError::DeviceMemory {
                site: None,
                bytes,
                device,
                reason,
            },
            GpuError::NoDevice { .. }
            | GpuError::Open { .. }
            | GpuError::TooManyBindings { .. } => RunError::Unsupported {
                what: error.to_string(),
                engine: device,
                way_out: "use the CPU".to_owned(),
            },
        }
    }
}
