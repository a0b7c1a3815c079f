use juliet::Entity;

#[derive(Entity)]
struct A {
    #[jasset(alias = "MeshAsset")]
    mesh_asset: String,
}

fn main() {}
