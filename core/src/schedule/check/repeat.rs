//! Loops of steps are well-formed.

use super::{Checker, Result, array_decl, rule, same_type, site, symbol_type};
use crate::schedule::{ArrayId, Carried, Layout, Repeat, SymbolId};
use crate::types::ScalarType::{self, Bool, I32};

impl<'a> Checker<'a> {
    pub(super) fn repeat(&mut self, repeat: &'a Repeat, path: &str) -> Result<()> {
        repeat.site.map_or(Ok(()), |id| site(self.schedule, id))?;
        self.needed(repeat.most, I32)?;
        for carried in &repeat.symbols {
            self.needed(carried.first, I32)?;
        }
        for carried in &repeat.arrays {
            self.defined.need_array(carried.first)?;
            self.carried(repeat, carried)?;
        }
        let outside = self.defined.clone();
        self.given(repeat)?;
        if let Some((steps, holds)) = &repeat.test {
            let before = self.defined.clone();
            self.steps(steps, &format!("{path}.test."))?;
            self.needed(*holds, Bool)?;
            self.defined = before;
        }
        self.steps(&repeat.body, &format!("{path}.body."))?;
        self.place = format!("step {path} (carried)");
        for carried in &repeat.symbols {
            self.needed(carried.next, I32)?;
        }
        for carried in &repeat.arrays {
            self.defined.need_array(carried.next)?;
        }
        self.defined = outside;
        self.defined.define_symbol(repeat.made)?;
        let last = repeat.symbols.iter().map(|c| c.last);
        last.into_iter()
            .try_for_each(|symbol| self.defined.define_symbol(symbol))?;
        self.define_all(repeat.arrays.iter().map(|c| c.last))
    }

    /// Defines what the lists see.
    fn given(&mut self, repeat: &Repeat) -> Result<()> {
        for symbol in [repeat.number, repeat.made] {
            same_type(symbol, I32, symbol_type(self.schedule, symbol)?)?;
        }
        self.defined.define_symbol(repeat.number)?;
        for carried in &repeat.symbols {
            self.defined.define_symbol(carried.inside)?;
        }
        repeat.arrays.iter().try_for_each(|carried| {
            self.extents(&array_decl(self.schedule, carried.inside)?.extents)?;
            self.defined.define_carried(carried.inside)
        })
    }

    fn define_all(&mut self, arrays: impl Iterator<Item = ArrayId>) -> Result<()> {
        for array in arrays {
            self.extents(&array_decl(self.schedule, array)?.extents)?;
            self.defined.define_array(array)?;
        }
        Ok(())
    }

    fn needed(&self, symbol: SymbolId, ty: ScalarType) -> Result<()> {
        self.defined.need_symbol(symbol)?;
        same_type(symbol, ty, symbol_type(self.schedule, symbol)?)
    }

    /// What is carried is of one type and rank, and its extents change as those that are carried do.
    fn carried(&self, repeat: &Repeat, carried: &Carried<ArrayId>) -> Result<()> {
        let s = self.schedule;
        let Carried {
            first,
            inside,
            next,
            last,
        } = *carried;
        let decl = |array| array_decl(s, array);
        let expected = decl(inside)?.array_type();
        for array in [first, inside, next, last] {
            rule(decl(array)?.layout == Layout::Own, || {
                format!("{array} is carried and a view")
            })?;
            same_type(array, expected, decl(array)?.array_type())?;
        }
        for axis in 0..expected.rank {
            let [first, inside, next, last] =
                [decl(first)?, decl(inside)?, decl(next)?, decl(last)?].map(|d| d.extents[axis]);
            let is_same = [first, next, last].iter().all(|&extent| extent == inside);
            let together = Carried {
                first,
                inside,
                next,
                last,
            };
            rule(is_same || repeat.symbols.contains(&together), || {
                format!("the extents of {} are not carried with it", carried.inside)
            })?;
        }
        Ok(())
    }
}
