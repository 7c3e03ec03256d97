//! The viewer's time zone. Which offset holds when is known to whoever has a database of zones: the server.

use std::{fmt, sync::Arc};

use acta_ledger::log::timestamp::Timestamp;

/// A time zone other than UTC; a page finds it in leptos' context, and shows UTC alone where there is none.
#[derive(Clone)]
pub struct Zone(Arc<dyn Fn(Timestamp) -> Option<i32> + Send + Sync>);

impl Zone {
    /// A zone by how many seconds its clocks are ahead of UTC at a moment; none where nobody can say.
    pub fn new(offset_s: impl Fn(Timestamp) -> Option<i32> + Send + Sync + 'static) -> Self {
        Self(Arc::new(offset_s))
    }

    /// How many seconds the zone's clocks are ahead of UTC at a moment; negative west of Greenwich.
    pub fn offset_s(&self, at: Timestamp) -> Option<i32> {
        (self.0)(at)
    }
}

impl fmt::Debug for Zone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Zone")
    }
}
