use juliet::core::class::PropertyType;

fn forged(ty: PropertyType) -> PropertyType {
    PropertyType { size: 8, ..ty }
}

fn main() {
    let _ = forged;
}
