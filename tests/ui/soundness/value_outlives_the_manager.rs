use juliet::{Entity, EntityManager, registry};

#[derive(Entity)]
struct Rock {
    mass: f32,
}

fn main() {
    let value = {
        let mut manager = EntityManager::new(registry![Rock].unwrap()).unwrap();
        let rock = manager.allocate(0).unwrap();
        manager.value(rock).unwrap()
    };
    let _ = value.ty();
}
