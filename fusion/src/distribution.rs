//! Sums of sums of products, each product a contraction: Σₖ (aᵢₖ·bₖⱼ + cᵢₖ·dₖⱼ) becomes Σₖ aᵢₖ·bₖⱼ + Σₖ cᵢₖ·dₖⱼ.
//!
//! Such sums are what second derivatives of matrix products consist of, and products of complex matrices. A contraction runs
//! many times as fast as a general reduction, so several of them and one pass over the results are still faster, unless what is
//! added up is known to be short. It is done where *all* terms of all results are contractions. Sums are rounded
//! differently then; nothing else changes. It is not done in `f16`, where the parts may overflow though their sum does not.

use crate::contract::contraction;
use crate::reassociation::zeros;
use crate::visit::short_extents;
use cotangent_core::prim::Prim;
use cotangent_core::schedule::{
    ArrayDecl, ArrayId, Body, Kernel, KernelKind, Layout, Load, Op, Operator, Output, Schedule,
    Step, SymbolId, ValueId,
};
use cotangent_core::types::ScalarType;
use std::collections::HashSet;

/// Sums of more terms stay what they are: each term has an array of its own.
const MAX_TERMS: usize = 8;

/// The symbols that decide.
struct Symbols {
    /// Those that are zero.
    zeros: HashSet<SymbolId>,
    /// Those that are known to be short.
    short: HashSet<SymbolId>,
}

/// Takes such sums apart in all lists of steps. Gives their number.
pub(crate) fn distribute(schedule: &mut Schedule) -> usize {
    let symbols = Symbols {
        zeros: zeros(schedule),
        short: short_extents(&schedule.steps),
    };
    let mut steps = std::mem::take(&mut schedule.steps);
    let count = in_list(schedule, &symbols, &mut steps);
    schedule.steps = steps;
    count
}

fn in_list(schedule: &mut Schedule, symbols: &Symbols, steps: &mut Vec<Step>) -> usize {
    let mut count = 0;
    for mut step in std::mem::take(steps) {
        for list in step.lists_mut() {
            count += in_list(schedule, symbols, list);
        }
        let sums = step.as_kernel().and_then(|kernel| {
            let sums = Sums::of(kernel, symbols)?;
            Some((kernel, sums.contractions()?))
        });
        match sums {
            Some((kernel, results)) => {
                steps.extend(apart(schedule, kernel, results).map(Step::Kernel));
                count += 1;
            }
            None => steps.push(step),
        }
    }
    count
}

/// A kernel all results of which are sums.
struct Sums<'a> {
    kernel: &'a Kernel,
    inner: &'a [SymbolId],
    body: &'a Body,
    init: &'a [SymbolId],
    outputs: &'a [Output],
}

/// A term of a sum: its contraction, and whether it is to be subtracted.
struct Term {
    kind: KernelKind,
    is_negative: bool,
}

/// A result, and the terms that it is the sum of.
type Terms = (ArrayId, Vec<Term>);

impl<'a> Sums<'a> {
    fn of(kernel: &'a Kernel, symbols: &Symbols) -> Option<Self> {
        let KernelKind::Reduce {
            inner,
            body,
            operator,
            init: Some(init),
            outputs,
        } = &kernel.kind
        else {
            return None;
        };
        let from_zero = init.iter().all(|symbol| symbols.zeros.contains(symbol));
        let is_short = inner.iter().any(|extent| symbols.short.contains(extent));
        (from_zero && !is_short && are_sums(operator)).then_some(Self {
            kernel,
            inner,
            body,
            init,
            outputs,
        })
    }

    /// The terms of all results, if each is a contraction and there are several.
    fn contractions(&self) -> Option<Vec<Terms>> {
        let signed = self.outputs.iter().map(|o| terms(self.body, o.value));
        let signed: Vec<_> = signed.collect::<Option<_>>()?;
        if signed.iter().map(Vec::len).sum::<usize>() < 2 {
            return None;
        }
        let results = signed.into_iter().enumerate().map(|(result, terms)| {
            let kinds = terms
                .into_iter()
                .map(|term| self.contraction(result, term))
                .collect::<Option<_>>()?;
            Some((self.outputs[result].array, kinds))
        });
        results.collect()
    }

    fn contraction(&self, result: usize, (value, is_negative): (ValueId, bool)) -> Option<Term> {
        let Output { array, .. } = self.outputs[result];
        let mut outputs = vec![Output { value, array }];
        let mut body = self.body.clone();
        body.prune(outputs.iter_mut().map(|output| &mut output.value));
        let ty = body.type_of(outputs[0].value);
        let kind = KernelKind::Reduce {
            inner: self.inner.to_vec(),
            operator: Operator::of_prim(Prim::Add, ty),
            init: Some(vec![self.init[result]]),
            outputs,
            body,
        };
        let kind = contraction(&kind, self.kernel.space.len())?;
        Some(Term { kind, is_negative })
    }
}

/// Whether each component is the sum of `f32` or `f64`.
fn are_sums(operator: &Operator) -> bool {
    let is_wide = |ty: &ScalarType| matches!(ty, ScalarType::F32 | ScalarType::F64);
    let parts = operator.parts();
    let is_sum = |part: &Operator| part.as_prim() == Some(Prim::Add);
    operator.types().iter().all(is_wide) && parts.iter().all(|part| is_sum(&part.operator))
}

/// The terms of a sum, in order, and whether each is to be subtracted, which the first one never is; none where they are too many.
fn terms(body: &Body, value: ValueId) -> Option<Vec<(ValueId, bool)>> {
    let (mut todo, mut terms) = (vec![(value, false)], vec![]);
    while let Some((value, is_negative)) = todo.pop() {
        match body.op(value).as_prim() {
            // Twice the same is a product.
            Some((Prim::Add, &[x, y])) if x != y => {
                todo.extend([(y, is_negative), (x, is_negative)]);
            }
            Some((Prim::Sub, &[x, y])) => todo.extend([(y, !is_negative), (x, is_negative)]),
            Some(_) | None => terms.push((value, is_negative)),
        }
        if terms.len() + todo.len() > MAX_TERMS {
            return None;
        }
    }
    Some(terms)
}

/// A kernel for each term, and those that add the terms up.
fn apart(
    schedule: &mut Schedule,
    like: &Kernel,
    results: Vec<Terms>,
) -> impl Iterator<Item = Kernel> + use<> {
    let (mut kernels, mut sums) = (vec![], vec![]);
    for (result, terms) in results {
        let alone = terms.len() == 1;
        let mut signed = vec![];
        for Term { kind, is_negative } in terms {
            let array = match alone {
                true => result,
                false => partial(schedule, &like.space, result),
            };
            kernels.push(of_kind(like, with_output(kind, array)));
            signed.push((array, is_negative));
        }
        if !alone {
            sums.push(added(schedule, like, result, &signed));
        }
    }
    kernels.into_iter().chain(sums)
}

fn of_kind(like: &Kernel, kind: KernelKind) -> Kernel {
    Kernel {
        name: like.name,
        loc: like.loc,
        fused: like.fused.clone(),
        space: like.space.clone(),
        kind,
    }
}

fn with_output(mut kind: KernelKind, array: ArrayId) -> KernelKind {
    if let KernelKind::Contract { output, .. } = &mut kind {
        output.array = array;
    }
    kind
}

/// An array for the sum of a term.
fn partial(schedule: &mut Schedule, space: &[SymbolId], result: ArrayId) -> ArrayId {
    let old = &schedule.arrays[result.index()];
    let (elem, site) = (old.elem, old.site);
    schedule.arrays.push(ArrayDecl {
        elem,
        extents: space.to_vec(),
        layout: Layout::Own,
        site,
    });
    ArrayId(schedule.arrays.len() as u32 - 1)
}

/// The kernel that adds arrays up, of which there is one at least and the first is not subtracted, or subtracts them.
fn added(
    schedule: &Schedule,
    like: &Kernel,
    result: ArrayId,
    signed: &[(ArrayId, bool)],
) -> Kernel {
    let ty = schedule.arrays[result.index()].elem;
    let mut body = Body::default();
    let axes = 0..like.space.len() as u32;
    let here: Vec<_> = axes
        .map(|axis| body.push(Op::Coord(axis), ScalarType::I32))
        .collect();
    let terms = signed.iter().map(|&(array, is_negative)| {
        let load = Load {
            array,
            index: here.clone(),
            guard: None,
            site: None,
        };
        (body.push(Op::Load(load), ty), is_negative)
    });
    let terms: Vec<(ValueId, bool)> = terms.collect();
    let value = terms[1..]
        .iter()
        .fold(terms[0].0, |sum, &(term, is_negative)| {
            let prim = if is_negative { Prim::Sub } else { Prim::Add };
            body.push(Op::Prim(prim, vec![sum, term]), ty)
        });
    let outputs = vec![Output {
        value,
        array: result,
    }];
    of_kind(like, KernelKind::Map { body, outputs })
}
