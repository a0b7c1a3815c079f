//! Values of made types: each part lives once and ends once.
#![expect(clippy::unwrap_used, reason = "tests")]

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, PoisonError};

use super::*;
use crate::class::shape::{Fault, Place, ValueWriter};
use crate::mem::OwnedValue;
use crate::mem::test_classes::{Counted, dropped, light_fuse, live, tick};

/// Counts itself and holds text; its start panics when the fuse is lit.
struct Counting {
    _counted: Counted,
    text: String,
}

impl MadeLeaf for Counting {
    fn blank(_: &'static PropertyType) -> Self {
        let counted = Counted::new();
        tick();
        Self { _counted: counted, text: "blank".repeat(10) }
    }

    fn fresh(ty: &'static PropertyType) -> Self {
        Self { text: "fresh".repeat(10), ..Self::blank(ty) }
    }
}

impl Leaf for Counting {
    fn read<'t>(&mut self, text: &'t str, _: Place) -> Result<(), Fault<'t>> {
        self.text = text.to_owned();
        Ok(())
    }

    fn write(&self, out: &mut ValueWriter<'_>) {
        out.raw(&self.text);
    }

    fn same(&self, other: &Self) -> bool {
        self.text == other.text
    }

    fn assign(&mut self, from: &Self) {
        tick();
        self.text.clone_from(&from.text);
    }
}

fn field(openings: &'static str, ty: Described) -> MadeField {
    MadeField { openings, split: 3, ty, meta: Meta::NONE }
}

/// A type in its place. Tables live as long as the program, and are held so that they are no leak.
fn kept(ty: Option<MadeType>) -> Described {
    static KEPT: Mutex<Vec<Described>> = Mutex::new(Vec::new());
    let ty = ty.unwrap().leak();
    KEPT.lock().unwrap_or_else(PoisonError::into_inner).push(ty);
    ty
}

/// `{ A: u8, B: Counting, C: { B: Counting, A: u128 }, D: wrapper of Counting }`
fn pair() -> Described {
    let leaf = || kept(MadeType::leaf::<Counting>("Counting", "", Kind::Adapter, Vec::new()));
    let inner = vec![field("B: ; b\n", leaf()), field("A: ; a\n", Described::of::<u128>())];
    let inner = kept(MadeType::structure("Inner", "", inner));
    let wrapper = kept(MadeType::newtype("Wrapper", "", field("0: ; 0\n", leaf())));
    let fields = vec![
        field("A: ; a\n", Described::of::<u8>()),
        field("B: ; b\n", leaf()),
        field("C: ; c\n", inner),
        field("D: ; d\n", wrapper),
    ];
    kept(MadeType::structure("Pair", "", fields))
}

fn text(value: &Boxed) -> String {
    let mut out = Vec::new();
    value::write(value.as_ref(), &mut ValueWriter::new(&mut out));
    String::from_utf8(out).unwrap()
}

#[test]
fn parts_lie_in_order_aligned_and_apart() {
    let ty = pair().ty();
    let mut end = 0;
    for part in ty.fields() {
        assert!(part.offset() >= end && part.offset().is_multiple_of(part.ty().align()));
        end = part.offset() + part.ty().size();
    }
    assert!(end <= ty.size() && ty.size().is_multiple_of(ty.align()) && ty.align() == align_of::<u128>());
    assert_eq!((ty.leaves(), ty.is_blittable()), (5, false));
}

#[test]
fn each_part_ends_once() {
    let ty = pair().ty();
    let (before, ended) = (live(), dropped());
    let mut value = Boxed::fresh(ty);
    assert_eq!(live(), before + 3);
    assert!(text(&value).contains("freshfresh"));
    value::read(value.as_mut().field(2).unwrap(), "{ B: b, A: 7 }", Place::Line).unwrap();
    let copy = value.copy();
    assert_eq!((live(), text(&copy)), (before + 6, text(&value)));
    assert!(value::same(copy.as_ref(), value.as_ref()));
    drop(value);
    assert_eq!(live(), before + 3);
    assert!(set_default(copy));
    assert!(!set_default(Boxed::blank(ty)), "a type has one default");
    let mut other = OwnedValue::of_type(ty);
    assert!(text(&Boxed::fresh(ty)).contains("C: { B: b, A: 7 }"));
    other.reset();
    assert!(value::same(other.as_ref(), Boxed::fresh(ty).as_ref()));
    drop(other);
    // The default stays.
    assert_eq!(live(), before + 3);
    assert!(dropped() > ended);
}

#[test]
fn a_start_that_panics_ends_what_was_started() {
    let ty = pair().ty();
    for count in 0..3 {
        let before = live();
        light_fuse(count);
        assert!(catch_unwind(AssertUnwindSafe(|| Boxed::fresh(ty))).is_err());
        assert_eq!(live(), before, "the start of part {count}");
    }
    light_fuse(-1);
    assert!(set_default(Boxed::fresh(ty)));
    for count in 0..6 {
        let before = live();
        light_fuse(count);
        assert!(catch_unwind(AssertUnwindSafe(|| Boxed::fresh(ty))).is_err());
        assert_eq!(live(), before, "step {count} of a start with a default");
    }
    light_fuse(-1);
}

#[test]
fn no_two_made_types_are_one() {
    let (a, b) = (pair().ty(), pair().ty());
    assert!(a.type_id() == a.type_id() && a.type_id() != b.type_id());
    assert!(!a.is::<Made>() && Boxed::fresh(a).as_ref().downcast_ref::<Made>().is_none());
    let leaf = Boxed::fresh(a.fields()[1].ty());
    assert!(leaf.as_ref().downcast_ref::<Counting>().is_none());
    assert!(!value::assign(Boxed::fresh(a).as_mut(), Boxed::fresh(b).as_ref()));
    assert!(!value::same(Boxed::fresh(a).as_ref(), Boxed::fresh(b).as_ref()));
    assert!(!set_default(Boxed::fresh(<u8 as PropertyValue>::TYPE)));
    assert!(MadeType::leaf::<Counting>("", "", Kind::Struct { fields: a.fields() }, Vec::new()).is_none());
}

#[test]
fn a_struct_without_fields_has_no_size() {
    let ty = kept(MadeType::structure("Empty", "", Vec::new())).ty();
    assert_eq!((ty.size(), ty.align(), ty.leaves()), (0, 1, 1));
    assert_eq!(text(&Boxed::fresh(ty).copy()), "{}");
}
