//! K28 at world level: removals wait for the save, last, and bring nothing back.

use std::fs;

use super::*;

const A: u64 = 0x0200_0000_0000_000A;
const B: u64 = A + 1;
const C: u64 = A + 2;
const D: u64 = A + 3;

fn content() -> Content {
    let names = ["A.jasset", "B.jasset", "C.jasset", "D.jasset"];
    let content = Content::of(&[]);
    names.iter().zip(A..).for_each(|(name, id)| content.put(name, rock(id, 1)));
    content
}

fn remove(world: &mut World, id: u64) -> EntityHandle {
    let handle = by_id(world, id);
    assert_eq!(world.remove(handle), Ok(id));
    handle
}

#[test]
fn k28_1_file_goes_at_the_save_and_does_not_come_back() {
    let content = content();
    let mut world = content.world();
    remove(&mut world, A);
    assert_eq!(content.names().len(), 4);
    assert_eq!(last(&save(&mut world).removed), ["A.jasset"]);
    assert_eq!(content.names(), ["B.jasset", "C.jasset", "D.jasset"]);
    assert_eq!(content.world().find_by_id(A), None);
    assert_eq!(save(&mut world).removed.len(), 0);
    assert!(matches!(world.restore(A), Err(juliet::RestoreError::NotRemoved { id: A })));
}

#[test]
fn k28_2_changed_and_removed_entity_is_not_written_back() {
    let content = content();
    let mut world = content.world();
    set_hits(&mut world, B, 9);
    remove(&mut world, B);
    let report = save(&mut world);
    assert_eq!((report.written.len(), last(&report.removed)), (0, vec!["B.jasset"]));
    assert_eq!(content.names(), ["A.jasset", "C.jasset", "D.jasset"]);
}

#[test]
fn k28_3_file_that_came_from_outside_is_not_removed() {
    let content = content();
    let mut world = content.world();
    remove(&mut world, C);
    content.put("C.jasset", rock(C, 500));
    let report = world.save().unwrap();
    assert_eq!(codes(&report.diagnostics), [(Code::ChangedOnDisk, "C.jasset")]);
    assert_eq!(content.text("C.jasset"), rock(C, 500));
    assert_eq!(save(&mut world).removed.len(), 0);
    assert_eq!(content.text("C.jasset"), rock(C, 500));
}

#[test]
fn k28_3_removed_restored_changed_and_removed_again() {
    let content = content();
    let mut world = content.world();
    for round in 2..5 {
        remove(&mut world, C);
        let back = world.restore(C).unwrap();
        world.get_mut::<Rock>(back).unwrap().hits = round;
        assert_eq!(world.removed().count(), 0);
    }
    assert_eq!(last(&save(&mut world).written), ["C.jasset"]);
    assert_eq!(content.text("C.jasset"), rock(C, 4));
    remove(&mut world, C);
    save(&mut world);
    assert!(!content.at("C.jasset").exists());
}

#[test]
fn k28_4_entity_that_was_never_saved_leaves_nothing() {
    let content = content();
    let before = content.snapshot();
    let mut world = content.world();
    let new = world.spawn(Rock { scale: 1.0, hits: 1 }, Vec3::ZERO).unwrap();
    let id = world.remove(new).unwrap();
    let copy = world.duplicate(by_id(&world, A)).unwrap();
    world.remove(copy).unwrap();
    let report = save(&mut world);
    assert_eq!((report.written.len(), report.removed.len()), (0, 0));
    assert!(content.snapshot() == before);
    assert!(world.restore(id).is_err());
}

#[test]
fn k28_5_removal_that_is_undone_leaves_the_file_as_it_was() {
    let content = content();
    let before = content.snapshot();
    let mut world = content.world();
    remove(&mut world, D);
    let back = world.restore(D).unwrap();
    assert!(!world.is_dirty(back));
    assert_eq!(world.position(back).unwrap().to_array(), [1.0, 2.0, 3.0, 1.0]);
    let report = save(&mut world);
    assert_eq!((report.written.len(), report.removed.len()), (0, 0));
    assert!(content.snapshot() == before);
    world.entities().validate().unwrap();
}

#[test]
fn k28_6_removal_through_an_old_handle_is_an_error_without_effect() {
    let content = content();
    let mut world = content.world();
    let old = remove(&mut world, A);
    let new = world.spawn(Rock { scale: 1.0, hits: 1 }, Vec3::ZERO).unwrap();
    assert_eq!(new.index(), old.index());
    let error = world.remove(old).unwrap_err();
    assert!(error.to_string().contains("stale"), "{error}");
    assert_eq!((world.len(), world.removed().count()), (4, 1));
    assert!(
        world.set(old, "Hits", 5u32).is_err() && world.get_mut::<Rock>(old).is_none() && world.file_of(old).is_none()
    );
    assert_eq!(world.get::<Rock>(new).unwrap().hits, 1);
}

#[test]
fn k28_8_removal_without_a_save_changes_no_file() {
    let content = content();
    let before = content.snapshot();
    let mut world = content.world();
    for id in [A, B, C, D] {
        remove(&mut world, id);
    }
    drop(world);
    assert!(content.snapshot() == before);
    assert_eq!(content.world().len(), 4);
}

#[test]
fn k28_removal_that_fails_is_told_and_stays() {
    let content = content();
    let fs = quick();
    let (mut world, _) = content.load_on(&fs);
    remove(&mut world, A);
    remove(&mut world, B);
    let fs = fs.held(&content.root().join(ENTITIES).join("A.jasset"));
    let report = world.save().unwrap();
    assert_eq!(codes(&report.diagnostics), [(Code::WriteFailed, "A.jasset")]);
    assert_eq!((last(&report.removed), world.removed().collect::<Vec<_>>()), (vec!["B.jasset"], vec![A]));
    // It can still be undone.
    let back = world.restore(A).unwrap();
    assert!(!world.is_dirty(back));
    world.remove(back).unwrap();
    fs.mend();
    assert_eq!(last(&save(&mut world).removed), ["A.jasset"]);
}

#[test]
fn k28_removal_of_a_file_that_cannot_be_compared_stays() {
    let content = content();
    let fs = quick();
    let (mut world, _) = content.load_on(&fs);
    set_hits(&mut world, D, 2);
    save(&mut world);
    let begin = fs.counts().operations;
    let mut kept = 0;
    for number in 0..30 {
        remove(&mut world, A);
        let failing = fs.clone().fail_at(fs.counts().operations + number, std::io::ErrorKind::PermissionDenied);
        let saved = world.save();
        failing.mend();
        if content.at("A.jasset").exists() {
            // Not removed: then it is told, and waits.
            assert!(saved.is_err() || !saved.unwrap().is_complete(), "failure {number}");
            assert_eq!(world.removed().collect::<Vec<_>>(), [A], "failure {number}");
            kept += 1;
            world.restore(A).unwrap();
        } else {
            content.put("A.jasset", rock(A, 1));
            world = content.load_on(&fs).0;
        }
    }
    assert!(kept > 3 && fs.counts().operations > begin, "{kept}");
}

#[test]
fn removed_values_and_their_files_survive_a_compaction() {
    let content = content();
    let mut world = content.world();
    remove(&mut world, A);
    remove(&mut world, C);
    let moves = world.compact().moves;
    assert!(!moves.is_empty());
    world.entities().validate().unwrap();
    set_hits(&mut world, D, 2);
    set_hits(&mut world, B, 3);
    world.restore(C).unwrap();
    let report = save(&mut world);
    assert_eq!((last(&report.written), last(&report.removed)), (vec!["B.jasset", "D.jasset"], vec!["A.jasset"]));
    assert_eq!([content.text("B.jasset"), content.text("D.jasset")], [rock(B, 3), rock(D, 2)]);
    assert!(fs::exists(content.at("C.jasset")).unwrap());
}
