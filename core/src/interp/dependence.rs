//! Sets of elements that a number depends on, in a run that finds out where a Jacobian may differ from zero.
//!
//! The sets of a run are nodes of one graph, so that a union takes constant time: a set is a short list, or the union of two
//! others. Short lists are merged at once, so that what has been computed from few elements stays short, however long that took.
//!
//! Invariants: a list is sorted, without duplicates, and has at least one member; a union refers to nodes that were made before it.

use std::cell::RefCell;
use std::fmt;
use std::rc::Rc;

/// How many members a list has at most. Most rows of sparse Jacobians have fewer.
const LONGEST: usize = 16;

/// A set of elements; not empty.
#[derive(Clone)]
pub(super) struct Dependence {
    node: usize,
    graph: Dependences,
}

enum Node {
    List(Box<[usize]>),
    Union(usize, usize),
}

/// All sets of a run.
#[derive(Clone, Default)]
pub(super) struct Dependences(Rc<RefCell<Graph>>);

#[derive(Default)]
struct Graph {
    nodes: Vec<Node>,
    /// How many elements there are.
    elements: usize,
}

impl Dependences {
    /// More elements, so many; the number of the first one.
    pub(super) fn more(&self, count: usize) -> usize {
        let first = self.0.borrow().elements;
        self.0.borrow_mut().elements += count;
        first
    }

    /// The set of one element.
    pub(super) fn single(&self, element: usize) -> Dependence {
        self.added(Node::List(Box::new([element])))
    }

    fn added(&self, node: Node) -> Dependence {
        let nodes = &mut self.0.borrow_mut().nodes;
        nodes.push(node);
        Dependence {
            node: nodes.len() - 1,
            graph: self.clone(),
        }
    }
}

impl Dependence {
    /// All sets of its run.
    pub(super) fn all(&self) -> &Dependences {
        &self.graph
    }

    /// The members of both, which are of one run.
    ///
    /// Time: constant.
    pub(super) fn union(&self, other: &Self) -> Self {
        match self.merged(other) {
            Merged::Left => self.clone(),
            Merged::Right => other.clone(),
            Merged::List(list) => self.graph.added(Node::List(list)),
            Merged::Long => self.graph.added(Node::Union(self.node, other.node)),
        }
    }

    fn merged(&self, other: &Self) -> Merged {
        let nodes = &self.graph.0.borrow().nodes;
        match (&nodes[self.node], &nodes[other.node]) {
            _ if self.node == other.node => Merged::Left,
            (Node::List(a), Node::List(b)) => merged(a, b),
            (Node::Union(a, b), _) if *a == other.node || *b == other.node => Merged::Left,
            (_, Node::Union(a, b)) if *a == self.node || *b == self.node => Merged::Right,
            (Node::Union(..), Node::List(_) | Node::Union(..)) => Merged::Long,
            (Node::List(_), Node::Union(..)) => Merged::Long,
        }
    }
}

impl fmt::Debug for Dependence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Dependence({})", self.node)
    }
}

/// The union of two sets: one of them, a list, or more than a list may have.
enum Merged {
    Left,
    Right,
    List(Box<[usize]>),
    Long,
}

fn merged(a: &[usize], b: &[usize]) -> Merged {
    let mut all = a.to_vec();
    all.extend(b.iter().filter(|x| a.binary_search(x).is_err()));
    if all.len() == a.len() {
        return Merged::Left;
    }
    if all.len() == b.len() {
        return Merged::Right;
    }
    if all.len() > LONGEST {
        return Merged::Long;
    }
    all.sort_unstable();
    Merged::List(all.into_boxed_slice())
}

/// Lists the members of sets.
#[derive(Default)]
pub(super) struct Reader {
    /// For each node the number of the call that saw it last.
    seen: Vec<usize>,
    calls: usize,
}

impl Reader {
    /// The members, in ascending order.
    ///
    /// Time: that of the nodes that the set is made of.
    pub(super) fn members(&mut self, set: &Dependence) -> Vec<usize> {
        let nodes = &set.graph.0.borrow().nodes;
        self.calls += 1;
        self.seen.resize(nodes.len(), 0);
        let (mut members, mut open) = (vec![], vec![set.node]);
        while let Some(node) = open.pop() {
            if std::mem::replace(&mut self.seen[node], self.calls) == self.calls {
                continue;
            }
            match &nodes[node] {
                Node::List(list) => members.extend_from_slice(list),
                Node::Union(a, b) => open.extend([*a, *b]),
            }
        }
        members.sort_unstable();
        members.dedup();
        members
    }
}
