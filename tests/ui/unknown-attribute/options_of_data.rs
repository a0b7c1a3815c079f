use juliet::Property;

#[derive(Property)]
enum Mode {
    Wait(#[jasset(name = "seconds", skip)] f32),
    Patrol {
        #[jasset(group = "Walk", since = 2, key)]
        speed: f32,
        #[jasset(rnage = 0..=1)]
        share: f32,
    },
    #[jasset(range = 0..=1)]
    Turn(f32),
}

#[derive(Property)]
struct Name(#[jasset(key)] String);

fn main() {}
