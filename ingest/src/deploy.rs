//! The agent beside the runtime: it takes orders from the log and carries them out on a folder that the runtime serves
//! from.
//!
//! ```text
//! versions/<bundle's digest>/bundle         never changed once it has its name
//! versions/<bundle's digest>/runtime.conf
//! current -> versions/<bundle's digest>     the one link; it is replaced, never edited
//! journal.json                              what is being done, and how far it is
//! .acta-lock                                held by the one agent that works here
//! ```
//!
//! What a kill leaves, by the moment at which it comes:
//!
//! | killed | on disk | the next start |
//! |---|---|---|
//! | while it fetches | an unfinished folder, the old link | removes it, fetches again |
//! | before the switch | the version, the old link | verifies the version again, switches |
//! | after the switch | the new link | reports it, runs the health command |
//! | while it checks the health | the new link | runs the health command again |
//! | after a failed check, before the way back | the new link, the failure in the journal | goes back |
//! | after a step was signed, before the journal knows | the statement | finds it among its own, does not sign it twice |
//!
//! The server is needed to learn of an order and to fetch what is not there yet, and for nothing after that: the steps
//! are signed into the outbox and pushed beside the work.

pub mod agent;
pub mod health;
pub mod journal;
pub mod order;
pub mod portal;
pub mod report;
pub mod stop;
pub mod switch;
pub mod target;
pub mod work;

#[cfg(test)]
mod tests;
