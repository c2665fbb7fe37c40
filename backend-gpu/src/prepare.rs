//! Schedules made ready to run: the shaders of every kernel, in the plan of a run.

use crate::device::Gpu;
use crate::memory::Memory;
use crate::needs::needed_by_host;
use cotangent_core::backend::RunError;
use cotangent_core::schedule::check::check;
use cotangent_core::schedule::chunks::{Chunked, chunks};
use cotangent_core::schedule::drive::Plan;
use cotangent_core::schedule::{
    ArrayId, Body, Kernel, KernelKind, Schedule, Step, Strip, SymbolId, ValueId, steps,
};
use cotangent_shaders::{
    Contraction, MOST_TRIPS, Reduction, Scalars, Scanning, Scattering, Shader, Tiled, Totalling,
    Trips, Unsupported, contract, hand_on, map, map_tiles, reduce, scalars, scan, scatter, total,
    trips,
};
use std::collections::HashMap;
use std::sync::{Mutex, OnceLock};

/// A schedule made ready to run on a device, for any extents.
#[derive(Debug)]
pub struct Executable {
    pub(crate) plan: Plan<ReadyScalars, ReadyKernel, ReadyStrip>,
    /// The host arrays that the program uses, as far as a run has brought them to the device.
    pub(crate) used: Mutex<HashMap<ArrayId, Memory>>,
    /// The schedule, where its kernels have loops.
    with_loops: Option<Box<Schedule>>,
    /// The same with loops in chunks, where a run had loops that were too long.
    pub(crate) in_chunks: OnceLock<Box<Executable>>,
    /// The arrays that count the trips that were made before a chunk.
    pub(crate) before: Vec<ArrayId>,
    /// The loops that one workgroup can run, by the symbols that they define.
    pub(crate) trips: HashMap<SymbolId, ReadyTrips>,
}

/// The shader of all trips of a loop, and the position of the first kernel in it, which its time belongs to.
#[derive(Debug)]
pub(crate) struct ReadyTrips {
    pub number: usize,
    pub trips: Trips,
}

/// The trips of a chunk: one more may be under way when so many are made, with as many trips of loops inside.
const CHUNK_TRIPS: i32 = MOST_TRIPS as i32 / 2;

/// The shader of scalar code. None where the host needs to know one of the symbols, or the device lacks a type.
pub(crate) type ReadyScalars = Option<Box<Scalars>>;
pub(crate) type ReadyKernel = Box<(Kernel, Numbered)>;
pub(crate) type ReadyStrip = Box<(Strip, StripCode)>;

/// The shaders of a kernel, and its position among those of the schedule.
#[derive(Debug)]
pub(crate) struct Numbered {
    pub number: usize,
    pub code: KernelCode,
}

/// The shaders of a map.
#[derive(Debug)]
pub(crate) struct Mapping {
    pub plain: Shader,
    pub tiled: Option<Tiled>,
}

/// The shaders of a kernel.
#[derive(Debug)]
pub(crate) enum KernelCode {
    Map(Box<Mapping>),
    Reduce(Box<Reduction>),
    Contract(Box<Contraction>),
    Scan(Box<Scanning>),
    Scatter(Box<Scattering>),
}

/// The shaders of a strip: of its kernels, and of what is handed on.
#[derive(Debug)]
pub(crate) struct StripCode {
    pub kernels: Vec<Numbered>,
    pub parts: Vec<Shader>,
    pub totals: Vec<Totalling>,
}

impl Gpu {
    pub(crate) fn executable(&self, schedule: &Schedule) -> Result<Executable, RunError> {
        self.numbered(schedule, 0..)
    }

    /// Makes a schedule ready whose kernels have the given numbers.
    fn numbered(
        &self,
        schedule: &Schedule,
        numbers: impl IntoIterator<Item = usize>,
    ) -> Result<Executable, RunError> {
        let maker = Maker {
            gpu: self,
            schedule,
            needed: needed_by_host(schedule),
            numbers: schedule
                .kernels()
                .into_iter()
                .map(address)
                .zip(numbers)
                .collect(),
        };
        let kernel = |kernel: &Kernel| {
            let code = maker.kernel(kernel)?;
            Ok(Box::new((kernel.clone(), code)))
        };
        let strip = |strip: &Strip| {
            let code = maker.strip(strip)?;
            Ok(Box::new((strip.clone(), code)))
        };
        let scalars = |body: &Body, defines: &[_]| maker.scalars(body, defines);
        Ok(Executable {
            plan: Plan::new(schedule, scalars, kernel, strip)?,
            used: Mutex::default(),
            with_loops: has_loops(schedule).then(|| Box::new(schedule.clone())),
            in_chunks: OnceLock::new(),
            before: vec![],
            trips: maker.trips(),
        })
    }

    /// The same program with its loops in chunks; none if it has no loop that can be cut, or has them in chunks already.
    pub(crate) fn in_chunks<'a>(
        &self,
        executable: &'a Executable,
    ) -> Result<Option<&'a Executable>, RunError> {
        let whole = executable.with_loops.as_deref();
        let Some(chunked) = whole.and_then(|whole| chunks(whole, CHUNK_TRIPS)) else {
            return Ok(None);
        };
        let Chunked {
            schedule,
            before,
            kernels,
        } = chunked;
        let checked = check(schedule);
        let checked = checked.map_err(|e| RunError::Bug(format!("loops in chunks: {e}")))?;
        let mut made = Box::new(self.numbered(&checked, kernels)?);
        made.before = before;
        // What is left of its loops is not cut again.
        made.with_loops = None;
        Ok(Some(executable.in_chunks.get_or_init(|| made)))
    }
}

struct Maker<'a> {
    gpu: &'a Gpu,
    schedule: &'a Schedule,
    /// The symbols that the host has to know.
    needed: Vec<bool>,
    /// The positions of kernels, by where they are.
    numbers: HashMap<*const Kernel, usize>,
}

/// Whether kernels have loops at their points.
fn has_loops(schedule: &Schedule) -> bool {
    let mut kernels = schedule.kernels().into_iter();
    kernels.any(|kernel| {
        kernel
            .body()
            .iter()
            .any(|(_, inst)| inst.op.as_loop().is_some())
    })
}

fn address(kernel: &Kernel) -> *const Kernel {
    std::ptr::from_ref(kernel)
}

impl Maker<'_> {
    fn trips(&self) -> HashMap<SymbolId, ReadyTrips> {
        let loops = steps::all(&self.schedule.steps).filter_map(Step::as_repeat);
        let first = loops.filter_map(|repeat| {
            let mut kernels = steps::all(&repeat.body).flat_map(Step::kernels);
            let number = self.numbers.get(&address(kernels.next()?))?;
            Some((repeat.made, *number))
        });
        let first: HashMap<_, _> = first.collect();
        let trips = trips(self.schedule, &self.gpu.target()).into_iter();
        let ready = trips.filter_map(|trips| {
            let (made, number) = first.get_key_value(&trips.repeat.made)?;
            let number = *number;
            Some((*made, ReadyTrips { number, trips }))
        });
        ready.collect()
    }

    fn scalars(&self, body: &Body, defines: &[(SymbolId, ValueId)]) -> ReadyScalars {
        if defines
            .iter()
            .any(|(symbol, _)| self.needed[symbol.index()])
        {
            return None;
        }
        let shader = scalars(self.schedule, (body, defines), &self.gpu.target());
        shader.ok().map(Box::new)
    }

    fn strip(&self, strip: &Strip) -> Result<StripCode, RunError> {
        let kernels = strip.kernels.iter().map(|kernel| self.kernel(kernel));
        let target = self.gpu.target();
        let part = |part| hand_on(self.schedule, part, &target);
        let total = |one| {
            let shaders = total(self.schedule, (strip, one), &target);
            shaders.map_err(|e| self.unsupported(e))
        };
        Ok(StripCode {
            kernels: kernels.collect::<Result<_, _>>()?,
            parts: strip.parts.iter().map(part).collect(),
            totals: strip.totals.iter().map(total).collect::<Result<_, _>>()?,
        })
    }

    fn kernel(&self, kernel: &Kernel) -> Result<Numbered, RunError> {
        let number = self.numbers.get(&address(kernel));
        let number = number.ok_or_else(|| RunError::Bug("a kernel of no schedule".to_owned()))?;
        Ok(Numbered {
            number: *number,
            code: self.code(kernel)?,
        })
    }

    fn code(&self, kernel: &Kernel) -> Result<KernelCode, RunError> {
        let (schedule, target) = (self.schedule, self.gpu.target());
        let code = match &kernel.kind {
            KernelKind::Map { .. } => self.mapping(kernel).map(KernelCode::Map),
            KernelKind::Scatter { .. } => {
                let scattering = scatter(schedule, kernel, &target);
                scattering.map(|code| KernelCode::Scatter(Box::new(code)))
            }
            KernelKind::Reduce { .. } => {
                let reduction = reduce(schedule, kernel, &target);
                reduction.map(|code| KernelCode::Reduce(Box::new(code)))
            }
            KernelKind::Contract { .. } => {
                let contraction = contract(schedule, kernel, &target);
                contraction.map(|code| KernelCode::Contract(Box::new(code)))
            }
            KernelKind::Scan { .. } => {
                let scanning = scan(schedule, kernel, &target);
                scanning.map(|code| KernelCode::Scan(Box::new(code)))
            }
        };
        code.map_err(|e| self.unsupported(e))
    }

    fn mapping(&self, kernel: &Kernel) -> Result<Box<Mapping>, Unsupported> {
        let target = self.gpu.target();
        Ok(Box::new(Mapping {
            plain: map(self.schedule, kernel, &target)?,
            tiled: map_tiles(self.schedule, kernel, &target)?,
        }))
    }

    fn unsupported(&self, reason: Unsupported) -> RunError {
        RunError::Unsupported {
            what: reason.to_string(),
            engine: self.gpu.info().name.clone(),
            way_out: reason.way_out().to_owned(),
        }
    }
}
