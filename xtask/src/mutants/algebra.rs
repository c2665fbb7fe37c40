//! Bugs in what makes array code of loops over rows, and in the algebra of sums.

use super::list::Mutant;

const fn in_core(
    name: &'static str,
    file: &'static str,
    find: &'static str,
    replace: &'static str,
) -> Mutant {
    Mutant {
        name,
        file,
        find,
        replace,
        package: "cotangent-core",
    }
}

/// These bugs, in the order of the compiler's passes.
pub const ALGEBRA: &[Mutant] = &[
    in_core(
        "simplify: columns known together, in another order",
        "core/src/simplify/acc/columns.rs",
        "Some((known.clone().into_iter(), wanted))",
        "Some((known.iter().copied().rev().collect::<Vec<_>>().into_iter(), wanted))",
    ),
    in_core(
        "algebra: constants of differences",
        "core/src/algebra/int.rs",
        "r.becomes(\"int_reassociate\", Prim::Sub, &[sum, b])",
        "r.becomes(\"int_reassociate\", Prim::Sub, &[b, sum])",
    ),
    in_core(
        "algebra: of least and greatest numbers the wrong one",
        "core/src/algebra.rs",
        "x == y || int::is_least(self, x) || int::is_greatest(self, y)",
        "x == y || int::is_least(self, y) || int::is_greatest(self, x)",
    ),
    in_core(
        "algebra: comparisons of NaN have opposites",
        "core/src/prim.rs",
        "let exact = matches!(self, Prim::Eq | Prim::Ne) || !of.is_float();",
        "let exact = matches!(self, Prim::Eq | Prim::Ne) || of.is_number();",
    ),
    in_core(
        "analysis: targets that meet count as different",
        "core/src/analysis/index_map/coordinates.rs",
        "(0..rank).all(|axis| known()",
        "(0..rank).any(|axis| known()",
    ),
    in_core(
        "analysis: columns of one operation have shapes of their own",
        "core/src/analysis/shape.rs",
        "rest.iter().for_each(|bind| self.like(bind, first.name));",
        "rest.iter().for_each(|bind| self.root(bind));",
    ),
    in_core(
        "analysis: coordinates that are doubled follow others",
        "core/src/analysis/polynomial.rs",
        "product[..] == [Atom::Param(param)] && matches!(c, 1 | -1)",
        "product[..] == [Atom::Param(param)] && c != 0",
    ),
    in_core(
        "simplifier: rows that are written backwards",
        "core/src/simplify/acc/batch/rows.rs",
        "b.prim(Prim::Sub, &[last, row])",
        "{ let _ = last; row }",
    ),
    in_core(
        "simplifier: extents of rows that are those of all rows",
        "core/src/simplify/acc/batch/rows.rs",
        "*axis += 1",
        "*axis += 0",
    ),
    in_core(
        "simplifier: scatters of rows to other rows",
        "core/src/simplify/acc/batch/step.rs",
        "f.body.results.insert(1, f.params[0].name);",
        "{ let sent = f.body.results[1]; f.body.results.insert(1, sent); }",
    ),
    in_core(
        "simplifier: folds of rows by operators that differ",
        "core/src/simplify/acc/batch/rows.rs",
        "!f.captures.iter().any(|&array| self.differs(array))",
        "{ let _ = f; true }",
    ),
    in_core(
        "simplifier: loops with a state are taken for rows",
        "core/src/simplify/acc/batch/step.rs",
        "} else if rows.differs(array.name) {",
        "} else if rows.differs(array.name) && array.ty.rank == 0 {",
    ),
    in_core(
        "simplifier: extents that are impossible where there is no trip",
        "core/src/simplify/acc/batch/step.rs",
        "!says_extents(op) || sizes.iter().all(is_possible)",
        "!says_extents(op) || sizes.iter().all(is_possible) || true",
    ),
    in_core(
        "simplifier: scans of all rows at any price",
        "core/src/simplify/acc/batch/memory.rs",
        "literal <= MAX_LITERAL_FACTOR",
        "literal <= i32::MAX",
    ),
    in_core(
        "simplifier: slices at positions of any row",
        "core/src/simplify/acc/batch/moves.rs",
        "place.is_some_and(|place| is_below(place, extent, rows.trips, shapes))",
        "place.is_none_or(|place| is_below(place, extent, rows.trips, shapes))",
    ),
    in_core(
        "simplifier: loops that a run watches become operations on all rows",
        "core/src/simplify/acc/batch.rs",
        "ArrayLoops::Stay => None,",
        "ArrayLoops::Stay => self.stacks_of(trips, step, args),",
    ),
    in_core(
        "simplifier: terms beyond the end of a sum",
        "core/src/simplify/acc/units/sum.rs",
        "ends.extend((!bounds.iter().any(is_below)).then_some(size));",
        "ends.extend((!bounds.iter().any(is_below)).then_some(size)); ends.clear();",
    ),
    in_core(
        "simplifier: terms before the beginning of a sum",
        "core/src/simplify/acc/units/sum.rs",
        "negative: bounds[best].is_none(),",
        "negative: false,",
    ),
    in_core(
        "simplifier: sums of units that start elsewhere",
        "core/src/simplify/acc/units/sum.rs",
        "Some(init) => init.constant_result(0).is_some_and(Const::is_zero),",
        "Some(_) => true,",
    ),
    in_core(
        "simplifier: sums of no terms that must not be empty",
        "core/src/simplify/acc/units/sum.rs",
        "None => !may_fail(op, &mut self.facts.shapes),",
        "None => { let _ = may_fail(op, &mut self.facts.shapes); true }",
    ),
    in_core(
        "simplifier: units that are one elsewhere",
        "core/src/simplify/acc/units/function.rs",
        "self.is_zero(else_).then_some((c, then_))",
        "Some((c, then_)).filter(|_| self.definition(else_).is_some_and(|op| op.as_const().is_some()))",
    ),
    in_core(
        "simplifier: replicated units lose the wrong coordinates",
        "core/src/simplify/acc/units.rs",
        "let kept = kept.filter(|(_, axis)| **axis == Axis::All);",
        "let kept = kept.filter(|(_, axis)| **axis == Axis::Fixed);",
    ),
    in_core(
        "simplifier: remainders of positions are outer coordinates",
        "core/src/simplify/acc/units/position.rs",
        "self.coordinates.insert(result, dimensions - 1);",
        "self.coordinates.insert(result, dimensions - 2);",
    ),
    in_core(
        "simplifier: tangents are zero where they are not",
        "core/src/simplify/exp/tangent.rs",
        "Some(self.prim(Prim::Select, &[c, there, zero]))",
        "Some(self.prim(Prim::Select, &[c, zero, there]))",
    ),
    in_core(
        "simplifier: numbers that are the same are computed for each element before AD",
        "core/src/simplify/acc/uniform.rs",
        "            && bind.ty.is_float()",
        "            && !bind.ty.is_float()",
    ),
    in_core(
        "simplifier: numbers that differ are computed once",
        "core/src/simplify/acc/uniform.rs",
        "index.is_empty().then_some(true)",
        "Some(true)",
    ),
    in_core(
        "simplifier: selections that meet are by any condition",
        "core/src/simplify/exp/tangent.rs",
        "if parts.iter().any(|part| part.0 != c) {",
        "if parts.is_empty() {",
    ),
    in_core(
        "simplifier: guards of selections select what is not there",
        "core/src/simplify/exp/tangent.rs",
        "let nothing = r.prim(Prim::Eq, &[inside, zero]);",
        "let nothing = r.prim(Prim::Ne, &[inside, zero]);",
    ),
    in_core(
        "simplifier: zero where integers are equal",
        "core/src/simplify/exp/tangent.rs",
        "r.becomes(\"select_unequal\", Prim::Select, &[equal, y, x])",
        "r.becomes(\"select_unequal\", Prim::Select, &[equal, x, y])",
    ),
    Mutant {
        name: "core: columns beyond the last are computed",
        file: "core/src/simplify/acc/units/beside.rs",
        find: "let exists = b.prim(Prim::Lt, &[at, below]);",
        replace: "let exists = b.prim(Prim::Ge, &[below, below]);",
        package: "cotangent-core",
    },
    Mutant {
        name: "core: of terms in one column the first counts",
        file: "core/src/simplify/acc/units/beside.rs",
        find: "let terms = sum.iter().map(",
        replace: "let terms = sum.iter().take(1).map(",
        package: "cotangent-core",
    },
];
