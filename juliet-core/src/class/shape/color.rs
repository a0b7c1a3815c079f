//! Colours.

use super::vector::{read_numbers, vector_fault, write_numbers};
use super::{Fault, Leaf, Place, ValueWriter};
use crate::class::Kind;
use crate::text::inline::NumbersFault;
use crate::text::number::{parse_f32, write_f32};

/// A linear colour with alpha; 1.0 is full intensity, more is allowed.
///
/// 16 bytes. Text has three numbers, alpha being 1.0, or four.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct Color {
    /// Red.
    pub r: f32,
    /// Green.
    pub g: f32,
    /// Blue.
    pub b: f32,
    /// Opacity, 0.0 to 1.0.
    pub a: f32,
}

impl Color {
    /// Opaque white.
    pub const WHITE: Self = Self::rgb(1.0, 1.0, 1.0);
    /// Opaque black.
    pub const BLACK: Self = Self::rgb(0.0, 0.0, 0.0);

    /// An opaque colour.
    pub const fn rgb(r: f32, g: f32, b: f32) -> Self {
        Self { r, g, b, a: 1.0 }
    }

    /// A colour with alpha.
    pub const fn rgba(r: f32, g: f32, b: f32, a: f32) -> Self {
        Self { r, g, b, a }
    }

    /// Red, green, blue, alpha.
    pub const fn to_array(self) -> [f32; 4] {
        [self.r, self.g, self.b, self.a]
    }
}

impl Default for Color {
    /// Opaque white.
    fn default() -> Self {
        Self::WHITE
    }
}

impl From<[f32; 4]> for Color {
    fn from([r, g, b, a]: [f32; 4]) -> Self {
        Self { r, g, b, a }
    }
}

impl Leaf for Color {
    const NAME: &'static str = "Color";
    const KIND: Kind = Kind::Color;

    fn fresh() -> Self {
        Self::WHITE
    }

    fn read<'t>(&mut self, text: &'t str, place: Place) -> Result<(), Fault<'t>> {
        let mut numbers = [0.0, 0.0, 0.0, 1.0];
        let three = crate::text::inline::numbers(text, place != Place::Line, &mut numbers[..3], parse_f32);
        *self = match three {
            Ok(()) => numbers.into(),
            Err(NumbersFault::Count { found: 4, .. }) => read_numbers::<f32, 4>(text, place, parse_f32)?.into(),
            Err(fault) => {
                let mut fault = vector_fault(fault, 3);
                if fault.expected == "3 numbers" {
                    fault.expected = "3 or 4 numbers".into();
                }
                return Err(fault);
            }
        };
        Ok(())
    }

    fn write(&self, out: &mut ValueWriter<'_>) {
        let numbers = self.to_array();
        let opaque = self.a.to_bits() == 1.0f32.to_bits();
        write_numbers(&numbers[..if opaque { 3 } else { 4 }], out, write_f32);
    }

    fn same(&self, other: &Self) -> bool {
        self.to_array().iter().zip(&other.to_array()).all(|(a, b)| a.same(b))
    }

    fn assign(&mut self, from: &Self) {
        *self = *from;
    }
}
