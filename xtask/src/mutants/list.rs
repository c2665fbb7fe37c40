//! The planted bugs.

/// A bug: one replacement in one file, and the crate whose tests must see it.
pub struct Mutant {
    /// A name to select it by.
    pub name: &'static str,
    /// The file, from the root.
    pub file: &'static str,
    /// Text that occurs there exactly once.
    pub find: &'static str,
    /// What to put in its place.
    pub replace: &'static str,
    /// The package whose tests must see it.
    pub package: &'static str,
}

/// All planted bugs, in the order of the compiler's passes.
pub const MUTANTS: &[Mutant] = &[
    Mutant {
        name: "core: NaN in max",
        file: "core/src/prim/eval.rs",
        find: "Prim::Max if self >= y || self.is_nan() => self,",
        replace: "Prim::Max if self >= y => self,",
        package: "cotangent-core",
    },
    Mutant {
        name: "core: floor of quotients",
        file: "core/src/prim/eval.rs",
        find: "(self < 0) != (y < 0)",
        replace: "(self < 0) == (y < 0)",
        package: "cotangent-core",
    },
    Mutant {
        name: "core: distances",
        file: "core/src/label/scope.rs",
        find: "checked_sub(index as usize + 1)",
        replace: "checked_sub(index as usize + 2)",
        package: "cotangent-core",
    },
    Mutant {
        name: "core: guarded indices",
        file: "core/src/recover/facts.rs",
        find: "exp_can_fail(op) || references(",
        replace: "references(",
        package: "cotangent-core",
    },
    Mutant {
        name: "core: minus minus",
        file: "core/src/simplify/exp/float.rs",
        find: "r.becomes(\"sub_neg\", Prim::Add, &[x, y])",
        replace: "r.becomes(\"sub_neg\", Prim::Sub, &[x, y])",
        package: "cotangent-core",
    },
    Mutant {
        name: "core: cubes",
        file: "core/src/simplify/exp/float.rs",
        find: "&[square, x]",
        replace: "&[square, square]",
        package: "cotangent-core",
    },
    Mutant {
        name: "core: affine factors",
        file: "core/src/analysis/affine.rs",
        find: "let product = |c: i32| c.wrapping_mul(factor);",
        replace: "let product = |c: i32| c.wrapping_add(factor);",
        package: "cotangent-core",
    },
    Mutant {
        name: "core: dual numbers of cos",
        file: "core/src/interp/slope.rs",
        find: "Prim::Cos => Times(neg(&of(Prim::Sin, x)?)?),",
        replace: "Prim::Cos => Times(of(Prim::Sin, x)?),",
        package: "cotangent-core",
    },
    Mutant {
        name: "core: scans from the right",
        file: "core/src/interp/collective.rs",
        find: "accumulate(backwards, &init, |y, x| f.call([x, y].concat()))?;",
        replace: "accumulate(backwards, &init, |y, x| f.call([y, x].concat()))?;",
        package: "cotangent-core",
    },
    Mutant {
        name: "ad: slope of sin",
        file: "ad/src/exp/prim.rs",
        find: "Sin => self.one(Cos, x),",
        replace: "Sin => self.one(Sin, x),",
        package: "cotangent-ad",
    },
    Mutant {
        name: "ad: sign of subtraction",
        file: "ad/src/exp/prim.rs",
        find: "Sub => self.one(Neg, adj),",
        replace: "Sub => adj,",
        package: "cotangent-ad",
    },
    Mutant {
        name: "ad: ties of extrema",
        file: "ad/src/exp/prim.rs",
        find: "if op == Prim::Max { Prim::Ge } else { Prim::Le }",
        replace: "if op == Prim::Max { Prim::Gt } else { Prim::Lt }",
        package: "cotangent-ad",
    },
    Mutant {
        name: "ad: replicated dimensions",
        file: "ad/src/acc/replicate.rs",
        find: "&[kept, replicated].concat()",
        replace: "&[replicated, kept].concat()",
        package: "cotangent-ad",
    },
    Mutant {
        name: "ad: sliced position",
        file: "ad/src/acc/slice.rs",
        find: "matches = b.prim(Prim::And, &[matches, here]);",
        replace: "matches = b.prim(Prim::Or, &[matches, here]);",
        package: "cotangent-ad",
    },
    Mutant {
        name: "ad: state before an element",
        file: "ad/src/acc/recurrence.rs",
        find: "(Direction::Left, Some(_)) => 0,",
        replace: "(Direction::Left, Some(_)) => 1,",
        package: "cotangent-ad",
    },
    Mutant {
        name: "ad: position of extrema",
        file: "ad/src/acc/extremum.rs",
        find: "&[first, pairs[1], pairs[3]]",
        replace: "&[first, pairs[3], pairs[1]]",
        package: "cotangent-ad",
    },
    Mutant {
        name: "fusion: guard of else",
        file: "fusion/src/inline.rs",
        find: "(branch(then_, cond), branch(else_, not))",
        replace: "(branch(then_, cond), branch(else_, cond))",
        package: "cotangent-fusion",
    },
    Mutant {
        name: "fusion: extents of conditionals",
        file: "fusion/src/conditional.rs",
        find: "merge.symbols.push((symbol, x_symbol, y_symbol));",
        replace: "merge.symbols.push((symbol, y_symbol, x_symbol));",
        package: "cotangent-fusion",
    },
    Mutant {
        name: "cpu: shifts",
        file: "backend-cpu/src/lanes/number.rs",
        find: "Shl: $t => $t = |x, y| x.wrapping_shl(y as u32);",
        replace: "Shl: $t => $t = |x, y| x.wrapping_shr(y as u32);",
        package: "cotangent-backend-cpu",
    },
    Mutant {
        name: "cpu: last of a scatter",
        file: "backend-cpu/src/kernel/scatter.rs",
        find: "Combine::Overwrite => $new,",
        replace: "Combine::Overwrite => *element,",
        package: "cotangent-backend-cpu",
    },
];
