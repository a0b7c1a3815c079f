use juliet::ErasedMut;

fn main() {
    let erased = {
        let mut value = 1.0_f32;
        ErasedMut::new(&mut value)
    };
    let _ = erased.ty();
}
