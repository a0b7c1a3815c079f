use juliet::core::class::{Kind, PropertyType};
use juliet::{OwnedValue, PropertyValue};

fn main() {
    let _ = OwnedValue::of_type(<u8 as PropertyValue>::TYPE);
    let _: fn(&PropertyType) -> &Kind = PropertyType::kind;
}
