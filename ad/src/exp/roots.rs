//! Functions whose loops depend on more scalars than the functions have parameters.
//!
//! A loop of scalar code is differentiated by all that it depends on ([`looping`](super::looping)), a state of N scalars by N
//! at least. Where these are functions of fewer parameters, tangents along the parameters carry less through the loop: the whole
//! function is differentiated forwards then, and the adjoint of a parameter is the sum over the results' adjoints times the
//! tangents along it. Derivatives of derivatives gain the most: their loops carry the tangents of the first.
//!
//! Elements of active arrays that the function reads outside of blocks are like parameters, and so are those that its loops read
//! at the same index on all trips.

use super::activity::Activity;
use super::guard::Origin;
use super::jvp::{Seeds, block_with_tangents};
use super::looping::{Element, Outside, most_inputs};
use super::reverse::{Record, Reverse};
use crate::error::AdError;
use cotangent_core::term::{ExpBind, ExpBlock, ExpId, ExpLet, ExpOp, Labelled};
use std::collections::HashMap;

/// By how many scalars a function is differentiated forwards at most, if array AD could make a loop of arrays of its loop
/// instead. Each tangent takes about as long as the value; a loop of arrays moves each trip's state to memory and back.
const MAX_ROOTS: usize = 4;

/// A scalar that a function depends on.
pub(super) enum Root {
    Param(ExpId),
    /// What the let at that position of the body reads.
    Element(usize, ExpId),
    /// What each trip of the loop at that position of the body reads.
    InLoop(usize, Element),
}

impl Root {
    fn name(&self) -> ExpId {
        match self {
            Self::Param(x) | Self::Element(_, x) => *x,
            Self::InLoop(_, element) => element.name,
        }
    }
}

/// The scalars that a function depends on, if they are fewer than what one of its loops does.
pub(super) fn fewer(
    params: &[ExpBind<Labelled>],
    block: &ExpBlock<Labelled>,
    activity: &Activity,
) -> Option<Vec<Root>> {
    let params = params.iter().map(|p| p.name);
    let params = params.filter(|x| activity.is_active(*x)).map(Root::Param);
    let elements = block.lets.iter().enumerate();
    let elements = elements.flat_map(|(at, let_)| elements_of(at, let_, activity));
    let elements: Vec<Root> = elements.collect();
    let is_element = |let_: &&ExpLet<Labelled>| is_element(let_, activity);
    let has_others = block.all_lets().filter(is_element).count() > elements.len();
    let roots: Vec<Root> = params.chain(elements).collect();
    (!has_others && roots.len() < most_inputs(block, activity)).then_some(roots)
}

/// The same for a function whose loops could become loops of arrays.
pub(super) fn few(
    params: &[ExpBind<Labelled>],
    block: &ExpBlock<Labelled>,
    activity: &Activity,
) -> Option<Vec<Root>> {
    fewer(params, block, activity).filter(|roots| roots.len() <= MAX_ROOTS)
}

fn is_element(let_: &ExpLet<Labelled>, activity: &Activity) -> bool {
    matches!(let_.op, ExpOp::Index { .. }) && activity.is_active(let_.binds[0].name)
}

/// Those elements that the let of a body reads, at indices that are known around it.
fn elements_of(at: usize, let_: &ExpLet<Labelled>, activity: &Activity) -> Vec<Root> {
    match &let_.op {
        ExpOp::Index { .. } if is_element(let_, activity) => {
            vec![Root::Element(at, let_.binds[0].name)]
        }
        ExpOp::Loop { .. } => {
            let elements = Element::that_stay(let_, activity).into_iter();
            elements.map(|element| Root::InLoop(at, element)).collect()
        }
        ExpOp::Const(_) | ExpOp::Prim(..) | ExpOp::Index { .. } | ExpOp::Extent { .. } => vec![],
        ExpOp::Cond { .. } | ExpOp::Derivative { .. } | ExpOp::WithPartials(_) => vec![],
    }
}

impl Reverse<'_> {
    /// The dual of a block by the scalars that it depends on, from the adjoints of those of its results that have any. The block
    /// gets tangents.
    pub(super) fn by_roots(
        &mut self,
        block: &mut ExpBlock<Labelled>,
        roots: &[Root],
        adjoints: &[Option<ExpId>],
    ) -> Result<(), AdError> {
        let before = block.lets.clone();
        let names: Vec<ExpId> = roots.iter().map(Root::name).collect();
        let tangents = self.along(block, &names, adjoints);
        for (direction, root) in roots.iter().enumerate() {
            let along = tangents.iter().skip(direction).step_by(roots.len());
            let parts = adjoints.iter().flatten().copied().zip(along.copied());
            let Some(adj) = self.sum_of_products(root.name(), parts.collect()) else {
                continue;
            };
            match root {
                Root::Param(x) => self.contribute(*x, adj, Origin::Cut),
                Root::Element(at, _) => self.records.extend(Record::of(&before[*at], adj)),
                Root::InLoop(at, element) => {
                    let loop_ = &before[*at];
                    self.record(loop_, element, (&mut Outside::of(loop_), adj))?;
                }
            }
        }
        Ok(())
    }

    /// Gives a block tangents along `roots`; those of the results with adjoints, one result after another.
    fn along(
        &mut self,
        block: &mut ExpBlock<Labelled>,
        roots: &[ExpId],
        adjoints: &[Option<ExpId>],
    ) -> Vec<ExpId> {
        self.b.open();
        let one = |&x| vec![(x, self.b.small(self.b.type_of(x), 1))];
        let seeds: Seeds = roots.iter().map(one).collect();
        let ones = self.b.close(vec![]).lets;
        let results = block.results.len();
        let has_adjoint = |position: usize| adjoints[position].is_some();
        let given = (&seeds, HashMap::new());
        block_with_tangents(self.b, block, given, self.form, has_adjoint);
        block.lets.splice(0..0, ones);
        block.results.split_off(results)
    }
}
