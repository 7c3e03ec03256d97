//! A limit on sign-in attempts: by account name and by address, so that neither guessing one password nor trying many
//! names gets far.

use std::{net::IpAddr, num::NonZeroU32};

use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};

const PER_NAME: NonZeroU32 = NonZeroU32::new(10).expect("ten is not zero");
const PER_ADDRESS: NonZeroU32 = NonZeroU32::new(60).expect("sixty is not zero");

/// Counts attempts; each budget refills within a minute.
pub struct SignInLimit {
    names: DefaultKeyedRateLimiter<String>,
    addresses: DefaultKeyedRateLimiter<IpAddr>,
}

impl Default for SignInLimit {
    fn default() -> Self {
        Self {
            names: RateLimiter::keyed(Quota::per_minute(PER_NAME)),
            addresses: RateLimiter::keyed(Quota::per_minute(PER_ADDRESS)),
        }
    }
}

impl SignInLimit {
    /// Whether a further attempt may be made.
    pub fn allows(&self, name: &str, address: IpAddr) -> bool {
        // Forget names and addresses whose budget is full again, so that the maps stay small.
        if self.names.len() > 10_000 {
            self.names.retain_recent();
        }
        if self.addresses.len() > 10_000 {
            self.addresses.retain_recent();
        }
        let address = self.addresses.check_key(&address).is_ok();
        let name = self.allows_name(name);
        address && name
    }

    /// Whether a further attempt for the name may be made, wherever it comes from.
    pub fn allows_name(&self, name: &str) -> bool {
        self.names.check_key(&name.to_lowercase()).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_name_is_slowed_and_others_are_not() {
        let limit = SignInLimit::default();
        let address = |last| IpAddr::from([10, 0, 0, last]);
        for attempt in 0..10 {
            assert!(limit.allows("ada", address(attempt)));
        }
        assert!(!limit.allows("ADA", address(99)));
        assert!(limit.allows("bob", address(99)));
    }
}
