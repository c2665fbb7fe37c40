//! The builder of array blocks.

use super::Arr;
use crate::constant::Const;
use crate::loc::Loc;
use crate::term::{
    AccBlock, AccLet, AccOp, ArrBind, ArrId, Axis, Combine, Direction, Fun, Labelled, Move,
    Outside, SortOrder,
};
use crate::types::{ArrayType, ScalarType};
use std::collections::HashMap;

/// An array block under construction.
#[derive(Debug)]
pub struct AccBuilder {
    next: u32,
    outer: Vec<Vec<AccLet<Labelled>>>,
    current: Vec<AccLet<Labelled>>,
    loc: Loc,
}

impl AccBuilder {
    /// An empty block that gives out labels from `first_label` on.
    pub fn new(first_label: u32) -> Self {
        Self {
            next: first_label,
            outer: vec![],
            current: vec![],
            loc: Loc::UNKNOWN,
        }
    }

    /// The first label not given out yet.
    pub fn next_label(&self) -> u32 {
        self.next
    }

    /// What is pushed from now on carries this location.
    pub fn set_loc(&mut self, loc: Loc) {
        self.loc = loc;
    }

    /// The location that what is pushed carries.
    pub fn loc(&self) -> Loc {
        self.loc
    }

    /// A fresh variable of type `ty`, bound by nothing yet.
    pub fn fresh(&mut self, ty: ArrayType) -> Arr {
        self.next += 1;
        ArrBind {
            name: ArrId(self.next - 1),
            ty,
        }
    }

    /// Pushes an operation with results of the given types.
    pub fn push(&mut self, op: AccOp<Labelled>, types: &[ArrayType]) -> Vec<Arr> {
        let binds: Vec<_> = types.iter().map(|&ty| self.fresh(ty)).collect();
        self.push_let(AccLet {
            binds: binds.clone(),
            op,
            loc: self.loc,
        });
        binds
    }

    /// Pushes a finished let, whose labels must not be in use.
    pub fn push_let(&mut self, let_: AccLet<Labelled>) {
        self.current.push(let_);
    }

    fn push_all(&mut self, op: AccOp<Labelled>, elems: &[ScalarType], rank: usize) -> Vec<Arr> {
        let types: Vec<_> = elems.iter().map(|&e| ArrayType::new(e, rank)).collect();
        self.push(op, &types)
    }

    /// Begins a nested block: what is pushed goes there until [`close`](Self::close).
    pub fn open(&mut self) {
        self.outer.push(std::mem::take(&mut self.current));
    }

    /// Ends the block begun last.
    pub fn close(&mut self, results: &[Arr]) -> AccBlock<Labelled> {
        let outer = self.outer.pop().unwrap_or_default();
        let lets = std::mem::replace(&mut self.current, outer);
        AccBlock {
            lets,
            results: names(results),
        }
    }

    /// The block with the given results.
    pub fn finish(self, results: &[Arr]) -> AccBlock<Labelled> {
        AccBlock {
            lets: self.current,
            results: names(results),
        }
    }

    /// A copy of `block` with labels of its own for all that it binds. What it reads from outside becomes what `names`
    /// says; the copies of what it binds are entered there.
    ///
    /// ```
    /// use cotangent_core::build::{AccBuilder, Arr};
    /// use cotangent_core::{constant::Const, types::{ArrayType, ScalarType}};
    /// use std::collections::HashMap;
    /// let mut b = AccBuilder::new(0);
    /// let x = b.fresh(ArrayType::new(ScalarType::F64, 1));
    /// b.open();
    /// let y = b.fill_like(&x, Const::F64(1.0));
    /// let block = b.close(&[y.clone()]);
    /// let mut names = HashMap::new();
    /// let copy = b.copied(&block, &mut names);
    /// assert_eq!(copy.results, [names[&y.name]]);
    /// assert_ne!(copy.results, block.results);
    /// ```
    pub fn copied(
        &mut self,
        block: &AccBlock<Labelled>,
        names: &mut HashMap<ArrId, ArrId>,
    ) -> AccBlock<Labelled> {
        let mut copy = block.clone();
        self.relabel(&mut copy, names);
        copy.rename(&|name| names.get(&name).copied().unwrap_or(name));
        copy
    }

    /// Gives all that `block` binds new labels.
    fn relabel(&mut self, block: &mut AccBlock<Labelled>, names: &mut HashMap<ArrId, ArrId>) {
        for AccLet { binds, op, loc: _ } in &mut block.lets {
            self.relabel_binds(binds, names);
            for inner in op.blocks_mut() {
                self.relabel_binds(inner.binds, names);
                self.relabel(inner.block, names);
            }
        }
    }

    fn relabel_binds(&mut self, binds: &mut [Arr], names: &mut HashMap<ArrId, ArrId>) {
        for bind in binds {
            let new = self.fresh(bind.ty);
            names.insert(bind.name, new.name);
            *bind = new;
        }
    }

    /// `generate`.
    pub fn generate(&mut self, shape: Fun<Labelled>, f: Fun<Labelled>) -> Vec<Arr> {
        let (elems, rank) = (f.result_types(), shape.body.results.len());
        self.push_all(AccOp::Generate { shape, f }, &elems, rank)
    }

    /// An array of the shape of `like`, filled with `value`.
    pub fn fill_like(&mut self, like: &Arr, value: Const) -> Arr {
        let mut f = crate::build::FunBuilder::new();
        f.params(&vec![ScalarType::I32; like.ty.rank]);
        let value = f.constant(value);
        self.generate(Fun::shape_of(like), f.finish(vec![value]))
            .remove(0)
    }

    /// `map` or `zip_with`; at least one argument.
    pub fn map(&mut self, f: Fun<Labelled>, args: &[Arr]) -> Vec<Arr> {
        let (elems, rank) = (f.result_types(), rank_of(args));
        self.push_all(
            AccOp::Map {
                f,
                args: names(args),
            },
            &elems,
            rank,
        )
    }

    /// `fold`, or `fold1` without `init`.
    pub fn fold(
        &mut self,
        f: Fun<Labelled>,
        init: Option<Fun<Labelled>>,
        args: &[Arr],
    ) -> Vec<Arr> {
        let (elems, rank) = (elems_of(args), rank_of(args).saturating_sub(1));
        self.push_all(
            AccOp::Fold {
                f,
                init,
                args: names(args),
            },
            &elems,
            rank,
        )
    }

    /// A scan.
    pub fn scan(
        &mut self,
        direction: Direction,
        f: Fun<Labelled>,
        init: Option<Fun<Labelled>>,
        args: &[Arr],
    ) -> Vec<Arr> {
        let (elems, rank) = (elems_of(args), rank_of(args));
        self.push_all(
            AccOp::Scan {
                direction,
                f,
                init,
                args: names(args),
            },
            &elems,
            rank,
        )
    }

    /// Any move.
    pub fn moved(&mut self, how: Move<Fun<Labelled>>, arg: &Arr) -> Arr {
        let said = how.said().map_or(0, |said| said.body.results.len());
        let rank = how.rank(said, arg.ty.rank);
        let op = AccOp::Move { how, arg: arg.name };
        self.push_all(op, &[arg.ty.elem], rank).remove(0)
    }

    /// `reshape`.
    pub fn reshape(&mut self, shape: Fun<Labelled>, arg: &Arr) -> Arr {
        self.moved(Move::Reshape { shape }, arg)
    }

    /// `replicate`.
    pub fn replicate(&mut self, axes: Vec<Axis>, extents: Fun<Labelled>, arg: &Arr) -> Arr {
        self.moved(Move::Replicate { axes, extents }, arg)
    }

    /// `slice`.
    pub fn slice(&mut self, axes: Vec<Axis>, indices: Fun<Labelled>, arg: &Arr) -> Arr {
        self.moved(Move::Slice { axes, indices }, arg)
    }

    /// `backpermute`.
    pub fn backpermute(&mut self, shape: Fun<Labelled>, f: Fun<Labelled>, arg: &Arr) -> Arr {
        self.moved(Move::Backpermute { shape, f }, arg)
    }

    /// `permute` as users write it, which fails where a target is out of range; as many defaults as arguments.
    pub fn permute(
        &mut self,
        combine: Combine,
        defaults: &[Arr],
        target: Fun<Labelled>,
        args: &[Arr],
    ) -> Vec<Arr> {
        self.scatter((combine, Outside::Fails), defaults, target, args)
    }

    /// `permute` of adjoints, back to where elements came from: see [`Outside::MayDrop`].
    pub fn permute_back(
        &mut self,
        combine: Combine,
        defaults: &[Arr],
        target: Fun<Labelled>,
        args: &[Arr],
    ) -> Vec<Arr> {
        self.scatter((combine, Outside::MayDrop), defaults, target, args)
    }

    fn scatter(
        &mut self,
        (combine, outside): (Combine, Outside),
        defaults: &[Arr],
        target: Fun<Labelled>,
        args: &[Arr],
    ) -> Vec<Arr> {
        let (elems, rank) = (elems_of(defaults), rank_of(defaults));
        let op = AccOp::Permute {
            combine,
            outside,
            defaults: names(defaults),
            target,
            args: names(args),
        };
        self.push_all(op, &elems, rank)
    }

    /// `unpack`; at least one argument.
    pub fn unpack(&mut self, args: &[Arr]) -> Arr {
        let (elems, rank) = (elems_of(args), rank_of(args) + 1);
        self.push_all(AccOp::Unpack { args: names(args) }, &elems[..1], rank)
            .remove(0)
    }

    /// `append`; at least one argument.
    pub fn append(&mut self, args: &[Arr]) -> Arr {
        let (elems, rank) = (elems_of(args), rank_of(args));
        self.push_all(AccOp::Append { args: names(args) }, &elems[..1], rank)
            .remove(0)
    }

    /// `fold_segments`; at least one argument.
    pub fn fold_segments(
        &mut self,
        (f, init): (Fun<Labelled>, Fun<Labelled>),
        lengths: &Arr,
        args: &[Arr],
    ) -> Vec<Arr> {
        let (elems, rank) = (elems_of(args), rank_of(args));
        let op = AccOp::FoldSegments {
            f,
            init,
            lengths: lengths.name,
            args: names(args),
        };
        self.push_all(op, &elems, rank)
    }

    /// `argsort`, or `argsort_descending`.
    pub fn argsort(&mut self, order: SortOrder, arg: &Arr) -> Arr {
        let op = AccOp::Argsort {
            order,
            arg: arg.name,
        };
        self.push_all(op, &[ScalarType::I32], arg.ty.rank).remove(0)
    }
}

/// The labels of some variables.
fn names(arrays: &[Arr]) -> Vec<ArrId> {
    arrays.iter().map(|a| a.name).collect()
}

fn elems_of(arrays: &[Arr]) -> Vec<ScalarType> {
    arrays.iter().map(|a| a.ty.elem).collect()
}

fn rank_of(arrays: &[Arr]) -> usize {
    arrays.first().map_or(0, |a| a.ty.rank)
}
