//! Index analysis: which values are affine in the coordinates of lane and step.
//!
//! In wrapping arithmetic, addition, subtraction, negation and multiplication commute with the affine
//! form, so a form is exact for every lane, overflow included. Factors and bases are values themselves,
//! added to the body where they do not exist yet; they are the same for all lanes.
//!
//! The index maps of `cotangent_core` (`analysis/index_map.rs`) are polynomials of extents with literal coefficients, for
//! proofs about terms: there a stride is a product that must be known. Here it is a number of the run, which code is to compute
//! once; a factor that is the same for all lanes may be anything, even a loaded element.

use super::Nest;
use super::clamp::Clamp;
use cotangent_core::algebra::{self, ScalarCode};
use cotangent_core::constant::Const;
use cotangent_core::prim::Prim;
use cotangent_core::schedule::{Body, Inst, Op, ValueId};
use cotangent_core::types::ScalarType;

/// `base + Σ step · coordinate`.
#[derive(Clone, Debug)]
pub(super) struct Form {
    pub base: ValueId,
    pub steps: Vec<(u32, ValueId)>,
}

impl Form {
    /// The base and the factors.
    pub fn values(&self) -> impl Iterator<Item = ValueId> {
        let steps = self.steps.iter().map(|(_, step)| *step);
        steps.chain([self.base])
    }
}

/// A body with what the analysis adds to it.
pub(super) struct Analysis<'a> {
    pub nest: &'a Nest,
    /// The instructions of the body analysed, then those added.
    pub body: Body,
    /// The coordinates that each value depends on.
    pub deps: Vec<u64>,
    /// The affine form of each value that has one and needs one.
    pub forms: Vec<Option<Form>>,
    /// The same for those that are affine between bounds.
    pub clamps: Vec<Option<Clamp>>,
}

impl<'a> Analysis<'a> {
    /// Analyses a body for a nest.
    pub fn new(body: &Body, nest: &'a Nest) -> Self {
        let mut analysis = Self {
            nest,
            body: Body::default(),
            deps: vec![],
            forms: vec![],
            clamps: vec![],
        };
        for (_, inst) in body.iter() {
            analysis.push(inst.op.clone(), inst.ty);
        }
        for v in 0..body.len() {
            let value = ValueId(v as u32);
            analysis.forms[v] = analysis.form(value);
            analysis.clamps[v] = analysis.clamp(value);
        }
        analysis
    }

    /// Appends an instruction.
    pub fn push(&mut self, op: Op, ty: ScalarType) -> ValueId {
        let deps = match &op {
            Op::Const(_) | Op::Symbol(_) => 0,
            Op::Coord(c) => 1 << c,
            Op::Arg(n) => self.nest.arg(*n),
            // Entries of rows change from trip to trip.
            Op::Load(load) if load.array.is_of_rows() => {
                self.nest.lane_mask() | self.nest.seq_mask()
            }
            Op::Prim(..) | Op::Load(_) | Op::Loop(_) | Op::Out(..) => {
                let operands = op.operands();
                operands.iter().fold(0, |d, v| d | self.deps[v.index()])
            }
        };
        self.deps.push(deps);
        self.forms.push(None);
        self.clamps.push(None);
        self.body.push(op, ty)
    }

    /// Whether a value is the same for all lanes.
    pub fn is_scalar(&self, v: ValueId) -> bool {
        self.deps[v.index()] & self.nest.lane_mask() == 0
    }

    fn moves_with_step(&self, v: ValueId) -> bool {
        self.deps[v.index()] & self.nest.seq_mask() != 0
    }

    /// The form of a value all of whose operands have theirs, if they have one.
    fn form(&mut self, v: ValueId) -> Option<Form> {
        let Inst { op, ty } = self.body.inst(v).clone();
        if ty != ScalarType::I32 {
            return None;
        }
        let constant = |base| Form {
            base,
            steps: vec![],
        };
        let scalar = self.is_scalar(v);
        if scalar && !self.moves_with_step(v) {
            return Some(constant(v));
        }
        let form = match op {
            Op::Coord(c) => Some(Form {
                base: self.int(0),
                steps: vec![(c, self.int(1))],
            }),
            Op::Prim(..) => self.prim_form(&op),
            Op::Const(_) | Op::Symbol(_) | Op::Arg(_) => None,
            Op::Load(_) | Op::Loop(_) | Op::Out(..) => None,
        };
        form.or_else(|| scalar.then(|| constant(v)))
    }

    fn prim_form(&mut self, op: &Op) -> Option<Form> {
        let form = |v: ValueId| self.forms[v.index()].clone();
        let two = |prim| {
            let &[x, y] = op.operands_of(prim)?;
            Some((form(x)?, form(y)?))
        };
        if let Some(&[x]) = op.operands_of(Prim::Neg) {
            let x = form(x)?;
            return self.negated(&x);
        }
        if let Some((x, y)) = two(Prim::Add) {
            return Some(self.sum(&x, &y));
        }
        if let Some((x, y)) = two(Prim::Sub) {
            let y = self.negated(&y)?;
            return Some(self.sum(&x, &y));
        }
        let (x, y) = two(Prim::Mul)?;
        if y.steps.is_empty() {
            return self.scaled(&x, y.base);
        }
        x.steps.is_empty().then(|| self.scaled(&y, x.base))?
    }

    fn negated(&mut self, x: &Form) -> Option<Form> {
        let minus_one = self.int(-1);
        self.scaled(x, minus_one)
    }

    pub(super) fn sum(&mut self, x: &Form, y: &Form) -> Form {
        let base = self.add(x.base, y.base);
        let mut steps = x.steps.clone();
        for &(c, step) in &y.steps {
            match steps.iter_mut().find(|(d, _)| *d == c) {
                Some(slot) => slot.1 = self.add(slot.1, step),
                None => steps.push((c, step)),
            }
        }
        Form { base, steps }
    }

    /// The form times a value; none where that would not be affine in the step any more.
    fn scaled(&mut self, x: &Form, factor: ValueId) -> Option<Form> {
        let seq = &self.nest.seq;
        let in_step = x.steps.iter().any(|(c, _)| seq.contains(&(*c as usize)));
        if in_step && self.moves_with_step(factor) {
            return None;
        }
        let base = self.mul(x.base, factor);
        let steps = x.steps.iter().map(|&(c, s)| (c, self.mul(s, factor)));
        Some(Form {
            base,
            steps: steps.collect(),
        })
    }

    pub(super) fn int(&mut self, value: i32) -> ValueId {
        self.constant(Const::I32(value))
    }

    fn add(&mut self, x: ValueId, y: ValueId) -> ValueId {
        self.prim(Prim::Add, &[x, y])
    }

    fn mul(&mut self, x: ValueId, y: ValueId) -> ValueId {
        self.prim(Prim::Mul, &[x, y])
    }
}

/// Bases, steps and bounds are simplified while they are made.
impl ScalarCode for Analysis<'_> {
    type Value = ValueId;

    fn type_of(&self, x: ValueId) -> ScalarType {
        self.body.type_of(x)
    }

    fn constant_of(&self, x: ValueId) -> Option<Const> {
        self.body.op(x).as_const()
    }

    fn prim_of(&self, x: ValueId) -> Option<(Prim, &[ValueId])> {
        self.body.op(x).as_prim()
    }

    fn constant(&mut self, value: Const) -> ValueId {
        self.push(Op::Const(value), value.scalar_type())
    }

    fn prim(&mut self, op: Prim, operands: &[ValueId]) -> ValueId {
        let operands = algebra::in_order(self, op, operands);
        let ty = algebra::result_type(self, op, &operands);
        let simple = algebra::simplify(self, op, &operands);
        simple.unwrap_or_else(|| self.push(Op::Prim(op, operands), ty))
    }
}
