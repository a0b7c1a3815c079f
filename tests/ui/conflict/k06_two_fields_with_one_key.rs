use juliet::Entity;

#[derive(Entity)]
struct P {
    mesh_asset: String,
    #[expect(non_snake_case)]
    meshAsset: String,
}

fn main() {}
