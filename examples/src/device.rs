//! Where programs run: a CPU or a GPU, chosen when the example is started.

use crate::error::Result;
use cotangent::prelude::Arrays;
use cotangent::{Cpu, Gpu, Program};

/// A backend that is known only when the example runs.
#[derive(Clone, Debug)]
pub enum Device {
    /// Cores of the CPU.
    Cpu(Cpu),
    /// A GPU.
    Gpu(Box<Gpu>),
}

impl Device {
    /// The CPU with so many threads; all processors where none are given.
    ///
    /// # Errors
    /// Where the threads cannot be started.
    pub fn cpu(threads: Option<usize>) -> Result<Self> {
        let builder = match threads {
            Some(threads) => Cpu::builder().threads(threads),
            None => Cpu::builder(),
        };
        Ok(Self::Cpu(builder.build().map_err(cotangent::Error::from)?))
    }

    /// The first GPU.
    ///
    /// # Errors
    /// Where there is none.
    pub fn gpu() -> Result<Self> {
        let gpu = Gpu::open(None).map_err(cotangent::Error::from)?;
        Ok(Self::Gpu(Box::new(gpu)))
    }

    /// Generates the code of a program.
    ///
    /// # Errors
    /// Where the device lacks something that the program needs.
    pub fn prepare<In: Arrays, Out: Arrays>(&self, program: &Program<In, Out>) -> Result<()> {
        Ok(match self {
            Self::Cpu(cpu) => program.prepare(cpu),
            Self::Gpu(gpu) => program.prepare(gpu.as_ref()),
        }?)
    }

    /// Runs a program.
    ///
    /// # Errors
    /// Where it fails.
    pub fn run<In: Arrays, Out: Arrays>(
        &self,
        program: &Program<In, Out>,
        inputs: In::Host,
    ) -> Result<Out::Host> {
        Ok(match self {
            Self::Cpu(cpu) => program.run(cpu, inputs),
            Self::Gpu(gpu) => program.run(gpu.as_ref(), inputs),
        }?)
    }
}
