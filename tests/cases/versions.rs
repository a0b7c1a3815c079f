//! K36: older and newer files.

use std::sync::atomic::{AtomicUsize, Ordering};

use juliet::prelude::*;
use juliet::{Code, MigrateError, Migration};

use crate::support::{TestProject, accepted, changed_lines, only, refused_once, save, save_all};

/// Version 2 of the rock: with armour, and with twice the hits.
mod second {
    use super::{MigrateError, Migration};
    use juliet::prelude::*;

    /// A rock.
    #[derive(Entity)]
    #[jasset(version = 2, migrate = super::double_hits)]
    pub(super) struct Rock {
        /// Size.
        pub(super) scale: f32,
        /// Blows it has taken.
        pub(super) hits: u8,
        /// What it withstands.
        #[jasset(default = 10, since = 2)]
        pub(super) armor: u32,
    }

    /// The same without a migration.
    pub(super) mod plain {
        use juliet::prelude::*;

        /// A rock.
        #[derive(Entity)]
        #[jasset(version = 2)]
        pub(crate) struct Rock {
            /// Size.
            pub(crate) scale: f32,
            /// Blows it has taken.
            pub(crate) hits: u8,
            /// What it withstands.
            #[jasset(default = 10, since = 2)]
            pub(crate) armor: u32,
        }
    }

    /// Refuses files of version 1.
    #[derive(Entity)]
    #[jasset(version = 2, migrate = refuse)]
    pub(super) struct Stubborn {
        /// Something.
        pub(super) size: u8,
    }

    fn refuse(migration: &mut Migration<'_>) -> Result<(), MigrateError> {
        match migration.get("size") {
            Some("small") => {
                migration.set("size", "1");
                Ok(())
            }
            size => Err(format!("no size `{}`", size.unwrap_or_default()).into()),
        }
    }
}

/// How often [`double_hits`] ran in this thread's test; loads use other threads, so a file says which test it belongs to.
static RUNS: AtomicUsize = AtomicUsize::new(0);

fn double_hits(migration: &mut Migration<'_>) -> Result<(), MigrateError> {
    assert_eq!(migration.version(), 1);
    if let Some(hits) = migration.get("hits") {
        let hits: u8 = hits.parse().map_err(|_| format!("`{hits}` hits"))?;
        migration.set("hits", (hits * 2).to_string());
        if hits == 41 {
            RUNS.fetch_add(1, Ordering::Relaxed);
        }
    }
    Ok(())
}

/// The class `Rock` at version 2, with a migration.
pub(in crate::cases) fn rocks_of_version_2() -> ClassRegistry {
    registry![second::Rock].unwrap()
}

fn plain() -> ClassRegistry {
    registry![second::plain::Rock].unwrap()
}

#[test]
fn k36_a_new_property_has_its_default_in_an_older_file() {
    for text in [
        "; entity_type: Rock\n; class_version: 1\nScale: 2\n",
        "; entity_type: Rock\nScale: 2\n",
        "; class\nRock\n; scale\n2\n",
    ] {
        for registry in [plain(), rocks_of_version_2()] {
            let project = TestProject::with(registry, &[("A.jasset", text)]);
            let mut world = project.load_clean();
            let handle = only(&world);
            assert_eq!(world.get_text(handle, "Armor").unwrap(), "10");
            assert_eq!(world.get_text(handle, "Scale").unwrap(), "2.0");
            assert!(!world.is_dirty(handle));
            let before = project.picture();
            assert_eq!(save(&mut world).written.len(), 0);
            assert_eq!(save_all(&mut world).written.len(), 0);
            assert_eq!(project.picture(), before);
        }
    }
}

#[test]
fn k36_a_newer_file_is_refused_and_left_alone() {
    let error = refused_once(plain(), "; entity_type: Rock\n; class_version: 3\nMoss: 4\n");
    assert_eq!((error.code, error.line, error.column), (Code::NewerClassVersion, 2, 18));
    assert!(error.message.contains("file has version 3 of `Rock`, this program knows 2"), "{error}");
    let error = refused_once(plain(), "; class\nRock\n; version\n2\n");
    assert_eq!((error.code, error.line), (Code::NewerBaseVersion, 4));
}

#[test]
fn k36_what_is_no_version_is_refused() {
    for text in ["0", "-1", "1.0", "two", "", "4294967296"] {
        let error = refused_once(plain(), format!("; entity_type: Rock\n; class_version: {text}\n"));
        assert_eq!((error.code, error.line, &*error.property), (Code::BadVersion, 2, "class_version"), "{text}");
    }
}

#[test]
fn k36_the_order_of_keys_means_nothing() {
    let lines = ["; entity_type: Rock", "; class_version: 2", "Position: 1, 2, 3", "Scale: 2", "Hits: 3", "Armor: 4"];
    let mut reversed = lines;
    reversed.reverse();
    let mut mixed = lines;
    mixed.rotate_left(3);
    for lines in [lines, reversed, mixed] {
        let (world, handle) = accepted(plain(), lines.join("\n"));
        let rock = world.get::<second::plain::Rock>(handle).unwrap();
        assert_eq!((rock.scale, rock.hits, rock.armor), (2.0, 3, 4));
        assert_eq!(world.position(handle).unwrap().to_array(), [1.0, 2.0, 3.0, 1.0]);
    }
}

#[test]
fn k36_a_migration_runs_once_and_no_more_after_the_save() {
    for (text, expected) in [
        (
            "; entity_type: Rock\n; id: 0x01\n; class_version: 1\n# kept\nScale: 2\nHits: 5\n",
            &[
                "-; class_version: 1\n",
                "+; class_version: 2\n",
                "-Scale: 2\n",
                "-Hits: 5\n",
                "+Scale: 3.0\n",
                "+Hits: 10\n",
            ][..],
        ),
        (
            "; entity_type: Rock\n; id: 0x01\n# kept\nScale: 2\nHits: 5\n",
            &["+; class_version: 2\n", "-Scale: 2\n", "-Hits: 5\n", "+Scale: 3.0\n", "+Hits: 10\n"],
        ),
    ] {
        let project = TestProject::with(rocks_of_version_2(), &[("A.jasset", text)]);
        let mut world = project.load_clean();
        let handle = only(&world);
        assert_eq!(world.get::<second::Rock>(handle).unwrap().hits, 10);
        assert!(!world.is_dirty(handle));
        assert_eq!(save(&mut world).written.len(), 0);
        world.set(handle, "scale", 3.0_f32).unwrap();
        save(&mut world);
        assert_eq!(changed_lines(text, &project.text("A.jasset")), expected);
        let mut world = project.load_clean();
        let handle = only(&world);
        let rock = world.get::<second::Rock>(handle).unwrap();
        assert_eq!((rock.hits, rock.scale, rock.armor), (10, 3.0, 10));
        let before = project.picture();
        save_all(&mut world);
        assert_eq!(project.picture(), before);
    }
}

#[test]
fn k36_an_older_file_in_which_the_migrated_property_changes_again() {
    let project =
        TestProject::with(rocks_of_version_2(), &[("A.jasset", "; class\nRock\n; id\n0x01\n; hits\n5\n; scale\n2\n")]);
    let mut world = project.load_clean();
    let handle = only(&world);
    world.set(handle, "hits", 5_u8).unwrap();
    assert!(world.is_dirty(handle), "5 in the file of version 1 means 10");
    save(&mut world);
    assert_eq!(
        project.text("A.jasset"),
        "; class\nRock\n; id\n0x01\n; class_version\n2\n; hits\n5\n; scale\n2\n"
            .replace("0x01\n; class_version\n2\n", "0x01\n")
            .replace("; class\nRock\n", "; class\nRock\n; class_version\n2\n")
    );
    assert_eq!(project.load_clean().iter_of::<second::Rock>().next().unwrap().1.hits, 5);
}

#[test]
fn k36_each_file_is_migrated_by_its_own_version() {
    let old = "; entity_type: Rock\n; id: 0x01\n; class_version: 1\nHits: 41\n";
    let new = "; entity_type: Rock\n; id: 0x02\n; class_version: 2\nHits: 41\n";
    let project = TestProject::with(rocks_of_version_2(), &[("A.jasset", old), ("B.jasset", new)]);
    let world = project.load_clean();
    let hits = |id| world.get::<second::Rock>(world.find_by_id(id).unwrap()).unwrap().hits;
    assert_eq!((hits(1), hits(2)), (82, 41));
    assert_eq!(RUNS.load(Ordering::Relaxed), 1);
}

#[test]
fn k36_a_migration_that_refuses_leaves_the_file_alone() {
    let registry = || registry![second::Stubborn].unwrap();
    let text = "; entity_type: Stubborn\n; class_version: 1\nSize: huge\n";
    let project = TestProject::with(registry(), &[("A.jasset", text)]);
    let before = project.picture();
    let (mut world, report) = project.load();
    let [error] = &report.diagnostics[..] else { panic!("{:?}", report.diagnostics) };
    assert_eq!(error.code, Code::MigrationFailed);
    assert!(error.message.contains("no size `huge`") && error.message.contains("from version 1 to 2"), "{error}");
    assert!(error.to_string().starts_with("Assets/Worlds/W/Entities/A.jasset:2:"), "{error}");
    save_all(&mut world);
    assert_eq!(project.picture(), before);
    let (world, handle) = accepted(registry(), text.replace("huge", "small"));
    assert_eq!(world.get::<second::Stubborn>(handle).unwrap().size, 1);
}

#[test]
fn a_migration_finds_a_property_under_any_of_its_names() {
    /// Version 2 counts in metres a second, version 1 in knots.
    fn migrate(file: &mut Migration<'_>) -> Result<(), MigrateError> {
        if let Some(text) = file.get("Speed") {
            let knots: f32 = text.parse().map_err(|_| MigrateError::from("no number"))?;
            file.set("speed", (knots * 0.5).to_string());
        }
        Ok(())
    }

    #[derive(Entity)]
    #[jasset(version = 2, migrate = migrate)]
    struct Boat {
        #[jasset(alias = "Pace")]
        speed: f32,
    }

    let classes = juliet::registry![Boat].unwrap();
    let (mut world, handle) = accepted(classes, "; entity_type: Boat\n; class_version: 1\nPace: 18\n");
    assert_eq!(world.get::<Boat>(handle).unwrap().speed, 9.0);
    assert!(world.set(handle, "Speed", 4.0f32).unwrap());
}
