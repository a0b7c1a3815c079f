//! Vectors and quaternions: so many numbers, separated by commas, blanks or both.

use glam::{IVec2, IVec3, Quat, Vec2, Vec3, Vec4};

use super::number::integer_fault;
use super::{Fault, Leaf, Place, ValueWriter};
use crate::class::Kind;
use crate::diag::Code;
use crate::text::inline::{self, NumbersFault};
use crate::text::number::{NumberFault, parse_f32, parse_integer, write_f32, write_integer};

/// Reads exactly `N` numbers with `parse`.
#[inline]
pub(crate) fn read_numbers<'t, T: Copy + Default, const N: usize>(
    text: &'t str,
    place: Place,
    parse: impl Fn(&'t str) -> Result<T, NumberFault>,
) -> Result<[T; N], Fault<'t>> {
    let mut numbers = [T::default(); N];
    inline::numbers(text, place != Place::Line, &mut numbers, parse).map_err(|fault| vector_fault(fault, N))?;
    Ok(numbers)
}

#[cold]
pub(super) fn vector_fault(fault: NumbersFault<'_>, count: usize) -> Fault<'_> {
    let expected = format!("{count} numbers");
    match fault {
        NumbersFault::Count { found, text } => Fault::new(Code::WrongCount, expected, text).told(found.to_string()),
        NumbersFault::Separator { text } => Fault::new(Code::WrongCount, expected, text),
        NumbersFault::Number { text, fault: NumberFault::OutOfRange } => {
            Fault::new(Code::FloatRange, "finite numbers of their width", text)
        }
        NumbersFault::Number { text, .. } => Fault::new(Code::NotANumber, expected, text),
    }
}

/// Writes numbers with commas, in brackets inside a list or struct.
#[inline]
pub(crate) fn write_numbers<T: Copy>(numbers: &[T], out: &mut ValueWriter<'_>, write: impl Fn(T, &mut Vec<u8>)) {
    let nested = out.place != Place::Line;
    if nested {
        out.out.push(b'[');
    }
    for (i, &number) in numbers.iter().enumerate() {
        if i > 0 {
            out.out.extend_from_slice(b", ");
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
        impl Leaf for $t {
            const NAME: &'static str = stringify!($t);
            const KIND: Kind = $kind;

            fn fresh() -> Self {
                Self::default()
            }

            #[inline]
            fn read<'t>(&mut self, text: &'t str, place: Place) -> Result<(), Fault<'t>> {
                *self = Self::from_array(read_numbers::<f32, $count>(text, place, parse_f32)?);
                Ok(())
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
        impl Leaf for $t {
            const NAME: &'static str = stringify!($t);
            const KIND: Kind = Kind::Vector { count: $count, float: false };

            fn fresh() -> Self {
                Self::ZERO
            }

            fn read<'t>(&mut self, text: &'t str, place: Place) -> Result<(), Fault<'t>> {
                let mut numbers = [0; $count];
                inline::numbers(text, place != Place::Line, &mut numbers, parse_integer::<i32>).map_err(|fault| {
                    match fault {
                        NumbersFault::Number { text, fault } => {
                            integer_fault(fault, text, i32::MIN.into(), i32::MAX as u128)
                        }
                        other => vector_fault(other, $count),
                    }
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
        }
    )*};
}

integer_vectors!(IVec2 2 IVec3 3);
