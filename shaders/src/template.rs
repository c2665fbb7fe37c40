//! One text for several types: templates of WGSL.
//!
//! A template is WGSL in which a letter stands for a type, and in which what else differs stands side by side:
//!
//! - The letter is replaced where it is a word or a part of one, as in `fn exp_F(x: F) -> F`. Behind a number it is the
//!   suffix of literals: `1.0F` is `1.0lf` in `f64`.
//! - `$(23|52)` is the first text for a type of 32 bits and the second for one of 64 bits.
//! - A line that begins with the name of a type and a colon, as in `f64: let y = x;`, is for that type alone.
//! - `polynomial sin_series_F`, followed by rows of two coefficients, that of the highest power first, is a function that
//!   evaluates it by Horner's rule. A dash stands where a type has no such power. Where it has none at all, the paragraph
//!   is left out.
//!
//! Templates are a part of this crate, and its tests print and validate each of them for each type that it is made for. So
//! nothing here reports errors: what is wrong in a template comes out as text that no validator takes.

#[cfg(test)]
mod tests;

/// What a letter of a template stands for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Letter {
    letter: &'static str,
    /// The name of the type.
    name: &'static str,
    /// The suffix of its literals.
    suffix: &'static str,
    width: Width,
}

/// The bits of a type, which say which column of a template is its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Width {
    Bits32,
    Bits64,
}

impl Letter {
    /// `F` for `f32`.
    pub const F32: Self = Self::new("F", "f32", "f", Width::Bits32);
    /// `F` for `f64`.
    pub const F64: Self = Self::new("F", "f64", "lf", Width::Bits64);
    /// `U` for `u32`.
    pub const U32: Self = Self::new("U", "u32", "u", Width::Bits32);
    /// `U` for `u64`.
    pub const U64: Self = Self::new("U", "u64", "lu", Width::Bits64);
    /// `I` for `i32`.
    pub const I32: Self = Self::new("I", "i32", "i", Width::Bits32);
    /// `I` for `i64`.
    pub const I64: Self = Self::new("I", "i64", "li", Width::Bits64);
    /// `I` for `u32`, in what is the same for integers with and without a sign.
    pub const I_UNSIGNED: Self = Self::new("I", "u32", "u", Width::Bits32);
    /// `I` for `u64`, likewise.
    pub const I_UNSIGNED_WIDE: Self = Self::new("I", "u64", "lu", Width::Bits64);

    const fn new(
        letter: &'static str,
        name: &'static str,
        suffix: &'static str,
        width: Width,
    ) -> Self {
        Self {
            letter,
            name,
            suffix,
            width,
        }
    }
}

/// The text of a template for the types that its letters stand for; the first says which column is chosen.
pub(crate) fn instance(template: &str, letters: &[Letter]) -> String {
    let width = letters.first().map_or(Width::Bits32, |first| first.width);
    let paragraphs = template.split("\n\n");
    let expanded: Vec<_> = paragraphs
        .filter_map(|paragraph| with_polynomial(paragraph, width))
        .collect();
    let text = expanded.join("\n\n");
    let lines = text.split('\n').filter_map(|line| of_type(line, letters));
    let lines = lines.map(|line| typed(&chosen(line, width), letters));
    lines.collect::<Vec<_>>().join("\n")
}

/// The line without the type that it is for; none where that is another one.
fn of_type<'a>(line: &'a str, letters: &[Letter]) -> Option<&'a str> {
    match line.split_once(':') {
        Some((name @ ("f32" | "f64"), rest)) => {
            letters.iter().any(|l| l.name == name).then_some(rest)
        }
        Some(_) | None => Some(line),
    }
}

impl Width {
    /// The text of this column.
    fn of<'a>(self, narrow: &'a str, wide: &'a str) -> &'a str {
        match self {
            Self::Bits32 => narrow,
            Self::Bits64 => wide,
        }
    }
}

/// The line with one text for each `$(a|b)`.
fn chosen(line: &str, width: Width) -> String {
    let mut parts = line.split("$(");
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (texts, rest) = part.split_once(')').unwrap_or((part, ""));
        let (narrow, wide) = texts.split_once('|').unwrap_or((texts, texts));
        text += width.of(narrow, wide);
        text += rest;
    }
    text
}

/// The line with types for letters.
fn typed(line: &str, letters: &[Letter]) -> String {
    let is_of_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut text = String::new();
    let mut rest = line;
    while let Some(start) = rest.find(is_of_word) {
        let (between, from_word) = rest.split_at(start);
        let end = from_word.find(|c| !is_of_word(c));
        let (word, after) = from_word.split_at(end.unwrap_or(from_word.len()));
        text += between;
        text += &typed_word(word, letters);
        rest = after;
    }
    text + rest
}

fn typed_word(word: &str, letters: &[Letter]) -> String {
    if word.starts_with(|c: char| c.is_ascii_digit()) {
        let suffixed = letters.iter().find_map(|l| {
            let digits = word.strip_suffix(l.letter)?;
            Some(format!("{digits}{}", l.suffix))
        });
        return suffixed.unwrap_or_else(|| word.to_owned());
    }
    let name = |part| {
        let letter = letters.iter().find(|l| l.letter == part);
        letter.map_or(part, |l| l.name)
    };
    word.split('_').map(name).collect::<Vec<_>>().join("_")
}

/// The paragraph with a function in place of a polynomial; none where the polynomial has no coefficients.
fn with_polynomial(paragraph: &str, width: Width) -> Option<String> {
    const START: &str = "\npolynomial ";
    let Some((comment, table)) = paragraph.split_once(START) else {
        return Some(paragraph.to_owned());
    };
    let mut lines = table.lines();
    let name = lines.next()?;
    let rows = lines.filter_map(|row| row.trim().split_once(' '));
    let column = rows.map(|(narrow, wide)| width.of(narrow, wide.trim_start()));
    let coefficients: Vec<_> = column.filter(|text| *text != "-").collect();
    Some(format!("{comment}\n{}", horner(name, &coefficients)?))
}

/// A function that evaluates a polynomial of at least two coefficients.
fn horner(name: &str, coefficients: &[&str]) -> Option<String> {
    let [highest, between @ .., constant] = coefficients else {
        return None;
    };
    let steps = between.iter();
    let steps: String = steps
        .map(|c| format!("    sum = sum * x + {c}F;\n"))
        .collect();
    Some(format!(
        "fn {name}(x: F) -> F {{\n    var sum = {highest}F;\n{steps}    return sum * x + {constant}F;\n}}"
    ))
}
