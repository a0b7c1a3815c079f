use juliet::PropertyValue;
use juliet::class::shape::{Place, ValueWriter};
use juliet::class::value;
use juliet_core::mem;

/// What `text` reads as.
pub(crate) fn read<T: PropertyValue>(text: &str) -> Result<T, String> {
    let mut out = T::default_value();
    match value::read(mem::ErasedMut::new(&mut out), text, Place::Line) {
        Ok(()) => Ok(out),
        Err(fault) => Err(format!("{fault:?}")),
    }
}

/// How `value` is written.
pub(crate) fn write<T: PropertyValue>(value: &T) -> String {
    let mut out = Vec::new();
    value::write(mem::ErasedRef::new(value), &mut ValueWriter::new(&mut out));
    String::from_utf8(out).expect("text is UTF-8")
}


