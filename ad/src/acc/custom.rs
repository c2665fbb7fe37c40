//! Derivatives by decree: the code of a rule takes the place of a dual, or of tangents.
//!
//! A rule is linear in what it is given of tangents or cotangents. So the rule of forward mode serves reverse mode, too: its
//! transposition is its derivative, backwards, by the tangents alone.

use super::layout::guarded_read;
use super::reverse::Reverse;
use crate::error::AdError;
use crate::rename::{ArrMap, renaming};
use cotangent_core::analysis::shape::Shapes;
use cotangent_core::build::{AccBuilder, Arr};
use cotangent_core::term::{AccBlock, AccClosure, AccLet, AccOp, ArrId, Fun, Labelled, Rules};

/// A rule, and what its parameters stand for.
struct Linear<'a> {
    rule: &'a AccClosure<Labelled>,
    /// What the first parameters are.
    given: &'a [Arr],
    /// Of what type and shape those are that it is linear in.
    by: &'a [Arr],
    /// Of what type and shape its results are.
    to: &'a [Arr],
}

impl Reverse<'_> {
    /// The dual of arrays with rules.
    pub(super) fn custom(
        &mut self,
        let_: &AccLet<Labelled>,
        adjoints: &[Option<Arr>],
    ) -> Result<(), AdError> {
        let AccLet { binds, op, loc: _ } = let_;
        let AccOp::Custom {
            values,
            rules,
            args,
        } = op
        else {
            return Err(AdError::Bug("not an operation with rules".to_owned()));
        };
        let inputs = self.arrays(args.get(*values..).unwrap_or_default())?;
        let cotangents = self.cotangents(binds, adjoints);
        let made = match rules {
            Rules::Vjp(vjp) | Rules::Both { jvp: _, vjp } => {
                let given = [&binds[..], &cotangents].concat();
                let block = inlined(self.b, vjp, &given);
                self.enter(&block);
                self.push_fitted(block, &inputs)
            }
            Rules::Jvp(jvp) => {
                let linear = Linear {
                    rule: jvp,
                    given: binds,
                    by: &inputs,
                    to: binds,
                };
                self.transposed(&linear, &cotangents)?
            }
        };
        for (input, made) in inputs.iter().zip(made) {
            self.contribute(input.name, made);
        }
        Ok(())
    }

    /// Completes the rules for reverse mode in a block that is about to be differentiated in that mode: what is made of it may be
    /// differentiated along a direction after that.
    pub(crate) fn complete_rules(&mut self, block: &mut AccBlock<Labelled>) -> Result<(), AdError> {
        for AccLet { binds, op, loc } in &mut block.lets {
            for inner in op.blocks_mut() {
                self.complete_rules(inner.block)?;
            }
            let AccOp::Custom {
                values,
                rules,
                args,
            } = op
            else {
                continue;
            };
            if let Rules::Vjp(vjp) = rules {
                self.b.set_loc(*loc);
                let inputs = self.arrays(args.get(*values..).unwrap_or_default())?;
                let (jvp, vjp) = (self.pushforward(vjp, binds, &inputs)?, vjp.clone());
                *rules = Rules::Both { jvp, vjp };
            }
        }
        Ok(())
    }

    /// The adjoints of results, zeros for those without.
    fn cotangents(&mut self, results: &[Arr], adjoints: &[Option<Arr>]) -> Vec<Arr> {
        let pairs = results.iter().zip(adjoints);
        let cotangents = pairs.map(|(y, adjoint)| match adjoint {
            Some(adjoint) => adjoint.clone(),
            None => self.zeros(y),
        });
        cotangents.collect()
    }

    /// Pushes code whose results are to have the shapes of `like`.
    fn push_fitted(&mut self, block: AccBlock<Labelled>, like: &[Arr]) -> Vec<Arr> {
        let AccBlock { lets, results } = block;
        lets.into_iter().for_each(|let_| self.b.push_let(let_));
        let pairs = results.into_iter().zip(like);
        let fitted = pairs.map(|(made, like)| fitted(self.b, self.shapes, like, made));
        fitted.collect()
    }

    /// Pushes the transposition of a rule: what cotangents of its results are to what it is linear in.
    fn transposed(&mut self, linear: &Linear, cotangents: &[Arr]) -> Result<Vec<Arr>, AdError> {
        let zeros: Vec<Arr> = linear.by.iter().map(|x| self.zeros(x)).collect();
        let variables: Vec<Arr> = linear.by.iter().map(|x| self.variable(x)).collect();
        let given = [linear.given, &variables].concat();
        let mut body = inlined(self.b, linear.rule, &given);
        self.enter(&body);
        self.b.open();
        let results = self.push_fitted(body, linear.to);
        body = self.b.close(&results);
        self.enter(&body);
        let mut backwards = Reverse::new(self.b, self.form, self.types, self.shapes);
        backwards.activate(&variables, &body);
        for (result, cotangent) in results.iter().zip(cotangents) {
            backwards.contribute(result.name, cotangent.clone());
        }
        backwards.b.open();
        backwards.walk(&mut body)?;
        let adjoints = variables.iter().map(|x| {
            let adjoint = backwards.take(x.name);
            adjoint.unwrap_or_else(|| backwards.zeros(x))
        });
        let adjoints: Vec<Arr> = adjoints.collect();
        let dual = backwards.b.close(&adjoints);
        self.enter(&dual);
        body.lets.extend(dual.lets);
        let names = variables.iter().map(|x| x.name);
        let names = names.zip(zeros.iter().map(|zero| zero.name)).collect();
        body.rename(&renaming(&names));
        body.lets.into_iter().for_each(|let_| self.b.push_let(let_));
        Ok(adjoints)
    }

    /// The rule of forward mode that follows from one of reverse mode.
    fn pushforward(
        &mut self,
        vjp: &AccClosure<Labelled>,
        results: &[Arr],
        inputs: &[Arr],
    ) -> Result<AccClosure<Labelled>, AdError> {
        let given: Vec<Arr> = results.iter().map(|y| self.variable(y)).collect();
        let tangents: Vec<Arr> = inputs.iter().map(|x| self.variable(x)).collect();
        let linear = Linear {
            rule: vjp,
            given: &given,
            by: results,
            to: inputs,
        };
        self.b.open();
        let made = self.transposed(&linear, &tangents)?;
        let body = self.b.close(&made);
        let params = [given, tangents].concat();
        Ok(AccClosure { params, body })
    }

    /// A variable of the type and shape of `like`.
    fn variable(&mut self, like: &Arr) -> Arr {
        let variable = self.b.fresh(like.ty);
        self.enter_array(&variable);
        self.shapes.like(&variable, like.name);
        variable
    }
}

/// A copy of a rule with its parameters replaced.
pub(super) fn inlined(
    b: &mut AccBuilder,
    rule: &AccClosure<Labelled>,
    given: &[Arr],
) -> AccBlock<Labelled> {
    let params = rule.params.iter().map(|param| param.name);
    let mut names: ArrMap = params.zip(given.iter().map(|arg| arg.name)).collect();
    b.copied(&rule.body, &mut names)
}

/// A tangent or cotangent, cut or padded with zeros to the shape of what it belongs to.
pub(crate) fn fitted(b: &mut AccBuilder, shapes: &Shapes, like: &Arr, made: ArrId) -> Arr {
    let made = Arr::new(made, like.ty);
    if !like.ty.elem.is_float() || shapes.same(like.name, made.name) {
        return made;
    }
    let order: Vec<usize> = (0..like.ty.rank).collect();
    let f = guarded_read(&made, &order);
    b.generate(Fun::shape_of(like), f).remove(0)
}
