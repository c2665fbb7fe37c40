//! Arrays as text, laid out as numpy lays them out: rows in brackets, columns below each other, long lines wrapped, and of large
//! arrays the ends of each dimension.

use super::Array;
use crate::host::Column;
use crate::rounding::f16;
use crate::surface::elt::Elt;
use crate::surface::shape::Shape;
use std::fmt::{self, Display, LowerExp};

/// Arrays of more elements are printed in part.
const MOST: usize = 1000;
/// So much of each dimension, from each end.
const EDGE: usize = 3;
/// What stands for the rest.
const LEFT_OUT: &str = "...";
/// The longest line, brackets that close included.
const LINE: usize = 75;
/// The most digits behind the point.
const DIGITS: usize = 8;

/// Laid out as numpy prints arrays: in part if there are more than a thousand elements, and floats of one column with as many digits as
/// they need, up to eight behind the point. An array without dimensions is its element, with all digits.
///
/// ```
/// # use cotangent_core::surface::prelude::*;
/// let m = Array::<Ix2, f64>::from([[1.0, 0.25], [-10.5, 4.0]]);
/// assert_eq!(m.to_string(), "[[  1.     0.25]\n [-10.5    4.  ]]");
/// let v = Array::vector((0..2000).collect())?;
/// assert_eq!(v.to_string(), "[   0    1    2 ... 1997 1998 1999]");
/// # Ok::<(), cotangent_core::host::HostArrayError>(())
/// ```
impl<Sh: Shape, T: Elt> Display for Array<Sh, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let columns: Vec<&Column> = self.columns.iter().map(|array| array.column()).collect();
        if self.shape().is_empty() {
            let parts = columns.iter().map(|column| whole(column));
            return f.write_str(&tuple(parts.collect()));
        }
        if self.is_empty() {
            return f.write_str("[]");
        }
        let shape = self.shape();
        let in_part = self.len() > MOST;
        let positions = positions(shape, in_part);
        let texts = columns.iter().map(|column| texts(column, &positions));
        let texts: Vec<Vec<String>> = texts.collect();
        let cells =
            (0..positions.len()).map(|i| tuple(texts.iter().map(|t| t[i].clone()).collect()));
        let mut layout = Layout {
            cells: cells.collect::<Vec<_>>().into_iter(),
            shape,
            in_part,
        };
        f.write_str(&layout.block(0, LINE))
    }
}

/// The scalars of an element.
fn tuple(mut parts: Vec<String>) -> String {
    match parts.len() {
        1 => parts.remove(0),
        _ => format!("({})", parts.join(", ")),
    }
}

/// The positions along a dimension that are printed before what is left out, and after that.
fn ends(extent: usize, in_part: bool) -> (std::ops::Range<usize>, std::ops::Range<usize>) {
    match in_part && extent > 2 * EDGE {
        true => (0..EDGE, extent - EDGE..extent),
        false => (0..extent, extent..extent),
    }
}

/// The linear positions of the elements that are printed, in order.
fn positions(shape: &[usize], in_part: bool) -> Vec<usize> {
    let mut found = vec![0];
    for &extent in shape {
        let (first, last) = ends(extent, in_part);
        let along: Vec<usize> = first.chain(last).collect();
        let next = found
            .iter()
            .flat_map(|at| along.iter().map(move |i| at * extent + i));
        found = next.collect();
    }
    found
}

/// Elements on their way into rows and blocks.
struct Layout<'a> {
    cells: std::vec::IntoIter<String>,
    shape: &'a [usize],
    in_part: bool,
}

impl Layout<'_> {
    /// What the dimensions from `axis` on hold, of the columns up to `width`. It stands in column `axis`.
    fn block(&mut self, axis: usize, width: usize) -> String {
        let inner = axis + 1 == self.shape.len();
        let (first, last) = ends(self.shape[axis], self.in_part);
        let mut parts: Vec<String> = first.map(|_| self.part(axis, width)).collect();
        if !last.is_empty() {
            parts.push(LEFT_OUT.to_owned());
            parts.extend(last.map(|_| self.part(axis, width)));
        }
        let indent = " ".repeat(axis + 1);
        let text = match inner {
            true => wrapped(&parts, width, &indent),
            false => {
                let lines = "\n".repeat(self.shape.len() - axis - 1);
                parts.join(&(lines + &indent))
            }
        };
        format!("[{text}]")
    }

    fn part(&mut self, axis: usize, width: usize) -> String {
        match axis + 1 == self.shape.len() {
            true => self.cells.next().unwrap_or_default(),
            false => self.block(axis + 1, width - 1),
        }
    }
}

/// Words in lines that end before `width`, the brackets that close included; the first begins where its indent ends, too.
fn wrapped(words: &[String], width: usize, indent: &str) -> String {
    let (mut text, mut column) = (String::new(), indent.len());
    for (n, word) in words.iter().enumerate() {
        let is_first = column == indent.len();
        let needed = word.chars().count() + usize::from(!is_first);
        if !is_first && column + needed > width - 1 {
            text.truncate(text.trim_end().len());
            text += "\n";
            text += indent;
            column = indent.len();
        } else if n > 0 {
            text += " ";
            column += 1;
        }
        text += word;
        column += word.chars().count();
    }
    text
}

/// An element by itself.
fn whole(column: &Column) -> String {
    match column {
        Column::Bool(values) => values.first().map(bool::to_string),
        Column::I8(values) => values.first().map(i8::to_string),
        Column::I16(values) => values.first().map(i16::to_string),
        Column::I32(values) => values.first().map(i32::to_string),
        Column::I64(values) => values.first().map(i64::to_string),
        Column::U8(values) => values.first().map(u8::to_string),
        Column::U16(values) => values.first().map(u16::to_string),
        Column::U32(values) => values.first().map(u32::to_string),
        Column::U64(values) => values.first().map(u64::to_string),
        Column::F16(values) => values.first().map(|x| format!("{:?}", x.to_f32())),
        Column::F32(values) => values.first().map(|x| format!("{x:?}")),
        Column::F64(values) => values.first().map(|x| format!("{x:?}")),
    }
    .unwrap_or_default()
}

/// Elements of a column, all as wide as the widest.
fn texts(column: &Column, positions: &[usize]) -> Vec<String> {
    macro_rules! plain {
        ($values:expr) => {
            flush(
                positions
                    .iter()
                    .map(|&at| $values[at].to_string())
                    .collect(),
            )
        };
    }
    macro_rules! floats {
        ($values:expr) => {
            floats(
                positions
                    .iter()
                    .map(|&at| Digits::of($values[at]))
                    .collect(),
            )
        };
    }
    match column {
        Column::Bool(values) => plain!(values),
        Column::I8(values) => plain!(values),
        Column::I16(values) => plain!(values),
        Column::I32(values) => plain!(values),
        Column::I64(values) => plain!(values),
        Column::U8(values) => plain!(values),
        Column::U16(values) => plain!(values),
        Column::U32(values) => plain!(values),
        Column::U64(values) => plain!(values),
        Column::F16(values) => floats(
            positions
                .iter()
                .map(|&at| Digits::of_half(values[at]))
                .collect(),
        ),
        Column::F32(values) => floats!(values),
        Column::F64(values) => floats!(values),
    }
}

/// Texts that end in the same column.
fn flush(texts: Vec<String>) -> Vec<String> {
    let width = texts.iter().map(String::len).max().unwrap_or(0);
    texts.iter().map(|text| format!("{text:>width$}")).collect()
}

/// A float: its value, and the fewest digits that tell it from its neighbours, as `d.ddde±x`.
struct Digits {
    value: f64,
    shortest: String,
}

impl Digits {
    fn of<T: LowerExp + Copy + Into<f64>>(x: T) -> Self {
        Self {
            value: x.into(),
            shortest: format!("{x:e}"),
        }
    }

    fn of_half(x: f16) -> Self {
        let value = x.to_f64();
        let is_same = |text: &String| text.parse().is_ok_and(|y| f16::from_f64(y) == x);
        // Four digits behind the point tell all of them apart.
        let mut tries = (0..4).map(|digits| format!("{value:.digits$e}"));
        Self {
            value,
            shortest: tries
                .find(is_same)
                .unwrap_or_else(|| format!("{value:.4e}")),
        }
    }

    /// How many digits of the shortest text are behind its point, and its exponent.
    fn shape(&self) -> (usize, i64) {
        let (mantissa, exponent) = self
            .shortest
            .split_once('e')
            .unwrap_or((&self.shortest, "0"));
        let behind = mantissa
            .split_once('.')
            .map_or(0, |(_, behind)| behind.len());
        (behind, exponent.parse().unwrap_or(0))
    }

    /// With as few digits behind the point as needed.
    fn positional(&self) -> String {
        let (behind, exponent) = self.shape();
        let digits = (behind as i64 - exponent).clamp(0, DIGITS as i64) as usize;
        trimmed(&format!("{:.digits$}", self.value))
    }

    /// How many digits behind the point are needed where one is before it.
    fn fraction(&self) -> usize {
        self.shape().0.min(DIGITS)
    }

    /// With one digit before the point and so many behind it.
    fn scientific(&self, digits: usize) -> String {
        let text = format!("{:.digits$e}", self.value);
        let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        let (sign, exponent) = match exponent.strip_prefix('-') {
            Some(exponent) => ('-', exponent),
            None => ('+', exponent),
        };
        let point = if digits == 0 { "." } else { "" };
        format!("{mantissa}{point}e{sign}{exponent:0>2}")
    }
}

/// A number with a point, and no zeros at its end behind that.
fn trimmed(number: &str) -> String {
    match number.contains('.') {
        true => number.trim_end_matches('0').to_owned(),
        false => format!("{number}."),
    }
}

/// Floats with their points below each other, or with exponents, if some are very large, very small, or far apart.
fn floats(numbers: Vec<Digits>) -> Vec<String> {
    let finite = || numbers.iter().filter(|x| x.value.is_finite());
    let sizes = finite().map(|x| x.value.abs()).filter(|&size| size > 0.0);
    let (least, most) = sizes.fold((f64::INFINITY, 0.0), |(least, most), size| {
        (f64::min(least, size), f64::max(most, size))
    });
    let with_exponents = most > 0.0 && (most >= 1e8 || least < 1e-4 || most / least > 1000.0);
    let behind = |number: &str| number.len() - number.find('.').unwrap_or(0);
    let fraction = match with_exponents {
        true => finite().map(Digits::fraction).max(),
        false => finite().map(|x| behind(&x.positional())).max(),
    };
    let fraction = fraction.unwrap_or(0);
    let text = |x: &Digits| match (x.value.is_finite(), with_exponents) {
        (false, _) if x.value.is_nan() => "nan".to_owned(),
        (false, _) => x.value.to_string(),
        (true, true) => x.scientific(fraction),
        (true, false) => {
            let number = x.positional();
            let filler = " ".repeat(fraction - behind(&number));
            number + &filler
        }
    };
    flush(numbers.iter().map(text).collect())
}

#[cfg(test)]
mod tests;
