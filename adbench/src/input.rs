//! Reading ADBench's text files: numbers separated by blanks, one record a line.
//!
//! Every error says in which file and line, and what was expected there.

use std::fmt::Display;
use std::io::Read;
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

/// The file that stands for standard input.
const STANDARD_INPUT: &str = "-";
/// So many characters of a line are quoted.
const QUOTED: usize = 40;

/// Reads a whole file, or standard input where that is `-`; also gives the name for messages.
///
/// # Errors
/// Where the system cannot read it, or it is not UTF-8.
pub fn read(path: &Path) -> Result<(&Path, String), InputError> {
    let is_standard = path == Path::new(STANDARD_INPUT);
    let (name, text) = match is_standard {
        true => (Path::new("standard input"), read_standard_input()),
        false => (path, std::fs::read_to_string(path)),
    };
    let text = text.map_err(|source| InputError::Io {
        path: name.to_owned(),
        source,
    })?;
    Ok((name, text))
}

fn read_standard_input() -> std::io::Result<String> {
    let mut text = String::new();
    std::io::stdin().lock().read_to_string(&mut text)?;
    Ok(text)
}

/// The text as messages quote it: without control characters, and not more of it than can be read.
fn quoted(text: &str) -> String {
    let mut characters = text.trim().chars();
    let shown: String = characters.by_ref().take(QUOTED).collect();
    let more = if characters.next().is_some() {
        "…"
    } else {
        ""
    };
    format!("`{}{more}`", shown.escape_debug())
}

impl<'a> Lines<'a> {
    /// The lines of `text`, which is what `path` holds. A byte order mark before the first is skipped.
    pub fn new(path: &'a Path, text: &'a str) -> Self {
        Self {
            path,
            text: text.strip_prefix('\u{feff}').unwrap_or(text).lines(),
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

    /// An error at the current line, which holds `found`.
    pub fn error_at(&self, expected: impl Display, found: &str) -> InputError {
        self.error(expected, quoted(found))
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

    /// The next line.
    ///
    /// # Errors
    /// At the end of the file.
    pub fn line(&mut self, expected: &dyn Display) -> Result<&'a str, InputError> {
        self.next_line().ok_or_else(|| {
            self.line += 1;
            self.error(expected, "the end of the file")
        })
    }

    /// The words of the next line, of which there must be `N`.
    ///
    /// # Errors
    /// At the end of the file, and where there are more or fewer.
    pub fn words<const N: usize>(
        &mut self,
        expected: &dyn Display,
    ) -> Result<[&'a str; N], InputError> {
        let line = self.line(expected)?;
        words_of(line).map_err(|count| self.error(expected, format_args!("{count} words")))
    }

    /// One word as a number.
    ///
    /// # Errors
    /// Where it is none.
    pub fn number<T: FromStr>(&self, word: &str, expected: &dyn Display) -> Result<T, InputError> {
        word.parse().map_err(|_| self.error_at(expected, word))
    }

    /// Appends the next line's numbers, exactly `count` of them, to `out`.
    ///
    /// # Errors
    /// Where the line holds something else, or there is no memory for them.
    pub fn floats(
        &mut self,
        count: usize,
        what: &str,
        out: &mut Vec<f64>,
    ) -> Result<(), InputError> {
        let expected = format!("{count} finite numbers ({what})");
        let line = self.line(&expected)?;
        let words = || line.split_ascii_whitespace();
        let found = words().count();
        if found != count {
            return Err(self.error(expected, format_args!("{found} words")));
        }
        out.try_reserve(count).map_err(|_| no_memory(count, what))?;
        for word in words() {
            let value: f64 = self.number(word, &expected)?;
            if !value.is_finite() {
                return Err(self.error_at(expected, word));
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
            Some(line) => Err(self.error_at("the end of the file", line)),
        }
    }
}

/// The words of a line.
///
/// # Errors
/// The number of words where that is not `N`.
pub fn words_of<const N: usize>(line: &str) -> Result<[&str; N], usize> {
    let (mut words, mut count) = ([""; N], 0);
    for word in line.split_ascii_whitespace() {
        if let Some(place) = words.get_mut(count) {
            *place = word;
        }
        count += 1;
    }
    if count == N { Ok(words) } else { Err(count) }
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

/// An empty vector with room for `len` of what is named.
///
/// # Errors
/// Where there is not that much memory.
pub fn reserve<T>(len: usize, what: &str) -> Result<Vec<T>, InputError> {
    cotangent::reserved(len).map_err(|_| no_memory(len, what))
}

/// `len` of what is named, each made from its position.
///
/// # Errors
/// Where there is not that much memory.
pub fn made<T>(len: usize, what: &str, make: impl FnMut(usize) -> T) -> Result<Vec<T>, InputError> {
    let mut out = reserve(len, what)?;
    out.extend((0..len).map(make));
    Ok(out)
}

fn no_memory(len: usize, what: &str) -> InputError {
    InputError::Size {
        what: format!("{what}: {len} of them do not fit in memory; choose smaller sizes"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotations_are_short_and_without_control_characters() {
        assert_eq!(quoted(" 1 half "), "`1 half`");
        assert_eq!(quoted("\u{1b}[2J\0\u{202e}x"), "`\\u{1b}[2J\\0\\u{202e}x`");
        assert_eq!(
            quoted(&"é".repeat(QUOTED)),
            format!("`{}`", "é".repeat(QUOTED))
        );
        let long = quoted(&"9".repeat(1 << 20));
        assert_eq!(long, format!("`{}…`", "9".repeat(QUOTED)));
    }

    #[test]
    fn words_are_counted() {
        assert_eq!(words_of(" a  b "), Ok(["a", "b"]));
        assert_eq!(words_of::<2>("a"), Err(1));
        assert_eq!(words_of::<2>("a b c d"), Err(4));
    }

    #[test]
    fn a_byte_order_mark_is_no_word() {
        let mut lines = Lines::new(Path::new("f.txt"), "\u{feff}1 2\n3\u{feff}\n");
        assert_eq!(lines.words(&"two words").unwrap(), ["1", "2"]);
        let [word] = lines.words(&"one word").unwrap();
        let error = lines.number::<i32>(word, &"a number").unwrap_err();
        assert_eq!(
            error.to_string(),
            "f.txt:2: expected a number, found `3\\u{feff}`"
        );
    }

    #[test]
    fn what_does_not_fit_in_memory_is_an_error() {
        let error = made(usize::MAX / 8, "the points", |_| 0.0).unwrap_err();
        assert!(error.to_string().starts_with("the points: "), "{error}");
    }
}
