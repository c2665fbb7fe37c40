//! The planted bugs.

/// A bug: one replacement in one file, and the tests that must see it.
pub struct Mutant {
    /// A name to select it by.
    pub name: &'static str,
    /// The file, from the root.
    pub file: &'static str,
    /// Text that occurs there exactly once.
    pub find: &'static str,
    /// What to put in its place.
    pub replace: &'static str,
    /// Arguments of `cargo test`.
    pub tests: &'static [&'static str],
}

/// All planted bugs, in the order of the compiler's passes.
pub const MUTANTS: &[Mutant] = &[Mutant {
    name: "ad: the slope of sin",
    file: "ad/src/exp/prim.rs",
    find: "Sin => self.one(Cos, x),",
    replace: "Sin => self.one(Sin, x),",
    tests: &["-p", "cotangent-ad"],
}];
