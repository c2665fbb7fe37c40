//! Bugs in what programs are written with, which no other crate sees: variants, segments, decompositions, and what `compute` asks for.

use super::entries::bug;
use super::list::Mutant;

const TESTS: &str = "cotangent-tests";

/// These bugs.
pub const SURFACE: &[Mutant] = &[
    bug(
        [
            "complex: products of imaginary parts are added",
            "core/src/surface/ring.rs",
        ],
        TESTS,
        "times(a, c) - times(b, d)",
        "times(a, c) + times(b, d)",
    ),
    bug(
        [
            "surface: rows that are appended have any length",
            "core/src/surface/library/axes.rs",
        ],
        TESTS,
        "of(first.raw(), axis)",
        "of(other.raw(), axis)",
    ),
    bug(
        [
            "variants: derivatives of elements say nothing of the variant",
            "core/src/surface/elt.rs",
        ],
        TESTS,
        "if is_tag { value } else { derivative }",
        "if is_tag && false { value } else { derivative }",
    ),
    bug(
        [
            "variants: derivatives of arrays say nothing of the variant",
            "core/src/surface/arrays.rs",
        ],
        TESTS,
        "if !tags.contains(&true) {",
        "if true || !tags.contains(&true) {",
    ),
    bug(
        [
            "variants: what some values have is with the first ones",
            "core/src/host/spread.rs",
        ],
        "cotangent-core",
        "there.then(|| values.next()).flatten().unwrap_or_default()",
        "values.next().filter(|_| *there).unwrap_or_default()",
    ),
    bug(
        [
            "segments: what is left over is a segment from the right",
            "core/src/surface/library/segments.rs",
        ],
        TESTS,
        "cond::<bool>((i + 1).lt(n), heads.at(Snoc(Z, i + 1)), false)",
        "cond::<bool>((i + 1).lt(n), heads.at(Snoc(Z, i)), false)",
    ),
    bug(
        [
            "softmax: infinite scores are subtracted from scores",
            "core/src/surface/library/scores.rs",
        ],
        TESTS,
        "cond::<T>(m.is_infinite(), 0, m)",
        "cond::<T>(m.is_nan(), 0, m)",
    ),
    bug(
        [
            "windows: the middle is one further on",
            "core/src/surface/library/stencil.rs",
        ],
        TESTS,
        "let mut next = -((N / 2) as i32);",
        "let mut next = 1 - ((N / 2) as i32);",
    ),
    bug(
        [
            "tree_zip_with: arrays of different shapes are cut to what they have in common",
            "core/src/surface/trees.rs",
        ],
        TESTS,
        "others.iter_mut().for_each(like_first);",
        "others.iter_mut().skip(1).for_each(like_first);",
    ),
    bug(
        [
            "permute_with: elements that go nowhere go to the first place",
            "core/src/surface/library/combining.rs",
        ],
        TESTS,
        "cond::<i32>(goes, place(index.into_shape(), to), size)",
        "cond::<i32>(goes, place(index.into_shape(), to), size - size)",
    ),
    bug(
        [
            "compute: fusion delays what is to be stored",
            "fusion/src/lower.rs",
        ],
        TESTS,
        "} => self.stored(let_, *arg),",
        "} => self.reshape(let_, *arg),",
    ),
    bug(
        [
            "compute: a reshape of what is to be stored is one of what it is made of",
            "core/src/simplify/acc/movement.rs",
        ],
        TESTS,
        "(how.keeps_order() && *how != Move::Stored, *arg)",
        "(how.keeps_order(), *arg)",
    ),
    bug(
        [
            "sigmoid: a quotient of rounded numbers",
            "core/src/surface/math/composed.rs",
        ],
        TESTS,
        "(whole - whole * (small / (small + one)), small)",
        "(whole / (small + one), small)",
    ),
];
