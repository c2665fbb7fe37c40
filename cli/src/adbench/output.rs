//! Results as files, laid out as ADBench's own.

use super::TaskError;
use cotangent_adbench::ba::Csr;
use std::fmt::Display;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// A number as C's `%.17e` writes it: two exponent digits at least, and its sign.
struct Scientific(f64);

impl Display for Scientific {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let text = format!("{:.17e}", self.0);
        match text.split_once('e') {
            Some((mantissa, exponent)) => {
                let (sign, digits) = match exponent.strip_prefix('-') {
                    Some(digits) => ('-', digits),
                    None => ('+', exponent),
                };
                write!(f, "{mantissa}e{sign}{digits:0>2}")
            }
            None => f.write_str(&text),
        }
    }
}

/// Where results will go: opened before there are any, so that nobody computes for hours what cannot be written.
///
/// What is there stays until the new results are complete: they are written beside it, and then take its place.
#[derive(Debug)]
pub struct Results(Option<[Target; 2]>);

impl Results {
    /// Gets ready to write `<task>_F.txt` and `<task>_J.txt` into `folder`, which is made if need be; without a folder,
    /// nothing will be written.
    ///
    /// # Errors
    /// Where a file cannot be made.
    pub fn open(folder: Option<&Path>, task: &str) -> Result<Self, TaskError> {
        let Some(folder) = folder else {
            return Ok(Self(None));
        };
        fs::create_dir_all(folder).map_err(|source| failed(folder, source))?;
        let open = |kind| Target::open(folder, &format!("{task}_{kind}.txt"));
        Ok(Self(Some([open("F")?, open("J")?])))
    }

    /// Writes both.
    ///
    /// # Errors
    /// Where a file cannot be written.
    pub fn write(
        self,
        objective: impl FnOnce(&mut dyn Write) -> io::Result<()>,
        derivative: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), TaskError> {
        let Some([mut f, mut j]) = self.0 else {
            return Ok(());
        };
        f.write(objective)?;
        j.write(derivative)?;
        f.complete()?;
        j.complete()
    }
}

/// A file on its way.
#[derive(Debug)]
struct Target {
    /// Where it will be.
    path: PathBuf,
    file: File,
    /// Where it is written; nothing if that is in its place, as for devices and pipes.
    beside: Option<PathBuf>,
}

impl Target {
    fn open(folder: &Path, name: &str) -> Result<Self, TaskError> {
        let path = folder.join(name);
        // What a link leads to is replaced, not the link.
        let path = fs::canonicalize(&path).unwrap_or(path);
        let is_replaced = fs::metadata(&path).map_or(true, |found| found.is_file());
        let beside = path.with_file_name(format!(".{name}.{}", std::process::id()));
        let opened = match is_replaced {
            true => File::create(&beside),
            false => OpenOptions::new().write(true).open(&path),
        };
        Ok(Self {
            file: opened.map_err(|source| failed(&path, source))?,
            path,
            beside: is_replaced.then_some(beside),
        })
    }

    fn write(
        &mut self,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), TaskError> {
        let mut out = BufWriter::new(&self.file);
        let written = write(&mut out).and_then(|()| out.flush());
        written.map_err(|source| failed(&self.path, source))
    }

    /// Puts the file in its place.
    fn complete(mut self) -> Result<(), TaskError> {
        match self.beside.take() {
            Some(beside) => fs::rename(&beside, &self.path).map_err(|source| {
                self.beside = Some(beside);
                failed(&self.path, source)
            }),
            None => Ok(()),
        }
    }
}

impl Drop for Target {
    /// A file that was not completed is of no use.
    fn drop(&mut self) {
        if let Some(beside) = &self.beside {
            let _it_is_gone = fs::remove_file(beside);
        }
    }
}

fn failed(path: &Path, source: io::Error) -> TaskError {
    TaskError::Output {
        path: path.to_owned(),
        source,
    }
}

/// One number a line.
///
/// # Errors
/// Where `out` fails.
pub fn numbers(out: &mut dyn Write, values: impl IntoIterator<Item = f64>) -> io::Result<()> {
    values
        .into_iter()
        .try_for_each(|v| writeln!(out, "{}", Scientific(v)))
}

/// A sparse matrix: its extents, then each of row starts, columns and values in one line, the first two
/// preceded by their number.
///
/// # Errors
/// Where `out` fails.
pub fn sparse(out: &mut dyn Write, csr: &Csr) -> io::Result<()> {
    writeln!(out, "{} {}", csr.row_count(), csr.columns)?;
    for indices in [&csr.rows, &csr.cols] {
        writeln!(out, "{}", indices.len())?;
        line(out, indices.iter())?;
    }
    line(out, csr.values.iter().copied().map(Scientific))
}

fn line(out: &mut dyn Write, items: impl Iterator<Item = impl Display>) -> io::Result<()> {
    for (i, item) in items.enumerate() {
        write!(out, "{}{item}", if i == 0 { "" } else { " " })?;
    }
    writeln!(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_look_like_cs() {
        let text = |x: &str| Scientific(x.parse().unwrap()).to_string();
        assert_eq!(text("8.07380408004975791"), "8.07380408004975791e+00");
        assert_eq!(text("-2.69048849235189402e-1"), "-2.69048849235189402e-01");
        assert_eq!(text("1e-300"), "1.00000000000000003e-300");
        assert_eq!(text("0"), "0.00000000000000000e+00");
    }
}
