//! Bugs in integers that are narrower than those of indices, wider, or without a sign.

use super::entries::bug;
use super::list::Mutant;

const CORE: &str = "cotangent-core";
const CPU: &str = "cotangent-backend-cpu";
const FUSION: &str = "cotangent-fusion";
const GPU: &str = "cotangent-backend-gpu";
const TESTS: &str = "cotangent-tests";

/// These bugs.
pub const INTEGERS: &[Mutant] = &[
    bug(
        [
            "integers: conversions through floats wrap",
            "core/src/algebra/convert.rs",
        ],
        CORE,
        "middle.is_float() && is_wrapping",
        "false",
    ),
    bug(
        [
            "integers: those without a sign keep it when they widen",
            "core/src/algebra/convert.rs",
        ],
        CORE,
        "(false, true) => false,",
        "(false, true) => narrower,",
    ),
    bug(
        [
            "integers: all are 32 bits wide to shifts",
            "core/src/algebra/int.rs",
        ],
        CORE,
        "let width = 8 * r.type_of(x).bytes() as i32;",
        "let width = 32;",
    ),
    bug(
        [
            "integers: quotients are rounded as if there were no sign",
            "fusion/src/strength.rs",
        ],
        FUSION,
        "(Form::Quotient, true) => Form::Floor,",
        "(Form::Quotient, _) => Form::Floor,",
    ),
    bug(
        ["integers: u64 is taken for i64", "fusion/src/facts.rs"],
        TESTS,
        "number = value.as_integer().filter(|_| ty != ScalarType::U64);",
        "number = value.as_integer();",
    ),
    bug(
        [
            "integers: narrow ones are moved in lanes of 32 bits",
            "backend-cpu/src/native/way.rs",
        ],
        CPU,
        "I8 | I16 | U8 | U16 | F16 => false,",
        "I8 | I16 | U8 | U16 | F16 => true,",
    ),
    bug(
        [
            "integers: the signs of narrow keys are not in front",
            "backend-cpu/src/kernel/sort.rs",
        ],
        CPU,
        "i8: |x| i32::from(x) as u32 ^ 1 << 31;",
        "i8: |x| i32::from(x) as u32;",
    ),
    bug(
        [
            "integers: narrow ones have 32 bits",
            "core/src/surface/math/bits.rs",
        ],
        TESTS,
        "narrow => (low & ((1u32 << narrow) - 1), None),",
        "_narrow => (low, None),",
    ),
    bug(
        [
            "integers: the least one times −1 is in the range",
            "core/src/surface/math/overflow.rs",
        ],
        TESTS,
        "true => differs | (self",
        "true => differs | (self.ne_(self) & self",
    ),
    bug(
        [
            "integers: quotients of Euclid's leave what the sign of the dividend says",
            "core/src/surface/math/integers.rs",
        ],
        TESTS,
        "quotient - other.signum(), quotient)",
        "quotient - number::<T>(1), quotient)",
    ),
    bug(
        [
            "remainders: divisors are taken away as often as the rounded quotient says",
            "ad/src/exp/prim.rs",
        ],
        TESTS,
        "Rem => self.times(-((x - self.z) / y).round()),",
        "Rem => self.times(-(x / y).trunc()),",
    ),
    bug(
        [
            "remainders: of the halves of the greatest multiple one is left out",
            "shaders/src/math/wgsl/remainder.wgsl",
        ],
        TESTS,
        "for (; halves >= 0i;",
        "for (; halves > 0i;",
    ),
    bug(
        [
            "bits: the next number after a negative one is farther from zero",
            "core/src/surface/math/layout.rs",
        ],
        TESTS,
        "self.gt(zero), bits + one, bits - one",
        "self.gt(zero), bits + one, bits + one",
    ),
    bug(
        [
            "integers: midpoints are rounded down",
            "core/src/surface/math/integers.rs",
        ],
        TESTS,
        "below.lt(zero) & is_half",
        "below.lt(zero) & is_half & !is_half",
    ),
    bug(
        [
            "remainders: floats are simplified as integers are",
            "core/src/algebra.rs",
        ],
        TESTS,
        "        Rem if is_float => None,\n",
        "",
    ),
    bug(
        [
            "integers: even powers of negative numbers are beyond the least one",
            "core/src/surface/math/overflow.rs",
        ],
        TESTS,
        "is_signed::<T>() && exponent % 2 == 1;",
        "is_signed::<T>() && exponent > 0;",
    ),
    bug(
        [
            "integers: shifts by negative numbers wrap",
            "core/src/surface/math/overflow.rs",
        ],
        TESTS,
        "true => is_less & by.ge(number::<T>(0)),",
        "true => is_less,",
    ),
    bug(
        [
            "gpu: narrow integers are as wide as words",
            "shaders/src/prim/int.rs",
        ],
        GPU,
        "is_packed(ty) && WRAPPING.contains(&prim)",
        "is_packed(ty) && prim == Prim::Add",
    ),
    bug(
        [
            "gpu: floats wrap where they become narrow integers",
            "shaders/src/prim/convert.rs",
        ],
        GPU,
        "(F16 | F32 | F64, I8 | I16 | U8 | U16) => saturating",
        "(F16, I8 | I16 | U8 | U16) => saturating",
    ),
    bug(
        [
            "gpu: an element is written over its neighbours in the word",
            "shaders/src/access/packed.rs",
        ],
        GPU,
        "~({ones}u << shift)",
        "0u",
    ),
    bug(
        [
            "gpu: sums of narrow integers go over to the next element",
            "shaders/src/access/packed.rs",
        ],
        GPU,
        "let sum = insertBits(old, {sum}, shift, {bits}u);",
        "let sum = old + (u32(value) << shift);",
    ),
    bug(
        [
            "gpu: narrow numbers for shaders keep no sign",
            "shaders/src/types.rs",
        ],
        GPU,
        "ScalarType::I8 | ScalarType::I16 => wrapped(ty, &format!(\"bitcast<i32>({})\", words[0])),",
        "ScalarType::I8 | ScalarType::I16 => format!(\"bitcast<i32>({})\", words[0]),",
    ),
];
