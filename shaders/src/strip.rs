//! What comes of the chunks of a strip: rows of arrays and sums outside, which may be views.

use crate::Shader;
use crate::body::Text;
use crate::target::{Target, Unsupported};
use crate::{Parameter, combine};
use cotangent_core::backend::Site;
use cotangent_core::schedule::{ArrayId, Part, Schedule, Strip, SymbolId, Total};

/// The shaders of a total.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Totalling {
    /// For each component, if there is an initial value: makes every element that. Points are elements.
    pub fill: Option<Vec<Shader>>,
    /// For each component: makes the total the contribution. Points are elements.
    pub first: Vec<Shader>,
    /// Adds a contribution to the total. Points are elements. None for a strip without kernels, which has none.
    pub more: Option<Shader>,
}

/// The shaders of a total of a strip.
///
/// # Errors
/// Where the device lacks a type or a function.
pub fn total(
    schedule: &Schedule,
    (strip, total): (&Strip, &Total),
    target: &Target,
) -> Result<Totalling, Unsupported> {
    let wholes = total.arrays.iter().map(|part| part.whole);
    let fill = total.init.as_ref().map(|init| {
        let components = wholes.zip(init);
        let fill = |(whole, &init)| filled(schedule, whole, init, target);
        components.map(fill).collect()
    });
    let first = total.arrays.iter();
    Ok(Totalling {
        fill,
        first: first.map(|part| hand_on(schedule, part, target)).collect(),
        more: combine(schedule, (strip, total), target)?,
    })
}

/// The shader that copies what a chunk made to where it belongs, from the position that `Inner` says on. Points are
/// elements of the chunk.
pub fn hand_on(schedule: &Schedule, part: &Part, target: &Target) -> Shader {
    let mut text = begin(schedule, part.whole, target);
    let value = text.element_value(part.part, "point");
    text.line(&format!("let value = {value};"));
    let position = format!("{} + point", text.word(Parameter::Inner));
    text.store_variable(part.whole, &position, "value");
    text.finish()
}

/// The shader that makes every element the value of a symbol.
fn filled(schedule: &Schedule, array: ArrayId, value: SymbolId, target: &Target) -> Shader {
    let mut text = begin(schedule, array, target);
    let value = text.symbol(value);
    text.line(&format!("let value = {value};"));
    text.store_variable(array, "point", "value");
    text.finish()
}

fn begin<'a>(schedule: &'a Schedule, array: ArrayId, target: &'a Target) -> Text<'a> {
    let site: Site = schedule.sites[schedule.arrays[array.index()].site.index()];
    let mut text = Text::of(schedule, site, target);
    text.begin();
    text
}
