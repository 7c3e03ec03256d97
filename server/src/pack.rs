//! Evidence packs: gathers what belongs, and streams the archive. What belongs is the ledger's judgement; the server
//! only asks its indexes for whatever may belong.

mod stream;

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use acta_ledger::{
    evidence::{
        agent_key::AgentKey, cancel_request::CancelRequest, decision::RouteDecision, log_key::LogKey,
    },
    judge::{
        pack::{Candidate, Topic, belonging},
        route::{RouteEvent, judge_route},
    },
    log::{
        digest::Sha256Digest,
        jcs,
        pack::{
            Blobs, Consistency, Contents, FORMAT, File, LeftOut, MAX_ENTRIES, Manifest, PackedEntry,
            check::named_digests,
        },
        statement::{Predicate as _, Statement},
    },
};
use axum::http::StatusCode;

pub use stream::archive;

use crate::{
    clock,
    error::{Answer, Problem},
    http::api::entry::material,
    log::SignedHead,
    route,
    startup::AppState,
    statement::{self, ReadEntry},
    store,
};

/// What a pack is to hold.
#[derive(Debug, Clone)]
pub struct Wanted {
    /// What it is about.
    pub about: Topic,
    /// Which blobs go along.
    pub blobs: Blobs,
    /// A size of the tree that the asker knows: a proof from there goes along.
    pub since: Option<u64>,
}

/// An entry that may belong.
struct Read {
    record: Vec<u8>,
    signer: String,
    statement: Statement,
}

/// The files of a pack under the newest tree head.
pub async fn gather(state: &AppState, wanted: &Wanted) -> Answer<Vec<File>> {
    let head = state.log.head();
    let size = head.head.size;
    let read = read_all(state, candidates(state, &wanted.about, size).await?).await?;
    let candidates: Vec<Candidate<'_>> = read
        .iter()
        .map(|(index, it)| Candidate { index: *index, signer: &it.signer, statement: &it.statement })
        .collect();
    let entries: Vec<PackedEntry> = belonging(&wanted.about, &candidates)
        .into_iter()
        .map(|(index, why)| PackedEntry { index, why })
        .collect();
    if entries.is_empty() {
        return Err(Problem::not_found("the log has no entry about it"));
    }
    if entries.len() > MAX_ENTRIES {
        return Err(Problem::new(
            StatusCode::PAYLOAD_TOO_LARGE,
            "pack_too_large",
            format!("{} entries belong to it, a pack holds {MAX_ENTRIES}", entries.len()),
        ));
    }
    let read: BTreeMap<u64, Read> =
        read.into_iter().filter(|(index, _)| entries.iter().any(|it| it.index == *index)).collect();
    let contents = contents(state, wanted, entries, read, &head).await?;
    contents.files().map_err(Problem::internal)
}

async fn contents(
    state: &AppState,
    wanted: &Wanted,
    entries: Vec<PackedEntry>,
    read: BTreeMap<u64, Read>,
    head: &SignedHead,
) -> Answer<Contents> {
    let (judged_at, route_record) = match &wanted.about {
        Topic::Route(name) => {
            let (log, now) = (route::read_until(state, name, head.head.size).await?, clock::now());
            let record = judge_route(name, &log, now).record;
            (Some(now), Some(jcs::to_vec(&record).map_err(Problem::internal)?))
        }
        Topic::Run(_) | Topic::Bundle(_) => (None, None),
    };
    let (blobs, left_out) = blobs(state, wanted.blobs, &read).await?;
    let hand_overs = hand_overs(state, &entries).await?;
    let mut inclusion = BTreeMap::new();
    for index in read.keys() {
        let proof = state.reader.inclusion(*index, head.head.size).await?;
        let proof = proof.ok_or_else(|| Problem::internal(format_args!("no proof for entry {index}")))?;
        inclusion.insert(*index, proof);
    }
    let mut contents = Contents {
        consistency: consistency(state, wanted.since, &read, head.head.size).await?,
        manifest: Manifest {
            format: FORMAT.to_owned(),
            about: wanted.about.clone(),
            origin: head.head.origin.clone(),
            tree_size: head.head.size,
            log_key: state.trust.log.to_string(),
            portal_key: state.trust.portal,
            judged_at,
            entries,
            hand_overs: hand_overs.keys().copied().collect(),
            left_out,
        },
        tree_head: head.note.clone(),
        route_record,
        hand_overs,
        keys: BTreeMap::new(),
        entries: read.into_iter().map(|(index, it)| (index, it.record)).collect(),
        inclusion,
        blobs,
    };
    contents.keys = contents.keys_by(&state.trust).map_err(Problem::internal)?;
    Ok(contents)
}

/// Whatever may belong: a superset of what does.
async fn candidates(state: &AppState, about: &Topic, size: u64) -> Answer<BTreeSet<u64>> {
    let pool = &state.database.read;
    let mut found = BTreeSet::new();
    match about {
        Topic::Run(run) => found.extend(of_runs(state, BTreeSet::from([run.to_string()])).await?),
        Topic::Route(name) => found.extend(store::route::entries(pool, name, size).await?),
        Topic::Bundle(bundle) => {
            let about = store::pack::about(pool, bundle).await?;
            let (mut routes, mut runs) = (BTreeSet::new(), BTreeSet::new());
            for (_, it) in read_all(state, about.iter().copied().collect()).await? {
                let Ok(Some(event)) = RouteEvent::read(&it.statement) else { continue };
                routes.insert(event.route().to_owned());
                if let RouteEvent::Gate(record) = event {
                    runs.extend(record.run.map(|run| run.to_string()));
                }
            }
            for name in routes {
                found.extend(store::route::entries(pool, &name, size).await?);
            }
            found.extend(about);
            found.extend(of_runs(state, runs).await?);
        }
    }
    for predicate_type in [AgentKey::TYPE, LogKey::TYPE] {
        found.extend(store::pack::of_type(pool, predicate_type).await?);
    }
    found.retain(|index| *index < size);
    Ok(found)
}

/// The entries of runs, of all attempts at the same builds, of requests to cancel them, of the test that made them.
async fn of_runs(state: &AppState, runs: BTreeSet<String>) -> Answer<BTreeSet<u64>> {
    let pool = &state.database.read;
    let mut found = BTreeSet::new();
    let (mut seen, mut open): (BTreeSet<String>, VecDeque<String>) =
        (BTreeSet::new(), runs.iter().cloned().collect());
    while let Some(run) = open.pop_front() {
        if !seen.insert(run.clone()) {
            continue;
        }
        for attempt in store::pack::attempts(pool, &run).await? {
            found.insert(attempt.entry);
            open.push_back(attempt.id);
            open.extend(attempt.retry_of);
        }
        if let Ok(id) = run.parse() {
            found.extend(store::pack::about(pool, &CancelRequest::subject_digest(id)).await?);
        }
        found.extend(store::pack::acceptance_of(pool, &run).await?);
    }
    // Of the other run of a rebuild its summary belongs, and nothing that hangs on it.
    for run in runs {
        let mut rebuilds = store::rebuild::of_run(pool, &run, MAX_ENTRIES as u32).await?;
        rebuilds.extend(store::rebuild::by_run(pool, &run, MAX_ENTRIES as u32).await?);
        for rebuild in rebuilds {
            found.insert(rebuild.entry);
            for other in rebuild.rebuilt.into_iter().chain([rebuild.run]) {
                found.extend(store::run::find(pool, &other).await?.map(|row| row.entry));
            }
        }
    }
    Ok(found)
}

async fn read_all(state: &AppState, indices: BTreeSet<u64>) -> Answer<BTreeMap<u64, Read>> {
    let mut read = BTreeMap::new();
    for index in indices {
        let ReadEntry { stored, statement, signer } = statement::read(state, index).await?;
        read.insert(index, Read { record: stored.record, signer, statement });
    }
    Ok(read)
}

/// The blobs that go along, and those that are kept here and do not.
async fn blobs(
    state: &AppState,
    choice: Blobs,
    read: &BTreeMap<u64, Read>,
) -> Answer<(BTreeMap<Sha256Digest, u64>, Vec<LeftOut>)> {
    let (mut taken, mut left_out) = (BTreeMap::new(), Vec::new());
    for digest in named_digests(read.values().map(|it| &it.statement)) {
        match state.blobs.size(&digest).await? {
            Some(bytes) if choice.takes(bytes) => {
                taken.insert(digest, bytes);
            }
            Some(bytes) => left_out.push(LeftOut { digest, bytes }),
            None => {}
        }
    }
    Ok((taken, left_out))
}

/// The trees that persons saw when they decided, and the one that the asker knows.
async fn consistency(
    state: &AppState,
    since: Option<u64>,
    read: &BTreeMap<u64, Read>,
    size: u64,
) -> Answer<Vec<Consistency>> {
    let seen = read.values().filter(|it| it.statement.predicate_type == RouteDecision::TYPE);
    let seen = seen.filter_map(|it| Some(it.statement.predicate::<RouteDecision>().ok()?.seen.size));
    let sizes: BTreeSet<u64> = seen.chain(since).filter(|earlier| *earlier > 0 && *earlier <= size).collect();
    let mut items = Vec::with_capacity(sizes.len());
    for earlier in sizes {
        let proof = state.reader.consistency(earlier, size).await?;
        let proof = proof.ok_or_else(|| Problem::internal(format_args!("no proof from size {earlier}")))?;
        items.push(Consistency { size: earlier, root: state.reader.root(earlier).await?, proof });
    }
    Ok(items)
}

/// The tree heads that both keys signed, by the entries that hand the log's key on.
async fn hand_overs(state: &AppState, entries: &[PackedEntry]) -> Answer<BTreeMap<u64, String>> {
    let Some(first) = entries.first() else { return Ok(BTreeMap::new()) };
    let hand_overs = material(state, first.index).await?.hand_overs;
    Ok(hand_overs.into_iter().map(|it| (it.statement.index, it.tree_head)).collect())
}
