use juliet::Entity;

#[derive(Entity)]
struct A {
    #[jasset(with = number, range = 0.0..=1.0)]
    x: f32,
}

mod number {
    pub fn read(text: &str) -> Result<f32, std::num::ParseFloatError> {
        text.parse()
    }
    pub fn write(value: &f32) -> String {
        value.to_string()
    }
}

fn main() {}
