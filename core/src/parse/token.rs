//! Tokens, and where they are in the text.

use super::error::Place;
use logos::{Lexer, Logos};
use std::ops::Range;

/// What a token is made of. Spaces, line breaks and comments lie between tokens and mean nothing.
#[derive(Logos, Clone, Copy, Debug, PartialEq, Eq)]
#[logos(skip r"[ \t\r\n\f]+")]
#[logos(skip(r"//[^\n]*", allow_greedy = true))]
pub(super) enum Kind {
    /// A name, a label, a keyword, or `_`.
    #[regex(r"[A-Za-z_][A-Za-z0-9_]*")]
    Word,
    /// A de Bruijn index.
    #[regex(r"[A-Za-z]+@[0-9]+")]
    Index,
    /// The number of a host array or a slot.
    #[regex(r"[#$][0-9]+")]
    Position,
    /// A number, or anything that begins like one. What it means, [`Const`](crate::constant::Const) knows.
    #[regex(r"-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?[A-Za-z0-9_]*")]
    #[regex(r"-[A-Za-z][A-Za-z0-9_]*")]
    #[regex(r"nan:[A-Za-z0-9_]*")]
    Number,
    /// A bracket or a separator.
    #[regex(r"[(){}\[\],:=]")]
    Punctuation,
    /// What no token begins with.
    Unknown,
    /// The end of the text.
    End,
}

/// One token.
#[derive(Clone, Debug)]
pub(super) struct Token<'t> {
    pub(super) kind: Kind,
    pub(super) text: &'t str,
    pub(super) bytes: Range<usize>,
}

/// The tokens of a text in order, the next one known.
pub(super) struct Tokens<'t> {
    lexer: Lexer<'t, Kind>,
    next: Token<'t>,
    /// How far lines and columns were counted.
    counted: Counted,
}

impl<'t> Tokens<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        let mut lexer = Kind::lexer(text);
        Self {
            next: scan(&mut lexer),
            lexer,
            counted: Counted::default(),
        }
    }

    /// The next token.
    pub(super) fn peek(&self) -> &Token<'t> {
        &self.next
    }

    /// The next token, after which another one is next.
    pub(super) fn take(&mut self) -> Token<'t> {
        let following = scan(&mut self.lexer);
        std::mem::replace(&mut self.next, following)
    }

    /// Line and column of the next token.
    pub(super) fn line_and_column(&mut self) -> (u32, u32) {
        self.counted.count(self.lexer.source(), &self.next.bytes);
        (self.counted.line, self.counted.column)
    }

    /// The place of a token that was taken or is next.
    pub(super) fn place(&self, bytes: Range<usize>) -> Place {
        let mut counted = Counted::default();
        counted.count(self.lexer.source(), &bytes);
        Place {
            line: counted.line,
            column: counted.column,
            bytes,
        }
    }
}

fn scan<'t>(lexer: &mut Lexer<'t, Kind>) -> Token<'t> {
    let kind = lexer.next();
    let (text, bytes) = (lexer.slice(), lexer.span());
    match kind {
        Some(Ok(kind)) => Token { kind, text, bytes },
        Some(Err(())) => unknown(text, bytes.start),
        None => Token {
            kind: Kind::End,
            text: "",
            bytes: lexer.source().len()..lexer.source().len(),
        },
    }
}

/// The first character of what is no token.
fn unknown(text: &str, start: usize) -> Token<'_> {
    let len = text.chars().next().map_or(0, char::len_utf8);
    Token {
        kind: Kind::Unknown,
        text: &text[..len],
        bytes: start..start + len,
    }
}

/// A count of lines and of the characters in the last one, up to some byte of a text. It only goes on: each byte counts once.
#[derive(Debug)]
struct Counted {
    byte: usize,
    line: u32,
    column: u32,
}

impl Default for Counted {
    fn default() -> Self {
        Self {
            byte: 0,
            line: 1,
            column: 1,
        }
    }
}

impl Counted {
    fn count(&mut self, text: &str, to: &Range<usize>) {
        for c in text[self.byte..to.start].chars() {
            self.step(c);
        }
        self.byte = to.start;
    }

    fn step(&mut self, c: char) {
        if c == '\n' {
            self.line = self.line.saturating_add(1);
            self.column = 1;
        } else {
            self.column = self.column.saturating_add(1);
        }
    }
}

/// The place of the token at a line and a column.
pub(super) fn place_of(text: &str, line: u32, column: u32) -> Place {
    let mut counted = Counted::default();
    for (byte, c) in text.char_indices() {
        if (counted.line, counted.column) == (line, column) {
            counted.byte = byte;
            break;
        }
        counted.step(c);
    }
    let token = scan(&mut Kind::lexer(&text[counted.byte..]));
    Place {
        line,
        column,
        bytes: counted.byte + token.bytes.start..counted.byte + token.bytes.end,
    }
}

/// Whether the first variable or binder of a text is that of a labelled program.
pub(super) fn is_labelled(text: &str) -> bool {
    let names = Kind::lexer(text).spanned();
    let mut found = names.filter_map(|(kind, bytes)| match kind.ok()? {
        Kind::Word if &text[bytes.clone()] == "_" => Some(false),
        Kind::Word => is_label(&text[bytes]).then_some(true),
        Kind::Index => Some(false),
        Kind::Position | Kind::Number | Kind::Punctuation | Kind::Unknown | Kind::End => None,
    });
    found.next().unwrap_or(false)
}

fn is_label(word: &str) -> bool {
    let number = word.strip_prefix(['a', 'x']);
    number.is_some_and(|number| {
        number.starts_with(|c: char| c.is_ascii_digit())
            && number.bytes().all(|b| b.is_ascii_digit())
    })
}
