use juliet::Property;

#[derive(Property)]
enum Mood {
    #[jasset(default)]
    Calm,
    #[jasset(default)]
    Angry,
}

fn main() {}
