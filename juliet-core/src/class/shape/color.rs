//! Colours.

use super::vector::write_numbers;
use super::{Fault, Leaf, LeafType, Place, ValueWriter};
use crate::class::Kind;
use crate::diag::Code;
use crate::text::{VectorFault, numbers, write_f32};

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

impl LeafType for Color {
    const NAME: &'static str = "Color";
    const KIND: Kind = Kind::Color;

    fn fresh() -> Self {
        Self::WHITE
    }
}

impl Leaf for Color {
    fn read<'t>(&mut self, text: &'t str, _: Place) -> Result<(), Fault<'t>> {
        *self = match numbers::<f32, 3>(text) {
            Ok([r, g, b]) => Self::rgb(r, g, b),
            Err(VectorFault::Count { found: 4, .. }) => {
                numbers::<f32, 4>(text).map_err(|fault| Fault::of_vector(fault, text))?.into()
            }
            Err(fault) => {
                let mut fault = Fault::of_vector(fault, text);
                if fault.code == Code::WrongCount {
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

    fn numbers(&self, each: &mut dyn FnMut(f64)) {
        self.to_array().into_iter().for_each(|number| each(number.into()));
    }
}
