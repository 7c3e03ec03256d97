//! The agent's chain: each statement is numbered and names the one before it.
//!
//! The order of writes makes a fork impossible: first the item that holds the statement, then the chain file. A crash
//! in between leaves the chain file one behind; the newest item then tells the head. The other way round, a number
//! could be given away for a statement that does not exist, and after a restore the same number twice.

use acta_ledger::{
    evidence::chain::ChainLink,
    log::{digest::Sha256Digest, key::PublicKey, key::SigningKey, statement::Statement},
};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::{
    crash, durable,
    error::{CliError, Result},
    home::Home,
    key,
    outbox::{self, Item, Outbox},
    rotation,
    server::ServerFacts,
};

/// The agent's last statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ChainHead {
    /// Its number.
    pub sequence: u64,
    /// Its entry's digest.
    pub digest: Sha256Digest,
}

/// A statement that is signed and waits in the outbox.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sealed {
    /// Its place in the chain.
    pub link: ChainLink,
    /// The entry's digest.
    pub digest: Sha256Digest,
    /// The entry's bytes: the envelope in canonical JSON.
    pub envelope: Vec<u8>,
}

/// The agent's last statement, by the chain file or by the items, whichever knows more; none before the first.
pub fn head(home: &Home) -> Result<Option<ChainHead>> {
    let path = home.chain();
    let recorded: Option<ChainHead> = if path.exists() { Some(outbox::read_json(&path)?) } else { None };
    let newest =
        Outbox::new(home).newest()?.map(|item| ChainHead { sequence: item.sequence, digest: item.digest });
    Ok(match (recorded, newest) {
        (Some(recorded), Some(newest)) if newest.sequence <= recorded.sequence => Some(recorded),
        (recorded, newest) => newest.or(recorded),
    })
}

/// Gives a statement its place, signs it and puts it into the outbox. Its blobs must be stored already.
pub fn seal(
    home: &Home,
    run: Option<Uuid>,
    blobs: Vec<Sha256Digest>,
    statement: impl FnOnce(ChainLink) -> Result<Statement>,
) -> Result<Sealed> {
    let mut statement = Some(statement);
    let once = |link| match statement.take() {
        Some(statement) => statement(link),
        None => Err(CliError::failure("a statement was asked for twice")),
    };
    seal_fresh(home, run, blobs, once, || false)
}

/// The same for a statement on something that goes on while it is written: is it stale before it has its name in the
/// outbox, it is made, signed and written again. `is_stale` must not say so for ever.
pub fn seal_fresh(
    home: &Home,
    run: Option<Uuid>,
    blobs: Vec<Sha256Digest>,
    mut statement: impl FnMut(ChainLink) -> Result<Statement>,
    mut is_stale: impl FnMut() -> bool,
) -> Result<Sealed> {
    let _lock = home.lock_state()?;
    let head = head(home)?;
    let mut link = ChainLink::new(head.map_or(0, |head| head.sequence) + 1, head.map(|head| head.digest));
    // What was found out must be kept, whatever became of the file that names the log.
    if let Ok(Some(facts)) = ServerFacts::load(home) {
        link = link.in_log(&facts.origin);
    }
    // Read here, under the lock: a build may be older than the last rotation of the key.
    let signing = rotation::signing_key(home)?;
    let outbox = Outbox::new(home);
    let item = loop {
        let envelope = statement(link)?
            .sign(&signing)
            .map_err(|error| CliError::failure("the statement cannot be signed").found(error.to_string()))?;
        let item = Item::new(link.sequence, run, blobs.clone(), &envelope)?;
        crash::point("statement signed")?;
        let prepared = outbox.prepare(&item)?;
        if is_stale() {
            continue;
        }
        prepared.place()?;
        break item;
    };
    crash::point("item written")?;
    let head = outbox::to_json(&ChainHead { sequence: item.sequence, digest: item.digest })?;
    let path = home.chain();
    durable::write(&path, &head, 0o600).map_err(|error| CliError::io("write", &path, &error))?;
    Ok(Sealed { link, digest: item.digest, envelope: item.entry()?.bytes().to_vec() })
}

/// The agent's key, checked before anything is built: a build whose evidence cannot be signed is not begun.
pub fn signing_key(home: &Home) -> Result<(SigningKey, PublicKey)> {
    let signing = key::load(home)?;
    let public = PublicKey::of(&signing);
    Ok((signing, public))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use acta_ledger::{
        evidence::agent_key::{AgentKey, AgentKeyAction},
        log::dsse::Envelope,
    };

    use super::*;
    use crate::{
        clock,
        outbox::{Receipt, Refusal, Shelf},
    };

    fn agent() -> (tempfile::TempDir, Home, SigningKey) {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::locate(Some(folder.path().to_owned())).unwrap();
        home.create().unwrap();
        key::create(&home).unwrap();
        let (signing, _) = signing_key(&home).unwrap();
        (folder, home, signing)
    }

    fn seal_one(home: &Home, signing: &SigningKey) -> Result<Sealed> {
        seal(home, None, Vec::new(), |link| {
            Ok(statement(signing, link, &format!("statement {}", link.sequence)))
        })
    }

    fn statement(signing: &SigningKey, link: ChainLink, agent: &str) -> Statement {
        let noun = AgentKey {
            agent: agent.to_owned(),
            public_key: PublicKey::of(signing),
            action: AgentKeyAction::Enrolled,
            at: clock::now(),
            owner: None,
            previous: None,
            reason: None,
            authorized_by: link.previous.map_or_else(String::new, |previous| previous.to_string()),
        };
        Statement::new(vec![noun.subject()], &noun).unwrap()
    }

    fn receipt(item: &Item) -> Receipt {
        let digest = item.digest;
        Receipt { index: 0, digest, leaf_hash: digest, inclusion: Vec::new(), tree_head: String::new() }
    }

    #[test]
    fn each_statement_names_the_one_before() {
        let (_folder, home, signing) = agent();
        assert_eq!(head(&home).unwrap(), None);
        let first = seal_one(&home, &signing).unwrap();
        let second = seal_one(&home, &signing).unwrap();
        assert_eq!((first.link.sequence, first.link.previous), (1, None));
        assert_eq!((second.link.sequence, second.link.previous), (2, Some(first.digest)));
        let envelope = Envelope::parse(&second.envelope).unwrap();
        envelope.verified(&[PublicKey::of(&signing)], 1).unwrap();
    }

    /// Kills the program at each point and lets the next run seal: numbers have no gap and no statement two successors.
    #[test]
    fn a_death_at_any_point_neither_forks_nor_breaks_the_chain() {
        for (point, survives) in [("statement signed", false), ("item written", true)] {
            let (_folder, home, signing) = agent();
            let first = seal_one(&home, &signing).unwrap();
            crash::at(point, || seal_one(&home, &signing).unwrap_err());
            let next = seal_one(&home, &signing).unwrap();
            let outbox = Outbox::new(&home);
            let items: Vec<Item> = outbox
                .names(Shelf::Waiting)
                .unwrap()
                .iter()
                .map(|name| outbox.read(Shelf::Waiting, name).unwrap())
                .collect();
            let sequences: Vec<u64> = items.iter().map(|item| item.sequence).collect();
            assert_eq!(sequences, if survives { vec![1, 2, 3] } else { vec![1, 2] }, "{point}");
            let before = items[items.len() - 2].digest;
            assert_eq!(next.link.previous, Some(before), "{point}");
            assert_eq!(items[0].digest, first.digest);
            assert_eq!(head(&home).unwrap().unwrap().sequence, next.link.sequence);
        }
    }

    /// Something happens while the statement is being written: it is written again, and nothing of the first one is left.
    #[test]
    fn a_statement_that_is_stale_before_it_has_its_name_is_made_again() {
        let (_folder, home, _) = agent();
        let (mut made, mut looked) = (0, 0);
        let sealed = seal_fresh(
            &home,
            None,
            Vec::new(),
            |link| {
                made += 1;
                let (signing, _) = signing_key(&home)?;
                Ok(statement(&signing, link, &format!("made {made}")))
            },
            || {
                looked += 1;
                looked == 1
            },
        )
        .unwrap();
        assert_eq!((made, looked, sealed.link.sequence), (2, 2, 1));
        let outbox = Outbox::new(&home);
        let names = outbox.names(Shelf::Waiting).unwrap();
        assert_eq!((names.len(), fs::read_dir(home.outbox()).unwrap().count()), (1, 1));
        let item = outbox.read(Shelf::Waiting, &names[0]).unwrap();
        assert_eq!(item.digest, sealed.digest);
        let envelope = Envelope::parse(&sealed.envelope).unwrap();
        let said: AgentKey = Statement::from_envelope(&envelope).unwrap().predicate().unwrap();
        assert_eq!(said.agent, "made 2");
    }

    #[test]
    fn the_head_survives_a_lost_chain_file_and_moved_items() {
        let (_folder, home, signing) = agent();
        let outbox = Outbox::new(&home);
        for _ in 0..3 {
            seal_one(&home, &signing).unwrap();
        }
        let names = outbox.names(Shelf::Waiting).unwrap();
        let third = outbox.read(Shelf::Waiting, &names[2]).unwrap();
        outbox.mark_refused(&third, &Refusal { status: 422, reason: "no".to_owned() }).unwrap();
        let first = outbox.read(Shelf::Waiting, &names[0]).unwrap();
        outbox.mark_sent(&first, &receipt(&first)).unwrap();
        fs::remove_file(home.chain()).unwrap();
        assert_eq!(head(&home).unwrap(), Some(ChainHead { sequence: 3, digest: third.digest }));
        fs::remove_dir_all(home.outbox()).unwrap();
        home.create().unwrap();
        let next = seal_one(&home, &signing).unwrap();
        assert_eq!((next.link.sequence, next.link.previous), (4, Some(third.digest)));
    }

    #[test]
    fn an_item_is_never_in_sent_without_its_receipt() {
        let (_folder, home, signing) = agent();
        let outbox = Outbox::new(&home);
        seal_one(&home, &signing).unwrap();
        let name = outbox.names(Shelf::Waiting).unwrap().remove(0);
        let item = outbox.read(Shelf::Waiting, &name).unwrap();
        crash::at("receipt written", || outbox.mark_sent(&item, &receipt(&item)).unwrap_err());
        assert_eq!(outbox.names(Shelf::Waiting).unwrap(), [name.as_str()], "it still waits");
        assert!(outbox.names(Shelf::Sent).unwrap().is_empty(), "a receipt alone is no item");
        assert_eq!(outbox.receipt(1, &item.digest).unwrap(), None);
        outbox.mark_sent(&item, &receipt(&item)).unwrap();
        assert!(outbox.names(Shelf::Waiting).unwrap().is_empty());
        assert_eq!(outbox.names(Shelf::Sent).unwrap(), [name.as_str()]);
        assert_eq!(outbox.receipt(1, &item.digest).unwrap(), Some(receipt(&item)));
    }

    #[test]
    fn leftovers_are_cleaned_and_damage_is_named() {
        let (_folder, home, signing) = agent();
        fs::write(durable::temporary_in(&home.outbox()), "half an item").unwrap();
        seal_one(&home, &signing).unwrap();
        assert_eq!(fs::read_dir(home.outbox()).unwrap().count(), 1);
        let outbox = Outbox::new(&home);
        let name = outbox.names(Shelf::Waiting).unwrap().remove(0);
        let path = home.outbox().join(format!("{name}.json"));
        let text = fs::read_to_string(&path).unwrap();
        let digest = outbox.read(Shelf::Waiting, &name).unwrap().digest.to_string();
        fs::write(&path, text.replace(&digest, &Sha256Digest::of(b"other").to_string())).unwrap();
        let error = outbox.read(Shelf::Waiting, &name).unwrap().entry().unwrap_err();
        assert!(error.to_string().contains("statement 1 in the outbox is damaged"), "{error}");
    }
}
