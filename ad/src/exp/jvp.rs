//! Derivatives of scalar code along one direction.

use super::gradient::Eliminator;
use crate::AdError;
use cotangent_core::term::{ExpBind, ExpBlock, ExpId, ExpLet, Labelled};

/// The parts of a derivative along a direction; there is no other derivative in its body.
#[allow(dead_code)]
pub(super) struct Jvp {
    /// The values of the results, then their tangents.
    pub(super) binds: Vec<ExpBind<Labelled>>,
    pub(super) params: Vec<ExpBind<Labelled>>,
    pub(super) body: ExpBlock<Labelled>,
    /// The point, then the tangents.
    pub(super) args: Vec<ExpId>,
}

impl Eliminator {
    /// The code that takes the place of a derivative along a direction; its results become aliases.
    pub(super) fn jvp(&mut self, _: Jvp) -> Result<Vec<ExpLet<Labelled>>, AdError> {
        Err(AdError::Bug("forward mode is not there yet".to_owned()))
    }
}
