//! Fixed ticks and what is shown between them: golden vectors, the rules of the specification by the numbers of its sections, random
//! inputs against models of unlimited precision, and extreme ones.

mod cases;
mod exact;
mod hostile;
mod loops;
mod managers;
mod math;
mod random;
mod restart;
mod snapshots;
mod vectors;
mod world;
