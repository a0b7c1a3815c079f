//! The order of systems: a topological sort that keeps the order of addition where nothing else is said.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use juliet_core::diag::nearest;

use super::{Entry, ScheduleError};

/// The places of `systems` in the order in which they run. O(systems + rules, and a logarithm).
pub(super) fn order<W>(systems: &[Entry<W>], stages: &[Box<str>]) -> Result<Vec<usize>, ScheduleError> {
    let by_name: HashMap<&str, usize> = systems.iter().enumerate().map(|(at, it)| (it.config.name(), at)).collect();
    let find = |entry: &Entry<W>, side: &'static str, name: &str| {
        by_name.get(name).copied().ok_or_else(|| ScheduleError::MissingSystem {
            system: entry.config.name().into(),
            side,
            missing: name.into(),
            suggestion: nearest(name, systems.iter().map(|entry| entry.config.name())).map(Into::into),
        })
    };
    // Those that wait for a system, and how many each waits for.
    let mut behind: Vec<Vec<usize>> = vec![Vec::new(); systems.len()];
    let mut waits: Vec<usize> = vec![0; systems.len()];
    for (at, entry) in systems.iter().enumerate() {
        let before = entry.config.before_names().map(|name| Ok((at, find(entry, "before", name)?)));
        let after = entry.config.after_names().map(|name| Ok((find(entry, "after", name)?, at)));
        for pair in before.chain(after) {
            let (first, second) = pair?;
            if systems[first].stage > systems[second].stage {
                return Err(contradiction(systems, stages, first, second));
            }
            behind[first].push(second);
            waits[second] += 1;
        }
    }
    let rank = |at: usize| Reverse((systems[at].stage, systems[at].number, at));
    let mut ready: BinaryHeap<_> = (0..systems.len()).filter(|&at| waits[at] == 0).map(rank).collect();
    let mut order = Vec::with_capacity(systems.len());
    while let Some(Reverse((_, _, at))) = ready.pop() {
        order.push(at);
        for &next in &behind[at] {
            waits[next] -= 1;
            if waits[next] == 0 {
                ready.push(rank(next));
            }
        }
    }
    if order.len() < systems.len() {
        return Err(circle(systems, stages, &behind, &waits));
    }
    Ok(order)
}

fn contradiction<W>(systems: &[Entry<W>], stages: &[Box<str>], first: usize, second: usize) -> ScheduleError {
    let stage = |at: usize| stages[systems[at].stage].clone();
    ScheduleError::Stages {
        first: systems[first].config.name().into(),
        first_stage: stage(first),
        second: systems[second].config.name().into(),
        second_stage: stage(second),
    }
}

/// A circle among the systems that still wait: going back from any of them one has to come by one twice.
fn circle<W>(systems: &[Entry<W>], stages: &[Box<str>], behind: &[Vec<usize>], waits: &[usize]) -> ScheduleError {
    let mut before: Vec<Option<usize>> = vec![None; systems.len()];
    for (first, next) in behind.iter().enumerate().filter(|&(first, _)| waits[first] > 0) {
        next.iter().for_each(|&second| before[second] = Some(first));
    }
    let start = waits.iter().position(|&count| count > 0).unwrap_or_default();
    let (mut seen, mut place, mut at) = (Vec::new(), vec![None; systems.len()], start);
    while place[at].is_none() {
        place[at] = Some(seen.len());
        seen.push(at);
        at = before[at].unwrap_or(at);
    }
    let from = place[at].unwrap_or_default();
    // Walked backwards; told forwards.
    let systems_of = seen[from..].iter().rev().map(|&at| systems[at].config.name().into());
    ScheduleError::Cycle { stage: stages[systems[at].stage].clone(), systems: systems_of.collect() }
}
