use juliet::{Entity, EntityManager, registry};

#[derive(Entity)]
struct Rock {
    mass: f32,
}

fn main() {
    let mut manager = EntityManager::new(registry![Rock].unwrap()).unwrap();
    let rock = manager.allocate(0).unwrap();
    let mut first = manager.get_mut::<Rock>(rock).unwrap();
    let mut second = manager.get_mut::<Rock>(rock).unwrap();
    first.mass = 1.0;
    second.mass = 2.0;
}
