use juliet::{Entity, Property};

struct Foreign;

#[derive(Property)]
enum Shape {
    Point,
    Circle(Foreign),
    Borrowed { text: &'static str, pair: (u8, u8) },
}

#[derive(Property)]
enum Either<T> {
    Left(T),
    Right,
}

#[derive(Property)]
enum Borrowing<'a> {
    Text(&'a str),
}

#[derive(Entity)]
struct Crate {
    either: Either<Foreign>,
}

fn main() {}
