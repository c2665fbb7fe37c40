//! Going through all instructions of a body, those of its loops included.

use super::{Body, Inst, Load};
use crate::schedule::ArrayId;

impl Body {
    /// All instructions, each with the body whose values it names: a loop, then what it holds, then what follows it.
    pub fn walk(&self) -> impl Iterator<Item = (&Self, &Inst)> {
        Walk {
            body: self,
            at: 0,
            around: vec![],
        }
    }

    /// All loads, each with the body whose values it names.
    pub fn loads(&self) -> impl Iterator<Item = (&Self, &Load)> {
        let all = self.walk();
        all.filter_map(|(body, inst)| Some((body, inst.op.as_load()?)))
    }

    /// The arrays that this code reads, once per load.
    pub fn reads(&self) -> impl Iterator<Item = ArrayId> {
        self.loads().map(|(_, load)| load.array)
    }
}

struct Walk<'a> {
    body: &'a Body,
    at: usize,
    /// The bodies around, and where they go on.
    around: Vec<(&'a Body, usize)>,
}

impl<'a> Iterator for Walk<'a> {
    type Item = (&'a Body, &'a Inst);

    fn next(&mut self) -> Option<Self::Item> {
        let Some(inst) = self.body.insts.get(self.at) else {
            (self.body, self.at) = self.around.pop()?;
            return self.next();
        };
        let found = (self.body, inst);
        self.at += 1;
        if let Some(of) = inst.op.as_loop() {
            self.around.push((self.body, self.at));
            (self.body, self.at) = (&of.region.body, 0);
        }
        Some(found)
    }
}
