use juliet::Property;

#[derive(Property)]
#[derive(Default)]
#[jasset(default)]
enum Mood {
    #[default]
    Calm,
    #[jasset(default)]
    Angry,
}

fn main() {}
