//! Makes graphs, node by node and without merging equal ones, and recovers them.

use crate::check::check_after;
use crate::constant::Const;
use crate::graph::{
    AccLambda, AccNode, AccNodeOp, ArrRef, Binder, BinderInfo, ExpLambda, ExpNode, ExpNodeOp,
    ExpRef, Graph, SurfaceError,
};
use crate::label::label;
use crate::loc::Loc;
use crate::prim::Prim;
use crate::recover::recover;
use crate::term::{DeBruijn, Program};
use crate::types::{ArrayType, ScalarType};

pub(super) const F: ScalarType = ScalarType::F64;
pub(super) const I: ScalarType = ScalarType::I32;
pub(super) const B: ScalarType = ScalarType::Bool;

/// An array of `f64`.
pub(super) fn floats(rank: usize) -> ArrayType {
    ArrayType::new(F, rank)
}

#[derive(Default)]
pub(super) struct Graphs {
    pub(super) graph: Graph,
}

impl Graphs {
    #[track_caller]
    pub(super) fn binder(&mut self, construct: &'static str) -> Binder {
        let loc = Loc::caller();
        self.graph.binders.push(BinderInfo { construct, loc });
        Binder(self.graph.binders.len() as u32 - 1)
    }

    #[track_caller]
    pub(super) fn exps(&mut self, op: ExpNodeOp, types: &[ScalarType]) -> Vec<ExpRef> {
        let (types, loc) = (types.to_vec(), Loc::caller());
        let outputs = 0..types.len() as u32;
        let node = self.graph.push_exp(ExpNode { op, types, loc });
        outputs.map(|output| ExpRef { node, output }).collect()
    }

    #[track_caller]
    pub(super) fn accs(&mut self, op: AccNodeOp, types: &[ArrayType]) -> Vec<ArrRef> {
        let (types, loc) = (types.to_vec(), Loc::caller());
        let outputs = 0..types.len() as u32;
        let node = self.graph.push_acc(AccNode { op, types, loc });
        outputs.map(|output| ArrRef { node, output }).collect()
    }

    pub(super) fn type_of(&self, ExpRef { node, output }: ExpRef) -> ScalarType {
        self.graph.exps[node as usize].types[output as usize]
    }

    pub(super) fn array_type(&self, ArrRef { node, output }: ArrRef) -> ArrayType {
        self.graph.accs[node as usize].types[output as usize]
    }

    pub(super) fn param(&mut self, binder: Binder, position: u32, ty: ScalarType) -> ExpRef {
        self.exps(ExpNodeOp::Param { binder, position }, &[ty])[0]
    }

    pub(super) fn constant(&mut self, value: impl Into<Const>) -> ExpRef {
        let value = value.into();
        self.exps(ExpNodeOp::Const(value), &[value.scalar_type()])[0]
    }

    #[track_caller]
    pub(super) fn prim(&mut self, prim: Prim, operands: &[ExpRef]) -> ExpRef {
        let types: Vec<_> = operands.iter().map(|&x| self.type_of(x)).collect();
        let ty = prim.result_type(&types).unwrap();
        self.exps(ExpNodeOp::Prim(prim, operands.to_vec()), &[ty])[0]
    }

    pub(super) fn index(&mut self, array: ArrRef, index: &[ExpRef]) -> ExpRef {
        let elem = self.array_type(array).elem;
        let index = index.to_vec();
        self.exps(ExpNodeOp::Index { array, index }, &[elem])[0]
    }

    pub(super) fn extent(&mut self, array: ArrRef, axis: usize) -> ExpRef {
        self.exps(ExpNodeOp::Extent { array, axis }, &[I])[0]
    }

    pub(super) fn cond(&mut self, cond: ExpRef, then_: ExpRef, else_: ExpRef) -> ExpRef {
        let ty = self.type_of(then_);
        let (then_, else_) = (vec![then_], vec![else_]);
        self.exps(ExpNodeOp::Cond { cond, then_, else_ }, &[ty])[0]
    }

    /// A scalar lambda of parameters of the given types.
    #[track_caller]
    pub(super) fn lambda(
        &mut self,
        construct: &'static str,
        params: &[ScalarType],
        body: impl FnOnce(&mut Self, &[ExpRef]) -> Vec<ExpRef>,
    ) -> ExpLambda {
        let binder = self.binder(construct);
        let refs: Vec<_> = (0..)
            .zip(params)
            .map(|(position, &ty)| self.param(binder, position, ty))
            .collect();
        ExpLambda {
            binder,
            params: params.to_vec(),
            results: body(self, &refs),
        }
    }

    /// An array lambda of parameters of the given types.
    #[track_caller]
    pub(super) fn acc_lambda(
        &mut self,
        construct: &'static str,
        params: &[ArrayType],
        body: impl FnOnce(&mut Self, &[ArrRef]) -> Vec<ArrRef>,
    ) -> AccLambda {
        let binder = self.binder(construct);
        let refs: Vec<_> = (0..)
            .zip(params)
            .map(|(position, &ty)| self.accs(AccNodeOp::Param { binder, position }, &[ty])[0])
            .collect();
        AccLambda {
            binder,
            params: params.to_vec(),
            results: body(self, &refs),
        }
    }

    #[track_caller]
    pub(super) fn map(
        &mut self,
        array: ArrRef,
        body: impl FnOnce(&mut Self, ExpRef) -> ExpRef,
    ) -> ArrRef {
        let ArrayType { elem, rank } = self.array_type(array);
        let f = self.lambda("map", &[elem], |g, x| vec![body(g, x[0])]);
        let ty = ArrayType::new(self.type_of(f.results[0]), rank);
        let args = vec![array];
        self.accs(AccNodeOp::Map { f, args }, &[ty])[0]
    }

    /// The sum of a vector.
    #[track_caller]
    pub(super) fn sum(&mut self, array: ArrRef) -> ArrRef {
        let f = self.lambda("fold", &[F, F], |g, x| vec![g.prim(Prim::Add, x)]);
        let init = Some(vec![self.constant(0.0)]);
        let args = vec![array];
        self.accs(AccNodeOp::Fold { f, init, args }, &[floats(0)])[0]
    }

    /// An array of one element.
    #[track_caller]
    pub(super) fn unit(&mut self, value: ExpRef) -> ArrRef {
        let ty = ArrayType::new(self.type_of(value), 0);
        let f = self.lambda("generate", &[], |_, _| vec![value]);
        let shape = vec![];
        self.accs(AccNodeOp::Generate { shape, f }, &[ty])[0]
    }

    pub(super) fn acond(&mut self, cond: ExpRef, then_: ArrRef, else_: ArrRef) -> ArrRef {
        let ty = self.array_type(then_);
        let (then_, else_) = (vec![then_], vec![else_]);
        self.accs(AccNodeOp::Cond { cond, then_, else_ }, &[ty])[0]
    }
}

/// The program of array parameters of the given types; checked.
#[track_caller]
pub(super) fn compile(
    params: &[ArrayType],
    body: impl FnOnce(&mut Graphs, &[ArrRef]) -> Vec<ArrRef>,
) -> Result<Program<DeBruijn>, SurfaceError> {
    let mut graphs = Graphs::default();
    let f = graphs.acc_lambda("compile", params, body);
    let program = recover(&graphs.graph, &f)?;
    check_after("recover", &program).unwrap();
    Ok(program)
}

/// Compiles and compares with the text of the labelled form.
#[track_caller]
pub(super) fn check(
    params: &[ArrayType],
    body: impl FnOnce(&mut Graphs, &[ArrRef]) -> Vec<ArrRef>,
    expected: &str,
) {
    let program = compile(params, body).unwrap();
    let text = label(&program).to_string();
    assert_eq!(text, expected, "the text is:\n{text}");
}

/// The text of the function of a map over a vector `a0`, by what it does with the element and the vector.
#[track_caller]
pub(super) fn check_fun(body: impl FnOnce(&mut Graphs, ArrRef, ExpRef) -> ExpRef, expected: &str) {
    let program = compile(&[floats(1)], |g, a| {
        vec![g.map(a[0], |g, x| body(g, a[0], x))]
    });
    let program = label(&program.unwrap());
    let text = program.body.lets[0].op.funs()[0].to_string();
    assert_eq!(text, expected, "the text is:\n{text}");
}
