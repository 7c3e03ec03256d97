//! Routes in words: what the fold says, as a reader meets it. Nothing here judges.

pub mod matrix;
pub mod record;
pub mod why;
pub mod words;
