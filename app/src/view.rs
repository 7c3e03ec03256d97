//! What the pages show: plain structs that the server fills from its projections. No page reads a database.

pub mod acceptance;
pub mod agent;
pub mod caches;
pub mod cancels;
pub mod chart;
pub mod compare;
pub mod configuration;
pub mod live;
pub mod people;
pub mod rebuild;
pub mod restores;
pub mod route;
pub mod search;
pub mod trace;

use acta_ledger::{
    evidence::{build::BuildSummary, phase_tree::PhaseTree},
    judge::{
        advice::Advice,
        filter::{Filter, Order},
    },
    log::{digest::Sha256Digest, timestamp::Timestamp, verification::Report},
};
use serde::{Deserialize, Serialize};

/// Who is looking.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Viewer {
    /// The account's name; none for somebody who has not signed in.
    pub name: Option<String>,
    /// The account's role (`reviewer`, `approver`, `auditor`, `admin`), as a code.
    pub role: Option<String>,
    /// The token that every form of this session carries.
    pub form_token: String,
}

/// Which runs are asked for; all of it stands in the address.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct RunQuery {
    /// What they have to be.
    pub filter: Filter,
    /// How they are ordered.
    pub order: Order,
    /// Where in the order the page begins or ends; the first page without it.
    pub place: Option<Place>,
}

/// A place in an order: a run, which its measure and its number give one and only one place whatever is added.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Place {
    /// Behind the run of this number.
    After(u64),
    /// Before it.
    Before(u64),
}

/// One row of the runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunRow {
    /// The run's id.
    pub id: String,
    /// Its number in the order of the log, counted from 1; people say "run 12".
    pub number: u64,
    /// The network's file name.
    pub network: String,
    /// The route.
    pub route: Option<String>,
    /// Which attempt.
    pub attempt: u32,
    /// The builder's code.
    pub builder: String,
    /// The outcome's code.
    pub outcome: String,
    /// The whole attempt in milliseconds.
    pub total_ms: f64,
    /// The build call in milliseconds (build and serialize), where it was reached.
    pub build_ms: Option<f64>,
    /// The longest silence in milliseconds, where there were callbacks.
    pub silence_ms: Option<f64>,
    /// Request to acknowledgement in milliseconds, where measured.
    pub cancel_latency_ms: Option<f64>,
    /// Where never acknowledged: longer than this.
    pub cancel_censored_ms: Option<f64>,
    /// The cleanup's code.
    pub cleanup: String,
    /// The validation's code.
    pub validation: String,
    /// The timing cache's code.
    pub cache_mode: String,
    /// The GPU.
    pub gpu_sku: String,
    /// The TensorRT version.
    pub tensorrt_version: String,
    /// When it began.
    pub started_at: Timestamp,
    /// The entry's index in the log.
    pub entry: u64,
    /// The agent that signed it.
    pub agent: String,
}

/// The values that a filter can take in this ledger.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct FilterChoices {
    /// Routes.
    pub routes: Vec<String>,
    /// GPUs.
    pub gpus: Vec<String>,
    /// TensorRT versions.
    pub tensorrt: Vec<String>,
}

/// The runs page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunsView {
    /// What was asked for, as it was understood.
    pub query: RunQuery,
    /// What the filter could be.
    pub choices: FilterChoices,
    /// Runs that the filter lets through, on all pages.
    pub matching: u64,
    /// Whether more than `matching` do: where times are bounded, counting ends at a limit.
    pub more: bool,
    /// All runs.
    pub total: u64,
    /// Of the matching ones: how many need a person (`failed`, `crashed`, `killed`, `cancel_requested_but_completed`, or cleanup `quarantined` or `failed`).
    pub need_a_person: u64,
    /// Rows of this page.
    pub rows: Vec<RunRow>,
    /// Where the page before ends; none on the first.
    pub previous: Option<Place>,
    /// Where the next page begins; none on the last.
    pub next: Option<Place>,
}

/// A run elsewhere in the chain of attempts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunLink {
    /// Its id.
    pub id: String,
    /// Its number.
    pub number: u64,
    /// Its outcome's code.
    pub outcome: String,
    /// Which attempt.
    pub attempt: u32,
}

/// How complete an entry's verification is on the server's side, and what a reader needs to repeat it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Verification {
    /// What the server found just now, from the stored bytes.
    pub report: Report,
    /// The log's verifier key (`name+id+base64`).
    pub log_key: String,
    /// The portal's public key, standard base64.
    pub portal_key: String,
}

/// The run page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunView {
    /// Its number.
    pub number: u64,
    /// The entry's index.
    pub entry: u64,
    /// The entry's digest (of the bytes that were logged).
    pub entry_digest: Sha256Digest,
    /// The agent that signed it.
    pub agent: String,
    /// When the server logged it.
    pub logged_at: Timestamp,
    /// The summary.
    pub summary: BuildSummary,
    /// The phase tree; none where the run had none.
    pub tree: Option<PhaseTree>,
    /// Why the phase tree cannot be shown although the run names one.
    pub tree_problem: Option<String>,
    /// The statement as it was signed, indented.
    pub statement: String,
    /// The verification.
    pub verification: Verification,
    /// The bundle that its plan is in, where gate 3 says so.
    pub bundle: Option<Sha256Digest>,
    /// The newest runs of its configuration up to itself and beyond, oldest first.
    pub history: Vec<configuration::HistoryRow>,
    /// The attempt before.
    pub retry_of: Option<RunLink>,
    /// Attempts after.
    pub retried_by: Vec<RunLink>,
    /// How it stands by its rebuilds; none where the server could not judge.
    pub rebuilds: Option<rebuild::RebuildsView>,
    /// The four questions; none where the server could not judge.
    pub advice: Option<Advice>,
    /// The run of the acceptance test for which it was made.
    pub acceptance: Option<acceptance::AcceptanceLink>,
    /// The portal's request for the cancel, where the run's record names one that is in the log.
    pub cancel_request: Option<live::RequestView>,
}

/// The entry page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EntryView {
    /// Its index.
    pub index: u64,
    /// The digest of the stored bytes as they are now.
    pub digest: Sha256Digest,
    /// The leaf hash that the log committed to.
    pub leaf_hash: Sha256Digest,
    /// How many bytes.
    pub bytes: u64,
    /// When the server logged it.
    pub logged_at: Timestamp,
    /// The statement's predicate type, where the bytes still can be read.
    pub predicate_type: Option<String>,
    /// The run it tells of.
    pub run: Option<RunLink>,
    /// The subjects: name and digest.
    pub subjects: Vec<(String, String)>,
    /// The statement, indented; the bytes with replacements where they cannot be read.
    pub statement: String,
    /// The envelope, indented; the bytes with replacements where they cannot be read.
    pub envelope: String,
    /// The inclusion proof's hashes.
    pub inclusion: Vec<Sha256Digest>,
    /// The signed tree head.
    pub tree_head: String,
    /// The verification.
    pub verification: Verification,
    /// The log's size.
    pub log_size: u64,
}

/// One agent on the ledger page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentRow {
    /// Its name.
    pub name: String,
    /// Its key's id.
    pub key_id: String,
    /// Its public key, standard base64.
    pub public_key: String,
    /// The entry that enrolled it.
    pub enrolled_at: u64,
    /// Entries it signed.
    pub entries: u64,
    /// When its newest entry was logged.
    pub last_entry_at: Option<Timestamp>,
    /// Numbers missing from its chain of statements.
    pub missing: Vec<u64>,
    /// Entries of its chain that contradict others of it.
    pub contradicting: Vec<u64>,
}

/// One entry on the ledger page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EntryRow {
    /// Its index.
    pub index: u64,
    /// Its digest.
    pub digest: Sha256Digest,
    /// Its statement's predicate type.
    pub predicate_type: String,
    /// Who signed it: an agent's name or `portal`.
    pub signer: String,
    /// When it was logged.
    pub logged_at: Timestamp,
    /// The run it tells of.
    pub run: Option<RunLink>,
}

/// The ledger page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LedgerView {
    /// The log's origin.
    pub origin: String,
    /// How many entries.
    pub size: u64,
    /// The root.
    pub root: Sha256Digest,
    /// When the newest tree head was signed.
    pub signed_at: Timestamp,
    /// The signed tree head, verbatim.
    pub tree_head: String,
    /// The log's verifier key.
    pub log_key: String,
    /// The portal's public key.
    pub portal_key: String,
    /// The agents.
    pub agents: Vec<AgentRow>,
    /// The newest entries first.
    pub entries: Vec<EntryRow>,
    /// The index below which the next page begins; none at the end.
    pub before: Option<u64>,
}
