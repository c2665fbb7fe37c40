//! Scatters: each point gives an *update*, which is an index into the target and values to combine with the elements there.
//!
//! Updates of one element are combined in the order of the points, which no invocation knows of another. There are two
//! ways. The slow one: a shader writes all updates to memory ([`Updates`]), and the host combines them. The fast one stays
//! on the device ([`Combining`]): by atomic functions where the order does not show, else by totals of parts if the target
//! has few elements, and by sorting if it has many.

mod atomic;
mod last;
mod segment;
mod sort;
mod table;

use crate::Shader;
use crate::body::{Text, name};
use crate::target::{Target, Unsupported};
use crate::types::{converted, of_sum};
use cotangent_core::prim::Prim;
use cotangent_core::schedule::{
    ArrayId, Body, Kernel, KernelKind, Output, Schedule, SymbolId, ValueId,
};
use cotangent_core::term::Combine;
use cotangent_core::types::ScalarType;
pub use last::Last;
pub use segment::{Adding, Ordered};
pub use sort::{DIGIT_BITS, Sorting};
pub use table::Table;

/// The index of a point without an update.
pub const NO_INDEX: u32 = u32::MAX;

/// The shaders of a scatter.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Scattering {
    /// The slow way, and the first shader of [`Combining::Ordered`].
    pub updates: Updates,
    /// The fast way.
    pub combining: Combining,
}

/// What computes the updates. Points are those of the kernel's space.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Updates {
    /// Leaves, for each point, the row-major index into the target as component 0, or [`NO_INDEX`], and the values as the
    /// components that follow, in the types of sums if they are added. An index out of range is a failure.
    pub shader: Shader,
    /// The types of the components: that of indices first.
    pub types: Vec<ScalarType>,
}

/// How updates are combined with the elements of the target.
#[derive(Clone, Debug)]
pub enum Combining {
    /// The last point wins.
    Last(Box<Last>),
    /// Values are added atomically, in one shader, whose points are those of the kernel's space: for integers, and for
    /// floats where they may be added in any order.
    Atomic(Box<Shader>),
    /// Values are added in an order that is the same each time.
    Ordered(Box<Ordered>),
}

/// A scatter, and what its text depends on.
struct Source<'a> {
    schedule: &'a Schedule,
    kernel: &'a Kernel,
    target: &'a Target,
    body: &'a Body,
    guard: ValueId,
    index: &'a [ValueId],
    combine: Combine,
    outputs: &'a [Output],
}

/// The shaders of a scatter.
///
/// # Errors
/// Where the kernel is of another form, and where the device lacks a type or a function.
pub fn scatter(
    schedule: &Schedule,
    kernel: &Kernel,
    target: &Target,
) -> Result<Scattering, Unsupported> {
    let source = Source::of(schedule, kernel, target)?;
    let combining = match source.combine {
        Combine::Overwrite => Combining::Last(Box::new(last::last(&source)?)),
        Combine::Add => match atomic::atomic(&source)? {
            Some(shader) => Combining::Atomic(Box::new(shader)),
            None => Combining::Ordered(Box::new(segment::ordered(&source))),
        },
    };
    Ok(Scattering {
        updates: updates(&source)?,
        combining,
    })
}

/// Does the update of `point`, before which the same invocation has done those of all points that come first.
///
/// # Errors
/// As of [`scatter`].
pub(crate) fn at_point(
    text: &mut Text,
    schedule: &Schedule,
    kernel: &Kernel,
) -> Result<(), Unsupported> {
    let target = *text.target();
    let source = Source::of(schedule, kernel, &target)?;
    source.update(text)?;
    text.line(&format!("if index != {NO_INDEX}u {{"));
    for &Output { value, array } in source.outputs {
        let (own, ty) = (name(value), source.body.type_of(value));
        let next = match source.combine {
            Combine::Overwrite => own,
            Combine::Add => {
                let old = text.element_value(array, "index");
                text.primitive(Prim::Add, ty, &[old, own])?
            }
        };
        text.store_variable(array, "index", &next);
    }
    text.line("}");
    Ok(())
}

fn updates(source: &Source) -> Result<Updates, Unsupported> {
    let mut text = source.text();
    source.update(&mut text)?;
    source.leave(&mut text);
    Ok(Updates {
        types: [ScalarType::I32]
            .into_iter()
            .chain(source.types().map(|ty| source.update_type(ty)))
            .collect(),
        shader: text.finish(),
    })
}

impl<'a> Source<'a> {
    fn of(
        schedule: &'a Schedule,
        kernel: &'a Kernel,
        target: &'a Target,
    ) -> Result<Self, Unsupported> {
        match &kernel.kind {
            KernelKind::Scatter {
                body,
                guard,
                target: index,
                site: _,
                combine,
                outputs,
            } => Ok(Self {
                schedule,
                kernel,
                target,
                body,
                guard: *guard,
                index,
                combine: *combine,
                outputs,
            }),
            KernelKind::Map { .. }
            | KernelKind::Reduce { .. }
            | KernelKind::Contract { .. }
            | KernelKind::Scan { .. }
            | KernelKind::Segments { .. }
            | KernelKind::Sort { .. } => Err(Unsupported::form(kernel)),
        }
    }

    /// A shader over points or parts.
    fn text(&self) -> Text<'a> {
        let mut text = Text::new(self.schedule, self.kernel, self.target);
        text.begin();
        text
    }

    /// The types of the values of updates.
    fn types(&self) -> impl Iterator<Item = ScalarType> + use<'a> {
        let body = self.body;
        self.outputs.iter().map(|output| body.type_of(output.value))
    }

    /// The type in which values of a type are left: that of their sums, if they are added up.
    fn update_type(&self, ty: ScalarType) -> ScalarType {
        match self.combine {
            Combine::Add => of_sum(ty),
            Combine::Overwrite => ty,
        }
    }

    /// The extents of the target.
    fn extents(&self) -> &'a [SymbolId] {
        let first = self.outputs.first();
        first.map_or(&[], |o| &self.schedule.arrays[o.array.index()].extents)
    }

    /// Declares `elements`, how many the target has.
    fn elements(&self, text: &mut Text) {
        let extents = self.extents().iter();
        let extents: Vec<_> = extents.map(|&s| text.extent(s)).collect();
        let product = match extents.is_empty() {
            true => "1u".to_owned(),
            false => extents.join(" * "),
        };
        text.line(&format!("let elements = {product};"));
    }

    /// The value of an element of an array that sums of a type are added to.
    fn element(&self, text: &mut Text, (array, ty): (ArrayId, ScalarType), at: &str) -> String {
        let element = text.element_value(array, at);
        converted(&element, self.elem(array), ty)
    }

    /// Stores such a sum.
    fn store(&self, text: &mut Text, (array, ty): (ArrayId, ScalarType), at: &str, sum: &str) {
        text.store_variable(array, at, &converted(sum, ty, self.elem(array)));
    }

    fn elem(&self, array: ArrayId) -> ScalarType {
        self.schedule.arrays[array.index()].elem
    }

    /// Declares the values of the body, and `index`, that of the update.
    fn update(&self, text: &mut Text) -> Result<(), Unsupported> {
        text.coordinates("point", 0, &self.kernel.space);
        let values = self.outputs.iter().map(|output| output.value);
        let roots = values.chain([self.guard]).chain(self.index.iter().copied());
        text.values(self.body, &roots.collect::<Vec<_>>())?;
        let extents = self.extents().iter();
        let extents: Vec<_> = extents.map(|&s| text.extent(s)).collect();
        let index: Vec<_> = self.index.iter().map(|&v| name(v)).collect();
        text.index(&name(self.guard), &index, &extents);
        Ok(())
    }

    /// Leaves the update to another shader.
    fn leave(&self, text: &mut Text) {
        text.leave(0, ScalarType::I32, "point", "bitcast<i32>(index)");
        for (n, output) in self.outputs.iter().enumerate() {
            let ty = self.body.type_of(output.value);
            let value = converted(&name(output.value), ty, self.update_type(ty));
            text.leave(n + 1, self.update_type(ty), "point", &value);
        }
    }
}
