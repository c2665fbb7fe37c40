//! Messages for values that leave their closures. Found out elsewhere; here is only the search for the
//! places to name, which happens once per failed compilation.

use crate::graph::parts::Node;
use crate::graph::{Binder, BinderInfo, Graph, SurfaceError};
use crate::loc::Loc;
use std::collections::HashMap;
use std::iter::successors;

/// The array node `acc` depends on a parameter of a scalar function that is not its own.
pub(super) fn scalar_in_array(graph: &Graph, acc: u32, binder: Binder) -> SurfaceError {
    let node = &graph.accs[acc as usize];
    let (construct, bound_at) = describe(graph, binder);
    if lambda_reaches(graph, binder, Node::Acc(acc)) {
        return SurfaceError::NestedParallelism {
            operation: node.op.name(),
            used_at: node.loc,
            construct,
            bound_at,
        };
    }
    escaped(graph, &[Node::Acc(acc)], binder)
}

/// Something in `results` depends on a parameter of a function that is not around it.
pub(super) fn escaped(graph: &Graph, results: &[Node], binder: Binder) -> SurfaceError {
    let (construct, bound_at) = describe(graph, binder);
    SurfaceError::Escaped {
        used_at: last_use(&path_to_param(graph, results, binder), graph, binder),
        construct,
        bound_at,
    }
}

fn describe(graph: &Graph, binder: Binder) -> (&'static str, Loc) {
    let BinderInfo { construct, loc } = &graph.binders[binder.0 as usize];
    (construct, *loc)
}

fn loc(graph: &Graph, node: Node) -> Loc {
    match node {
        Node::Exp(node) => graph.exps[node as usize].loc,
        Node::Acc(node) => graph.accs[node as usize].loc,
    }
}

/// All nodes with a lambda, and its binder.
fn lambdas(graph: &Graph) -> impl Iterator<Item = (Node, Binder)> {
    let exps = (0..graph.exps.len() as u32).map(Node::Exp);
    let accs = (0..graph.accs.len() as u32).map(Node::Acc);
    exps.chain(accs).flat_map(|node| {
        let lambdas = graph.references(node).lambdas.into_iter();
        lambdas.map(move |(binder, _)| (node, binder))
    })
}

/// Whether the body of a binder's lambda depends on `target`.
fn lambda_reaches(graph: &Graph, binder: Binder, target: Node) -> bool {
    let owners = lambdas(graph).filter(|&(_, bound)| bound == binder);
    let bodies = owners.flat_map(|(owner, _)| graph.references(owner).lambdas);
    let own = bodies.filter(|(bound, _)| *bound == binder);
    let roots: Vec<_> = own.flat_map(|(_, results)| results).collect();
    let is_target = |node| node == target;
    !path(graph, &roots, is_target, None).is_empty()
}

/// A way from one of `roots` to a parameter of `binder`, not through the lambda that binds it.
fn path_to_param(graph: &Graph, roots: &[Node], binder: Binder) -> Vec<Node> {
    let is_param = |node| graph.param(node) == Some(binder);
    path(graph, roots, is_param, Some(binder))
}

/// A way from one of `roots` to a target, not through the lambda of `closed`. Empty if there is none.
fn path(
    graph: &Graph,
    roots: &[Node],
    is_target: impl Fn(Node) -> bool,
    closed: Option<Binder>,
) -> Vec<Node> {
    let mut users: HashMap<Node, Option<Node>> = HashMap::new();
    let mut todo: Vec<_> = roots.iter().rev().map(|&root| (root, None)).collect();
    while let Some((node, user)) = todo.pop() {
        if users.contains_key(&node) {
            continue;
        }
        users.insert(node, user);
        if is_target(node) {
            let mut path: Vec<_> = successors(Some(node), |node| users[node]).collect();
            path.reverse();
            return path;
        }
        let mut references = graph.references(node);
        references
            .lambdas
            .retain(|(binder, _)| Some(*binder) != closed);
        todo.extend(references.all().rev().map(|used| (used, Some(node))));
    }
    vec![]
}

/// The place to name on a way to a parameter that escaped: the last node that was made after the closure
/// had ended, as far as the numbers of nodes tell.
fn last_use(path: &[Node], graph: &Graph, binder: Binder) -> Loc {
    let owners = lambdas(graph).filter(|&(_, bound)| bound == binder);
    let owner = owners.map(|(owner, _)| owner).last();
    let is_array = matches!(path.last(), Some(Node::Acc(_)));
    let after = |node: &&Node| match (**node, owner) {
        (Node::Exp(node), Some(Node::Exp(owner))) => node > owner,
        (Node::Acc(node), Some(Node::Acc(owner))) => node > owner,
        (Node::Acc(_), Some(Node::Exp(_))) => true,
        (Node::Exp(_), Some(Node::Acc(_))) => is_array,
        (_, None) => false,
    };
    let last = path.iter().take_while(after).last().or(path.first());
    last.map_or(Loc::UNKNOWN, |&node| loc(graph, node))
}
