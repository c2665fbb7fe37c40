//! What the grammar allows beside what is printed, and both forms by hand.

use super::bare;
use crate::host::{Column, HostArray};
use crate::label::{label, samples, unlabel};
use crate::loc::Loc;
use crate::parse::{Hosts, Parser};
use crate::term::{AccOp, DeBruijn, Labelled, Program};

const SCALED: &str = "\
// Each element by the greatest.
program (_: f64[_]) {
  let _: f64[] = fold (a@0)
    f: fn (_: f64, _: f64) {
      let _: f64 = max (x@1, x@0)
      return (x@0)
    }
    init: fn () {
      let _: f64 = -inf
      return (x@0)
    }
  let _: f64[_] = map (a@1)
    f: fn [$0 = a@0] (_: f64) { // Reads the greatest again for each.
      let _: f64 = index $0 ()
      let _: f64 = div (x@1, x@0)
      return (x@0)
    }
  return (a@0)
}
";

fn official(text: &str) -> Program<DeBruijn> {
    text.parse().unwrap()
}

#[test]
fn spaces_lines_and_comments_mean_nothing() {
    let program = bare(official(SCALED));
    let without: Vec<_> = SCALED
        .lines()
        .map(|line| line.split("//").next().unwrap_or_default().trim())
        .collect();
    assert_eq!(bare(official(&without.join(" "))), program);
    for token in ["(", ")", "{", "}", "[", "]", ",", ":", "="] {
        let apart = SCALED.replace(token, &format!("\r\n\t{token} // \u{e4} \"{token}\n\u{c}"));
        assert_eq!(bare(official(&apart)), program, "{token}");
    }
    let dense = [", ", " = ", ": ", ") ", "{ ", " }", " ("]
        .iter()
        .fold(without.join(" "), |text, apart| {
            text.replace(apart, apart.trim())
        });
    assert!(
        !dense.contains(") ")
            && dense.contains("(a@0)f:fn(_:f64,_:f64){let _:f64=max(x@1,x@0)return")
    );
    assert_eq!(bare(official(&dense)), program);
}

#[test]
fn lets_are_where_they_stand_in_the_text() {
    let program = official(SCALED);
    let [fold, map] = &program.body.lets[..] else {
        panic!("two lets")
    };
    assert_eq!(fold.loc, Loc::in_text(3, 3));
    let inner = &map.op.funs()[0].body.lets[1];
    assert_eq!(inner.loc.text_place(), Some((15, 7)));
    assert_eq!(inner.loc.to_string(), "text:15:7");
}

#[test]
fn the_first_variable_tells_the_form() {
    let read = |text: &str| Parser::default().official(text).map(bare);
    let program = official(SCALED);
    let labelled = label(&program).to_string();
    assert!(labelled.starts_with("program (a0: f64[_])"));
    assert_eq!(read(&labelled), Ok(bare(program.clone())));
    assert_eq!(read(SCALED), Ok(bare(program)));
    assert!(SCALED.parse::<Program<Labelled>>().is_err());
    assert!(labelled.parse::<Program<DeBruijn>>().is_err());
    // Without variables, both forms are one.
    let empty = "program () { return () }";
    assert_eq!(read(empty), Ok(official(empty)));
    // Without parameters, the first let tells.
    let late = "program () { host #0: f64[2] let a3: f64[_] = use #0 return (a3) }";
    let zeros = Parser {
        hosts: Hosts::Zeros,
        ..Parser::default()
    };
    assert_eq!(zeros.official(late).unwrap().body.lets.len(), 1);
}

#[test]
fn host_arrays_are_those_given_or_zeros() {
    let program = samples::array_gradient();
    let text = unlabel(&program).to_string();
    let given = Parser {
        hosts: Hosts::Given(&program.uses),
        ..Parser::default()
    };
    assert_eq!(given.official(&text).unwrap().uses, program.uses);
    let zeros = Parser {
        hosts: Hosts::Zeros,
        ..Parser::default()
    };
    let zeros = zeros.official(&text).unwrap().uses;
    assert_eq!(
        zeros,
        [HostArray::new(vec![3], Column::from(vec![0.0; 3])).unwrap()]
    );
}

#[test]
fn zeros_have_each_type_and_any_extents() {
    let text = "program () {
        host #0: bool[] host #1: i32[0, 2147483647] host #2: i64[1] host #3: u32[2]
        host #4: f16[2, 1] host #5: f32[3] host #6: f64[1, 2, 3]
        alike hosts #2, #2147483647
        return () }";
    let parser = Parser {
        hosts: Hosts::Zeros,
        ..Parser::default()
    };
    let without = text.replace("alike hosts #2, #2147483647", "");
    let uses = parser.official(&without).unwrap().uses;
    let lens: Vec<_> = uses.iter().map(|u| u.column().len()).collect();
    assert_eq!(lens, [1, 0, 1, 2, 2, 3, 6]);
    assert!(parser.official(text).is_err());
}

#[test]
fn numbers_may_begin_with_zeros() {
    let program =
        official("program (_: f64[_]) { let _: f64[_, _] = unpack (a@00) return (a@0001) }");
    assert!(matches!(program.body.lets[0].op, AccOp::Unpack { .. }));
}
