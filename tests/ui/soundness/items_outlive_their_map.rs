use juliet::{ErasedMut, ErasedRef, IndexMap};

fn main() {
    let mut map = IndexMap::<String, u32>::new();
    let items = ErasedMut::new(&mut map).keyed().unwrap();
    let shared = ErasedRef::new(&map).keyed().unwrap();
    items.remove(0);
    let item = shared.item(0);
    drop(map);
    assert!(item.is_none());
}
