//! What is known about symbols: the extents of inputs, and what the host computes from them.
//!
//! A symbol that is a sum or product of other extents has that for its amount; any other stands for itself,
//! and its meaning can be asked for. Values are those that the host will compute (`values.rs`).

use crate::amount::{Amount, MAX_TERMS};
use crate::events::Event;
use crate::figure::Figure;
use crate::values::Values;
use crate::{ExplainError, Extent, Notes, trips};
use cotangent_core::prim::Prim;
use cotangent_core::schedule::{
    ArrayId, Body, Loop, Op, Repeat, Schedule, Step, Strip, SymbolId, ValueId, steps,
};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::ops::Range;

/// What is known about each symbol.
pub(crate) struct Extents<'a> {
    schedule: &'a Schedule,
    /// Whether the extents of the inputs are known.
    given: bool,
    names: Vec<String>,
    array_names: Vec<String>,
    amounts: Vec<Amount>,
    values: Values,
    meanings: Vec<Option<String>>,
    /// The number of loops so far.
    loops: usize,
    /// The symbols of loops in expressions whose trips are not known, by the address of the loop.
    unknown: HashMap<*const Loop, SymbolId>,
    /// The extents of inputs.
    inputs: HashSet<SymbolId>,
    /// Those that are equal although they are of different dimensions.
    pub(crate) assumes: Vec<String>,
}

/// Meanings longer than that are cut.
const MAX_MEANING: usize = 160;

impl<'a> Extents<'a> {
    pub(crate) fn new(
        schedule: &'a Schedule,
        notes: Notes<'_>,
        shapes: Option<&[Vec<usize>]>,
    ) -> Result<Self, ExplainError> {
        let mut extents = Self::unnamed(schedule);
        extents.given = shapes.is_some();
        extents.inputs(notes, shapes)?;
        Ok(extents)
    }

    /// What is known whatever the shapes of the inputs, which have no names.
    pub(crate) fn unnamed(schedule: &'a Schedule) -> Self {
        let unknown = trips::unknown(schedule);
        let own = unknown_symbols(schedule, unknown.len());
        let symbols = || (0..own.end.0).map(SymbolId);
        let mut extents = Self {
            schedule,
            given: false,
            names: symbols().map(|s| s.to_string()).collect(),
            array_names: (0..schedule.arrays.len() as u32)
                .map(|i| ArrayId(i).to_string())
                .collect(),
            amounts: symbols().map(Amount::symbol).collect(),
            values: Values::new(own.end.index()),
            meanings: symbols().map(|_| None).collect(),
            loops: 0,
            unknown: HashMap::new(),
            inputs: HashSet::new(),
            assumes: vec![],
        };
        for (number, unknown) in (0..).zip(unknown) {
            let symbol = SymbolId(own.start.0 + number);
            extents.names[symbol.index()] = format!("steps{}", number + 1);
            extents.meanings[symbol.index()] = Some(unknown.meaning);
            extents.unknown.insert(unknown.of, symbol);
        }
        for (i, (array, used)) in schedule.uses.iter().enumerate() {
            extents.bind(*array, &format!("use{i}"), Some(used.shape()));
        }
        extents
    }

    fn inputs(
        &mut self,
        notes: Notes<'_>,
        shapes: Option<&[Vec<usize>]>,
    ) -> Result<(), ExplainError> {
        let params = &self.schedule.params;
        let places = notes.places(params.len());
        let expected = places.last().map_or(0, |&(last, _)| last + 1);
        if let Some(given) = shapes.map(<[_]>::len).filter(|&n| n != expected) {
            return Err(ExplainError::ShapeCount { expected, given });
        }
        for (&array, (position, column)) in params.iter().zip(places) {
            let shape = shapes.map(|shapes| shapes[position].as_slice());
            let expected = self.schedule.arrays[array.index()].extents.len();
            if let Some(given) = shape.map(<[_]>::len).filter(|&n| n != expected) {
                return Err(ExplainError::Rank {
                    position,
                    expected,
                    given,
                });
            }
            if let Some(shape) = shape.filter(|s| s.iter().any(|&e| i32::try_from(e).is_err())) {
                let shape = shape.to_vec();
                return Err(ExplainError::Extent { position, shape });
            }
            let name = format!("x{position}");
            self.bind(array, &name, shape);
            if let Some(column) = column {
                self.array_names[array.index()] = format!("{name}:{column}");
                let first = params.iter().position(|&a| a == array).unwrap_or(0) - column;
                self.share(array, params[first]);
            }
        }
        Ok(())
    }

    /// Gives the extents of an array those of another, which are the same.
    fn share(&mut self, array: ArrayId, first: ArrayId) {
        let arrays = &self.schedule.arrays;
        let pairs = arrays[array.index()].extents.iter();
        for (symbol, same) in pairs.zip(&arrays[first.index()].extents) {
            self.amounts[symbol.index()] = Amount::symbol(*same);
        }
    }

    /// Learns what the host does before or after kernels.
    pub(crate) fn follow(&mut self, event: &Event<'_>) {
        // Meanings are made of what was known before.
        match event {
            Event::Scalars(body, defines) => self.learn(body, defines),
            Event::Merge(symbols, cond) => self.merge(symbols, *cond),
            // All chunks of a strip together are its whole dimension.
            Event::Strip(strip) => self.amounts[strip.len.index()] = self.amount(strip.over),
            Event::Repeat(repeat) => self.repeat(repeat),
            Event::Kernel(..) => {}
        }
        self.values.follow(event);
    }

    fn bind(&mut self, array: ArrayId, name: &str, shape: Option<&[usize]>) {
        self.array_names[array.index()] = name.to_owned();
        let decl = &self.schedule.arrays[array.index()];
        for (axis, symbol) in decl.extents.iter().enumerate() {
            let (known, own) = (&mut self.names[symbol.index()], format!("{name}.{axis}"));
            if !self.inputs.insert(*symbol) {
                if *known != own {
                    self.assumes.push(format!("{own} = {known}"));
                }
            } else {
                *known = own;
            }
        }
        if let Some(shape) = shape {
            self.values.bind(&decl.extents, shape);
        }
    }

    /// Learns what scalar code of the host defines.
    fn learn(&mut self, body: &Body, defines: &[(SymbolId, ValueId)]) {
        let mut found: Vec<Found> = vec![];
        for (_, inst) in body.iter() {
            let next = self.inst(&inst.op, &found);
            found.push(next);
        }
        for (symbol, value) in defines {
            let (i, found) = (symbol.index(), &found[value.index()]);
            if let Some(amount) = &found.amount {
                self.amounts[i] = amount.clone();
            }
            self.meanings[i] = Some(found.meaning.clone());
        }
    }

    fn inst(&self, op: &Op, found: &[Found]) -> Found {
        match op {
            Op::Const(c) => Found {
                amount: c.as_integer().map(Amount::constant),
                meaning: c
                    .as_integer()
                    .map_or_else(|| c.to_string(), |i| i.to_string()),
            },
            Op::Symbol(symbol) => Found {
                amount: Some(self.amount(*symbol)),
                meaning: self.amount(*symbol).formula(&|s| self.name(s)),
            },
            Op::Prim(prim, operands) => {
                let operands: Vec<_> = operands.iter().map(|v| &found[v.index()]).collect();
                applied(*prim, &operands)
            }
            Op::Load(load) => {
                let index = load.index.iter().map(|v| found[v.index()].meaning.as_str());
                let index: Vec<_> = index.collect();
                let meaning = format!("{}[{}]", self.array_name(load.array), index.join(", "));
                Found::opaque(meaning)
            }
            Op::Loop(_) => Found::opaque("the trips of a loop".to_owned()),
            Op::Out(..) => Found::opaque("what a loop gives".to_owned()),
            Op::Coord(_) | Op::Arg(_) => Found::opaque(String::new()),
        }
    }

    /// Learns what a conditional defines: what one branch or the other gives.
    fn merge(&mut self, symbols: &[(SymbolId, SymbolId, SymbolId)], cond: SymbolId) {
        for &(merged, then_, else_) in symbols {
            let (cond, x, y) = (self.name(cond), self.formula(then_), self.formula(else_));
            self.meanings[merged.index()] = Some(format!("{x} if {cond}, else {y}"));
        }
    }

    /// Names what a loop defines.
    fn repeat(&mut self, repeat: &Repeat) {
        let number = 1 + self.loops;
        self.loops = number;
        self.names[repeat.made.index()] = format!("trips{number}");
        self.meanings[repeat.made.index()] = Some(format!("trips that loop {number} makes"));
        self.names[repeat.number.index()] = format!("trip{number}");
        for carried in &repeat.symbols {
            let first = self.formula(carried.first);
            for symbol in [carried.inside, carried.last] {
                let meaning =
                    format!("{first} before loop {number}, then what its trips make of it");
                self.meanings[symbol.index()] = Some(meaning);
            }
        }
    }

    /// The trips of a loop in an expression of the schedule, which are not known.
    pub(crate) fn unknown_trips(&self, of: &Loop) -> Amount {
        let symbol = self.unknown.get(&std::ptr::from_ref(of));
        symbol.map_or(Amount::constant(1), |&symbol| Amount::symbol(symbol))
    }

    /// The symbols of all such trips.
    pub(crate) fn all_unknown(&self) -> Vec<SymbolId> {
        self.unknown.values().copied().collect()
    }

    /// Whether a condition holds, where that is known.
    pub(crate) fn truth(&self, cond: SymbolId) -> Option<bool> {
        self.values.truth(cond)
    }

    pub(crate) fn name(&self, symbol: SymbolId) -> String {
        self.names[symbol.index()].clone()
    }

    /// The name of an array as users see it.
    pub(crate) fn array_name(&self, array: ArrayId) -> String {
        self.array_names[array.index()].clone()
    }

    pub(crate) fn amount(&self, symbol: SymbolId) -> Amount {
        self.amounts[symbol.index()].clone()
    }

    /// An extent as a formula.
    pub(crate) fn formula(&self, symbol: SymbolId) -> String {
        self.amount(symbol).formula(&|s| self.name(s))
    }

    /// The product of some extents.
    pub(crate) fn product<'s>(&self, symbols: impl IntoIterator<Item = &'s SymbolId>) -> Amount {
        let one = Amount::constant(1);
        let extents = symbols.into_iter();
        extents.fold(one, |product, &s| product.times(&self.amount(s)))
    }

    /// The value of an extent, where it is known.
    pub(crate) fn value(&self, symbol: SymbolId) -> Option<i64> {
        let value = self.values.integer(symbol);
        value.and_then(|value| i64::try_from(value).ok())
    }

    /// The bytes that a thread needs inside of a strip, where all extents are known.
    pub(crate) fn inside(&self, strip: &Strip) -> Option<u64> {
        let arrays = &self.schedule.arrays;
        let inside = strip.made_inside().chain(strip.wholes());
        let mut extents = inside.flat_map(|array| &arrays[array.index()].extents);
        let known = extents.all(|&extent| self.value(extent).is_some());
        let symbol = |symbol: SymbolId| self.value(symbol).unwrap_or(0);
        (known && self.value(strip.over).is_some()).then(|| strip.bytes_per_thread(arrays, &symbol))
    }

    /// The size of an array.
    pub(crate) fn bytes(&self, array: ArrayId) -> Amount {
        let decl = &self.schedule.arrays[array.index()];
        let element = Amount::constant(decl.elem.bytes() as i128);
        self.product(&decl.extents).times(&element)
    }

    /// The amount as a number, or as a formula where the inputs' extents are not known.
    pub(crate) fn figure(&self, amount: &Amount) -> Figure {
        let value = |s: SymbolId| self.values.integer(s);
        match (amount.value(&value), self.given) {
            (Some(number), _) => Figure::of(number),
            (None, false) => Figure::Formula(amount.formula(&|s| self.name(s))),
            (None, true) => Figure::DependsOnData,
        }
    }

    /// The extents of a space, as formulas and figures.
    pub(crate) fn space(&self, symbols: &[SymbolId]) -> (Vec<String>, Vec<Figure>) {
        let formulas = symbols.iter().map(|&s| self.formula(s)).collect();
        let figures = symbols.iter().map(|&s| self.figure(&self.amount(s)));
        (formulas, figures.collect())
    }

    /// The extents that appear under a name of their own although the host computes them.
    pub(crate) fn meanings(&self) -> Vec<Extent> {
        let mut used = BTreeSet::new();
        for array in &self.schedule.arrays {
            used.extend(&array.extents);
        }
        spaces(&self.schedule.steps, &mut used);
        let repeats = steps::all(&self.schedule.steps).filter_map(Step::as_repeat);
        let trips: Vec<_> = repeats.map(Repeat::trips).collect();
        used.extend(&trips);
        used.extend(self.unknown.values());
        let own = |s: &&SymbolId| self.amounts[s.index()] == Amount::symbol(**s);
        let extents = used.into_iter().filter(own).filter_map(|&s| {
            let meaning = self.meanings[s.index()].clone()?;
            Some(Extent {
                name: self.name(s),
                meaning,
                value: self.figure(&self.amount(s)).number(),
            })
        });
        extents.collect()
    }
}

/// Symbols beyond those of a schedule.
fn unknown_symbols(schedule: &Schedule, count: usize) -> Range<SymbolId> {
    let first = schedule.symbols.len();
    SymbolId(first as u32)..SymbolId((first + count) as u32)
}

/// The extents of all kernels' spaces.
fn spaces<'a>(steps: &'a [Step], used: &mut BTreeSet<&'a SymbolId>) {
    for kernel in steps::all(steps).flat_map(Step::kernels) {
        used.extend(&kernel.space);
        used.extend(kernel.inner());
    }
}

/// What is known about a value of scalar code.
struct Found {
    amount: Option<Amount>,
    meaning: String,
}

impl Found {
    fn opaque(meaning: String) -> Self {
        Self {
            amount: None,
            meaning,
        }
    }
}

fn applied(prim: Prim, operands: &[&Found]) -> Found {
    let amounts: Option<Vec<_>> = operands.iter().map(|f| f.amount.clone()).collect();
    let meanings: Vec<_> = operands.iter().map(|f| f.meaning.as_str()).collect();
    let meaning = format!("{prim}({})", meanings.join(", "));
    Found {
        amount: amounts.and_then(|amounts| sum_or_product(prim, &amounts)),
        meaning: match meaning.chars().count() > MAX_MEANING {
            true => "…".into(),
            false => meaning,
        },
    }
}

fn sum_or_product(prim: Prim, amounts: &[Amount]) -> Option<Amount> {
    use Prim::*;
    let (x, y) = (amounts.first()?, amounts.last()?);
    let result = match prim {
        Add => x.plus(y),
        Sub => x.minus(y),
        Mul => x.times(y),
        Neg => Amount::default().minus(x),
        Min => Amount::least(amounts),
        Max => Amount::most(amounts),
        // Anything else gets a name of its own.
        Abs | Signum | Sqrt | Exp | ExpM1 | Ln | Ln1p | Sin | Cos | Tan | Asin | Acos | Atan
        | Sinh | Cosh | Tanh | Asinh | Acosh | Atanh | Floor | Ceil | Round | Trunc | IsNan
        | IsInfinite | Not | BitNot | Convert(_) | ToBits | FromBits | Div | Quot | Rem
        | DivFloor | ModFloor | Pow | Atan2 | Eq | Ne | Lt | Le | Gt | Ge | And | Or | BitAnd
        | BitOr | BitXor | Shl | Shr | MulAdd | Select => return None,
    };
    Some(result).filter(|amount| amount.len() <= MAX_TERMS)
}
