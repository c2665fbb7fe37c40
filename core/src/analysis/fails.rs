//! Which operations may fail for a reason that their documentation names, whatever their elements are: an
//! extent, a number of elements, a position, a target. Such an operation stays in a program that refers to it
//! (Note \[Failures\] at [`AccOp`]), and becomes a test where nobody reads its results.
//!
//! The analysis errs on the side of failure: what it says cannot fail never does.

use super::index_map::IndexMap;
use super::shape::{Shapes, Size, SizeNode};
use crate::constant::Const;
use crate::prim::Prim;
use crate::term::{AccBlock, AccOp, ArrId, Axis, Fun, Labelled, Mode, Move, MoveFails, Outside};

/// How many minima a size is looked through.
const MAX_MINIMA: usize = 16;

/// Whether the operation, whose blocks and arguments `shapes` knows, may fail itself. A gradient is not computed where nobody reads
/// it, and counts as one that does not. The results of a derivative in forward mode have the shapes of its body's, which fails where
/// these are asked for.
pub fn may_fail(op: &AccOp<Labelled>, shapes: &mut Shapes) -> bool {
    match op {
        AccOp::Use(_)
        | AccOp::Map { .. }
        | AccOp::Fold { init: Some(_), .. }
        | AccOp::Scan { .. }
        | AccOp::Unpack { .. }
        | AccOp::Argsort { .. }
        | AccOp::Custom { .. } => false,
        AccOp::FoldSegments { lengths, args, .. } => segments_may_fail(*lengths, args, shapes),
        AccOp::Derivative { mode, body, .. } => match mode {
            Mode::Gradient { .. } => false,
            Mode::Jvp => has_failing(body, shapes),
        },
        AccOp::Generate { shape, f: _ } => {
            let sizes = shapes.of_function(shape);
            !is_possible(&sizes, &shape.captures, shapes)
        }
        AccOp::Move { how, arg } => move_may_fail(how, *arg, shapes),
        AccOp::Fold {
            f: _,
            init: None,
            args,
        } => {
            let sizes = shapes.intersection(args);
            let inner = sizes.and_then(|sizes| constant(*sizes.last()?, shapes));
            inner.is_none_or(|inner| inner < 1)
        }
        AccOp::Permute {
            combine: _,
            outside,
            defaults,
            target,
            args,
        } => {
            *outside == Outside::Fails
                && target.constant_result(0) != Some(Const::Bool(false))
                && !sends_inside(target, args, defaults, shapes)
        }
        AccOp::Append { args } => {
            let outer = |a: &ArrId| constant(*shapes.sizes(*a)?.first()?, shapes);
            let sum: Option<i64> = args.iter().map(outer).sum();
            sum.is_none_or(|sum| sum > i32::MAX.into())
        }
        AccOp::Cond { .. } | AccOp::Loop { .. } => {
            let mut blocks = op.blocks().into_iter();
            blocks.any(|inner| has_failing(inner.block, shapes))
        }
    }
}

/// By the number of results; what cannot be read is a matter of elements.
fn segments_may_fail(lengths: ArrId, args: &[ArrId], shapes: &mut Shapes) -> bool {
    let sizes = shapes
        .intersection(args)
        .zip(shapes.intersection(&[lengths]));
    let sizes = sizes.map(|(mut sizes, segments)| {
        sizes.pop();
        sizes
            .into_iter()
            .chain(segments)
            .map(Some)
            .collect::<Vec<_>>()
    });
    !sizes.is_some_and(|sizes| is_possible(&sizes, args, shapes))
}

fn move_may_fail(how: &Move<Fun<Labelled>>, arg: ArrId, shapes: &mut Shapes) -> bool {
    match how.fails() {
        MoveFails::Never => false,
        MoveFails::ByShape | MoveFails::ByElement(_) => {
            let sizes = shapes.moved(how, arg).unwrap_or_else(|| vec![None]);
            let like = how.said().map_or(&[][..], |said| &said.captures);
            !is_possible(&sizes, like, shapes)
        }
        MoveFails::BySize => {
            let sizes = shapes.moved(how, arg).unwrap_or_else(|| vec![None]);
            !has_size_of(arg, &sizes, shapes)
        }
        MoveFails::ByExtents => {
            let expected = shapes.moved(how, arg).unwrap_or_else(|| vec![None]);
            let found = shapes.sizes(arg).map(|own| own.iter().copied().map(Some));
            !found.is_some_and(|own| own.eq(expected))
        }
        MoveFails::ByPositions(axes, indices) => !slices(axes, indices, arg, shapes),
    }
}

/// Whether a move is seen to fail only as making an array of its shape does; `space` gives the extents of its result.
pub fn moves_safely(
    how: &Move<Fun<Labelled>>,
    arg: ArrId,
    shapes: &mut Shapes,
    space: impl FnOnce(&mut Shapes) -> Vec<Option<Size>>,
) -> bool {
    match how.fails() {
        MoveFails::Never | MoveFails::ByShape => true,
        MoveFails::BySize | MoveFails::ByExtents | MoveFails::ByPositions(..) => {
            !move_may_fail(how, arg, shapes)
        }
        MoveFails::ByElement(f) => {
            let space = space(shapes);
            reads_inside(f, &space, arg, shapes)
        }
    }
}

/// Whether an operation of a block, whose arrays `shapes` knows, may fail.
fn has_failing(block: &AccBlock<Labelled>, shapes: &mut Shapes) -> bool {
    block.lets.iter().any(|l| may_fail(&l.op, shapes))
}

/// Whether all targets are seen to be in range.
pub fn sends_inside(
    target: &Fun<Labelled>,
    args: &[ArrId],
    defaults: &[ArrId],
    shapes: &mut Shapes,
) -> bool {
    let (source, space) = (shapes.intersection(args), shapes.intersection(defaults));
    let index_map = IndexMap::of(target, shapes);
    let spaces = source.zip(space);
    spaces.is_some_and(|(source, space)| index_map.is_inside(&source, &space, shapes))
}

/// Whether `f`, from an index of an array of the given extents, is seen to give indices of `array` only.
pub fn reads_inside(
    f: &Fun<Labelled>,
    space: &[Option<Size>],
    array: ArrId,
    shapes: &Shapes,
) -> bool {
    let space: Option<Vec<Size>> = space.iter().copied().collect();
    let both = space.zip(shapes.sizes(array));
    let reading = IndexMap::everywhere(f, shapes);
    both.is_some_and(|(space, extents)| reading.is_inside(&space, extents, shapes))
}

fn constant(size: Size, shapes: &Shapes) -> Option<i64> {
    match shapes.node(size) {
        SizeNode::Const(Const::I32(c)) => Some((*c).into()),
        SizeNode::Const(_) | SizeNode::Extent { .. } | SizeNode::Prim(..) => None,
    }
}

/// Whether an array of these extents is possible; `like` are arrays that exist.
fn is_possible(sizes: &[Option<Size>], like: &[ArrId], shapes: &Shapes) -> bool {
    let Some(sizes) = sizes.iter().copied().collect::<Option<Vec<Size>>>() else {
        return false;
    };
    if !sizes.iter().all(|&s| is_extent(s, shapes)) {
        return false;
    }
    // The product of two `i32` is far below 2⁶³.
    let constants = sizes.iter().filter_map(|&s| constant(s, shapes));
    let product = constants.clone().try_fold(1i64, i64::checked_mul);
    let open = sizes.len() - constants.count();
    let small = match open {
        0 => product.is_some(),
        1 | 2 => product.is_some_and(|p| p <= 2),
        3.. => false,
    };
    small || sizes.len() <= 2 || like.iter().any(|&a| is_within(&sizes, a, shapes))
}

/// Whether a size is seen not to be negative.
pub fn is_extent(size: Size, shapes: &Shapes) -> bool {
    is_extent_within(size, shapes, MAX_MINIMA)
}

fn is_extent_within(size: Size, shapes: &Shapes, fuel: usize) -> bool {
    let inner = |s: &Size| fuel > 0 && is_extent_within(*s, shapes, fuel / 2);
    match shapes.node(size) {
        SizeNode::Const(c) => c.as_i32().is_some_and(|c| c >= 0),
        SizeNode::Extent { .. } => true,
        SizeNode::Prim(Prim::Min, operands) => operands.iter().all(inner),
        SizeNode::Prim(Prim::Max, operands) => operands.iter().any(inner),
        SizeNode::Prim(..) => false,
    }
}

/// Whether no size exceeds the corresponding extent of an array.
fn is_within(sizes: &[Size], array: ArrId, shapes: &Shapes) -> bool {
    let own = shapes.sizes(array).unwrap_or_default();
    own.len() == sizes.len()
        && (sizes.iter().zip(own)).all(|(&s, &bound)| is_at_most(s, bound, shapes))
}

/// Whether a size is seen not to exceed another one.
pub fn is_at_most(size: Size, bound: Size, shapes: &Shapes) -> bool {
    is_at_most_within(size, bound, shapes, MAX_MINIMA)
}

fn is_at_most_within(size: Size, bound: Size, shapes: &Shapes, fuel: usize) -> bool {
    let inner = |s: &Size| fuel > 0 && is_at_most_within(*s, bound, shapes, fuel / 2);
    size == bound
        || matches!(shapes.node(size), SizeNode::Prim(Prim::Min, xs) if xs.iter().any(inner))
}

/// Whether an array of these extents is seen to have as many elements as `arg`.
fn has_size_of(arg: ArrId, sizes: &[Option<Size>], shapes: &Shapes) -> bool {
    let to: Option<Vec<Size>> = sizes.iter().copied().collect();
    let (Some(to), Some(from)) = (to, shapes.sizes(arg)) else {
        return false;
    };
    let count = |sizes: &[Size]| {
        let mut extents = sizes
            .iter()
            .map(|&s| constant(s, shapes).filter(|&e| e >= 0));
        extents.try_fold(1i64, |product, e| product.checked_mul(e?))
    };
    to == from || count(&to).is_some_and(|n| count(from) == Some(n))
}

fn slices(axes: &[Axis], indices: &Fun<Labelled>, arg: ArrId, shapes: &mut Shapes) -> bool {
    let positions = shapes.of_function(indices);
    let Some(extents) = shapes.sizes(arg) else {
        return false;
    };
    let extents = extents.iter().zip(axes);
    let cut = extents.filter(|(_, axis)| **axis == Axis::Fixed);
    let mut pairs = cut.zip(positions);
    pairs.all(|((&extent, _), position)| {
        let position = position.and_then(|p| constant(p, shapes));
        let extent = constant(extent, shapes);
        position
            .zip(extent)
            .is_some_and(|(p, e)| (0..e).contains(&p))
    })
}
