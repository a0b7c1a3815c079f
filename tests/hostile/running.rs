//! Running worlds used in the wrong order: lists of systems that are put together anew, tickets of another world, play in between.

use juliet::prelude::*;
use juliet::{CommandFailure, SystemTable, system};

use crate::support::TestProject;
use crate::support::classes::{Rock, rocks};

const SETTINGS: &str = "../WorldSettings.jasset";

fn table() -> SystemTable {
    let mut table = SystemTable::default();
    for name in ["a", "b", "c", "d e"] {
        table.add(name, || system("x", |_: &mut World| {}));
    }
    table
}

#[test]
fn a_list_in_another_order_is_saved_in_that_order() {
    for (old, new) in [
        (
            "; asset_type: world_settings\nSystems[a]: true\n# of b\nSystems[b]: true\nGravity: 1\nSystems[c]:  true\n",
            "; asset_type: world_settings\n# of b\nSystems[b]: true\nGravity: 1\nSystems[c]:  true\nSystems[a]: true\n",
        ),
        (
            "\u{FEFF}; asset_type: world_settings\r\nsystems[\"a\"]: true\r\nsystems[b]: true\r\nsystems[c]: true",
            "\u{FEFF}; asset_type: world_settings\r\nsystems[b]: true\r\nsystems[c]: true\r\nSystems[a]: true",
        ),
        (
            "; asset_type\nworld_settings\n; systems[a]\ntrue\n; systems[b]\ntrue\n; systems[c]\ntrue\n",
            "; asset_type\nworld_settings\n; systems[b]\ntrue\n; systems[c]\ntrue\n; systems[a]\ntrue\n",
        ),
    ] {
        let project = TestProject::with(rocks(), &[(SETTINGS, old)]);
        let mut world = project.load_clean();
        assert!(world.start_listed(&table()).errors.is_empty());
        // Out, and in again behind the others.
        world.remove_system("a").unwrap();
        world.list_system(&table(), "a").unwrap();
        let listed: Vec<String> = world.listed_systems().map(|(name, _)| name.to_owned()).collect();
        assert_eq!(listed, ["b", "c", "a"]);
        assert!(world.save().unwrap().is_complete());
        assert_eq!(project.text(SETTINGS), new);
        assert!(world.save().unwrap().written.is_empty());
        // All at once: each of the others behind the last one.
        for name in ["b", "c"] {
            world.remove_system(name).unwrap();
            world.list_system(&table(), name).unwrap();
        }
        world.list_system(&table(), "d e").unwrap();
        assert!(world.save().unwrap().is_complete());
        let again = project.load_clean();
        assert_eq!(again.listed_systems().map(|it| it.0).collect::<Vec<_>>(), ["a", "b", "c", "d e"]);
    }
}

#[test]
fn a_line_of_the_list_that_names_nothing_is_told() {
    for line in ["Systems[\"a]: true", "systems[a: true", "Systems[\"a\"b]: true", "Systems[a]b: true"] {
        let text = format!("; asset_type: world_settings\n{line}\n");
        let project = TestProject::with(rocks(), &[(SETTINGS, &text)]);
        let (mut world, report) = project.load();
        let [told] = &report.diagnostics[..] else { panic!("{line}: {:?}", report.diagnostics) };
        assert!(told.is_error() && told.line == 2, "{told}");
        assert!(world.save().unwrap().is_complete());
        assert_eq!(project.text(SETTINGS), text);
    }
}

#[test]
fn tickets_of_the_authored_world_name_nothing_in_the_simulation_and_the_other_way_round() {
    let rock = || Rock { scale: 1.0, is_destructible: false, mesh_asset: String::new(), hits: 0 };
    let mut world = World::new(rocks()).unwrap();
    let authored = world.commands().spawn(rock(), Vec3::ZERO);
    world.play().unwrap();
    let simulated = world.commands().spawn(rock(), Vec3::ZERO);
    world.commands().remove(authored);
    let report = world.update().unwrap();
    assert_eq!((report.spawned.len(), world.len()), (1, 1));
    assert!(matches!(report.errors[0].failure, CommandFailure::NotMade { .. }));
    world.stop().unwrap();
    world.commands().remove(simulated);
    let another = world.commands().spawn(rock(), Vec3::ZERO);
    assert!(another != simulated && another != authored);
    let report = world.update().unwrap();
    assert_eq!(report.spawned.iter().map(|it| it.0).collect::<Vec<_>>(), [authored, another]);
    assert_eq!((world.len(), report.errors.len()), (2, 1));
}
