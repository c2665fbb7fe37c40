//! Generated programs: well-typed, of the whole language, with inputs that they run on.
//!
//! [`Case`] implements quickcheck's [`Arbitrary`]: [`Arbitrary::arbitrary`] makes a program and its inputs,
//! which depend on the state of the generator only; [`Arbitrary::shrink`] gives smaller ones. What is made
//! is comparable between engines (Notes [Exact values] and [Bounded values] in `scalars.rs`).
//!
//! Where things are: `scalars`, `nested` and `loops` make functions, `arrays`, `moves`, `collective`, `control` and
//! `aloops` array code, `custom` derivatives by decree, `operators` what is folded with, `inputs` host arrays; `faults` has programs fail; `shrink` makes cases smaller; `statistics`
//! says what is generated.

mod aloops;
mod arrays;
mod collective;
mod control;
mod custom;
mod faults;
mod inputs;
pub mod large;
mod loops;
mod moves;
mod nested;
mod operators;
mod random;
mod scalars;
mod scope;
mod shrink;
mod statistics;

pub(crate) use random::Random;
pub use statistics::Statistics;

use arrays::Arrays;
use cotangent_core::analysis::equal_extents::equal_extents;
use cotangent_core::build::{AccBuilder, Arr};
use cotangent_core::deep::with_deep_stack;
use cotangent_core::host::HostArray;
use cotangent_core::term::{ArrId, Labelled, ParamAxis, Program};
use quickcheck::{Arbitrary, Gen};
use std::collections::HashSet;
use std::fmt;

/// The size of cases from seeds.
const SIZE: usize = 20;

/// How many results a program may have, about.
const MAX_RESULTS: usize = 6;

/// A program and one array per parameter.
#[derive(Clone)]
pub struct Case {
    /// A checked program.
    pub program: Program<Labelled>,
    /// Its inputs.
    pub inputs: Vec<HostArray>,
}

impl Case {
    /// The case of that seed.
    pub fn from_seed(seed: u64) -> Self {
        Self::arbitrary(&mut Gen::from_size_and_seed(SIZE, seed))
    }

    /// The smooth case of that seed: as bounded as what is inside of gradients, see Note [Bounded values] in
    /// `scalars.rs`. Its float inputs are small numbers of many digits, so that it is improbable that the
    /// program is not smooth right there, but for ties: some arrays have few different elements.
    pub fn smooth_from_seed(seed: u64) -> Self {
        let mut random = Random::new(&mut Gen::from_size_and_seed(SIZE, seed));
        with_deep_stack(|| generate(&mut random, SIZE, true))
    }
}

impl fmt::Debug for Case {
    /// The text of the program, then the inputs and the host arrays it uses.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.program)?;
        for (param, input) in self.program.params.iter().zip(&self.inputs) {
            writeln!(f, "input {} = {}", param.name, literal(input))?;
        }
        for (position, array) in self.program.uses.iter().enumerate() {
            writeln!(f, "host #{position} = {}", literal(array))?;
        }
        Ok(())
    }
}

/// An array as text: its extents and elements.
pub fn literal(array: &HostArray) -> String {
    let column = array.column();
    let elements = (0..column.len()).filter_map(|i| column.get(i));
    let elements: Vec<_> = elements.map(|c| c.to_string()).collect();
    format!("{:?} [{}]", array.shape(), elements.join(", "))
}

impl Arbitrary for Case {
    fn arbitrary(g: &mut Gen) -> Self {
        let size = g.size().max(4);
        let mut random = Random::new(g);
        with_deep_stack(|| generate(&mut random, size, false))
    }

    fn shrink(&self) -> Box<dyn Iterator<Item = Self>> {
        shrink::candidates(self)
    }
}

/// A program of up to half as many operations as `size` says.
fn generate(random: &mut Random, size: usize, smooth: bool) -> Case {
    let params = random.between(1, 3);
    let count = random.between(3, size / 2);
    let mut a = Arrays::new(random, smooth);
    a.params(params);
    let (params, inputs): (Vec<_>, Vec<_>) = a
        .scope
        .iter()
        .map(|k| (k.arr.clone(), k.value.clone()))
        .unzip();
    a.grow(count);
    let mut body = std::mem::replace(&mut a.b, AccBuilder::new(0)).finish(&[]);
    let used: HashSet<_> = body.reads().collect();
    body.results = a
        .program_results(params.len(), &used)
        .iter()
        .map(|arr| arr.name)
        .collect();
    let assumes = a.random.chance(50);
    let Arrays { uses, alike, .. } = a;
    let program = Program {
        params,
        uses,
        alike,
        body,
    };
    let mut case = Case { program, inputs };
    if assumes {
        case.assume();
    }
    case
}

impl Case {
    /// Has the program say which extents of its inputs are equal, of those that meet in it, as compilation does.
    fn assume(&mut self) {
        let mut extents = equal_extents(&self.program);
        let extent = |side: &ParamAxis| {
            let input = self.inputs.get(side.param as usize)?;
            input.shape().get(side.axis as usize)
        };
        extents.retain(|side, first| extent(side) == extent(first));
        self.program.alike.extents = extents;
    }
}

impl Arrays<'_> {
    /// The arrays that nothing else uses, and one more; of smooth programs, all floats.
    fn program_results(&mut self, params: usize, used: &HashSet<ArrId>) -> Vec<Arr> {
        let made = self.scope.iter().skip(params).map(|k| &k.arr).rev();
        if self.smooth {
            return made.filter(|arr| arr.ty.elem.is_float()).cloned().collect();
        }
        let unused = made.filter(|arr| !used.contains(&arr.name));
        let mut results: Vec<_> = unused.take(MAX_RESULTS).cloned().collect();
        results.retain(|_| !self.careless || self.random.chance(70));
        results.extend(self.some(|_| true).map(|k| k.arr));
        results
    }
}
