//! Passwords: argon2id, on a blocking thread, few at a time.

use std::sync::LazyLock;

use argon2::{
    Argon2,
    password_hash::{PasswordHasher as _, PasswordVerifier as _, phc::PasswordHash},
};
use tokio::sync::Semaphore;

/// Argon2id takes 19 MiB and a core each time: more than two at once would slow everybody else.
static AT_ONCE: Semaphore = Semaphore::const_new(2);

/// Compared against when there is no such account, so that the answer takes the same time.
static NOBODY: LazyLock<String> = LazyLock::new(|| hash_now("nobody's password").unwrap_or_default());

/// The shortest password that is taken.
pub const MIN_CHARS: usize = 10;

/// The longest: nobody types more, and hashing it costs time.
pub const MAX_BYTES: usize = 1024;

/// Hashes a new password (PHC string).
pub fn hash_now(password: &str) -> anyhow::Result<String> {
    Argon2::default()
        .hash_password(password.as_bytes())
        .map(|hash| hash.to_string())
        .map_err(|error| anyhow::anyhow!("the password cannot be hashed: {error}"))
}

/// Whether the password fits the stored hash; with no stored hash the answer is no, after the same time.
pub async fn verify(password: String, stored: Option<String>) -> bool {
    let Ok(_permit) = AT_ONCE.acquire().await else { return false };
    let check = move || {
        let known = stored.is_some();
        let stored = stored.unwrap_or_else(|| NOBODY.clone());
        let fits = PasswordHash::new(&stored)
            .is_ok_and(|hash| Argon2::default().verify_password(password.as_bytes(), &hash).is_ok());
        known && fits
    };
    tokio::task::spawn_blocking(check).await.unwrap_or(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn only_the_right_password_fits() {
        let stored = hash_now("correct horse battery").unwrap();
        assert!(stored.starts_with("$argon2id$"));
        assert!(verify("correct horse battery".to_owned(), Some(stored.clone())).await);
        assert!(!verify("wrong horse battery".to_owned(), Some(stored)).await);
        assert!(!verify("nobody's password".to_owned(), None).await);
        assert!(!verify("x".to_owned(), Some("not a hash".to_owned())).await);
    }
}
