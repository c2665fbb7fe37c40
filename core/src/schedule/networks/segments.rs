//! Folds of segments as scans, for engines that have no other way.
//!
//! ```text
//! kernel over [m]: segments of n by f    becomes    H <- false; at the start of each segment that has elements, true
//!     A <- value                                    kernel over []: scan over n by f, anew where H is true
//!                                                       B <- value
//!                                                   kernel over [m]: A <- f init of B at the end of the segment; init of none
//! ```

use super::{Code, Maker};
use crate::constant::Const;
use crate::prim::Prim;
use crate::schedule::{
    ArrayId, Body, Inst, Kernel, KernelKind, Load, Op, Operator, Output, Step, SymbolId, ValueId,
};
use crate::term::{Combine, Direction};
use crate::types::ScalarType::{Bool, I32};

/// The arrays that come between.
struct Between {
    heads: ArrayId,
    flags: ArrayId,
    all: Vec<ArrayId>,
}

impl Maker {
    /// The steps that fold the segments of a kernel.
    pub(super) fn flagged(&mut self, kernel: &Kernel, steps: &mut Vec<Step>) {
        let KernelKind::Segments { inner, outputs, .. } = &kernel.kind else {
            return;
        };
        let outer = &kernel.space[..kernel.space.len().saturating_sub(1)];
        let site = self.site(kernel);
        let rows = [outer, &[*inner]].concat();
        let elems: Vec<_> = outputs
            .iter()
            .map(|output| self.schedule.arrays[output.array.index()].elem)
            .collect();
        let between = Between {
            heads: self.array(Bool, &[*inner], site),
            flags: self.array(Bool, &rows, site),
            all: elems
                .into_iter()
                .map(|elem| self.array(elem, &rows, site))
                .collect(),
        };
        steps.push(no_heads(kernel, *inner, between.heads));
        steps.extend(heads(kernel, between.heads));
        steps.extend(scan(kernel, outer, &between));
        steps.extend(last(kernel, &between.all));
    }
}

fn step(kernel: &Kernel, space: &[SymbolId], kind: KernelKind) -> Step {
    Step::Kernel(Kernel {
        name: kernel.name,
        loc: kernel.loc,
        fused: kernel.fused.clone(),
        space: space.to_vec(),
        kind,
    })
}

fn no_heads(kernel: &Kernel, inner: SymbolId, array: ArrayId) -> Step {
    let mut code = Code::default();
    let value = code.push(Op::Const(Const::Bool(false)), Bool);
    let kind = KernelKind::Map {
        body: code.0,
        outputs: vec![Output { value, array }],
    };
    step(kernel, &[inner], kind)
}

/// Where segments that have elements begin. One that begins beyond them all is told of later.
fn heads(kernel: &Kernel, heads: ArrayId) -> Option<Step> {
    let KernelKind::Segments {
        inner,
        body,
        bounds,
        site,
        ..
    } = &kernel.kind
    else {
        return None;
    };
    let (&count, _) = kernel.space.split_last()?;
    let mut code = Code::default();
    let [start, end] = code.renumbered(body, bounds, |_| 0)[..] else {
        return None;
    };
    let (zero, n) = (code.int(0), code.push(Op::Symbol(*inner), I32));
    let has_some = code.prim(Prim::Lt, &[start, end], Bool);
    let is_after = code.prim(Prim::Le, &[zero, start], Bool);
    let is_before = code.prim(Prim::Lt, &[start, n], Bool);
    let is_inside = code.prim(Prim::And, &[is_after, is_before], Bool);
    let guard = code.prim(Prim::And, &[has_some, is_inside], Bool);
    let value = code.push(Op::Const(Const::Bool(true)), Bool);
    let kind = KernelKind::Scatter {
        body: code.0,
        guard,
        target: vec![start],
        site: *site,
        combine: Combine::Overwrite,
        outputs: vec![Output {
            value,
            array: heads,
        }],
    };
    Some(step(kernel, &[count], kind))
}

/// The scan that begins anew at heads.
fn scan(kernel: &Kernel, outer: &[SymbolId], between: &Between) -> Option<Step> {
    let KernelKind::Segments {
        inner,
        body,
        operator,
        outputs,
        ..
    } = &kernel.kind
    else {
        return None;
    };
    let mut code = Code::default();
    let roots: Vec<_> = outputs.iter().map(|output| output.value).collect();
    // The segment is no coordinate any more.
    let segment = outer.len() as u32;
    let values = code.renumbered(body, &roots, |axis| axis - u32::from(axis > segment));
    let at = code.push(Op::Coord(segment), I32);
    let head = code.load(between.heads, vec![at], Bool);
    let columns = values.into_iter().zip(&between.all);
    let columns = columns.map(|(value, &array)| Output { value, array });
    let flags = Output {
        value: head,
        array: between.flags,
    };
    let kind = KernelKind::Scan {
        inner: *inner,
        direction: Direction::Left,
        operator: anew(operator),
        body: code.0,
        init: None,
        outputs: [flags].into_iter().chain(columns).collect(),
    };
    Some(step(kernel, outer, kind))
}

/// The operator on pairs of a flag and values that begins anew where the second flag is set.
fn anew(operator: &Operator) -> Operator {
    let types = operator.types();
    let k = types.len();
    let mut code = Code::default();
    let arg = |code: &mut Code, side: usize, component: usize| {
        let ty = component.checked_sub(1).map_or(Bool, |c| types[c]);
        code.push(Op::Arg((side * (k + 1) + component) as u32), ty)
    };
    let [first, second] = [0, 1].map(|side| arg(&mut code, side, 0));
    let mut results = vec![code.prim(Prim::Or, &[first, second], Bool)];
    for (component, prim) in prims(operator).into_iter().enumerate() {
        let [x, y] = [0, 1].map(|side| arg(&mut code, side, component + 1));
        let both = code.prim(prim, &[x, y], types[component]);
        results.push(code.prim(Prim::Select, &[second, y, both], types[component]));
    }
    Operator {
        body: code.0,
        results,
    }
}

/// The primitive of each component.
fn prims(operator: &Operator) -> Vec<Prim> {
    // In the order of their components, as each has one.
    let parts = operator.parts().into_iter();
    parts.filter_map(|part| part.operator.as_prim()).collect()
}

/// The results, given what all elements of a segment combine to.
fn last(kernel: &Kernel, all: &[ArrayId]) -> Option<Step> {
    let KernelKind::Segments {
        body,
        bounds,
        operator,
        init,
        site,
        outputs,
        ..
    } = &kernel.kind
    else {
        return None;
    };
    let mut code = Code::default();
    let [start, end] = code.renumbered(body, bounds, |axis| axis)[..] else {
        return None;
    };
    let rank = kernel.space.len() as u32;
    let mut index: Vec<_> = (0..rank)
        .map(|axis| code.push(Op::Coord(axis), I32))
        .collect();
    let has_some = code.prim(Prim::Ne, &[start, end], Bool);
    let one = code.int(1);
    *index.last_mut()? = code.prim(Prim::Sub, &[end, one], I32);
    let types = operator.types().into_iter();
    let columns = types.zip(prims(operator)).zip(init).zip(all);
    let values: Vec<_> = columns
        .map(|(((ty, prim), &init), &array)| {
            let load = Load {
                array,
                index: index.clone(),
                guard: Some(has_some),
                site: Some(*site),
            };
            let total = code.push(Op::Load(load), ty);
            let init = code.push(Op::Symbol(init), ty);
            let both = code.prim(prim, &[init, total], ty);
            code.prim(Prim::Select, &[has_some, both, init], ty)
        })
        .collect();
    let results = outputs.iter().zip(values);
    let results = results.map(|(output, value)| Output { value, ..*output });
    let kind = KernelKind::Map {
        body: code.0,
        outputs: results.collect(),
    };
    Some(step(kernel, &kernel.space, kind))
}

impl Code {
    /// Appends what some values of a body need, at other coordinates.
    fn renumbered(
        &mut self,
        body: &Body,
        roots: &[ValueId],
        coord: impl Fn(u32) -> u32,
    ) -> Vec<ValueId> {
        self.0
            .append_needed((body, roots), |to, (_, Inst { op, ty }), _| {
                Some(to.push(Op::Coord(coord(op.as_coord()?)), *ty))
            })
    }
}
