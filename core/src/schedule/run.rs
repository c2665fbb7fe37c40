//! The reference runner of schedules: sequential, slow, obvious. The oracle for fusion and for backends.
//!
//! Memory is a vector of constants per owning array, made when the first kernel writes the array or a view
//! of it. Each element must be written before it is read, and more than once by scatters and where a loop carries it only. Points are
//! visited in row-major order, so the first failure met is the one reported.

mod contract;
mod segments;
mod strip;
mod wide;

use super::condition::size;
use super::drive::{Driver, Engine, Plan, PlanOf, Point, Store, out_of_range, position};
use super::scalar::{self, as_i32};
use super::{
    ArrayId, Body, Checked, Kernel, KernelKind, Output, Schedule, Step, Strip, SymbolId, ValueId,
    steps,
};
use crate::backend::{Control, RunError};
use crate::constant::Const;
use crate::host::{Column, HostArray};
use crate::prim::Prim;
use crate::term::{Combine, Direction};
use std::collections::HashSet;
use std::marker::PhantomData;
use wide::{Wide, converted};

/// Runs a schedule on one array per parameter.
///
/// # Errors
/// Where the inputs do not fit the parameters, and where the program fails.
pub fn run(schedule: &Checked<Schedule>, inputs: &[HostArray]) -> Result<Vec<HostArray>> {
    run_controlled(schedule, inputs, &Control::default())
}

/// Runs a schedule as [`run`] does, under control.
///
/// # Errors
/// As [`run`], and where the control ends it.
pub fn run_controlled(
    schedule: &Checked<Schedule>,
    inputs: &[HostArray],
    control: &Control,
) -> Result<Vec<HostArray>> {
    let plan = Plan::new(schedule, |_, _| (), Ok, Ok)?;
    let carried = carried(&schedule.steps);
    let mut driver = Driver::new(&plan, State::new(&plan, carried, control.clone()));
    driver.bind(inputs)?;
    driver.run()?;
    let results = schedule.results.iter();
    results.map(|&r| driver.engine.result(r)).collect()
}

/// The elements of an array, as far as they are written.
type Elements = Vec<Option<Const>>;

/// What is known between two steps.
struct State<'s> {
    store: Store<Elements>,
    control: Control,
    /// What loops carry, which their trips write again.
    carried: HashSet<ArrayId>,
    /// Kernels run as they are written in the schedule.
    code: PhantomData<&'s Schedule>,
}

impl<'s> Engine for State<'s> {
    type Memory = Elements;
    type Scalars = ();
    type Kernel = &'s Kernel;
    type Strip = &'s Strip;

    fn store(&self) -> &Store<Elements> {
        &self.store
    }

    fn store_mut(&mut self) -> &mut Store<Elements> {
        &mut self.store
    }

    fn place(&mut self, _: ArrayId, input: &HostArray) -> Result<Elements> {
        let column = input.column();
        Ok((0..column.len()).map(|i| column.get(i)).collect())
    }

    fn element(&self, array: ArrayId, position: usize) -> Result<Const> {
        self.get(array, position)
    }

    fn host_array(&mut self, array: ArrayId) -> Result<HostArray> {
        self.result(array)
    }

    fn control(&self) -> &Control {
        &self.control
    }

    fn kernel(&mut self, kernel: &&'s Kernel) -> Result<()> {
        self.run_kernel(kernel)
    }

    fn strip(&mut self, strip: &&'s Strip) -> Result<()> {
        self.run_strip(strip)
    }
}

type Result<T> = std::result::Result<T, RunError>;

fn bug(what: impl Into<String>) -> RunError {
    RunError::Bug(what.into())
}

/// The arrays that hold what loops carry while their trips are made.
fn carried(steps: &[Step]) -> HashSet<ArrayId> {
    let loops = steps::all(steps).filter_map(Step::as_repeat);
    let arrays = loops.flat_map(|repeat| &repeat.arrays);
    arrays.map(|carried| carried.inside).collect()
}

impl<'s> State<'s> {
    fn new(plan: &PlanOf<Self>, carried: HashSet<ArrayId>, control: Control) -> Self {
        Self {
            store: Store::new(&plan.schedule),
            control,
            carried,
            code: PhantomData,
        }
    }

    /// Where element `position` of `array` is; a place that is not in memory where that is before its
    /// beginning.
    fn place_of(&self, array: ArrayId, position: usize) -> (ArrayId, usize) {
        let (first, stride) = self.store.span(array);
        let place = first.saturating_add(stride.saturating_mul(position as i64));
        let owner = self.store.schedule.owner(array);
        (owner, usize::try_from(place).unwrap_or(usize::MAX))
    }

    fn get(&self, array: ArrayId, position: usize) -> Result<Const> {
        let (owner, place) = self.place_of(array, position);
        let memory = self.store.memory[owner.index()].as_ref();
        let element = memory.and_then(|m| m.get(place).copied());
        let element = element.ok_or_else(|| missing(owner, place))?;
        element.ok_or_else(|| {
            bug(format!(
                "element {place} of {owner} is read and not written"
            ))
        })
    }

    /// Writes an element; gives what was there before.
    fn set(&mut self, array: ArrayId, position: usize, value: Const) -> Result<Option<Const>> {
        let (owner, place) = self.place_of(array, position);
        let memory = self.store.memory[owner.index()].as_mut();
        let element = memory.and_then(|m| m.get_mut(place));
        Ok(element.ok_or_else(|| missing(owner, place))?.replace(value))
    }

    fn result(&self, array: ArrayId) -> Result<HostArray> {
        let decl = self.store.decl(array);
        let shape: Vec<_> = self
            .store
            .shape(array)
            .iter()
            .map(|&e| e as usize)
            .collect();
        let len = size(&self.store.shape(array)).unwrap_or(0);
        let len = usize::try_from(len).unwrap_or(0);
        let elements: Result<Vec<_>> = (0..len).map(|p| self.get(array, p)).collect();
        let column = Column::from_consts(decl.elem, elements?)
            .ok_or_else(|| bug("a result of mixed types"))?;
        HostArray::new(shape, column).map_err(|e| bug(e.to_string()))
    }

    fn eval(&self, body: &Body, coords: &[i32], args: &[Const]) -> Result<Vec<Const>> {
        let point = Point {
            engine: self,
            coords,
            args,
        };
        scalar::eval(body, &point)
    }

    fn run_kernel(&mut self, kernel: &Kernel) -> Result<()> {
        let space = self.store.ints(&kernel.space);
        if !kernel.writes_in_place() {
            let outputs = kernel.outputs().iter();
            outputs
                .copied()
                .try_for_each(|output| self.make(output.array))?;
        }
        let sums = added_to(&kernel.kind);
        self.widen(sums)?;
        // Of rows that are empty there may be more than can be gone through.
        if self.has_empty_rows(&kernel.kind) {
            return Ok(());
        }
        for (row, coords) in points(&space).enumerate() {
            match &kernel.kind {
                KernelKind::Map { body, outputs } => {
                    let values = self.eval(body, &coords, &[])?;
                    self.write(outputs, row, &pick(&values, &values_of(outputs)))?;
                }
                KernelKind::Reduce { .. } => self.reduce(&kernel.kind, row, &coords)?,
                KernelKind::Segments { .. } => self.segment(kernel, row, &coords)?,
                KernelKind::Contract { .. } => self.contract(&kernel.kind, row, &coords)?,
                KernelKind::Scan { .. } => self.scan(&kernel.kind, row, &coords)?,
                KernelKind::Sort { .. } => self.sort(&kernel.kind, row, &coords)?,
                KernelKind::Scatter { .. } => self.scatter(&kernel.kind, &coords)?,
            }
        }
        self.narrow(sums)
    }

    /// Whether a kernel does nothing at any point of its space.
    fn has_empty_rows(&self, kind: &KernelKind) -> bool {
        match kind {
            KernelKind::Scan { inner, init, .. } => init.is_none() && self.store.int(*inner) <= 0,
            KernelKind::Sort { inner, .. } => self.store.int(*inner) <= 0,
            KernelKind::Map { .. }
            | KernelKind::Reduce { .. }
            | KernelKind::Segments { .. }
            | KernelKind::Contract { .. }
            | KernelKind::Scatter { .. } => false,
        }
    }

    fn write(&mut self, outputs: &[Output], position: usize, values: &[Const]) -> Result<()> {
        for (Output { value: _, array }, &value) in outputs.iter().zip(values) {
            let is_written = self.set(*array, position, value)?.is_some();
            if is_written && !self.carried.contains(&self.store.schedule.owner(*array)) {
                return Err(bug(format!(
                    "element {position} of {array} is written twice"
                )));
            }
        }
        Ok(())
    }

    fn init(&self, init: &Option<Vec<SymbolId>>) -> Option<Vec<Const>> {
        init.as_ref()
            .map(|symbols| symbols.iter().map(|&s| self.store.symbol(s)).collect())
    }

    fn initial_state(
        &self,
        wide: &Wide,
        init: &Option<Vec<SymbolId>>,
    ) -> Result<Option<Vec<Const>>> {
        let init = self.init(init);
        init.map(|init| wide.state(&init)).transpose()
    }

    fn reduce(&mut self, kind: &KernelKind, row: usize, coords: &[i32]) -> Result<()> {
        let KernelKind::Reduce {
            inner,
            body,
            operator,
            init,
            outputs,
        } = kind
        else {
            return Ok(());
        };
        let wide = Wide::new(operator);
        let mut total = self.initial_state(&wide, init)?;
        for inner in points(&self.store.ints(inner)) {
            let values = self.eval(body, &[coords, &inner].concat(), &[])?;
            let next = pick(&values, &values_of(outputs));
            total = Some(match total {
                Some(total) => self.combine(&wide, &total, &next, Direction::Left)?,
                None => wide.state(&next)?,
            });
        }
        let total = total.ok_or_else(|| bug("an empty reduction passed its check"))?;
        self.write(outputs, row, &wide.values(&total)?)
    }

    fn scan(&mut self, kind: &KernelKind, row: usize, coords: &[i32]) -> Result<()> {
        let KernelKind::Scan {
            inner,
            direction,
            body,
            operator,
            init,
            outputs,
        } = kind
        else {
            return Ok(());
        };
        let n = self.store.int(*inner).max(0) as usize;
        let width = n + usize::from(init.is_some());
        let wide = Wide::new(operator);
        let mut total = self.initial_state(&wide, init)?;
        // Results already written, from the end that the scan starts at.
        let mut written = 0;
        for step in 0..=n {
            if step > 0 {
                let i = match direction {
                    Direction::Left => step - 1,
                    Direction::Right => n - step,
                };
                let values = self.eval(body, &[coords, &[i as i32]].concat(), &[])?;
                let next = pick(&values, &values_of(outputs));
                total = Some(match total {
                    None => wide.state(&next)?,
                    Some(total) => self.combine(&wide, &total, &next, *direction)?,
                });
            }
            if let Some(total) = &total {
                let place = match direction {
                    Direction::Left => written,
                    Direction::Right => width - 1 - written,
                };
                self.write(outputs, row * width + place, &wide.values(total)?)?;
                written += 1;
            }
        }
        Ok(())
    }

    fn sort(&mut self, kind: &KernelKind, row: usize, coords: &[i32]) -> Result<()> {
        let KernelKind::Sort {
            inner,
            order,
            body,
            output,
        } = kind
        else {
            return Ok(());
        };
        let n = self.store.int(*inner);
        let key = |i: Vec<i32>| {
            let values = self.eval(body, &[coords, &i].concat(), &[])?;
            Ok(values[output.value.index()])
        };
        let keys: Vec<Const> = points(&[n]).map(key).collect::<Result<_>>()?;
        for (at, position) in order.positions(&keys).into_iter().enumerate() {
            let position = Const::I32(position as i32);
            self.write(&[*output], row * keys.len() + at, &[position])?;
        }
        Ok(())
    }

    fn scatter(&mut self, kind: &KernelKind, coords: &[i32]) -> Result<()> {
        let KernelKind::Scatter {
            body,
            guard,
            target,
            site,
            combine,
            outputs,
        } = kind
        else {
            return Ok(());
        };
        let values = self.eval(body, coords, &[])?;
        if values[guard.index()] != Const::Bool(true) {
            return Ok(());
        }
        let index: Vec<_> = target.iter().map(|t| as_i32(values[t.index()])).collect();
        for Output { value, array } in outputs {
            let shape = self.store.shape(*array);
            let position = position(&index, &shape)
                .ok_or_else(|| out_of_range(self.store.site(*site), &index, &shape))?;
            let sent = values[value.index()];
            let new = match combine {
                Combine::Overwrite => sent,
                Combine::Add => {
                    let old = self.get(*array, position)?;
                    let sum = Prim::Add.eval(&[old, converted(sent, old.scalar_type())?]);
                    sum.ok_or_else(|| bug("a scatter adds what is no number"))?
                }
            };
            self.set(*array, position, new)?;
        }
        Ok(())
    }
}

fn missing(owner: ArrayId, place: usize) -> RunError {
    bug(format!("element {place} of {owner} does not exist"))
}

/// The arrays that a kernel adds to, element by element.
fn added_to(kind: &KernelKind) -> &[Output] {
    match kind {
        KernelKind::Scatter {
            combine: Combine::Add,
            outputs,
            ..
        } => outputs,
        KernelKind::Scatter { .. }
        | KernelKind::Map { .. }
        | KernelKind::Reduce { .. }
        | KernelKind::Segments { .. }
        | KernelKind::Contract { .. }
        | KernelKind::Scan { .. }
        | KernelKind::Sort { .. } => &[],
    }
}

fn values_of(outputs: &[Output]) -> Vec<ValueId> {
    outputs.iter().map(|o| o.value).collect()
}

fn pick(values: &[Const], ids: &[ValueId]) -> Vec<Const> {
    ids.iter().map(|v| values[v.index()]).collect()
}

/// The points of a space in row-major order; none where an extent is below 1.
fn points(space: &[i64]) -> impl Iterator<Item = Vec<i32>> + use<> {
    let empty = space.iter().any(|&e| e <= 0);
    let space = space.to_vec();
    let first = (!empty).then(|| vec![0i32; space.len()]);
    std::iter::successors(first, move |point| {
        let mut next = point.clone();
        for axis in (0..space.len()).rev() {
            next[axis] += 1;
            if i64::from(next[axis]) < space[axis] {
                return Some(next);
            }
            next[axis] = 0;
        }
        None
    })
}
