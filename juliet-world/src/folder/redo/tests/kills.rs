//! K27.1: the process is killed at random moments of its saves.

use super::*;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const ROOT: &str = "JULIET_TEST_SAVE_UNTIL_KILLED";
const FILES: usize = 50;

fn name(index: usize) -> String {
    format!("Entities/e{index:02}.jasset")
}

fn text(index: usize, generation: u64) -> String {
    let lines = "Name: padding\n".repeat((index + generation as usize) % 40);
    format!("; generation: {generation}\nIndex: {index}\n{lines}; end: {generation}\n")
}

/// The generation that a file holds; panics if it is not whole.
fn generation(root: &Path, index: usize) -> u64 {
    let found = read(root, &name(index));
    let line = found.lines().next().unwrap_or_default();
    let generation =
        line.trim_start_matches("; generation: ").parse().unwrap_or_else(|_| panic!("file {index}: {found:?}"));
    assert_eq!(found, text(index, generation), "file {index}");
    generation
}

fn save_until_killed(root: &Path) -> ! {
    loop {
        recover(&DiskFileSystem, root).unwrap();
        let now = generation(root, 0);
        let writes = (0..FILES).map(|i| write(&name(i), Some(&text(i, now)), &text(i, now + 1))).collect();
        let report = save(root, writes);
        assert_eq!(report.written.len(), FILES);
    }
}

#[test]
#[ignore = "the process that the next test starts and kills"]
fn child_that_saves_until_it_is_killed() {
    if let Some(root) = std::env::var_os(ROOT) {
        save_until_killed(Path::new(&root));
    }
}

/// 200 kills; `JULIET_KILLS` sets another number, and the time is bounded on a slow disk.
#[test]
fn k27_killed_at_random_moments_every_file_is_whole_and_the_save_all_or_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path();
    fs::create_dir(root.join("Entities")).unwrap();
    for index in 0..FILES {
        fs::write(root.join(name(index)), text(index, 0)).unwrap();
    }
    let asked = std::env::var("JULIET_KILLS").ok().and_then(|kills| kills.parse::<u64>().ok());
    let (kills, time) = (asked.unwrap_or(200), Duration::from_secs(if asked.is_some() { 3600 } else { 8 }));
    let begun = Instant::now();
    let (mut finished, mut random) = (0, 0x9E37_79B9_7F4A_7C15u64);
    for kill in 0..kills {
        if begun.elapsed() > time {
            break;
        }
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(kill | 1);
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "folder::redo::tests::kills::child_that_saves_until_it_is_killed", "--ignored"])
            .env(ROOT, root)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_micros(4_000 + (random >> 33) % 20_000));
        child.kill().unwrap();
        child.wait().unwrap();
        let states: Vec<u64> = (0..FILES).map(|index| generation(root, index)).collect();
        let (low, high) = (*states.iter().min().unwrap(), *states.iter().max().unwrap());
        assert!(high - low <= 1, "kill {kill}: {states:?}");
        let report = recover(&DiskFileSystem, root).unwrap();
        assert!(report.conflicts.is_empty() && report.failed.is_empty(), "kill {kill}: {report:?}");
        finished += u64::from(!report.is_quiet());
        let after = generation(root, 0);
        assert!((0..FILES).all(|index| generation(root, index) == after), "kill {kill}");
        assert!(temporaries(root).is_empty());
    }
    assert!(generation(root, 0) > 10 && finished > 0, "{} saves, {finished} finished later", generation(root, 0));
}
