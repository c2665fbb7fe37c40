//! Replaces `gradient_a` by ordinary code, and gradients in scalar functions by way of `exp`.
//!
//! Labels are unique in a program and a gradient's body is used once, so that it can be moved to where the
//! gradient stood as it is: only its parameters are replaced by the arguments, after its dual is built, for
//! which a parameter (active) must not be confused with its argument (constant).

use crate::acc::Reverse;
use crate::custom;
use crate::error::AdError;
use crate::exp::{self, Form};
use crate::forward::Jvp;
use crate::rename::{ArrMap, renaming};
use crate::unbranch;
use cotangent_core::analysis::shape::Shapes;
use cotangent_core::build::{AccBuilder, Arr};
use cotangent_core::constant::Const;
use cotangent_core::segments::without_segments_in_derivatives;
use cotangent_core::term::{AccBlock, AccLet, AccOp, ArrBind, ArrId, Fun, Labelled, Mode, Program};
use cotangent_core::types::ArrayType;
use std::collections::HashMap;

/// The program without gradients.
///
/// # Errors
/// Where a derivative is not supported.
pub(crate) fn eliminate(program: Program<Labelled>) -> Result<Program<Labelled>, AdError> {
    let Program {
        params,
        uses,
        alike,
        body,
    } = without_segments_in_derivatives(program);
    let mut types: HashMap<_, _> = params.iter().map(|b| (b.name, b.ty)).collect();
    note_block(&mut types, &body);
    let free = types.keys().map(|a: &ArrId| a.0 + 1).max().unwrap_or(0);
    let mut eliminator = Eliminator {
        b: AccBuilder::new(free),
        types,
        shapes: Shapes::default(),
        aliases: ArrMap::new(),
        depth: 0,
    };
    eliminator.shapes.params(&params, &alike);
    let mut body = eliminator.block(body)?;
    custom::remove(&mut body);
    Ok(Program {
        params,
        uses,
        alike,
        body,
    })
}

fn note_block(types: &mut HashMap<ArrId, ArrayType>, block: &AccBlock<Labelled>) {
    types.extend(block.bindings().map(|b| (b.name, b.ty)));
}

/// A program being freed of derivatives.
pub(crate) struct Eliminator {
    pub(crate) b: AccBuilder,
    pub(crate) types: HashMap<ArrId, ArrayType>,
    pub(crate) shapes: Shapes,
    /// What took the place of the results of derivatives.
    pub(crate) aliases: ArrMap,
    /// How many derivatives there are around the code at hand.
    pub(crate) depth: usize,
}

/// The parts of a gradient.
struct Gradient {
    binds: Vec<ArrBind<Labelled>>,
    with_value: bool,
    params: Vec<ArrBind<Labelled>>,
    body: AccBlock<Labelled>,
    args: Vec<ArrId>,
}

impl Eliminator {
    fn block(&mut self, block: AccBlock<Labelled>) -> Result<AccBlock<Labelled>, AdError> {
        let AccBlock { lets, mut results } = block;
        let mut done = vec![];
        for let_ in lets {
            self.let_(let_, &mut done)?;
        }
        for result in &mut results {
            *result = renaming(&self.aliases)(*result);
        }
        Ok(AccBlock {
            lets: done,
            results,
        })
    }

    fn let_(
        &mut self,
        let_: AccLet<Labelled>,
        done: &mut Vec<AccLet<Labelled>>,
    ) -> Result<(), AdError> {
        let AccLet { binds, mut op, loc } = let_;
        op.rename(&renaming(&self.aliases));
        for fun in op.funs_mut() {
            exp::eliminate(fun, self.depth > 0)?;
        }
        let before = self.shapes.position();
        self.blocks(&mut op)?;
        if let AccOp::Derivative {
            mode,
            params,
            body,
            args,
        } = op
        {
            self.b.set_loc(loc);
            done.extend(match mode {
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
                })?,
            });
        } else {
            self.shapes.results(&binds, &op, before);
            done.push(AccLet { binds, op, loc });
        }
        Ok(())
    }

    /// Frees the blocks inside an operation.
    fn blocks(&mut self, op: &mut AccOp<Labelled>) -> Result<(), AdError> {
        self.shapes.enter(op);
        let deeper = usize::from(matches!(op, AccOp::Derivative { .. }));
        self.depth += deeper;
        for inner in op.blocks_mut() {
            *inner.block = self.block(std::mem::replace(inner.block, AccBlock::EMPTY))?;
        }
        self.depth -= deeper;
        Ok(())
    }

    /// Takes note of what lets bind that were made.
    pub(crate) fn note(&mut self, lets: &[AccLet<Labelled>]) {
        for let_ in lets {
            self.shapes.let_(let_);
            let inside = let_.op.blocks().into_iter();
            let inside = inside.flat_map(|inner| inner.binds.iter().chain(inner.block.bindings()));
            let binds = let_.binds.iter().chain(inside);
            self.types.extend(binds.map(|bind| (bind.name, bind.ty)));
        }
    }

    /// The code that takes the place of a gradient; its results become aliases.
    fn gradient(&mut self, gradient: Gradient) -> Result<Vec<AccLet<Labelled>>, AdError> {
        let Gradient {
            binds,
            with_value,
            params,
            mut body,
            args,
        } = gradient;
        let &[value] = body.results.as_slice() else {
            let what = "a gradient whose body has not one result";
            return Err(AdError::Bug(what.to_owned()));
        };
        if unbranch::updates(&mut self.b, &mut self.shapes, &mut body) {
            note_block(&mut self.types, &body);
            self.shapes.block(&body);
        }
        let dual = self.dual(&params, &mut body, value)?;
        dual.lets.iter().for_each(|l| self.shapes.let_(l));
        body.lets.extend(dual.lets);
        note_block(&mut self.types, &body);
        body.results = if with_value { vec![value] } else { vec![] };
        body.results.extend(dual.results);
        let names = params.iter().map(|p| p.name);
        body.rename(&renaming(&names.zip(args).collect()));
        let names = binds.iter().map(|b| b.name);
        self.aliases.extend(names.zip(body.results));
        Ok(body.lets)
    }

    /// The dual of the body of a gradient, resulting in the derivatives by the parameters.
    fn dual(
        &mut self,
        params: &[Arr],
        body: &mut AccBlock<Labelled>,
        value: ArrId,
    ) -> Result<AccBlock<Labelled>, AdError> {
        self.b.open();
        let form = Form::of(self.depth > 0);
        let mut reverse = Reverse::new(&mut self.b, form, &mut self.types, &mut self.shapes);
        if form == Form::Differentiable {
            reverse.complete_rules(body)?;
        }
        reverse.activate(params, body);
        if reverse.is_active(value) {
            let value = reverse.array(value)?;
            let one = Fun::constants(&[Const::small(value.ty.elem, 1)]);
            let seed = reverse.b.generate(Fun::constants(&[]), one).remove(0);
            reverse.contribute(value.name, seed);
        }
        reverse.walk(body)?;
        let mut partials = vec![];
        for param in params {
            let partial = reverse.take(param.name);
            let zero = Const::zero(param.ty.elem);
            partials.push(partial.unwrap_or_else(|| reverse.b.fill_like(param, zero)));
        }
        Ok(self.b.close(&partials))
    }
}
