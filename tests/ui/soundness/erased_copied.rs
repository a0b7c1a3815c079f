use juliet::ErasedMut;

fn main() {
    let mut value = 1.0_f32;
    let first = ErasedMut::new(&mut value);
    let copy = first.clone();
    let _ = (first.ty(), copy.ty());
}
