//! The text form of programs.
//!
//! ```text
//! program  = "program" binds "{" { "host" "#" n ":" elem "[" extents "]" } block "}"
//! block    = { "let" bind { "," bind } "=" op { part } } "return" names
//! part     = word ":" fn | ( "then" | "else" ) ":" "{" block "}" | "body" ":" binds "{" block "}"
//! fn       = "fn" [ "[" "$" n "=" name { "," "$" n "=" name } "]" ] binds "{" block "}"
//! binds    = "(" [ bind { "," bind } ] ")"            bind = name ":" type
//! names    = "(" [ name { "," name } ] ")"
//! op       = constant | prim names | "index" "$" n names | "extent" "$" n axis | "cond" name
//!          | "gradient_e" [ "with" "value" ] names
//!          | "use" "#" n | "generate" | "acond" | "permute" ( "add" | "overwrite" ) names "into" names
//!          | ( "replicate" | "slice" ) "[" axes "]" names | "gradient_a" [ "with" "value" ] names
//!          | ( "map" | "zip_with" | "fold" | "scanl" | "unpack" | … ) names
//! ```
//!
//! A let without bindings is `let = op`.
//!
//! One let per line; parts of an operation (its functions and blocks) follow it, indented, each after its
//! name. Braces alone delimit: line breaks and indentation, which stops growing at some depth, mean nothing.
//! Types stand at binders only, constants carry theirs ([`Const`](crate::constant::Const)). Host arrays are
//! printed by reference, with their extents.
//!
//! The official text is that of the de Bruijn form: binders are `_`, uses `x@0` and `a@0` count binders
//! outwards. Programs equal up to renaming have equal official texts, and the other way round. The labelled
//! form prints labels, `x0` and `a0`, at both.

#[cfg(test)]
mod tests;
mod text;

pub(crate) use text::Text;

use crate::label::Numbered;
use crate::term::{AccBlock, ExpBlock, Fun, Program};
use std::fmt;

/// How to print. The `Display` implementations of programs, functions and blocks use the default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Printer {
    /// Whether each let says in a comment where the user wrote it.
    pub locations: bool,
}

impl Printer {
    /// The text of a program.
    pub fn program<N: Numbered>(self, program: &Program<N>) -> String {
        self.collect(|text| text.program(program))
    }

    /// The text of a scalar function.
    pub fn fun<N: Numbered>(self, fun: &Fun<N>) -> String {
        self.collect(|text| text.fun(fun))
    }

    fn collect(self, write: impl FnOnce(&mut Text<'_>) -> fmt::Result) -> String {
        let mut out = String::new();
        let mut text = Text::new(&mut out);
        text.locations = self.locations;
        // Writing to a string does not fail.
        write(&mut text).map_or_else(|_| String::new(), |()| out)
    }
}

impl<N: Numbered> fmt::Display for Program<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Text::new(f).program(self)
    }
}

impl<N: Numbered> fmt::Display for Fun<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Text::new(f).fun(self)
    }
}

impl<N: Numbered> fmt::Display for AccBlock<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Text::new(f).acc_block(self)
    }
}

impl<N: Numbered> fmt::Display for ExpBlock<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Text::new(f).exp_block(self)
    }
}
