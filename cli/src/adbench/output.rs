//! Results as files, laid out as ADBench's own.

use super::TaskError;
use cotangent_adbench::ba::Csr;
use std::fmt::Display;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::Path;

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

/// Writes `<task>_F.txt` and `<task>_J.txt` into `folder`, which is made if need be.
///
/// # Errors
/// Where a file cannot be written.
pub fn write_files(
    folder: &Path,
    task: &str,
    objective: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    derivative: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), TaskError> {
    let fail = |path: &Path| {
        let path = path.to_owned();
        move |source| TaskError::Output { path, source }
    };
    fs::create_dir_all(folder).map_err(fail(folder))?;
    let (f, j) = (
        folder.join(format!("{task}_F.txt")),
        folder.join(format!("{task}_J.txt")),
    );
    write_file(&f, objective).map_err(fail(&f))?;
    write_file(&j, derivative).map_err(fail(&j))
}

fn write_file(path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let mut out = BufWriter::new(File::create(path)?);
    write(&mut out)?;
    out.flush()
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
