//! Code in the order in which it is needed.
//!
//! Code for some results of a function, cut out of one with more of them, has its operations in another order than a function that was
//! written for these alone. In order of need both are the same.

use crate::term::{ExpId, ExpLet, Fun, Labelled};
use std::collections::HashMap;

/// The function with its operations in the order in which its results, one after the other, need them; operands in their order. What
/// no result needs is left out.
pub fn by_need(fun: &Fun<Labelled>) -> Fun<Labelled> {
    let lets = &fun.body.lets;
    let names = lets.iter().enumerate();
    let names = names.flat_map(|(at, let_)| let_.binds.iter().map(move |b| (b.name, at)));
    let mut needs = Needs {
        lets,
        definitions: names.collect(),
        is_placed: vec![false; lets.len()],
        order: Vec::with_capacity(lets.len()),
    };
    fun.body.results.iter().for_each(|&x| needs.place(x));
    let mut new = fun.clone();
    new.body.lets = needs.order.iter().map(|&at| lets[at].clone()).collect();
    new
}

struct Needs<'a> {
    lets: &'a [ExpLet<Labelled>],
    /// The position of the operation that binds a variable.
    definitions: HashMap<ExpId, usize>,
    is_placed: Vec<bool>,
    order: Vec<usize>,
}

impl Needs<'_> {
    /// Places what a variable needs. Chains are as long as functions, so that nothing recurses over them.
    fn place(&mut self, x: ExpId) {
        let mut open: Vec<(usize, Vec<ExpId>)> = vec![];
        self.open(x, &mut open);
        while let Some((at, left)) = open.last_mut() {
            match left.pop() {
                Some(operand) => self.open(operand, &mut open),
                None => {
                    self.order.push(*at);
                    open.pop();
                }
            }
        }
    }

    /// Begins with the operation that binds a variable, unless that has begun before.
    fn open(&mut self, x: ExpId, open: &mut Vec<(usize, Vec<ExpId>)>) {
        let Some(&at) = self.definitions.get(&x) else {
            return;
        };
        if !std::mem::replace(&mut self.is_placed[at], true) {
            let mut operands: Vec<_> = self.lets[at].op.reads().collect();
            operands.reverse();
            open.push((at, operands));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::build::FunBuilder;
    use crate::prim::Prim;
    use crate::simplify::exp::anonymous_fun;
    use crate::types::ScalarType::F64;

    /// (x + y, x·y), or the other way round, with the sum computed first or not.
    fn both(returns_sum_first: bool, adds_first: bool) -> Fun<Labelled> {
        let mut b = FunBuilder::new();
        let args = [(); 2].map(|()| b.param(F64));
        let mut made = match adds_first {
            true => [Prim::Add, Prim::Mul],
            false => [Prim::Mul, Prim::Add],
        }
        .map(|prim| b.prim(prim, &args));
        if returns_sum_first != adds_first {
            made.reverse();
        }
        b.finish(made.to_vec())
    }

    #[test]
    fn the_order_of_operations_is_that_of_results() {
        let [one, other] = [false, true].map(|adds_first| both(true, adds_first));
        assert_ne!(anonymous_fun(&one), anonymous_fun(&other));
        assert_eq!(
            anonymous_fun(&by_need(&one)),
            anonymous_fun(&by_need(&other))
        );
        assert_ne!(
            anonymous_fun(&by_need(&one)),
            anonymous_fun(&by_need(&both(false, true)))
        );
    }
}
