//! Where results go: lines on standard output, numbers in a CSV file, progress on standard error.

use crate::Failure;
use cotangent::DeviceInfo;
use std::fmt;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

/// What a case is called.
#[derive(Clone, Debug)]
pub struct Name {
    /// The section that it is in.
    pub section: &'static str,
    /// The case.
    pub case: String,
    /// The type that is computed in.
    pub ty: &'static str,
}

impl Name {
    /// The name of a case.
    pub fn new(section: &'static str, case: impl Into<String>, ty: &'static str) -> Self {
        let case = case.into();
        Self { section, case, ty }
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.section, self.case, self.ty)
    }
}

/// Prints a line of a table.
#[expect(
    clippy::print_stdout,
    reason = "a table on standard output is what this is for"
)]
pub fn line(text: &str) {
    println!("{text}");
}

/// Says what is done, since it takes long.
#[expect(
    clippy::print_stderr,
    reason = "standard output has the tables, and nothing else"
)]
pub fn progress(text: &str) {
    eprintln!("{text}");
}

/// All numbers, one a line, so that any tool can plot them: device, section, case, type, quantity, value.
/// Times are in seconds, rates in units a second.
pub struct Csv {
    file: Option<BufWriter<File>>,
    device: String,
    /// The first number that could not be written.
    failure: Option<std::io::Error>,
}

impl Csv {
    /// Creates the file, if one is wanted.
    pub fn create(path: Option<&Path>, info: &DeviceInfo) -> Result<Self, Failure> {
        let mut file = path.map(File::create).transpose()?.map(BufWriter::new);
        if let Some(file) = &mut file {
            writeln!(file, "device,section,case,type,quantity,value")?;
        }
        Ok(Self {
            file,
            device: quoted(&info.name),
            failure: None,
        })
    }

    /// Writes numbers of a case.
    pub fn record(&mut self, name: &Name, quantities: &[(&str, f64)]) {
        let Some(file) = &mut self.file else { return };
        let Name { section, case, ty } = name;
        let case = quoted(case);
        for (quantity, value) in quantities {
            let line = writeln!(
                file,
                "{},{section},{case},{ty},{quantity},{value:e}",
                self.device
            );
            self.failure = self.failure.take().or(line.err());
        }
    }

    /// Everything is in the file now.
    pub fn finish(&mut self) -> Result<(), Failure> {
        if let Some(error) = self.failure.take() {
            return Err(error.into());
        }
        Ok(self.file.as_mut().map_or(Ok(()), Write::flush)?)
    }
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\""))
}
