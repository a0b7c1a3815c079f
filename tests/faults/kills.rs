//! K27: a process that saves 50 entities over and over is killed at random moments.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::*;

const ROOT: &str = "JULIET_TEST_KILLED_WORLD";
const COUNT: u64 = 50;

fn id(index: u64) -> u64 {
    0x0200_0000_0000_0001 + index
}

#[test]
#[ignore = "the process that k27_sigkill_during_saves_leaves_whole_files_and_whole_saves starts and kills"]
fn child_that_saves_until_it_is_killed() {
    let Some(root) = std::env::var_os(ROOT) else { return };
    let (mut world, report) = Project::open(root, registry()).unwrap().load_world("W").unwrap();
    assert!(!report.has_errors(), "{:?}", report.diagnostics);
    let first = hits(&world, id(0));
    let mut out = std::io::stdout();
    out.write_all(b"\nready\n").and_then(|()| out.flush()).unwrap();
    for generation in first + 1.. {
        (0..COUNT).for_each(|index| set_hits(&mut world, id(index), generation));
        assert!(world.save().unwrap().is_complete());
    }
}

/// The generation of a file, which holds nothing else than the text of one.
fn generation(content: &Content, index: u64) -> u32 {
    let text = content.text(&format!("{index:02}.jasset"));
    let found = text.trim_end().rsplit(' ').next().unwrap().parse().unwrap();
    assert_eq!(text, rock(id(index), found));
    found
}

#[test]
fn k27_sigkill_during_saves_leaves_whole_files_and_whole_saves() {
    let content = Content::of(&[]);
    (0..COUNT).for_each(|index| content.put(&format!("{index:02}.jasset"), rock(id(index), 1)));
    let asked = std::env::var("JULIET_KILLS").ok().and_then(|kills| kills.parse::<u64>().ok());
    let (kills, time) = (asked.unwrap_or(100), Duration::from_secs(if asked.is_some() { 3600 } else { 10 }));
    let begun = Instant::now();
    let (mut cut, mut finished, mut random) = (0, 0, 0x9E37_79B9_7F4A_7C15u64);
    for kill in 0..kills {
        if begun.elapsed() > time {
            break;
        }
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(kill | 1);
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "faults::kills::child_that_saves_until_it_is_killed", "--ignored", "--nocapture"])
            .env(ROOT, content.root())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        assert!(lines.any(|line| line.unwrap() == "ready"), "kill {kill}: the world does not load");
        std::thread::sleep(Duration::from_micros((random >> 33) % 20_000));
        child.kill().unwrap();
        child.wait().unwrap();
        let found: Vec<u32> = (0..COUNT).map(|index| generation(&content, index)).collect();
        let (low, high) = (*found.iter().min().unwrap(), *found.iter().max().unwrap());
        assert!(high - low <= 1, "kill {kill}: {found:?}");
        cut += u32::from(high != low);
        let (world, report) = content.load();
        assert!(!report.has_errors(), "kill {kill}: {:?}", report.diagnostics);
        assert_eq!(world.len() as u64, COUNT);
        finished += u32::from(!report.diagnostics.is_empty());
        let now = hits(&world, id(0));
        assert!(
            (0..COUNT).all(|index| hits(&world, id(index)) == now && generation(&content, index) == now),
            "kill {kill}"
        );
        assert!(
            fs::read_dir(content.entities()).unwrap().count() as u64 == COUNT,
            "kill {kill}: {:?}",
            content.names()
        );
    }
    let saves = generation(&content, 0);
    assert!(saves > 5, "{saves} saves, {cut} cut, {finished} finished by a load");
}
