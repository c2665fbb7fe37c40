//! The rules of strips.

use super::{Checker, Result, array_decl, rule, same_type, symbol_type};
use crate::schedule::strip::{Part, Strip, Total};
use crate::schedule::{ArrayId, KernelKind, Layout};
use crate::types::ScalarType;

impl<'a> Checker<'a> {
    /// Checks the kernels in a scope of their own, and defines what the strip hands on.
    pub(super) fn strip(&mut self, strip: &'a Strip) -> Result<()> {
        let Strip {
            over,
            start,
            len,
            kernels,
            parts,
            totals,
        } = strip;
        self.extents(&[*over])?;
        let before = self.defined.clone();
        for &symbol in [start, len] {
            same_type(symbol, ScalarType::I32, symbol_type(self.schedule, symbol)?)?;
            self.defined.define_symbol(symbol)?;
        }
        for kernel in kernels {
            let scatters = matches!(kernel.kind, KernelKind::Scatter { .. });
            rule(!scatters, || "a strip scatters".into())?;
            self.kernel(kernel)?;
        }
        for array in strip.made_inside() {
            self.own(array)?;
        }
        parts.iter().try_for_each(|part| self.part(part, strip))?;
        totals
            .iter()
            .try_for_each(|total| self.total(total, strip))?;
        self.defined = before;
        for array in strip.wholes() {
            let extents = array_decl(self.schedule, array)?.extents.clone();
            self.extents(&extents)?;
            self.defined.define_array(array)?;
        }
        Ok(())
    }

    fn own(&self, array: ArrayId) -> Result<()> {
        let own = array_decl(self.schedule, array)?.layout == Layout::Own;
        rule(own, || format!("{array} is made in a strip and a view"))
    }

    fn part(&self, Part { whole, part }: &Part, strip: &Strip) -> Result<()> {
        let extents = |array: ArrayId| Ok(array_decl(self.schedule, array)?.extents.as_slice());
        let (outside, inside) = (extents(*whole)?, extents(*part)?);
        let both = outside.split_first().zip(inside.split_first());
        let cut = both.is_some_and(|((over, rest), (len, others))| {
            (over, len) == (&strip.over, &strip.len) && rest == others
        });
        rule(cut, || format!("{part} is no chunk of {whole}"))?;
        self.handed_on(*whole, *part, strip)
    }

    fn total(&self, total: &Total, strip: &Strip) -> Result<()> {
        let Total {
            operator,
            init,
            arrays,
        } = total;
        let outputs: Vec<_> = arrays.iter().map(|part| part.part).collect();
        self.operator(operator, init.as_deref(), &outputs)?;
        let first = arrays.first().map(|part| part.whole);
        for Part { whole, part } in arrays {
            self.handed_on(*whole, *part, strip)?;
            let extents = &array_decl(self.schedule, *whole)?.extents;
            let same = *extents == array_decl(self.schedule, *part)?.extents;
            let alike = match first {
                Some(first) => *extents == array_decl(self.schedule, first)?.extents,
                None => true,
            };
            rule(same && alike, || {
                format!("{part} has not the extents of {whole}")
            })?;
        }
        Ok(())
    }

    /// Requires that `part` is made inside, by one kernel, and can stand for elements of `whole`.
    fn handed_on(&self, whole: ArrayId, part: ArrayId, strip: &Strip) -> Result<()> {
        let made = strip.made_inside().any(|array| array == part);
        rule(made, || format!("{part} is not made in the strip"))?;
        let decl = |array| array_decl(self.schedule, array);
        same_type(
            format!("{part}, part of {whole},"),
            decl(whole)?.elem,
            decl(part)?.elem,
        )
    }
}
