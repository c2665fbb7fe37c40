//! How many tokens the programs take, beside the same in JAX.

use crate::tokens::{Language, tokens};
use crate::values::NAMES;
use std::path::Path;

/// The tokens of a program here and in JAX.
fn of_both(name: &str) -> [usize; 2] {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/fifteen");
    let count = |ending, language| {
        let text = std::fs::read_to_string(folder.join(name).with_extension(ending)).unwrap();
        let count = tokens(&text, language).len();
        assert!(count > 0, "{name}.{ending} has no tokens");
        count
    };
    [count("rs", Language::Rust), count("py", Language::Python)]
}

/// No more in all. `cargo test -p cotangent-examples --test fifteen -- --nocapture tokens` prints the table.
#[test]
fn programs_take_no_more_tokens_than_in_jax() {
    let counts = NAMES.map(of_both);
    println!("{:24}{:>10}{:>10}", "tokens", "cotangent", "JAX");
    for (name, [here, jax]) in NAMES.iter().zip(counts) {
        println!("{name:24}{here:10}{jax:10}");
    }
    let [here, jax] = [0, 1].map(|side| counts.iter().map(|both| both[side]).sum::<usize>());
    println!("{:24}{here:10}{jax:10}", "all");
    assert!(here <= jax, "{here} tokens here, {jax} in JAX");
}
