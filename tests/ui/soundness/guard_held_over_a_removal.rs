use juliet::{Entity, EntityManager, registry};

#[derive(Entity)]
struct Rock {
    mass: f32,
}

fn main() {
    let mut manager = EntityManager::new(registry![Rock].unwrap()).unwrap();
    let rock = manager.allocate(0).unwrap();
    let mut guard = manager.get_mut::<Rock>(rock).unwrap();
    manager.remove(rock).unwrap();
    guard.mass = 1.0;
}
