use juliet::Property;

#[derive(Property)]
enum Mode {
    Idle,
    #[jasset(name = "none")]
    Nothing(u8),
    #[jasset(alias = "Idle")]
    Wait { for_seconds: f32, ForSeconds: f32 },
}

fn main() {}
