use juliet::ErasedMut;

fn main() {
    let mut byte = 0_u8;
    let ty = <f64 as juliet::PropertyValue>::TYPE;
    let _ = ErasedMut { ptr: core::ptr::NonNull::from(&mut byte), ty, borrow: core::marker::PhantomData };
}
