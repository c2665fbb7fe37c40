//! The values of symbols, as far as the extents of the inputs determine them: those that the host will compute,
//! by [`Prim::eval`](cotangent_core::prim::Prim::eval).
//!
//! What is selected by a condition that is not known is known where both alternatives are the same: the extent of what a loop
//! was given, or of what its trip before put out.
//!
//! What a loop carries is known where each trip gives it the value that it has before the first one.

use crate::events::{Event, events};
use cotangent_core::constant::Const;
use cotangent_core::prim::Prim;
use cotangent_core::schedule::{Body, Op, Repeat, SymbolId, ValueId};

/// The steps of loops in loops are gone through for each of them; in more than so many nothing is looked for.
const MAX_DEPTH: usize = 5;

/// The value of each symbol; nothing where it is not known.
#[derive(Clone, Debug)]
pub(crate) struct Values {
    known: Vec<Option<Const>>,
    /// In how many loops we are.
    depth: usize,
}

impl Values {
    /// Nothing is known yet.
    pub(crate) fn new(symbols: usize) -> Self {
        Self {
            known: vec![None; symbols],
            depth: 0,
        }
    }

    fn get(&self, symbol: SymbolId) -> Option<Const> {
        self.known[symbol.index()]
    }

    /// Gives extents the values of a shape.
    pub(crate) fn bind(&mut self, extents: &[SymbolId], shape: &[usize]) {
        for (symbol, &extent) in extents.iter().zip(shape) {
            self.known[symbol.index()] = i32::try_from(extent).ok().map(Const::I32);
        }
    }

    /// Learns what the host does before or after kernels.
    pub(crate) fn follow(&mut self, event: &Event<'_>) {
        match event {
            Event::Scalars(body, defines) => self.learn(body, defines),
            Event::Merge(symbols, cond) => self.merge(symbols, *cond),
            // All chunks of a strip together are its whole dimension.
            Event::Strip(strip) => self.known[strip.len.index()] = self.get(strip.over),
            Event::Repeat(repeat) => self.repeat(repeat),
            Event::Kernel(..) => {}
        }
    }

    /// What a loop carries that stays as it is before the first trip.
    fn repeat(&mut self, repeat: &Repeat) {
        let mut stays: Vec<_> = repeat.symbols.iter().collect();
        if self.depth == MAX_DEPTH {
            return;
        }
        loop {
            let mut trip = self.clone();
            trip.depth += 1;
            for carried in &stays {
                trip.known[carried.inside.index()] = self.get(carried.first);
            }
            for event in events(&repeat.body) {
                trip.follow(&event);
            }
            let before = stays.len();
            stays.retain(|c| {
                let first = self.get(c.first);
                first.is_some() && first == trip.get(c.next)
            });
            if stays.len() == before {
                break;
            }
        }
        for carried in stays {
            for symbol in [carried.inside, carried.last] {
                self.known[symbol.index()] = self.get(carried.first);
            }
        }
    }

    /// What scalar code of the host defines.
    fn learn(&mut self, body: &Body, defines: &[(SymbolId, ValueId)]) {
        let mut found: Vec<Option<Const>> = vec![];
        for (_, inst) in body.iter() {
            let value = self.inst(&inst.op, &found);
            found.push(value);
        }
        for (symbol, value) in defines {
            self.known[symbol.index()] = found[value.index()];
        }
    }

    fn inst(&self, op: &Op, found: &[Option<Const>]) -> Option<Const> {
        match op {
            Op::Const(c) => Some(*c),
            Op::Symbol(symbol) => self.get(*symbol),
            Op::Prim(prim, operands) => {
                let operands: Vec<_> = operands.iter().map(|v| found[v.index()]).collect();
                if let (Prim::Select, [None, x, y]) = (prim, &operands[..]) {
                    return x.filter(|_| x == y);
                }
                prim.eval(&operands.into_iter().collect::<Option<Vec<_>>>()?)
            }
            Op::Load(_) | Op::Loop(_) | Op::Out(..) | Op::Coord(_) | Op::Arg(_) => None,
        }
    }

    /// What a conditional defines: the value that both branches, or the one taken, give it.
    fn merge(&mut self, symbols: &[(SymbolId, SymbolId, SymbolId)], cond: SymbolId) {
        for &(merged, then_, else_) in symbols {
            let (x, y) = (self.get(then_), self.get(else_));
            self.known[merged.index()] = match self.truth(cond) {
                Some(true) => x,
                Some(false) => y,
                None => x.filter(|_| x == y),
            };
        }
    }

    /// Whether a condition holds, where that is known.
    pub(crate) fn truth(&self, cond: SymbolId) -> Option<bool> {
        self.get(cond)?.as_bool()
    }

    /// The value of an extent, where it is known.
    pub(crate) fn integer(&self, symbol: SymbolId) -> Option<i128> {
        self.get(symbol)?.as_integer()
    }
}
