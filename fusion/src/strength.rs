//! Strength reduction: integer divisions by powers of two become shifts and masks, which vectors have.
//!
//! It is the last thing done to a body, because the analyses before it know divisions better than shifts.

use cotangent_core::constant::Const;
use cotangent_core::prim::Prim;
use cotangent_core::schedule::{Body, Inst, Op, ValueId};
use cotangent_core::types::ScalarType;

/// Reduces the divisions of a body in place; `values` refer to it. Gives their number.
pub(crate) fn reduce(body: &mut Body, values: &mut [&mut ValueId]) -> usize {
    let mut count = 0;
    let mut reduced = Body::default();
    let new = reduced.append(body, |reduced, (_, inst), new| {
        let division = division(body, inst)?;
        count += 1;
        Some(division.reduced(reduced, new[division.dividend.index()]))
    });
    for value in values {
        **value = new[value.index()];
    }
    *body = reduced;
    count
}

/// What is asked of a division.
#[derive(Clone, Copy)]
enum Form {
    Quotient,
    Remainder,
    Floor,
    Modulus,
}

impl Form {
    fn of(prim: Prim) -> Option<Self> {
        let forms = [
            (Prim::Quot, Self::Quotient),
            (Prim::Rem, Self::Remainder),
            (Prim::DivFloor, Self::Floor),
            (Prim::ModFloor, Self::Modulus),
        ];
        let found = forms.into_iter().find(|(division, _)| *division == prim);
        found.map(|(_, form)| form)
    }
}

/// A division by `2^power`.
#[derive(Clone, Copy)]
struct Division {
    form: Form,
    dividend: ValueId,
    power: u32,
    ty: ScalarType,
}

fn division(body: &Body, Inst { op, ty }: &Inst) -> Option<Division> {
    let (prim, operands) = op.as_prim()?;
    let form = Form::of(prim)?;
    let &[dividend, divisor] = operands else {
        return None;
    };
    let divisor = body.op(divisor).as_const()?.as_integer()?;
    let is_power = divisor > 1 && divisor & (divisor - 1) == 0;
    is_power.then_some(Division {
        form,
        dividend,
        power: divisor.trailing_zeros(),
        ty: *ty,
    })
}

impl Division {
    fn reduced(&self, body: &mut Body, x: ValueId) -> ValueId {
        let mut writer = Writer { body, ty: self.ty };
        let mask = (1i128 << self.power) - 1;
        // Towards zero is down where there are no negative numbers.
        let form = match (self.form, self.ty.is_unsigned()) {
            (Form::Quotient, true) => Form::Floor,
            (Form::Remainder, true) => Form::Modulus,
            (form, _) => form,
        };
        match form {
            Form::Floor => writer.with(Prim::Shr, x, self.power.into()),
            Form::Modulus => writer.with(Prim::BitAnd, x, mask),
            Form::Remainder => {
                let rounded = writer.towards_zero(x, mask);
                let multiple = writer.with(Prim::BitAnd, rounded, !mask);
                writer.prim(Prim::Sub, x, multiple)
            }
            Form::Quotient => {
                let rounded = writer.towards_zero(x, mask);
                writer.with(Prim::Shr, rounded, self.power.into())
            }
        }
    }
}

struct Writer<'a> {
    body: &'a mut Body,
    ty: ScalarType,
}

impl Writer<'_> {
    fn prim(&mut self, prim: Prim, x: ValueId, y: ValueId) -> ValueId {
        self.body.push(Op::Prim(prim, vec![x, y]), self.ty)
    }

    fn with(&mut self, prim: Prim, x: ValueId, constant: i128) -> ValueId {
        let constant = Const::integer(self.ty, constant);
        let constant = self.body.push(Op::Const(constant), self.ty);
        self.prim(prim, x, constant)
    }

    /// A number whose rounding down is that of `x` towards zero.
    fn towards_zero(&mut self, x: ValueId, mask: i128) -> ValueId {
        let sign = self.with(Prim::Shr, x, self.ty.bytes() as i128 * 8 - 1);
        let correction = self.with(Prim::BitAnd, sign, mask);
        self.prim(Prim::Add, x, correction)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(prim: Prim, x: Const, y: Const) -> (Const, usize) {
        let mut body = Body::default();
        let [x, y] = [x, y].map(|c| body.push(Op::Const(c), c.scalar_type()));
        let ty = body.type_of(x);
        let mut result = body.push(Op::Prim(prim, vec![x, y]), ty);
        let count = reduce(&mut body, &mut [&mut result]);
        let mut values: Vec<Const> = vec![];
        for (_, inst) in body.iter() {
            values.push(match &inst.op {
                Op::Const(c) => *c,
                Op::Prim(prim, operands) => {
                    let operands: Vec<_> = operands.iter().map(|v| values[v.index()]).collect();
                    prim.eval(&operands).unwrap()
                }
                other => panic!("{other}"),
            });
        }
        (values[result.index()], count)
    }

    #[test]
    fn integers_of_every_width() {
        use Prim::{DivFloor, ModFloor, Quot, Rem};
        for ty in ScalarType::ALL.into_iter().filter(|ty| ty.is_integer()) {
            let width = 8 * ty.bytes() as u32;
            let middle = 1i128 << (width - 1);
            let dividends = [0, 1, 7, 8, -1, -7, -8, -9, middle, middle - 1, middle + 5];
            let greatest = if ty.is_unsigned() {
                width - 1
            } else {
                width - 2
            };
            for (x, power) in dividends
                .iter()
                .flat_map(|&x| [1, 3, greatest].map(|p| (x, p)))
            {
                for prim in [Quot, Rem, DivFloor, ModFloor] {
                    let [x, y] = [x, 1 << power].map(|x| Const::integer(ty, x));
                    let expected = prim.eval(&[x, y]).unwrap();
                    assert_eq!(value(prim, x, y), (expected, 1), "{x} {prim} {y}");
                }
            }
        }
    }

    #[test]
    fn other_divisors_stay() {
        for y in [1, 3, 0, -2, i32::MIN] {
            assert_eq!(value(Prim::Quot, Const::I32(9), Const::I32(y)).1, 0, "{y}");
        }
    }
}
