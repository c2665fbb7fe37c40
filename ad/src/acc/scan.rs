//! Scans of float columns that do not depend on each other; others are [coupled](super::coupled).
//!
//! The adjoint of a state is its own plus that of the next state times the partial derivative of the step in between: a
//! scan the other way, of affine maps z ↦ b + a·z under composition. For + all partial derivatives are 1.

use super::layout::read_where;
use super::linear::{composition, opposite};
use super::recurrence::{Combined, Partials, Recurrence, shifted};
use super::reverse::{Node, Reverse};
use crate::error::AdError;
use crate::exp::{Form, guarded_product};
use cotangent_core::build::{Arr, FunBuilder};
use cotangent_core::constant::Const;
use cotangent_core::prim::Prim;
use cotangent_core::term::{Direction, Fun, Labelled};
use cotangent_core::types::ScalarType;

impl Reverse<'_> {
    /// The dual of a scan, column by column.
    pub(super) fn scan(&mut self, node: &Node, scans: &Combined) -> Result<(), AdError> {
        if self.linear(node, scans)? {
            return Ok(());
        }
        let mut others = vec![None; node.adjoints.len()];
        for (at, adjoint) in node.adjoints.iter().enumerate() {
            let Some(d) = adjoint else { continue };
            match scans.column(self, at)? {
                Some(scan) => self.scan_column(&scan, &node.binds[at], d)?,
                None => others[at] = Some(d.clone()),
            }
        }
        self.coupled(node, scans, &others)?;
        Ok(())
    }

    fn scan_column(&mut self, scan: &Recurrence, states: &Arr, d: &Arr) -> Result<(), AdError> {
        let (states_adj, by_element) = if scan.primitive() == Some(Prim::Add) {
            let back = opposite(scan.direction);
            let d = std::slice::from_ref(d);
            let sums = self.b.scan(back, scan.f.clone(), None, d).remove(0);
            (sums, None)
        } else {
            let partials = scan.partials(self, states)?;
            let states_adj = self.states_adjoint(scan, &partials, d);
            (states_adj, Some(partials.by_element))
        };
        let x_adj = element_adjoint(scan, &states_adj, by_element.as_ref(), self.form);
        let arg_adj = self.b.generate(Fun::shape_of(&scan.arg), x_adj).remove(0);
        self.contribute(scan.arg.name, arg_adj);
        scan.contribute_init(self, |reverse| {
            reverse.slice_inner(&states_adj, init_position(scan))
        })
    }

    /// The adjoints of all states, given the partial derivatives of the steps and the states' own adjoints.
    fn states_adjoint(&mut self, scan: &Recurrence, partials: &Partials, d: &Arr) -> Arr {
        let guard = partials.is_singular.then_some(self.form);
        let partial = next_partial(scan, &partials.by_state, d.ty.rank);
        let partials = self.b.generate(Fun::shape_of(d), partial).remove(0);
        let back = opposite(scan.direction);
        let compose = composition(back, &[d.ty.elem], guard);
        let maps = self.b.scan(back, compose, None, &[partials, d.clone()]);
        maps[1].clone()
    }
}

/// From the index of a state to the partial derivative of the step away from it; 0 at the last.
fn next_partial(scan: &Recurrence, by_state: &Arr, rank: usize) -> Fun<Labelled> {
    let mut b = FunBuilder::new();
    let index = b.params(&vec![ScalarType::I32; rank]);
    let element = shifted(&mut b, &index, -scan.before());
    let at = element[rank - 1];
    let inside = match scan.direction {
        Direction::Left => {
            let n = b.extent(scan.arg.name, rank - 1);
            b.prim(Prim::Lt, &[at, n])
        }
        Direction::Right => {
            let zero = b.constant(0i32);
            b.prim(Prim::Ge, &[at, zero])
        }
    };
    let partial = read_where(&mut b, inside, by_state, &element);
    b.finish(vec![partial])
}

/// From the index of an element to its adjoint: that of the state after it, times the partial derivative if it is not 1.
fn element_adjoint(
    scan: &Recurrence,
    states_adj: &Arr,
    by_element: Option<&Arr>,
    form: Form,
) -> Fun<Labelled> {
    let mut b = FunBuilder::new();
    let index = b.params(&vec![ScalarType::I32; scan.arg.ty.rank]);
    let after = shifted(&mut b, &index, scan.after());
    let state_adj = b.index(states_adj, &after);
    let x_adj = match by_element {
        Some(partials) => {
            let partial = b.index(partials, &index);
            guarded_product(&mut b, form, state_adj, partial)
        }
        None => state_adj,
    };
    b.finish(vec![x_adj])
}

/// The inner position of the initial state.
fn init_position(scan: &Recurrence) -> Fun<Labelled> {
    match scan.direction {
        Direction::Left => Fun::constants(&[Const::I32(0)]),
        Direction::Right => {
            let mut b = FunBuilder::new();
            let n = b.extent(scan.arg.name, scan.arg.ty.rank - 1);
            b.finish(vec![n])
        }
    }
}
