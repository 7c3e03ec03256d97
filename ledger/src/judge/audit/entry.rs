//! The entries' side of an audit: is each one a statement, signed by a key that may sign there, in its agent's chain?
//!
//! The work is in two parts. [`examine`] looks at one entry's bytes alone, which is where the time goes, and can run for
//! many entries at once. [`EntryFold`] takes the results in the order of the log: who may sign depends on the entries
//! before, and so does a chain.

use std::{collections::HashMap, sync::Arc};

use super::{
    Finding,
    chain::ChainFold,
    keys::KeyHistory,
    route::{Mark, RouteMarks},
};
use crate::{
    evidence::{
        agent_key::{AgentKey, AgentKeyAction},
        blob::named_blobs,
        build::BuildSummary,
        chain::ChainLink,
        log_key::LogKey,
    },
    judge::{custody::Retained, route::RouteEvent},
    log::{
        digest::Sha256Digest,
        dsse::Envelope,
        key::{BusyKey, KeyId, PublicKey, Tables},
        merkle::leaf_hash,
        note::VerifierKey,
        statement::{Outline, Predicate as _, Says as _, Statement, read_at_once},
    },
};

/// The keys that the log has introduced so far, whether they may still sign or not.
pub type KnownKeys = Arc<HashMap<KeyId, Arc<BusyKey>>>;

/// What an entry's bytes say.
#[derive(Debug, Clone)]
pub struct Examined {
    /// The hash that the bytes have as a leaf.
    pub leaf: Sha256Digest,
    /// The digest of the bytes: the entry's address.
    pub digest: Sha256Digest,
    /// The statement; or why there is none.
    pub said: Result<Said, String>,
}

/// A statement, as far as an audit needs it.
#[derive(Debug, Clone)]
pub struct Said {
    /// The keys whose signatures verify; none if no known key signed.
    pub signers: Vec<KeyId>,
    /// The place that it claims in its agent's chain.
    pub chain: Option<ChainLink>,
    /// The blobs that it names.
    pub blobs: Vec<Sha256Digest>,
    /// The bundle that it says to be kept or purged.
    pub retained: Option<Retained>,
    /// The route that it is judged for.
    pub route: Option<String>,
    /// The whole statement where later entries depend on it: what it says about keys.
    pub key: Option<Box<Statement>>,
}

/// Examines one entry's bytes by the keys that are known.
pub fn examine(record: &[u8], known: &KnownKeys) -> Examined {
    Examined { leaf: leaf_hash(record), digest: Sha256Digest::of(record), said: read(record, known) }
}

fn read(record: &[u8], known: &KnownKeys) -> Result<Said, String> {
    let envelope = Envelope::parse(record).map_err(|error| error.to_string())?;
    let signers = signers(&envelope, known);
    // Nearly every entry is one of a build, and says nothing about keys, routes or what is kept.
    if let Some(build) = read_at_once::<BuildSummary>(&envelope) {
        let (chain, blobs) = (Some(build.chain), build.blobs());
        return Ok(Said { signers, chain, blobs, retained: None, route: None, key: None });
    }
    read_in_steps(&envelope, signers)
}

/// Reads a statement of any kind.
fn read_in_steps(envelope: &Envelope, signers: Vec<KeyId>) -> Result<Said, String> {
    let outline = Outline::of(envelope).map_err(|error| error.to_string())?;
    let blobs = named_blobs(&outline).map_err(|error| error.to_string())?;
    let route = RouteEvent::read(&outline).map_err(|error| error.to_string())?;
    let route = route.map(|event| event.route().to_owned());
    let retained = Retained::of(&outline).map_err(|error| error.to_string())?;
    let key = match outline.predicate_type() {
        AgentKey::TYPE | LogKey::TYPE => {
            let statement = Statement::from_envelope(envelope).map_err(|error| error.to_string())?;
            Some(Box::new(statement))
        }
        _ => None,
    };
    Ok(Said { signers, chain: outline.chain(), blobs, retained, route, key })
}

/// Who signed. The hints name the keys to try; only where they lead nowhere all keys are tried, for a hint is not
/// signed and must not decide.
fn signers(envelope: &Envelope, known: &KnownKeys) -> Vec<KeyId> {
    let hinted: Vec<&BusyKey> =
        envelope.hinted_keys().filter_map(|id| known.get(&id)).map(Arc::as_ref).collect();
    let mut found = envelope.signers(&hinted);
    if found.is_empty() {
        found = envelope.signers(&known.values().map(Arc::as_ref).collect::<Vec<_>>());
    }
    found.iter().map(PublicKey::id).collect()
}

/// Takes entries in the order of the log.
#[derive(Debug, Clone)]
pub struct EntryFold {
    keys: KeyHistory,
    chains: ChainFold,
    routes: RouteMarks,
    known: KnownKeys,
    tables: Tables,
}

/// What one entry came to.
#[derive(Debug, Clone, Default)]
pub struct Taken {
    /// What is wrong with it.
    pub findings: Vec<Finding>,
    /// The bundle that was purged on purpose, as it says.
    pub purged: Option<Sha256Digest>,
}

impl EntryFold {
    /// Begins before the first entry, with the keys that are trusted without proof.
    pub fn new(log: VerifierKey, portal: PublicKey) -> Self {
        Self::resume(KeyHistory::new(log, portal), ChainFold::default(), RouteMarks::begin())
    }

    /// Goes on with what an earlier fold came to.
    pub fn resume(keys: KeyHistory, chains: ChainFold, routes: RouteMarks) -> Self {
        let mut fold = Self { keys, chains, routes, known: Arc::default(), tables: Tables::default() };
        fold.introduce();
        fold
    }

    /// Makes the keys known that the log has introduced; those that are known keep what was prepared for them.
    fn introduce(&mut self) {
        let known = |(id, key)| {
            let before = self.known.get(&id).map(Arc::clone);
            (id, before.unwrap_or_else(|| Arc::new(BusyKey::new(key, self.tables.clone()))))
        };
        self.known = Arc::new(self.keys.all().into_iter().map(known).collect());
    }

    /// The keys that the log has introduced so far: what [`examine`] is to be given.
    pub fn known(&self) -> KnownKeys {
        Arc::clone(&self.known)
    }

    /// The life of the keys so far.
    pub fn keys(&self) -> &KeyHistory {
        &self.keys
    }

    /// The agents' chains so far.
    pub fn chains(&self) -> &ChainFold {
        &self.chains
    }

    /// The routes' entries so far.
    pub fn routes(&self) -> &RouteMarks {
        &self.routes
    }

    /// Takes an entry whose bytes are not the entry: they are nobody's word.
    pub fn take_damaged(&mut self, index: u64) {
        self.chains.take_unread(index);
    }

    /// Takes the next entry. It may have been examined before the last keys were known: then it is examined again.
    pub fn take(&mut self, index: u64, record: &[u8], examined: Examined) -> Taken {
        let mut taken = Taken::default();
        let said = match examined.said {
            Ok(said) if said.signers.is_empty() => read(record, &self.known),
            said => said,
        };
        let said = match said {
            Ok(said) => said,
            Err(reason) => {
                self.chains.take_unread(index);
                taken.findings.push(Finding::BadSignature { index, reason });
                return taken;
            }
        };
        let agent = match self.keys.signer(index, &said.signers) {
            Ok(agent) => agent,
            Err(refused) => {
                self.chains.take_unread(index);
                taken.findings.push(match refused {
                    Some((key, reason)) => Finding::KeyNotValid { index, key, reason },
                    None => {
                        let reason = "no key that the log has introduced signed it".to_owned();
                        Finding::BadSignature { index, reason }
                    }
                });
                return taken;
            }
        };
        if let (Some(agent), Some(link)) = (agent, said.chain) {
            match link.log.filter(|_| !link.is_meant_for(self.keys.log().origin())) {
                Some(log) => {
                    // It is no part of the chain that the agent has here, and counts for nothing else either.
                    self.chains.take_unread(index);
                    taken.findings.push(Finding::OtherLog { index, agent, log });
                    return taken;
                }
                None => taken.findings.extend(self.chains.take(&agent, index, examined.digest, link)),
            }
        }
        if let Some(route) = said.route {
            self.routes.mark(&route, Mark { index, digest: examined.digest });
        }
        taken.purged = said.retained.as_ref().and_then(Retained::purged);
        if let Some(statement) = said.key {
            self.take_key(index, record, &statement, &mut taken);
        }
        taken
    }

    /// What can only be said once all entries are taken: numbers that are missing, hand-overs that lead nowhere.
    pub fn at_end(&self) -> Vec<Finding> {
        let gaps = self.chains.gaps();
        let astray = self.keys.log().astray().map(|index| Finding::BadSignature {
            index,
            reason: "it hands the log over by keys that do not lead to the trusted one".to_owned(),
        });
        gaps.chain(astray).collect()
    }

    fn take_key(&mut self, index: u64, record: &[u8], statement: &Statement, taken: &mut Taken) {
        match self.keys.take(index, record) {
            Ok(()) => self.introduce(),
            Err(reason) => taken.findings.push(Finding::BadSignature { index, reason }),
        }
        if let Ok(said) = statement.predicate::<AgentKey>()
            && said.action == AgentKeyAction::Enrolled
        {
            self.chains.begin(&said.agent);
        }
    }
}

#[cfg(test)]
mod tests;
