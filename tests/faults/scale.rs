//! K35: worlds of many entities, in work that follows what is done.

use std::time::Duration;

use growth::{check_linear, cpu_time};

use super::*;

fn many(count: u64) -> Content {
    let content = Content::of(&[]);
    (1..=count).for_each(|id| content.put(&format!("{id}.jasset"), format!("; entity_type: Rock\n; id: {id}\n")));
    content
}

/// The time of loading, changing ten, saving, removing half and saving.
fn time_of(count: usize) -> Duration {
    let content = many(count as u64);
    cpu_time(|| change_and_remove(&content, count as u64))
}

fn change_and_remove(content: &Content, count: u64) {
    let fs = quick();
    let (mut world, report) = content.load_on(&fs);
    assert_eq!((report.diagnostics, world.len() as u64), (vec![], count));
    assert_eq!(fs.counts().opened_for_reading, count + 1, "each file once, and the settings");
    for id in (1..=count).step_by(count as usize / 10) {
        set_hits(&mut world, id, 1000);
    }
    let before = fs.counts();
    assert_eq!(save(&mut world).written.len(), 10);
    let after = fs.counts();
    let count_of = |it: fn(&juliet::folder::testing::Counts) -> u64| it(&after) - it(&before);
    // The log is not among them; the namespace is not needed.
    assert_eq!(count_of(|it| it.renamed), 10);
    assert_eq!(count_of(|it| it.opened_for_reading), 10);
    assert!(count_of(|it| it.opened_for_writing) <= 11, "ten, and once the `.gitignore` of the local folder");
    assert!(count_of(|it| it.operations) < 150, "{}", count_of(|it| it.operations));

    let gone: Vec<u64> = (1..=count).filter(|id| id % 2 == 0).collect();
    for &id in &gone {
        let handle = by_id(&world, id);
        world.remove(handle).unwrap();
    }
    assert_eq!(save(&mut world).removed.len(), gone.len());
    let work = fs.counts().operations - after.operations;
    assert!(work < 6 * gone.len() as u64 + 50, "{work}");
    assert_eq!(content.names().len() as u64, count - gone.len() as u64);
}

#[test]
fn k35_ten_changes_among_thousands_write_ten_files() {
    check_linear("changes among many", 400, time_of);
}

#[test]
#[ignore = "130,000 files, run by cargo xtask full"]
fn k35_ten_changes_among_a_hundred_thousand_write_ten_files() {
    check_linear("changes among many", 10_000, time_of);
}

#[test]
fn saving_one_of_ten_thousand_opens_one_file() {
    let (content, fs) = (many(10_000), quick());
    let (mut world, _) = content.load_on(&fs);
    set_hits(&mut world, 77, 1);
    save(&mut world);
    set_hits(&mut world, 77, 2);
    let before = fs.counts();
    let report = save(&mut world);
    let after = fs.counts();
    assert_eq!(last(&report.written), ["77.jasset"]);
    assert_eq!(after.opened_for_writing - before.opened_for_writing, 1);
    assert_eq!(after.opened_for_reading - before.opened_for_reading, 1);
    assert_eq!((after.renamed - before.renamed, after.listed - before.listed), (1, 0));
    assert!(after.operations - before.operations < 25);
}
