//! Steps in the order of their needs, and the symbols they use.
//!
//! Values of the host become symbols on demand. Those that depend on the inputs' extents alone (they are
//! total and cheap) are computed by one step before all others. Those that depend on elements of arrays, or
//! on what an `If` merged, are computed just before the step that needs them, once in each branch that is
//! entered.

use crate::code::{CodeId, Codes, HOST, HostValue};
use cotangent_core::schedule::{ArrayId, Body, Op, Step, SymbolId, ValueId};
use cotangent_core::types::ScalarType;
use std::collections::{BTreeSet, HashMap, HashSet};

/// Where the host computes a value.
#[derive(Clone, Copy, Debug)]
struct Computed {
    step: usize,
    value: ValueId,
    symbol: Option<SymbolId>,
}

/// A list of steps under construction.
#[derive(Debug, Default)]
struct Scope {
    steps: Vec<Step>,
    computed: HashMap<HostValue, Computed>,
    /// Whether the last step is scalar code that more may be added to.
    open: bool,
}

/// All lists of steps under construction, the innermost last, and the table of symbols.
#[derive(Debug)]
pub(crate) struct Steps {
    scopes: Vec<Scope>,
    symbols: Vec<ScalarType>,
    /// Pure values and their symbols, in order of demand.
    prelude: Vec<(HostValue, SymbolId)>,
    known: HashMap<HostValue, SymbolId>,
}

impl Steps {
    pub(crate) fn new() -> Self {
        Self {
            scopes: vec![Scope::default()],
            symbols: vec![],
            prelude: vec![],
            known: HashMap::new(),
        }
    }

    /// A new symbol.
    pub(crate) fn symbol(&mut self, ty: ScalarType) -> SymbolId {
        self.symbols.push(ty);
        SymbolId(self.symbols.len() as u32 - 1)
    }

    /// The number of branches around the current step.
    pub(crate) fn depth(&self) -> usize {
        self.scopes.len()
    }

    /// Begins a branch.
    pub(crate) fn enter(&mut self) {
        self.scopes.push(Scope::default());
    }

    /// Ends the branch begun last and gives its steps.
    pub(crate) fn leave(&mut self) -> Vec<Step> {
        self.scopes.pop().map_or(vec![], |scope| scope.steps)
    }

    /// Appends a step.
    pub(crate) fn push(&mut self, step: Step) {
        let scope = self.innermost();
        scope.steps.push(step);
        scope.open = false;
    }

    fn innermost(&mut self) -> &mut Scope {
        if self.scopes.is_empty() {
            self.scopes.push(Scope::default());
        }
        let last = self.scopes.len() - 1;
        &mut self.scopes[last]
    }

    /// All steps and the types of all symbols.
    pub(crate) fn finish(mut self, codes: &Codes) -> (Vec<Step>, Vec<ScalarType>) {
        let mut prelude = Translation::default();
        let prelude_values = std::mem::take(&mut self.prelude);
        let defines: Vec<_> = prelude_values
            .iter()
            .map(|&(value, symbol)| (symbol, prelude.pure_value(codes, value.0)))
            .collect();
        let steps = self.leave();
        let first = (!defines.is_empty()).then_some(Step::Scalars {
            body: prelude.body,
            defines,
        });
        (first.into_iter().chain(steps).collect(), self.symbols)
    }

    /// The arrays that must be finished before `value` can be computed here.
    pub(crate) fn loads_of(&self, codes: &Codes, value: HostValue) -> Vec<ArrayId> {
        let (mut arrays, mut seen, mut todo) = (vec![], HashSet::new(), vec![value]);
        while let Some(value) = todo.pop() {
            let done = codes.is_pure(value) || self.find(value).is_some() || !seen.insert(value);
            if !done {
                let op = codes.op(HOST, value.0);
                arrays.extend(op.reads());
                todo.extend(op.operands().into_iter().map(HostValue));
            }
        }
        arrays
    }

    /// Where a value is computed already.
    fn find(&self, value: HostValue) -> Option<(usize, Computed)> {
        let depths = (0..self.scopes.len()).rev();
        depths
            .filter_map(|d| self.scopes[d].computed.get(&value).map(|c| (d, *c)))
            .next()
    }

    /// The symbol of a value; the arrays it is computed from are finished.
    pub(crate) fn demand(&mut self, codes: &Codes, value: HostValue) -> SymbolId {
        if let Op::Symbol(symbol) = codes.op(HOST, value.0) {
            return *symbol;
        }
        if codes.is_pure(value) {
            return self.demand_pure(codes, value);
        }
        let (depth, computed) = match self.find(value) {
            Some(found) => found,
            None => self.compute(codes, value),
        };
        computed.symbol.unwrap_or_else(|| {
            let symbol = self.symbol(codes.type_of(HOST, value.0));
            let scope = &mut self.scopes[depth];
            if let Step::Scalars { body: _, defines } = &mut scope.steps[computed.step] {
                defines.push((symbol, computed.value));
            }
            let computed = Computed {
                symbol: Some(symbol),
                ..computed
            };
            scope.computed.insert(value, computed);
            symbol
        })
    }

    fn demand_pure(&mut self, codes: &Codes, value: HostValue) -> SymbolId {
        if let Some(&known) = self.known.get(&value) {
            return known;
        }
        let symbol = self.symbol(codes.type_of(HOST, value.0));
        self.known.insert(value, symbol);
        self.prelude.push((value, symbol));
        symbol
    }

    /// Adds the code of a value, and of all that it needs, to the scalar step at the end.
    fn compute(&mut self, codes: &Codes, value: HostValue) -> (usize, Computed) {
        let missing = self.missing(codes, value);
        // Symbols first: a value that is computed elsewhere gets its symbol there.
        let mut symbols = HashMap::new();
        for needed in &missing {
            for operand in codes.op(HOST, needed.0).operands() {
                let operand = HostValue(operand);
                let literal = matches!(codes.op(HOST, operand.0), Op::Const(_));
                let here = missing.contains(&operand) || self.is_in_last(operand);
                if !literal && !here && !symbols.contains_key(&operand) {
                    symbols.insert(operand, self.demand(codes, operand));
                }
            }
        }
        let depth = self.scopes.len() - 1;
        for needed in missing {
            self.append(codes, needed, &symbols);
        }
        (depth, self.scopes[depth].computed[&value])
    }

    /// The impure values that `value` needs and that are computed nowhere yet. Operands come first, as they
    /// have smaller numbers.
    fn missing(&self, codes: &Codes, value: HostValue) -> BTreeSet<HostValue> {
        let (mut seen, mut todo) = (BTreeSet::new(), vec![value]);
        while let Some(value) = todo.pop() {
            let is_symbol = matches!(codes.op(HOST, value.0), Op::Symbol(_));
            let known = is_symbol || codes.is_pure(value) || self.find(value).is_some();
            if !known && seen.insert(value) {
                let operands = codes.op(HOST, value.0).operands();
                todo.extend(operands.into_iter().map(HostValue));
            }
        }
        seen
    }

    /// Whether the value is computed in the scalar step that is still open.
    fn is_in_last(&self, value: HostValue) -> bool {
        let last = self.scopes.len() - 1;
        let scope = &self.scopes[last];
        let here = self.find(value);
        here.is_some_and(|(d, c)| d == last && scope.open && c.step + 1 == scope.steps.len())
    }

    /// Appends one instruction to the scalar step at the end of the innermost scope.
    fn append(&mut self, codes: &Codes, value: HostValue, symbols: &HashMap<HostValue, SymbolId>) {
        let scope = self.innermost();
        if !scope.open {
            scope.steps.push(Step::Scalars {
                body: Body::default(),
                defines: vec![],
            });
            scope.open = true;
        }
        let step = scope.steps.len() - 1;
        let computed = &mut scope.computed;
        let Step::Scalars { body, .. } = &mut scope.steps[step] else {
            return;
        };
        let op = codes.op(HOST, value.0);
        if let Op::Out(of, _) = op
            && computed.get(&HostValue(*of)).is_none_or(|c| c.step != step)
        {
            // What a loop carried is known in the step that runs it alone.
            self.append(codes, HostValue(*of), symbols);
            return self.append(codes, value, symbols);
        }
        let mut local = HashMap::new();
        for operand in op.operands() {
            let here = computed.get(&HostValue(operand)).filter(|c| c.step == step);
            let ty = codes.type_of(HOST, operand);
            let v = match (here, symbols.get(&HostValue(operand))) {
                (Some(computed), _) => computed.value,
                (None, Some(&symbol)) => body.push(Op::Symbol(symbol), ty),
                // A literal: all else is computed here or has a symbol.
                (None, None) => body.push(codes.op(HOST, operand).clone(), ty),
            };
            local.insert(operand, v);
        }
        let inst = body.push(op.renamed(&|v| local[&v]), codes.type_of(HOST, value.0));
        let entry = Computed {
            step,
            value: inst,
            symbol: None,
        };
        computed.insert(value, entry);
    }
}

/// A body that is copied from the host's code.
#[derive(Default)]
struct Translation {
    body: Body,
    values: HashMap<ValueId, ValueId>,
}

impl Translation {
    fn pure_value(&mut self, codes: &Codes, root: ValueId) -> ValueId {
        let mut todo = vec![root];
        while let Some(&v) = todo.last() {
            let op = codes.op(HOST, v);
            let operands = op.operands();
            let missing: Vec<_> = operands
                .into_iter()
                .filter(|o| !self.values.contains_key(o))
                .collect();
            if missing.is_empty() {
                todo.pop();
                self.insert(codes, v, op);
            } else {
                todo.extend(missing);
            }
        }
        self.values[&root]
    }

    fn insert(&mut self, codes: &Codes, v: ValueId, op: &Op) {
        if !self.values.contains_key(&v) {
            let op = op.renamed(&|operand| self.values[&operand]);
            let new = self.body.push(op, codes.type_of(HOST, v));
            self.values.insert(v, new);
        }
    }
}

/// The part of a piece of code that `roots` need, and the roots in it; `symbol` translates values of the
/// host.
pub(crate) fn export(
    codes: &Codes,
    code: CodeId,
    roots: &[ValueId],
    symbol: &impl Fn(HostValue) -> SymbolId,
) -> (Body, Vec<ValueId>) {
    let mut body = Body::default();
    let roots = body.append_needed((codes[code].body(), roots), |body, (_, inst), _| {
        let SymbolId(n) = inst.op.as_symbol()?;
        Some(body.push(Op::Symbol(symbol(HostValue(ValueId(n)))), inst.ty))
    });
    (body, roots)
}
