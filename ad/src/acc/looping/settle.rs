//! What a trip of a dual really needs: extents are said in terms of arrays outside, and what nothing reads goes.
//!
//! Most of what a dual reads of the primal are extents. Those must not keep alive what has them: the state of a loop would be
//! stored for nothing.

use crate::exp::builder_beside;
use crate::rename::{ExpMap, renaming};
use cotangent_core::analysis::shape::Shapes;
use cotangent_core::build::FunBuilder;
use cotangent_core::term::{AccBlock, AccLet, ArrId, ExpBlock, ExpOp, Fun, Labelled};
use std::collections::HashSet;

/// Says the extents of arrays whose sizes are known in terms of the arrays that these come from.
pub(super) fn settle_extents(block: &mut AccBlock<Labelled>, shapes: &Shapes) {
    block.each_fun_mut(&mut |fun| settle(fun, shapes));
}

fn settle(fun: &mut Fun<Labelled>, shapes: &Shapes) {
    let is_extent = |op: &ExpOp<Labelled>| matches!(op, ExpOp::Extent { .. });
    if !fun.body.all_lets().any(|let_| is_extent(&let_.op)) {
        return;
    }
    let mut settler = Settler {
        b: builder_beside(fun),
        captures: fun.captures.clone(),
        shapes,
        names: ExpMap::new(),
    };
    settler.block(&mut fun.body);
    fun.body.rename(&renaming(&settler.names));
    fun.captures = settler.b.finish(vec![]).captures;
    fun.clean_captures();
}

struct Settler<'a> {
    b: FunBuilder,
    captures: Vec<ArrId>,
    shapes: &'a Shapes,
    /// What took the place of extents.
    names: ExpMap,
}

impl Settler<'_> {
    fn block(&mut self, block: &mut ExpBlock<Labelled>) {
        let mut lets = vec![];
        for mut let_ in std::mem::take(&mut block.lets) {
            let inner = let_.op.blocks_mut().into_iter();
            inner.for_each(|inner| self.block(inner.block));
            let size = match let_.op {
                ExpOp::Extent { array, axis } => {
                    let array = self.captures[array.0 as usize];
                    let sizes = self.shapes.sizes(array);
                    sizes.and_then(|sizes| sizes.get(axis)).copied()
                }
                ExpOp::Const(_) | ExpOp::Prim(..) | ExpOp::Index { .. } => None,
                ExpOp::Cond { .. } | ExpOp::Loop { .. } | ExpOp::Derivative { .. } => None,
                ExpOp::WithPartials(_) => None,
            };
            match size {
                None => lets.push(let_),
                Some(size) => {
                    self.b.open();
                    let extent = self.shapes.emit(&mut self.b, size);
                    lets.extend(self.b.close(vec![]).lets);
                    self.names.insert(let_.binds[0].name, extent);
                }
            }
        }
        block.lets = lets;
    }
}

/// Removes the lets that the results do not need. Those that may fail go, too: the primal has made them.
pub(super) fn trim(block: &mut AccBlock<Labelled>) {
    trim_by(block, &mut |_, _| ());
}

/// The same; does something to those that stay first, given what is used after them.
pub(super) fn trim_by(
    block: &mut AccBlock<Labelled>,
    restrict: &mut impl FnMut(&mut AccLet<Labelled>, &HashSet<ArrId>),
) {
    let mut used: HashSet<ArrId> = block.results.iter().copied().collect();
    let mut kept = vec![];
    for mut let_ in std::mem::take(&mut block.lets).into_iter().rev() {
        if let_.binds.iter().any(|bind| used.contains(&bind.name)) {
            restrict(&mut let_, &used);
            used.extend(let_.op.free());
            kept.push(let_);
        }
    }
    kept.reverse();
    block.lets = kept;
}
