//! Sharing recovery: from the surface's graph to a closed de Bruijn term.
//!
//! In: a [`Graph`], where a value used twice is a node referred to twice, and nothing says in which block a
//! node belongs. Out: a checked-by-construction [`Program`] in which every node that the results depend on
//! is bound by one let, in the innermost block around all its uses; copies are made only of what can fail
//! and is guarded by different conditionals. Source locations are kept. Values that leave their closures,
//! and array operations that depend on scalar parameters, are errors.
//!
//! The steps, each in a file of its own:
//!
//! 1. `facts`: whether each node can fail, dependencies first; which binders it depends on, the graph knows. Finds the
//!    errors, for which `escape` finds the places to name.
//! 2. `flow`: the nodes of one function of one stratum and their dependencies. `exps` and `accs` make flows
//!    of expressions and of array operations; all that follows is common to both.
//! 3. `home`: how far up each node may move; `place`: which blocks bind it (Note "Placement").
//! 4. `emit`: the lets are written down; `exps` and `accs` say how each operation reads.
//!
//! An array that is used inside a scalar function is an operand of the array operation that has the
//! function; there it is captured. Closed expressions, such as a shape, are copied into each function that
//! uses them: functions share arrays only.
//!
//! # Note: Placement
//!
//! The graph has its meaning by need: of a conditional, one branch. Blocks are run in order and strictly. So a
//! let may stand in block B if the node cannot fail, or if B needs it whenever B runs. B needs its results
//! *for certain*, the operands of what it needs for certain, what both branches of such a conditional need,
//! and what the body of such a gradient needs.
//!
//! Nodes refer to earlier nodes only, so a walk from the last to the first knows all uses of a node when it
//! comes to it. Two such walks are made:
//!
//! * `home` works on *static* blocks, one per branch or body. It finds for each node the innermost block
//!   around all its uses, its home, and whether that needs the node for certain. If a conditional is not
//!   certain at its home, it may be copied; its branches are below the home all the same, but say nothing
//!   about it (`Kind::Apart`). Then, dependencies first, each node gets a *limit*, an outermost block: the
//!   root for what cannot fail; the innermost of the limits of what it depends on, if it does not add a way
//!   to fail; else the home, if that needs the node for certain, for then all it depends on is run there
//!   or further out anyway. Whatever is left has no limit but its demands. Apart from that, the innermost
//!   gradient's body on whose parameter a node depends is its *scope*.
//! * `place` makes the blocks of the result. A node with a limit is bound once in each copy of that static
//!   block, in the innermost block around the demands there. A node without is bound in the outermost
//!   blocks that need it for certain. Each copy of its scope is a case of its own. Each place demands the
//!   node's operands, and opens its blocks.
//!
//! What was made before the closure of a loop's test or step was run is needed by the block around the loop, if a trip needs it: the user
//! wrote it there, and in the trip it would be computed again and again. So it may run, and fail, though no trip is made. The same goes
//! for the body of a derivative. `place` moves such demands out of the closure (`Placement::outside_of_closures`). A block with the loop
//! runs it whenever it runs, so the demand is one for certain. A branch inside of the closure may not be taken: from there, only what has
//! a limit around the loop moves out, which needs no demand for certain.
//!
//! *Soundness.* Call a demand true if the block needs the node for certain by the graph. Demands of nodes placed by
//! their limit may not be true. But what can fail among the dependencies of such a node has, by the way
//! limits are made, a home around the limit that needs it for certain; by induction over the walk, it is
//! placed there or further out. So nothing that can fail is ever run but where it is needed. All uses are
//! covered, since each place covers its demands; lets stand in the order of the nodes, so after what they
//! use; no place is inside another place of its node.
//!
//! *Cost.* Each walk takes O(d log d · log b) for a node of d demands and b blocks: ancestors in the tree of
//! blocks take logarithmic time. Without copies that is linear in the graph but for the logarithms,
//! whatever the sharing. Copies: what has no limit is copied into each conditional that guards it, with its
//! own blocks. Only if that happens again and again, each copy needing copies of what is before it, do
//! they grow exponentially, and no strict program without loops does better short of speculation;
//! `place::MOST_COPIES` turns it into an error. What depends on an indexing that is done anyway, in
//! whatever block, is not copied: that is what limits are for.
//!
//! Nothing here recurses over the graph. Terms do recurse when they are dropped or walked, see
//! [`deep`](crate::deep).

mod accs;
mod emit;
mod escape;
mod exps;
mod facts;
mod flow;
mod home;
mod place;
mod tree;

#[cfg(test)]
pub(crate) mod tests;

use crate::graph::{AccLambda, Graph, SurfaceError};
use crate::term::{DeBruijn, Program};

/// The program whose parameters and results are those of `f`.
///
/// # Errors
/// Says where a value leaves its closure, where an array operation depends on a scalar parameter, or what
/// would have to be copied beyond reason.
pub fn recover(graph: &Graph, f: &AccLambda) -> Result<Program<DeBruijn>, SurfaceError> {
    let facts = facts::Facts::new(graph, f)?;
    Ok(Program {
        params: accs::binds(&f.params),
        uses: graph.uses.clone(),
        alike: graph.alike.clone(),
        body: accs::body(graph, &facts, f)?,
    })
}
