//! What the rules of the grammar are made of: single tokens, lists, names and what they refer to.
//!
//! Scope is looked after here, by the checker's own means, since an error of scope should stand at the name itself; types
//! are the checker's alone.

use super::Parser;
use super::error::{ParseError, ParseProblem};
use super::forms::Forms;
use super::hosts::Hosts;
use super::token::{Kind, Token, Tokens};
use crate::check::{Checks, Problem, Stratum};
use crate::label::Numbered;
use crate::loc::Loc;
use crate::print::words::{WithValue, Words};
use crate::term::Mode;
use crate::types::ScalarType;
use std::fmt::Debug;
use std::ops::Range;

pub(super) type Parses<T> = Result<T, ParseError>;

/// A binding, and where its name is.
pub(super) type Located<B> = (Range<usize>, B);

/// The state of reading a program.
pub(super) struct Reader<'t, N: Numbered> {
    pub(super) tokens: Tokens<'t>,
    pub(super) host_source: Hosts<'t>,
    /// The operations by name.
    pub(super) forms: Forms<N>,
    pub(super) arrays: Stratum<()>,
    /// The scalars of the function at hand.
    pub(super) scalars: Stratum<()>,
    /// How many blocks are open, and may be.
    depth: usize,
    max_depth: usize,
}

impl<'t, N: Numbered> Reader<'t, N> {
    pub(super) fn new(text: &'t str, parser: Parser<'t>) -> Self {
        let Parser { hosts, max_depth } = parser;
        Self {
            tokens: Tokens::new(text),
            host_source: hosts,
            forms: Forms::new(),
            arrays: Stratum::default(),
            scalars: Stratum::default(),
            depth: 0,
            max_depth,
        }
    }

    /// The error at some bytes of the text.
    pub(super) fn error(&self, bytes: Range<usize>, problem: ParseProblem) -> ParseError {
        ParseError {
            at: self.tokens.place(bytes),
            problem: Box::new(problem),
        }
    }

    /// The error at the next token.
    pub(super) fn fail_here<T>(&self, problem: ParseProblem) -> Parses<T> {
        Err(self.error(self.tokens.peek().bytes.clone(), problem))
    }

    /// The error that something else should come next.
    pub(super) fn unexpected<T>(&self, expected: impl Into<String>) -> Parses<T> {
        self.fail_here(ParseProblem::Unexpected {
            expected: expected.into(),
            found: described(self.tokens.peek()),
        })
    }

    /// Whether a word or sign comes next.
    pub(super) fn at(&self, text: &str) -> bool {
        self.tokens.peek().text == text
    }

    /// A certain word or sign.
    pub(super) fn demand(&mut self, text: &str) -> Parses<()> {
        if !self.at(text) {
            return self.unexpected(format!("`{text}`"));
        }
        self.tokens.take();
        Ok(())
    }

    /// Items between brackets, separated by commas; perhaps none.
    pub(super) fn list<T>(
        &mut self,
        open: &str,
        close: &str,
        item: impl FnMut(&mut Self) -> Parses<T>,
    ) -> Parses<Vec<T>> {
        self.demand(open)?;
        let items = match self.at(close) {
            true => vec![],
            false => self.separated(item)?,
        };
        match self.at(close) {
            true => self.demand(close)?,
            false => self.unexpected(format!("`,` or `{close}`"))?,
        }
        Ok(items)
    }

    /// One or more items, separated by commas.
    pub(super) fn separated<T>(
        &mut self,
        mut item: impl FnMut(&mut Self) -> Parses<T>,
    ) -> Parses<Vec<T>> {
        let mut items = vec![item(self)?];
        while self.at(",") {
            self.tokens.take();
            items.push(item(self)?);
        }
        Ok(items)
    }

    /// The value that the next words say; one that is said by none, where they say no other.
    pub(super) fn said<T: Words>(&mut self, expected: &str) -> Parses<T> {
        let begins = |value: &&T| value.words().first().is_some_and(|word| self.at(word));
        let silent = |value: &&T| value.words().is_empty();
        let mut values = T::ALL.iter();
        let found = values.find(begins).or_else(|| T::ALL.iter().find(silent));
        let Some(&value) = found else {
            return self.unexpected(expected);
        };
        let mut words = value.words().iter();
        words.try_for_each(|word| self.demand(word))?;
        Ok(value)
    }

    /// What is said of a derivative after its name, given one of that name.
    pub(super) fn mode(&mut self, form: Mode) -> Parses<Mode> {
        match form {
            Mode::Gradient { with_value: _ } => {
                let WithValue(with_value) = self.said("`with value`")?;
                Ok(Mode::Gradient { with_value })
            }
            Mode::Jvp => Ok(Mode::Jvp),
        }
    }

    /// A number without a sign.
    pub(super) fn number(&mut self, expected: &str, greatest: u64) -> Parses<u64> {
        let token = self.tokens.peek();
        let digits = token.text;
        match token.kind == Kind::Number && all_digits(digits) {
            true => self.up_to(digits, greatest),
            false => self.unexpected(expected),
        }
    }

    /// A sign and a number, such as `$3`.
    pub(super) fn position(&mut self, sign: char) -> Parses<u32> {
        match self.tokens.peek().text.strip_prefix(sign) {
            Some(digits) => self.up_to(digits, u32::MAX.into()).map(|n| n as u32),
            None => self.unexpected(format!("a number after `{sign}`")),
        }
    }

    /// A sign and a certain number, by which what is listed is counted.
    pub(super) fn numbered(&mut self, sign: char, number: usize) -> Parses<()> {
        self.demand(&format!("{sign}{number}"))
    }

    /// The number of the next token, which ends with these digits.
    fn up_to(&mut self, digits: &str, greatest: u64) -> Parses<u64> {
        let number = digits.parse().ok().filter(|&number| number <= greatest);
        let Some(number) = number else {
            let text = shown(self.tokens.peek().text);
            return self.fail_here(ParseProblem::TooLarge { text, greatest });
        };
        self.tokens.take();
        Ok(number)
    }

    /// The number of a variable whose name begins with a prefix.
    fn name(&mut self, prefix: &str, what: &str) -> Parses<u32> {
        let digits = self.tokens.peek().text.strip_prefix(prefix);
        match digits.filter(|digits| all_digits(digits)) {
            Some(digits) => self.up_to(digits, u32::MAX.into()).map(|n| n as u32),
            None => self.unexpected(format!("{what} such as `{prefix}0`")),
        }
    }

    /// What stands before the type of a binding.
    fn binder(&mut self, label: Option<u32>, prefix: &str, what: &str) -> Parses<u32> {
        match label {
            Some(_) => self.name(prefix, what),
            None => self.demand("_").map(|()| 0),
        }
    }

    /// The binder of an array, which is not bound yet.
    pub(super) fn arr_binder(&mut self) -> Parses<N::ArrBinder> {
        let label = self.binder(
            N::arr_label(N::bind_arr(0)),
            N::ARR_PREFIX,
            "the name of an array",
        )?;
        Ok(N::bind_arr(label))
    }

    /// The binder of a scalar, which is not bound yet.
    pub(super) fn exp_binder(&mut self) -> Parses<N::ExpBinder> {
        let label = self.binder(
            N::exp_label(N::bind_exp(0)),
            N::EXP_PREFIX,
            "the name of a scalar",
        )?;
        Ok(N::bind_exp(label))
    }

    /// An array in scope.
    pub(super) fn arr(&mut self) -> Parses<N::Arr> {
        let at = self.tokens.peek().bytes.clone();
        let number = self.name(N::ARR_PREFIX, "an array")?;
        let bound = N::find(&self.arrays.scope, number).is_some();
        let name = N::arr_named(number);
        self.in_scope(at, bound, name)
    }

    /// A scalar in scope.
    pub(super) fn exp(&mut self) -> Parses<N::Exp> {
        let at = self.tokens.peek().bytes.clone();
        let number = self.name(N::EXP_PREFIX, "a scalar")?;
        let bound = N::find(&self.scalars.scope, number).is_some();
        let name = N::exp_named(number);
        self.in_scope(at, bound, name)
    }

    fn in_scope<T: Debug>(&self, at: Range<usize>, bound: bool, name: T) -> Parses<T> {
        let unbound = || Problem::Unbound {
            variable: format!("{name:?}"),
        };
        self.checked(at, bound.then_some(()).ok_or_else(unbound))?;
        Ok(name)
    }

    /// What the checker says of a token.
    pub(super) fn checked<T>(&self, at: Range<usize>, checked: Checks<T>) -> Parses<T> {
        checked.map_err(|problem| self.error(at, ParseProblem::IllFormed(problem.into())))
    }

    /// Parenthesised names of arrays.
    pub(super) fn arrs(&mut self) -> Parses<Vec<N::Arr>> {
        self.list("(", ")", Self::arr)
    }

    /// Parenthesised names of scalars.
    pub(super) fn exps(&mut self) -> Parses<Vec<N::Exp>> {
        self.list("(", ")", Self::exp)
    }

    /// The name of a scalar type.
    pub(super) fn scalar_type(&mut self) -> Parses<ScalarType> {
        let Some(ty) = ScalarType::named(self.tokens.peek().text) else {
            return self.unexpected("the type of a scalar");
        };
        self.tokens.take();
        Ok(ty)
    }

    /// The name of a part of an operation.
    pub(super) fn part(&mut self, name: &str) -> Parses<()> {
        self.demand(name)?;
        self.demand(":")
    }

    /// Where the next token is.
    pub(super) fn loc(&mut self) -> Loc {
        let (line, column) = self.tokens.line_and_column();
        Loc::in_text(line, column)
    }

    /// Something in braces, which count as one more block.
    pub(super) fn braces<T>(&mut self, inside: impl FnOnce(&mut Self) -> Parses<T>) -> Parses<T> {
        if self.depth == self.max_depth && self.at("{") {
            return self.fail_here(ParseProblem::TooDeep {
                limit: self.max_depth,
            });
        }
        self.demand("{")?;
        self.depth += 1;
        let result = inside(self)?;
        self.depth -= 1;
        self.demand("}")?;
        Ok(result)
    }
}

fn all_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

/// What a message says of a token.
fn described(token: &Token<'_>) -> String {
    match token.kind {
        Kind::End => "the end of the text".to_owned(),
        Kind::Unknown => format!("the character {:?}", token.text),
        Kind::Word | Kind::Index | Kind::Position | Kind::Number | Kind::Punctuation => {
            format!("`{}`", shown(token.text))
        }
    }
}

/// As much of a token as a message has room for.
pub(super) fn shown(text: &str) -> String {
    const ROOM: usize = 60;
    // Tokens are ASCII.
    match text.get(..ROOM) {
        Some(begin) if text.len() > ROOM => format!("{begin}…"),
        Some(_) | None => text.to_owned(),
    }
}
