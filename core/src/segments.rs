//! Folds of segments as programs of other operations. Derivatives are taken of these, and they are what runs where an operator is no
//! primitive.
//!
//! ```text
//! y = fold_segments x of lengths n    becomes    starts <- scanl (+) 0 n
//!                                                heads  <- true at the start of each segment that has elements, else false
//!                                                all    <- scanl1 of pairs of head and x: begins anew where a head is
//!                                                y      <- f init of the last of `all` in each segment; init of none
//! ```
//!
//! The scan is as fast for many short segments as for few long ones (Blelloch, *Prefix sums and their applications*, 1990, §1.5),
//! and its derivatives are scans again.

use crate::build::{AccBuilder, Arr, FunBuilder};
use crate::constant::Const;
use crate::loc::Loc;
use crate::prim::Prim;
use crate::term::{
    AccBlock, AccLet, AccOp, ArrId, Combine, Direction, ExpId, ExpOp, Fun, Labelled, Program,
};
use crate::types::ArrayType;
use crate::types::ScalarType::{self, Bool, I32};
use std::borrow::Cow;
use std::collections::HashMap;

/// The program without folds of segments in what derivatives are taken of.
pub fn without_segments_in_derivatives(program: Program<Labelled>) -> Program<Labelled> {
    let is_fold = |let_: &AccLet<Labelled>| matches!(let_.op, AccOp::FoldSegments { .. });
    let has_folds = program.body.all_lets().any(is_fold);
    match has_folds {
        true => expanded(program, Which::Differentiated),
        false => program,
    }
}

/// The program with no other folds of segments than kernels can do: those whose components have each a primitive for operator that
/// is [simple](is_simple).
pub fn with_simple_segments(program: &Program<Labelled>) -> Cow<'_, Program<Labelled>> {
    match program.body.all_lets().any(|let_| is_difficult(&let_.op)) {
        true => Cow::Owned(expanded(program.clone(), Which::Difficult)),
        false => Cow::Borrowed(program),
    }
}

/// Whether a primitive is an operator that kernels fold segments by: associative, commutative, and quickly done.
pub fn is_simple(prim: Prim, ty: ScalarType) -> bool {
    match ty == Bool {
        true => matches!(prim, Prim::And | Prim::Or),
        false => matches!(prim, Prim::Add | Prim::Mul | Prim::Max | Prim::Min),
    }
}

/// Whether an operation folds segments by another operator.
fn is_difficult(op: &AccOp<Labelled>) -> bool {
    let AccOp::FoldSegments { f, args, .. } = op else {
        return false;
    };
    let by_primitive = |component: usize| {
        let [x, y] = [component, component + args.len()].map(|at| &f.params[at]);
        let result = f.body.results[component];
        let mut lets = f.body.lets.iter();
        let made = lets.find(|let_| let_.binds.iter().any(|bind| bind.name == result));
        match made.map(|let_| &let_.op) {
            Some(ExpOp::Prim(prim, operands)) => {
                let is_swapped = *prim == Prim::Add && operands[..] == [y.name, x.name];
                is_simple(*prim, x.ty) && (is_swapped || operands[..] == [x.name, y.name])
            }
            Some(_) | None => false,
        }
    };
    !(0..args.len()).all(by_primitive)
}

/// Which folds of segments to expand.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Which {
    /// Those in what derivatives are taken of.
    Differentiated,
    /// Those that kernels cannot do.
    Difficult,
}

fn expanded(program: Program<Labelled>, which: Which) -> Program<Labelled> {
    let Program {
        params,
        uses,
        alike,
        mut body,
    } = program;
    let bindings = params.iter().chain(body.bindings());
    let types: HashMap<_, _> = bindings.map(|bind| (bind.name, bind.ty)).collect();
    let free = types.keys().map(|array| array.0 + 1).max().unwrap_or(0);
    let mut expander = Expander {
        b: AccBuilder::new(free),
        types,
        which,
    };
    expander.block(&mut body, false);
    Program {
        params,
        uses,
        alike,
        body,
    }
}

struct Expander {
    b: AccBuilder,
    types: HashMap<ArrId, ArrayType>,
    which: Which,
}

/// The parts of a fold of segments.
struct Segments<'a> {
    f: &'a Fun<Labelled>,
    init: &'a Fun<Labelled>,
    /// No longer negative.
    lengths: Arr,
    args: Vec<Arr>,
    loc: Loc,
}

impl Expander {
    fn block(&mut self, block: &mut AccBlock<Labelled>, is_differentiated: bool) {
        let mut lets = vec![];
        for mut let_ in std::mem::take(&mut block.lets) {
            let inside = is_differentiated || matches!(let_.op, AccOp::Derivative { .. });
            for inner in let_.op.blocks_mut() {
                self.block(inner.block, inside);
            }
            let is_meant = match self.which {
                Which::Differentiated => is_differentiated,
                Which::Difficult => is_difficult(&let_.op),
            };
            match is_meant {
                true => lets.extend(self.expanded(let_)),
                false => lets.push(let_),
            }
        }
        block.lets = lets;
    }

    /// What a let becomes: itself, but for folds of segments.
    fn expanded(&mut self, let_: AccLet<Labelled>) -> Vec<AccLet<Labelled>> {
        let AccOp::FoldSegments {
            f,
            init,
            lengths,
            args,
        } = &let_.op
        else {
            return vec![let_];
        };
        self.b.open();
        self.b.set_loc(let_.loc);
        let lengths = Arr::new(*lengths, ArrayType::new(I32, 1));
        let segments = Segments {
            f,
            init,
            lengths: self.not_negative(&lengths),
            args: args.iter().map(|&a| Arr::new(a, self.types[&a])).collect(),
            loc: let_.loc,
        };
        let starts = self.starts(&segments.lengths);
        let heads = self.heads(&segments, &starts);
        let all = self.all(&segments, &heads);
        let op = segments.last_of(&all, &starts);
        let AccLet { binds, loc, op: _ } = let_;
        self.b.push_let(AccLet { binds, op, loc });
        self.b.close(&[]).lets
    }

    fn not_negative(&mut self, lengths: &Arr) -> Arr {
        let mut f = FunBuilder::new();
        let length = f.param(I32);
        let zero = f.constant(0);
        let length = f.prim(Prim::Max, &[length, zero]);
        let f = f.finish(vec![length]);
        self.b.map(f, std::slice::from_ref(lengths)).remove(0)
    }

    /// Where each segment begins, and where the last one ends.
    fn starts(&mut self, lengths: &Arr) -> Arr {
        let add = Fun::prim(Prim::Add, &[I32, I32]);
        let zero = Fun::constants(&[Const::I32(0)]);
        let lengths = std::slice::from_ref(lengths);
        let starts = self.b.scan(Direction::Left, add, Some(zero), lengths);
        starts[0].clone()
    }

    /// For each position, whether a segment begins there.
    fn heads(&mut self, segments: &Segments, starts: &Arr) -> Arr {
        let lengths = &segments.lengths;
        let ones = self.b.fill_like(lengths, Const::Bool(true));
        let mut shape = FunBuilder::new();
        let n = segments.extents(&mut shape).split_off(segments.rank() - 1);
        let mut nowhere = FunBuilder::new();
        nowhere.param(I32);
        let no = nowhere.constant(false);
        let none = self.b.generate(shape.finish(n), nowhere.finish(vec![no]));
        let mut target = segments.function();
        let segment = target.param(I32);
        let (zero, n) = (target.constant(0), target.extent(none[0].name, 0));
        let length = target.index(lengths, &[segment]);
        let start = target.index(starts, &[segment]);
        let holds = [
            target.prim(Prim::Gt, &[length, zero]),
            target.prim(Prim::Ge, &[start, zero]),
            target.prim(Prim::Lt, &[start, n]),
        ];
        let [has_some, is_after, is_before] = holds;
        let is_inside = target.prim(Prim::And, &[is_after, is_before]);
        let is_head = target.prim(Prim::And, &[has_some, is_inside]);
        let target = target.finish(vec![is_head, start]);
        let heads = self.b.permute(Combine::Overwrite, &none, target, &[ones]);
        heads[0].clone()
    }

    /// What each element and all before it in its segment combine to.
    fn all(&mut self, segments: &Segments, heads: &Arr) -> Vec<Arr> {
        let mut shape = FunBuilder::new();
        let extents = segments.extents(&mut shape);
        let mut flag = segments.function();
        let index = flag.params(&vec![I32; segments.rank()]);
        let is_head = flag.index(heads, &index[segments.rank() - 1..]);
        let flags = self
            .b
            .generate(shape.finish(extents), flag.finish(vec![is_head]));
        let args: Vec<_> = flags.into_iter().chain(segments.args.clone()).collect();
        let f = flagged(segments.f, segments.args.len());
        self.b.scan(Direction::Left, f, None, &args).split_off(1)
    }
}

/// The operator on pairs of a flag and values.
fn flagged(f: &Fun<Labelled>, k: usize) -> Fun<Labelled> {
    let types = f.param_types();
    let mut b = FunBuilder::new();
    let pair = |b: &mut FunBuilder| (b.param(Bool), b.params(&types[..k]));
    let ((first, xs), (second, ys)) = (pair(&mut b), pair(&mut b));
    let is_head = b.prim(Prim::Or, &[first, second]);
    let both = [xs, ys.clone()].concat();
    let combined = b.cond(second, |_| ys, |b| b.inline(f, &both));
    b.finish([vec![is_head], combined].concat())
}

impl Segments<'_> {
    fn rank(&self) -> usize {
        self.args[0].ty.rank
    }

    /// A function that reads elements.
    fn function(&self) -> FunBuilder {
        let mut b = FunBuilder::new();
        b.set_loc(self.loc);
        b
    }

    /// The extents that all arguments have.
    fn extents(&self, b: &mut FunBuilder) -> Vec<ExpId> {
        let axes = 0..self.rank();
        let least = |axis| {
            let all: Vec<_> = self.args.iter().map(|a| b.extent(a.name, axis)).collect();
            let pairs = all[1..].iter();
            pairs.fold(all[0], |least, &next| b.prim(Prim::Min, &[least, next]))
        };
        axes.map(least).collect()
    }

    /// The results, given what elements combine to.
    fn last_of(&self, all: &[Arr], starts: &Arr) -> AccOp<Labelled> {
        let mut shape = FunBuilder::new();
        let mut extents = self.extents(&mut shape);
        extents.pop();
        extents.push(shape.extent(self.lengths.name, 0));
        let mut f = self.function();
        let index = f.params(&vec![I32; self.rank()]);
        let (segment, row) = (index[self.rank() - 1], &index[..self.rank() - 1]);
        let length = f.index(&self.lengths, &[segment]);
        let zero = f.constant(0);
        let is_empty = f.prim(Prim::Le, &[length, zero]);
        let first = f.inline(self.init, &[]);
        let results = f.cond(
            is_empty,
            |_| first.clone(),
            |f| {
                let one = f.constant(1);
                let next = f.prim(Prim::Add, &[segment, one]);
                let end = f.index(starts, &[next]);
                let last = f.prim(Prim::Sub, &[end, one]);
                let at = [row, &[last]].concat();
                let last: Vec<_> = all.iter().map(|all| f.index(all, &at)).collect();
                f.inline(self.f, &[&first[..], &last].concat())
            },
        );
        AccOp::Generate {
            shape: shape.finish(extents),
            f: f.finish(results),
        }
    }
}
