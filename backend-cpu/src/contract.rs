//! Contractions: blocked matrix products of factors that are computed while they are packed.
//!
//! The space of a contraction is a batch of matrix products, rows and columns being the coordinates that one
//! factor alone has. A task computes tiles of them; for a tile it goes through the inner space in chunks,
//! packs both factors (`pack`), and multiplies panel by panel (`micro`). One factor is read by vectors, the
//! other by scalars; which one, and the shape of the panels, is chosen by the extents. Scalars are read where
//! they are if the factor is an array (`place`).
//!
//! An element of the result is the sum, in order, of the sums of chunks (and of parts of several chunks where
//! the inner space is long and the results are few), whose boundaries depend on the extents alone. Of `f32`, some
//! chunks are added up, and such groups, and parts, in `f64`, so that errors do not grow with the inner space. So it
//! depends neither on threads nor on tiles. It does not depend on the instruction set either, but for the
//! baseline's lack of fused multiplication and addition.
//!
//! All of this goes for other semirings than sums of products, but that no factor is rounded or read where it is.
//! Their results are those of the fold to the bit, on any instruction set. Looking for NaNs takes a third of the time
//! of a step, so packed pieces are searched for what terms may become NaN by, and there are kernels for pieces
//! without (`algebra`).
//!
//! Where a factor is known to be zero, and the other one is finite, steps are left out; so are tiles that nobody
//! reads (`limits`).
//!
//! Where a factor reads out of range, and where the products are too small to be worth it, the kernel runs
//! as the fold that it is.
//!
//! Unsafe code: micro-kernels write through raw pointers, each tile by one task.

mod algebra;
mod limits;
mod micro;
mod pack;
mod place;
mod plan;
mod shapes;
mod task;
mod vector;

use crate::isa::Target;
use crate::kernel::{Launch, share};
use crate::machine::failure::FailureCell;
use crate::memory::{OutRef, Own};
use cotangent_core::backend::RunError;
use cotangent_core::constant::Const;
use cotangent_core::prim::Prim;
use cotangent_core::schedule::{Body, Kernel, KernelKind, Role, Semiring, ValueId};
use cotangent_core::types::ScalarType;
use limits::{Axes, Limits};
use pack::{Coords, Factor, Order};
use place::{Tested, Walk};
use plan::Plan;
use shapes::{Shape, shapes};
use task::{Task, Work};

/// A contraction made ready to run.
#[derive(Debug)]
pub(crate) struct Contraction {
    semiring: Semiring,
    left: Factor,
    right: Factor,
    roles: Vec<Role>,
    ty: ScalarType,
    shapes: Vec<Shape>,
    limits: Limits,
    tested: Tested,
}

/// Whether a contraction was run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// The results are there.
    Done,
    /// The kernel is to be run as a fold.
    AsFold,
}

/// What the results of a contraction start from.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Start {
    /// An initial value, or the first product.
    At(Option<Const>),
    /// What is there. Nothing is written unless the outcome is [`Outcome::Done`].
    Onto,
}

impl Contraction {
    /// Prepares a kernel, if it is a contraction that can be run as such.
    pub fn new(target: Target, kernel: &Kernel) -> Option<Self> {
        let KernelKind::Contract {
            semiring,
            inner,
            body,
            roles,
            left,
            right,
            init: _,
            structure,
            output,
        } = &kernel.kind
        else {
            return None;
        };
        if !roles.contains(&Role::Left) || !roles.contains(&Role::Right) {
            return None;
        }
        let ty = body.type_of(output.value);
        let inner = roles.len()..roles.len() + inner.len();
        let factor = |value: ValueId, own: Role| -> Option<Factor> {
            let (batch, own) = (axes(roles, Role::Batch), axes(roles, own));
            let coords = Coords {
                batch: &batch,
                own: &own,
                inner: inner.clone(),
            };
            let body: &Body = body;
            let flushed = *semiring == Semiring::PlusTimes;
            (!inner.is_empty()).then(|| Factor::new(target, body, (value, flushed), &coords))?
        };
        Some(Self {
            semiring: *semiring,
            left: factor(*left, Role::Left)?,
            right: factor(*right, Role::Right)?,
            roles: roles.clone(),
            ty,
            shapes: shapes(target.isa, ty, *semiring),
            limits: Limits::new(structure),
            tested: Tested::of(body),
        })
    }

    /// Runs the contraction over the given extents, those of the space first.
    ///
    /// # Errors
    /// Where memory for partial results cannot be had.
    pub fn run(&self, launch: &Launch, extents: &[i64], start: Start) -> Result<Outcome, RunError> {
        let kernels = (self.semiring, &self.shapes[..], &self.limits);
        let Some(plan) = Plan::new(&self.roles, extents, kernels, launch.team.threads) else {
            return Ok(Outcome::AsFold);
        };
        let (init, onto) = match start {
            Start::At(init) => (init, false),
            Start::Onto => (None, true),
        };
        if onto && (plan.parts > 1 || self.tested.may_fail(launch, extents)?) {
            return Ok(Outcome::AsFold);
        }
        let failure = FailureCell::default();
        let (sides, of_sides) = self.sides(&plan);
        let orders = orders(&plan, sides);
        let boxes = [0, 1].map(|side| {
            let (counts, width) = (plan.sides[side].counts(), plan.sides[side].width);
            sides[side].boxes(orders[side], &counts, &plan.steps(), width)
        });
        let asks = of_sides.map(|role| asks_for_infinities(self.semiring, &self.limits, role));
        let [vectors, scalars] =
            [0, 1].map(|i| sides[i].bind(launch, (orders[i], asks[i]), &boxes[i], &failure));
        let in_place = match asks[1] {
            true => None,
            false => self.in_place((sides[1], of_sides[1]), launch, extents)?,
        };
        let parts = Parts::new(&plan, launch.outputs[0])?;
        let work = Work {
            plan: &plan,
            factors: [vectors?, scalars?],
            in_place,
            limits: &self.limits,
            semiring: self.semiring,
            axes: Axes {
                batch: axes(&self.roles, Role::Batch),
                own: of_sides.map(|role| axes(&self.roles, role)),
                inner: self.roles.len()..extents.len(),
            },
            roles: of_sides,
            ty: self.ty,
            init: (parts.memory.is_none()).then_some(init).flatten(),
            onto,
            out: parts.out,
        };
        share(launch.team, plan.items(), plan.work(), |claims| {
            let mut task = Task::new(&work);
            claims.flatten().for_each(|item| task.tile(item));
        });
        drop(work);
        if failure.into_inner().is_some() {
            return Ok(Outcome::AsFold);
        }
        parts.finish(self.semiring, &plan, launch, init);
        Ok(Outcome::Done)
    }
}

impl Contraction {
    /// The factor read by vectors and that read by scalars, and their roles.
    fn sides(&self, plan: &Plan) -> ([&Factor; 2], [Role; 2]) {
        match plan.vectors {
            Role::Right => ([&self.right, &self.left], [Role::Right, Role::Left]),
            Role::Left | Role::Batch => ([&self.left, &self.right], [Role::Left, Role::Right]),
        }
    }

    /// Where the factor read by scalars lies, if it can be read there.
    fn in_place(
        &self,
        (scalars, own): (&Factor, Role),
        launch: &Launch,
        extents: &[i64],
    ) -> Result<Option<Walk>, RunError> {
        let Some(place) = &scalars.place else {
            return Ok(None);
        };
        let coords = Coords {
            batch: &axes(&self.roles, Role::Batch),
            own: &axes(&self.roles, own),
            inner: self.roles.len()..extents.len(),
        };
        place.walk(launch, &coords, extents)
    }
}

/// Whether sums of chunks are added in `f64`, as results are narrow floats. (What is inside of a chunk is added in the
/// type of the results: the loops are too hot, and chunks are short.)
fn is_wide(semiring: Semiring, ty: ScalarType) -> bool {
    semiring == Semiring::PlusTimes && ty.is_narrow_float()
}

/// The coordinates of a role.
fn axes(roles: &[Role], wanted: Role) -> Vec<usize> {
    let all = roles.iter().enumerate();
    all.filter(|&(_, &role)| role == wanted)
        .map(|(axis, _)| axis)
        .collect()
}

/// The orders in which the factors read by vectors and by scalars are packed.
fn orders(plan: &Plan, sides: [&Factor; 2]) -> [Order; 2] {
    let vectors = match plan.sides[0].is_narrow() {
        true => sides[0].order_or_panels(Order::Steps),
        false => Order::Panels,
    };
    [vectors, sides[1].order_or_panels(Order::Rows)]
}

/// Whether it must be known which infinities a factor has: those that make zeros of the other one something else
/// than zeros, and those that make terms NaN, which only kernels that look for NaNs are for.
fn asks_for_infinities(semiring: Semiring, limits: &Limits, role: Role) -> bool {
    semiring != Semiring::PlusTimes || limits.ask_whether_finite(role)
}

/// Where the sums of parts of the inner space go.
struct Parts {
    /// The results themselves if there is one part, else one sheet of results per part.
    out: OutRef,
    memory: Option<Own>,
}

impl Parts {
    fn new(plan: &Plan, out: OutRef) -> Result<Self, RunError> {
        if plan.parts == 1 {
            return Ok(Self { out, memory: None });
        }
        let len = plan.parts.saturating_mul(plan.results);
        let own = Own::zeroed(out.ty(), len, "the partial sums of a product")?;
        Ok(Self {
            out: own.out,
            memory: Some(own),
        })
    }

    /// Combines the parts, in order; sums of narrow floats in `f64`.
    fn finish(&self, semiring: Semiring, plan: &Plan, launch: &Launch, init: Option<Const>) {
        if self.memory.is_none() {
            return;
        }
        launch.team.passes.alone();
        let out = launch.outputs[0];
        let plus = |x: Const, y: Const| semiring.plus().eval(&[x, y]).unwrap_or(x);
        let is_wide = is_wide(semiring, out.ty());
        let as_type = |x: Const, ty: ScalarType| match is_wide {
            true => Prim::Convert(ty).eval(&[x]).unwrap_or(x),
            false => x,
        };
        for result in 0..plan.results {
            // SAFETY: all tasks have ended; positions are below the lengths.
            unsafe {
                let parts = (0..plan.parts).map(|part| self.out.get(part * plan.results + result));
                let terms = init.into_iter().chain(parts);
                let sum = terms.map(|x| as_type(x, ScalarType::F64)).reduce(plus);
                out.set(
                    result,
                    as_type(sum.unwrap_or(Const::zero(out.ty())), out.ty()),
                );
            }
        }
    }
}
