//! One program on both sides.

use super::Bench;
use super::report::{Name, line};
use super::values::Values;
use crate::Failure;
use crate::timing::shortest;
use cotangent::explain::{KernelNote, Time};
use cotangent::prelude::*;
use cotangent::{Error, Placed, Program, RunMeasures};
use cotangent_adbench::compare::max_difference;
use std::time::Instant;

/// What a program took, in seconds.
#[derive(Clone, Debug)]
pub struct Times {
    /// The first run, for which shaders are compiled.
    pub first: f64,
    /// On arrays that stay on the device.
    pub resident: f64,
    /// The same, beyond the time on few elements.
    pub beyond: f64,
    /// From arrays of the host and to them.
    pub copied: f64,
    /// On the CPU.
    pub cpu: f64,
    /// What the run with resident arrays took besides.
    pub measures: RunMeasures,
    /// What the GPU computed.
    pub values: Vec<f64>,
    /// How far that is from what the CPU computed.
    pub difference: f64,
    /// A line for each kernel, where they are asked for.
    pub kernels: Vec<String>,
}

/// A program on arrays that stay on the device.
pub struct Resident<Out: Arrays> {
    /// The time of a run, with waiting for it.
    pub seconds: f64,
    /// What it took besides.
    pub measures: RunMeasures,
    /// What the first run resulted in.
    pub results: Out::Host,
}

/// How much of a time counts at least, however much of it is overhead: timers are not exact.
const LEAST_PART: f64 = 0.1;

/// What a time is beyond that of next to no work.
pub fn beyond(time: f64, overhead: f64) -> f64 {
    (time - overhead).max(LEAST_PART * time)
}

impl Bench {
    /// Measures a program on both sides. `few` are inputs of few elements, where a rate is wanted.
    pub fn compare<In: Arrays, Out: Arrays>(
        &self,
        program: &Program<In, Out>,
        inputs: &In::Host,
        few: Option<&In::Host>,
    ) -> Result<Times, Failure>
    where
        In::Host: Clone,
        Out::Host: Values,
    {
        let start = Instant::now();
        let values = program.run(&self.gpu, inputs.clone())?.values();
        let first = start.elapsed().as_secs_f64();
        let overhead = match few {
            Some(few) => self.resident(program, few)?.seconds,
            None => 0.0,
        };
        let there = self.resident(program, inputs)?;
        let resident = there.seconds;
        let copied = self.shortest(|| program.run(&self.gpu, inputs.clone()).map(drop))?;
        let expected = program.run(&self.cpu, inputs.clone())?.values();
        let cpu = self.shortest(|| program.run(&self.cpu, inputs.clone()).map(drop))?;
        let difference =
            |found: &[f64]| max_difference(found.iter().copied(), expected.iter().copied());
        Ok(Times {
            first,
            resident,
            beyond: beyond(resident, overhead),
            copied,
            cpu,
            measures: there.measures,
            difference: difference(&values).max(difference(&there.results.values())),
            values,
            kernels: self.kernels(program, inputs)?,
        })
    }

    /// What the device's clock says of each kernel.
    fn kernels<In: Arrays, Out: Arrays>(
        &self,
        program: &Program<In, Out>,
        inputs: &In::Host,
    ) -> Result<Vec<String>, Error>
    where
        In::Host: Clone,
    {
        if !self.options.kernels || !self.gpu.has_clock() {
            return Ok(vec![]);
        }
        let explanation = program.explain_timed(&self.gpu, inputs.clone())?;
        let kernels = explanation.kernels.iter();
        Ok(kernels.filter_map(described).collect())
    }

    /// The time of a program on arrays that stay on the device, and what it results in.
    pub fn resident<In: Arrays, Out: Arrays>(
        &self,
        program: &Program<In, Out>,
        inputs: &In::Host,
    ) -> Result<Resident<Out>, Error>
    where
        In::Host: Clone,
    {
        let inputs = Placed::<In, _>::put(&self.gpu, inputs.clone())?;
        let (results, measures) = program.run_there_measured(&self.gpu, &inputs)?;
        let results = results.get(&self.gpu)?;
        // A run waits for nothing if nothing in it can fail; what is asked for afterwards comes when it is done.
        let last = Placed::<Acc<Ix0, f32>, _>::put(&self.gpu, Array::scalar(1.0))?;
        let seconds = self.shortest(|| {
            program.run_there(&self.gpu, &inputs)?;
            last.get(&self.gpu).map(drop)
        })?;
        Ok(Resident {
            seconds,
            measures,
            results,
        })
    }

    /// The shortest time in the seconds that are given to it.
    pub fn shortest(&self, work: impl FnMut() -> Result<(), Error>) -> Result<f64, Error> {
        shortest(self.options.seconds, work)
    }

    /// Writes down what was measured, and checks that both sides agree.
    pub fn record(&self, name: &Name, times: &Times, tolerance: f64) {
        let quantities = [
            ("first", times.first),
            ("resident", times.resident),
            ("copied", times.copied),
            ("cpu", times.cpu),
            ("resident / cpu", times.resident / times.cpu),
            ("copied / cpu", times.copied / times.cpu),
            ("passes", times.measures.passes as f64),
            ("submits", times.measures.submits as f64),
            ("difference", times.difference),
        ];
        self.csv.borrow_mut().record(name, &quantities);
        times.kernels.iter().for_each(|kernel| line(kernel));
        self.check(name, times.difference, tolerance);
    }
}

/// A kernel that took time: for how long, in how many starts, how large it is, what it does and where that was written.
fn described(kernel: &KernelNote) -> Option<String> {
    let Time { seconds, starts } = kernel.time?;
    let sizes = kernel.sizes.iter().chain(&kernel.inner_sizes);
    let sizes: Vec<_> = sizes.map(|size| size.to_string()).collect();
    Some(format!(
        "    {:>10.3} ms in {starts} starts: {} {} at {}",
        seconds * 1e3,
        kernel.name,
        sizes.join(" x "),
        kernel.location
    ))
}

impl Times {
    /// The heading over [`columns`](Self::columns).
    pub fn heading() -> String {
        format!(
            "{:>10} {:>10} {:>10}  {:>8} {:>8}  {:>8}",
            "resident", "copied", "CPU", "res/CPU", "cop/CPU", "max diff"
        )
    }

    /// Times, ratios and the difference.
    pub fn columns(&self) -> String {
        format!(
            "{:>10.3} {:>10.3} {:>10.3}  {:>8.3} {:>8.3}  {:>8.1e}",
            self.resident * 1e3,
            self.copied * 1e3,
            self.cpu * 1e3,
            self.resident / self.cpu,
            self.copied / self.cpu,
            self.difference,
        )
    }
}
