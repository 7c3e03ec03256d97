//! A small ledger of our own: an agent, runs of every outcome, a log whose signatures and proofs are real.

#[path = "fixture/acceptance.rs"]
pub mod acceptance;
#[path = "fixture/agent.rs"]
pub mod agent;
#[path = "fixture/build.rs"]
mod build;
#[path = "fixture/rebuild.rs"]
pub mod rebuild;
#[path = "fixture/route.rs"]
pub mod route;
#[path = "fixture/search.rs"]
pub mod search;

use acta_app::view::{
    AgentRow, EntryRow, EntryView, LedgerView, RunLink, RunRow, RunView, Verification,
    configuration::HistoryRow,
};
use acta_ledger::{
    evidence::{
        agent_key::{AgentKey, AgentKeyAction},
        build::BuildSummary,
        code,
        phase_tree::PhaseTree,
    },
    judge::{
        advice::{Advice, RunFacts, advise},
        baseline::{Baseline, BaselineKey, EntryRef},
        compare::{Compared, Side, compare},
    },
    log::{
        digest::Sha256Digest,
        entry::Entry,
        key::{PublicKey, SigningKey},
        merkle::node_hash,
        note::{NoteKeyType, VerifierKey},
        proof::{Node, Plan},
        statement::{Statement, Subject},
        timestamp::Timestamp,
        tree_head::TreeHead,
        verification::{LoggedEntry, Material, Trust, verify},
    },
};
use base64::{Engine as _, engine::general_purpose::STANDARD};
pub use build::{run, slow_tree};

const ORIGIN: &str = "acta.example/ledger";
const AGENT: &str = "builder-03";

/// When the first run began.
fn begin() -> Timestamp {
    "2026-11-29T20:31:07.000Z".parse().unwrap()
}

/// A run and what it was.
pub struct Run {
    pub summary: BuildSummary,
    pub tree: Option<PhaseTree>,
}

/// Everything that the pages of a test can ask for.
pub struct Ledger {
    log_key: SigningKey,
    portal_key: SigningKey,
    agent_key: SigningKey,
    entries: Vec<Entry>,
    pub runs: Vec<Run>,
    /// Statements that the agent's chain lacks.
    pub missing: Vec<u64>,
    /// Entries of the agent's chain that contradict others.
    pub contradicting: Vec<u64>,
}

impl Ledger {
    /// A ledger of these runs: entry 0 enrols the agent, entry n holds run n.
    pub fn of(runs: Vec<Run>) -> Self {
        let [log_key, portal_key, agent_key] = [7, 8, 9].map(|seed| SigningKey::from_bytes(&[seed; 32]));
        let enrolment = AgentKey {
            agent: AGENT.to_owned(),
            public_key: PublicKey::of(&agent_key),
            action: AgentKeyAction::Enrolled,
            at: begin(),
            authorized_by: "admin-1".to_owned(),
            owner: None,
            previous: None,
            reason: None,
        };
        let statement = Statement::new(vec![enrolment.subject()], &enrolment).unwrap();
        let mut entries = vec![Entry::of(&statement.sign(&portal_key).unwrap()).unwrap()];
        for run in &runs {
            let subject = Subject::new(run.summary.network.source.clone(), run.summary.network.digest);
            let statement = Statement::new(vec![subject], &run.summary).unwrap();
            entries.push(Entry::of(&statement.sign(&agent_key).unwrap()).unwrap());
        }
        Self { log_key, portal_key, agent_key, entries, runs, missing: Vec::new(), contradicting: Vec::new() }
    }

    fn size(&self) -> u64 {
        self.entries.len() as u64
    }

    fn node(&self, node: Node) -> Option<Sha256Digest> {
        match node.level {
            0 => self.entries.get(node.index as usize).map(Entry::leaf_hash),
            level => {
                let child = |index| self.node(Node { level: level - 1, index });
                Some(node_hash(&child(node.index * 2)?, &child(node.index * 2 + 1)?))
            }
        }
    }

    fn logged(&self, index: u64) -> LoggedEntry {
        let plan = Plan::inclusion(index, self.size()).unwrap();
        LoggedEntry {
            record: STANDARD.encode(self.entries[index as usize].bytes()),
            index,
            inclusion: plan.assemble(|node| self.node(node)).unwrap(),
        }
    }

    fn root(&self) -> Sha256Digest {
        let mut frontier = acta_ledger::log::merkle::Frontier::default();
        self.entries.iter().for_each(|entry| frontier.append(entry.leaf_hash()));
        frontier.root()
    }

    fn tree_head(&self) -> String {
        let head = TreeHead { origin: ORIGIN.to_owned(), size: self.size(), root: self.root() };
        head.sign(&self.log_key).unwrap().to_string()
    }

    /// What the island fetches.
    pub fn material(&self, index: u64) -> Material {
        Material {
            entry: self.logged(index),
            key_history: (index > 0).then(|| self.logged(0)).into_iter().collect(),
            hand_overs: Vec::new(),
            tree_head: self.tree_head(),
        }
    }

    fn trust(&self) -> Trust {
        let log = VerifierKey::new(ORIGIN, NoteKeyType::Ed25519, PublicKey::of(&self.log_key)).unwrap();
        Trust { log, portal: PublicKey::of(&self.portal_key) }
    }

    fn verification(&self, index: u64) -> Verification {
        let trust = self.trust();
        Verification {
            report: verify(&self.material(index), &trust),
            log_key: trust.log.to_string(),
            portal_key: trust.portal.to_base64(),
        }
    }

    fn link(&self, number: usize) -> RunLink {
        let run = &self.runs[number - 1].summary;
        RunLink {
            id: run.run.id.to_string(),
            number: number as u64,
            outcome: code(&run.outcome),
            attempt: run.run.attempt,
        }
    }

    pub fn run_view(&self, number: usize) -> Option<RunView> {
        let run = self.runs.get(number.checked_sub(1)?)?;
        let entry = &self.entries[number];
        let id = run.summary.run.id;
        let other = |wanted: &dyn Fn(&Run) -> bool| -> Vec<RunLink> {
            (1..=self.runs.len()).filter(|&n| wanted(&self.runs[n - 1])).map(|n| self.link(n)).collect()
        };
        Some(RunView {
            number: number as u64,
            entry: number as u64,
            entry_digest: entry.digest(),
            agent: AGENT.to_owned(),
            logged_at: run.summary.finished_at,
            summary: run.summary.clone(),
            tree: run.tree.clone(),
            tree_problem: None,
            statement: serde_json::to_string_pretty(&run.summary).unwrap(),
            verification: self.verification(number as u64),
            bundle: (number == 1).then_some(route::A),
            history: self.history(number),
            retry_of: other(&|other| run.summary.run.retry_of == Some(other.summary.run.id)).pop(),
            retried_by: other(&|other| other.summary.run.retry_of == Some(id)),
            advice: Some(self.advice(number)),
            rebuilds: Some(rebuild::view(&run.summary)),
            acceptance: (number == 2).then(acceptance::link),
            cancel_request: None,
        })
    }

    /// The runs of a run's configuration.
    pub fn history(&self, number: usize) -> Vec<HistoryRow> {
        let config = self.runs[number - 1].summary.build_config_hash;
        let same = (1..=self.runs.len()).filter(|&n| self.runs[n - 1].summary.build_config_hash == config);
        same.map(|number| {
            let row = self.row(number);
            HistoryRow {
                id: row.id,
                number: row.number,
                entry: row.entry,
                network: row.network,
                outcome: row.outcome,
                disturbed: self.runs[number - 1].summary.cancel.is_some(),
                builder: row.builder,
                cache_mode: row.cache_mode,
                gpu_sku: row.gpu_sku,
                tensorrt_version: row.tensorrt_version,
                total_ms: row.total_ms,
                started_at: row.started_at,
            }
        })
        .collect()
    }

    /// A comparison of runs by number.
    pub fn compared(&self, numbers: &[usize]) -> Compared {
        let kin: Vec<f64> = self.runs.iter().map(|run| run.summary.duration_ms.total).collect();
        let sides: Vec<Side<'_>> = numbers
            .iter()
            .map(|&number| {
                let run = &self.runs[number - 1];
                let (digest, index) = (self.entries[number].digest(), Some(number as u64));
                Side {
                    entry: EntryRef { run: run.summary.run.id, digest, index },
                    summary: &run.summary,
                    tree: run.tree.as_ref(),
                    bundle: None,
                    kin_total_ms: &kin,
                    kin: kin.len() as u64,
                }
            })
            .collect();
        compare(&sides).unwrap()
    }

    fn advice(&self, number: usize) -> Advice {
        let run = &self.runs[number - 1].summary;
        let mut baseline = Baseline::new(BaselineKey::of(run));
        let facts = |number: usize| {
            let run = &self.runs[number - 1];
            let (digest, index) = (self.entries[number].digest(), Some(number as u64));
            let entry = EntryRef { run: run.summary.run.id, digest, index };
            (entry, RunFacts::of(&run.summary, run.tree.as_ref(), entry))
        };
        for before in 1..number {
            let Run { summary, tree, .. } = &self.runs[before - 1];
            if let Some(tree) = tree {
                baseline.take(summary, tree, facts(before).0);
            }
        }
        let history: Vec<RunFacts> = (1..number).map(|number| facts(number).1).collect();
        advise(&facts(number).1, &history, &baseline)
    }

    pub fn row(&self, number: usize) -> RunRow {
        let summary = &self.runs[number - 1].summary;
        let cancel = summary.cancel.as_ref();
        RunRow {
            id: summary.run.id.to_string(),
            number: number as u64,
            network: summary.network.source.rsplit('/').next().unwrap().to_owned(),
            route: summary.run.route.clone(),
            attempt: summary.run.attempt,
            builder: code(&summary.builder),
            outcome: code(&summary.outcome),
            total_ms: summary.duration_ms.total,
            build_ms: summary.duration_ms.build.zip(summary.duration_ms.serialize).map(|(a, b)| a + b),
            silence_ms: summary.phase_tree.as_ref().map(|tree| tree.longest_silence_ms),
            cancel_latency_ms: cancel.and_then(|cancel| cancel.request_to_ack_ms),
            cancel_censored_ms: cancel.and_then(|cancel| cancel.censored_after_ms),
            cleanup: code(&summary.cleanup_status),
            validation: code(&summary.validation_status),
            cache_mode: code(&summary.timing_cache_mode),
            gpu_sku: summary.gpu_sku.clone(),
            tensorrt_version: summary.tensorrt_version.clone(),
            started_at: summary.started_at,
            entry: number as u64,
            agent: AGENT.to_owned(),
        }
    }

    pub fn entry_view(&self, index: u64) -> Option<EntryView> {
        let entry = self.entries.get(index as usize)?;
        let text: serde_json::Value = serde_json::from_slice(entry.bytes()).unwrap();
        let payload = STANDARD.decode(text["payload"].as_str().unwrap()).unwrap();
        let statement: serde_json::Value = serde_json::from_slice(&payload).unwrap();
        let subject = &statement["subject"][0];
        let logged = self.logged(index);
        Some(EntryView {
            index,
            digest: entry.digest(),
            leaf_hash: entry.leaf_hash(),
            bytes: entry.bytes().len() as u64,
            logged_at: begin().plus_ms(index as i64 * 60_000).unwrap(),
            predicate_type: statement["predicateType"].as_str().map(str::to_owned),
            run: (index > 0).then(|| self.link(index as usize)),
            subjects: vec![(
                subject["name"].as_str().unwrap().to_owned(),
                subject["digest"]["sha256"].as_str().unwrap().to_owned(),
            )],
            statement: serde_json::to_string_pretty(&statement).unwrap(),
            envelope: serde_json::to_string_pretty(&text).unwrap(),
            inclusion: logged.inclusion,
            tree_head: self.tree_head(),
            verification: self.verification(index),
            log_size: self.size(),
        })
    }

    pub fn ledger_view(&self) -> LedgerView {
        let key = PublicKey::of(&self.agent_key);
        let entries = (0..self.size()).rev().take(12).map(|index| {
            let view = self.entry_view(index).unwrap();
            EntryRow {
                index,
                digest: view.digest,
                predicate_type: view.predicate_type.unwrap(),
                signer: if index == 0 { "portal" } else { AGENT }.to_owned(),
                logged_at: view.logged_at,
                run: view.run,
            }
        });
        let trust = self.trust();
        LedgerView {
            origin: ORIGIN.to_owned(),
            size: self.size(),
            root: self.root(),
            signed_at: begin(),
            tree_head: self.tree_head(),
            log_key: trust.log.to_string(),
            portal_key: trust.portal.to_base64(),
            agents: vec![AgentRow {
                name: AGENT.to_owned(),
                key_id: key.id().to_string(),
                public_key: key.to_base64(),
                enrolled_at: 0,
                entries: self.size() - 1,
                last_entry_at: Some(begin()),
                missing: self.missing.clone(),
                contradicting: self.contradicting.clone(),
            }],
            entries: entries.collect(),
            before: self.size().checked_sub(12).filter(|&before| before > 0),
        }
    }
}
