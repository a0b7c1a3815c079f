use juliet::Property;

#[derive(Property)]
enum Mood {
    #[jasset(range = 0..=1)]
    Calm,
    #[jasset(defualt)]
    Angry,
}

fn main() {}
