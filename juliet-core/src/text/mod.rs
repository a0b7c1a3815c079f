//! The `.jasset` text.
