//! What is printed is read back, and everything else is refused with a place in the text.

mod depth;
mod errors;
mod mutations;
mod programs;
mod random;
mod syntax;

use super::{Hosts, ParseError, Parser};
use crate::label::{Numbered, unlabel};
use crate::loc::Loc;
use crate::term::{Labelled, Program};

/// A program without locations.
fn bare<N: Numbered>(mut program: Program<N>) -> Program<N> {
    program.body.each_block_mut(&mut |block| {
        for let_ in &mut block.lets {
            let_.loc = Loc::UNKNOWN;
            for fun in let_.op.funs_mut() {
                fun.body.each_block_mut(&mut |block| {
                    block.lets.iter_mut().for_each(|l| l.loc = Loc::UNKNOWN);
                });
            }
        }
    });
    program
}

/// Reads a text with the host arrays of a program.
fn read<N: Numbered>(text: &str, of: &Program<N>) -> Result<Program<N>, ParseError> {
    let parser = Parser {
        hosts: Hosts::Given(&of.uses),
        ..Parser::default()
    };
    parser.program(text)
}

/// Prints a program and reads it back.
#[track_caller]
fn comes_back<N: Numbered>(program: &Program<N>) {
    let text = program.to_string();
    match read(&text, program) {
        Ok(found) => assert_eq!(bare(found), bare(program.clone()), "{text}"),
        Err(error) => panic!("{error}\n{text}"),
    }
}

/// The same in both forms.
#[track_caller]
fn both_come_back(program: &Program<Labelled>) {
    comes_back(program);
    comes_back(&unlabel(program));
}
