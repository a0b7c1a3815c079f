use juliet::Property;

#[derive(Property)]
enum Mood {
    None,
    #[jasset(name = "none")]
    Absent,
    #[jasset(alias = "NONE")]
    Away,
    #[jasset(name = "Nothing")]
    Empty,
}

fn main() {}
