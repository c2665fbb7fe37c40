//! The scalar types that a schedule asks of whoever runs it.
//!
//! Left out are the `i64` in which the host counts elements to find out where views begin
//! ([`Layout::View`](super::Layout::View)): every engine's host has them, and no kernel sees them.

use super::{Body, Inst, Kernel, Schedule, Step, SymbolId, ValueId, steps};
use crate::types::{ScalarType, ScalarTypes};
use std::collections::BTreeSet;

impl Schedule {
    /// The types of all elements and values, but for those that only say where views begin.
    pub fn scalar_types(&self) -> ScalarTypes {
        let steps: Vec<_> = steps::all(&self.steps).collect();
        let wanted = self.wanted(&steps);
        let mut types: ScalarTypes = self.arrays.iter().map(|array| array.elem).collect();
        for step in steps {
            if let Some((body, defines)) = step.as_scalars() {
                let needed = self.needed(body, defines, &wanted);
                types = types.with(needed.map(|inst| inst.ty).collect());
            }
            for kernel in step.kernels() {
                types = types.with(of_kernel(kernel));
            }
        }
        types
    }

    /// The symbols that are of use for something else than where views begin.
    fn wanted(&self, steps: &[&Step]) -> BTreeSet<SymbolId> {
        let others = steps.iter().filter(|step| step.as_scalars().is_none());
        let mut wanted: BTreeSet<_> = others.flat_map(|step| step.uses()).collect();
        loop {
            let before = wanted.len();
            for (body, defines) in steps.iter().filter_map(|step| step.as_scalars()) {
                let needed = self.needed(body, defines, &wanted);
                let symbols: Vec<_> = needed.filter_map(|inst| inst.op.as_symbol()).collect();
                wanted.extend(symbols);
            }
            if wanted.len() == before {
                return wanted;
            }
        }
    }

    /// The instructions for what scalar code defines: all but an `i64` that is not wanted.
    fn needed<'a>(
        &self,
        body: &'a Body,
        defines: &[(SymbolId, ValueId)],
        wanted: &BTreeSet<SymbolId>,
    ) -> impl Iterator<Item = &'a Inst> {
        let counts = |symbol: &SymbolId| {
            self.symbols[symbol.index()] != ScalarType::I64 || wanted.contains(symbol)
        };
        let roots = defines.iter().filter(|(symbol, _)| counts(symbol));
        let roots: Vec<_> = roots.map(|&(_, value)| value).collect();
        body.needed(&roots).map(|(_, inst)| inst)
    }
}

fn of_kernel(kernel: &Kernel) -> ScalarTypes {
    let bodies = [kernel.body()].into_iter().chain(kernel.operator());
    bodies
        .flat_map(|body| body.walk().map(|(_, inst)| inst.ty))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::constant::Const;
    use crate::loc::Loc;
    use crate::prim::Prim;
    use crate::schedule::{
        ArrayDecl, ArrayId, KernelKind, Layout, Offset, Op, Operator, Output, SiteId,
    };
    use crate::types::ScalarType::{Bool, F16, F32, F64, I64};

    fn body(types: &[ScalarType]) -> Body {
        let mut body = Body::default();
        for &ty in types {
            body.push(Op::Const(Const::zero(ty)), ty);
        }
        body
    }

    fn array(elem: ScalarType, layout: Layout) -> ArrayDecl {
        ArrayDecl {
            elem,
            extents: vec![],
            layout,
            site: SiteId(0),
        }
    }

    fn reduction(body: Body, operator: Operator) -> Step {
        Step::Kernel(Kernel {
            name: "fold",
            loc: Loc::UNKNOWN,
            fused: vec![],
            space: vec![],
            kind: KernelKind::Reduce {
                inner: vec![],
                body,
                operator,
                init: None,
                outputs: Vec::<Output>::new(),
            },
        })
    }

    fn schedule(steps: Vec<Step>) -> Schedule {
        let begins = Layout::View {
            of: ArrayId(0),
            offset: Offset {
                symbol: Some(SymbolId(0)),
                constant: 0,
            },
            stride: 1,
        };
        Schedule {
            symbols: vec![I64, I64],
            arrays: vec![array(F16, Layout::Own), array(F16, begins)],
            sites: vec![],
            params: vec![],
            uses: vec![],
            steps,
            results: vec![],
        }
    }

    #[test]
    fn types_are_those_of_elements_bodies_and_operators() {
        let operator = Operator::of_prim(Prim::Add, F64);
        let inner = reduction(body(&[F32]), operator);
        let branches = Step::If {
            cond: SymbolId(1),
            then_: vec![],
            else_: vec![inner],
            symbols: vec![],
            arrays: vec![],
        };
        let all = [F16, F32, F64].into_iter().collect();
        assert_eq!(schedule(vec![branches]).scalar_types(), all);
    }

    fn scalars(of: Op, define: u32) -> Step {
        let mut body = body(&[Bool]);
        let value = body.push(of, I64);
        let defines = vec![(SymbolId(define), value)];
        Step::Scalars { body, defines }
    }

    /// Not even by way of a symbol that is of use for nothing else.
    #[test]
    fn where_views_begin_does_not_count() {
        let count = || scalars(Op::Const(Const::I64(3)), 1);
        let begin = || scalars(Op::Symbol(SymbolId(1)), 0);
        let only = [F16].into_iter().collect();
        assert_eq!(schedule(vec![count(), begin()]).scalar_types(), only);
        let mut used = Body::default();
        used.push(Op::Symbol(SymbolId(1)), I64);
        let kernel = reduction(used, Operator::of_prim(Prim::Add, F16));
        let both = [F16, I64].into_iter().collect();
        assert_eq!(
            schedule(vec![count(), begin(), kernel]).scalar_types(),
            both
        );
    }

    /// What a symbol that counts is computed from counts, too.
    #[test]
    fn what_is_wanted_is_computed_from_what_is_wanted() {
        let branches = Step::If {
            cond: SymbolId(0),
            then_: vec![],
            else_: vec![],
            symbols: vec![(SymbolId(0), SymbolId(0), SymbolId(0))],
            arrays: vec![],
        };
        let steps = vec![
            scalars(Op::Const(Const::I64(3)), 1),
            scalars(Op::Symbol(SymbolId(1)), 0),
            branches,
        ];
        assert_eq!(
            schedule(steps).scalar_types(),
            [F16, I64].into_iter().collect()
        );
    }
}
