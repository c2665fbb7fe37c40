//! What templates become, on small ones; `math/tests.rs` and the tests of whole shaders validate those that there are.

use super::{Letter, instance};

const SINGLE: [Letter; 2] = [Letter::F32, Letter::U32];
const DOUBLE: [Letter; 2] = [Letter::F64, Letter::U64];

#[track_caller]
fn check(template: &str, single: &str, double: &str) {
    assert_eq!(instance(template, &SINGLE), single);
    assert_eq!(instance(template, &DOUBLE), double);
}

#[test]
fn letters_are_types_in_words_and_suffixes_behind_numbers() {
    check(
        "let PI_F: F = F(x_F) + 1e-8F - F0;",
        "let PI_f32: f32 = f32(x_f32) + 1e-8f - F0;",
        "let PI_f64: f64 = f64(x_f64) + 1e-8lf - F0;",
    );
    check("0x0fU >> 2u", "0x0fu >> 2u", "0x0flu >> 2u");
}

#[test]
fn of_texts_side_by_side_one_is_chosen() {
    check("$(23|52)u, $(-1|2).0F", "23u, -1.0f", "52u, 2.0lf");
}

#[test]
fn a_line_may_be_for_one_type() {
    check(
        "f32:  x_F\nf64:  y_F\n  z: F\n",
        "  x_f32\n  z: f32\n",
        "  y_f64\n  z: f64\n",
    );
}

#[test]
fn polynomials_may_be_of_different_degrees() {
    check(
        "// Near 1.\npolynomial p_F\n    -  7\n    2  -3\n    1  0.5",
        "// Near 1.\nfn p_f32(x: f32) -> f32 {\n    var sum = 2f;\n    return sum * x + 1f;\n}",
        "// Near 1.\nfn p_f64(x: f64) -> f64 {\n    var sum = 7lf;\n    sum = sum * x + -3lf;\n    return sum * x + 0.5lf;\n}",
    );
}

#[test]
fn what_a_type_has_no_coefficients_for_is_left_out() {
    let template = "a\n\n// Wide.\npolynomial p_F\n    -  1\n    -  2\n\nb\n";
    assert_eq!(instance(template, &SINGLE), "a\n\nb\n");
    assert!(instance(template, &DOUBLE).contains("fn p_f64("));
}

#[test]
fn the_first_letter_chooses() {
    let letters = [Letter::I64, Letter::F32];
    let text = instance("I_of_F: $(31|63)I, 1.0F", &letters);
    assert_eq!(text, "i64_of_f32: 63li, 1.0f");
}
