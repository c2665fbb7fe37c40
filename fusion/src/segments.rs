//! Kernels of folds of segments: a scan of the lengths, from 0 on, says where segments start; what is combined is read at their
//! positions.

use crate::combine::{Combination, Combined};
use crate::lower::Lowering;
use crate::refine::Observed;
use crate::shapes::intersection;
use crate::sites::site_of;
use cotangent_core::constant::Const;
use cotangent_core::prim::Prim;
use cotangent_core::schedule::kept::Kept;
use cotangent_core::schedule::{ArrayId, Body, KernelKind, Load, Op, Operator, Output, ValueId};
use cotangent_core::term::{AccLet, ArrId, Direction, Labelled};
use cotangent_core::types::ScalarType::I32;

impl<'p> Lowering<'p> {
    /// The kernels of a fold of segments of these lengths.
    pub(crate) fn fold_segments(&mut self, fold: &Combination<'p>, lengths: ArrId) {
        let let_ = fold.let_;
        let arguments = intersection(&self.env, &mut self.draft.codes, fold.args);
        let extents = self.env.extents(let_.binds[0].name).to_vec();
        let Some(&inner) = arguments.last() else {
            return;
        };
        let starts = self.starts(let_, lengths);
        let code = self.draft.codes.open();
        let all = [&extents[..], &[inner]].concat();
        let mut coords = self.draft.codes.coords(code, &all);
        // What is combined does not depend on the segment.
        coords.remove(extents.len() - 1);
        let mut inliner = self.inliner();
        let values = inliner.elements(code, (let_, fold.args), &coords);
        let Combined {
            mut body,
            values,
            operator,
            init,
        } = inliner.combined(fold, code, &values);
        let bounds = bounds(&mut body, starts, extents.len() as u32 - 1);
        let outputs = self.segment_outputs(let_, &values);
        let kind = KernelKind::Segments {
            inner: self.draft.symbols(&[inner])[0],
            body,
            bounds,
            operator,
            init: init.unwrap_or_default(),
            site: self.draft.sites.of(let_),
            outputs,
        };
        let space = self.draft.symbols(&extents);
        self.draft.emit(code, site_of(let_), space, kind);
    }

    fn segment_outputs(&mut self, let_: &'p AccLet<Labelled>, values: &[ValueId]) -> Vec<Output> {
        let mut outputs = vec![];
        for (bind, &value) in let_.binds.iter().zip(values) {
            let array = self.draft.own_array(&self.env, bind.name, let_);
            self.env.place(bind.name, array);
            outputs.push(Output { value, array });
        }
        outputs
    }

    /// Where each segment starts, and where the last one ends: negative lengths count as none.
    fn starts(&mut self, let_: &'p AccLet<Labelled>, lengths: ArrId) -> ArrayId {
        let segments = self.env.extents(lengths)[0];
        let codes = &mut self.draft.codes;
        let code = codes.open();
        let coords = codes.coords(code, &[segments]);
        let length = self.inliner().elements(code, (let_, &[lengths]), &coords)[0];
        let codes = &mut self.draft.codes;
        let zero = codes.constant(code, 0);
        let length = codes.prim(code, Prim::Max, &[length, zero]);
        let (none, one) = (codes.host_constant(0), codes.host_constant(1));
        let count = codes.host_prim(Prim::Add, &[segments, one]);
        if self.draft.reads_pending(code, &[length]) {
            self.draft.flush();
        }
        let (body, values) = self.draft.export(code, &Observed::always(&[length]));
        let array = self.draft.array_here(I32, vec![count], let_);
        self.draft.reasons.made_for(array, Kept::Scan);
        let kind = KernelKind::Scan {
            inner: self.draft.symbols(&[segments])[0],
            direction: Direction::Left,
            body,
            operator: Operator::of_prim(Prim::Add, I32),
            init: Some(self.draft.symbols(&[none])),
            outputs: vec![Output {
                value: values[0],
                array,
            }],
        };
        self.draft.emit(code, site_of(let_), vec![], kind);
        array
    }
}

/// Appends the loads of where a segment, which is a coordinate, starts and ends.
fn bounds(body: &mut Body, starts: ArrayId, segment: u32) -> [ValueId; 2] {
    let at = body.push(Op::Coord(segment), I32);
    let one = body.push(Op::Const(Const::I32(1)), I32);
    let next = body.push(Op::Prim(Prim::Add, vec![at, one]), I32);
    [at, next].map(|at| {
        let load = Load {
            array: starts,
            index: vec![at],
            guard: None,
            // There is one more start than segments.
            site: None,
        };
        body.push(Op::Load(load), I32)
    })
}
