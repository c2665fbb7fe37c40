//! What all subcommands share: the device, the comparison of both sides, and the report.

use clap::{Args, ValueEnum};
use cotangent::Program;
use cotangent::prelude::Arrays;
use cotangent_examples::device::Device;
use cotangent_examples::error::{ExampleError, Result};
use std::fmt;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Where to run, and where to draw.
#[derive(Args)]
pub struct Common {
    /// Where the program of cotangent runs; the reference runs on the CPU in any case.
    #[arg(long, value_enum, default_value_t = DeviceName::Cpu)]
    device: DeviceName,
    /// Threads of the CPU for cotangent; all processors if not given. Not with --device gpu.
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// The file to draw the result to.
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum DeviceName {
    /// The cores of this machine.
    Cpu,
    /// The first GPU with a Vulkan driver. Most examples need one that computes with f64.
    Gpu,
}

impl Common {
    /// Opens the device.
    ///
    /// # Errors
    /// Where there is none, or the options contradict each other.
    pub fn open(&self) -> Result<Device> {
        match (self.device, self.threads) {
            (DeviceName::Cpu, threads) => Device::cpu(threads.map(usize::from)),
            (DeviceName::Gpu, None) => Device::gpu(),
            (DeviceName::Gpu, Some(_)) => Err(ExampleError::Options(
                "--threads is for the CPU; leave it out to run on the GPU",
            )),
        }
    }
}

/// Both sides of an example.
pub struct Sides<C, R, P, D> {
    /// Compiles the program.
    pub compile: C,
    /// Runs it.
    pub run: R,
    /// The same in plain Rust.
    pub reference: P,
    /// How far both are apart.
    pub difference: D,
    /// How far they may be apart.
    pub tolerance: f64,
}

impl<C, R, P, D> Sides<C, R, P, D> {
    /// Runs both, and gives the results of cotangent, of plain Rust, and the report.
    ///
    /// # Errors
    /// Where the program cannot be compiled or run.
    pub fn compare<In: Arrays, Out: Arrays, T>(
        self,
        title: String,
        device: &Device,
    ) -> Result<(T, T, Report)>
    where
        C: FnOnce() -> std::result::Result<Program<In, Out>, cotangent::Error>,
        R: FnOnce(&Program<In, Out>, &Device) -> Result<T>,
        P: FnOnce() -> T,
        D: FnOnce(&T, &T) -> f64,
    {
        let (program, compiled) = timed(self.compile);
        let program = program?;
        let (prepared, code) = timed(|| device.prepare(&program));
        prepared?;
        let (found, ran) = timed(|| (self.run)(&program, device));
        let (found, (expected, plain)) = (found?, timed(self.reference));
        let apart = (self.difference)(&found, &expected);
        let mut report = Report::new(title, apart <= self.tolerance);
        report.line(
            "compiling",
            format!("{}, and {} for the code", time(compiled), time(code)),
        );
        report.line("cotangent", time(ran));
        report.line("plain Rust", time(plain));
        let verdict = if report.agrees { "agrees" } else { "DIFFERS" };
        let tolerance = self.tolerance;
        report.line(
            "difference",
            format!("{apart:.3e}, at most {tolerance:e}: {verdict}"),
        );
        Ok((found, expected, report))
    }
}

/// An option that an example has no use for.
pub fn no_picture(common: &Common) -> Result<()> {
    match common.out {
        None => Ok(()),
        Some(_) => Err(ExampleError::Options(
            "there is no picture of this example; leave --out out",
        )),
    }
}

fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let start = Instant::now();
    let result = work();
    (result, start.elapsed())
}

/// A time as people read it.
pub fn time(time: Duration) -> String {
    match time.as_secs_f64() {
        seconds if seconds < 1.0 => format!("{:.3} ms", seconds * 1e3),
        seconds => format!("{seconds:.3} s"),
    }
}

/// What is printed: a title, and lines with names.
pub struct Report {
    title: String,
    lines: Vec<(&'static str, String)>,
    /// Whether both sides agree.
    pub agrees: bool,
}

impl Report {
    fn new(title: String, agrees: bool) -> Self {
        let lines = vec![];
        Self {
            title,
            lines,
            agrees,
        }
    }

    /// One more line.
    pub fn line(&mut self, name: &'static str, value: String) {
        self.lines.push((name, value));
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.title)?;
        let mut lines = self.lines.iter();
        lines.try_for_each(|(name, value)| writeln!(f, "  {name:<14}{value}"))
    }
}
