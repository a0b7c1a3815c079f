//! Work for other threads, and the threads.
//!
//! ```text
//! Assets ──Look──► queue ──► any thread ──Load──► queue ──► any thread ──Done──► Assets::update
//! ```
//!
//! All paths that are asked for together make one job, which looks at the folders once; each file that is to be read is one more job.
//! Invariant: each path of a job comes back in exactly one [`Done`], whatever panics.

use std::collections::VecDeque;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use juliet_core::diag::Diagnostic;

use super::look::{Load, Loaded, Looked, Lookup, guarded, load, look, panicked};
use super::progress::{Amount, SharedAmount};
use crate::ecs::Exclusive;
use crate::folder::Spelling;
use crate::project::Project;

enum Job {
    Look(Vec<Lookup>),
    Load(Box<Load>),
}

/// What became of a path.
pub(super) struct Done {
    pub(super) id: u64,
    pub(super) outcome: Outcome,
    /// Length of the file, as it was counted in the total.
    pub(super) size_bytes: u64,
}

pub(super) enum Outcome {
    /// The file was not opened.
    Unchanged,
    /// It was not opened because it cannot be.
    Unavailable(Box<Diagnostic>),
    /// It was opened.
    Loaded(Loaded),
}

/// What all threads see.
struct Shared {
    project: Project,
    limit_bytes: u64,
    queue: Mutex<Queue>,
    wake: Condvar,
    /// Loads that were begun.
    total: SharedAmount,
}

#[derive(Default)]
struct Queue {
    jobs: VecDeque<Job>,
    is_closed: bool,
}

/// The queue and its threads; they end when it is dropped.
pub(super) struct Jobs {
    shared: Arc<Shared>,
    /// A receiver is for one thread at a time; `Assets` are shared, as a resource of a world.
    results: Exclusive<Receiver<Vec<Done>>>,
    sender: Sender<Vec<Done>>,
    threads: Vec<JoinHandle<()>>,
}

impl Jobs {
    /// Starts `threads` threads, or none.
    pub(super) fn start(project: Project, threads: usize, limit_bytes: u64) -> std::io::Result<Self> {
        let (sender, results) = channel();
        let (queue, wake, total) = (Mutex::default(), Condvar::new(), SharedAmount::default());
        let shared = Arc::new(Shared { project, limit_bytes, queue, wake, total });
        let mut jobs = Self { shared, results: Exclusive::new(results), sender, threads: Vec::with_capacity(threads) };
        for number in 0..threads {
            let (shared, sender) = (jobs.shared.clone(), jobs.sender.clone());
            let name = format!("juliet-assets-{number}");
            let work = move || {
                while let Some(job) = shared.next() {
                    shared.run(job, &sender);
                }
            };
            jobs.threads.push(std::thread::Builder::new().name(name).spawn(work)?);
        }
        Ok(jobs)
    }

    /// Hands paths to the threads.
    pub(super) fn look_at(&self, paths: Vec<Lookup>) {
        if !paths.is_empty() {
            self.shared.push(Job::Look(paths));
        }
    }

    /// Runs one job on this thread; `false` if there is none.
    pub(super) fn run_one(&self) -> bool {
        let job = self.shared.lock().jobs.pop_front();
        let Some(job) = job else { return false };
        self.shared.run(job, &self.sender);
        true
    }

    /// What has come back and was not taken yet.
    pub(super) fn take(&mut self) -> Option<Vec<Done>> {
        self.results.get().try_recv().ok()
    }

    /// What comes back next, after waiting for it.
    pub(super) fn wait(&mut self) -> Option<Vec<Done>> {
        self.results.get().recv().ok()
    }

    /// Nothing is begun from now on.
    pub(super) fn close(&self) {
        self.shared.lock().is_closed = true;
        self.shared.wake.notify_all();
    }

    pub(super) fn project(&self) -> &Project {
        &self.shared.project
    }

    pub(super) fn total(&self) -> &SharedAmount {
        &self.shared.total
    }
}

impl Drop for Jobs {
    /// Waits for what was begun; the rest is not begun.
    fn drop(&mut self) {
        self.close();
        for thread in self.threads.drain(..) {
            // It has caught all panics but those of this module.
            let _ = thread.join();
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Queue> {
        // Pushing and popping leave a valid queue at any moment.
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn push(&self, job: Job) {
        let mut queue = self.lock();
        if !queue.is_closed {
            queue.jobs.push_back(job);
            drop(queue);
            self.wake.notify_one();
        }
    }

    /// The next job, after waiting for it; `None` when there will be none.
    fn next(&self) -> Option<Job> {
        let mut queue = self.lock();
        loop {
            if queue.is_closed {
                return None;
            }
            if let Some(job) = queue.jobs.pop_front() {
                return Some(job);
            }
            queue = self.wake.wait(queue).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn run(&self, job: Job, sender: &Sender<Vec<Done>>) {
        let done = match job {
            Job::Look(paths) => self.look(&paths),
            Job::Load(load) => vec![self.load(&load)],
        };
        if !done.is_empty() {
            // Nobody listens any more only while all of it is dropped.
            let _ = sender.send(done);
        }
    }

    /// Looks at all paths; those whose files are to be read become jobs, the others are done.
    fn look(&self, paths: &[Lookup]) -> Vec<Done> {
        let mut spelling = Spelling::new(self.project.file_system(), self.project.root());
        let mut done = Vec::new();
        for path in paths {
            let looked = guarded(|| look(&self.project, &mut spelling, path, self.limit_bytes));
            let outcome = match looked {
                Ok(Looked::Unchanged) => Outcome::Unchanged,
                Ok(Looked::Failed(why)) => Outcome::Unavailable(why),
                Ok(Looked::Load(load)) => {
                    // A first load is counted since it was asked for.
                    let count = u64::from(!path.is_first);
                    self.total.add(Amount { count, size_bytes: load.size_bytes() });
                    self.push(Job::Load(Box::new(load)));
                    continue;
                }
                Err(words) => Outcome::Unavailable(panicked(&self.project, &path.path, &words)),
            };
            done.push(Done { id: path.id, outcome, size_bytes: 0 });
        }
        done
    }

    fn load(&self, job: &Load) -> Done {
        let loaded = guarded(|| load(&self.project, job, self.limit_bytes));
        let failed = |words: Box<str>| Loaded::Failed(panicked(&self.project, &job.lookup.path, &words), None);
        let outcome = Outcome::Loaded(loaded.unwrap_or_else(failed));
        Done { id: job.lookup.id, outcome, size_bytes: job.size_bytes() }
    }
}
