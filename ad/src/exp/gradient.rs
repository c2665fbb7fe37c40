//! Replaces `gradient_e` by ordinary scalar code: the body, then its dual.

use super::activity::Activity;
use super::guard::{Form, Origin};
use super::jvp::Jvp;
use super::reverse::{Reverse, bug, builder_beside};
use super::roots;
use crate::error::AdError;
use crate::rename::{ExpMap, renaming};
use cotangent_core::build::FunBuilder;
use cotangent_core::constant::Const;
use cotangent_core::term::{ExpBind, ExpBlock, ExpId, ExpLet, ExpOp, Fun, Labelled, Mode};

/// The same function without gradients; `is_nested` says whether it is part of another gradient.
///
/// # Errors
/// Where `fun` breaks the rules of the language.
pub(crate) fn eliminate(fun: &mut Fun<Labelled>, is_nested: bool) -> Result<(), AdError> {
    if !has_gradient(&fun.body) {
        return Ok(());
    }
    let mut eliminator = Eliminator {
        b: builder_beside(fun),
        aliases: ExpMap::new(),
        arrays: fun.captures.len(),
        depth: usize::from(is_nested),
    };
    eliminator.block(&mut fun.body)
}

fn has_gradient(block: &ExpBlock<Labelled>) -> bool {
    let mut lets = block.all_lets();
    lets.any(|l| matches!(l.op, ExpOp::Derivative { .. }))
}

/// A function being freed of derivatives.
pub(super) struct Eliminator {
    pub(super) b: FunBuilder,
    /// What took the place of the results of derivatives.
    pub(super) aliases: ExpMap,
    pub(super) arrays: usize,
    /// How many derivatives there are around the code at hand.
    pub(super) depth: usize,
}

/// The parts of a gradient.
struct Gradient {
    binds: Vec<ExpBind<Labelled>>,
    with_value: bool,
    params: Vec<ExpBind<Labelled>>,
    body: ExpBlock<Labelled>,
    args: Vec<ExpId>,
}

impl Eliminator {
    fn block(&mut self, block: &mut ExpBlock<Labelled>) -> Result<(), AdError> {
        let mut lets = vec![];
        for ExpLet { binds, mut op, loc } in std::mem::take(&mut block.lets) {
            let operands = op.operands_mut().iter_mut();
            operands.for_each(|x| *x = renaming(&self.aliases)(*x));
            let deeper = usize::from(matches!(op, ExpOp::Derivative { .. }));
            self.depth += deeper;
            for inner in op.blocks_mut() {
                self.block(inner.block)?;
            }
            self.depth -= deeper;
            match op {
                ExpOp::Derivative {
                    mode,
                    params,
                    body,
                    args,
                } => {
                    self.b.set_loc(loc);
                    lets.extend(match mode {
                        Mode::Gradient { with_value } => self.gradient(Gradient {
                            binds,
                            with_value,
                            params,
                            body,
                            args,
                        })?,
                        Mode::Jvp => self.jvp(Jvp {
                            binds,
                            params,
                            body,
                            args,
                        }),
                    });
                }
                op @ (ExpOp::Const(_)
                | ExpOp::Prim(..)
                | ExpOp::Index { .. }
                | ExpOp::Extent { .. }
                | ExpOp::WithPartials(_)
                | ExpOp::Cond { .. }
                | ExpOp::Loop { .. }) => lets.push(ExpLet { binds, op, loc }),
            }
        }
        block.lets = lets;
        for result in &mut block.results {
            *result = renaming(&self.aliases)(*result);
        }
        Ok(())
    }

    /// The code that takes the place of a gradient; its results become aliases.
    fn gradient(&mut self, gradient: Gradient) -> Result<Vec<ExpLet<Labelled>>, AdError> {
        let Gradient {
            binds,
            with_value,
            params,
            mut body,
            args,
        } = gradient;
        let &[value] = body.results.as_slice() else {
            return Err(bug("a gradient whose body has not one result"));
        };
        let dual = self.dual(&params, &mut body, value)?;
        body.lets.extend(dual.lets);
        body.results = if with_value { vec![value] } else { vec![] };
        body.results.extend(dual.results);
        let names = params.iter().map(|p| p.name);
        body.rename(&renaming(&names.zip(args).collect()));
        let names = binds.iter().map(|b| b.name);
        self.aliases.extend(names.zip(body.results));
        Ok(body.lets)
    }

    /// The dual of the body of a gradient, resulting in the partial derivatives.
    fn dual(
        &mut self,
        params: &[ExpBind<Labelled>],
        body: &mut ExpBlock<Labelled>,
        value: ExpId,
    ) -> Result<ExpBlock<Labelled>, AdError> {
        let mut activity = Activity::new(vec![false; self.arrays]);
        activity.seed(params);
        activity.spread_body(body);
        self.b.open();
        let mut reverse = Reverse::new(&mut self.b, &activity, Form::of(self.depth > 0));
        let one = reverse.b.small(reverse.b.type_of(value), 1);
        if let Some(roots) = roots::fewer(params, body, &activity) {
            reverse.by_roots(body, &roots, &[Some(one)])?;
        } else {
            reverse.contribute(value, one, Origin::Data);
            reverse.walk(body)?;
        }
        let adjoints = reverse.adjoints;
        let partial = |p: &ExpBind<Labelled>| match adjoints.get(&p.name) {
            Some(&adjoint) => adjoint,
            None => self.b.constant(Const::zero(p.ty)),
        };
        let partials = params.iter().map(partial).collect();
        Ok(self.b.close(partials))
    }
}
