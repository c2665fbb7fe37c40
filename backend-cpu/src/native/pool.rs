//! The constants of a function, in front of its code.

use super::ops::Place;
use cotangent_core::constant::Const;
use cotangent_core::types::ScalarType;

/// Constants of eight bytes, or of four twice.
#[derive(Debug, Default)]
pub(super) struct Pool {
    entries: Vec<u64>,
}

impl Pool {
    /// A constant of 4 or 8 bytes, by its bits.
    pub fn bits(&mut self, size: usize, bits: u64) -> Place {
        let low = bits & u64::from(u32::MAX);
        let entry = if size == 4 { low << 32 | low } else { bits };
        let known = self.entries.iter().position(|known| *known == entry);
        let position = known.unwrap_or_else(|| {
            self.entries.push(entry);
            self.entries.len() - 1
        });
        Place::Constant(position as u32 * 8)
    }

    /// A number.
    pub fn literal(&mut self, value: Const) -> Place {
        match value {
            Const::Bool(x) => self.bits(4, x.into()),
            Const::I8(x) => self.bits(4, x as u64),
            Const::I16(x) => self.bits(4, x as u64),
            Const::I32(x) => self.bits(4, x as u64),
            Const::I64(x) => self.bits(8, x as u64),
            Const::U8(x) => self.bits(4, x as u64),
            Const::U16(x) => self.bits(4, x as u64),
            Const::U32(x) => self.bits(4, x.into()),
            Const::U64(x) => self.bits(8, x),
            Const::F16(x) => self.bits(4, x.to_bits().into()),
            Const::F32(x) => self.bits(4, x.to_bits().into()),
            Const::F64(x) => self.bits(8, x.to_bits()),
        }
    }

    /// One.
    pub fn one(&mut self, ty: ScalarType) -> Place {
        self.literal(Const::small(ty, 1))
    }

    /// The bytes, which fill whole lines of the cache.
    pub fn bytes(&self) -> Vec<u8> {
        let mut bytes: Vec<u8> = self.entries.iter().flat_map(|e| e.to_le_bytes()).collect();
        bytes.resize(bytes.len().next_multiple_of(64), 0);
        bytes
    }
}
