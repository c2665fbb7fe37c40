//! The number of tokens of a program, by one rule for Rust and Python.
//!
//! Tokens are names, numbers, strings and operators, which are as long as possible; each other character that is no space is one by itself.
//! Two closing angle brackets are two. Comments, documentation and imports do not count, and neither do spaces and ends of
//! lines, which mean something in Python; everything else does: types, `fn`, `pub`, `def`, braces and semicolons.

/// A language, as far as tokens differ.
#[derive(Clone, Copy, Debug)]
pub enum Language {
    Rust,
    Python,
}

/// Operators of more than one character, in either language.
const OPERATORS: [&str; 20] = [
    "...", "..=", "**=", "//=", "::", "->", "=>", "==", "!=", "<=", ">=", "&&", "||", "..", "**",
    "//", "+=", "-=", "*=", "/=",
];
/// What documentation of Python stands between.
const DOCSTRING: &str = "\"\"\"";

impl Language {
    fn comment(self) -> &'static str {
        match self {
            Self::Rust => "//",
            Self::Python => "#",
        }
    }

    /// The first words of lines that import.
    fn imports(self) -> &'static [&'static str] {
        match self {
            Self::Rust => &["use "],
            Self::Python => &["import ", "from "],
        }
    }
}

/// The tokens of a program. Imports take one line each.
pub fn tokens(text: &str, language: Language) -> Vec<&str> {
    let (mut rest, mut found) = (text, vec![]);
    while let Some(at) = rest.find(|c: char| !c.is_whitespace()) {
        let starts_line = rest[..at].contains('\n') || rest.len() == text.len();
        rest = &rest[at..];
        let imports = language.imports().iter().any(|word| rest.starts_with(word));
        let skipped = if rest.starts_with(language.comment()) || (starts_line && imports) {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with(DOCSTRING) {
            between(rest, DOCSTRING)
        } else {
            let length = length(rest);
            found.push(&rest[..length]);
            length
        };
        rest = &rest[skipped..];
    }
    found
}

/// The length of the token that the text starts with.
fn length(text: &str) -> usize {
    let is_of_name = |c: char| c.is_alphanumeric() || c == '_';
    let word = text.find(|c| !is_of_name(c)).unwrap_or(text.len());
    if text.starts_with(|c: char| c.is_ascii_digit()) {
        return number(text);
    } else if word > 0 {
        return word;
    } else if text.starts_with('"') {
        return between(text, "\"");
    }
    let operator = OPERATORS.iter().find(|op| text.starts_with(**op));
    let one = text.chars().next().map_or(0, char::len_utf8);
    operator.map_or(one, |op| op.len())
}

/// The length of a number: digits, a fraction, an exponent.
fn number(text: &str) -> usize {
    let digits = |from: usize| {
        let end = text[from..].find(|c: char| !(c.is_ascii_digit() || c == '_'));
        end.map_or(text.len(), |end| from + end)
    };
    let starts_digit = |at: usize| text[at..].starts_with(|c: char| c.is_ascii_digit());
    let mut end = digits(0);
    if text[end..].starts_with('.') && starts_digit(end + 1) {
        end = digits(end + 1);
    }
    for exponent in ["e-", "e"] {
        if text[end..].starts_with(exponent) && starts_digit(end + exponent.len()) {
            end = digits(end + exponent.len());
        }
    }
    end
}

/// The length of what stands between two marks, with these.
fn between(text: &str, mark: &str) -> usize {
    let inside = &text[mark.len()..];
    inside
        .find(mark)
        .map_or(text.len(), |end| end + 2 * mark.len())
}

#[test]
fn tokens_of_rust() {
    let text = "//! Doc.\nuse a::b;\n\n/// Doc.\npub fn f(x: Acc<Ix2, Complex<f64>>) -> V {\n    x.0.at([-1, 0..3]) // Why.\n}\n";
    let expected =
        "pub fn f ( x : Acc < Ix2 , Complex < f64 > > ) -> V { x . 0 . at ( [ - 1 , 0 .. 3 ] ) }";
    let expected: Vec<&str> = expected.split(' ').collect();
    assert_eq!(tokens(text, Language::Rust), expected);
}

#[test]
fn tokens_of_python() {
    let text = "\"\"\"Doc.\n\nMore.\"\"\"\nimport jax\nfrom a import b\n\ndef f(x):\n    \"\"\"Doc.\"\"\"\n    return x[..., 1:] ** 1.5e-3 // e(\"a b\")  # Why.\n";
    let expected = "def f ( x ) : return x [ ... , 1 : ] ** 1.5e-3 // e ( \"a_b\" )";
    let expected: Vec<String> = expected.split(' ').map(|t| t.replace('_', " ")).collect();
    assert_eq!(tokens(text, Language::Python), expected);
}
