//! Who holds a token: asked of the database for every request, and for many requests at once.
//!
//! Nothing is remembered: a token that was revoked, also by a command beside the running server, holds for no request that
//! comes after. But a way to the database costs far more than the row that it brings. So one task asks, and whoever comes
//! while a question is under way shares the next one.

use std::{
    collections::{HashMap, hash_map::Entry},
    sync::{Mutex, PoisonError},
};

use acta_ledger::log::digest::Sha256Digest;
use sqlx::SqlitePool;
use tokio::sync::{mpsc, oneshot};

use crate::{
    db::Database,
    store::token::{self, FoundToken},
};

/// Requests that wait for the next question at most; further ones wait to wait.
const WAITING: usize = 1024;

/// A use of a token is written down at most this often, in milliseconds.
const TOUCH_MS: i64 = 60 * 1000;

/// Tokens in one question at most.
const QUESTION: usize = 256;

type Waiting = (Sha256Digest, oneshot::Sender<Option<FoundToken>>);

/// The way to the task that asks.
pub struct Tokens {
    database: Database,
    questions: mpsc::Sender<Waiting>,
    /// Whose use was written down when, in milliseconds since 1970, as far as that was a short time ago.
    touched: Mutex<HashMap<Sha256Digest, i64>>,
}

impl Tokens {
    /// Starts the task; it ends with this.
    pub fn start(database: Database) -> Self {
        let (questions, waiting) = mpsc::channel(WAITING);
        tokio::spawn(answer(database.read.clone(), waiting));
        Self { database, questions, touched: Mutex::default() }
    }

    /// The token of a hash.
    pub async fn find(&self, hash: Sha256Digest) -> sqlx::Result<Option<FoundToken>> {
        let (reply, answer) = oneshot::channel();
        if self.questions.send((hash, reply)).await.is_ok()
            && let Ok(found) = answer.await
        {
            return Ok(found);
        }
        // The question failed: asked alone, it says why.
        Ok(token::find(&self.database.read, &[hash]).await?.remove(&hash))
    }

    /// Writes down that a token was used, a minute after the last time at the earliest: each time is a sync of the disk,
    /// and of many requests that come together one writes it for all.
    pub async fn touch(&self, hash: Sha256Digest, last_used_at: Option<i64>, now: i64) -> sqlx::Result<()> {
        let recent = |at: i64| now - at < TOUCH_MS;
        if last_used_at.is_some_and(recent) || !self.is_due(hash, now) {
            return Ok(());
        }
        token::touch(&self.database.write, &hash, now).await
    }

    fn is_due(&self, hash: Sha256Digest, now: i64) -> bool {
        let mut touched = self.touched.lock().unwrap_or_else(PoisonError::into_inner);
        touched.retain(|_, at| now - *at < TOUCH_MS);
        match touched.entry(hash) {
            Entry::Occupied(_) => false,
            Entry::Vacant(due) => {
                due.insert(now);
                true
            }
        }
    }
}

async fn answer(pool: SqlitePool, mut waiting: mpsc::Receiver<Waiting>) {
    let mut group = Vec::new();
    while waiting.recv_many(&mut group, QUESTION).await > 0 {
        let hashes: Vec<Sha256Digest> = group.iter().map(|(hash, _)| *hash).collect();
        let Ok(found): sqlx::Result<HashMap<_, _>> = token::find(&pool, &hashes).await else {
            group.clear();
            continue;
        };
        for (hash, reply) in group.drain(..) {
            let _ = reply.send(found.get(&hash).cloned());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::secret;

    #[tokio::test]
    async fn many_ask_at_once_and_each_gets_its_own_answer() {
        let folder = tempfile::tempdir().unwrap();
        let database = Database::open(&folder.path().join("acta.db")).await.unwrap();
        let mut connection = database.write.acquire().await.unwrap();
        for number in 0..20 {
            let holder = format!("agent-{number}");
            let new = token::NewToken {
                kind: token::Kind::Agent,
                holder: &holder,
                label: "test",
                scopes: "push",
                expires_at: 1,
            };
            token::insert(&mut connection, &secret::hash(&holder), &new, 0).await.unwrap();
        }
        let tokens = Tokens::start(database.clone());
        let hash = |number: usize| secret::hash(&format!("agent-{number}"));
        let ask = async |number: usize| (number, tokens.find(hash(number)).await.unwrap());
        let holder = |found: Option<FoundToken>| found.map(|found| found.holder);
        // Twice as many as there are, each by two.
        for (number, found) in futures::future::join_all((0..80).map(|number| ask(number / 2))).await {
            assert_eq!(holder(found), (number < 20).then(|| format!("agent-{number}")));
        }
        // Its use is written down once a minute, whoever asks how often.
        drop(connection);
        for now in [1, 2, TOUCH_MS, TOUCH_MS + 1] {
            tokens.touch(hash(5), None, now).await.unwrap();
            let wanted = if now > TOUCH_MS { now } else { 1 };
            assert_eq!(ask(5).await.1.unwrap().last_used_at, Some(wanted));
        }
        let mut connection = database.write.acquire().await.unwrap();
        // A token that is gone is gone for the next request.
        token::revoke(&mut connection, &hash(3), None).await.unwrap();
        assert_eq!(holder(ask(3).await.1), None);
        // A database that does not answer is an error, not an unknown token.
        database.read.close().await;
        assert!(tokens.find(hash(4)).await.is_err());
    }
}
