//! Finds out which elements of a Jacobian may differ from zero.
//!
//! A program runs as usual, on numbers that know which elements of the inputs they depend on (`dependence.rs`): the result of a
//! primitive depends on all that its operands depend on, unless the partial derivative is zero everywhere. Whatever decides what
//! is computed (conditions, indices, numbers of trips) passes nothing on, so the pattern is that of the control flow at the inputs
//! given, and of what a selection picks there. Derivatives inside of the program are dual numbers made of such numbers, by the conventions of `partial.rs`.
//!
//! What has a derivative by decree depends on what its rules say. A rule is linear: it runs once on tangents, or cotangents, each of which is
//! marked as one more element, and its results tell which marks come to them.

use super::array::Array;
use super::custom::fitted;
use super::dependence::{Dependence, Dependences, Reader};
use super::program::Interpreter;
use super::value::{Level, Value, union};
use super::{bug, check_inputs, results_of};
use crate::backend::RunError;
use crate::constant::Const;
use crate::deep::with_deep_stack;
use crate::host::HostArray;
use crate::term::{AccClosure, Labelled, Program, Rules};

/// The level that rules run inside of: nothing of what they read has derivatives.
const OUTERMOST: Level = 1;

/// For each element of the results those elements of the inputs, in ascending order, by which its derivatives may differ from zero.
///
/// Elements are counted from 0 over all results, and over all inputs, each in row-major order. Those that are no floats have no derivatives.
///
/// ```
/// use cotangent_core::build::AccBuilder;
/// use cotangent_core::host::HostArray;
/// use cotangent_core::interp::dependences;
/// use cotangent_core::prim::Prim;
/// use cotangent_core::term::{Fun, Program};
/// use cotangent_core::types::{ArrayType, ScalarType};
///
/// let mut b = AccBuilder::new(0);
/// let vector = ArrayType::new(ScalarType::F64, 1);
/// let (x, y) = (b.fresh(vector), b.fresh(vector));
/// let z = b.map(Fun::prim(Prim::Mul, &[ScalarType::F64; 2]), &[x.clone(), y.clone()]);
/// let program = Program {
///     params: vec![x, y],
///     uses: vec![],
///     alike: Default::default(),
///     body: b.finish(&z),
/// };
/// let input = HostArray::new(vec![2], vec![0.0, 0.0].into())?;
/// assert_eq!(dependences(&program, &[input.clone(), input])?, [[0, 2], [1, 3]]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Time: that of a run, and for each element of the results that of the operations that it was made by, as far as they had more
/// than a few elements to do with.
///
/// # Errors
/// As for [`run`](super::run), and where a rule of a derivative fails.
pub fn dependences(
    program: &Program<Labelled>,
    inputs: &[HostArray],
) -> Result<Vec<Vec<usize>>, RunError> {
    check_inputs(program, inputs)?;
    with_deep_stack(|| {
        let (all, mut arguments) = (Dependences::default(), vec![]);
        for input in inputs {
            let input = Array::from_host(input)?;
            let first = all.more(input.elements().len());
            arguments.push(input.with_elements(|(i, x)| Ok(marked(x, &all, first + i)))?);
        }
        let results = results_of(program, arguments, 0)?;
        let mut reader = Reader::default();
        let elements = results.iter().flat_map(Array::elements);
        let members = elements.map(|y| match y.dependence() {
            Some(on) => reader.members(on),
            None => vec![],
        });
        Ok(members.collect())
    })
}

/// The number as one that depends on an element, if it is a float.
fn marked(x: &Value, all: &Dependences, element: usize) -> Value {
    Value::traced(x.constant(), Some(all.single(element)))
}

impl<'p> Interpreter<'p> {
    /// The values of a function with rules, without derivatives: they depend on the inputs as the rules say.
    pub(super) fn traced_by_rules(
        &mut self,
        rules: &'p Rules<AccClosure<Labelled>>,
        values: &[Array],
        inputs: &[Array],
    ) -> Result<Vec<Array>, RunError> {
        let plain = |(_, y): (usize, &Value)| Ok(Value::Plain(y.constant()));
        let values = values.iter().map(|y| y.with_elements(plain));
        let values = values.collect::<Result<Vec<_>, _>>()?;
        let mut sets = inputs.iter().flat_map(Array::elements);
        let Some(all) = sets.find_map(Value::dependence).map(Dependence::all) else {
            return Ok(values);
        };
        let on = match (rules.jvp(), rules.vjp()) {
            (Some(jvp), _) => self.traced_forwards(jvp, all, &values, inputs)?,
            (None, Some(vjp)) => self.traced_backwards(vjp, all, &values, inputs)?,
            (None, None) => return Err(bug("no rule")),
        };
        let mut on = on.into_iter();
        let depending = values.iter().map(|y| {
            y.with_elements(|(_, y)| Ok(Value::traced(y.constant(), on.next().flatten())))
        });
        depending.collect()
    }

    /// What each element of the values depends on, by the rule of forward mode.
    fn traced_forwards(
        &mut self,
        jvp: &'p AccClosure<Labelled>,
        all: &Dependences,
        values: &[Array],
        inputs: &[Array],
    ) -> Result<Vec<Option<Dependence>>, RunError> {
        let (tangents, first) = marks(all, inputs)?;
        let made = self.rule(jvp, OUTERMOST, [values, &tangents].concat())?;
        let sets: Vec<_> = inputs.iter().flat_map(Array::elements).collect();
        let (mut reader, mut on) = (Reader::default(), vec![]);
        for (y, y_tan) in values.iter().zip(&made) {
            for y_tan in fitted(y_tan, y)?.elements() {
                let marks = marks_of(y_tan, &mut reader, first, sets.len());
                on.push(union(marks.filter_map(|j| sets[j].dependence())));
            }
        }
        Ok(on)
    }

    /// What each element of the values depends on, by the rule of reverse mode.
    fn traced_backwards(
        &mut self,
        vjp: &'p AccClosure<Labelled>,
        all: &Dependences,
        values: &[Array],
        inputs: &[Array],
    ) -> Result<Vec<Option<Dependence>>, RunError> {
        let (cotangents, first) = marks(all, values)?;
        let made = self.rule(vjp, OUTERMOST, [values, &cotangents].concat())?;
        let mut on = vec![None; values.iter().map(|y| y.elements().len()).sum()];
        let mut reader = Reader::default();
        for (x, x_adj) in inputs.iter().zip(&made) {
            for (x, x_adj) in x.elements().iter().zip(fitted(x_adj, x)?.elements()) {
                for i in marks_of(x_adj, &mut reader, first, on.len()) {
                    on[i] = union(on[i].iter().chain(x.dependence()));
                }
            }
        }
        Ok(on)
    }
}

/// Tangents for arrays, each element of which is marked as one more element; the number of the first one.
fn marks(all: &Dependences, arrays: &[Array]) -> Result<(Vec<Array>, usize), RunError> {
    let first = all.more(arrays.iter().map(|x| x.elements().len()).sum());
    let (mut tangents, mut next) = (vec![], first);
    for x in arrays {
        let elem = x.array_type().elem;
        let one = Value::Plain(Const::small(elem, i32::from(elem.is_float())));
        tangents.push(x.with_elements(|(i, _)| Ok(marked(&one, all, next + i)))?);
        next += x.elements().len();
    }
    Ok((tangents, first))
}

/// Which of `count` marks come to a number, counted from the first one.
fn marks_of(
    x: &Value,
    reader: &mut Reader,
    first: usize,
    count: usize,
) -> impl Iterator<Item = usize> + use<> {
    let members = x.dependence().map(|on| reader.members(on));
    let members = members.unwrap_or_default().into_iter();
    members.filter_map(move |member| member.checked_sub(first).filter(|&mark| mark < count))
}
