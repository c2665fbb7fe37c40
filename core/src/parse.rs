//! Programs from their text, in either form: the way back from the [printer](crate::print), whose documentation has
//! the grammar.
//!
//! What is read is checked, so it is as well-formed as what the compiler makes itself. For every well-formed program that is
//! nested no deeper than [`Parser::max_depth`], `parse(print(p)) == p`, but for two things that the text does not say:
//! source locations, which become the places of the lets in the text, and the elements of host arrays, which are
//! [supplied](Hosts).
//!
//! Strict where the printer has no choice (the order of parts, names of operations, numbers of slots), and lenient in
//! what means nothing: line breaks, spaces, comments, zeros in front of numbers. Any text gives a program or a
//! [`ParseError`], which has a place in the text; none ends the process.
//!
//! One token is looked at ahead, and nothing is read twice: linear time. Nested blocks recurse, on a stack of their own.
//!
//! * `token.rs`: tokens, and where they are. `reader.rs`: what all rules of the grammar are made of.
//! * `program.rs`, `acc.rs`, `exp.rs`: the rules, by stratum; `forms.rs` knows operations by their names.
//! * `hosts.rs`: the host arrays. `error.rs`: what is reported.

mod acc;
mod error;
mod exp;
mod forms;
mod hosts;
mod program;
mod reader;
#[cfg(test)]
mod tests;
mod token;

pub use error::{ParseError, ParseProblem, Place};
pub use hosts::Hosts;

use crate::check::{CheckError, check};
use crate::deep::with_deep_stack;
use crate::label::{Numbered, unlabel};
use crate::loc::Loc;
use crate::term::{DeBruijn, Labelled, Program};
use reader::Reader;
use std::str::FromStr;

/// How to read. The `FromStr` implementations of programs use the default.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parser<'a> {
    /// Where the program's host arrays come from.
    pub hosts: Hosts<'a>,
    /// How many blocks may be inside of each other. Whoever allows more than [`MAX_DEPTH`] does all with the program,
    /// dropping it included, on a [deep stack](crate::deep::with_deep_stack).
    pub max_depth: usize,
}

/// So many blocks may be inside of each other unless more are asked for: such a program can be dropped, copied and compared on
/// the stack of any thread. What looks deeper, such as the checker, belongs on a [deep one](crate::deep), as for all programs.
pub const MAX_DEPTH: usize = 1000;

impl Default for Parser<'_> {
    fn default() -> Self {
        Self {
            hosts: Hosts::Given(&[]),
            max_depth: MAX_DEPTH,
        }
    }
}

impl Parser<'_> {
    /// The program of a text in the form of `N`.
    ///
    /// ```
    /// use cotangent_core::parse::Parser;
    /// use cotangent_core::term::{ArrId, Labelled};
    /// let text = "program (a7: f64[_], a8: i32[]) { return (a7) }";
    /// let program = Parser::default().program::<Labelled>(text)?;
    /// assert_eq!(program.body.results, [ArrId(7)]);
    /// # Ok::<(), cotangent_core::parse::ParseError>(())
    /// ```
    ///
    /// # Errors
    /// Where the text is not one of a well-formed program in that form.
    pub fn program<N: Numbered>(self, text: &str) -> Result<Program<N>, ParseError> {
        with_deep_stack(|| {
            let program = Reader::new(text, self).program()?;
            let checked = check(&program);
            checked.map_err(|error| ill_formed(text, error))?;
            Ok(program)
        })
    }

    /// The program of a text in either form, which its first variable tells; in the official form.
    ///
    /// ```
    /// use cotangent_core::parse::Parser;
    /// let official = "program (_: f64[_], _: i32[]) { return (a@1) }";
    /// let labelled = "program (a7: f64[_], a8: i32[]) { return (a7) }";
    /// let read = |text: &str| Parser::default().official(text);
    /// assert_eq!(read(official)?.body.results, read(labelled)?.body.results);
    /// # Ok::<(), cotangent_core::parse::ParseError>(())
    /// ```
    ///
    /// # Errors
    /// Where the text is not one of a well-formed program.
    pub fn official(self, text: &str) -> Result<Program<DeBruijn>, ParseError> {
        match token::is_labelled(text) {
            true => with_deep_stack(|| Ok(unlabel(&self.program::<Labelled>(text)?))),
            false => self.program(text),
        }
    }
}

impl<N: Numbered> FromStr for Program<N> {
    type Err = ParseError;

    /// The program of a text, without host arrays.
    ///
    /// ```
    /// use cotangent_core::term::{DeBruijn, Program};
    /// let text = "program (_: f64[_]) { let _: f64[_] = append (a@0, a@0) return (a@0) } // Twice.";
    /// let program: Program<DeBruijn> = text.parse()?;
    /// assert_eq!(program.to_string().parse::<Program<DeBruijn>>()?.body.results, program.body.results);
    /// # Ok::<(), cotangent_core::parse::ParseError>(())
    /// ```
    fn from_str(text: &str) -> Result<Self, ParseError> {
        Parser::default().program(text)
    }
}

/// What the checker says, at the let that it says it of; at the beginning where that is none.
fn ill_formed(text: &str, error: CheckError) -> ParseError {
    let (line, column) = error.loc.text_place().unwrap_or((1, 1));
    // Once is enough to say where.
    let problem = CheckError {
        loc: Loc::UNKNOWN,
        ..error
    };
    ParseError {
        at: token::place_of(text, line, column),
        problem: Box::new(ParseProblem::IllFormed(problem)),
    }
}
