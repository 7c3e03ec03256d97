//! Checking many signatures under few keys, as an audit does.
//!
//! A strict check multiplies the key's point anew each time, and decompresses `R`. Of a key that signs a whole log the
//! multiples can be tabulated once, which leaves two thirds of the work. The table decides nothing that the strict check would
//! decide otherwise: `R = sB - hA` over the same scalars and points, with the same refusal of points of small order. What it
//! does not find good is asked of the strict check all the same, which is there to be believed.

use std::{
    fmt,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicU32, Ordering},
    },
};

use curve25519_dalek::{
    constants::ED25519_BASEPOINT_TABLE,
    edwards::{CompressedEdwardsY, EdwardsBasepointTable},
    scalar::Scalar,
    traits::{BasepointTable as _, IsIdentity as _},
};
use sha2::{Digest as _, Sha512};

use super::PublicKey;

/// After so many checks a key gets its table: making it takes as long as a hundred shortened checks save.
const BUSY: u32 = 256;

/// A key's table takes 30 KB; so many at most.
const MOST_TABLES: u32 = 1024;

/// How many tables may still be made; shared by keys that are used together.
#[derive(Debug, Clone)]
pub struct Tables(Arc<AtomicU32>);

impl Default for Tables {
    fn default() -> Self {
        Self(Arc::new(AtomicU32::new(MOST_TABLES)))
    }
}

/// A public key under which perhaps many signatures are checked, by several threads.
pub struct BusyKey {
    key: PublicKey,
    tables: Tables,
    checked: AtomicU32,
    /// The multiples of `-A`; none where there is no room for a further table.
    table: OnceLock<Option<Box<EdwardsBasepointTable>>>,
}

impl BusyKey {
    /// Prepares a key; nothing is tabulated yet.
    pub fn new(key: PublicKey, tables: Tables) -> Self {
        Self { key, tables, checked: AtomicU32::new(0), table: OnceLock::new() }
    }

    /// The key.
    pub fn key(&self) -> &PublicKey {
        &self.key
    }

    /// Checks a signature as [`PublicKey::verify`] does.
    pub fn verify(&self, message: &[u8], signature: &[u8]) -> bool {
        let table = if self.checked.load(Ordering::Relaxed) < BUSY {
            self.checked.fetch_add(1, Ordering::Relaxed);
            None
        } else {
            self.table.get_or_init(|| self.tabulate()).as_deref()
        };
        table.is_some_and(|table| is_good(&self.key, table, message, signature))
            || self.key.verify(message, signature)
    }

    fn tabulate(&self) -> Option<Box<EdwardsBasepointTable>> {
        let one_less = |left: u32| left.checked_sub(1);
        self.tables.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_less).ok()?;
        let point = CompressedEdwardsY(*self.key.as_bytes()).decompress()?;
        Some(Box::new(EdwardsBasepointTable::create(&-point)))
    }
}

impl fmt::Debug for BusyKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.key.fmt(f)
    }
}

/// Whether a signature is good, where the table holds the multiples of the negated key.
fn is_good(key: &PublicKey, negated: &EdwardsBasepointTable, message: &[u8], signature: &[u8]) -> bool {
    let Some((r, s)) = signature.split_first_chunk::<32>() else { return false };
    let s = <[u8; 32]>::try_from(s).ok().and_then(|s| Option::from(Scalar::from_canonical_bytes(s)));
    let Some(s): Option<Scalar> = s else { return false };
    let hash = Sha512::new().chain_update(r).chain_update(key.as_bytes()).chain_update(message).finalize();
    let h = Scalar::from_bytes_mod_order_wide(&hash.into());
    let point = ED25519_BASEPOINT_TABLE.mul_base(&s) + negated.mul_base(&h);
    // The key itself is of no small order: that was seen when it was accepted.
    point.compress().as_bytes() == r && !point.mul_by_cofactor().is_identity()
}

#[cfg(test)]
mod tests;
