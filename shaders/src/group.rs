//! What the invocations of a workgroup do together: go through a part of a row, and combine what each has.
//!
//! Where the order does not matter, neighbours read neighbours at the same time; where it does, each invocation goes
//! through a piece of its own. Which of two equal floats an extremum is (zeros have signs) is left open.
//!
//! Every barrier is reached by all invocations of a workgroup or by none: what decides about them are parameters and the
//! number of the workgroup alone.

use crate::body::Text;
use crate::combine::Running;
use crate::target::{Target, Unsupported};
use crate::types::{of_value, read, written};
use cotangent_core::integer_type;
use cotangent_core::prim::Prim;
use cotangent_core::schedule::Operator;
use cotangent_core::types::ScalarType;

/// Fewer invocations are not worth a workgroup of their own.
const LEAST: u32 = 8;

/// The invocations of a workgroup that holds so many tuples for each of them; none where there is too little memory.
pub(crate) fn invocations(target: &Target, types: &[ScalarType], tuples: u32) -> Option<u32> {
    let bytes = types.iter().map(|ty| ty.bytes().max(4) as u32);
    let bytes = bytes.fold(0, u32::saturating_add).saturating_mul(tuples);
    let mut invocations = target.group;
    while invocations.saturating_mul(bytes) > target.shared_bytes() {
        invocations /= 2;
    }
    (invocations >= LEAST).then_some(invocations)
}

/// A workgroup that combines.
pub(crate) struct Group<'a> {
    pub running: &'a Running,
    pub invocations: u32,
}

impl Group<'_> {
    /// Begins the loop of an invocation through its share of the `count` steps of a part: `n` is the step's number.
    pub fn begin_loop(&self, text: &mut Text) {
        let invocations = self.invocations;
        if is_commutative(&self.running.operator) {
            text.line(&format!("let valid = min(count, {invocations}u);"));
            return text.line(&format!(
                "for (var n = local; n < count; n += {invocations}u) {{"
            ));
        }
        let rounded = invocations - 1;
        text.line(&format!(
            "let piece = max((count + {rounded}u) / {invocations}u, 1u);"
        ));
        text.line("let valid = (count + piece - 1u) / piece;");
        text.line("let stop = min((local + 1u) * piece, count);");
        text.line("for (var n = local * piece; n < stop; n++) {");
    }

    /// Declares workgroup memory for a tuple of each invocation.
    pub fn declare(&self, text: &mut Text) {
        for (n, &ty) in self.running.types.iter().enumerate() {
            text.share(&shared(n), ty, self.invocations);
        }
    }

    /// Makes the total of the first invocation that of the first `valid` ones, which have one; in their order.
    ///
    /// # Errors
    /// Where the device lacks a type or a function.
    pub fn combine(&self, text: &mut Text) -> Result<(), Unsupported> {
        self.declare(text);
        match subgroup_operations(self.running, text.target()) {
            Some(operations) => self.combine_subgroups(text, &operations),
            None => self.combine_tree(text),
        }
    }

    fn combine_tree(&self, text: &mut Text) -> Result<(), Unsupported> {
        self.share(text, "local");
        text.line("for (var step = 1u; step < valid; step = step * 2u) {");
        text.line("workgroupBarrier();");
        text.line("if local % (2u * step) == 0u && local + step < valid {");
        let other = self.shared("local + step");
        self.running.add(text, &other)?;
        self.share(text, "local");
        text.line("}");
        text.line("}");
        Ok(())
    }

    /// Subgroups combine by themselves, the first invocation what they give. Whether it has a total does not change.
    fn combine_subgroups(
        &self,
        text: &mut Text,
        operations: &[Operation],
    ) -> Result<(), Unsupported> {
        text.use_subgroups();
        let totals = self.running.totals();
        for (total, Operation { name, neutral }) in totals.iter().zip(operations) {
            text.line(&format!("if !has_total {{ {total} = {neutral}; }}"));
            text.line(&format!("{total} = {name}({total});"));
        }
        text.line("if lane == 0u {");
        self.share(text, "subgroup");
        text.line("}");
        text.line("workgroupBarrier();");
        text.line("if local == 0u && has_total {");
        text.line("for (var other = 1u; other < subgroups; other++) {");
        let other = self.shared("other");
        self.running.add(text, &other)?;
        text.line("}");
        text.line("}");
        Ok(())
    }

    /// Puts the total into workgroup memory.
    pub fn share(&self, text: &mut Text, position: &str) {
        for (n, total) in self.running.totals().iter().enumerate() {
            let value = written(self.running.types[n], total);
            text.line(&format!("{}[{position}] = {value};", shared(n)));
        }
    }

    /// What another invocation put there.
    pub fn shared(&self, position: &str) -> Vec<String> {
        let types = self.running.types.iter().enumerate();
        let of = |(n, &ty): (usize, &ScalarType)| read(ty, &format!("{}[{position}]", shared(n)));
        types.map(of).collect()
    }
}

fn shared(component: usize) -> String {
    format!("shared{component}")
}

/// Whether tuples may be combined in any order.
pub(crate) fn is_commutative(operator: &Operator) -> bool {
    let parts = operator.parts();
    let mut prims = parts.iter().map(|part| part.operator.as_prim());
    prims.all(|prim| {
        prim.is_some_and(|prim| prim.is_commutative() || matches!(prim, Prim::Min | Prim::Max))
            && !matches!(prim, Some(Prim::Eq | Prim::Ne))
    })
}

/// A built-in function on the values of a subgroup.
struct Operation {
    name: &'static str,
    /// What changes nothing.
    neutral: String,
}

/// The built-in functions that combine each component, where there are some that mean the same.
fn subgroup_operations(running: &Running, target: &Target) -> Option<Vec<Operation>> {
    if !target.has_subgroups {
        return None;
    }
    let mut operations = vec![];
    for (part, &ty) in running.operator.parts().iter().zip(&running.types) {
        operations.push(subgroup_operation(part.operator.as_prim()?, ty)?);
    }
    (operations.len() == running.types.len()).then_some(operations)
}

fn subgroup_operation(prim: Prim, ty: ScalarType) -> Option<Operation> {
    let (is_integer, [least, greatest, ones]) = match ty {
        ScalarType::I32 => (true, ["~0x7fffffff", "0x7fffffff", "-1"]),
        ScalarType::U32 => (true, ["0", "0xffffffff", "0xffffffff"]),
        ScalarType::F32 => (false, [""; 3]),
        ScalarType::Bool | integer_type!() | ScalarType::F16 | ScalarType::F64 => return None,
    };
    // What the built-in extrema of floats do with NaN is left to the driver.
    let of_floats = [
        (Prim::Add, "subgroupAdd", "0"),
        (Prim::Mul, "subgroupMul", "1"),
    ];
    let of_integers_alone = [
        (Prim::Min, "subgroupMin", greatest),
        (Prim::Max, "subgroupMax", least),
        (Prim::BitAnd, "subgroupAnd", ones),
        (Prim::BitOr, "subgroupOr", "0"),
        (Prim::BitXor, "subgroupXor", "0"),
    ];
    let mut offered = of_floats
        .into_iter()
        .chain(of_integers_alone.into_iter().filter(|_| is_integer));
    let (_, name, neutral) = offered.find(|(listed, ..)| *listed == prim)?;
    let neutral = format!("{}({neutral})", of_value(ty));
    Some(Operation { name, neutral })
}
