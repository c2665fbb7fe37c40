//! The input of the LSTM task.

use crate::input::{InputError, Lines, made, product, read, reserve};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::path::Path;

/// The most layers that a network can have: each is a part of the program.
pub const MAX_LAYERS: usize = 8;

/// A network of `l` layers, and `c` characters of `b` bits.
///
/// All matrices are row-major.
#[derive(Clone, Debug, PartialEq)]
pub struct LstmInput {
    /// Layers, from 1 to [`MAX_LAYERS`].
    pub l: usize,
    /// Characters, 2 at least.
    pub c: usize,
    /// Bits of a character, and cells of a layer.
    pub b: usize,
    /// The layers' parameters, \[2l, 4b]: for each a row of weights and one of biases, those of the forget, the in, the out and
    /// the change gate.
    pub main: Vec<f64>,
    /// Weights of the input, weights of the output, biases of the output, \[3, b].
    pub extra: Vec<f64>,
    /// The first state, \[2l, b]: for each layer what it puts out, and its cells.
    pub state: Vec<f64>,
    /// The characters, \[c, b].
    pub sequence: Vec<f64>,
}

impl LstmInput {
    /// The number of parameters, and of elements of the gradient.
    pub fn parameters(&self) -> usize {
        self.main.len() + self.extra.len()
    }

    /// Makes an input: parameters and state from U(0, 1), characters of random bits. The same seed gives the same input on
    /// every machine.
    ///
    /// # Errors
    /// Where a size is not possible, or the input does not fit in memory.
    pub fn generate(l: usize, c: usize, b: usize, seed: u64) -> Result<Self, InputError> {
        let sizes = sizes([l, c, b]).map_err(|what| InputError::Size { what })?;
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut uniform = |[rows, columns]: [usize; 2], what: &str| {
            made(product(rows, columns, what)?, what, |_| rng.random::<f64>())
        };
        let [main, extra, state, sequence] = sizes;
        Ok(Self {
            l,
            c,
            b,
            main: uniform(main, "the layers' parameters")?,
            extra: uniform(extra, "the parameters")?,
            state: uniform(state, "the state")?,
            sequence: uniform(sequence, "the characters")?
                .into_iter()
                .map(|x| f64::from(x < 0.5))
                .collect(),
        })
    }

    /// Reads one of ADBench's files, or standard input where that is `-`.
    ///
    /// # Errors
    /// Where the file cannot be read or is malformed, truncated or inconsistent.
    pub fn load(path: &Path) -> Result<Self, InputError> {
        let (name, text) = read(path)?;
        Self::parse(name, &text)
    }

    /// Reads the text of such a file; `path` is for messages.
    ///
    /// # Errors
    /// As [`load`](Self::load).
    pub fn parse(path: &Path, text: &str) -> Result<Self, InputError> {
        let mut lines = Lines::new(path, text);
        let expected = "three sizes: layers, characters and bits of a character";
        let words: [&str; 3] = lines.words(&expected)?;
        let mut numbers = [0; 3];
        for (number, word) in numbers.iter_mut().zip(words) {
            *number = lines.number(word, &expected)?;
        }
        let [l, c, b] = numbers;
        let sizes = sizes(numbers).map_err(|what| lines.error(expected, what))?;
        let mut table = |[rows, columns]: [usize; 2], what: &str| {
            let mut out = reserve(product(rows, columns, what)?.min(text.len()), what)?;
            for row in 1..=rows {
                lines.floats(columns, &format!("{what} {row} of {rows}"), &mut out)?;
            }
            Ok::<_, InputError>(out)
        };
        let [main, extra, state, sequence] = sizes;
        let (main, extra) = (
            table(main, "parameters")?,
            table(extra, "other parameters")?,
        );
        let (state, sequence) = (table(state, "state")?, table(sequence, "character")?);
        lines.end()?;
        Ok(Self {
            l,
            c,
            b,
            main,
            extra,
            state,
            sequence,
        })
    }
}

/// The extents of the four tables; what is wrong with the sizes, if something is.
fn sizes([l, c, b]: [usize; 3]) -> Result<[[usize; 2]; 4], String> {
    if !(1..=MAX_LAYERS).contains(&l) || c < 2 || b < 1 {
        return Err(format!(
            "{l} layers, {c} characters, {b} bits: there must be 1 to {MAX_LAYERS} layers, at least 2 characters, and 1 bit"
        ));
    }
    match b.checked_mul(4) {
        Some(wide) => Ok([[2 * l, wide], [3, b], [2 * l, b], [c, b]]),
        None => Err(format!("{b} bits do not fit in memory")),
    }
}
