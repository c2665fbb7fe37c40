//! What blocks say about the block around them, by how often they run.

use crate::recover::tree::{BlockId, Tree};
use crate::term::Runs;
use std::collections::BTreeSet;

/// What must run, if these blocks must.
fn anticipated(tree: &Tree, blocks: &[BlockId]) -> Vec<BlockId> {
    let blocks = BTreeSet::from_iter(blocks.iter().copied());
    Vec::from_iter(tree.anticipate(blocks, Tree::ROOT))
}

#[test]
fn alternatives_are_paired_in_the_order_they_are_opened() {
    let mut tree = Tree::new();
    let [a, b, c, d] = [Runs::Alternative; 4].map(|runs| tree.open(Tree::ROOT, runs));
    for branches in [[a, b], [c, d]] {
        assert_eq!(anticipated(&tree, &branches), [Tree::ROOT]);
    }
    for others in [[b, c], [a, d], [a, c]] {
        assert_eq!(anticipated(&tree, &others), others);
    }
}

#[test]
fn a_block_inside_of_an_alternative_does_not_part_the_two() {
    let mut tree = Tree::new();
    let [then_, else_] = [Runs::Alternative; 2].map(|runs| tree.open(Tree::ROOT, runs));
    let [inner, other] = [Runs::Alternative; 2].map(|runs| tree.open(then_, runs));
    assert_eq!(anticipated(&tree, &[inner, other]), [then_]);
    assert_eq!(anticipated(&tree, &[inner, other, else_]), [Tree::ROOT]);
}

#[test]
fn what_runs_once_speaks_for_what_is_around_it_and_what_repeats_does_not() {
    let mut tree = Tree::new();
    let once = tree.open(Tree::ROOT, Runs::Once);
    let repeated = tree.open(Tree::ROOT, Runs::Repeatedly);
    let inside = tree.open(repeated, Runs::Once);
    assert_eq!(anticipated(&tree, &[once]), [Tree::ROOT]);
    assert_eq!(anticipated(&tree, &[repeated]), [repeated]);
    assert_eq!(anticipated(&tree, &[inside]), [repeated]);
}
