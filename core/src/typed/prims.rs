//! The primitives and the classes of types that they are defined on, as one table for both typed layers.

/// Calls `$define!` with the table: names, variants, class of the operands' type `T`, type of the result.
macro_rules! for_each_prim {
    ($define:ident) => {
        $define! {
            unary {
                neg Neg Number T, abs Abs Number T, signum Signum Number T,
                sqrt Sqrt Float T, exp Exp Float T, exp_m1 ExpM1 Float T, ln Ln Float T,
                ln_1p Ln1p Float T, sin Sin Float T, cos Cos Float T, tan Tan Float T,
                asin Asin Float T, acos Acos Float T, atan Atan Float T, sinh Sinh Float T,
                cosh Cosh Float T, tanh Tanh Float T, asinh Asinh Float T, acosh Acosh Float T,
                atanh Atanh Float T, floor Floor Float T, ceil Ceil Float T, round Round Float T,
                trunc Trunc Float T, is_nan IsNan Float bool, is_infinite IsInfinite Float bool,
                not Not Truth bool, bit_not BitNot Integer T,
            }
            binary {
                add Add Number T, sub Sub Number T, mul Mul Number T, div Div Float T,
                quot Quot Integer T, rem Rem Number T, div_floor DivFloor Integer T,
                mod_floor ModFloor Integer T, pow Pow Float T, atan2 Atan2 Float T,
                max Max Number T, min Min Number T, eq Eq Scalar bool, ne Ne Scalar bool,
                lt Lt Number bool, le Le Number bool, gt Gt Number bool, ge Ge Number bool,
                and And Truth bool, or Or Truth bool, bit_and BitAnd Integer T,
                bit_or BitOr Integer T, bit_xor BitXor Integer T, shl Shl Integer T,
                shr Shr Integer T,
            }
        }
    };
}

pub(super) use for_each_prim;
