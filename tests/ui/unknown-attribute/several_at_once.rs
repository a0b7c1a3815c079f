use juliet::Entity;

#[derive(Entity)]
#[jasset(versoin = 3, alais = "B")]
struct A {
    #[jasset(defalt = 1.0)]
    x: f32,
    #[jasset(untit = "kg")]
    y: f32,
}

fn main() {}
