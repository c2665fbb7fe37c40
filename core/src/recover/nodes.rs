//! What the nodes of a surface graph refer to, and their names for messages.

use crate::graph::{AccNodeOp, ArrRef, Binder, ExpLambda, ExpNodeOp, ExpRef, Graph};
use crate::term::Direction;

/// A node of either stratum.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Node {
    /// A position in [`Graph::exps`].
    Exp(u32),
    /// A position in [`Graph::accs`].
    Acc(u32),
}

impl From<ExpRef> for Node {
    fn from(ExpRef { node, output: _ }: ExpRef) -> Self {
        Self::Exp(node)
    }
}

impl From<ArrRef> for Node {
    fn from(ArrRef { node, output: _ }: ArrRef) -> Self {
        Self::Acc(node)
    }
}

/// What a node refers to, in either stratum.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct References {
    /// Outside of its lambda.
    pub(super) plain: Vec<Node>,
    /// The results of its lambda, and who binds that one's parameters.
    pub(super) lambda: Option<(Binder, Vec<Node>)>,
}

impl References {
    /// Everything the node refers to, the lambda last.
    pub(super) fn all(&self) -> impl DoubleEndedIterator<Item = Node> {
        let lambda = self.lambda.iter().flat_map(|(_, results)| results);
        self.plain.iter().chain(lambda).copied()
    }
}

/// The binder of a node that is a parameter.
pub(super) fn param(graph: &Graph, node: Node) -> Option<Binder> {
    match node {
        Node::Exp(node) => {
            if let ExpNodeOp::Param { binder, .. } = graph.exps[node as usize].op {
                return Some(binder);
            }
        }
        Node::Acc(node) => {
            if let AccNodeOp::Param { binder, .. } = graph.accs[node as usize].op {
                return Some(binder);
            }
        }
    }
    None
}

fn nodes<Ref: Copy + Into<Node>>(refs: &[Ref]) -> impl Iterator<Item = Node> {
    refs.iter().map(|&reference| reference.into())
}

/// What a node refers to.
pub(super) fn references(graph: &Graph, node: Node) -> References {
    match node {
        Node::Exp(node) => exp_references(&graph.exps[node as usize].op),
        Node::Acc(node) => acc_references(&graph.accs[node as usize].op),
    }
}

fn exp_references(op: &ExpNodeOp) -> References {
    let mut lambda = None;
    let plain = match op {
        ExpNodeOp::Const(_) | ExpNodeOp::Param { .. } => vec![],
        ExpNodeOp::Prim(_, operands) => nodes(operands).collect(),
        ExpNodeOp::Index { array, index } => nodes(index).chain([Node::from(*array)]).collect(),
        ExpNodeOp::Extent { array, axis: _ } => vec![Node::from(*array)],
        ExpNodeOp::Cond { cond, then_, else_ } => nodes(&[*cond])
            .chain(nodes(then_))
            .chain(nodes(else_))
            .collect(),
        ExpNodeOp::Gradient {
            with_value: _,
            f,
            args,
        } => {
            lambda = Some((f.binder, nodes(&f.results).collect()));
            nodes(args).collect()
        }
    };
    References { plain, lambda }
}

fn acc_references(op: &AccNodeOp) -> References {
    let AccParts {
        f,
        exps,
        args,
        inner,
    } = acc_parts(op);
    let mut lambda = f.map(|f| (f.binder, nodes(&f.results).collect()));
    let mut plain: Vec<_> = nodes(exps)
        .chain(args.into_iter().map(Node::from))
        .collect();
    match inner {
        AccInner::None => {}
        AccInner::Branches(then_, else_) => plain.extend(nodes(then_).chain(nodes(else_))),
        AccInner::Body(binder, results) => lambda = Some((binder, nodes(results).collect())),
    }
    References { plain, lambda }
}

/// What an array operation is made of.
#[derive(Clone, Debug)]
pub(super) struct AccParts<'a> {
    /// Its scalar function with parameters.
    pub(super) f: Option<&'a ExpLambda>,
    /// Its closed expressions: a shape, extents, positions, an initial value or a condition.
    pub(super) exps: &'a [ExpRef],
    /// The arrays it works on.
    pub(super) args: Vec<ArrRef>,
    /// Its blocks.
    pub(super) inner: AccInner<'a>,
}

/// The blocks of an array operation, by their results.
#[derive(Clone, Copy, Debug)]
pub(super) enum AccInner<'a> {
    /// None.
    None,
    /// Those of a conditional.
    Branches(&'a [ArrRef], &'a [ArrRef]),
    /// That of a gradient.
    Body(Binder, &'a [ArrRef]),
}

/// Takes an array operation apart.
pub(super) fn acc_parts(op: &AccNodeOp) -> AccParts<'_> {
    let parts = |f, exps, args: &[ArrRef]| AccParts {
        f,
        exps,
        args: args.to_vec(),
        inner: AccInner::None,
    };
    match op {
        AccNodeOp::Param { .. } | AccNodeOp::Use(_) => parts(None, &[], &[]),
        AccNodeOp::Generate { shape, f } => parts(Some(f), shape, &[]),
        AccNodeOp::Map { f, args } => parts(Some(f), &[], args),
        AccNodeOp::Fold { f, init, args }
        | AccNodeOp::Scan {
            direction: _,
            f,
            init,
            args,
        } => parts(Some(f), init.as_deref().unwrap_or(&[]), args),
        AccNodeOp::Reshape { shape: exps, arg }
        | AccNodeOp::Replicate {
            axes: _,
            extents: exps,
            arg,
        }
        | AccNodeOp::Slice {
            axes: _,
            indices: exps,
            arg,
        } => parts(None, exps, &[*arg]),
        AccNodeOp::Backpermute { shape, f, arg } => parts(Some(f), shape, &[*arg]),
        AccNodeOp::Permute {
            combine: _,
            defaults,
            target,
            args,
        } => parts(Some(target), &[], &[defaults.as_slice(), args].concat()),
        AccNodeOp::Unpack { args } | AccNodeOp::Append { args } => parts(None, &[], args),
        AccNodeOp::Cond { cond, then_, else_ } => AccParts {
            inner: AccInner::Branches(then_, else_),
            ..parts(None, std::slice::from_ref(cond), &[])
        },
        AccNodeOp::Gradient {
            with_value: _,
            f,
            args,
        } => AccParts {
            inner: AccInner::Body(f.binder, &f.results),
            ..parts(None, &[], args)
        },
    }
}

/// The name of an array operation, as users know it.
pub(super) fn acc_name(op: &AccNodeOp) -> &'static str {
    match op {
        AccNodeOp::Param { .. } => "parameter",
        AccNodeOp::Use(_) => "use",
        AccNodeOp::Generate { .. } => "generate",
        AccNodeOp::Map { args, .. } if args.len() > 1 => "zip_with",
        AccNodeOp::Map { .. } => "map",
        AccNodeOp::Fold { init: Some(_), .. } => "fold",
        AccNodeOp::Fold { init: None, .. } => "fold1",
        AccNodeOp::Scan {
            direction, init, ..
        } => match (direction, init) {
            (Direction::Left, Some(_)) => "scanl",
            (Direction::Right, Some(_)) => "scanr",
            (Direction::Left, None) => "scanl1",
            (Direction::Right, None) => "scanr1",
        },
        AccNodeOp::Reshape { .. } => "reshape",
        AccNodeOp::Replicate { .. } => "replicate",
        AccNodeOp::Slice { .. } => "slice",
        AccNodeOp::Backpermute { .. } => "backpermute",
        AccNodeOp::Permute { .. } => "permute",
        AccNodeOp::Unpack { .. } => "unpack",
        AccNodeOp::Append { .. } => "append",
        AccNodeOp::Cond { .. } => "acond",
        AccNodeOp::Gradient { .. } => "gradient_a",
    }
}
