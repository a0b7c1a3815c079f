use juliet::Property;

#[derive(Property)]
enum Mood {
    Calm,
    #[jasset(name = "Calm")]
    Quiet,
    #[jasset(alias = "Quiet", alias = "Calm")]
    Angry,
}

fn main() {}
