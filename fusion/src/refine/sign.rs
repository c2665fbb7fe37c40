//! Negations of floats that their uses absorb.
//!
//! `a + b·(−c)` is `a − b·c`, bit for bit: rounding is symmetric, so products and quotients may be computed
//! with the opposite sign, and sums then subtract. (A *sum* may not be: `−(a + b)` and `(−a) − b` differ where
//! the sum is zero.)
//!
//! Each float value is computed as it is or *flipped*, with the opposite sign. A negation may be an *alias*:
//! no instruction, the flipped form of its operand. That decides all else: a product is flipped if one factor
//! is, a select if both arms are. What an alias costs is a negation after each flipped value that some use
//! needs as it is. Aliases are tried one by one and taken where that gives no more negations than before: two
//! that gain nothing alone may cancel each other. If in the end nothing is gained, the code stays.

use crate::code::{CodeId, Codes};
use cotangent_core::prim::Prim;
use cotangent_core::schedule::{Body, Inst, Op, ValueId};
use std::collections::BTreeSet;

/// How many uses the values that an alias flips may have: so each attempt takes bounded time.
const MAX_REACH: usize = 128;

/// The operations that know about signs.
#[derive(Clone, Copy, Debug)]
enum Role {
    Neg(ValueId),
    /// A product or quotient.
    Product(ValueId, ValueId),
    Add(ValueId, ValueId),
    Sub(ValueId, ValueId),
    /// The arms.
    Select(ValueId, ValueId),
    /// Anything else: takes operands as they are, and is what it is.
    Other,
}

/// Which values are flipped, so far.
struct Signs<'a> {
    body: &'a Body,
    /// The needed values that read a value.
    users: Vec<Vec<ValueId>>,
    /// Whether a value is needed as it is, whatever its users.
    fixed: Vec<bool>,
    alias: Vec<bool>,
    flipped: Vec<bool>,
}

impl Codes {
    /// Writes code again with fewer negations of floats; none if that is not possible.
    pub(super) fn absorb_signs(&mut self, c: CodeId, roots: &[ValueId]) -> Option<Vec<ValueId>> {
        let body = self[c].body();
        let negates = |inst: &Inst| matches!(role_of(inst), Role::Neg(_));
        let negations = body.needed(roots).filter(|(_, inst)| negates(inst));
        let negations: Vec<_> = negations.map(|(v, _)| v).collect();
        if negations.is_empty() {
            return None;
        }
        let mut signs = Signs::of(body, roots);
        let gain: usize = negations.iter().map(|&n| signs.try_alias(n)).sum();
        let Signs { alias, flipped, .. } = signs;
        for _ in 0..gain {
            self.fire("absorb negation");
        }
        (gain > 0).then(|| self.write_signs(c, roots, &alias, &flipped))
    }

    fn write_signs(
        &mut self,
        c: CodeId,
        roots: &[ValueId],
        alias: &[bool],
        flipped: &[bool],
    ) -> Vec<ValueId> {
        let to = self.open_like(c);
        let needed = self[c].body().reachable(roots);
        let mut writer = Writer {
            codes: self,
            to,
            flipped,
            new: vec![ValueId(0); needed.len()],
        };
        for v in (0..needed.len()).filter(|&v| needed[v]) {
            writer.write(c, ValueId(v as u32), alias[v]);
        }
        let roots = roots.iter().map(|&r| writer.plain(r)).collect();
        self.replace(c, to);
        roots
    }
}

fn role_of(inst: &Inst) -> Role {
    let op = &inst.op;
    let two = |prim| op.operands_of(prim).copied();
    if !inst.ty.is_float() {
        Role::Other
    } else if let Some(&[x]) = op.operands_of(Prim::Neg) {
        Role::Neg(x)
    } else if let Some([x, y]) = two(Prim::Mul).or_else(|| two(Prim::Div)) {
        Role::Product(x, y)
    } else if let Some([x, y]) = two(Prim::Add) {
        Role::Add(x, y)
    } else if let Some([x, y]) = two(Prim::Sub) {
        Role::Sub(x, y)
    } else if let Some(&[_, x, y]) = op.operands_of(Prim::Select) {
        Role::Select(x, y)
    } else {
        Role::Other
    }
}

impl<'a> Signs<'a> {
    fn of(body: &'a Body, roots: &[ValueId]) -> Self {
        let n = body.len();
        let mut users = vec![vec![]; n];
        for (user, inst) in body.needed(roots) {
            for operand in inst.op.operands() {
                users[operand.index()].push(user);
            }
        }
        let mut fixed = vec![false; n];
        roots.iter().for_each(|root| fixed[root.index()] = true);
        Self {
            body,
            users,
            fixed,
            alias: vec![false; n],
            flipped: vec![false; n],
        }
    }

    fn role(&self, v: ValueId) -> Role {
        role_of(self.body.inst(v))
    }

    fn is_flipped(&self, v: ValueId) -> bool {
        self.flipped[v.index()]
    }

    /// Makes a negation an alias if that removes as many negations as it adds, or more; gives the difference.
    fn try_alias(&mut self, negation: ValueId) -> usize {
        self.alias[negation.index()] = true;
        let (changed, within_reach) = self.propagate(negation);
        let affected = self.affected(negation, &changed);
        let after = self.negations(&affected);
        self.turn(&changed);
        self.alias[negation.index()] = false;
        let before = self.negations(&affected);
        if after > before || !within_reach {
            return 0;
        }
        self.alias[negation.index()] = true;
        self.turn(&changed);
        before - after
    }

    /// Flips what is to be flipped now, beginning with `first`; what that was, and whether it was all.
    fn propagate(&mut self, first: ValueId) -> (Vec<ValueId>, bool) {
        let (mut changed, mut uses) = (vec![], 0);
        // Operands come before what reads them, so each value is looked at once.
        let mut todo = BTreeSet::from([first]);
        while let Some(v) = todo.pop_first() {
            if self.should_flip(v) != self.is_flipped(v) {
                uses += self.users[v.index()].len();
                if uses > MAX_REACH {
                    return (changed, false);
                }
                self.turn(&[v]);
                changed.push(v);
                todo.extend(&self.users[v.index()]);
            }
        }
        (changed, true)
    }

    fn turn(&mut self, values: &[ValueId]) {
        for v in values {
            self.flipped[v.index()] ^= true;
        }
    }

    fn should_flip(&self, v: ValueId) -> bool {
        match self.role(v) {
            Role::Neg(x) => self.alias[v.index()] && !self.is_flipped(x),
            Role::Product(x, y) => self.is_flipped(x) != self.is_flipped(y),
            Role::Select(x, y) => self.is_flipped(x) && self.is_flipped(y),
            Role::Add(..) | Role::Sub(..) | Role::Other => false,
        }
    }

    /// The values for which [`Self::negations`] may change with the signs of `changed`.
    fn affected(&self, negation: ValueId, changed: &[ValueId]) -> BTreeSet<ValueId> {
        let mut affected = BTreeSet::from([negation]);
        for v in changed {
            affected.insert(*v);
            for user in &self.users[v.index()] {
                affected.insert(*user);
                affected.extend(self.body.op(*user).operands());
            }
        }
        affected
    }

    /// The number of negations that computing these values takes.
    fn negations(&self, values: &BTreeSet<ValueId>) -> usize {
        let own = |v: &ValueId| match self.role(*v) {
            Role::Neg(x) => !self.alias[v.index()] && !self.is_flipped(x),
            Role::Product(..) | Role::Add(..) | Role::Sub(..) | Role::Select(..) | Role::Other => {
                false
            }
        };
        let turned_back = |v: &ValueId| self.is_flipped(*v) && self.is_needed_plain(*v);
        let of = |v| usize::from(own(v)) + usize::from(turned_back(v));
        values.iter().map(of).sum()
    }

    /// Whether something needs a flipped value as it is.
    fn is_needed_plain(&self, v: ValueId) -> bool {
        let mut users = self.users[v.index()].iter();
        self.fixed[v.index()] || users.any(|&user| !self.absorbs(user, v))
    }

    /// Whether `user` can read `v` flipped.
    fn absorbs(&self, user: ValueId, v: ValueId) -> bool {
        match self.role(user) {
            Role::Neg(_) | Role::Product(..) => true,
            // Of two flipped summands, the first is turned back.
            Role::Add(x, y) => v != x || !self.is_flipped(y),
            Role::Sub(x, y) => v != x || self.is_flipped(y),
            Role::Select(..) => self.is_flipped(user),
            Role::Other => false,
        }
    }
}

/// Writes code in which some values are flipped.
struct Writer<'a> {
    codes: &'a mut Codes,
    to: CodeId,
    flipped: &'a [bool],
    /// By old value, the new one: flipped, if so decided.
    new: Vec<ValueId>,
}

impl Writer<'_> {
    fn write(&mut self, from: CodeId, v: ValueId, alias: bool) {
        let role = role_of(self.codes[from].body().inst(v));
        let op = self.codes.op(from, v).clone();
        let flipped = |x: ValueId| self.flipped[x.index()];
        let value = match role {
            Role::Neg(x) if alias || flipped(x) => self.new[x.index()],
            Role::Add(x, y) => match (flipped(x), flipped(y)) {
                (false, false) => self.prim(Prim::Add, x, y),
                (true, false) => self.prim(Prim::Sub, y, x),
                (false, true) => self.prim(Prim::Sub, x, y),
                (true, true) => self.difference_from_plain(x, y),
            },
            Role::Sub(x, y) => match (flipped(x), flipped(y)) {
                (false, false) => self.prim(Prim::Sub, x, y),
                (false, true) => self.prim(Prim::Add, x, y),
                (true, false) => self.difference_from_plain(x, y),
                (true, true) => self.prim(Prim::Sub, y, x),
            },
            Role::Neg(_) | Role::Product(..) => {
                self.again((from, v), &op, |me, x| me.new[x.index()])
            }
            Role::Select(..) if flipped(v) => self.again((from, v), &op, |me, x| me.new[x.index()]),
            Role::Select(..) | Role::Other => self.again((from, v), &op, Self::plain),
        };
        self.new[v.index()] = value;
    }

    fn again(
        &mut self,
        at: (CodeId, ValueId),
        op: &Op,
        new: impl Fn(&mut Self, ValueId) -> ValueId,
    ) -> ValueId {
        let operands = op.operands();
        let operands: Vec<_> = operands.into_iter().map(|x| new(self, x)).collect();
        self.codes.again(at, self.to, &operands)
    }

    /// An operation on two values in the form in which they are there.
    fn prim(&mut self, op: Prim, x: ValueId, y: ValueId) -> ValueId {
        let operands = [self.new[x.index()], self.new[y.index()]];
        self.codes.prim(self.to, op, &operands)
    }

    /// `x` as it is, less `y` in the form in which it is there.
    fn difference_from_plain(&mut self, x: ValueId, y: ValueId) -> ValueId {
        let operands = [self.plain(x), self.new[y.index()]];
        self.codes.prim(self.to, Prim::Sub, &operands)
    }

    /// A value as it is.
    fn plain(&mut self, v: ValueId) -> ValueId {
        let new = self.new[v.index()];
        match self.flipped[v.index()] {
            true => self.codes.prim(self.to, Prim::Neg, &[new]),
            false => new,
        }
    }
}
