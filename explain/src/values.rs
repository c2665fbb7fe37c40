//! The values of symbols, as far as the extents of the inputs determine them: those that the host will compute,
//! by [`Prim::eval`](cotangent_core::prim::Prim::eval).

use crate::events::Event;
use cotangent_core::constant::Const;
use cotangent_core::schedule::{Body, Op, SymbolId, ValueId};

/// The value of each symbol; nothing where it is not known.
#[derive(Clone, Debug)]
pub(crate) struct Values(Vec<Option<Const>>);

impl Values {
    /// Nothing is known yet.
    pub(crate) fn new(symbols: usize) -> Self {
        Self(vec![None; symbols])
    }

    fn get(&self, symbol: SymbolId) -> Option<Const> {
        self.0[symbol.index()]
    }

    /// Gives extents the values of a shape.
    pub(crate) fn bind(&mut self, extents: &[SymbolId], shape: &[usize]) {
        for (symbol, &extent) in extents.iter().zip(shape) {
            self.0[symbol.index()] = i32::try_from(extent).ok().map(Const::I32);
        }
    }

    /// Learns what the host does before or after kernels.
    pub(crate) fn follow(&mut self, event: &Event<'_>) {
        match event {
            Event::Scalars(body, defines) => self.learn(body, defines),
            Event::Merge(symbols, cond) => self.merge(symbols, *cond),
            // All chunks of a strip together are its whole dimension.
            Event::Strip(strip) => self.0[strip.len.index()] = self.get(strip.over),
            Event::Kernel(..) | Event::Repeat(_) => {}
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
            self.0[symbol.index()] = found[value.index()];
        }
    }

    fn inst(&self, op: &Op, found: &[Option<Const>]) -> Option<Const> {
        match op {
            Op::Const(c) => Some(*c),
            Op::Symbol(symbol) => self.get(*symbol),
            Op::Prim(prim, operands) => {
                let operands = operands.iter().map(|v| found[v.index()]);
                prim.eval(&operands.collect::<Option<Vec<_>>>()?)
            }
            Op::Load(_) | Op::Loop(_) | Op::Out(..) | Op::Coord(_) | Op::Arg(_) => None,
        }
    }

    /// What a conditional defines: the value that both branches, or the one taken, give it.
    fn merge(&mut self, symbols: &[(SymbolId, SymbolId, SymbolId)], cond: SymbolId) {
        for &(merged, then_, else_) in symbols {
            let (x, y) = (self.get(then_), self.get(else_));
            self.0[merged.index()] = match self.truth(cond) {
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
        as_integer(self.get(symbol)?)
    }
}

pub(crate) fn as_integer(c: Const) -> Option<i128> {
    match c {
        Const::I32(i) => Some(i.into()),
        Const::I64(i) => Some(i.into()),
        Const::U32(i) => Some(i.into()),
        Const::Bool(_) | Const::F16(_) | Const::F32(_) | Const::F64(_) => None,
    }
}
