use juliet::Entity;

#[derive(Entity)]
struct S {
    class: u8,
    template: String,
    version: u32,
    component: u8,
    asset_type: u8,
    entity_type: u8,
    class_version: u8,
}

fn main() {}
