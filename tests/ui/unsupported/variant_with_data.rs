use juliet::Property;

#[derive(Property)]
enum Shape {
    Point,
    Circle(f32),
    Square { side: f32 },
}

fn main() {}
