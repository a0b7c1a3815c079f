//! Old files of very many lines and very deep keys: what is linear takes a moment, and what is not takes minutes.

use std::fmt::Write as _;

use juliet::prelude::*;
use juliet::{Code, MigrateError, Migration, Mode, PropertyValue};

use crate::support::{TestProject, only};

#[derive(Property, Clone, Default)]
#[jasset(removed("Gone"))]
struct In<T: PropertyValue + Clone + Default> {
    inner: T,
}

type Five<T> = In<In<In<In<In<T>>>>>;

/// A number thirty structs deep.
type Deep = Five<Five<Five<Five<Five<Five<u32>>>>>>;

#[derive(Entity)]
#[jasset(version = 2, migrate(1 => rename), removed("Lost"))]
struct Well {
    deep: Deep,
    wells: IndexMap<String, Deep>,
    prices: IndexMap<String, u32>,
}

fn rename(file: &mut Migration<'_>) -> Result<(), MigrateError> {
    file.rename("Old", "Prices");
    file.rename("Odd", "Odder");
    file.remove_all("Junk");
    Ok(())
}

#[test]
fn an_old_file_of_a_hundred_thousand_lines_is_migrated() {
    let (deep, brackets) = ("Inner.".repeat(29), "[a]".repeat(20_000));
    let mut text = String::from("; class: Well\n; id: 0x01\n");
    for (key, value) in [
        (format!("Deep.{deep}Inner"), "7"),
        (format!("Deep.{deep}Gone[x].Y"), "gone"),
        (format!("Wells[a].{deep}Inner"), "8"),
        (format!("Wells[a].{deep}Gone"), "gone"),
        (format!("Stray{brackets}"), "kept"),
        (format!("Odd{brackets}.X"), "kept"),
        (format!("Old{}.X", ".a".repeat(20_000)), "kept"),
    ] {
        writeln!(text, "{key}: {value}").unwrap();
    }
    for number in 0..20_000 {
        writeln!(text, "Old[k{number}]: {number}\nOdd.Old.X{number}: 1\nJunk[{number}].a: x\nLost.X{number}: 1")
            .unwrap();
        writeln!(text, "Stray{number}: [").unwrap();
    }
    let project = TestProject::with(registry![Well].unwrap(), &[("A.jasset", &text)]);
    let (world, report) = project.load();
    // What a step made of a line is told where the line stands, and no more of it than of others.
    let told: Vec<(u32, Code)> = report.diagnostics.iter().map(|it| (it.line, it.code)).collect();
    assert_eq!(told[..3], [(0, Code::TooManyFindings), (7, Code::UnknownKey), (8, Code::UnknownKey)]);
    assert_eq!(told.len(), 21);
    let well = world.get::<Well>(only(&world)).unwrap();
    assert_eq!((well.prices.len(), well.wells.len()), (20_000, 1));
    assert_eq!(world.get_text(only(&world), &format!("Deep.{deep}Inner")).unwrap(), "7");
    drop(world);
    assert!(project.open().migrate(Mode::Write).unwrap().is_complete());
    let new = project.text("A.jasset");
    assert!(!new.contains("gone") && !new.contains("Lost") && !new.contains("Junk") && !new.contains("Odd."));
    assert_eq!((new.matches("kept").count(), new.matches("\nStray").count()), (3, 20_001));
    assert_eq!((new.matches("\nPrices[k").count(), new.matches("\nOdder.Old.X").count()), (20_000, 20_000));
    assert!(project.open().migrate(Mode::Write).unwrap().files.is_empty());
}
