//! Texts that were damaged give a program or an error with a place inside of the text, and never anything else. Those that
//! give a program give the one that prints as they say.

use super::random::{self, Random};
use crate::label::{samples, unlabel};
use crate::parse::token::Tokens;
use crate::parse::{Hosts, Parser};
use crate::term::{DeBruijn, Labelled, Program};

/// Damages made for each text.
const DAMAGES: usize = 300;

/// The tokens of a text, with what lies between.
fn pieces(text: &str) -> Vec<String> {
    let mut tokens = Tokens::new(text);
    let (mut pieces, mut end) = (vec![], 0);
    while end < text.len() {
        let bytes = tokens.take().bytes;
        pieces.push(text[end..bytes.start].to_owned());
        pieces.push(text[bytes.clone()].to_owned());
        end = bytes.end;
    }
    pieces
}

/// Something that has a meaning somewhere, or nowhere.
const ODD: [&str; 24] = [
    "let",
    "return",
    "=",
    "{",
    "}",
    "(",
    ")",
    "#0",
    "$7",
    "x@0",
    "a@99999999999",
    "x1",
    "-1",
    "1e9999",
    "inf",
    "nan:7ff8000000000000",
    "loop",
    "map",
    "test",
    "init",
    "alike",
    "§",
    "\u{0}",
    "//",
];

fn damaged_tokens(random: &mut Random, text: &str) -> String {
    let mut pieces = pieces(text);
    for _ in 0..1 + random.below(3) {
        let (at, other) = (random.below(pieces.len()), random.below(pieces.len()));
        match random.below(5) {
            0 => pieces[at].clear(),
            1 => pieces[at] = ODD[random.below(ODD.len())].to_owned(),
            2 => pieces.insert(at, pieces[other].clone()),
            3 => pieces.swap(at, other),
            _ => pieces[at] = pieces[other].clone(),
        }
    }
    pieces.concat()
}

fn damaged_bytes(random: &mut Random, text: &str) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for _ in 0..1 + random.below(3) {
        let at = random.below(bytes.len());
        match random.below(4) {
            0 => drop(bytes.remove(at)),
            1 => bytes[at] = random.below(256) as u8,
            2 => bytes.insert(at, bytes[at]),
            _ => bytes.truncate(at.max(1)),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Whether a damaged text is still a program.
#[track_caller]
fn read(text: &str) -> bool {
    let parser = Parser {
        hosts: Hosts::Zeros,
        ..Parser::default()
    };
    match parser.official(text) {
        Ok(program) => {
            let printed = program.to_string();
            let again = parser.official(&printed).map(|p| p.to_string());
            assert_eq!(again.as_ref(), Ok(&printed), "{text}");
            true
        }
        Err(error) => {
            let at = &error.at;
            assert!(text.get(at.bytes.clone()).is_some(), "{error}\n{text}");
            let line = text.split('\n').nth(at.line as usize - 1).unwrap_or("");
            let before = at.column as usize - 1;
            assert!(before <= line.chars().count(), "{error}\n{text}");
            assert!(error.to_string().len() < 20_000, "{error}");
            false
        }
    }
}

fn originals() -> Vec<Program<Labelled>> {
    let random = [7, 8, 9].map(random::program).into_iter();
    samples::all().into_iter().chain(random).collect()
}

#[test]
fn damaged_texts_are_programs_or_errors() {
    let mut random = Random(3);
    let (mut programs, mut errors) = (0, 0);
    for program in originals() {
        for text in [program.to_string(), unlabel(&program).to_string()] {
            for _ in 0..DAMAGES {
                let damaged = match random.below(2) {
                    0 => damaged_tokens(&mut random, &text),
                    _ => damaged_bytes(&mut random, &text),
                };
                match read(&damaged) {
                    true => programs += 1,
                    false => errors += 1,
                }
            }
        }
    }
    assert!(programs > 100 && errors > 1000, "{programs} {errors}");
}

#[test]
fn no_part_of_a_text_is_a_program() {
    for program in samples::all() {
        let text = unlabel(&program).to_string();
        for end in (0..text.len()).step_by(3) {
            let parser = Parser {
                hosts: Hosts::Zeros,
                ..Parser::default()
            };
            let error = parser.program::<DeBruijn>(&text[..end]).unwrap_err();
            assert!(error.at.bytes.end <= end);
        }
    }
}

#[test]
fn pieces_are_the_whole_text() {
    let text = "program () // x\n { return ( ) }\n";
    assert_eq!(pieces(text).concat(), text);
}
