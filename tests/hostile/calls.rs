//! Calls with what they do not expect.

use std::num::NonZeroUsize;

use juliet::LoadOptions;
use juliet::core::diag::Code;
use juliet::prelude::*;

use crate::support::classes::{Rock, registry};
use crate::support::{TestProject, only, save, save_all};

const ROCK: &str = "; class: Rock\n; id: 0x0100000000000042\nScale: 1\n";

#[test]
fn wrong_keys_types_and_texts_change_nothing() {
    let project = TestProject::new(&[("A.jasset", ROCK)]);
    let mut world = project.load_clean();
    let handle = only(&world);
    let long = "x.".repeat(1 << 20);
    for key in [
        "",
        ".",
        "..",
        "Scale.",
        ".Scale",
        "Scale.X",
        "Scale.Scale",
        "Position.X",
        "scale\n",
        "Scale ",
        "id",
        "class",
        "ſcale",
        "Hits[0]",
        &long,
    ] {
        assert!(world.set(handle, key, 2.0_f32).is_err(), "{key:.20}");
        assert!(world.set_text(handle, key, "2").is_err(), "{key:.20}");
        assert!(world.reset(handle, key).is_err(), "{key:.20}");
        assert_eq!((world.get_text(handle, key), world.get_property::<f32>(handle, key)), (None, None));
    }
    assert!(world.set(handle, "Scale", 2.0_f64).is_err());
    assert!(world.set(handle, "Scale", 2_u32).is_err());
    assert!(world.set(handle, "MeshAsset", InlineString::<8>::new()).is_err());
    assert!(world.set(handle, "Position", Vec2::ONE).is_err());
    for text in ["", "nope", "1 2", "1,5", "1e400", "\"1\"", "[1]", &"9".repeat(1 << 20)] {
        assert!(world.set_text(handle, "Scale", text).is_err(), "{text:.20}");
        assert!(world.set_text(handle, "Hits", text).is_err(), "{text:.20}");
        assert!(world.set_text(handle, "Position", text).is_err(), "{text:.20}");
    }
    assert!(world.set_text(handle, "MeshAsset", "a\nb").is_err());
    assert_eq!(world.entities().dirty().count(), 0);
    assert!(world.entities().validate().is_ok());
    assert_eq!(save_all(&mut world).written.len(), 0);
}

#[test]
fn positions_may_be_no_numbers_and_read_back() {
    let project = TestProject::new(&[("A.jasset", ROCK)]);
    let mut world = project.load_clean();
    let handle = only(&world);
    let odd = [f32::NAN, f32::NEG_INFINITY, -0.0];
    assert!(world.set_position(handle, odd).unwrap());
    assert!(!world.set_position(handle, odd).unwrap());
    save(&mut world);
    assert_eq!(
        project.text("A.jasset"),
        format!("; class: Rock\n; id: 0x0100000000000042\nPosition: nan, -inf, -0.0\nScale: 1\n")
    );
    let mut again = project.load_clean();
    let handle = only(&again);
    assert!(!again.set_position(handle, odd).unwrap());
}

#[test]
fn what_is_removed_stays_removed_and_comes_back_once() {
    let project = TestProject::new(&[("A.jasset", ROCK)]);
    let mut world = project.load_clean();
    let handle = only(&world);
    let id = world.remove(handle).unwrap();
    assert!(world.remove(handle).is_err() && world.duplicate(handle).is_err());
    assert!(world.set(handle, "Scale", 2.0_f32).is_err() && world.set_text(handle, "Scale", "2").is_err());
    assert!(world.reset(handle, "Scale").is_err() && world.set_position(handle, [0.0; 3]).is_err());
    assert!(!world.is_dirty(handle) && world.file_of(handle).is_none());
    let back = world.restore(id).unwrap();
    assert!(world.restore(id).is_err());
    assert!(!world.is_dirty(back));
    // Copies of copies, removed and restored, never share a file.
    let copy = world.duplicate(back).unwrap();
    let second = world.duplicate(copy).unwrap();
    let second_id = world.remove(second).unwrap();
    let second = world.restore(second_id).unwrap();
    world.set(second, "Hits", 3_u8).unwrap();
    world.remove(back).unwrap();
    let saved = save(&mut world);
    assert_eq!((saved.written.len(), saved.removed.len()), (2, 1));
    assert!(world.restore(id).is_err(), "it is saved");
    let saved = save(&mut world);
    assert_eq!((saved.written.len(), saved.removed.len()), (0, 0));
    assert_eq!(project.load_clean().len(), 2);
    for handle in world.iter().map(|base| base.handle()).collect::<Vec<_>>() {
        world.remove(handle).unwrap();
    }
    assert_eq!(save(&mut world).removed.len(), 2);
    assert_eq!(project.load_clean().len(), 0);
    assert!(world.entities().validate().is_ok());
}

#[test]
fn worlds_of_no_room_or_one_place_say_so() {
    let project = TestProject::new(&[("A.jasset", ROCK), ("B.jasset", "; class: Rock\n; id: 7\n")]);
    for capacity in [0, 1] {
        let options = LoadOptions { capacity: Some(capacity), threads: NonZeroUsize::new(1), ..LoadOptions::default() };
        let (mut world, report) = project.open().load_world_with("W", &options).unwrap();
        assert_eq!((report.loaded, report.skipped), (capacity as usize, 2 - capacity as usize));
        assert_eq!(report.diagnostics[0].code, Code::CapacityExceeded);
        assert!(world.spawn_class("Rock", Vec3::ZERO).is_err());
        if capacity == 1 {
            let handle = only(&world);
            assert!(world.duplicate(handle).is_err());
            let id = world.remove(handle).unwrap();
            let other = world.spawn_class("Rock", Vec3::ZERO).unwrap();
            assert!(world.restore(id).is_err(), "there is no room");
            world.remove(other).unwrap();
            world.restore(id).unwrap();
        }
        assert_eq!(save_all(&mut world).written.len(), 0);
        assert!(world.entities().validate().is_ok());
        world.compact();
        assert!(world.entities().validate().is_ok());
    }
    assert_eq!(project.load_clean().len(), 2);
}

#[test]
fn files_follow_their_entities_through_compactions() {
    let files: Vec<(String, String)> =
        (1..60).map(|id| (format!("F{id:02}.jasset"), format!("; class: Rock\n; id: {id}\nHits: {id}\n"))).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (&**name, &**text)).collect();
    let project = TestProject::new(&files);
    let mut world = project.load_clean();
    for round in 0..4 {
        let all: Vec<EntityHandle> = world.iter().map(|base| base.handle()).collect();
        all.iter().skip(round).step_by(3).for_each(|&handle| {
            world.remove(handle).unwrap();
        });
        world.spawn_class("Rock", Vec3::ZERO).unwrap();
        world.compact();
        let back = world.removed().next().unwrap();
        world.restore(back).unwrap();
        for base in world.iter().filter(|base| base.id() < 60) {
            let file = world.file_of(base.handle()).unwrap();
            assert!(file.ends_with(&format!("/F{:02}.jasset", base.id())), "{file}");
            assert_eq!(world.get::<Rock>(base.handle()).map(|rock| u64::from(rock.hits)), Some(base.id()));
        }
        save(&mut world);
        assert_eq!(project.load_clean().len(), world.len());
    }
}

#[test]
fn world_without_a_folder_is_not_saved() {
    let mut world = World::new(registry()).unwrap();
    assert!(world.save().is_err());
    world.spawn_class("Rock", Vec3::ZERO).unwrap();
    assert!(world.save().is_err() && world.save_all().is_err());
    assert_eq!(world.dirty().len(), 1);
    assert!(world.spawn_class("", Vec3::ZERO).is_err() && world.spawn_class(&"x".repeat(1 << 20), Vec3::ZERO).is_err());
}

/// Version 1 called `Weight` `Mass`.
#[derive(Entity)]
#[jasset(version = 2, migrate = rename_mass)]
struct Barrel {
    weight: f32,
    label: String,
}

fn rename_mass(file: &mut juliet::Migration<'_>) -> Result<(), juliet::MigrateError> {
    file.rename("Mass", "Weight");
    file.set("Label", "old");
    Ok(())
}

#[test]
fn copies_of_odd_files_are_whole_and_leave_the_original() {
    for text in [
        "; class: Barrel\nMass: 3\nOther: x",
        "\u{FEFF}; class: Barrel\r\n; id: 66\r\nMass: 3\r\n# end",
        "; class\nBarrel\n; Mass\n3\n; other\nx\n; component\nA\n; weight\n9",
        "Mass: 3\n; class_version: 1\n; class: Barrel",
        "; class: Barrel\n; class_version: 2\nWeight: 3",
    ] {
        let project = TestProject::with(registry![Barrel].unwrap(), &[("A.jasset", text)]);
        let (mut world, report) = project.load();
        assert_eq!(report.skipped, 0, "{text}");
        let original = only(&world);
        let copy = world.duplicate(original).unwrap();
        let other = world.duplicate(copy).unwrap();
        world.set(other, "Weight", 7.0_f32).unwrap();
        assert_eq!(save(&mut world).written.len(), 2, "{text}");
        assert_eq!(project.text("A.jasset"), text);
        let (again, report) = project.load();
        assert_eq!((again.len(), report.skipped), (3, 0), "{text}");
        for handle in [original, copy, other] {
            let id = world.base(handle).unwrap().id();
            let same = again.find_by_id(id).unwrap();
            for key in ["Weight", "Label", "Position"] {
                assert_eq!(again.get_text(same, key), world.get_text(handle, key), "{text}");
            }
        }
        let name = again.file_of(again.find_by_id(world.base(copy).unwrap().id()).unwrap()).unwrap();
        let new = std::fs::read_to_string(project.root().join(name.strip_prefix("Assets/").unwrap())).unwrap();
        for kept in ["Other: x", "# end", "; other\nx", "; component\nA\n; weight\n9"] {
            assert_eq!(new.contains(kept), text.contains(kept), "{new}");
        }
    }
}

/// Names with letters that change their count in upper case.
#[derive(Entity)]
struct Umlaut {
    größe: f32,
    ßeta: u8,
    élan_vital: u8,
    ΐuro: u8,
    数: u8,
}

#[test]
fn names_of_any_letters_are_keys_in_both_spellings() {
    for spelling in [juliet::core::text::Spelling::Colon, juliet::core::text::Spelling::Node] {
        let project = TestProject::with(registry![Umlaut].unwrap(), &[] as &[(&str, &str)]);
        let mut world = project.load_clean();
        world.set_new_file_spelling(spelling);
        let value = Umlaut { größe: 1.5, ßeta: 2, élan_vital: 3, ΐuro: 4, 数: 5 };
        world.spawn(value, Vec3::ZERO).unwrap();
        save(&mut world);
        let mut again = project.load_clean();
        let handle = only(&again);
        let found = again.get::<Umlaut>(handle).unwrap();
        assert_eq!((found.größe, found.ßeta, found.élan_vital, found.ΐuro, found.数), (1.5, 2, 3, 4, 5));
        for property in Umlaut::CLASS.properties() {
            for key in [property.key(), property.name()] {
                again.set_text(handle, key, "9").unwrap();
            }
        }
        save(&mut again);
        let last = project.load_clean();
        let found = last.get::<Umlaut>(only(&last)).unwrap();
        assert_eq!((found.größe, found.ßeta, found.élan_vital, found.ΐuro, found.数), (9.0, 9, 9, 9, 9));
    }
}
