use juliet::core::class::PropertyType;
use juliet::{OwnedValue, PropertyValue};

fn main() {
    let forged = PropertyType { size: 8, ..*<u8 as PropertyValue>::TYPE };
    let _ = OwnedValue::of_type(Box::leak(Box::new(forged)));
}
