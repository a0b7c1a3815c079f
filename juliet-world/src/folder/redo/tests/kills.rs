//! K27.1: the process is killed at random moments of its saves.

use super::*;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const ROOT: &str = "JULIET_TEST_SAVE_UNTIL_KILLED";
/// Set for a child that flushes; the others are killed in the steps between flushes, where a flush would take nearly all the time.
const FLUSH: &str = "JULIET_TEST_FLUSH";
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

fn save_until_killed(root: &Path, fs: &dyn FileSystem) -> ! {
    loop {
        recover(fs, root).unwrap();
        let now = generation(root, 0);
        let writes = (0..FILES).map(|i| write(&name(i), Some(&text(i, now)), &text(i, now + 1))).collect();
        let report = transaction(writes, vec![]).execute(fs, root).unwrap();
        assert_eq!(report.written.len(), FILES);
    }
}

#[test]
#[ignore = "the process that the next test starts and kills"]
fn child_that_saves_until_it_is_killed() {
    let Some(root) = std::env::var_os(ROOT) else { return };
    let quick = FaultyFileSystem::new(DiskFileSystem).without_flushes();
    let with_flushes = std::env::var_os(FLUSH).is_some();
    save_until_killed(Path::new(&root), if with_flushes { &DiskFileSystem } else { &quick });
}

/// 200 kills, most of them in memory where the system has a place for that: what a kill leaves does not depend on the disk, but
/// a slow disk has few saves to be killed in. `JULIET_KILLS` sets another number without a bound on the time.
#[test]
fn k27_killed_at_random_moments_every_file_is_whole_and_the_save_all_or_nothing() {
    let asked = std::env::var("JULIET_KILLS").ok().and_then(|kills| kills.parse::<u64>().ok());
    let kills = asked.unwrap_or(200);
    let seconds = |bound| Duration::from_secs(if asked.is_some() { 86_400 } else { bound });
    let memory = Path::new("/dev/shm");
    let quick_place = if memory.is_dir() { memory.to_owned() } else { std::env::temp_dir() };
    kill_saves(&quick_place, kills - kills / 10, false, seconds(6));
    kill_saves(&std::env::temp_dir(), kills / 10, true, seconds(3));
}

fn kill_saves(place: &Path, kills: u64, with_flushes: bool, time: Duration) {
    let dir = tempfile::tempdir_in(place).unwrap();
    let root = dir.path();
    fs::create_dir(root.join("Entities")).unwrap();
    for index in 0..FILES {
        fs::write(root.join(name(index)), text(index, 0)).unwrap();
    }
    let quick = FaultyFileSystem::new(DiskFileSystem).without_flushes();
    let (begun, mut random) = (Instant::now(), 0x9E37_79B9_7F4A_7C15u64);
    for kill in (0..kills).take_while(|_| begun.elapsed() < time) {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(kill | 1);
        start_and_kill(root, with_flushes, Duration::from_micros(3_000 + (random >> 33) % 15_000));
        let states: Vec<u64> = (0..FILES).map(|index| generation(root, index)).collect();
        let (low, high) = (*states.iter().min().unwrap(), *states.iter().max().unwrap());
        assert!(high - low <= 1, "kill {kill}: {states:?}");
        let report = recover(&quick, root).unwrap();
        assert!(report.conflicts.is_empty() && report.failed.is_empty(), "kill {kill}: {report:?}");
        let after = generation(root, 0);
        assert!((0..FILES).all(|index| generation(root, index) == after), "kill {kill}");
        assert!(temporaries(root).is_empty());
    }
    assert!(generation(root, 0) > 0, "no child was alive for long enough to save");
}

fn start_and_kill(root: &Path, with_flushes: bool, after: Duration) {
    let mut command = Command::new(std::env::current_exe().unwrap());
    if with_flushes {
        command.env(FLUSH, "1");
    }
    let mut child = command
        .args(["--exact", "folder::redo::tests::kills::child_that_saves_until_it_is_killed", "--ignored"])
        .env(ROOT, root)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    std::thread::sleep(after);
    child.kill().unwrap();
    child.wait().unwrap();
}
