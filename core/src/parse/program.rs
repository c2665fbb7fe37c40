//! The rule of programs: parameters, what is said of inputs, and the body.

use super::error::ParseProblem;
use super::reader::{Parses, Reader};
use crate::label::Numbered;
use crate::term::{Alike, Program};
use std::collections::BTreeMap;

impl<N: Numbered> Reader<'_, N> {
    /// A whole text.
    pub(super) fn program(&mut self) -> Parses<Program<N>> {
        self.demand("program")?;
        let params = self.list("(", ")", Self::arr_bind)?;
        self.bind_arrs(&params)?;
        let mut alike = Alike::default();
        let (uses, body) = self.braces(|r| {
            r.alike("params", &mut alike.params)?;
            let uses = r.hosts(r.host_source)?;
            r.alike("hosts", &mut alike.uses)?;
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

    /// Groups of inputs that have one shape, each named by its first member.
    fn alike(&mut self, what: &str, like: &mut BTreeMap<u32, u32>) -> Parses<()> {
        while self.at("alike") {
            self.tokens.take();
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
}

fn twice(position: u32) -> ParseProblem {
    ParseProblem::Unexpected {
        expected: "an input that is in no group yet".to_owned(),
        found: format!("`#{position}`"),
    }
}
