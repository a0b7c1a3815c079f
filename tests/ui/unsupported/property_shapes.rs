use juliet::Property;

#[derive(Property)]
struct T(u8, f32);

#[derive(Property)]
struct Z();

#[derive(Property)]
union U {
    a: u32,
}

#[derive(Property)]
enum Never {}

fn main() {}
