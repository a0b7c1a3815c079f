use juliet::PropertyValue;

struct A;

impl PropertyValue for A {
    const TYPE: &'static juliet::PropertyType = u8::TYPE;
    fn default_value() -> Self {
        A
    }
}

fn main() {}
