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

/// The answers to the questions that were asked last; those that were not asked for the longest go first.
pub struct Recent<Q, A> {
    most: usize,
    answers: Mutex<VecDeque<(Q, Arc<A>)>>,
}

impl<Q, A> Recent<Q, A> {
    /// Remembers the answers to at most so many questions.
    pub fn new(most: usize) -> Self {
        Self { most, answers: Mutex::default() }
    }

    /// The answer to the question that `is` the one.
    pub fn find(&self, is: impl Fn(&Q) -> bool) -> Option<Arc<A>> {
        let mut answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        let at = answers.iter().position(|(question, _)| is(question))?;
        let found = answers.remove(at)?;
        let answer = Arc::clone(&found.1);
        answers.push_front(found);
        Some(answer)
    }

    /// Keeps an answer, in place of those to questions that it `replaces`.
    pub fn keep(&self, question: Q, answer: Arc<A>, replaces: impl Fn(&Q) -> bool) {
        let mut answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        answers.retain(|(other, _)| !replaces(other));
        answers.truncate(self.most.saturating_sub(1));
        answers.push_front((question, answer));
    }
}

/// Answers to questions about the whole log, each as the log stood when it was asked. Only for what nothing but entries
/// decides: no clock, no account.
pub struct Standing<Q, A>(Recent<(Q, u64), A>);

impl<Q: PartialEq + Clone, A> Standing<Q, A> {
    /// Remembers the answers to at most so many questions.
    pub fn new(most: usize) -> Self {
        Self(Recent::new(most))
    }

    /// The answer for a log of `size` entries or more; it is looked for only where it is not known.
    pub async fn at<E>(
        &self,
        question: Q,
        size: u64,
        look: impl Future<Output = Result<A, E>>,
    ) -> Result<Arc<A>, E> {
        if let Some(answer) = self.0.find(|(known, at)| *at >= size && *known == question) {
            return Ok(answer);
        }
        let answer = Arc::new(look.await?);
        self.0.keep((question.clone(), size), Arc::clone(&answer), |(other, _)| *other == question);
        Ok(answer)
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

    #[test]
    fn the_answers_that_were_asked_for_last_are_kept() {
        let recent = Recent::new(2);
        let find =
            |question: u32| recent.find(|known: &u32| *known == question).map(|answer: Arc<&str>| *answer);
        let keep =
            |question: u32, answer| recent.keep(question, Arc::new(answer), |known| *known == question);
        keep(1, "one");
        keep(2, "two");
        assert_eq!((find(1), find(2), find(3)), (Some("one"), Some("two"), None));
        keep(2, "two again");
        assert_eq!(
            (find(2), find(1)),
            (Some("two again"), Some("one")),
            "replaced, and no other one is lost"
        );
        keep(3, "three");
        assert_eq!((find(1), find(2), find(3)), (Some("one"), None, Some("three")));
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
