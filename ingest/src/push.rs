//! Draining the outbox.
//!
//! | what happens | what becomes of the item |
//! |---|---|
//! | the log takes it and the receipt verifies | `sent/`, with the receipt |
//! | the log has it already | the same |
//! | the server refuses it | `refused/`, with the reason; the next one is offered |
//! | no answer, a busy or broken server, a token that is not valid | it waits, and so do all after it |
//! | an answer that does not verify | it waits, and so do all after it; the error is loud |

use std::collections::BTreeSet;

use acta_ledger::log::{digest::Sha256Digest, entry::Entry, proof, tree_head::TreeHead, verification::Trust};
use uuid::Uuid;

use crate::{
    blob::BlobStore,
    client::{CallError, Client, Posted},
    durable,
    error::{CliError, Exit, Result},
    home::Home,
    outbox::{Item, Outbox, Receipt, Refusal, Shelf},
    pins, rotation,
    server::ServerFacts,
};

/// What draining came to.
#[derive(Debug, Default)]
pub struct Drained {
    /// Statements that the log holds now.
    pub sent: Vec<Sent>,
    /// Statements that the server refuses.
    pub refused: Vec<(Item, Refusal)>,
    /// How many still wait.
    pub waiting: usize,
    /// Why they wait.
    pub stopped: Option<CliError>,
    /// A rotation of the key that was under way and is logged now.
    pub rotated: Option<Receipt>,
}

/// One statement that the log holds now.
#[derive(Debug)]
pub struct Sent {
    /// The run that it is about.
    pub run: Option<Uuid>,
    /// The entry's digest.
    pub digest: Sha256Digest,
    /// The entry's index.
    pub index: u64,
}

/// Why one item did not get through.
enum Stop {
    /// This item is refused.
    Refused(Refusal),
    /// Nothing gets through.
    All(CliError),
}

/// Offers everything that waits to the server, in order.
pub fn drain(home: &Home, facts: &ServerFacts) -> Result<Drained> {
    let _lock = home.lock_push()?;
    let client = Client::new(&facts.url, Some(&facts.api_token));
    let pusher = Pusher { home, client: &client, trust: facts.trust()?, blobs: BlobStore::new(home.blobs()) };
    let outbox = Outbox::new(home);
    let mut drained = Drained::default();
    let mut known = BTreeSet::new();
    // First: what waits may be signed by the new key of a rotation that is under way.
    match rotation::complete(home, &client, facts) {
        Ok(rotated) => drained.rotated = rotated,
        Err(error) => drained.stopped = Some(error),
    }
    let names = outbox.names(Shelf::Waiting)?;
    drained.waiting = names.len();
    if drained.stopped.is_some() {
        return Ok(drained);
    }
    for name in names {
        let item = outbox.read(Shelf::Waiting, &name)?;
        match pusher.push(&item, &mut known) {
            Ok(receipt) => {
                outbox.mark_sent(&item, &receipt)?;
                drained.sent.push(Sent { run: item.run, digest: item.digest, index: receipt.index });
            }
            Err(Stop::Refused(refusal)) => {
                outbox.mark_refused(&item, &refusal)?;
                drained.refused.push((item, refusal));
            }
            Err(Stop::All(error)) => {
                drained.stopped = Some(error);
                break;
            }
        }
        drained.waiting -= 1;
    }
    Ok(drained)
}

struct Pusher<'a> {
    home: &'a Home,
    client: &'a Client,
    trust: Trust,
    blobs: BlobStore,
}

impl Pusher<'_> {
    fn push(&self, item: &Item, known: &mut BTreeSet<Sha256Digest>) -> Result<Receipt, Stop> {
        let entry = item.entry().map_err(Stop::All)?;
        for digest in &item.blobs {
            if !known.contains(digest) {
                if !self.client.has_blob(digest).map_err(|error| self.stop(&error))? {
                    let sent = self.client.put_blob(digest, &self.blobs.path(digest));
                    sent.map_err(|error| self.stop(&error))?;
                }
                known.insert(*digest);
            }
        }
        let posted = self.client.post_entry(entry.bytes()).map_err(|error| self.stop(&error))?;
        check_receipt(self.home, self.client, &self.trust, &entry, posted).map_err(Stop::All)
    }

    fn stop(&self, error: &CallError) -> Stop {
        match error {
            CallError::Answered { status, .. } if error.is_refusal() => {
                Stop::Refused(Refusal { status: *status, reason: error.to_string() })
            }
            error => Stop::All(
                error.explain("the evidence waits in the outbox", self.client.base()).exit(Exit::NotPushed),
            ),
        }
    }
}

/// Checks what the server answered to an entry: that it is this entry, in a tree that the log's key signed and that
/// agrees with the newest one that this agent saw.
pub fn check_receipt(
    home: &Home,
    client: &Client,
    trust: &Trust,
    entry: &Entry,
    posted: Posted,
) -> Result<Receipt> {
    let unbelievable = |found: String| {
        CliError::failure("the server's receipt cannot be believed, the evidence waits in the outbox")
            .found(found)
            .help(
                "tell the log's operator: either the server is broken, or it is not the one that was pinned",
            )
            .exit(Exit::NotPushed)
    };
    let (digest, leaf_hash) = (entry.digest(), entry.leaf_hash());
    let [place] = posted.entries.as_slice() else {
        return Err(unbelievable(format!("{} receipts for one entry", posted.entries.len())));
    };
    if place.digest != digest || place.leaf_hash != leaf_hash {
        return Err(unbelievable(format!("a receipt for entry {}, not for {digest}", place.digest)));
    }
    let head = pins::open(home, client, trust, &posted.tree_head).map_err(unbelievable)?;
    proof::verify_inclusion(&leaf_hash, place.index, head.size, &head.root, &place.inclusion)
        .map_err(|error| unbelievable(format!("inclusion of entry {}: {error}", place.index)))?;
    believe(home, client, trust, &posted.tree_head)?;
    let (index, inclusion) = (place.index, place.inclusion.clone());
    Ok(Receipt { index, digest, leaf_hash, inclusion, tree_head: posted.tree_head })
}

/// Believes a tree head only if the log's key signed it and it agrees with the newest one that this agent saw.
///
/// A log that shows one history to one and another history to others is found here: two tree heads of one log that no
/// consistency proof connects are the proof of it. The newest tree head is kept.
pub fn believe(home: &Home, client: &Client, trust: &Trust, note: &str) -> Result<TreeHead> {
    let head = pins::open(home, client, trust, note)
        .map_err(|error| CliError::failure("the tree head cannot be believed").found(error))?;
    let path = home.tree_head();
    let last = match std::fs::read_to_string(&path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
        Err(error) => return Err(CliError::io("read", &path, &error)),
        Ok(text) => Some(pins::open(home, client, trust, &text).map_err(|error| {
            CliError::failure(format!("the tree head in {} cannot be believed", path.display()))
                .found(error)
                .help("it was changed on this machine: restore it, or move it away to begin anew")
        })?),
    };
    let mut newer = true;
    if let Some(last) = &last {
        let (old, new) = if last.size <= head.size { (last, &head) } else { (&head, last) };
        newer = head.size > last.size;
        let split = |found: String| {
            CliError::failure(
                "the log does not agree with what it showed before: it was changed, or set back",
            )
            .field(client.base())
            .found(format!(
                "a tree head of {} entries; the last one seen has {}: {found}",
                head.size, last.size
            ))
            .expected("a tree that only grows")
            .help(format!("keep {} and this tree head as the proof:\n{note}", path.display()))
        };
        if old.size == new.size {
            if old.root != new.root {
                return Err(split("another root".to_owned()));
            }
        } else if old.size > 0 {
            let proof = client.consistency(old.size, new.size).map_err(|error| match error {
                CallError::Unreachable(_) => error.explain("the log's consistency proof", client.base()),
                error => split(error.to_string()),
            })?;
            proof::verify_consistency(old.size, &old.root, new.size, &new.root, &proof)
                .map_err(|error| split(error.to_string()))?;
        }
    }
    if newer {
        durable::write(&path, note.as_bytes(), 0o600)
            .map_err(|error| CliError::io("write", &path, &error))?;
    }
    Ok(head)
}
