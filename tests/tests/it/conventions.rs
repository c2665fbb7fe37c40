//! What derivatives are where that is a convention: the docs say it, at the method, and all ways to a derivative do it.
//!
//! Each entry of the tables is a sentence of a method's docs, and numbers for it. They are compared with dual numbers (the
//! interpreter) and reverse mode (the CPU), of scalar functions and of arrays, in each float type. A sentence on
//! a derivative that is in the docs and not in the tables is an error, too.

use cotangent::prelude::*;
use cotangent::{Cpu, compile, f16};
use std::collections::BTreeSet;
use std::path::Path;

const INF: f64 = f64::INFINITY;
const NAN: f64 = f64::NAN;

/// The files with methods in whose docs derivatives are spoken of.
const DOCS: [&str; 4] = [
    "math/elementary.rs",
    "math/compare.rs",
    "math/convert.rs",
    "acc/reduce.rs",
];

/// The word by which such sentences are known.
const TOPIC: &str = "derivative";

/// Each method's name and the sentences of its docs, without the examples.
fn documented() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../core/src/surface");
    DOCS.iter()
        .flat_map(|file| methods(&std::fs::read_to_string(folder.join(file)).unwrap()))
        .collect()
}

fn methods(text: &str) -> Vec<(String, String)> {
    let (mut found, mut docs, mut in_example) = (vec![], String::new(), false);
    for line in text.lines().map(str::trim) {
        if let Some(doc) = line.strip_prefix("///") {
            let is_fence = doc.trim().starts_with("```");
            in_example ^= is_fence;
            if !in_example && !is_fence {
                docs = format!("{docs}{doc}");
            }
        } else if !line.starts_with("#[") {
            found.push((name_of(line), std::mem::take(&mut docs)));
        }
    }
    found
}

/// The name in `pub fn name<..` and in `Class: name = Prim ..;`; of another line, something that no method is called.
fn name_of(line: &str) -> String {
    if line.starts_with("impl") {
        return "impl".to_owned();
    }
    let name = line.strip_prefix("pub fn ").unwrap_or(line);
    let name = name.split(" = ").next().unwrap_or(name);
    let name = name.split(": ").last().unwrap_or(name);
    let is_part = |c: &char| c.is_alphanumeric() || *c == '_';
    let whole = line.strip_prefix("pub fn ").unwrap_or(name);
    whole.chars().take_while(is_part).collect()
}

/// Derivatives at a point: of a function of one number, the number, and of a function of two, both.
#[derive(Clone, Copy)]
struct Case<const N: usize> {
    at: [f64; N],
    partials: [f64; N],
}

fn case<const N: usize>((at, partials): ([f64; N], [f64; N])) -> Case<N> {
    Case { at, partials }
}

/// The same number; NaN is a NaN.
fn agrees(found: f64, expected: f64) -> bool {
    found == expected || found.is_nan() && expected.is_nan()
}

/// Compares the derivatives of `f` in type `T`, found in four ways.
fn check<T: Float, const N: usize>(name: &str, f: fn([Exp<T>; N]) -> Exp<T>, cases: &[Case<N>]) {
    let by_element = compile(move |points: Acc<Ix1, [f64; N]>| {
        let points = points.map(|x| x.map(|x| x.to::<T>()));
        points
            .map(|x| gradient_e(f, x))
            .map(|partials| partials.map(|s| s.to::<f64>()))
    });
    let by_array = compile(move |points: Acc<Ix1, [f64; N]>| {
        let points = points.map(|x| x.map(|x| x.to::<T>()));
        gradient_a(|points: Acc<Ix1, [T; N]>| points.map(f).sum(), points)
            .map(|partials| partials.map(|s| s.to::<f64>()))
    });
    let points = Array::vector(cases.iter().map(|case| case.at).collect()).unwrap();
    for program in [by_element.unwrap(), by_array.unwrap()] {
        let cpu = program.run(&Cpu::default(), points.clone()).unwrap();
        let duals = program.interpret(points.clone()).unwrap();
        for (engine, found) in [("CPU", cpu.to_vec()), ("duals", duals.to_vec())] {
            for (Case { at, partials }, found) in cases.iter().zip(found) {
                let is_right = std::iter::zip(found, *partials).all(|(f, s)| agrees(f, s));
                let ty = T::TYPE;
                assert!(
                    is_right,
                    "{name}, {ty:?}, {engine}: {found:?} at {at:?}, not {partials:?}"
                );
            }
        }
    }
}

/// Entries: name, sentence, function and cases. Each becomes a check for each float type.
macro_rules! conventions {
    ($table:ident: $($name:literal, $says:literal, |$x:pat_param| $f:expr, [$($case:expr),+ $(,)?];)+) => {
        fn $table(said: &mut BTreeSet<(&str, &str)>) {
            $(
                said.insert(($name, $says));
                let cases = [$(case($case)),+];
                check::<f64, _>($name, |$x| $f, &cases);
                check::<f32, _>($name, |$x| $f, &cases);
                check::<f16, _>($name, |$x| $f, &cases);
            )+
        }
    };
}

conventions! { poles:
    "sqrt", "The derivative at 0 is ∞.", |[x]| x.sqrt(), [([0.0], [INF])];
    "ln", "The derivative at 0 is ∞, and 1 / x also where x is negative.", |[x]| x.ln(),
        [([0.0], [INF]), ([-2.0], [-0.5])];
    "ln_1p", "The derivative at −1 is ∞, and 1 / (1 + x) also where x is below −1.", |[x]| x.ln_1p(),
        [([-1.0], [INF]), ([-3.0], [-0.5])];
    "recip", "The derivative at 0 is −∞.", |[x]| x.recip(), [([0.0], [-INF])];
    "asin", "The derivative at ±1 is ∞.", |[x]| x.asin(), [([1.0], [INF]), ([-1.0], [INF])];
    "acos", "The derivative at ±1 is −∞.", |[x]| x.acos(), [([1.0], [-INF]), ([-1.0], [-INF])];
    "acosh", "The derivative at 1 is ∞.", |[x]| x.acosh(), [([1.0], [INF])];
    "atanh", "The derivative at ±1 is ∞.", |[x]| x.atanh(), [([1.0], [INF]), ([-1.0], [INF])];
    "atan2", "The derivatives at the origin are NaN.", |[y, x]| y.atan2(x),
        [([0.0, 0.0], [NAN, NAN]), ([0.0, 2.0], [0.5, 0.0])];
}

conventions! { powers:
    "powf", "The derivative in the base is y·xʸ⁻¹, and 0 where the exponent y is 0.", |[x, y]| x.powf(y),
        [([1.0, 3.0], [3.0, 0.0]), ([0.0, 0.0], [0.0, 0.0]), ([0.0, 1.0], [1.0, 0.0])];
    "powf", "The derivative in the exponent is xʸ·ln x, and 0 where the base is 0 and the exponent is not negative.",
        |[x, y]| x.powf(y), [([0.0, 2.0], [0.0, 0.0]), ([1.0, 2.0], [2.0, 0.0])];
    "powi", "The derivative is that of the multiplications: n·xⁿ⁻¹ also at 0, and 0 for the exponent 0.",
        |[x, y]| x.powi(3) + y.powi(1) + x.powi(0) + y.powi(-1),
        [([0.0, 1.0], [0.0, 0.0]), ([-2.0, 2.0], [12.0, 0.75])];
}

conventions! { kinks:
    "abs", "The derivative at 0 is 0.", |[x]| x.abs(),
        [([0.0], [0.0]), ([-0.0], [0.0]), ([-2.0], [-1.0]), ([2.0], [1.0])];
    "signum", "The derivative is 0 everywhere.", |[x]| x.signum(), [([0.0], [0.0]), ([2.0], [0.0])];
    "max", "The derivative goes to the greater one, and where both are equal to the first, `self`.", |[x, y]| x.max(y),
        [([1.0, 2.0], [0.0, 1.0]), ([2.0, 1.0], [1.0, 0.0]), ([1.0, 1.0], [1.0, 0.0]), ([-0.0, 0.0], [1.0, 0.0])];
    "max", "So that of `x.max(0.0)` at 0 is 1.", |[x]| x.max(0.0),
        [([0.0], [1.0]), ([1.0], [1.0]), ([-1.0], [0.0])];
    "min", "The derivative goes to the lesser one, and where both are equal to the first, `self`.", |[x, y]| x.min(y),
        [([1.0, 2.0], [1.0, 0.0]), ([2.0, 1.0], [0.0, 1.0]), ([1.0, 1.0], [1.0, 0.0])];
    "clamp", "The derivative at both ends of the range is 1, as inside; outside it goes to the end.",
        |[x, y]| x.clamp(y, 2.0), [([1.0, 1.0], [1.0, 0.0]), ([2.0, 1.0], [1.0, 0.0]), ([1.5, 1.0], [1.0, 0.0]),
            ([0.5, 1.0], [0.0, 1.0]), ([3.0, 1.0], [0.0, 0.0])];
    "maximum", "The derivative goes to the first of the greatest.", |[x, y]| x.max(y), [([1.0, 1.0], [1.0, 0.0])];
    "minimum", "The derivative goes to the first of the least.", |[x, y]| x.min(y), [([1.0, 1.0], [1.0, 0.0])];
}

conventions! { steps:
    "floor", "The derivative is 0 everywhere.", |[x]| x.floor(), [([1.5], [0.0]), ([2.0], [0.0])];
    "ceil", "The derivative is 0 everywhere.", |[x]| x.ceil(), [([1.5], [0.0]), ([2.0], [0.0])];
    "round", "The derivative is 0 everywhere.", |[x]| x.round(), [([1.5], [0.0]), ([2.0], [0.0])];
    "trunc", "The derivative is 0 everywhere.", |[x]| x.trunc(), [([1.5], [0.0]), ([2.0], [0.0])];
    "to", "The derivative between floats is 1, to and from other types 0.",
        |[x, y]| 3.0 * x.to::<f64>().to() + y.to::<i32>().to(), [([0.5, 1.5], [3.0, 0.0]), ([2.0, 2.0], [3.0, 0.0])];
    "div_floor", "Integers have no derivative.", |[x, y]| x * y.floor_to::<i32>().div_floor(2).to(),
        [([1.5, 5.0], [2.0, 0.0])];
    "mod_floor", "Integers have no derivative.", |[x, y]| x * y.floor_to::<i32>().mod_floor(3).to(),
        [([1.5, 5.0], [2.0, 0.0])];
}

#[test]
fn derivatives_are_what_the_docs_say() {
    let mut said = BTreeSet::new();
    for table in [poles, powers, kinks, steps] {
        table(&mut said);
    }
    let documented = documented();
    for (name, says) in &said {
        let is_there = |(method, docs): &(String, String)| method == name && docs.contains(says);
        assert!(
            documented.iter().any(is_there),
            "not in the docs of `{name}`: {says}"
        );
    }
    for (name, docs) in &documented {
        let sentences = docs.split_inclusive(". ").map(str::trim);
        for sentence in sentences.filter(|sentence| sentence.contains(TOPIC)) {
            let is_tested = said.contains(&(name.as_str(), sentence)) || name == "impl";
            assert!(is_tested, "nobody checks of `{name}` that: {sentence}");
        }
    }
}

/// The docs of [`Exp`]: of what has integers in it, the gradient is 0 there.
#[test]
fn gradients_of_integers_are_zeros() {
    let program = compile(|x: Acc<Ix1, (f64, i32, bool)>| {
        let f = |x: Acc<Ix1, (f64, i32, bool)>| {
            x.map(|(x, n, b)| cond(b, x * (n % 3).to_f64() / 2.0, x))
                .sum()
        };
        gradient_a(f, x)
    });
    let x = Array::vector(vec![(1.0, 5, true), (2.0, 7, false)]).unwrap();
    let program = program.unwrap();
    let expected = [(1.0, 0, false), (1.0, 0, false)];
    assert_eq!(
        program.run(&Cpu::default(), x.clone()).unwrap().to_vec(),
        expected
    );
    assert_eq!(program.interpret(x).unwrap().to_vec(), expected);
}

/// The docs of [`Acc::maximum`] and [`Acc::minimum`]: the first of equals has all.
#[test]
fn the_first_extremal_element_has_the_derivative() {
    for (values, greatest, least) in [(vec![1.0, 3.0, 3.0, 1.0], 1, 0), (vec![2.0; 700], 0, 0)] {
        let x = Array::vector(values.clone()).unwrap();
        for (program, at) in [
            (
                compile(|x: Acc<Ix1, f64>| gradient_a(|x| x.maximum(), x)),
                greatest,
            ),
            (
                compile(|x: Acc<Ix1, f64>| gradient_a(|x| x.minimum(), x)),
                least,
            ),
        ] {
            let program = program.unwrap();
            let expected: Vec<_> = (0..values.len()).map(|i| f64::from(i == at)).collect();
            assert_eq!(
                program.run(&Cpu::default(), x.clone()).unwrap().to_vec(),
                expected
            );
            assert_eq!(program.interpret(x.clone()).unwrap().to_vec(), expected);
        }
    }
}
