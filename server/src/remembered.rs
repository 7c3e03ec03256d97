//! What was made of entries and need not be made again. An entry never changes, so what follows from it, and from entries
//! before it, stays right for as long as the process lives; and what follows from the whole log, until it grows.

use std::{
    collections::VecDeque,
    num::NonZeroUsize,
    sync::{Arc, Mutex, PoisonError},
};

use lru::LruCache;

/// Values by the index of the entry that they follow from; those that were not asked for the longest go first.
pub struct Remembered<T>(Mutex<LruCache<u64, Arc<T>>>);

impl<T> Remembered<T> {
    /// Remembers at most so many.
    pub fn new(most: NonZeroUsize) -> Self {
        Self(Mutex::new(LruCache::new(most)))
    }

    /// The value of an entry.
    pub fn get(&self, index: u64) -> Option<Arc<T>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(&index).cloned()
    }

    /// Keeps the value of an entry.
    pub fn keep(&self, index: u64, value: Arc<T>) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).put(index, value);
    }
}

/// Answers to questions about the whole log, each as the log stood when it was asked; those that were not asked for the
/// longest go first. Only for what nothing but entries decides: no clock, no account.
pub struct Standing<Q, A> {
    most: usize,
    answers: Mutex<VecDeque<(Q, u64, Arc<A>)>>,
}

impl<Q: PartialEq, A> Standing<Q, A> {
    /// Remembers the answers to at most so many questions.
    pub fn new(most: usize) -> Self {
        Self { most, answers: Mutex::default() }
    }

    /// The answer for a log of `size` entries or more; it is looked for only where it is not known.
    pub async fn at<E>(
        &self,
        question: Q,
        size: u64,
        look: impl Future<Output = Result<A, E>>,
    ) -> Result<Arc<A>, E> {
        if let Some(answer) = self.known(&question, size) {
            return Ok(answer);
        }
        let answer = Arc::new(look.await?);
        let mut answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        answers.retain(|(other, ..)| *other != question);
        answers.truncate(self.most.saturating_sub(1));
        answers.push_front((question, size, Arc::clone(&answer)));
        Ok(answer)
    }

    fn known(&self, question: &Q, size: u64) -> Option<Arc<A>> {
        let mut answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        let at = answers.iter().position(|(other, at, _)| *at >= size && other == question)?;
        let found = answers.remove(at)?;
        let answer = Arc::clone(&found.2);
        answers.push_front(found);
        Some(answer)
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;

    async fn ask(
        standing: &Standing<&'static str, u32>,
        question: &'static str,
        size: u64,
        answer: u32,
    ) -> u32 {
        let look = async { Ok::<_, Infallible>(answer) };
        *standing.at(question, size, look).await.unwrap()
    }

    #[tokio::test]
    async fn an_answer_stands_until_the_log_grows() {
        let standing = Standing::new(2);
        assert_eq!(ask(&standing, "a", 7, 1).await, 1);
        assert_eq!(ask(&standing, "a", 7, 2).await, 1);
        assert_eq!(ask(&standing, "a", 6, 2).await, 1, "a newer one is good as well");
        assert_eq!(ask(&standing, "a", 8, 3).await, 3);
        assert_eq!(ask(&standing, "b", 8, 4).await, 4, "another question");
        assert_eq!(ask(&standing, "a", 8, 5).await, 3);
        assert_eq!(ask(&standing, "c", 8, 6).await, 6);
        assert_eq!(ask(&standing, "a", 8, 7).await, 3, "asked for just before");
        assert_eq!(
            ask(&standing, "b", 8, 8).await,
            8,
            "the one that was not asked for the longest is forgotten"
        );
        let refused: Result<_, &str> = standing.at("d", 8, async { Err("no") }).await;
        assert_eq!(refused.unwrap_err(), "no");
        assert_eq!(ask(&standing, "d", 8, 9).await, 9, "what failed is asked again");
    }
}
