//! Operations by their names: one of each with nothing in it. The names are those that operations say of themselves.
//!
//! A new operation is added here, and the compiler then asks for its grammar, in `acc.rs` or `exp.rs`; primitives and moves
//! need nothing.

use crate::label::Numbered;
use crate::prim;
use crate::term::{
    AccBlock, AccClosure, AccOp, Combine, Direction, ExpBlock, ExpClosure, ExpOp, Fun, Mode, Move,
    Outside, Rules, Slot, SortOrder, States, UseId,
};
use std::collections::HashMap;

/// The operations of both strata.
pub(super) struct Forms<N: Numbered> {
    pub(super) acc: HashMap<&'static str, AccOp<N>>,
    pub(super) exp: HashMap<String, ExpOp<N>>,
}

impl<N: Numbered> Forms<N> {
    pub(super) fn new() -> Self {
        let (acc, exp) = (acc_forms().into_iter(), exp_forms().into_iter());
        Self {
            acc: acc.map(|op| (op.name(), op)).collect(),
            exp: exp.map(|op| (op.name(), op)).collect(),
        }
    }
}

fn fun<N: Numbered>() -> Fun<N> {
    Fun {
        captures: vec![],
        params: vec![],
        body: ExpBlock::EMPTY,
    }
}

fn acc_forms<N: Numbered>() -> Vec<AccOp<N>> {
    let mut forms = vec![AccOp::Use(UseId(0))];
    forms.extend(elementwise());
    forms.extend([None, Some(fun())].into_iter().flat_map(reductions));
    forms.extend(moves());
    forms.extend(combinations());
    forms.extend(sorts());
    forms.extend([segments()]);
    forms.extend(nesting());
    forms.extend(acc_derivatives());
    forms.extend(custom());
    forms
}

fn elementwise<N: Numbered>() -> [AccOp<N>; 3] {
    let map = |arity| AccOp::Map {
        f: fun(),
        args: vec![N::arr_named(0); arity],
    };
    let generate = AccOp::Generate {
        shape: fun(),
        f: fun(),
    };
    [generate, map(1), map(2)]
}

fn reductions<N: Numbered>(init: Option<Fun<N>>) -> [AccOp<N>; 3] {
    let scan = |direction| AccOp::Scan {
        direction,
        f: fun(),
        init: init.clone(),
        args: vec![],
    };
    let fold = AccOp::Fold {
        f: fun(),
        init: init.clone(),
        args: vec![],
    };
    [fold, scan(Direction::Left), scan(Direction::Right)]
}

fn moves<N: Numbered>() -> impl Iterator<Item = AccOp<N>> {
    let forms = Move::forms(fun(), fun()).into_iter();
    forms.map(|how| AccOp::Move {
        how,
        arg: N::arr_named(0),
    })
}

fn segments<N: Numbered>() -> AccOp<N> {
    AccOp::FoldSegments {
        f: fun(),
        init: fun(),
        lengths: N::arr_named(0),
        args: vec![],
    }
}

fn sorts<N: Numbered>() -> [AccOp<N>; 2] {
    [SortOrder::Ascending, SortOrder::Descending].map(|order| AccOp::Argsort {
        order,
        arg: N::arr_named(0),
    })
}

fn combinations<N: Numbered>() -> [AccOp<N>; 3] {
    [
        AccOp::Permute {
            combine: Combine::Add,
            outside: Outside::Fails,
            defaults: vec![],
            target: fun(),
            args: vec![],
        },
        AccOp::Unpack { args: vec![] },
        AccOp::Append { args: vec![] },
    ]
}

/// One derivative of each name.
const MODES: [Mode; 2] = [Mode::Gradient { with_value: false }, Mode::Jvp];

fn acc_derivatives<N: Numbered>() -> impl Iterator<Item = AccOp<N>> {
    MODES.into_iter().map(|mode| AccOp::Derivative {
        mode,
        params: vec![],
        body: AccBlock::EMPTY,
        args: vec![],
    })
}

fn custom<N: Numbered>() -> impl Iterator<Item = AccOp<N>> {
    let rule = || AccClosure {
        params: vec![],
        body: AccBlock::EMPTY,
    };
    let both = Rules::Both {
        jvp: rule(),
        vjp: rule(),
    };
    let rules = [Rules::Jvp(rule()), Rules::Vjp(rule()), both];
    rules.into_iter().map(|rules| AccOp::Custom {
        values: 0,
        rules,
        args: vec![],
    })
}

fn exp_derivatives<N: Numbered>() -> impl Iterator<Item = ExpOp<N>> {
    MODES.into_iter().map(|mode| ExpOp::Derivative {
        mode,
        params: vec![],
        body: ExpBlock::EMPTY,
        args: vec![],
    })
}

fn nesting<N: Numbered>() -> [AccOp<N>; 2] {
    let step = AccClosure {
        params: vec![],
        body: AccBlock::EMPTY,
    };
    [
        AccOp::Cond {
            cond: fun(),
            then_: AccBlock::EMPTY,
            else_: AccBlock::EMPTY,
        },
        AccOp::Loop {
            trips: fun(),
            test: None,
            step,
            states: States::Stored,
            args: vec![],
        },
    ]
}

fn exp_forms<N: Numbered>() -> Vec<ExpOp<N>> {
    let prims = prim::ALL.into_iter().map(|prim| ExpOp::Prim(prim, vec![]));
    let array = Slot(0);
    let step = ExpClosure {
        params: vec![],
        body: ExpBlock::EMPTY,
    };
    let others = [
        ExpOp::Index {
            array,
            index: vec![],
        },
        ExpOp::Extent { array, axis: 0 },
        ExpOp::Cond {
            cond: N::exp_named(0),
            then_: ExpBlock::EMPTY,
            else_: ExpBlock::EMPTY,
        },
        ExpOp::WithPartials(vec![]),
        ExpOp::Loop {
            test: None,
            step,
            args: vec![],
        },
    ];
    prims.chain(others).chain(exp_derivatives()).collect()
}
