//! What is known about each node before any block is made: whether it may fail. Also where programs whose values
//! leave their closures are found out.

use super::escape::{escaped, scalar_in_array};
use crate::constant::Const;
use crate::graph::parts::Node;
use crate::graph::{AccLambda, AccNode, AccNodeOp, Binder, ExpNodeOp, ExpRef, Graph, SurfaceError};
use crate::term::MoveFails;
use std::collections::{HashMap, HashSet};

/// Facts about every node that a program depends on.
#[derive(Debug)]
pub(super) struct Facts<'a> {
    graph: &'a Graph,
    /// Those binders met so far that bind scalars.
    scalar_binders: HashSet<Binder>,
    exps: Vec<Fact>,
    accs: Vec<Fact>,
    /// The first parameter of each closure of array code: nodes before it were made outside of the closure.
    first_params: HashMap<Binder, u32>,
}

#[derive(Clone, Copy, Debug)]
struct Fact {
    known: bool,
    /// Of an expression, whether it can fail; of an array node, whether the operation can: its scalar code
    /// included, its arguments not.
    fallible: bool,
}

impl<'a> Facts<'a> {
    /// The facts about a program, if no value in it leaves its closure.
    pub(super) fn new(graph: &'a Graph, f: &AccLambda) -> Result<Self, SurfaceError> {
        let unknown = Fact {
            known: false,
            fallible: false,
        };
        let mut facts = Self {
            graph,
            scalar_binders: HashSet::new(),
            exps: vec![unknown; graph.exps.len()],
            accs: vec![unknown; graph.accs.len()],
            first_params: first_params(graph),
        };
        let roots: Vec<_> = f.results.iter().map(|&result| Node::from(result)).collect();
        for &root in &roots {
            facts.visit(root)?;
        }
        facts.check_closed(f, &roots)?;
        Ok(facts)
    }

    /// Whether an array operation can fail, its arguments and blocks aside.
    pub(super) fn acc_fails(&self, node: u32) -> bool {
        self.accs[node as usize].fallible
    }

    /// The first parameter of a closure of array code, a node: those before it were made outside of the closure.
    pub(super) fn first_param(&self, binder: Binder) -> Option<u32> {
        self.first_params.get(&binder).copied()
    }

    fn fact(&self, node: Node) -> Fact {
        match node {
            Node::Exp(node) => self.exps[node as usize],
            Node::Acc(node) => self.accs[node as usize],
        }
    }

    /// Finds the facts about `root` and all that it depends on, dependencies first.
    fn visit(&mut self, root: Node) -> Result<(), SurfaceError> {
        let mut todo = vec![(root, false)];
        while let Some((node, dependencies_done)) = todo.pop() {
            if self.fact(node).known {
                continue;
            }
            if dependencies_done {
                self.learn(node)?;
                continue;
            }
            todo.push((node, true));
            let dependencies = self.graph.references(node);
            todo.extend(dependencies.all().rev().map(|node| (node, false)));
        }
        Ok(())
    }

    /// Finds the facts about a node from those about its dependencies.
    fn learn(&mut self, node: Node) -> Result<(), SurfaceError> {
        let fact = Fact {
            known: true,
            fallible: self.fallible(node),
        };
        match node {
            Node::Exp(position) => {
                self.exps[position as usize] = fact;
                self.scalar_binders.extend(self.graph.param(node));
            }
            Node::Acc(node) => {
                self.accs[node as usize] = fact;
                self.check_no_scalars(node)?;
            }
        }
        Ok(())
    }

    fn fallible(&self, node: Node) -> bool {
        match node {
            Node::Exp(node) => {
                let op = &self.graph.exps[node as usize].op;
                let fails = |part| match part {
                    Node::Exp(_) => self.fact(part).fallible,
                    Node::Acc(_) => false,
                };
                exp_can_fail(op) || op.references().all().any(fails)
            }
            Node::Acc(node) => {
                let node = &self.graph.accs[node as usize];
                let functions = node.op.functions().into_iter();
                let mut scalars = functions.flat_map(|code| code.results);
                acc_can_fail(self.graph, node) || scalars.any(|&exp| self.fact(exp.into()).fallible)
            }
        }
    }

    /// An array node may depend on parameters of array functions only.
    fn check_no_scalars(&self, acc: u32) -> Result<(), SurfaceError> {
        let mut binders = self.graph.free.get(Node::Acc(acc)).iter();
        match binders.find(|binder| self.scalar_binders.contains(binder)) {
            None => Ok(()),
            Some(&binder) => Err(scalar_in_array(self.graph, acc, binder)),
        }
    }

    /// A program may depend on its own parameters only.
    fn check_closed(&self, f: &AccLambda, roots: &[Node]) -> Result<(), SurfaceError> {
        let free = roots.iter().flat_map(|&root| self.graph.free.get(root));
        match free.filter(|&&binder| binder != f.binder).min() {
            None => Ok(()),
            Some(&binder) => Err(escaped(self.graph, roots, binder)),
        }
    }
}

fn first_params(graph: &Graph) -> HashMap<Binder, u32> {
    let accs = (0..).zip(&graph.accs);
    let params = accs.filter_map(|(node, acc)| Some((acc.op.param()?, node)));
    let mut first = HashMap::new();
    for (binder, node) in params {
        first.entry(binder).or_insert(node);
    }
    first
}

/// Whether a scalar operation itself can fail. Reading an array of rank 0 cannot.
pub(super) fn exp_can_fail(op: &ExpNodeOp) -> bool {
    match op {
        ExpNodeOp::Index { index, .. } => !index.is_empty(),
        ExpNodeOp::Const(_)
        | ExpNodeOp::Param { .. }
        | ExpNodeOp::Prim(..)
        | ExpNodeOp::Extent { .. }
        | ExpNodeOp::Cond { .. }
        | ExpNodeOp::Derivative { .. }
        | ExpNodeOp::WithPartials(_)
        | ExpNodeOp::Loop { .. } => false,
    }
}

/// Whether an array operation itself can fail, its scalar code aside.
fn acc_can_fail(graph: &Graph, node: &AccNode) -> bool {
    match &node.op {
        AccNodeOp::Param { .. }
        | AccNodeOp::Use(_)
        | AccNodeOp::Map { .. }
        | AccNodeOp::Scan { init: None, .. }
        | AccNodeOp::Unpack { .. }
        | AccNodeOp::Argsort { .. }
        | AccNodeOp::Cond { .. }
        | AccNodeOp::Derivative { .. }
        | AccNodeOp::Custom { .. }
        | AccNodeOp::Loop { .. } => false,
        AccNodeOp::Fold { init: Some(_), .. } => !fits(node),
        AccNodeOp::Generate { shape, .. } => !fits(node) || !are_extents(graph, shape),
        AccNodeOp::Move { how, arg: _ } => match how.fails() {
            MoveFails::Never => false,
            MoveFails::ByShape => {
                !fits(node) || how.said().is_some_and(|said| !are_extents(graph, said))
            }
            MoveFails::BySize
            | MoveFails::ByExtents
            | MoveFails::ByPositions(..)
            | MoveFails::ByElement(_) => true,
        },
        AccNodeOp::Fold { init: None, .. }
        | AccNodeOp::FoldSegments { .. }
        | AccNodeOp::Scan { init: Some(_), .. }
        | AccNodeOp::Permute { .. }
        | AccNodeOp::Append { .. } => true,
    }
}

/// Whether the number of elements of the results is an `i64`, whatever the extents: a product of two is.
fn fits(node: &AccNode) -> bool {
    node.types.iter().all(|ty| ty.rank <= 2)
}

/// Whether expressions are extents for certain.
fn are_extents(graph: &Graph, exps: &[ExpRef]) -> bool {
    exps.iter().all(|&exp| is_extent(graph, exp))
}

/// Whether an expression is an extent for certain, and so not negative.
fn is_extent(graph: &Graph, ExpRef { node, output: _ }: ExpRef) -> bool {
    match graph.exps[node as usize].op {
        ExpNodeOp::Extent { .. } => true,
        ExpNodeOp::Const(value) => matches!(value, Const::I32(extent) if extent >= 0),
        ExpNodeOp::Param { .. }
        | ExpNodeOp::Prim(..)
        | ExpNodeOp::Index { .. }
        | ExpNodeOp::Cond { .. }
        | ExpNodeOp::Derivative { .. }
        | ExpNodeOp::WithPartials(_)
        | ExpNodeOp::Loop { .. } => false,
    }
}
