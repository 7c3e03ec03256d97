//! Secrets that are handed out once and stored hashed: session tokens, enrolment tokens, API tokens.

use acta_ledger::log::digest::Sha256Digest;

/// A random secret of 256 bits, written as 64 hexadecimal digits behind a prefix that says what it is for.
pub struct Secret {
    text: String,
}

impl Secret {
    /// Draws a new one from the operating system.
    pub fn draw(prefix: &str) -> anyhow::Result<Self> {
        let mut bytes = [0; 32];
        getrandom::fill(&mut bytes)
            .map_err(|error| anyhow::anyhow!("the system gives no random bytes: {error}"))?;
        Ok(Self { text: format!("{prefix}{}", Sha256Digest(bytes)) })
    }

    /// The secret itself: shown once, never stored, never logged.
    pub fn reveal(&self) -> &str {
        &self.text
    }

    /// What is stored.
    pub fn hash(&self) -> Sha256Digest {
        hash(&self.text)
    }
}

/// The hash under which a secret is stored. A fast hash is enough: the secret has 256 random bits.
pub fn hash(secret: &str) -> Sha256Digest {
    Sha256Digest::of(secret.as_bytes())
}
