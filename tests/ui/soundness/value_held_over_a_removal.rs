use juliet::{Entity, EntityManager, registry};

#[derive(Entity)]
struct Rock {
    mass: f32,
}

fn main() {
    let mut manager = EntityManager::new(registry![Rock].unwrap()).unwrap();
    let rock = manager.allocate(0).unwrap();
    let value = manager.get::<Rock>(rock).unwrap();
    manager.clear();
    println!("{}", value.mass);
}
