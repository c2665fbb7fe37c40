//! Sharing recovery: from the surface's graph to a closed de Bruijn term.
mod accs;
mod emit;
mod escape;
mod exps;
mod facts;
mod flow;
mod home;
mod nodes;
mod place;
mod sets;
mod tree;

#[cfg(test)]
mod tests;

use crate::graph::{AccLambda, Graph, SurfaceError};
use crate::term::{DeBruijn, Program};

/// The program whose parameters and results are those of `f`.
pub fn recover(graph: &Graph, f: &AccLambda) -> Result<Program<DeBruijn>, SurfaceError> {
    let facts = facts::Facts::new(graph, f)?;
    Ok(Program {
        params: accs::binds(&f.params),
        uses: graph.uses.clone(),
        body: accs::body(graph, &facts, f)?,
    })
}
