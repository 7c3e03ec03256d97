//! Rotating the agent's key, so that no crash and no lost answer locks the agent out.
//!
//! | step | what is on disk afterwards | if the program dies here |
//! |---|---|---|
//! | 1 note | `rotation.json`: the new key and the statement that both keys signed | the next push or rotation sends it |
//! | 2 send | the log holds the rotation | it is sent again: the same bytes, the same entry |
//! | 3 retire | the old public key among this agent's own | step 2 and 3 again |
//! | 4 replace | `key.pem` holds the new key | step 2 to 4 again |
//! | 5 forget | no `rotation.json` | done |
//!
//! A rotation begins with an empty outbox, so that nothing signed by the old key is still to come. From the note on,
//! statements are signed by the new key, and no push offers one before the rotation is logged. So it does not matter for
//! them when, or after how many attempts, the server hears of it.

use std::{fs, io};

use acta_ledger::{
    evidence::agent_key::{AgentKey, AgentKeyAction},
    log::{
        dsse::Envelope,
        entry::Entry,
        key::{PublicKey, SigningKey},
        statement::Statement,
    },
};
use serde::{Deserialize, Serialize};

use crate::{
    client::{CallError, Client},
    clock, crash, durable,
    error::{CliError, Exit, Result},
    home::Home,
    key::{self, SecretError},
    outbox::{self, Outbox, Receipt, Shelf},
    push,
    server::ServerFacts,
};

/// What `rotation.json` holds. The new key is a secret: mode 0600.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Note {
    /// The agent's name.
    agent: String,
    /// The key that is replaced.
    previous: PublicKey,
    /// The new key in PKCS#8 PEM.
    key: String,
    /// The statement with both signatures: the entry's bytes.
    envelope: String,
}

/// A rotation that the log may or may not hold yet.
pub struct Pending {
    /// The new key.
    pub signing: SigningKey,
    /// The key that it replaces.
    pub previous: PublicKey,
    agent: String,
    pem: String,
    envelope: Vec<u8>,
}

/// The rotation that is under way, if one is.
pub fn pending(home: &Home) -> Result<Option<Pending>> {
    let path = home.rotation();
    let text = match key::read_secret(&path) {
        Err(SecretError::Missing) => return Ok(None),
        Err(SecretError::Other(error)) => return Err(error),
        Ok(text) => text,
    };
    let note: Note = serde_json::from_str(&text).map_err(|error| {
        CliError::failure(format!("{} is damaged", path.display()))
            .found(error.to_string())
            .expected("the new key and the statement of the rotation")
            .help("keep the file: it may hold the only copy of this agent's key. Restore it from a backup")
    })?;
    let signing = key::from_pem(&note.key, &path)?;
    let envelope = note.envelope.into_bytes();
    Ok(Some(Pending { signing, previous: note.previous, agent: note.agent, pem: note.key, envelope }))
}

/// The key that signs from now on: of a rotation that is under way the new one.
pub fn signing_key(home: &Home) -> Result<SigningKey> {
    match pending(home)? {
        Some(pending) => Ok(pending.signing),
        None => key::load(home),
    }
}

/// Every key that this agent signs or signed with.
pub fn own_keys(home: &Home) -> Result<Vec<PublicKey>> {
    let mut keys = vec![PublicKey::of(&signing_key(home)?), PublicKey::of(&key::load(home)?)];
    keys.extend(retired(home)?);
    keys.dedup();
    Ok(keys)
}

fn retired(home: &Home) -> Result<Vec<PublicKey>> {
    let path = home.retired_keys();
    if path.exists() { outbox::read_json(&path) } else { Ok(Vec::new()) }
}

/// Begins a rotation, unless one is under way. The outbox must be empty.
pub fn begin(home: &Home, facts: &ServerFacts) -> Result<()> {
    let _lock = home.lock_state()?;
    if home.rotation().exists() {
        return Ok(());
    }
    let waiting = Outbox::new(home).names(Shelf::Waiting)?.len();
    if waiting > 0 {
        return Err(CliError::failure("the key is not rotated while statements that it signed wait")
            .found(format!("{waiting} statements in the outbox"))
            .expected("an empty outbox")
            .help("run `acta push` first: after the rotation the server takes nothing by the old key"));
    }
    let old = key::load(home)?;
    let (new, pem) = key::draw()?;
    let said = AgentKey {
        agent: facts.agent.clone(),
        public_key: PublicKey::of(&new),
        action: AgentKeyAction::Rotated,
        at: clock::now(),
        authorized_by: facts.agent.clone(),
        owner: None,
        previous: Some(PublicKey::of(&old)),
        reason: None,
    };
    let unsigned = |error: &dyn std::fmt::Display| {
        CliError::failure("the rotation cannot be signed").found(error.to_string())
    };
    let statement = Statement::new(vec![said.subject()], &said).map_err(|error| unsigned(&error))?;
    let mut envelope = statement.sign(&old).map_err(|error| unsigned(&error))?;
    envelope.cosign(&new);
    let envelope = String::from_utf8(envelope.to_canonical_json()).map_err(|error| unsigned(&error))?;
    let note =
        Note { agent: facts.agent.clone(), previous: PublicKey::of(&old), key: pem.to_string(), envelope };
    let path = home.rotation();
    durable::create(&path, &outbox::to_json(&note)?, 0o600)
        .map_err(|error| CliError::io("write", &path, &error))?;
    crash::point("rotation noted")
}

/// Sends the rotation that is under way and makes the new key this agent's; the receipt, or none if there was nothing
/// to do. The caller holds the lock of the push.
///
/// Where the server refuses it for good, the old key stays. Where nobody knows, it stays under way.
pub fn complete(home: &Home, client: &Client, facts: &ServerFacts) -> Result<Option<Receipt>> {
    let Some(pending) = pending(home)? else { return Ok(None) };
    let entry = Envelope::parse(&pending.envelope)
        .map_err(|error| error.to_string())
        .and_then(|envelope| Entry::of(&envelope).map_err(|error| error.to_string()))
        .map_err(|error| CliError::failure("the noted rotation is damaged").found(error))?;
    let posted = client.rotate(&pending.agent, entry.bytes()).map_err(|error| {
        refused(home, &error).err().unwrap_or_else(|| {
            let what = if error.is_refusal() {
                "the rotation was refused, this agent keeps its key"
            } else {
                "whether the key was rotated is not known; the next push or rotation asks again"
            };
            error.explain(what, client.base()).exit(Exit::NotPushed)
        })
    })?;
    let receipt = push::check_receipt(home, client, &facts.trust()?, &entry, posted)?;
    crash::point("rotation logged")?;
    replace(home, &pending)?;
    Ok(Some(receipt))
}

/// Ends a rotation that the server refuses for good.
fn refused(home: &Home, error: &CallError) -> Result<()> {
    if !error.is_refusal() {
        return Ok(());
    }
    let _lock = home.lock_state()?;
    forget(home)
}

fn replace(home: &Home, pending: &Pending) -> Result<()> {
    let _lock = home.lock_state()?;
    let mut retired = retired(home)?;
    if !retired.contains(&pending.previous) {
        retired.push(pending.previous);
        let path = home.retired_keys();
        durable::write(&path, &outbox::to_json(&retired)?, 0o600)
            .map_err(|error| CliError::io("write", &path, &error))?;
    }
    crash::point("old key retired")?;
    let path = home.key();
    durable::write(&path, pending.pem.as_bytes(), 0o600)
        .map_err(|error| CliError::io("write", &path, &error))?;
    crash::point("key replaced")?;
    if let Some(mut facts) = ServerFacts::load(home)? {
        facts.key_id = PublicKey::of(&pending.signing).id();
        facts.save(home)?;
    }
    crash::point("facts updated")?;
    forget(home)
}

fn forget(home: &Home) -> Result<()> {
    let path = home.rotation();
    match fs::remove_file(&path).and_then(|()| durable::sync_dir(home.root())) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(CliError::io("remove", &path, &error)),
        _ => Ok(()),
    }
}
