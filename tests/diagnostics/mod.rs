//! What diagnostics say to people: the page of each code, and how they are drawn.

mod drawn;
mod pages;
