//! Each way in which a text can be wrong: the message, and where it points to.

use crate::host::{Column, HostArray};
use crate::parse::{Hosts, ParseError, Parser};
use crate::term::{DeBruijn, Labelled, Program};

/// The error of a text in the official form.
#[track_caller]
fn error(text: &str) -> ParseError {
    let read = text.parse::<Program<DeBruijn>>();
    read.expect_err("the text is wrong")
}

/// A text with the wrong place in angle brackets, and what is said of it.
#[track_caller]
fn refused(marked: &str, message: &str) {
    let (before, rest) = marked.split_once('⟨').expect("a mark");
    let (wrong, after) = rest.split_once('⟩').expect("its end");
    let found = error(&format!("{before}{wrong}{after}"));
    assert_eq!(found.problem.to_string(), message, "{marked}");
    assert_eq!(
        found.at.bytes,
        before.len()..before.len() + wrong.len(),
        "{marked}"
    );
    let line = before.lines().count().max(1);
    let line = line + usize::from(before.ends_with('\n'));
    assert_eq!(found.at.line as usize, line, "{marked}");
    let start = before.rfind('\n').map_or(0, |end| end + 1);
    let column = before[start..].chars().count() + 1;
    assert_eq!(found.at.column as usize, column, "{marked}");
}

/// The same for a let of array code in a program of a vector of floats and one of truth values.
#[track_caller]
fn refused_op(op: &str, message: &str) {
    let before = "program (_: f64[_], _: bool[_]) {\n  let _: f64[_] = ";
    refused(&format!("{before}{op}\n  return (a@0)\n}}"), message);
}

/// The same for a let of scalar code in the function of a map over floats.
#[track_caller]
fn refused_code(code: &str, message: &str) {
    let before = "program (_: f64[_]) {\n  let _: f64[_] = map (a@0)\n    f: fn [$0 = a@0] (_: f64) {\n      ";
    refused(&format!("{before}{code} }} return (a@0)\n}}"), message);
}

#[test]
fn what_is_out_of_place() {
    refused("⟨⟩", "expected `program`, found the end of the text");
    refused("⟨fn⟩ () {}", "expected `program`, found `fn`");
    refused(
        "// ä\n program ⟨§⟩",
        "expected `(`, found the character \"§\"",
    );
    refused("program () ⟨return⟩ () }", "expected `{`, found `return`");
    refused("program () { ⟨}⟩", "expected `let` or `return`, found `}`");
    refused(
        "program () { return ()⟨⟩",
        "expected `}`, found the end of the text",
    );
    refused(
        "program () { return () } ⟨program⟩",
        "expected the end of the text, found `program`",
    );
    refused(
        "program (⟨a0⟩: f64[_]) { return () }",
        "expected `_`, found `a0`",
    );
    refused(
        "program (_⟨;⟩ f64[_]) { return () }",
        "expected `:`, found the character \";\"",
    );
    refused(
        "program (_: ⟨f8⟩[_]) { return () }",
        "expected the type of a scalar, found `f8`",
    );
    refused(
        "program (_: f64⟨)⟩ { return () }",
        "expected `[`, found `)`",
    );
    refused(
        "program (_: f64[⟨3⟩]) { return () }",
        "expected `_`, found `3`",
    );
    refused(
        "program (_: f64[_] ⟨_⟩: f64[_]) { return () }",
        "expected `,` or `)`, found `_`",
    );
    refused(
        "program (_: f64[_],⟨)⟩ { return () }",
        "expected `_`, found `)`",
    );
    refused(
        "program () { return (⟨x@0⟩) }",
        "expected an array such as `a@0`, found `x@0`",
    );
}

#[test]
fn operations_that_are_none() {
    refused_op("⟨zip⟩ (a@0)", "there is no operation `zip` of arrays");
    refused_op("⟨add⟩ (a@0)", "there is no operation `add` of arrays");
    refused_op("⟨3⟩", "there is no operation `3` of arrays");
    refused_code(
        "let _: f64 = ⟨map⟩ (x@0)",
        "there is no operation `map` of scalars",
    );
    refused_code(
        "let _: f64 = ⟨nan⟩",
        "there is no operation `nan` of scalars",
    );
    refused_code(
        "let _: f64 = ⟨(⟩x@0)",
        "expected an operation of scalars or a constant, found `(`",
    );
}

#[test]
fn operations_that_lack_something() {
    let f = "f: fn (_: f64, _: f64) { return (x@0) }";
    refused_op(
        &format!("⟨zip_with⟩ (a@1) {f}"),
        "expected `map`, by the arguments, found `zip_with`",
    );
    refused_op(
        &format!("⟨map⟩ (a@1, a@1) {f}"),
        "expected `zip_with`, by the arguments, found `map`",
    );
    refused_op(
        &format!("fold (a@1) {f} ⟨return⟩ (a@0) }}"),
        "expected `init`, found `return`",
    );
    refused_op(
        &format!("fold1 (a@1) {f} ⟨init⟩: fn () {{}}"),
        "expected `let` or `return`, found `init`",
    );
    refused_op("generate ⟨f⟩: fn ()", "expected `shape`, found `f`");
    refused_op("generate shape: ⟨{⟩", "expected `fn`, found `{`");
    refused_op("reshape (⟨)⟩", "expected an array such as `a@0`, found `)`");
    refused_op("reshape (a@0⟨,⟩ a@0)", "expected `)`, found `,`");
    refused_op(
        "slice [⟨none⟩] (a@0)",
        "expected `all` or `fixed`, found `none`",
    );
    refused_op(
        "permute ⟨max⟩ (a@0)",
        "expected `add` or `overwrite`, found `max`",
    );
    refused_op(
        "permute add ⟨outside⟩ (a@0)",
        "expected `(`, found `outside`",
    );
}

#[test]
fn blocks_and_slots_that_are_none() {
    refused_op("gradient_a with ⟨(⟩a@0)", "expected `value`, found `(`");
    refused_op(
        "acond condition: fn () { return () } then: ⟨(⟩) {",
        "expected `{`, found `(`",
    );
    refused_op(
        "loop_a (a@0) trips: fn () { return () } ⟨body⟩: ",
        "expected `step`, found `body`",
    );
    refused_op("use ⟨$0⟩", "expected a number after `#`, found `$0`");
    refused_op(
        "map (a@1) f: fn [⟨$1⟩ = a@0] (_: f64)",
        "expected `$0`, found `$1`",
    );
    refused_code(
        "let _: f64 = index ⟨a@0⟩",
        "expected a number after `$`, found `a@0`",
    );
    refused_code(
        "let _: i32 = extent $0 ⟨x@0⟩",
        "expected the number of an axis, found `x@0`",
    );
    refused_code(
        "let _: i32 = extent $0 ⟨-1⟩",
        "expected the number of an axis, found `-1`",
    );
    refused_code("let _: f64⟨[⟩_] = ", "expected `=`, found `[`");
    refused_code(
        "let _: f64 = cond ⟨(⟩x@0)",
        "expected a scalar such as `x@0`, found `(`",
    );
}

#[test]
fn numbers_beyond_their_range() {
    refused_op(
        "append (⟨a@4294967296⟩)",
        "the number in `a@4294967296` is too large; the greatest is 4294967295",
    );
    refused_op(
        "use ⟨#99999999999999999999⟩",
        "the number in `#99999999999999999999` is too large; the greatest is 4294967295",
    );
    refused_code(
        "let _: i32 = ⟨2147483648⟩",
        "`2147483648` is beyond the numbers of type i32",
    );
    refused_code(
        "let _: f64 = ⟨1e999⟩",
        "`1e999` is beyond the numbers of type f64",
    );
    refused_code("let _: f64 = ⟨-x⟩", "`-x` is no constant of type f64");
    refused_code("let _: f64 = ⟨1.5f8⟩", "`1.5f8` is no constant of type f64");
    refused(
        "program () { host #0: f64[⟨2147483648⟩] return () }",
        "the number in `2147483648` is too large; the greatest is 2147483647",
    );
    let long = "7".repeat(100);
    let shown = &long[..60];
    refused_code(
        &format!("let _: i32 = extent $0 ⟨{long}⟩"),
        &format!("the number in `{shown}…` is too large; the greatest is 4294967295"),
    );
}

#[test]
fn variables_out_of_scope() {
    refused_op("append (a@0, ⟨a@2⟩)", "a@2 is not in scope");
    refused_code("let _: f64 = sin (⟨x@1⟩)", "x@1 is not in scope");
    refused_code(
        "let _: f64 = 1.0 return (x@1, ⟨x@2⟩)",
        "x@2 is not in scope",
    );
    // A let does not see what it binds, nor a let what a block before it has bound.
    refused_op(
        "acond condition: fn () { let _: bool = true return (x@0) }
        then: { let _: f64[_] = append (a@1) return (a@2) } else: { return (⟨a@2⟩) }",
        "a@2 is not in scope",
    );
    // Functions see no scalars of each other.
    refused_op(
        "generate shape: fn () { let _: i32 = 1 return (x@0) } f: fn (_: i32) { return (⟨x@1⟩) }",
        "x@1 is not in scope",
    );
    let labelled = "program (a0: f64[_]) { let a1: f64[_] = append (a0, a2) return (a1) }";
    let error = labelled.parse::<Program<Labelled>>().unwrap_err();
    assert_eq!(error.to_string(), "line 1, column 53: a2 is not in scope");
}

#[test]
fn labels_that_are_bound_twice() {
    let read = |text: &str| text.parse::<Program<Labelled>>().unwrap_err();
    let again = "program (a0: f64[_], a0: f64[_]) { return () }";
    let message = "is bound a second time; give every binding a fresh label";
    assert_eq!(
        read(again).to_string(),
        format!("line 1, column 22: a0 {message}")
    );
    let scalar = "program () { let = map () f: fn (x0: f64, x00: f64) { return () } return () }";
    assert_eq!(
        read(scalar).to_string(),
        format!("line 1, column 43: x0 {message}")
    );
}

#[test]
fn programs_that_break_rules_point_to_their_lets() {
    refused(
        "program (_: f64[_]) {\n  ⟨let⟩ _: i32[_] = append (a@0)\n  return (a@0)\n}",
        "let 0 (append): bindings: expected types (f64[_]), found (i32[_])",
    );
    refused_code(
        "return (x@0) } ⟨let⟩ = map (a@0) f: fn (_: f64) { return (x@0)",
        "let 1 (map): bindings: expected types (f64[_]), found ()",
    );
    refused_code(
        "⟨let⟩ _: f64 = not (x@0) return (x@0)",
        "let 0 (map): f: let 0 (not): `not` is not defined on operands of types (f64)",
    );
    refused_code(
        "⟨let⟩ _: f64 = index $1 (x@0) return (x@0)",
        "let 0 (map): f: let 0 (index): slot $1 is out of range: the function captures 1 arrays",
    );
    refused(
        "⟨program⟩ (_: f64[_], _: f64[]) { alike params #0, #1 return () }",
        "parameter 1 cannot be said to have the shape of parameter 0",
    );
    refused(
        "program () { ⟨let⟩ _: f64[_] = use #4294967295 return () }",
        "let 0 (use): use #4294967295 is out of range: the program has 0 host arrays",
    );
}

#[test]
fn groups_of_inputs() {
    refused(
        "program (_: f64[], _: f64[]) { alike params #0⟨return⟩ () }",
        "expected `,`, found `return`",
    );
    refused(
        "program (_: f64[], _: f64[]) { alike params #0, #1, ⟨#1⟩ return () }",
        "expected an input that is in no group yet, found `#1`",
    );
    refused(
        "program (_: f64[_]) { alike extents #0 ⟨return⟩ () }",
        "expected a dimension, found `return`",
    );
    refused(
        "⟨program⟩ (_: f64[_], _: f64[_]) { alike extents #0 1, #1 0 return () }",
        "dimension 0 of parameter 1 cannot be said to be as long as dimension 1 of parameter 0",
    );
    refused(
        "program () { alike ⟨inputs⟩ #0, #1 return () }",
        "expected `params`, found `inputs`",
    );
    refused(
        "program () { alike ⟨hosts⟩ #0, #1 return () }",
        "expected `params`, found `hosts`",
    );
}

/// What is said of a text read with these host arrays.
fn said(text: &str, hosts: Hosts<'_>) -> String {
    let parser = Parser {
        hosts,
        ..Parser::default()
    };
    let program = parser.program::<DeBruijn>(text);
    program.expect_err("wrong hosts").to_string()
}

#[test]
fn host_arrays_that_are_others() {
    let text = "program () {\n  host #0: f64[3]\n  host #1: i32[]\n  return ()\n}";
    let host = |shape: &[usize], column| HostArray::new(shape.to_vec(), column).unwrap();
    let floats = host(&[3], Column::from(vec![0.5; 3]));
    let number = host(&[], Column::from(vec![1]));
    let given = |hosts: &[HostArray]| said(text, Hosts::Given(hosts));
    assert_eq!(
        error(text).to_string(),
        "line 2, column 3: host array #0 is missing: 0 were given"
    );
    assert_eq!(
        given(std::slice::from_ref(&floats)),
        "line 3, column 3: host array #1 is missing: 1 were given"
    );
    assert_eq!(
        given(&[floats.clone(), floats.clone()]),
        "line 3, column 3: host array #1 is i32[] in the text, f64[3] was given"
    );
    assert_eq!(
        given(&[number.clone(), number.clone()]),
        "line 2, column 3: host array #0 is f64[3] in the text, i32[] was given"
    );
    assert_eq!(
        given(&[floats, number.clone(), number]),
        "line 4, column 3: the program has 2 host arrays, 3 were given"
    );
    let huge = "program () { host #0: f64[2147483647, 2147483647, 2147483647] return () }";
    assert!(said(huge, Hosts::Zeros).contains("host array #0: shape"));
    let huge = "program () { host #0: f64[2147483647, 2147483647, 0, 2147483647] return () }";
    assert!(
        Parser {
            hosts: Hosts::Zeros,
            ..Parser::default()
        }
        .official(huge)
        .is_ok()
    );
    let large = "program () { host #0: f64[2147483647, 100000000] return () }";
    assert!(said(large, Hosts::Zeros).contains("bytes of memory could not be allocated"));
    refused(
        "program () { host ⟨#1⟩: f64[] return () }",
        "expected `#0`, found `#1`",
    );
}
