//! Schedules made ready to run: the shaders of every kernel, in the plan of a run.

use crate::device::Gpu;
use crate::memory::Memory;
use crate::needs::needed_by_host;
use cotangent_core::backend::RunError;
use cotangent_core::schedule::check::check;
use cotangent_core::schedule::chunks::{Nests, Numbers, Part, chunks};
use cotangent_core::schedule::drive::Plan;
use cotangent_core::schedule::networks::networks;
use cotangent_core::schedule::{
    ArrayId, Body, Kernel, KernelKind, Schedule, Step, Strip, SymbolId, ValueId, steps,
};
use cotangent_shaders::{
    Contraction, MOST_TRIPS, Reduction, Scalars, Scanning, Scattering, Shader, Tiled, Totalling,
    Trips, Unsupported, contract, hand_on, map, map_tiles, reduce, scalars, scan, scatter, total,
    trips,
};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock};

/// A schedule made ready to run on a device, for any extents.
#[derive(Debug)]
pub struct Executable {
    pub(crate) plan: Plan<ReadyScalars, ReadyKernel, ReadyStrip>,
    /// The host arrays that the program uses, as far as a run has brought them to the device.
    pub(crate) used: Mutex<HashMap<ArrayId, Memory>>,
    /// How its loops can be cut, if at all.
    cut: Option<Cut>,
    /// The same with its loops cut so, where a run had loops that were too long.
    shorter: OnceLock<Box<Executable>>,
    /// What each kernel is a part of, where loops are cut; else nothing.
    pub(crate) parts: Vec<Part>,
    /// What tells the numbers of trips, where loops are cut.
    pub(crate) numbers: Numbers,
    /// The loops that one workgroup can run, by the symbols that they define.
    pub(crate) trips: HashMap<SymbolId, ReadyTrips>,
}

/// A schedule whose loops can be cut.
#[derive(Debug)]
struct Cut {
    /// The schedule with whole loops.
    whole: Arc<Schedule>,
    nests: Nests,
    /// The positions of its kernels in the schedule of the program, where these are others.
    origins: Arc<[usize]>,
}

impl Cut {
    /// What is tried where the loops are still too long.
    fn next(&self) -> Option<Self> {
        match self.nests {
            Nests::TripByTrip => None,
            Nests::InChunks => Some(Self {
                whole: Arc::clone(&self.whole),
                nests: Nests::TripByTrip,
                origins: Arc::clone(&self.origins),
            }),
        }
    }
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

/// The shaders of a kernel.
#[derive(Debug)]
pub(crate) struct Numbered {
    /// Its position among the kernels of the schedule.
    pub position: usize,
    /// The position that its time belongs to: that of the kernel that it is a part of.
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
        let Some(made) = networks(schedule) else {
            return self.executable_of(schedule, vec![], Arc::default());
        };
        let checked = check(made.schedule);
        let checked = checked.map_err(|e| RunError::Bug(format!("sorts as networks: {e}")))?;
        self.executable_of(&checked, vec![], made.origins.into())
    }

    /// Makes a schedule ready whose kernels are parts of others, or, where there are no parts, each one itself; those
    /// have the given positions in the schedule of the program, or, where there are none, their own.
    fn executable_of(
        &self,
        schedule: &Schedule,
        parts: Vec<Part>,
        origins: Arc<[usize]>,
    ) -> Result<Executable, RunError> {
        let maker = Maker {
            gpu: self,
            schedule,
            needed: needed_by_host(schedule),
            positions: schedule
                .kernels()
                .into_iter()
                .map(address)
                .zip(0..)
                .collect(),
            parts: &parts,
            origins: &origins,
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
            cut: has_loops(schedule).then(|| Cut {
                whole: Arc::new(schedule.clone()),
                nests: Nests::InChunks,
                origins: Arc::clone(&origins),
            }),
            shorter: OnceLock::new(),
            numbers: Numbers::default(),
            trips: maker.trips(),
            parts,
        })
    }

    /// The same program with shorter loops; none if they cannot be cut any more.
    pub(crate) fn shorter<'a>(
        &self,
        executable: &'a Executable,
    ) -> Result<Option<&'a Executable>, RunError> {
        let Some(cut) = &executable.cut else {
            return Ok(None);
        };
        let Some(chunked) = chunks(&cut.whole, CHUNK_TRIPS, cut.nests) else {
            return Ok(None);
        };
        let checked = check(chunked.schedule);
        let checked = checked.map_err(|e| RunError::Bug(format!("loops in chunks: {e}")))?;
        let mut made =
            Box::new(self.executable_of(&checked, chunked.parts, Arc::clone(&cut.origins))?);
        made.numbers = chunked.numbers;
        made.cut = cut.next();
        Ok(Some(executable.shorter.get_or_init(|| made)))
    }
}

impl Executable {
    /// The same program with its loops cut as runs before have found to be needed.
    pub(crate) fn shortest(&self) -> &Self {
        let mut now = self;
        while let Some(shorter) = now.shorter.get() {
            now = shorter;
        }
        now
    }
}

struct Maker<'a> {
    gpu: &'a Gpu,
    schedule: &'a Schedule,
    /// The symbols that the host has to know.
    needed: Vec<bool>,
    /// The positions of kernels, by where they are.
    positions: HashMap<*const Kernel, usize>,
    parts: &'a [Part],
    origins: &'a [usize],
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
            let position = self.positions.get(&address(kernels.next()?))?;
            Some((repeat.made, self.number(*position)))
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

    /// The position that the time of a kernel belongs to.
    fn number(&self, position: usize) -> usize {
        let part = self.parts.get(position);
        let whole = part.map_or(position, |part| part.whole);
        self.origins.get(whole).copied().unwrap_or(whole)
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
        let position = self.positions.get(&address(kernel));
        let position =
            *position.ok_or_else(|| RunError::Bug("a kernel of no schedule".to_owned()))?;
        Ok(Numbered {
            position,
            number: self.number(position),
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
            KernelKind::Segments { .. } | KernelKind::Sort { .. } => {
                return Err(RunError::Bug(
                    "a sort or a fold of segments that other steps should do".to_owned(),
                ));
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
