use juliet::ErasedMut;

fn main() {
    let mut byte = 0_u8;
    let ty = <f64 as juliet::PropertyValue>::TYPE;
    let _ = unsafe { ErasedMut::from_raw(core::ptr::NonNull::from(&mut byte), ty) };
}
