use juliet::ErasedMut;

fn main() {
    let mut value = 1.0_f32;
    let mut first = ErasedMut::new(&mut value);
    let second = first.reborrow();
    let third = first.reborrow();
    let _ = (second.ty(), third.ty());
}
