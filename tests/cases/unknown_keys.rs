//! K16: what a program does not know it keeps.

use juliet::prelude::*;
use juliet::{Code, Severity};

use crate::support::classes::rocks;
use crate::support::{TestProject, changed_lines, entity_in, save};

const COLON: &str =
    "; entity_type: Rock\n; id: 0x01\nPosition: 0, 0, 0\nScale: 2\nOldArmor: 55\nOldTag: mossy   # soft\n\nHits: 3\n";
const NODE: &str = "; class\nRock\n; id\n0x02\n; position\n0 0 0\n; scale\n2\n; old_armor\n55\n; old_tag\nmossy   # soft\n\n; hits\n3\n";

/// A later build, in which one of the two keys exists again.
mod later {
    use juliet::prelude::*;

    /// A rock with armour.
    #[derive(Entity)]
    pub(super) struct Rock {
        /// Size.
        pub(super) scale: f32,
        /// Blows it has taken.
        pub(super) hits: u8,
        /// Armour.
        pub(super) old_armor: u32,
        /// A mark.
        pub(super) old_tag: String,
    }
}

#[test]
fn k16_unknown_keys_are_warned_about_and_kept_in_both_spellings() {
    let project = TestProject::with(rocks(), &[("A.jasset", COLON), ("B.jasset", NODE)]);
    let (mut world, report) = project.load();
    let found: Vec<_> = report
        .diagnostics
        .iter()
        .map(|it| (it.severity, it.code, it.file.rsplit('/').next().unwrap(), it.line, &*it.property))
        .collect();
    let warning = |file, line, key| (Severity::Warning, Code::UnknownKey, file, line, key);
    assert_eq!(
        found,
        [
            warning("A.jasset", 5, "OldArmor"),
            warning("A.jasset", 6, "OldTag"),
            warning("B.jasset", 9, "old_armor"),
            warning("B.jasset", 11, "old_tag"),
        ]
    );
    assert!(report.diagnostics.iter().all(|it| it.message.contains("Rock")));

    let mut copies = Vec::new();
    for name in ["A.jasset", "B.jasset"] {
        let handle = entity_in(&world, name);
        world.set(handle, "scale", 3.0_f32).unwrap();
        let copy = world.duplicate(handle).unwrap();
        copies.push(world.file_of(copy).unwrap().rsplit('/').next().unwrap().to_owned());
    }
    save(&mut world);
    assert_eq!(changed_lines(COLON, &project.text("A.jasset")), ["-Scale: 2\n", "+Scale: 3.0\n"]);
    assert_eq!(changed_lines(NODE, &project.text("B.jasset")), ["-2\n", "+3.0\n"]);
    for (copy, original) in copies.iter().zip(["A.jasset", "B.jasset"]) {
        let changed = changed_lines(&project.text(original), &project.text(copy));
        assert!(changed.len() == 2 && changed.iter().all(|line| line.contains("0x")), "{changed:?}");
    }

    let project = project.rebuilt(registry![later::Rock].unwrap());
    let world = project.load_clean();
    assert_eq!(world.len(), 4);
    for (_, rock) in world.iter_of::<later::Rock>() {
        assert_eq!((rock.old_armor, &*rock.old_tag, rock.hits, rock.scale), (55, "mossy   # soft", 3, 3.0));
    }
}

#[test]
fn k16_a_likely_typo_gets_a_hint() {
    for (text, hint) in [
        ("; entity_type: Rock\nScael: 2\n", "Scale"),
        ("; class\nRock\n; scael\n2\n", "scale"),
        ("; entity_type: Rock\nMeshasset: a\n", "MeshAsset"),
        ("; entity_type: Rock\nPositon: 1, 2, 3\n", "Position"),
        ("; class\nRock\n; positon\n1 2 3\n", "position"),
    ] {
        let (_, report) = TestProject::with(rocks(), &[("A.jasset", text)]).load();
        let [warning] = &report.diagnostics[..] else { panic!("{text}: {:?}", report.diagnostics) };
        assert_eq!(warning.help.as_deref(), Some(&*format!("did you mean `{hint}`?")), "{text}");
    }
}

#[test]
fn k16_unknown_directives_and_sections_are_kept() {
    let text = "; entity_type: Rock\n; id: 0x01\n; reviewed: yes\nPosition: 0, 0, 0\nScale: 2\n\n; component: Velocity\nScale: 7\nSpeed: 1\n";
    let project = TestProject::with(rocks(), &[("A.jasset", text)]);
    let (mut world, report) = project.load();
    let codes: Vec<Code> = report.diagnostics.iter().map(|it| it.code).collect();
    assert_eq!(codes, [Code::UnknownDirective, Code::UnknownSection]);
    let handle = entity_in(&world, "A.jasset");
    world.set(handle, "scale", 3.0_f32).unwrap();
    world.set(handle, "hits", 9_u8).unwrap();
    save(&mut world);
    let changed = changed_lines(text, &project.text("A.jasset"));
    assert_eq!(changed, ["-Scale: 2\n", "+Scale: 3.0\n", "+Hits: 9\n"]);
    let (world, _) = project.load();
    let handle = entity_in(&world, "A.jasset");
    assert_eq!(world.get::<crate::support::classes::Rock>(handle).unwrap().hits, 9);
}

#[test]
fn k16_a_later_build_reads_what_templates_instances_and_copies_kept() {
    let template = "; entity_type: Rock\nScale: 2\nOldArmor: 40\nOldTag: mossy   # soft\n";
    let instance = "; template: Assets/Templates/T.jasset\n; id: 0x0A\nOldArmor: 55\nHits: 3\n";
    let plain = "; entity_type: Rock\nScale: 2\nOldArmor: 55\nOldTag: mossy   # soft\n\nHits: 3\n";
    let other = "; template: Assets/Templates/T.jasset\n; id: 0x0B\n";
    let project = TestProject::with(rocks(), &[("A.jasset", instance), ("B.jasset", other), ("C.jasset", plain)]);
    let folder = project.root().join("Templates");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("T.jasset"), template).unwrap();
    let (mut world, report) = project.load();
    let warned: Vec<_> = report.diagnostics.iter().map(|it| (it.file.rsplit('/').next().unwrap(), it.line)).collect();
    assert_eq!(warned, [("T.jasset", 3), ("T.jasset", 4), ("A.jasset", 3), ("C.jasset", 3), ("C.jasset", 4)]);
    let rows = world.find_template("Assets/Templates/T.jasset").unwrap();
    let mut copies = Vec::new();
    for name in ["A.jasset", "B.jasset", "C.jasset"] {
        let handle = entity_in(&world, name);
        world.set(handle, "Scale", 3.0_f32).unwrap();
        let copy = world.duplicate(handle).unwrap();
        copies.push(world.file_of(copy).unwrap().rsplit('/').next().unwrap().to_owned());
    }
    world.set(rows, "Hits", 7_u8).unwrap();
    save(&mut world);
    let with_hits = template.replace("Scale: 2\n", "Scale: 2\nHits: 7\n");
    assert_eq!(std::fs::read_to_string(folder.join("T.jasset")).unwrap(), with_hits);
    assert!(project.text("A.jasset").contains("OldArmor: 55\n") && !project.text("B.jasset").contains("Old"));
    assert!(project.text("C.jasset").contains("\nOldArmor: 55\nOldTag: mossy   # soft\n\nHits: 3\n"));

    let project = project.rebuilt(registry![later::Rock].unwrap());
    let world = project.load_clean();
    let names = ["A.jasset", "B.jasset", "C.jasset"].into_iter().chain(copies.iter().map(String::as_str));
    for (name, armor) in names.zip([55, 40, 55].into_iter().cycle()) {
        let rock = world.get::<later::Rock>(entity_in(&world, name)).unwrap();
        assert_eq!((rock.old_armor, &*rock.old_tag, rock.scale), (armor, "mossy   # soft", 3.0), "{name}");
    }
}
