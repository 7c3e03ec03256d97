//! Search: looks for everything that a text can mean, up to the newest tree head.

use std::collections::BTreeMap;

use acta_app::view::search::{EntryBy, Found, SearchView, Thing, Use};
use acta_ledger::{
    judge::search::{Prefix, Refusal, Wanted, too_short, wanted},
    log::digest::Sha256Digest,
};

use crate::{
    error::Answer,
    startup::AppState,
    store::{self, search},
};

/// Things of a kind that are listed at most.
pub const MAX_THINGS: u32 = 50;

/// Entries that are gone through for what they speak of.
pub const MAX_USES: u32 = 500;

/// Looks for what was typed. Nothing that is in the log below the answer's tree size is left out, unless the answer
/// says that there is more than it lists.
pub async fn search(state: &AppState, text: &str) -> Answer<SearchView> {
    let tree_size = state.log.head().head.size;
    let found = match wanted(text) {
        Ok(wanted) => {
            let found = look_for(state, &wanted, tree_size).await?;
            // A route may have a short name of hexadecimal letters; only if there is none was a digest meant.
            if found.things.is_empty() && too_short(text) { Err(Refusal::TooShort) } else { Ok(found) }
        }
        Err(refusal) => Err(refusal),
    };
    Ok(SearchView { query: text.to_owned(), found, tree_size })
}

async fn look_for(state: &AppState, wanted: &Wanted, size: u64) -> Answer<Found> {
    let pool = &state.database.read;
    let mut found = Found::default();
    if let Some(number) = wanted.number {
        if let Some(id) = search::run_numbered(pool, number).await? {
            found.things.push(Thing::Run { id, number });
        }
        if let Some(entry) = state.reader.entry(number).await?.filter(|entry| entry.index < size) {
            found.things.push(Thing::Entry { index: entry.index, by: EntryBy::Index, digest: entry.digest });
        }
    }
    if let Some(prefix) = &wanted.run {
        for (id, number) in search::runs(pool, prefix, MAX_THINGS).await? {
            found.things.push(Thing::Run { id, number });
        }
    }
    if let Some(begin) = &wanted.route {
        for name in search::routes(pool, begin, MAX_THINGS).await? {
            found.things.push(Thing::Route { name });
        }
    }
    if let Some(prefix) = &wanted.digest {
        let (entries, leaves) = (
            search::entries(pool, prefix, size, MAX_THINGS).await?,
            search::leaves(pool, prefix, size, MAX_THINGS).await?,
        );
        found.more |= [&entries, &leaves].iter().any(|list| list.len() == MAX_THINGS as usize);
        let of = |by| move |(digest, index): (Sha256Digest, u64)| Thing::Entry { index, by, digest };
        found.things.extend(entries.into_iter().map(of(EntryBy::Digest)));
        found.things.extend(leaves.into_iter().map(of(EntryBy::LeafHash)));
        found.things.extend(keys(state, prefix, size));
        digests(state, prefix, size, &mut found).await?;
    }
    Ok(found)
}

/// Every key that the log knows or knew: the server's own and agents', whether they may still sign or not.
fn keys(state: &AppState, prefix: &Prefix, size: u64) -> Vec<Thing> {
    let keyring = state.log.keyring();
    let log = keyring.log().lives();
    let log = log.map(|life| (life.key.public_key().id().0, "log", life.announced_by));
    let portal = (keyring.portal().id().0, "portal", None);
    let agents = keyring.lives().iter();
    let agents = agents.map(|life| (life.public_key.id().0, life.agent.as_str(), Some(life.introduced_at)));
    let all = log.chain([portal]).chain(agents);
    all.filter(|(digest, _, entry)| prefix.is_of(digest) && entry.is_none_or(|entry| entry < size))
        .map(|(digest, holder, entry)| Thing::Key { digest, holder: holder.to_owned(), entry })
        .collect()
}

/// What entries speak of or mention, and the bytes that are kept of it.
async fn digests(state: &AppState, prefix: &Prefix, size: u64, found: &mut Found) -> Answer<()> {
    let pool = &state.database.read;
    let subjects = search::subjects(pool, prefix, size, MAX_USES).await?;
    let mentions = search::mentions(pool, prefix, size, MAX_USES).await?;
    found.more |= [&subjects, &mentions].iter().any(|list| list.len() == MAX_USES as usize);
    // An entry that has the digest as a subject and names it in its predicate too is listed once, as what it speaks of.
    let mut uses: BTreeMap<Sha256Digest, BTreeMap<u64, Use>> = BTreeMap::new();
    for (digest, it) in mentions.into_iter().chain(subjects) {
        uses.entry(digest).or_default().insert(it.entry, it);
    }
    if let Some(digest) = prefix.whole() {
        // Bytes that are here and that no entry names yet: pushed, and their statement is still to come.
        if !uses.contains_key(&digest) && state.blobs.size(&digest).await?.is_some() {
            uses.insert(digest, BTreeMap::new());
        }
    }
    found.more |= uses.len() > MAX_THINGS as usize;
    for (digest, uses) in uses.into_iter().take(MAX_THINGS as usize) {
        found.things.push(Thing::Digest {
            digest,
            bytes: state.blobs.size(&digest).await?,
            routes: store::route::of_subject(pool, &digest).await?,
            uses: uses.into_values().collect(),
        });
    }
    Ok(())
}
