//! K34: enums by name, across builds that reorder and rename them.

use juliet::Code;
use juliet::prelude::*;

use crate::support::{TestProject, accepted, only, refused_once, save, save_all};

/// A build of the program with its own variants.
macro_rules! build {
    ($name:ident: $($(#[$attribute:meta])* $variant:ident),*) => {
        mod $name {
            use juliet::prelude::*;

            /// A mood.
            #[derive(Property, Clone, Copy, PartialEq, Debug)]
            pub(super) enum Mood {
                $($(#[$attribute])* #[doc = "A variant."] $variant),*
            }

            /// Somebody in a mood.
            #[derive(Entity)]
            pub(super) struct Guard {
                /// The mood.
                pub(super) mood: Mood,
                /// The mood after that.
                pub(super) backup: Option<Mood>,
            }

            pub(super) fn registry() -> ClassRegistry {
                registry![Guard].unwrap()
            }
        }
    };
}

build!(first: Calm, Angry);
build!(inserted: Asleep, Calm, Angry);
build!(renamed: Asleep, Calm, Furious);
build!(with_alias: Asleep, Calm, #[jasset(alias = "Angry")] Furious);
build!(with_nothing: Calm, #[jasset(name = "nothing")] None);

/// Two files of the first build: one in each spelling.
fn saved_by_the_first_build() -> TestProject {
    use juliet::core::text::Spelling;
    let project = TestProject::with::<&str>(first::registry(), &[]);
    let mut world = project.load_clean();
    for spelling in [Spelling::Colon, Spelling::Node] {
        world.set_new_file_spelling(spelling);
        let guard = first::Guard { mood: first::Mood::Angry, backup: Some(first::Mood::Angry) };
        let handle = world.spawn(guard, Vec3::ZERO).unwrap();
        let file = world.file_of(handle).unwrap();
        save(&mut world);
        let text = project.text(file.rsplit('/').next().unwrap());
        assert!(
            text.contains("\nMood: Angry\nBackup: Angry\n") || text.contains("; mood\nAngry\n; backup\nAngry\n"),
            "{text}"
        );
    }
    project
}

#[test]
fn k34_a_variant_inserted_before_changes_nothing() {
    let project = saved_by_the_first_build().rebuilt(inserted::registry());
    let world = project.load_clean();
    let guards: Vec<&inserted::Guard> = world.iter_of().map(|(_, guard)| guard).collect();
    assert_eq!(guards.len(), 2);
    for guard in guards {
        assert_eq!((guard.mood, guard.backup), (inserted::Mood::Angry, Some(inserted::Mood::Angry)));
    }
}

#[test]
fn k34_a_renamed_variant_is_refused_with_the_list() {
    let project = saved_by_the_first_build().rebuilt(renamed::registry());
    let before = project.picture();
    let (mut world, report) = project.load();
    assert_eq!((world.len(), report.skipped), (0, 2));
    for error in &report.diagnostics {
        assert_eq!((error.code, &*error.found), (Code::UnknownVariant, "Angry"));
        assert!(error.line > 0 && error.property.to_lowercase().ends_with(['d', 'p']), "{error}");
        assert_eq!(&*error.expected, "one of `Asleep`, `Calm`, `Furious`");
    }
    save_all(&mut world);
    assert_eq!(project.picture(), before);
}

#[test]
fn k34_an_alias_reads_the_old_name_and_the_new_one_is_written_with_the_next_change() {
    let project = saved_by_the_first_build().rebuilt(with_alias::registry());
    let mut world = project.load_clean();
    let handles: Vec<EntityHandle> = world.iter_of::<with_alias::Guard>().map(|(handle, _)| handle).collect();
    assert!(
        handles.iter().all(|&handle| world.get::<with_alias::Guard>(handle).unwrap().mood == with_alias::Mood::Furious)
    );
    world.set(handles[0], "backup", None::<with_alias::Mood>).unwrap();
    save(&mut world);
    let text = project.text(world.file_of(handles[0]).unwrap().rsplit('/').next().unwrap());
    assert!(text.contains("Angry") && text.contains("none"), "the mood was not changed: {text}");
}

#[test]
fn k34_what_is_no_variant_is_refused() {
    for text in
        ["1", "angry", "ANGRY", "Calm, Angry", "Angry(3)", "{ Angry: 3 }", "Mood::Angry", "none", "\"Angry", "[Angry]"]
    {
        let error = refused_once(inserted::registry(), format!("; entity_type: Guard\nMood: {text}\n"));
        assert_eq!((error.code, error.line, error.column), (Code::UnknownVariant, 2, 7), "{text}: {error}");
        assert_eq!((&*error.property, &*error.found), ("Mood", text));
        assert_eq!(&*error.expected, "one of `Asleep`, `Calm`, `Angry`");
        if text.eq_ignore_ascii_case("angry") {
            assert_eq!(error.help.as_deref(), Some("did you mean `Angry`?"));
        }
    }
    let error = refused_once(inserted::registry(), "; entity_type: Guard\nMood:\n");
    assert_eq!((error.code, error.line), (Code::MissingValue, 2));
    assert!(error.expected.contains("`Asleep`, `Calm`, `Angry`"), "{error}");
}

#[test]
fn k34_blanks_around_a_variant_are_trimmed() {
    let (world, handle) = accepted(inserted::registry(), "; entity_type: Guard\nMood: Angry \t\nBackup:  Calm \n");
    let guard = world.get::<inserted::Guard>(handle).unwrap();
    assert_eq!((guard.mood, guard.backup), (inserted::Mood::Angry, Some(inserted::Mood::Calm)));
}

#[test]
fn k34_none_is_no_value_and_a_variant_of_that_name_is_written_otherwise() {
    let (world, handle) = accepted(inserted::registry(), "; entity_type: Guard\nMood: Calm\nBackup: none\n");
    assert_eq!(world.get::<inserted::Guard>(handle).unwrap().backup, None);
    let error = refused_once(inserted::registry(), "; entity_type: Guard\nBackup: None\n");
    assert_eq!((error.code, error.line), (Code::UnknownVariant, 2));

    use with_nothing::{Guard, Mood};
    for backup in [None, Some(Mood::None), Some(Mood::Calm)] {
        let project =
            TestProject::with(with_nothing::registry(), &[("A.jasset", "; entity_type: Guard\n; id: 0x01\n")]);
        let mut world = project.load_clean();
        let handle = only(&world);
        *world.get_mut::<Guard>(handle).unwrap() = Guard { mood: Mood::None, backup };
        save(&mut world);
        let world = project.load_clean();
        let guard = world.get::<Guard>(only(&world)).unwrap();
        assert_eq!((guard.mood, guard.backup), (Mood::None, backup), "{}", project.text("A.jasset"));
    }
}
