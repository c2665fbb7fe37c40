//! The rule of programs: parameters, what is said of inputs, and the body.

use super::error::ParseProblem;
use super::reader::{Parses, Reader};
use crate::label::Numbered;
use crate::term::{Alike, ParamAxis, Program};
use std::collections::BTreeMap;

impl<N: Numbered> Reader<'_, N> {
    /// A whole text.
    pub(super) fn program(&mut self) -> Parses<Program<N>> {
        self.demand("program")?;
        let params = self.list("(", ")", Self::arr_bind)?;
        self.bind_arrs(&params)?;
        let mut alike = Alike::default();
        let (uses, body) = self.braces(|r| {
            r.alike("params", &mut alike.params, Some(&mut alike.extents))?;
            let uses = r.hosts(r.host_source)?;
            r.alike("hosts", &mut alike.uses, None)?;
            Ok((uses, r.acc_lets()?))
        })?;
        if !self.at("") {
            return self.unexpected("the end of the text");
        }
        Ok(Program {
            params: params.into_iter().map(|(_, bind)| bind).collect(),
            uses,
            alike,
            body,
        })
    }

    /// Groups of inputs that have one shape, each named by its first member; and pairs of equal extents, where there may be any.
    fn alike(
        &mut self,
        what: &str,
        like: &mut BTreeMap<u32, u32>,
        mut extents: Option<&mut BTreeMap<ParamAxis, ParamAxis>>,
    ) -> Parses<()> {
        while self.at("alike") {
            self.tokens.take();
            if let Some(extents) = &mut extents
                && self.at("extents")
            {
                self.alike_extents(extents)?;
                continue;
            }
            self.demand(what)?;
            let first = self.position('#')?;
            self.demand(",")?;
            for other in
                self.separated(|r| Ok((r.tokens.peek().bytes.clone(), r.position('#')?)))?
            {
                let (at, other) = other;
                if like.insert(other, first).is_some() {
                    return Err(self.error(at, twice(other)));
                }
            }
        }
        Ok(())
    }

    /// A pair of equal extents, the first one first.
    fn alike_extents(&mut self, like: &mut BTreeMap<ParamAxis, ParamAxis>) -> Parses<()> {
        self.tokens.take();
        let first = self.param_axis()?;
        self.demand(",")?;
        let at = self.tokens.peek().bytes.clone();
        let other = self.param_axis()?;
        match like.insert(other, first) {
            Some(_) => Err(self.error(at, twice(other.param))),
            None => Ok(()),
        }
    }

    fn param_axis(&mut self) -> Parses<ParamAxis> {
        let param = self.position('#')?;
        let axis = self.number("a dimension", u32::MAX.into())? as u32;
        Ok(ParamAxis { param, axis })
    }
}

fn twice(position: u32) -> ParseProblem {
    ParseProblem::Unexpected {
        expected: "an input that is in no group yet".to_owned(),
        found: format!("`#{position}`"),
    }
}
