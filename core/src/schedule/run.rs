//! The reference runner of schedules: sequential, slow, obvious. The oracle for fusion and for backends.
//!
//! Memory is a vector of constants per owning array, made when the first kernel writes the array or a view
//! of it. Each element must be written before it is read, and by scatters only more than once. Points are
//! visited in row-major order, so the first failure met is the one reported.

mod contract;
mod strip;
mod wide;

use super::condition::size;
use super::inputs::extents_of_inputs;
use super::scalar::{self, Surroundings, as_i32};
use super::{
    ArrayId, Body, Checked, Kernel, KernelKind, Layout, Load, Output, Schedule, SiteId, Step,
    SymbolId, ValueId,
};
use crate::backend::{RunError, Site};
use crate::constant::Const;
use crate::host::{Column, HostArray};
use crate::prim::Prim;
use crate::term::{Combine, Direction};
use wide::{Wide, converted};

/// Runs a schedule on one array per parameter.
///
/// # Errors
/// Where the inputs do not fit the parameters, and where the program fails.
pub fn run(schedule: &Checked<Schedule>, inputs: &[HostArray]) -> Result<Vec<HostArray>> {
    let mut state = State {
        schedule,
        symbols: vec![None; schedule.symbols.len()],
        memory: vec![None; schedule.arrays.len()],
    };
    state.bind_inputs(inputs)?;
    state.steps(&schedule.steps)?;
    schedule.results.iter().map(|&r| state.result(r)).collect()
}

/// What is known between two steps.
struct State<'a> {
    schedule: &'a Schedule,
    symbols: Vec<Option<Const>>,
    /// The elements of arrays with memory of their own, as far as they are written.
    memory: Vec<Option<Vec<Option<Const>>>>,
}

/// The surroundings of a body at one point.
struct Point<'a> {
    state: &'a State<'a>,
    coords: &'a [i32],
    args: &'a [Const],
}

impl Surroundings for Point<'_> {
    fn symbol(&self, symbol: SymbolId) -> Const {
        self.state.symbol(symbol)
    }

    fn coord(&self, axis: u32) -> i32 {
        self.coords[axis as usize]
    }

    fn arg(&self, position: u32) -> Const {
        self.args[position as usize]
    }

    fn load(&self, load: &Load, index: &[i32]) -> Result<Const> {
        self.state.load(load, index)
    }
}

type Result<T> = std::result::Result<T, RunError>;

fn bug(what: impl Into<String>) -> RunError {
    RunError::Bug(what.into())
}

impl State<'_> {
    fn bind_inputs(&mut self, inputs: &[HostArray]) -> Result<()> {
        let Schedule {
            arrays,
            params,
            uses,
            ..
        } = self.schedule;
        for (symbol, extent) in extents_of_inputs(arrays, params, uses, inputs)? {
            self.symbols[symbol.index()] = Some(Const::I32(extent));
        }
        let used = uses.iter().map(|(array, used)| (array, used));
        for (array, input) in params.iter().zip(inputs).chain(used) {
            let column = input.column();
            let elements = (0..column.len()).map(|i| column.get(i));
            self.memory[array.index()] = Some(elements.collect());
        }
        Ok(())
    }

    fn symbol(&self, symbol: SymbolId) -> Const {
        let ty = self.schedule.symbols[symbol.index()];
        self.symbols[symbol.index()].unwrap_or(Const::zero(ty))
    }

    fn extent(&self, symbol: SymbolId) -> i64 {
        i64::from(as_i32(self.symbol(symbol)))
    }

    fn extents(&self, symbols: &[SymbolId]) -> Vec<i64> {
        symbols.iter().map(|&s| self.extent(s)).collect()
    }

    fn shape_of(&self, array: ArrayId) -> Vec<i64> {
        self.extents(&self.schedule.arrays[array.index()].extents)
    }

    fn site(&self, site: SiteId) -> Site {
        self.schedule.sites[site.index()]
    }

    /// Where element `position` of `array` is; a place that is not in memory where that is before its
    /// beginning.
    fn place(&self, array: ArrayId, position: usize) -> (ArrayId, usize) {
        match self.schedule.arrays[array.index()].layout {
            Layout::Own => (array, position),
            Layout::View { of, offset, stride } => {
                let base = offset.symbol.map_or(0, |s| as_i64(self.symbol(s)));
                let first = base.saturating_add(i64::from(offset.constant));
                let within = stride as usize * position;
                let place = usize::try_from(first).map_or(usize::MAX, |f| f.saturating_add(within));
                (of, place)
            }
        }
    }

    fn get(&self, array: ArrayId, position: usize) -> Result<Const> {
        let (owner, place) = self.place(array, position);
        let memory = self.memory[owner.index()].as_ref();
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
        let (owner, place) = self.place(array, position);
        let memory = self.memory[owner.index()].as_mut();
        let element = memory.and_then(|m| m.get_mut(place));
        Ok(element.ok_or_else(|| missing(owner, place))?.replace(value))
    }

    fn load(&self, load: &Load, index: &[i32]) -> Result<Const> {
        let shape = self.shape_of(load.array);
        match position(index, &shape) {
            Some(position) => self.get(load.array, position),
            None => match load.site {
                Some(site) => Err(out_of_range(self.site(site), index, &shape)),
                None => Err(bug(format!(
                    "{index:?} was proved to be in range for {}, of shape {shape:?}",
                    load.array
                ))),
            },
        }
    }

    fn result(&self, array: ArrayId) -> Result<HostArray> {
        let decl = &self.schedule.arrays[array.index()];
        let shape: Vec<_> = self.shape_of(array).iter().map(|&e| e as usize).collect();
        let len = size(&self.shape_of(array)).unwrap_or(0);
        let len = usize::try_from(len).unwrap_or(0);
        let elements: Result<Vec<_>> = (0..len).map(|p| self.get(array, p)).collect();
        let column = Column::from_consts(decl.elem, elements?)
            .ok_or_else(|| bug("a result of mixed types"))?;
        HostArray::new(shape, column).map_err(|e| bug(e.to_string()))
    }

    fn steps(&mut self, steps: &[Step]) -> Result<()> {
        steps.iter().try_for_each(|step| self.step(step))
    }

    fn step(&mut self, step: &Step) -> Result<()> {
        match step {
            Step::Scalars { body, defines } => {
                let values = self.eval(body, &[], &[])?;
                for (symbol, value) in defines {
                    self.symbols[symbol.index()] = Some(values[value.index()]);
                }
                Ok(())
            }
            Step::Check(check, site) => check.verify(self.site(*site), &|s| self.extent(s)),
            Step::Kernel(kernel) => self.kernel(kernel),
            Step::If {
                cond,
                then_,
                else_,
                symbols,
                arrays,
            } => {
                let holds = self.symbol(*cond) == Const::Bool(true);
                self.steps(if holds { then_ } else { else_ })?;
                for &(merged, then_, else_) in symbols {
                    let from = if holds { then_ } else { else_ };
                    self.symbols[merged.index()] = Some(self.symbol(from));
                }
                for &(merged, then_, else_) in arrays {
                    let from = if holds { then_ } else { else_ };
                    self.memory[merged.index()] = self.memory[from.index()].clone();
                }
                Ok(())
            }
            Step::Strip(strip) => self.strip(strip),
        }
    }

    fn eval(&self, body: &Body, coords: &[i32], args: &[Const]) -> Result<Vec<Const>> {
        let point = Point {
            state: self,
            coords,
            args,
        };
        scalar::eval(body, &point)
    }

    /// Makes the memory that outputs are written to, where there is none yet.
    fn allocate(&mut self, outputs: &[Output]) -> Result<()> {
        for Output { value: _, array } in outputs {
            let (owner, _) = self.place(*array, 0);
            if self.memory[owner.index()].is_none() {
                self.allocate_array(owner)?;
            }
        }
        Ok(())
    }

    fn kernel(&mut self, kernel: &Kernel) -> Result<()> {
        let space = self.extents(&kernel.space);
        match &kernel.kind {
            KernelKind::Scatter { .. } => {}
            KernelKind::Map { outputs, .. }
            | KernelKind::Reduce { outputs, .. }
            | KernelKind::Scan { outputs, .. } => self.allocate(outputs)?,
            KernelKind::Contract { output, .. } => self.allocate(&[*output])?,
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
                    self.store(outputs, row, &pick(&values, &values_of(outputs)))?;
                }
                KernelKind::Reduce { .. } => self.reduce(&kernel.kind, row, &coords)?,
                KernelKind::Contract { .. } => self.contract(&kernel.kind, row, &coords)?,
                KernelKind::Scan { .. } => self.scan(&kernel.kind, row, &coords)?,
                KernelKind::Scatter { .. } => self.scatter(&kernel.kind, &coords)?,
            }
        }
        self.narrow(sums)
    }

    /// Whether a kernel does nothing at any point of its space.
    fn has_empty_rows(&self, kind: &KernelKind) -> bool {
        match kind {
            KernelKind::Scan { inner, init, .. } => init.is_none() && self.extent(*inner) <= 0,
            KernelKind::Map { .. }
            | KernelKind::Reduce { .. }
            | KernelKind::Contract { .. }
            | KernelKind::Scatter { .. } => false,
        }
    }

    fn store(&mut self, outputs: &[Output], position: usize, values: &[Const]) -> Result<()> {
        for (Output { value: _, array }, &value) in outputs.iter().zip(values) {
            if self.set(*array, position, value)?.is_some() {
                return Err(bug(format!(
                    "element {position} of {array} is written twice"
                )));
            }
        }
        Ok(())
    }

    fn init(&self, init: &Option<Vec<SymbolId>>) -> Option<Vec<Const>> {
        init.as_ref()
            .map(|symbols| symbols.iter().map(|&s| self.symbol(s)).collect())
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
        for inner in points(&self.extents(inner)) {
            let values = self.eval(body, &[coords, &inner].concat(), &[])?;
            let next = pick(&values, &values_of(outputs));
            total = Some(match total {
                Some(total) => self.combine(&wide, &total, &next, Direction::Left)?,
                None => wide.state(&next)?,
            });
        }
        let total = total.ok_or_else(|| bug("an empty reduction passed its check"))?;
        self.store(outputs, row, &wide.values(&total)?)
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
        let n = self.extent(*inner).max(0) as usize;
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
                self.store(outputs, row * width + place, &wide.values(total)?)?;
                written += 1;
            }
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
            let shape = self.shape_of(*array);
            let position = position(&index, &shape)
                .ok_or_else(|| out_of_range(self.site(*site), &index, &shape))?;
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

fn as_i64(value: Const) -> i64 {
    match value {
        Const::I64(x) => x,
        Const::I32(x) => x.into(),
        Const::U32(x) => x.into(),
        Const::Bool(_) | Const::F16(_) | Const::F32(_) | Const::F64(_) => 0,
    }
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
        | KernelKind::Contract { .. }
        | KernelKind::Scan { .. } => &[],
    }
}

fn values_of(outputs: &[Output]) -> Vec<ValueId> {
    outputs.iter().map(|o| o.value).collect()
}

fn pick(values: &[Const], ids: &[ValueId]) -> Vec<Const> {
    ids.iter().map(|v| values[v.index()]).collect()
}

fn out_of_range(site: Site, index: &[i32], shape: &[i64]) -> RunError {
    RunError::IndexOutOfRange {
        site,
        index: index.iter().map(|&i| i64::from(i)).collect(),
        extents: shape.iter().map(|&e| e as usize).collect(),
    }
}

/// The row-major position of an index, or `None` where it is out of range.
fn position(index: &[i32], shape: &[i64]) -> Option<usize> {
    index.iter().zip(shape).try_fold(0usize, |p, (&i, &e)| {
        let inside = (0..e).contains(&i64::from(i));
        inside.then_some(p * e.max(0) as usize + i.max(0) as usize)
    })
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
