//! Vectors and quaternions: so many numbers, separated by commas, blanks or both.

use glam::{IVec2, IVec3, Quat, Vec2, Vec3, Vec4};

use super::number::integer_fault;
use super::{Fault, Leaf, LeafType, Place, ValueWriter};
use crate::class::Kind;
use crate::text::{VectorFault, numbers, scan_numbers, write_f32, write_integer};

/// Writes numbers with commas, in brackets inside a list or struct.
#[inline]
pub(crate) fn write_numbers<T: Copy>(numbers: &[T], out: &mut ValueWriter<'_>, write: impl Fn(T, &mut Vec<u8>)) {
    let nested = out.place != Place::Line;
    if nested {
        out.out.push(b'[');
    }
    for (i, &number) in numbers.iter().enumerate() {
        if i > 0 {
            out.out.extend_from_slice(if out.blanks { b" " } else { b", " });
        }
        write(number, out.out);
    }
    if nested {
        out.out.push(b']');
    }
}

#[inline]
fn same_floats(a: &[f32], b: &[f32]) -> bool {
    a.iter().zip(b).all(|(a, b)| a.same(b))
}

macro_rules! vectors {
    ($($t:ident $count:literal $kind:expr;)*) => {$(
        impl LeafType for $t {
            const NAME: &'static str = stringify!($t);
            const KIND: Kind = $kind;

            fn fresh() -> Self {
                Self::default()
            }
        }

        impl Leaf for $t {
            #[inline]
            fn read<'t>(&mut self, text: &'t str, _: Place) -> Result<(), Fault<'t>> {
                *self = Self::from_array(numbers::<f32, $count>(text).map_err(|fault| Fault::of_vector(fault, text))?);
                Ok(())
            }

            #[inline]
            fn scan(&mut self, text: &str) -> Option<usize> {
                let (numbers, used) = scan_numbers::<f32, $count>(text.as_bytes())?;
                *self = Self::from_array(numbers);
                Some(used)
            }

            #[inline]
            fn write(&self, out: &mut ValueWriter<'_>) {
                write_numbers(&self.to_array(), out, write_f32);
            }

            #[inline]
            fn same(&self, other: &Self) -> bool {
                same_floats(&self.to_array(), &other.to_array())
            }

            #[inline]
            fn assign(&mut self, from: &Self) {
                *self = *from;
            }

            fn numbers(&self, each: &mut dyn FnMut(f64)) {
                self.to_array().into_iter().for_each(|number| each(number.into()));
            }
        }
    )*};
}

vectors! {
    Vec2 2 Kind::Vector { count: 2, float: true };
    Vec3 3 Kind::Vector { count: 3, float: true };
    Vec4 4 Kind::Vector { count: 4, float: true };
    Quat 4 Kind::Quaternion;
}

macro_rules! integer_vectors {
    ($($t:ident $count:literal)*) => {$(
        impl LeafType for $t {
            const NAME: &'static str = stringify!($t);
            const KIND: Kind = Kind::Vector { count: $count, float: false };

            fn fresh() -> Self {
                Self::ZERO
            }
        }

        impl Leaf for $t {
            fn read<'t>(&mut self, text: &'t str, _: Place) -> Result<(), Fault<'t>> {
                let numbers = numbers::<i32, $count>(text).map_err(|fault| match fault {
                    VectorFault::Number { text, fault, .. } if !text.is_empty() => {
                        integer_fault(fault, text, i32::MIN.into(), i32::MAX as u128)
                    }
                    other => Fault::of_vector(other, text),
                })?;
                *self = Self::from_array(numbers);
                Ok(())
            }

            fn write(&self, out: &mut ValueWriter<'_>) {
                write_numbers(&self.to_array(), out, write_integer);
            }

            fn same(&self, other: &Self) -> bool {
                self == other
            }

            fn assign(&mut self, from: &Self) {
                *self = *from;
            }

            fn numbers(&self, each: &mut dyn FnMut(f64)) {
                self.to_array().into_iter().for_each(|number| each(number.into()));
            }
        }
    )*};
}

integer_vectors!(IVec2 2 IVec3 3);
