//! Derivatives of array code along one direction.

use crate::AdError;
use crate::gradient::Eliminator;
use cotangent_core::term::{AccBlock, AccLet, ArrBind, ArrId, Labelled};

/// The parts of a derivative along a direction; there is no other derivative in its body.
#[allow(dead_code)]
pub(crate) struct Jvp {
    /// The values of the results, then their tangents.
    pub(crate) binds: Vec<ArrBind<Labelled>>,
    pub(crate) params: Vec<ArrBind<Labelled>>,
    pub(crate) body: AccBlock<Labelled>,
    /// The point, then the tangents.
    pub(crate) args: Vec<ArrId>,
}

impl Eliminator {
    /// The code that takes the place of a derivative along a direction; its results become aliases.
    pub(crate) fn jvp(&mut self, _: Jvp) -> Result<Vec<AccLet<Labelled>>, AdError> {
        Err(AdError::Bug("forward mode is not there yet".to_owned()))
    }
}
