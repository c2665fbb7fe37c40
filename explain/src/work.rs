//! What a run takes as a whole: what a choice between engines is made from.
//!
//! The figures are those of an explanation (`flops.rs`, `traffic.rs`), summed up over the kernels that run. Formulas
//! are made once, and evaluated for the extents of each run, which costs no more than the scalar code that the host
//! goes through anyway. Where it is not known which branch of a conditional runs, both count, and a loop in an expression
//! makes one trip where its trips are not known.

use crate::amount::Amount;
use crate::events::{Around, Event, events};
use crate::extents::Extents;
use crate::values::Values;
use crate::{ExplainError, flops, traffic};
use cotangent_core::schedule::{ArrayId, Body, Kernel, KernelKind, Schedule, Strip, SymbolId};
use cotangent_core::types::ScalarType;
use std::collections::BTreeSet;

/// What a run takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Kernels.
    pub kernels: u64,
    /// How often an engine starts one that goes through strips chunk by chunk: a kernel of a strip once for each chunk.
    pub launches: u64,
    /// Floating-point operations of kernels that compute with `f32` at the most.
    pub flops: u64,
    /// Those of kernels that compute with `f64`.
    pub flops_f64: u64,
    /// Bytes that kernels read and write, each distinct element of an array once a kernel.
    pub bytes: u64,
    /// Bytes of the inputs, arrays embedded in the program included.
    pub inputs_bytes: u64,
    /// Bytes of the results.
    pub results_bytes: u64,
    /// Bytes of the largest array.
    pub largest_array_bytes: u64,
}

/// What runs of a schedule take, whatever the extents of the inputs.
#[derive(Clone, Debug)]
pub struct Formulas {
    schedule: Schedule,
    /// In the order of the schedule.
    kernels: Vec<KernelFormulas>,
    inputs: Vec<Amount>,
    results: Vec<Amount>,
    /// The trips of loops in expressions that are not known.
    unknown: Vec<SymbolId>,
}

#[derive(Clone, Debug)]
struct KernelFormulas {
    flops: Amount,
    has_f64: bool,
    bytes: Amount,
    /// The sizes of the arrays that it writes; none inside of a strip, where they are small.
    arrays: Vec<Amount>,
    /// How often it runs, as far as loops are concerned; the other figures are those of all trips.
    trips: Amount,
}

impl Formulas {
    /// The formulas of a schedule.
    pub fn new(schedule: &Schedule) -> Self {
        let mut extents = Extents::unnamed(schedule);
        let events = events(&schedule.steps);
        events.iter().for_each(|event| extents.follow(event));
        let kernels = events.into_iter();
        let kernels = kernels.filter_map(|event| match event {
            Event::Kernel(kernel, around) => Some(of_kernel(schedule, kernel, &around, &extents)),
            Event::Scalars(..) | Event::Merge(..) => None,
            Event::Strip(_) | Event::Repeat(_) => None,
        });
        let bytes = |array: &ArrayId| extents.bytes(*array);
        let used = schedule.uses.iter().map(|(array, _)| array);
        Self {
            kernels: kernels.collect(),
            inputs: schedule.params.iter().chain(used).map(bytes).collect(),
            results: schedule.results.iter().map(bytes).collect(),
            unknown: extents.all_unknown(),
            schedule: schedule.clone(),
        }
    }

    /// What a run takes on inputs of given shapes, one for each parameter of the schedule (each column of an array
    /// is one), by an engine whose chunks of strips take so many bytes. None where that depends on elements of arrays.
    ///
    /// # Errors
    /// Where the shapes do not fit the parameters.
    pub fn work(
        &self,
        shapes: &[&[usize]],
        chunk_bytes: u64,
    ) -> Result<Option<Work>, ExplainError> {
        let values = self.values(shapes)?;
        Ok(self.evaluate(values, chunk_bytes))
    }

    /// What the call gives.
    fn values(&self, shapes: &[&[usize]]) -> Result<Values, ExplainError> {
        let Schedule {
            symbols,
            arrays,
            params,
            uses,
            ..
        } = &self.schedule;
        let (expected, given) = (params.len(), shapes.len());
        if expected != given {
            return Err(ExplainError::ShapeCount { expected, given });
        }
        let mut values = Values::new(symbols.len() + self.unknown.len());
        values.bind(&self.unknown, &vec![1; self.unknown.len()]);
        let used = uses.iter().map(|(array, used)| (array, used.shape()));
        let inputs = params.iter().zip(shapes.iter().copied()).chain(used);
        for (position, (array, shape)) in inputs.enumerate() {
            let extents = &arrays[array.index()].extents;
            let (expected, given) = (extents.len(), shape.len());
            if expected != given {
                return Err(ExplainError::Rank {
                    position,
                    expected,
                    given,
                });
            }
            if shape.iter().any(|&e| i32::try_from(e).is_err()) {
                let shape = shape.to_vec();
                return Err(ExplainError::Extent { position, shape });
            }
            values.bind(extents, shape);
        }
        Ok(values)
    }

    fn evaluate(&self, mut values: Values, chunk_bytes: u64) -> Option<Work> {
        let (mut work, mut chunks) = (Work::default(), 1);
        let mut kernels = self.kernels.iter();
        for event in events(&self.schedule.steps) {
            values.follow(&event);
            match event {
                Event::Scalars(..) | Event::Merge(..) | Event::Repeat(_) => {}
                Event::Strip(strip) => {
                    chunks = self
                        .bytes_inside(strip, &values)
                        .div_ceil(chunk_bytes.max(1))
                        .max(1)
                }
                Event::Kernel(_, around) => {
                    let kernel = kernels.next()?;
                    if runs(&around, &values) {
                        let trips = value(&kernel.trips, &values)?;
                        kernel.add_to(&mut work, &values, trips)?;
                        let launches = if around.strip.is_some() { chunks } else { 1 };
                        work.launches += launches.saturating_mul(trips);
                    }
                }
            }
        }
        let sizes = |amounts: &[Amount]| -> Option<Vec<u64>> {
            amounts
                .iter()
                .map(|amount| value(amount, &values))
                .collect()
        };
        let (inputs, results) = (sizes(&self.inputs)?, sizes(&self.results)?);
        let largest = inputs.iter().copied().max().unwrap_or(0);
        work.largest_array_bytes = work.largest_array_bytes.max(largest);
        work.inputs_bytes = total(inputs);
        work.results_bytes = total(results);
        Some(work)
    }

    /// The bytes of what is inside of a strip, as if it were one chunk. Extents that are not known count as none: then
    /// the amounts are not known, either.
    fn bytes_inside(&self, strip: &Strip, values: &Values) -> u64 {
        let symbol = |symbol| {
            let value = values.integer(symbol).and_then(|v| i64::try_from(v).ok());
            value.unwrap_or(0)
        };
        let positions = symbol(strip.over).max(0) as u64;
        let bytes = strip.bytes_per_position(&self.schedule.arrays, &symbol);
        positions.saturating_mul(bytes)
    }
}

impl KernelFormulas {
    fn add_to(&self, work: &mut Work, values: &Values, trips: u64) -> Option<()> {
        let flops = value(&self.flops, values)?;
        let of_type = match self.has_f64 {
            true => &mut work.flops_f64,
            false => &mut work.flops,
        };
        *of_type = of_type.saturating_add(flops);
        work.bytes = work.bytes.saturating_add(value(&self.bytes, values)?);
        work.kernels += trips;
        for array in &self.arrays {
            work.largest_array_bytes = work.largest_array_bytes.max(value(array, values)?);
        }
        Some(())
    }
}

fn of_kernel(
    schedule: &Schedule,
    kernel: &Kernel,
    around: &Around,
    extents: &Extents<'_>,
) -> KernelFormulas {
    let read = traffic::read(schedule, kernel, extents);
    let outputs = kernel.outputs().iter();
    let owners: BTreeSet<_> = outputs.map(|o| schedule.owner(o.array)).collect();
    let outside = owners.into_iter().filter(|_| around.strip.is_none());
    let trips = extents.product(&around.trips);
    let bytes = read.plus(&traffic::written(schedule, kernel, extents));
    KernelFormulas {
        flops: flops::of_kernel(kernel, extents).times(&trips),
        has_f64: has_f64(kernel),
        bytes: bytes.times(&trips),
        arrays: outside.map(|array| extents.bytes(array)).collect(),
        trips,
    }
}

fn has_f64(kernel: &Kernel) -> bool {
    let wide = |body: &Body| body.walk().any(|(_, inst)| inst.ty == ScalarType::F64);
    let operator = match &kernel.kind {
        KernelKind::Reduce { operator, .. }
        | KernelKind::Segments { operator, .. }
        | KernelKind::Scan { operator, .. } => Some(operator),
        KernelKind::Map { .. } | KernelKind::Contract { .. } | KernelKind::Scatter { .. } => None,
        KernelKind::Sort { .. } => None,
    };
    wide(kernel.body()) || operator.is_some_and(|operator| wide(&operator.body))
}

/// Whether a kernel runs, for all that is known.
fn runs(around: &Around, values: &Values) -> bool {
    let may_hold = |(cond, holds): &(_, bool)| values.truth(*cond) != Some(!holds);
    around.conditions.iter().all(may_hold)
}

fn value(amount: &Amount, values: &Values) -> Option<u64> {
    let number = amount.value(&|symbol| values.integer(symbol))?;
    Some(u64::try_from(number.max(0)).unwrap_or(u64::MAX))
}

fn total(numbers: impl IntoIterator<Item = u64>) -> u64 {
    numbers.into_iter().fold(0, u64::saturating_add)
}
