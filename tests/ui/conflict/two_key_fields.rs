use juliet::Property;

#[derive(Property)]
struct Stack {
    #[jasset(key)]
    name: String,
    #[jasset(key)]
    id: u32,
    #[jasset(key, with = text)]
    other: u8,
}

mod text {
    pub fn read(_: &str) -> Result<u8, String> {
        Ok(0)
    }

    pub fn write(_: &u8) -> String {
        String::new()
    }
}

fn main() {}
