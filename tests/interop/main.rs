//! Other people's tools read what we write, and say the same about it.
//!
//! The crates `signed_note` and `tlog_tiles` (Cloudflare's) and `ct-merkle` are asked here, in this process. Python's
//! `securesystemslib` and `in-toto-attestation`, and Go's `sumdb/note` and `sumdb/tlog`, are asked about a real server.

mod note;
mod proof;
mod server;
mod tile;
