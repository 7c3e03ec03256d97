//! Pins: the facts on which an approval rests and whose change ends it.

use std::{collections::BTreeMap, fmt};

use serde::{Deserialize, Serialize};

use super::{chain::ChainLink, gate::FactClass};
use crate::log::{statement::Predicate, timestamp::Timestamp};

/// A fact that is pinned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Pin {
    /// TensorRT's version.
    Tensorrt,
    /// Model Connect's revision.
    ModelConnect,
    /// The CUDA version.
    Cuda,
    /// The driver's version.
    Driver,
    /// The GPU's name.
    GpuSku,
    /// The recipe's digest or name.
    Recipe,
    /// The checkpoint's licence.
    Licence,
}

impl Pin {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::Tensorrt,
        Self::ModelConnect,
        Self::Cuda,
        Self::Driver,
        Self::GpuSku,
        Self::Recipe,
        Self::Licence,
    ];

    /// Those that the machine beside the runtime decides: a result from another machine says nothing about them.
    pub const RUNTIME: [Self; 4] = [Self::Tensorrt, Self::Cuda, Self::Driver, Self::GpuSku];
}

/// The pinned facts; a fact that is not there is not pinned.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Pins(pub BTreeMap<Pin, String>);

/// A pin whose value is another.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PinChange {
    /// Which pin.
    pub pin: Pin,
    /// What it was; none if it was not pinned.
    pub before: Option<String>,
    /// What it is; none if it no longer is pinned.
    pub after: Option<String>,
}

impl fmt::Display for PinChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = |value: &Option<String>| value.clone().unwrap_or_else(|| "not pinned".to_owned());
        write!(f, "{}: {} -> {}", super::code(&self.pin), shown(&self.before), shown(&self.after))
    }
}

impl Pins {
    /// A pin's value.
    pub fn get(&self, pin: Pin) -> Option<&str> {
        self.0.get(&pin).map(String::as_str)
    }

    /// Every pin whose value in `now` is another.
    pub fn changes(&self, now: &Self) -> Vec<PinChange> {
        Pin::ALL
            .into_iter()
            .filter(|pin| self.get(*pin) != now.get(*pin))
            .map(|pin| PinChange {
                pin,
                before: self.get(pin).map(str::to_owned),
                after: now.get(pin).map(str::to_owned),
            })
            .collect()
    }
}

/// A pinned fact that was found to be another (`urn:acta:pin-observation:v1`): a driver update, a new licence text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PinObservation {
    /// The route.
    pub route: String,
    /// Which pin.
    pub pin: Pin,
    /// Its value now.
    pub value: String,
    /// How it is known.
    pub class: FactClass,
    /// When it was found.
    pub at: Timestamp,
    /// The statement's place in the agent's chain.
    pub chain: ChainLink,
}

impl Predicate for PinObservation {
    const TYPE: &'static str = "urn:acta:pin-observation:v1";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_name_before_and_after() {
        let pins = |list: &[(Pin, &str)]| {
            Pins(list.iter().map(|(pin, value)| (*pin, (*value).to_owned())).collect())
        };
        let before = pins(&[(Pin::Tensorrt, "1.7.1.116"), (Pin::Driver, "570.1")]);
        let after = pins(&[(Pin::Tensorrt, "1.8.0.1"), (Pin::Cuda, "13.0")]);
        let changes: Vec<_> = before.changes(&after).iter().map(ToString::to_string).collect();
        assert_eq!(
            changes,
            ["tensorrt: 1.7.1.116 -> 1.8.0.1", "cuda: not pinned -> 13.0", "driver: 570.1 -> not pinned"]
        );
        assert!(before.changes(&before).is_empty());
        let json = serde_json::to_string(&before).unwrap();
        assert_eq!(json, r#"{"tensorrt":"1.7.1.116","driver":"570.1"}"#);
        assert!(serde_json::from_str::<Pins>(r#"{"tensorRT":"1"}"#).is_err());
    }
}
