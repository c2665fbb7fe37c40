//! The rules of folds of segments.

use super::{Checker, Result, array_decl, arrays_of, rule, same_type, site};
use crate::schedule::{Kernel, KernelKind, Op, OperatorPart};
use crate::segments::is_simple;
use crate::types::ScalarType::I32;

impl<'a> Checker<'a> {
    /// Requires bounds that are neighbours in a vector, values that do not depend on the segment, and an operator of
    /// primitives.
    pub(super) fn segments(&mut self, kernel: &'a Kernel) -> Result<()> {
        let KernelKind::Segments {
            inner,
            body,
            bounds: _,
            operator,
            init,
            site: at,
            outputs,
        } = &kernel.kind
        else {
            return Ok(());
        };
        self.extents(&[*inner])?;
        site(self.schedule, *at)?;
        let rank = kernel.space.len();
        let starts = kernel.kind.starts(rank);
        rule(starts.is_some(), || {
            "bounds that are no neighbours in a vector".into()
        })?;
        if let Some(array) = starts {
            let elem = array_decl(self.schedule, array)?.elem;
            same_type("the starts", I32, elem)?;
        }
        let values: Vec<_> = outputs.iter().map(|output| output.value).collect();
        let segment = Op::Coord(rank as u32 - 1);
        let is_apart = body.needed(&values).all(|(_, inst)| inst.op != segment);
        rule(is_apart, || "values that depend on their segment".into())?;
        let parts = operator.parts();
        let is_simple = |part: &OperatorPart| {
            let prim = part.operator.as_prim();
            prim.is_some_and(|prim| is_simple(prim, part.operator.types()[0]))
        };
        rule(parts.iter().all(is_simple), || {
            "segments combined by no primitive".into()
        })?;
        self.operator(operator, Some(init), &arrays_of(outputs))?;
        self.space_outputs(&kernel.space, outputs)
    }
}
