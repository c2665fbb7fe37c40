//! The text of programs is read back, to the program that was printed: of the corpus, of generated programs, and of what AD makes of
//! them.

use cotangent_ad::differentiate;
use cotangent_core::label::{Numbered, label, unlabel};
use cotangent_core::loc::Loc;
use cotangent_core::parse::{Hosts, Parser};
use cotangent_core::simplify::simplify;
use cotangent_core::term::{DeBruijn, Labelled, Program};
use cotangent_tests::corpus::corpus;
use cotangent_tests::generate::Case;

/// The seed of the first program, and how many there are.
const SEED: u64 = 20_260_000;
const CASES: u64 = 300;

/// A program without what texts do not have: locations, and host arrays, which no other array equals if they hold a NaN.
fn bare<N: Numbered>(mut program: Program<N>) -> Program<N> {
    program.uses.clear();
    program.body.each_block_mut(&mut |block| {
        for let_ in &mut block.lets {
            let_.loc = Loc::UNKNOWN;
            let inside = let_.op.funs_mut().into_iter();
            inside.for_each(|fun| {
                fun.body.each_block_mut(&mut |block| {
                    block.lets.iter_mut().for_each(|l| l.loc = Loc::UNKNOWN);
                })
            });
        }
    });
    program
}

#[track_caller]
fn comes_back<N: Numbered>(program: &Program<N>) {
    let text = program.to_string();
    let parser = Parser {
        hosts: Hosts::Given(&program.uses),
        ..Parser::default()
    };
    match parser.program(&text) {
        Ok(found) => assert!(bare(found) == bare(program.clone()), "{text}"),
        Err(error) => panic!("{error}\n{text}"),
    }
}

/// Both forms, of the program and of its derivative, where it has one.
#[track_caller]
fn all_come_back(program: Program<Labelled>) {
    comes_back(&program);
    comes_back::<DeBruijn>(&unlabel(&program));
    if let Ok(derived) = differentiate(simplify(program).0) {
        comes_back(&derived);
        comes_back(&unlabel(&derived));
    }
}

#[test]
fn the_corpus_comes_back() {
    for entry in corpus() {
        all_come_back(label(&entry.value));
        all_come_back(label(&entry.gradient));
    }
}

#[test]
fn generated_programs_come_back() {
    for seed in SEED..SEED + CASES {
        all_come_back(Case::from_seed(seed).program);
    }
}
