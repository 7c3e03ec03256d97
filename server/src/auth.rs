//! Who is asking, and what they may do.
//!
//! An **actor** is nobody, a signed-in account with a role, or an agent with its token. An **action** is what a request
//! wants. [`policy`] is the one table that says which actor may do which action; [`extract::Allowed`] is the only way for
//! a handler to get past it, so a handler cannot forget to ask. Evidence is signed by the agent's key all the same: a
//! stolen token can waste space, it cannot forge.

pub mod extract;
pub mod password;
pub mod policy;
pub mod session;
pub mod token;
