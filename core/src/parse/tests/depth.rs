//! Deep programs, long tokens, long lines: within the limit they are read on any stack, beyond it refused.

use super::{bare, comes_back};
use crate::deep::with_deep_stack;
use crate::label::{samples, unlabel};
use crate::parse::{MAX_DEPTH, ParseProblem, Parser};
use crate::term::{DeBruijn, Program};
use std::thread;

/// What a thread has unless more is asked for.
const USUAL_STACK: usize = 2 << 20;

/// The sample has two more blocks around those that are asked for.
const AROUND: usize = 2;

#[test]
fn the_deepest_program_is_read_copied_compared_and_dropped_on_a_usual_stack() {
    let text = with_deep_stack(|| unlabel(&samples::deep(MAX_DEPTH - AROUND)).to_string());
    let read = move || {
        let program: Program<DeBruijn> = text.parse().unwrap();
        let copy = program.clone();
        assert!(copy == program);
    };
    let thread = thread::Builder::new().stack_size(USUAL_STACK).spawn(read);
    thread.unwrap().join().unwrap();
}

#[test]
fn one_block_more_is_refused() {
    let text = with_deep_stack(|| unlabel(&samples::deep(MAX_DEPTH - AROUND + 1)).to_string());
    let error = text.parse::<Program<DeBruijn>>().unwrap_err();
    let limit = MAX_DEPTH;
    assert_eq!(*error.problem, ParseProblem::TooDeep { limit });
    assert_eq!(&text[error.at.bytes], "{");
}

#[test]
fn more_depth_can_be_asked_for() {
    with_deep_stack(|| {
        let program = unlabel(&samples::deep(100_000));
        let parser = Parser {
            max_depth: 100_000 + AROUND,
            ..Parser::default()
        };
        let found = parser.program(&program.to_string()).unwrap();
        assert!(bare(found) == bare(program));
    });
}

#[test]
fn brackets_without_end_are_refused() {
    for begin in [
        "program () ",
        "program () { let _: f64[_] = acond condition: fn () ",
    ] {
        for bracket in ["{", "(", "[", "{ let = cond x@0 then: "] {
            let text = format!("{begin}{}", bracket.repeat(1_000_000));
            assert!(text.parse::<Program<DeBruijn>>().is_err());
        }
    }
}

/// A lexer that recursed over characters would not survive.
#[test]
fn long_tokens_are_read_and_shown_in_part() {
    let long = 5_000_000;
    let comment = format!("program () {{ //{}\n return () }}", "x".repeat(long));
    assert!(comment.parse::<Program<DeBruijn>>().is_ok());
    let spaces = format!("program () {{ {} return () }}", " \n".repeat(long));
    assert!(spaces.parse::<Program<DeBruijn>>().is_ok());
    for token in ["a", "7", "a@7", "#1", "1.", "nan:7", "-x", "_", "\u{e4}"] {
        let (first, last) = token.split_at(token.len() - token.chars().last().unwrap().len_utf8());
        let text = format!("program () {{ let _: f64[_] = {first}{}", last.repeat(long));
        let error = text.parse::<Program<DeBruijn>>().unwrap_err();
        assert!(error.to_string().len() < 300, "{token}");
    }
}

/// Counting columns from the beginning of the line at each let would not end.
#[test]
fn long_lines_take_linear_time() {
    let sum = "let _: f64[_] = append (a@0, a@0) ";
    let text = format!(
        "program (_: f64[_]) {{ {} return (a@0) }}",
        sum.repeat(200_000)
    );
    let program: Program<DeBruijn> = text.parse().unwrap();
    assert_eq!(program.body.lets.len(), 200_000);
    comes_back(&samples::dot());
}
