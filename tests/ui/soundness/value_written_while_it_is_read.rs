use juliet::ErasedRef;

fn main() {
    let mut value = 1.0_f32;
    let erased = ErasedRef::new(&value);
    value = 2.0;
    let _ = erased.ty();
}
