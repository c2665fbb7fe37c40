//! The text form of programs: what it is, and the way to it. The [parser](crate::parse) is the way back.
//!
//! ```text
//! program  = "program" "(" [ arrs ] ")" "{" { "alike" "params" group } { "alike" "extents" pair } { host } { "alike" "hosts" group } lets "}"
//! host     = "host" "#" n ":" elem "[" [ n { "," n } ] "]"
//! group    = "#" n "," "#" n { "," "#" n }
//! pair     = "#" n n "," "#" n n
//!
//! lets     = { "let" [ arrs ] "=" op } "return" names
//! op       = "use" "#" n
//!          | "generate" shape f
//!          | ( "map" | "zip_with" ) names f
//!          | ( "fold1" | "scanl1" | "scanr1" ) names f
//!          | ( "fold" | "scanl" | "scanr" ) names f "init" ":" fn
//!          | move [ axes ] "(" name ")" part { part }
//!          | "permute" ( "add" | "overwrite" ) [ "inside" ] names "into" names "target" ":" fn
//!          | ( "unpack" | "append" ) names
//!          | "acond" "condition" ":" fn "then" ":" "{" lets "}" "else" ":" "{" lets "}"
//!          | ( "gradient_a" [ "with" "value" ] | "jvp_a" ) names "body" ":" closure
//!          | "custom_jvp" names "of" names "jvp" ":" closure
//!          | "custom_vjp" names "of" names "vjp" ":" closure
//!          | "custom_rules" names "of" names "jvp" ":" closure "vjp" ":" closure
//!          | "loop_a" names "trips" ":" fn [ "test" ":" closure ] "step" ":" closure
//! shape    = "shape" ":" fn
//! f        = "f" ":" fn
//! part     = word ":" fn
//! axes     = "[" [ axis { "," axis } ] "]"                       axis = "all" | "fixed"
//! closure  = [ "(" [ arrs ] ")" ] "{" lets "}"
//! arrs     = binder ":" type { "," binder ":" type }             type = elem "[" [ "_" { "," "_" } ] "]"
//! names    = "(" [ name { "," name } ] ")"
//!
//! fn       = "fn" [ "[" [ "$" n "=" name { "," "$" n "=" name } ] "]" ] "(" [ exps ] ")" "{" code "}"
//! code     = { "let" [ exps ] "=" scalar } "return" names
//! scalar   = constant
//!          | prim names
//!          | "index" "$" n names
//!          | "extent" "$" n n
//!          | "cond" name "then" ":" "{" code "}" "else" ":" "{" code "}"
//!          | ( "gradient_e" [ "with" "value" ] | "jvp_e" ) names "body" ":" lambda
//!          | "with_partials" names
//!          | "loop" names [ "test" ":" lambda ] "step" ":" lambda
//! lambda   = [ "(" [ exps ] ")" ] "{" code "}"
//! exps     = binder ":" elem { "," binder ":" elem }             elem = "bool" | "i32" | "i64" | "u32" | "f16" | "f32" | "f64"
//!
//! name     = "a@" n | "x@" n in the official form, "a" n | "x" n in the labelled form: of arrays | of scalars
//! binder   = "_" in the official form, a name in the labelled form
//! constant = "true" | "false" | integer [ "i64" | "u32" ]
//!          | ( float | [ "-" ] "inf" ) [ "f16" | "f32" ]
//!          | "nan:" bits [ "f16" | "f32" ]
//! ```
//!
//! `n` is a decimal number, `prim` the name of a [primitive](crate::prim::Prim), `move` that of a [move](crate::term::Move), whose
//! `axes` are there if it says something of dimensions, and whose functions follow by their names, as in `slice [all, fixed] (a0)
//! indices: fn …`. `bits` are the bits of a NaN in hexadecimal digits, as many as the type has, and an `integer` or a `float`
//! may have a minus. A [constant](crate::constant::Const) carries its
//! type: without a suffix, digits alone are an `i32`, anything else an `f64`; floats are printed by as many digits as tell them
//! from their neighbours. Types stand at binders only. A map of several arrays is called `zip_with`, of one array or none `map`.
//! The printer leaves out the brackets of what binds or captures nothing, but not the parentheses of a function; slots and host
//! arrays are numbered in order, from 0. `alike` names inputs of one shape, the first one first,
//! or two extents of inputs that are equal, each by its input and the dimension.
//!
//! Spaces, line breaks and comments (`//` to the end of the line) may stand between any two tokens and mean nothing. A token is
//! a word of letters, digits and `_`, a name with `@`, `#n` or `$n`, a constant, or one of `(){}[],:=`. The printer writes one let per
//! line; parts of an operation (its functions and blocks) follow it, indented, each after its name. Indentation stops growing at
//! some depth.
//!
//! Host arrays are printed by reference, with their extents: their elements are not in the text. Nor are source locations, but
//! as comments if they are [asked for](Printer::locations). All else is: every program has a text of its own.
//!
//! The official text is that of the de Bruijn form: binders are `_`, uses `x@0` and `a@0` count binders
//! outwards. Programs equal up to renaming have equal official texts, and the other way round. The labelled
//! form prints labels, `x0` and `a0`, at both.

#[cfg(test)]
mod tests;
mod text;
pub(crate) mod words;

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
