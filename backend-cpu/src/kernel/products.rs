//! Sums of products: the code of a fold gives the factors, and loops of their own multiply and add, so that no product is
//! written to memory and read again.

use cotangent_core::prim::Prim;
use cotangent_core::schedule::{
    Body, Kernel, KernelKind, Operator, OperatorPart, Output, Semiring, ValueId,
};
use std::collections::HashSet;

/// Two values that are multiplied.
type Factors = [ValueId; 2];

/// The factors of the product that a kernel sums up, if it does that and nothing else.
pub(super) fn factors(kernel: &Kernel) -> Option<Factors> {
    if let KernelKind::Contract {
        semiring: Semiring::PlusTimes,
        left,
        right,
        ..
    } = kernel.kind
    {
        return Some([left, right]);
    }
    let (body, operator, outputs) = reduction(kernel)?;
    let [Output { value, array: _ }] = outputs[..] else {
        return None;
    };
    let is_sum = operator.as_prim() == Some(Prim::Add);
    product(body, value).filter(|_| is_sum)
}

/// What the code of a fold with several results gives for each of them, over lanes: the value, or the factors where it is a
/// product that is added up.
#[derive(Clone, Debug, Default)]
pub(super) struct Terms(Vec<Term>);

/// What is given for a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Term {
    Value(ValueId),
    Product(Factors),
}

impl Terms {
    /// Those of a kernel; no terms where it is not a fold with several results, and where the factors would take more memory
    /// than the products.
    pub fn of(kernel: &Kernel) -> Self {
        match reduction(kernel) {
            Some((body, operator, outputs)) if outputs.len() > 1 => {
                Self::of_results(body, operator, outputs)
            }
            Some(_) | None => Self::default(),
        }
    }

    fn of_results(body: &Body, operator: &Operator, outputs: &[Output]) -> Self {
        let sums: HashSet<_> = operator.parts().iter().filter_map(sum).collect();
        let term = |(component, output): (usize, &Output)| {
            let factors = product(body, output.value).filter(|_| sums.contains(&component));
            factors.map_or(Term::Value(output.value), Term::Product)
        };
        let terms = Self(outputs.iter().enumerate().map(term).collect());
        match terms.pay(body) {
            true => terms,
            false => Self::default(),
        }
    }

    /// Whether fewer factors have to be computed than there are products: elements of arrays are there.
    fn pay(&self, body: &Body) -> bool {
        let products: Vec<_> = self.0.iter().filter_map(|term| term.factors()).collect();
        let factors: HashSet<_> = products.iter().flatten().collect();
        let computed = factors.iter().filter(|v| body.op(***v).as_load().is_none());
        computed.count() < products.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The values that the code is to give.
    pub fn values(&self) -> Vec<ValueId> {
        let values = |term: &Term| match *term {
            Term::Value(value) => vec![value],
            Term::Product(factors) => factors.to_vec(),
        };
        self.0.iter().flat_map(values).collect()
    }

    /// For each result, whether it is given as a product.
    pub fn are_products(&self) -> impl Iterator<Item = bool> {
        self.0.iter().map(|term| term.factors().is_some())
    }
}

impl Term {
    fn factors(self) -> Option<Factors> {
        match self {
            Self::Value(_) => None,
            Self::Product(factors) => Some(factors),
        }
    }
}

fn reduction(kernel: &Kernel) -> Option<(&Body, &Operator, &[Output])> {
    match &kernel.kind {
        KernelKind::Reduce {
            inner: _,
            body,
            operator,
            init: _,
            outputs,
        } => Some((body, operator, outputs)),
        KernelKind::Map { .. }
        | KernelKind::Contract { .. }
        | KernelKind::Scan { .. }
        | KernelKind::Segments { .. }
        | KernelKind::Sort { .. }
        | KernelKind::Scatter { .. } => None,
    }
}

/// The component that a part of an operator adds up, if it does.
fn sum(part: &OperatorPart) -> Option<usize> {
    let is_sum = part.operator.as_prim() == Some(Prim::Add);
    part.components.first().copied().filter(|_| is_sum)
}

/// The factors of a number that is a product.
fn product(body: &Body, value: ValueId) -> Option<Factors> {
    let is_number = body.type_of(value).is_number();
    let factors = body.op(value).operands_of(Prim::Mul).copied();
    factors.filter(|_| is_number)
}
