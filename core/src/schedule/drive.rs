//! Runs of schedules: the one way through the steps, whatever runs the kernels.
//!
//! An [`Engine`] runs kernels and strips, and keeps the elements of arrays where it computes. All else is done here, in
//! the same way for every engine: inputs are bound to symbols and tested, scalar code is evaluated, checks are verified,
//! conditionals choose a list of steps and take over what it made, and memory is given back after the last use
//! ([`lifetimes`](super::lifetimes)).
//!
//! Lists of steps refer to each other by position ([`Plan`]), and those that have begun are a stack of frames, so that
//! nothing recurses, however deep conditionals nest. A run may be left before any kernel, and gone on with elsewhere
//! ([`Driver::run_until`]).

mod plan;
mod point;
mod rounds;
mod store;

#[cfg(test)]
mod tests;

pub use plan::Plan;
pub use point::{Point, out_of_range, position};
pub use store::{Ints, Store};

use super::inputs::{Input, extents_of_inputs};
use super::{ArrayId, Body, SymbolId, ValueId, scalar};
use crate::backend::{Control, RunError};
use crate::constant::Const;
use crate::host::HostArray;
use plan::{List, Ready};

/// What runs kernels, and what is known in a run of it.
pub trait Engine: Sized {
    /// The elements of an array. A clone shares them, or copies them.
    type Memory: Clone;
    /// What the engine adds to scalar code.
    type Scalars;
    /// A kernel that is ready to run.
    type Kernel;
    /// A strip that is ready to run.
    type Strip;

    /// The symbols and arrays.
    fn store(&self) -> &Store<Self::Memory>;

    /// The same, to be changed.
    fn store_mut(&mut self) -> &mut Store<Self::Memory>;

    /// Memory with the elements of an input.
    ///
    /// # Errors
    /// Where there is no such memory.
    fn place(&mut self, array: ArrayId, input: &HostArray) -> Result<Self::Memory, RunError>;

    /// Memory with the elements of a host array that the program uses.
    ///
    /// # Errors
    /// As [`place`](Self::place).
    fn place_used(&mut self, array: ArrayId, used: &HostArray) -> Result<Self::Memory, RunError> {
        self.place(array, used)
    }

    /// An element of an array, by its row-major position, which is in range.
    ///
    /// # Errors
    /// Where the engine cannot get at it, or what the array is made of has failed.
    fn element(&self, array: ArrayId, position: usize) -> Result<Const, RunError>;

    /// Runs scalar code: [on the host](evaluate), unless the engine knows better.
    ///
    /// # Errors
    /// Where a load fails.
    fn scalars(
        &mut self,
        body: &Body,
        defines: &[(SymbolId, ValueId)],
        _code: &Self::Scalars,
    ) -> Result<(), RunError> {
        evaluate(self, body, defines)
    }

    /// Runs a kernel; makes the memory of its outputs.
    ///
    /// # Errors
    /// Where the kernel fails.
    fn kernel(&mut self, kernel: &Self::Kernel) -> Result<(), RunError>;

    /// Runs a strip; makes the memory of what it hands on.
    ///
    /// # Errors
    /// Where a kernel inside fails.
    fn strip(&mut self, strip: &Self::Strip) -> Result<(), RunError>;

    /// Makes all trips of a loop at once, the one that defines `made`, if the engine knows a way to; how many it made. What the
    /// loop carries is, inside, what it was before the first trip, and then what it is after the last.
    ///
    /// # Errors
    /// Where a trip fails.
    fn all_trips(&mut self, _made: SymbolId) -> Result<Option<i32>, RunError> {
        Ok(None)
    }

    /// The elements of an array, brought to the host.
    ///
    /// # Errors
    /// Where the engine cannot get at them, or what the array is made of has failed.
    fn host_array(&mut self, array: ArrayId) -> Result<HostArray, RunError>;

    /// What the run obeys.
    fn control(&self) -> &Control;

    /// Makes a symbol what another one is, which a list inside of a step has defined.
    fn take_symbol(&mut self, defined: SymbolId, from: SymbolId) {
        let store = self.store_mut();
        store.symbols[defined.index()] = store.symbols[from.index()];
    }

    /// Gives an array the memory of another one, which a list inside of a step has made, or which lives on outside.
    fn put(&mut self, defined: ArrayId, memory: Option<Self::Memory>) {
        self.store_mut().memory[defined.index()] = memory;
    }

    /// Gives the memory of an array back, if it has any: nobody uses the array from here on.
    fn release(&mut self, array: ArrayId) {
        self.store_mut().memory[array.index()] = None;
    }
}

/// Runs scalar code on the host.
///
/// # Errors
/// Where a load fails.
pub fn evaluate<E: Engine>(
    engine: &mut E,
    body: &Body,
    defines: &[(SymbolId, ValueId)],
) -> Result<(), RunError> {
    let values = scalar::eval(body, &Point::of_host(engine))?;
    for (symbol, value) in defines {
        engine.store_mut().symbols[symbol.index()] = values[value.index()];
    }
    Ok(())
}

/// Work that an engine does by itself.
pub enum Work<'p, E: Engine> {
    /// A kernel.
    Kernel(&'p E::Kernel),
    /// A strip.
    Strip(&'p E::Strip),
}

/// What an engine makes of a schedule.
pub type PlanOf<E> = Plan<<E as Engine>::Scalars, <E as Engine>::Kernel, <E as Engine>::Strip>;

/// A run under way.
pub struct Driver<'p, E: Engine> {
    plan: &'p PlanOf<E>,
    /// What runs the kernels.
    pub engine: E,
    /// The lists that have begun, the innermost last.
    frames: Vec<Frame>,
}

/// A list of steps being gone through.
#[derive(Clone, Copy)]
struct Frame {
    list: usize,
    at: usize,
    role: Role,
}

/// What a list is for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    /// It runs once: the program, or a branch.
    Once,
    /// It finds out whether a loop makes the trip of that number.
    Test(i32),
    /// It is the trip of that number.
    Trip(i32),
}

impl Frame {
    fn of(list: usize) -> Self {
        Self::as_(list, Role::Once)
    }

    fn as_(list: usize, role: Role) -> Self {
        Self { list, at: 0, role }
    }

    /// The trip of a loop that it belongs to.
    fn trip(&self) -> Option<i32> {
        match self.role {
            Role::Once => None,
            Role::Test(trip) | Role::Trip(trip) => Some(trip),
        }
    }
}

impl<'p, E: Engine> Driver<'p, E> {
    /// A run that begins; the engine's store is [new](Store::new).
    pub fn new(plan: &'p PlanOf<E>, engine: E) -> Self {
        Self {
            plan,
            engine,
            frames: vec![Frame::of(0)],
        }
    }

    /// Binds one array of the host per parameter, and the host arrays that the program uses.
    ///
    /// # Errors
    /// Where the inputs do not fit the parameters, and where there is no memory for them.
    pub fn bind(&mut self, inputs: &[HostArray]) -> Result<(), RunError> {
        self.bind_by(inputs, E::place)
    }

    /// As [`bind`](Self::bind), for inputs that need not be on the host.
    ///
    /// # Errors
    /// As [`bind`](Self::bind).
    pub fn bind_by<I: Input>(
        &mut self,
        inputs: &[I],
        place: impl Fn(&mut E, ArrayId, &I) -> Result<E::Memory, RunError>,
    ) -> Result<(), RunError> {
        let (schedule, engine) = (&*self.plan.schedule, &mut self.engine);
        let (params, uses) = (&schedule.params, &schedule.uses);
        for (symbol, extent) in extents_of_inputs(&schedule.arrays, params, uses, inputs)? {
            engine.store_mut().symbols[symbol.index()] = Const::I32(extent);
        }
        for (&array, input) in params.iter().zip(inputs) {
            let memory = place(engine, array, input)?;
            engine.store_mut().memory[array.index()] = Some(memory);
        }
        for (array, used) in uses {
            let memory = engine.place_used(*array, used)?;
            engine.store_mut().memory[array.index()] = Some(memory);
        }
        Ok(())
    }

    /// Runs until all is done.
    ///
    /// # Errors
    /// Where the program fails.
    pub fn run(&mut self) -> Result<(), RunError> {
        self.run_until(|_, _| false).map(drop)
    }

    /// Runs until all is done, or until work comes up for which `stop` holds, with which the next call goes on. Whether
    /// all is done.
    ///
    /// # Errors
    /// Where the program fails.
    pub fn run_until(&mut self, stop: impl Fn(&E, Work<'p, E>) -> bool) -> Result<bool, RunError> {
        let plan = self.plan;
        while let Some(&Frame { list, at, role: _ }) = self.frames.last() {
            self.engine.control().go_on()?;
            let Some(step) = plan.lists[list].steps.get(at) else {
                self.end_list()?;
                continue;
            };
            let work = match &step.ready {
                Ready::Kernel(kernel) => Some(Work::Kernel(kernel)),
                Ready::Strip(strip) => Some(Work::Strip(strip)),
                Ready::Scalars { .. } | Ready::Check(..) => None,
                Ready::If { .. } | Ready::Repeat(_) => None,
            };
            if work.is_some_and(|work| stop(&self.engine, work)) {
                return Ok(false);
            }
            self.step(&step.ready).map_err(|error| self.placed(error))?;
        }
        Ok(true)
    }

    fn step(&mut self, ready: &Ready<E::Scalars, E::Kernel, E::Strip>) -> Result<(), RunError> {
        match ready {
            Ready::Scalars {
                body,
                defines,
                code,
            } => self.engine.scalars(body, defines, code)?,
            Ready::Check(check, site) => {
                let store = self.engine.store();
                check.verify(store.site(*site), &|symbol| store.int(symbol))?;
            }
            Ready::Kernel(kernel) => self.engine.kernel(kernel)?,
            Ready::Strip(strip) => self.engine.strip(strip)?,
            Ready::If { cond, then_, else_ } => {
                let holds = self.engine.store().symbol(*cond) == Const::Bool(true);
                let list = if holds { *then_ } else { *else_ };
                self.frames.push(Frame::of(list));
                return Ok(());
            }
            Ready::Repeat(rounds) => return self.begin(rounds),
        }
        self.end_step();
        Ok(())
    }

    /// Gives back what the current step used last, and goes on to the next.
    fn end_step(&mut self) {
        let Some(Frame { list, at, role: _ }) = self.frames.last_mut() else {
            return;
        };
        let step = &self.plan.lists[*list].steps[*at];
        *at += 1;
        for &array in &step.release {
            self.engine.release(array);
        }
    }

    /// Leaves a list; the step around it takes over what it made. What the program made stays: its results are there.
    fn end_list(&mut self) -> Result<(), RunError> {
        let ended = self.frames.pop();
        let (Some(ended), false) = (ended, self.frames.is_empty()) else {
            return Ok(());
        };
        match ended.role {
            Role::Once => {
                self.end_once(ended.list);
                Ok(())
            }
            Role::Test(trip) => self.end_test(ended.list, trip),
            Role::Trip(trip) => self.end_trip(ended.list, trip),
        }
    }

    fn memory(&self, array: ArrayId) -> Option<E::Memory> {
        self.engine.store().memory[array.index()].clone()
    }

    fn end_once(&mut self, list: usize) {
        let List {
            steps: _,
            symbols,
            arrays,
            locals,
        } = &self.plan.lists[list];
        for &(defined, from) in symbols {
            self.engine.take_symbol(defined, from);
        }
        for &(defined, from) in arrays {
            let taken = self.memory(from);
            self.engine.put(defined, taken);
        }
        for &array in locals {
            self.engine.release(array);
        }
        self.end_step();
    }
}
