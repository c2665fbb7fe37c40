//! The scalar types that a schedule asks of whoever runs it.
//!
//! Left out are the `i64` in which the host counts elements to find out where views begin ([`Layout::View`]): every
//! engine's host has them, and no kernel sees them.

use super::{Body, Kernel, KernelKind, Layout, Schedule, Step, SymbolId, ValueId};
use crate::types::ScalarTypes;
use std::collections::HashSet;

impl Schedule {
    /// The types of all elements and values, but for those that only say where views begin.
    pub fn scalar_types(&self) -> ScalarTypes {
        let offsets = self.offsets();
        let mut types: ScalarTypes = self.arrays.iter().map(|array| array.elem).collect();
        let mut todo = vec![self.steps.iter()];
        while let Some(mut steps) = todo.pop() {
            let Some(step) = steps.next() else { continue };
            todo.push(steps);
            let found = match step {
                Step::Scalars { body, defines } => of_scalars(body, defines, &offsets),
                Step::Check(..) => ScalarTypes::default(),
                Step::Kernel(kernel) => of_kernel(kernel),
                Step::Strip(strip) => strip
                    .kernels
                    .iter()
                    .flat_map(|k| of_kernel(k).iter())
                    .collect(),
                Step::If { then_, else_, .. } => {
                    todo.extend([then_.iter(), else_.iter()]);
                    ScalarTypes::default()
                }
            };
            types = types.with(found);
        }
        types
    }

    /// The symbols at which views begin.
    fn offsets(&self) -> HashSet<SymbolId> {
        let offset = |layout| match layout {
            Layout::Own => None,
            Layout::View { offset, .. } => offset.symbol,
        };
        self.arrays
            .iter()
            .filter_map(|array| offset(array.layout))
            .collect()
    }
}

fn of_scalars(
    body: &Body,
    defines: &[(SymbolId, ValueId)],
    offsets: &HashSet<SymbolId>,
) -> ScalarTypes {
    let others = defines
        .iter()
        .filter(|(symbol, _)| !offsets.contains(symbol));
    let roots: Vec<_> = others.map(|&(_, value)| value).collect();
    let needed = body.insts.iter().zip(body.reachable(&roots));
    needed
        .filter(|(_, needed)| *needed)
        .map(|(inst, _)| inst.ty)
        .collect()
}

fn of_kernel(kernel: &Kernel) -> ScalarTypes {
    let operator = match &kernel.kind {
        KernelKind::Reduce { operator, .. } | KernelKind::Scan { operator, .. } => {
            of_body(&operator.body)
        }
        KernelKind::Map { .. } | KernelKind::Contract { .. } | KernelKind::Scatter { .. } => {
            ScalarTypes::default()
        }
    };
    operator.with(of_body(kernel.body()))
}

fn of_body(body: &Body) -> ScalarTypes {
    body.insts.iter().map(|inst| inst.ty).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::constant::Const;
    use crate::loc::Loc;
    use crate::prim::Prim;
    use crate::schedule::{ArrayDecl, ArrayId, Inst, Offset, Op, Operator, Output, SiteId};
    use crate::types::ScalarType::{self, Bool, F16, F32, F64, I32, I64};

    fn body(types: &[ScalarType]) -> Body {
        let inst = |&ty: &ScalarType| Inst {
            op: Op::Const(Const::zero(ty)),
            ty,
        };
        Body {
            insts: types.iter().map(inst).collect(),
        }
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

    /// An `i64` counts where another symbol than that of a view's beginning is made of it.
    #[test]
    fn where_views_begin_does_not_count() {
        let scalars = |symbol: u32| {
            let (body, defines) = (body(&[I64, Bool]), vec![(SymbolId(symbol), ValueId(0))]);
            schedule(vec![Step::Scalars { body, defines }]).scalar_types()
        };
        assert_eq!(scalars(0), [F16].into_iter().collect());
        assert_eq!(scalars(1), [F16, I64].into_iter().collect());
        assert!(!scalars(1).contains(I32));
    }
}
