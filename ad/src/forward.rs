//! Derivatives of array code along one direction: `jvp_a` becomes the code of its body with tangents.

use crate::acc::{Forward, fitted};
use crate::error::AdError;
use crate::exp::Form;
use crate::gradient::Eliminator;
use crate::rename::renaming;
use cotangent_core::build::Arr;
use cotangent_core::term::{AccBlock, AccLet, ArrBind, ArrId, Labelled};

/// The parts of a derivative along a direction; there is no other derivative in its body.
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
    pub(crate) fn jvp(&mut self, jvp: Jvp) -> Result<Vec<AccLet<Labelled>>, AdError> {
        let Jvp {
            binds,
            params,
            mut body,
            args,
        } = jvp;
        let (point, tangents) = args.split_at(params.len());
        self.b.open();
        let pairs = params.iter().zip(point.iter().zip(tangents));
        let tangents = pairs.map(|(p, (&x, &tangent))| {
            let point = Arr::new(x, p.ty);
            fitted(&mut self.b, &self.shapes, &point, tangent).name
        });
        let tangents: Vec<ArrId> = tangents.collect();
        let mut lets = self.b.close(&[]).lets;
        let form = Form::of(self.depth > 0);
        let mut forward = Forward::new(&mut self.b, form, &mut self.types, &mut self.shapes);
        let tangents = forward.results(&params, &tangents, &mut body)?;
        let names = params.iter().map(|p| p.name).zip(point.iter().copied());
        body.rename(&renaming(&names.collect()));
        let names = binds.iter().map(|b| b.name);
        let results = body.results.iter().copied().chain(tangents);
        self.aliases.extend(names.zip(results));
        lets.extend(body.lets);
        self.note(&lets);
        Ok(lets)
    }
}
