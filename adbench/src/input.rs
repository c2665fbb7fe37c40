//! Reading ADBench's text files: numbers separated by blanks, one record a line.
//!
//! Every error says in which file and line, and what was expected there.

use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// Why an input could not be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InputError {
    /// The file could not be opened or read.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The text is not what the format asks for.
    #[error("{}:{line}: expected {expected}, found {found}", path.display())]
    Format {
        /// The file.
        path: PathBuf,
        /// The line, counted from 1.
        line: usize,
        /// What the format asks for here.
        expected: String,
        /// What stands there.
        found: String,
    },
    /// A size that cannot be worked with.
    #[error("{what}")]
    Size {
        /// What is wrong, and what to do.
        what: String,
    },
}

/// A file being read line by line; blank lines are skipped.
#[derive(Debug)]
pub struct Lines<'a> {
    path: &'a Path,
    text: std::str::Lines<'a>,
    line: usize,
}

/// Reads a whole file.
///
/// # Errors
/// Where the system cannot read it, or it is not UTF-8.
pub fn read(path: &Path) -> Result<String, InputError> {
    std::fs::read_to_string(path).map_err(|source| InputError::Io {
        path: path.to_owned(),
        source,
    })
}

impl<'a> Lines<'a> {
    /// The lines of `text`, which is what `path` holds.
    pub fn new(path: &'a Path, text: &'a str) -> Self {
        Self {
            path,
            text: text.lines(),
            line: 0,
        }
    }

    /// An error at the current line.
    pub fn error(&self, expected: impl Display, found: impl Display) -> InputError {
        InputError::Format {
            path: self.path.to_owned(),
            line: self.line.max(1),
            expected: expected.to_string(),
            found: found.to_string(),
        }
    }

    fn next_line(&mut self) -> Option<&'a str> {
        loop {
            let line = self.text.next()?;
            self.line += 1;
            if !line.trim().is_empty() {
                return Some(line);
            }
        }
    }

    /// The words of the next line.
    ///
    /// # Errors
    /// At the end of the file.
    pub fn words(&mut self, expected: &dyn Display) -> Result<Vec<&'a str>, InputError> {
        match self.next_line() {
            Some(line) => Ok(line.split_ascii_whitespace().collect()),
            None => {
                self.line += 1;
                Err(self.error(expected, "the end of the file"))
            }
        }
    }

    /// One word as a number.
    ///
    /// # Errors
    /// Where it is none, or not finite.
    pub fn number<T: FromStr>(&self, word: &str, expected: &dyn Display) -> Result<T, InputError> {
        word.parse()
            .map_err(|_| self.error(expected, format_args!("`{word}`")))
    }

    /// Appends the next line's numbers, exactly `count` of them, to `out`.
    ///
    /// # Errors
    /// Where the line holds something else.
    pub fn floats(
        &mut self,
        count: usize,
        what: &str,
        out: &mut Vec<f64>,
    ) -> Result<(), InputError> {
        let expected = format!("{count} finite numbers ({what})");
        let words = self.words(&expected)?;
        if words.len() != count {
            return Err(self.error(expected, format_args!("{} words", words.len())));
        }
        for word in words {
            let value: f64 = self.number(word, &expected)?;
            if !value.is_finite() {
                return Err(self.error(expected, format_args!("`{word}`")));
            }
            out.push(value);
        }
        Ok(())
    }

    /// Checks that nothing follows.
    ///
    /// # Errors
    /// Where something does.
    pub fn end(&mut self) -> Result<(), InputError> {
        match self.next_line() {
            None => Ok(()),
            Some(line) => Err(self.error("the end of the file", format_args!("`{}`", line.trim()))),
        }
    }
}

/// `a · b`, or an error that says that `what` is too large.
///
/// # Errors
/// Where the product exceeds what an array can hold.
pub fn product(a: usize, b: usize, what: &str) -> Result<usize, InputError> {
    let size = a.checked_mul(b).filter(|&s| s <= isize::MAX as usize / 16);
    size.ok_or_else(|| InputError::Size {
        what: format!("{what}: {a} × {b} numbers do not fit in memory; choose smaller sizes"),
    })
}

/// An empty vector with room for `len` numbers.
///
/// # Errors
/// Where there is not that much memory.
pub fn reserve(len: usize, what: &str) -> Result<Vec<f64>, InputError> {
    let mut out = Vec::new();
    out.try_reserve_exact(len).map_err(|_| InputError::Size {
        what: format!("{what}: {len} numbers do not fit in memory; choose smaller sizes"),
    })?;
    Ok(out)
}
