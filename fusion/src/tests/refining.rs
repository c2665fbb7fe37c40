//! Complete code written again: which selects and negations go, and that nothing else changes.

use super::properties::Random;
use super::*;
use crate::code::{CodeId, Codes, HostValue};
use crate::facts::Range;
use crate::refine::Observed;
use crate::steps::export;
use cotangent_core::backend::Site;
use cotangent_core::schedule::scalar::{self, Surroundings};
use cotangent_core::schedule::{ArrayId, Body, Load, Op, SiteId, SymbolId, ValueId};
use std::cell::RefCell;
use std::collections::BTreeSet;

/// The extent of every array here, and of both dimensions of the space.
const EXTENT: i32 = 4;

/// The code of a kernel over a space of two dimensions.
struct Coded {
    codes: Codes,
    code: CodeId,
}

impl Coded {
    fn new() -> Self {
        let mut codes = Codes::new();
        let code = codes.open();
        Self { codes, code }
    }

    fn coord(&mut self, axis: usize) -> ValueId {
        let extent = self.codes.host_constant(EXTENT);
        self.codes.coord(self.code, axis, extent)
    }

    fn literal(&mut self, value: impl Into<Const>) -> ValueId {
        self.codes.constant(self.code, value)
    }

    fn prim(&mut self, op: Prim, operands: &[ValueId]) -> ValueId {
        self.codes.prim(self.code, op, operands)
    }

    fn select(&mut self, cond: ValueId, x: ValueId, y: ValueId) -> ValueId {
        self.prim(Prim::Select, &[cond, x, y])
    }

    /// Whether a coordinate is a number: a condition that nothing is known about.
    fn is(&mut self, axis: usize, number: i32) -> ValueId {
        let (coord, number) = (self.coord(axis), self.literal(number));
        self.prim(Prim::Eq, &[coord, number])
    }

    /// A load of a float that may fail.
    fn load(&mut self, array: u32, index: ValueId, guard: Option<ValueId>) -> ValueId {
        let load = Load {
            array: ArrayId(array),
            index: vec![index],
            guard,
            site: Some(SiteId(0)),
        };
        let range = Range::of_type(F64);
        self.codes.number(self.code, Op::Load(load), F64, range)
    }

    fn body(&self, roots: &[ValueId]) -> (Body, Vec<ValueId>) {
        export(&self.codes, self.code, roots, &|HostValue(v)| SymbolId(v.0))
    }

    /// The code before and after, as text; requires that both do the same at all points.
    fn refined(&mut self, observed: &Observed) -> (String, String) {
        let before = self.body(observed.roots);
        let guard = observed.guard.map(|_| before.1[0]);
        let new = self.codes.refine(self.code, observed);
        let after = self.body(&new);
        for i in 0..EXTENT {
            for j in 0..EXTENT {
                agree_at([i, j], &before, &after, guard);
            }
        }
        let work = |body: &Body| {
            let insts = body.walk().map(|(_, inst)| inst);
            let is_leaf = |op: &Op| op.operands().is_empty();
            insts.filter(|inst| !is_leaf(&inst.op)).count()
        };
        assert!(work(&after.0) <= work(&before.0));
        (text(&before.0), text(&after.0))
    }

    /// The refined code of values that always matter.
    fn always(&mut self, roots: &[ValueId]) -> String {
        self.refined(&Observed::always(roots)).1
    }
}

/// The elements of arrays, and the loads that happened.
struct Memory {
    coords: [i32; 2],
    seen: RefCell<BTreeSet<(u32, Vec<i32>)>>,
}

impl Surroundings for Memory {
    fn symbol(&self, symbol: SymbolId) -> Const {
        unreachable!("{symbol}: not in this test")
    }

    fn coord(&self, axis: u32) -> i32 {
        self.coords[axis as usize]
    }

    fn arg(&self, position: u32) -> Const {
        unreachable!("argument {position}: not in this test")
    }

    fn load(&self, load: &Load, index: &[i32]) -> Result<Const, RunError> {
        self.seen
            .borrow_mut()
            .insert((load.array.0, index.to_vec()));
        let site = Site {
            construct: "at",
            loc: Loc::UNKNOWN,
        };
        if index.iter().all(|i| (0..EXTENT).contains(i)) {
            let special = [0.0, -0.0, 1.5, -2.25];
            return Ok(Const::F64(
                special[(index[0] as u32 ^ load.array.0) as usize % 4],
            ));
        }
        Err(RunError::EmptyReduction { site })
    }
}

/// Where the code succeeded before, it must give the same; it may load less, but nothing else.
fn agree_at(
    coords: [i32; 2],
    (before, old): &(Body, Vec<ValueId>),
    (after, new): &(Body, Vec<ValueId>),
    guard: Option<ValueId>,
) {
    let memory = || Memory {
        coords,
        seen: RefCell::default(),
    };
    let (m, n) = (memory(), memory());
    let (expected, found) = (scalar::eval(before, &m), scalar::eval(after, &n));
    let (m, n) = (m.seen.into_inner(), n.seen.into_inner());
    let text = || format!("at {coords:?}\n{}\n{}", text(before), text(after));
    let Ok(expected) = expected else {
        return;
    };
    assert!(n.is_subset(&m), "{n:?} and before {m:?} {}", text());
    let found = found.unwrap_or_else(|error| panic!("{error} {}", text()));
    let off = guard.is_some_and(|g| expected[g.index()] == Const::Bool(false));
    // Without the guard, nobody looks at the others.
    let observed = if off { 1 } else { old.len() };
    for (x, y) in old.iter().zip(new).take(observed) {
        let (x, y) = (expected[x.index()], found[y.index()]);
        let is_nan = |c: Const| matches!(c, Const::F64(c) if c.is_nan());
        assert!(x == y || is_nan(x) && is_nan(y), "{x} and {y} {}", text());
    }
}

fn text(body: &Body) -> String {
    let lines = body.iter();
    let lines = lines.map(|(v, inst)| format!("{v} = {}\n", inst.op));
    lines.collect()
}

fn count(text: &str, op: &str) -> usize {
    text.matches(&format!("= {op} [")).count()
}

#[test]
fn a_temporary_of_a_branch_is_read_without_select() {
    let mut k = Coded::new();
    let c = k.is(0, 0);
    let j = k.coord(1);
    let (x, zero) = (k.prim(Prim::Convert(F64), &[j]), k.literal(0.0));
    let x = k.prim(Prim::Sqrt, &[x]);
    let sine = k.prim(Prim::Sin, &[x]);
    let primal = k.select(c, zero, sine);
    let kept = k.select(c, zero, x);
    let again = k.prim(Prim::Sin, &[kept]);
    let double = k.prim(Prim::Add, &[again, kept]);
    let dual = k.select(c, x, double);
    let text = k.always(&[primal, dual]);
    assert_eq!(
        (count(&text, "select"), count(&text, "sin")),
        (2, 1),
        "{text}"
    );
}

#[test]
fn a_value_used_inside_and_outside_stays() {
    let mut k = Coded::new();
    let c = k.is(0, 0);
    let j = k.coord(1);
    let (x, zero) = (k.prim(Prim::Convert(F64), &[j]), k.literal(0.5));
    let kept = k.select(c, zero, x);
    let (sine, root) = (k.prim(Prim::Sin, &[kept]), k.prim(Prim::Sqrt, &[kept]));
    let inside = k.select(c, x, sine);
    let text = k.always(&[inside, sine, root]);
    assert_eq!(count(&text, "select"), 2, "{text}");
    // Used inside only, it goes.
    let inside = k.select(c, x, root);
    let text = k.always(&[inside]);
    assert_eq!(count(&text, "select"), 1, "{text}");
}

#[test]
fn nested_conditions_are_known_together() {
    let mut k = Coded::new();
    let (c, d) = (k.is(0, 0), k.is(1, 1));
    let j = k.coord(1);
    let (x, zero) = (k.prim(Prim::Convert(F64), &[j]), k.literal(0.5));
    let inner = k.select(d, x, zero);
    let kept = k.select(c, inner, zero);
    let sine = k.prim(Prim::Sin, &[kept]);
    let dual = k.select(d, sine, zero);
    let dual = k.select(c, dual, zero);
    let text = k.always(&[dual]);
    assert_eq!(count(&text, "select"), 2, "{text}");
}

#[test]
fn conditions_are_taken_apart() {
    use Prim::{And, Ge, Lt, Not, Or};
    for outer in [And, Or] {
        let mut k = Coded::new();
        let (c, d) = (k.is(0, 0), k.is(1, 1));
        let both = k.prim(outer, &[c, d]);
        let j = k.coord(1);
        let (x, zero) = (k.prim(Prim::Convert(F64), &[j]), k.literal(0.5));
        let kept = k.select(d, x, zero);
        let (sine, cosine) = (k.prim(Prim::Sin, &[kept]), k.prim(Prim::Cos, &[kept]));
        let arms = if outer == And {
            [sine, zero]
        } else {
            [zero, cosine]
        };
        let dual = k.select(both, arms[0], arms[1]);
        let text = k.always(&[dual]);
        assert_eq!(count(&text, "select"), 1, "{text}");
    }
    // The opposite of a comparison of integers is another one; of a negation, there is nothing to see.
    let mut k = Coded::new();
    let (i, j) = (k.coord(0), k.coord(1));
    let (low, high) = (k.prim(Lt, &[i, j]), k.prim(Ge, &[i, j]));
    let (x, zero) = (k.prim(Prim::Convert(F64), &[j]), k.literal(0.5));
    let kept = k.select(low, x, zero);
    let sine = k.prim(Prim::Sin, &[kept]);
    let same = k.select(high, zero, sine);
    let not = k.prim(Not, &[low]);
    let other = k.select(not, x, sine);
    let text = k.always(&[same, other]);
    assert_eq!(count(&text, "select"), 2, "{text}");
}

#[test]
fn opposites_of_comparisons_of_floats_are_not_certain() {
    let mut k = Coded::new();
    let (i, j) = (k.coord(0), k.coord(1));
    let [x, y] = [i, j].map(|v| k.load(0, v, None));
    let quotient = k.prim(Prim::Div, &[x, y]);
    let (less, at_least) = (
        k.prim(Prim::Lt, &[quotient, x]),
        k.prim(Prim::Ge, &[quotient, x]),
    );
    let kept = k.select(less, y, x);
    let sine = k.prim(Prim::Sin, &[kept]);
    // Where it is not at least x, it may be less or NaN; where it is, it is not less.
    let open = k.select(at_least, x, sine);
    let text = k.always(&[open]);
    assert_eq!(count(&text, "select"), 2, "{text}");
    let decided = k.select(at_least, sine, x);
    let text = k.always(&[decided]);
    assert_eq!(count(&text, "select"), 1, "{text}");
}

#[test]
fn a_condition_that_is_known_decides_others() {
    let mut k = Coded::new();
    let (c, d) = (k.is(0, 0), k.is(1, 1));
    let both = k.prim(Prim::And, &[c, d]);
    let j = k.coord(1);
    let (x, zero) = (k.prim(Prim::Convert(F64), &[j]), k.literal(0.5));
    let (sine, cosine) = (k.prim(Prim::Sin, &[x]), k.prim(Prim::Cos, &[x]));
    let inner = k.select(both, sine, cosine);
    let inner = k.prim(Prim::Exp, &[inner]);
    let outer = k.select(c, inner, zero);
    let text = k.always(&[outer]);
    assert_eq!(
        (count(&text, "select"), count(&text, "and")),
        (2, 0),
        "{text}"
    );
}

#[test]
fn guards_give_contexts_to_coordinates_and_to_nothing_else() {
    let mut k = Coded::new();
    let c = k.is(0, 0);
    let (i, j) = (k.coord(0), k.coord(1));
    let at = k.select(c, j, i);
    let zero = k.literal(0.0);
    let guarded = k.load(0, at, Some(c));
    let text = k.always(&[guarded]);
    assert_eq!(count(&text, "select"), 0, "{text}");

    // A load that may fail reads the same place, also where its value does not matter.
    let mut k = Coded::new();
    let c = k.is(0, 0);
    let (i, j) = (k.coord(0), k.coord(1));
    let far = k.literal(9);
    let at = k.select(c, j, far);
    let failing = k.load(0, at, None);
    let inside = k.select(c, failing, zero);
    let text = k.always(&[inside]);
    assert_eq!(count(&text, "select"), 2, "{text}");

    // Neither does a guard come to hold where it did not.
    let d = k.is(1, 1);
    let guard = k.prim(Prim::And, &[c, d]);
    let guarded = k.load(0, i, Some(guard));
    let inside = k.select(c, guarded, zero);
    let (before, after) = k.refined(&Observed::always(&[inside]));
    assert_eq!(count(&before, "and"), count(&after, "and"), "{after}");
}

#[test]
fn what_a_scatter_sends_matters_under_its_guard() {
    let mut k = Coded::new();
    let (c, d) = (k.is(0, 0), k.is(1, 1));
    let both = k.prim(Prim::And, &[c, d]);
    let (i, j) = (k.coord(0), k.coord(1));
    let target = k.select(c, j, i);
    let x = k.prim(Prim::Convert(F64), &[i]);
    let zero = k.literal(0.5);
    let sent = k.select(d, x, zero);
    let (_, text) = k.refined(&Observed::guarded(&[both, target, sent]));
    assert_eq!(count(&text, "select"), 0, "{text}");
    let mut same = Coded::new();
    let c = same.is(0, 0);
    let (_, text) = same.refined(&Observed::guarded(&[c, c]));
    assert_eq!(
        count(&text, "eq"),
        1,
        "the guard itself is no literal: {text}"
    );
}

#[test]
fn many_conditions_are_remembered_up_to_a_limit() {
    let mut k = Coded::new();
    let conds: Vec<_> = (0..100).map(|n| k.is(0, n)).collect();
    let j = k.coord(1);
    let (x, zero) = (k.prim(Prim::Convert(F64), &[j]), k.literal(0.5));
    let kept = conds.iter().fold(x, |x, &c| k.select(c, zero, x));
    let mut dual = k.prim(Prim::Sin, &[kept]);
    for &c in conds.iter().rev() {
        dual = k.select(c, x, dual);
    }
    let text = k.always(&[dual]);
    assert!(count(&text, "select") < 195, "{text}");
}

/// Floats that are loaded, of which nothing is known.
fn loads<const N: usize>(k: &mut Coded) -> [ValueId; N] {
    let i = k.coord(0);
    std::array::from_fn(|n| k.load(n as u32, i, None))
}

#[test]
fn sums_absorb_signs_of_products() {
    use Prim::{Add, Div, Mul, Neg, Sub};
    for (outer, inner) in [(Add, Sub), (Sub, Add)] {
        for product in [Mul, Div] {
            let mut k = Coded::new();
            let [a, b, c, d] = loads(&mut k);
            let n = k.prim(Neg, &[c]);
            let p = k.prim(product, &[b, n]);
            let q = k.prim(product, &[n, d]);
            let p = k.prim(product, &[p, d]);
            let (p, q) = (k.prim(outer, &[a, p]), k.prim(outer, &[a, q]));
            let text = k.always(&[p, q]);
            assert_eq!(
                (count(&text, "neg"), count(&text, &inner.name())),
                (0, 2),
                "{text}"
            );
        }
    }
}

#[test]
fn signs_go_through_selects_and_cancel() {
    use Prim::{Add, Mul, Neg};
    let mut k = Coded::new();
    let c = k.is(1, 1);
    let [a, b, x, y] = loads(&mut k);
    let (p, q) = (k.prim(Neg, &[x]), k.prim(Neg, &[y]));
    let picked = k.select(c, p, q);
    let product = k.prim(Mul, &[b, picked]);
    let sum = k.prim(Add, &[a, product]);
    let (minus, back) = (k.prim(Neg, &[sum]), k.prim(Neg, &[product]));
    let both = k.prim(Mul, &[minus, back]);
    let text = k.always(&[sum, both]);
    assert_eq!(count(&text, "neg"), 1, "only that of the product: {text}");
}

#[test]
fn a_sum_is_not_negated() {
    use Prim::{Add, Mul, Neg};
    let mut k = Coded::new();
    let [a, b, c, d] = loads(&mut k);
    let (m, n) = (k.prim(Neg, &[a]), k.prim(Neg, &[c]));
    let (p, q) = (k.prim(Mul, &[m, b]), k.prim(Mul, &[n, d]));
    let sum = k.prim(Add, &[p, q]);
    let text = k.always(&[sum]);
    assert_eq!(count(&text, "neg"), 1, "{text}");
}

#[test]
fn a_negation_that_is_needed_stays_one() {
    use Prim::{Add, Mul, Neg};
    let mut k = Coded::new();
    let [a, b, c, d] = loads(&mut k);
    let n = k.prim(Neg, &[a]);
    let (p, q, r) = (
        k.prim(Mul, &[n, b]),
        k.prim(Mul, &[n, c]),
        k.prim(Mul, &[n, d]),
    );
    let sum = k.prim(Add, &[b, p]);
    let text = k.always(&[sum, q, r]);
    assert_eq!(count(&text, "neg"), 1, "{text}");
}

/// Random code of all that the passes look at, over few conditions.
fn random_code(random: &mut Random, k: &mut Coded) -> [Vec<ValueId>; 3] {
    use Prim::*;
    let mut truths = vec![k.is(0, 0), k.is(1, 1)];
    let mut integers = vec![k.coord(0), k.coord(1), k.literal(2)];
    let mut floats = vec![k.literal(-0.0), k.literal(0.0)];
    floats.extend(loads::<3>(k));
    for _ in 0..36 {
        let (p, q) = (random.pick(&truths), random.pick(&truths));
        let (i, j) = (random.pick(&integers), random.pick(&integers));
        let (x, y) = (random.pick(&floats), random.pick(&floats));
        match random.below(16) {
            0 => truths.push(k.prim(random.pick(&[And, Or]), &[p, q])),
            1 => truths.push(k.prim(Not, &[p])),
            2 => truths.push(k.prim(random.pick(&[Lt, Ge, Eq, Ne]), &[i, j])),
            3 => truths.push(k.prim(random.pick(&[Lt, Ge, Eq, Ne]), &[x, y])),
            4 | 5 => integers.push(k.select(p, i, j)),
            6 => integers.push(k.prim(random.pick(&[Add, Sub, Mul]), &[i, j])),
            7 => {
                let guard = random.pick(&[None, Some(p), Some(p)]);
                floats.push(k.load(random.below(3) as u32, i, guard));
            }
            8..11 => floats.push(k.select(p, x, y)),
            11 | 12 => floats.push(k.prim(Neg, &[x])),
            13 => floats.push(k.prim(random.pick(&[Sin, Sqrt, Abs]), &[x])),
            _other => floats.push(k.prim(random.pick(&[Add, Sub, Mul, Div, Mul]), &[x, y])),
        }
    }
    [truths, integers, floats]
}

#[test]
fn refined_code_means_the_same() {
    let mut random = Random(5);
    let (mut selects, mut negations) = (0, 0);
    for _ in 0..4000 {
        let mut k = Coded::new();
        let [truths, integers, floats] = random_code(&mut random, &mut k);
        let guard = truths[truths.len() - 1];
        let mut roots = vec![guard, integers[integers.len() - 1]];
        roots.extend(floats.iter().rev().take(3));
        if random.below(2) == 0 {
            k.refined(&Observed::guarded(&roots));
        } else {
            k.refined(&Observed::always(&roots[1..]));
        }
        let fired = |name| k.codes.fired.get(name).copied().unwrap_or(0);
        selects += usize::from(fired("select under a known condition") > 0);
        negations += usize::from(fired("absorb negation") > 0);
    }
    assert!(selects > 1000 && negations > 100, "{selects}, {negations}");
}

#[test]
fn an_element_that_is_read_anyway_is_not_read_under_a_condition() {
    let mut k = Coded::new();
    let (c, d) = (k.is(0, 0), k.is(1, 1));
    let j = k.coord(1);
    let everywhere = k.load(0, j, None);
    let own = k.load(0, j, Some(c));
    let other = k.load(1, j, Some(d));
    let sum = k.prim(Prim::Add, &[everywhere, own]);
    let sum = k.select(c, sum, everywhere);
    let rest = k.prim(Prim::Mul, &[sum, other]);
    let all = k.select(d, rest, sum);
    let text = k.always(&[all]);
    assert_eq!(text.matches("where").count(), 1, "{text}");
    // Where nobody asks whether the condition holds, zeros matter.
    let mut k = Coded::new();
    let (c, j) = (k.is(0, 0), k.coord(1));
    let (everywhere, own) = (k.load(0, j, None), k.load(0, j, Some(c)));
    let sum = k.prim(Prim::Add, &[everywhere, own]);
    let twice = k.select(c, sum, own);
    let text = k.always(&[twice, own]);
    assert_eq!(text.matches("where").count(), 1, "{text}");
}
