//! Characters: elements that are kept as their code points.

use super::elt::Elt;
use super::functions::cond;
use super::lift::{IntoExp, Lift, literal};
use super::scalar::Exp;
use super::session::{Call, RawExp, RawExps};
use super::variants::OptionE;
use crate::host::{Column, HostArrayError, reserved};
use crate::typed::One;

/// A character in a program: the mirror of `char`. In memory it is its code point, a `u32`.
///
/// ```
/// # use cotangent_core::surface::prelude::*;
/// // Where words begin.
/// let begins = |text: Acc<Ix1, char>| {
///     generate(text.shape(), |ix![i]| {
///         let after_space = cond::<bool>(i.eq_(0), true, text.at(ix![(i - 1).max(0)]).eq_(' '));
///         after_space.and(text.at(ix![i]).ne_(' '))
///     })
/// };
/// let text = Array::vector("to be".chars().collect())?;
/// assert_eq!(interpret(begins, text)?.to_vec(), [true, false, false, true, false]);
/// # Ok::<(), InterpretError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct CharE {
    code: Exp<u32>,
}

/// The most digits that a radix has.
const DIGITS: u32 = 36;

impl CharE {
    /// The character of a code point. What is none, a surrogate or more than `char::MAX`, is read as
    /// [`char::REPLACEMENT_CHARACTER`] where it leaves the program, and in the program stays the number that it is.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let next = |text: Acc<Ix1, char>| text.map(|c| CharE::from_u32(c.to_u32() + 1));
    /// let text = Array::vector("HAL".chars().collect())?;
    /// assert_eq!(interpret(next, text)?.to_vec(), ['I', 'B', 'M']);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn from_u32(code: impl Lift<u32>) -> Self {
        Self { code: code.lift() }
    }

    /// The code point.
    pub fn to_u32(self) -> Exp<u32> {
        self.code
    }

    /// Whether it is an ASCII character.
    #[track_caller]
    pub fn is_ascii(self) -> Exp<bool> {
        self.code.lt(0x80)
    }

    /// Whether it is one of `0` to `9`.
    #[track_caller]
    pub fn is_ascii_digit(self) -> Exp<bool> {
        self.is_between('0', '9')
    }

    /// Whether it is one of `A` to `Z`.
    #[track_caller]
    pub fn is_ascii_uppercase(self) -> Exp<bool> {
        self.is_between('A', 'Z')
    }

    /// Whether it is one of `a` to `z`.
    #[track_caller]
    pub fn is_ascii_lowercase(self) -> Exp<bool> {
        self.is_between('a', 'z')
    }

    /// Whether it is one of `A` to `Z` or of `a` to `z`.
    #[track_caller]
    pub fn is_ascii_alphabetic(self) -> Exp<bool> {
        self.is_ascii_uppercase().or(self.is_ascii_lowercase())
    }

    /// Whether it is a letter or a digit of ASCII.
    #[track_caller]
    pub fn is_ascii_alphanumeric(self) -> Exp<bool> {
        self.is_ascii_alphabetic().or(self.is_ascii_digit())
    }

    /// Whether it is a space, a tab, a line feed, a form feed or a carriage return: the white space of `char::is_ascii_whitespace`.
    #[track_caller]
    pub fn is_ascii_whitespace(self) -> Exp<bool> {
        let line = self.is_between('\t', '\r').and(self.ne_('\x0b'));
        self.eq_(' ').or(line)
    }

    /// Whether it is one of `0` to `9`, of `A` to `F` or of `a` to `f`.
    #[track_caller]
    pub fn is_ascii_hexdigit(self) -> Exp<bool> {
        self.is_digit(16)
    }

    /// Whether it is an ASCII character that is seen: neither a space nor a control character.
    #[track_caller]
    pub fn is_ascii_graphic(self) -> Exp<bool> {
        self.is_between('!', '~')
    }

    /// Whether it is seen, and neither a letter nor a digit of ASCII.
    #[track_caller]
    pub fn is_ascii_punctuation(self) -> Exp<bool> {
        self.is_ascii_graphic()
            .and(self.is_ascii_alphanumeric().not())
    }

    /// Whether it is a control character of ASCII.
    #[track_caller]
    pub fn is_ascii_control(self) -> Exp<bool> {
        self.code.lt(0x20).or(self.eq_('\x7f'))
    }

    /// Whether it is a [digit](Self::to_digit) in a radix.
    #[track_caller]
    pub fn is_digit(self, radix: u32) -> Exp<bool> {
        let call = Call::here("is_digit");
        call.throughout(|| self.value().lt(radix.min(DIGITS)))
    }

    /// The digit that it is in a radix: of those above 10, letters of ASCII are the digits from 10 on, whatever their case. There are 36 digits, so that a radix
    /// above 36 has no others.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let digits = |text: Acc<Ix1, char>| text.map(|c| c.to_digit(16));
    /// let text = Array::vector("7fG".chars().collect())?;
    /// assert_eq!(interpret(digits, text)?.to_vec(), [Some(7), Some(15), None]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn to_digit(self, radix: u32) -> OptionE<u32> {
        let call = Call::here("to_digit");
        call.throughout(|| {
            let value = self.value();
            let is_digit = value.lt(radix.min(DIGITS));
            cond::<Option<u32>>(is_digit, OptionE::some(value), OptionE::none())
        })
    }

    /// The character of a digit in a radix, of at most 36: a letter in lower case from 10 on.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let characters = |digits: Acc<Ix1, u32>| digits.map(|n| CharE::from_digit(n, 16));
    /// let digits = Array::vector(vec![7, 15, 16])?;
    /// assert_eq!(interpret(characters, digits)?.to_vec(), [Some('7'), Some('f'), None]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn from_digit(digit: impl Lift<u32>, radix: u32) -> OptionE<char> {
        let call = Call::here("from_digit");
        call.throughout(|| {
            let digit = digit.lift();
            let first = cond::<u32>(digit.lt(10), u32::from('0'), u32::from('a') - 10);
            let character = OptionE::some(Self::from_u32(first + digit));
            cond::<Option<char>>(digit.lt(radix.min(DIGITS)), character, OptionE::none())
        })
    }

    /// Letters of ASCII as those from `a` to `z`, others as they are.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let lower = |text: Acc<Ix1, char>| text.map(|c| c.to_ascii_lowercase());
    /// let text = Array::vector("ÄBc".chars().collect())?;
    /// assert_eq!(interpret(lower, text)?.to_vec(), ['Ä', 'b', 'c']);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn to_ascii_lowercase(self) -> Self {
        self.with_case(self.is_ascii_uppercase())
    }

    /// Letters of ASCII as those from `A` to `Z`, others as they are.
    #[track_caller]
    pub fn to_ascii_uppercase(self) -> Self {
        self.with_case(self.is_ascii_lowercase())
    }

    /// Whether both are the same.
    #[track_caller]
    pub fn eq_(self, other: impl Lift<char>) -> Exp<bool> {
        self.code.eq_(other.lift().code)
    }

    /// Whether they differ.
    #[track_caller]
    pub fn ne_(self, other: impl Lift<char>) -> Exp<bool> {
        self.code.ne_(other.lift().code)
    }

    /// Whether its code point is less.
    #[track_caller]
    pub fn lt(self, other: impl Lift<char>) -> Exp<bool> {
        self.code.lt(other.lift().code)
    }

    /// Whether its code point is at most that of the other.
    #[track_caller]
    pub fn le(self, other: impl Lift<char>) -> Exp<bool> {
        self.code.le(other.lift().code)
    }

    /// Whether its code point is greater.
    #[track_caller]
    pub fn gt(self, other: impl Lift<char>) -> Exp<bool> {
        self.code.gt(other.lift().code)
    }

    /// Whether its code point is at least that of the other.
    #[track_caller]
    pub fn ge(self, other: impl Lift<char>) -> Exp<bool> {
        self.code.ge(other.lift().code)
    }

    #[track_caller]
    fn is_between(self, first: char, last: char) -> Exp<bool> {
        (self.code - u32::from(first)).le(u32::from(last) - u32::from(first))
    }

    /// The digit that it is in the greatest radix; of others, a number that is none.
    #[track_caller]
    fn value(self) -> Exp<u32> {
        let of_letter = self.to_ascii_lowercase().code - (u32::from('a') - 10);
        let value = cond::<u32>(self.is_ascii_alphabetic(), of_letter, DIGITS);
        cond::<u32>(self.is_ascii_digit(), self.code - u32::from('0'), value)
    }

    /// The letter of the other case, where that holds. The two differ in one bit.
    #[track_caller]
    fn with_case(self, other: Exp<bool>) -> Self {
        let bit = other.to::<u32>() << 5;
        Self::from_u32(self.code ^ bit)
    }
}

impl IntoExp for CharE {
    type Elt = char;

    fn into_exp(self) -> Self {
        self
    }
}

impl IntoExp for char {
    type Elt = Self;

    #[track_caller]
    fn into_exp(self) -> CharE {
        self.lift()
    }
}

impl Lift<char> for CharE {
    fn lift(self) -> Self {
        self
    }
}

impl Lift<Self> for char {
    #[track_caller]
    fn lift(self) -> CharE {
        CharE {
            code: literal(u32::from(self)),
        }
    }
}

impl Elt for char {
    type Exp = CharE;
    type Scalars = One<u32>;

    fn tags(out: &mut Vec<bool>) {
        out.push(false);
    }

    fn to_raw(exp: CharE, out: &mut Vec<RawExp>) {
        out.push(exp.code.raw());
    }

    fn from_raw(source: &mut RawExps<'_>) -> CharE {
        CharE {
            code: Exp::from_raw(source.take()),
        }
    }

    fn to_columns(values: Vec<Self>, out: &mut Vec<Column>) -> Result<(), HostArrayError> {
        let mut codes = reserved(values.len())?;
        codes.extend(values.into_iter().map(u32::from));
        u32::to_columns(codes, out)
    }

    fn from_columns(source: &mut dyn Iterator<Item = Column>) -> Result<Vec<Self>, HostArrayError> {
        let codes = u32::from_columns(source)?;
        let mut values = reserved(codes.len())?;
        let character = |code| char::from_u32(code).unwrap_or(Self::REPLACEMENT_CHARACTER);
        values.extend(codes.into_iter().map(character));
        Ok(values)
    }
}
