//! What the nodes of a graph refer to: the one place that lists it, for every operation of both strata.
//!
//! As [`term`](crate::term) has it for terms; here a function or a block is the results of a lambda, or of a closure
//! without parameters of its own.

use super::{AccNodeOp, ArrRef, Binder, ExpNodeOp, ExpRef, Graph, Lambda};
use crate::term::{Direction, MovePart, Runs};

/// A node of either stratum.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Node {
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

/// A function or a block of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Code<'a, Ref> {
    /// How often it runs where the node does.
    pub(crate) runs: Runs,
    /// Who binds its parameters, and how many there are.
    pub(crate) binds: Option<(Binder, u32)>,
    /// What it results in.
    pub(crate) results: &'a [Ref],
}

impl<'a, Ref> Code<'a, Ref> {
    /// Code without parameters.
    fn closed(runs: Runs, results: &'a [Ref]) -> Self {
        Self {
            runs,
            binds: None,
            results,
        }
    }

    /// The code of a lambda.
    fn of<Type>(runs: Runs, lambda: &'a Lambda<Type, Ref>) -> Self {
        let count = lambda.params.len() as u32;
        Self {
            runs,
            binds: Some((lambda.binder, count)),
            results: &lambda.results,
        }
    }
}

/// What a node refers to, in either stratum.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct References {
    /// Outside of its lambdas.
    pub(crate) plain: Vec<Node>,
    /// The results of its lambdas, and who binds their parameters.
    pub(crate) lambdas: Vec<(Binder, Vec<Node>)>,
}

impl References {
    /// Everything the node refers to, lambdas last.
    pub(crate) fn all(&self) -> impl DoubleEndedIterator<Item = Node> {
        let inside = self.lambdas.iter().flat_map(|(_, results)| results);
        self.plain.iter().chain(inside).copied()
    }

    fn plain<Ref: Copy + Into<Node>>(&mut self, refs: &[Ref]) {
        self.plain
            .extend(refs.iter().map(|&r| -> Node { r.into() }));
    }

    fn code<Ref: Copy + Into<Node>>(&mut self, code: Code<'_, Ref>) {
        match code.binds {
            None => self.plain(code.results),
            Some((binder, _)) => {
                let results = code.results.iter().map(|&r| r.into());
                self.lambdas.push((binder, results.collect()));
            }
        }
    }
}

impl Graph {
    /// The binder of a node that is a parameter.
    pub(crate) fn param(&self, node: Node) -> Option<Binder> {
        match node {
            Node::Exp(node) => self.exps[node as usize].op.param(),
            Node::Acc(node) => self.accs[node as usize].op.param(),
        }
    }

    /// What a node refers to.
    pub(crate) fn references(&self, node: Node) -> References {
        match node {
            Node::Exp(node) => self.exps[node as usize].op.references(),
            Node::Acc(node) => self.accs[node as usize].op.references(),
        }
    }
}

impl ExpNodeOp {
    /// Who binds it, if it is a parameter.
    pub(crate) fn param(&self) -> Option<Binder> {
        match self {
            Self::Param { binder, .. } => Some(*binder),
            Self::Const(_)
            | Self::Prim(..)
            | Self::Index { .. }
            | Self::Extent { .. }
            | Self::Cond { .. }
            | Self::Derivative { .. }
            | Self::WithPartials(_)
            | Self::Loop { .. } => None,
        }
    }

    /// The expressions it refers to, those of its blocks aside.
    pub(crate) fn operands(&self) -> &[ExpRef] {
        match self {
            Self::Const(_) | Self::Param { .. } | Self::Extent { .. } => &[],
            Self::Prim(_, operands) | Self::WithPartials(operands) => operands,
            Self::Index { array: _, index } => index,
            Self::Cond { cond, .. } => std::slice::from_ref(cond),
            Self::Derivative { args, .. } | Self::Loop { args, .. } => args,
        }
    }

    /// The array that it reads or measures.
    pub(crate) fn array(&self) -> Option<ArrRef> {
        match self {
            Self::Index { array, .. } | Self::Extent { array, .. } => Some(*array),
            Self::Const(_)
            | Self::Param { .. }
            | Self::Prim(..)
            | Self::Cond { .. }
            | Self::Derivative { .. }
            | Self::WithPartials(_)
            | Self::Loop { .. } => None,
        }
    }

    /// Its blocks.
    pub(crate) fn blocks(&self) -> Vec<Code<'_, ExpRef>> {
        match self {
            Self::Const(_)
            | Self::Param { .. }
            | Self::Prim(..)
            | Self::Index { .. }
            | Self::Extent { .. }
            | Self::WithPartials(_) => vec![],
            Self::Cond {
                cond: _,
                then_,
                else_,
            } => branches(then_, else_),
            Self::Derivative {
                mode: _,
                f,
                args: _,
            } => vec![Code::of(Runs::Once, f)],
            Self::Loop {
                test,
                step,
                args: _,
            } => {
                let lambdas = test.iter().chain([step]);
                lambdas.map(|f| Code::of(Runs::Repeatedly, f)).collect()
            }
        }
    }

    /// What it refers to.
    pub(crate) fn references(&self) -> References {
        let mut references = References::default();
        references.plain(self.operands());
        references.plain(self.array().as_slice());
        self.blocks()
            .into_iter()
            .for_each(|code| references.code(code));
        references
    }
}

impl AccNodeOp {
    /// The name of an array operation, as users know it.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Param { .. } => "parameter",
            Self::Use(_) => "use",
            Self::Generate { .. } => "generate",
            Self::Map { args, .. } if args.len() > 1 => "zip_with",
            Self::Map { .. } => "map",
            Self::Fold { init: Some(_), .. } => "fold",
            Self::Fold { init: None, .. } => "fold1",
            Self::FoldSegments { .. } => "fold_segments",
            Self::Scan {
                direction, init, ..
            } => match (direction, init) {
                (Direction::Left, Some(_)) => "scanl",
                (Direction::Right, Some(_)) => "scanr",
                (Direction::Left, None) => "scanl1",
                (Direction::Right, None) => "scanr1",
            },
            Self::Move { how, arg: _ } => how.name(),
            Self::Permute { .. } => "permute",
            Self::Unpack { .. } => "unpack",
            Self::Append { .. } => "append",
            Self::Argsort { order, arg: _ } => order.name(),
            Self::Cond { .. } => "acond",
            Self::Derivative { mode, .. } => mode.acc_name(),
            Self::Custom { rules, .. } => rules.name(),
            Self::Loop { .. } => "loop_a",
        }
    }

    /// Who binds it, if it is a parameter.
    pub(crate) fn param(&self) -> Option<Binder> {
        match self {
            Self::Param { binder, .. } => Some(*binder),
            Self::Use(_)
            | Self::Generate { .. }
            | Self::Map { .. }
            | Self::Fold { .. }
            | Self::Scan { .. }
            | Self::Move { .. }
            | Self::Permute { .. }
            | Self::Unpack { .. }
            | Self::Argsort { .. }
            | Self::FoldSegments { .. }
            | Self::Append { .. }
            | Self::Cond { .. }
            | Self::Derivative { .. }
            | Self::Custom { .. }
            | Self::Loop { .. } => None,
        }
    }

    /// The arrays it takes, those of its code aside.
    pub(crate) fn arguments(&self) -> Vec<ArrRef> {
        match self {
            Self::Param { .. } | Self::Use(_) | Self::Generate { .. } | Self::Cond { .. } => vec![],
            Self::Map { args, .. }
            | Self::Fold { args, .. }
            | Self::Scan { args, .. }
            | Self::Unpack { args }
            | Self::Append { args }
            | Self::Derivative { args, .. }
            | Self::Custom { args, .. }
            | Self::Loop { args, .. } => args.clone(),
            Self::Move { how: _, arg } | Self::Argsort { order: _, arg } => vec![*arg],
            Self::Permute { defaults, args, .. } => [defaults.as_slice(), args].concat(),
            Self::FoldSegments { lengths, args, .. } => [&[*lengths], &args[..]].concat(),
        }
    }

    /// Its scalar functions.
    pub(crate) fn functions(&self) -> Vec<Code<'_, ExpRef>> {
        let once = |results| Code::closed(Runs::Once, results);
        match self {
            Self::Param { .. }
            | Self::Use(_)
            | Self::Unpack { .. }
            | Self::Argsort { .. }
            | Self::Append { .. }
            | Self::Derivative { .. }
            | Self::Custom { .. } => vec![],
            Self::Generate { shape, f } => {
                vec![once(shape), Code::of(Runs::Repeatedly, f)]
            }
            Self::Map { f, .. }
            | Self::Fold { f, init: None, .. }
            | Self::Scan { f, init: None, .. }
            | Self::Permute { target: f, .. } => vec![Code::of(Runs::Repeatedly, f)],
            Self::Fold {
                f,
                init: Some(init),
                ..
            }
            | Self::Scan {
                f,
                init: Some(init),
                ..
            }
            | Self::FoldSegments { f, init, .. } => {
                vec![Code::of(Runs::Repeatedly, f), once(init)]
            }
            Self::Move { how, arg: _ } => {
                let parts = how.parts().into_iter();
                let code = parts.map(|part| match part {
                    MovePart::Closed(_, exps) => once(exps),
                    MovePart::OfIndex(_, f) => Code::of(Runs::Repeatedly, f),
                });
                code.collect()
            }
            Self::Cond { cond: exp, .. } | Self::Loop { trips: exp, .. } => {
                vec![once(std::slice::from_ref(exp))]
            }
        }
    }

    /// Its blocks.
    pub(crate) fn blocks(&self) -> Vec<Code<'_, ArrRef>> {
        match self {
            Self::Cond {
                cond: _,
                then_,
                else_,
            } => branches(then_, else_),
            Self::Derivative {
                mode: _,
                f,
                args: _,
            } => vec![Code::of(Runs::Once, f)],
            Self::Custom {
                values: _,
                rules,
                args: _,
            } => {
                let rules = rules.named().into_iter();
                rules
                    .map(|(_, rule)| Code::of(Runs::Repeatedly, rule))
                    .collect()
            }
            Self::Loop {
                trips: _,
                test,
                step,
                states,
                args: _,
            } => {
                let lambdas = test.iter().chain([step]).chain(states.inverse());
                lambdas.map(|f| Code::of(Runs::Repeatedly, f)).collect()
            }
            Self::Param { .. }
            | Self::Use(_)
            | Self::Generate { .. }
            | Self::Map { .. }
            | Self::Fold { .. }
            | Self::Scan { .. }
            | Self::Move { .. }
            | Self::Permute { .. }
            | Self::Unpack { .. }
            | Self::Argsort { .. }
            | Self::FoldSegments { .. }
            | Self::Append { .. } => vec![],
        }
    }

    /// What it refers to.
    pub(crate) fn references(&self) -> References {
        let mut references = References::default();
        self.functions()
            .into_iter()
            .for_each(|code| references.code(code));
        references.plain(&self.arguments());
        self.blocks()
            .into_iter()
            .for_each(|code| references.code(code));
        references
    }
}

fn branches<'a, Ref>(then_: &'a [Ref], else_: &'a [Ref]) -> Vec<Code<'a, Ref>> {
    [then_, else_]
        .map(|results| Code::closed(Runs::Alternative, results))
        .into()
}
