//! The protocol between whatever builds and the supervisor that watches it: one JSON object a line, over a Unix socket.
//!
//! Two speak it: the agent's own worker, and monitors in other programs (`acta run`), which are held to bounds by
//! [`super::external::intake`]. What both say is written down for whoever implements a client, in
//! `ingest/clients/README.md`. What only the worker says, and is believed only of it:
//!
//! | `type` | members | when |
//! |---|---|---|
//! | `cache` | see [`CacheFacts`] | what became of the timing cache |
//! | `plan` | `digest`, `bytes`, `at` | the plan stands under its final name |
//!
//! Its first order is `{"type":"build", ...}` ([`BuildOrder`]). An end of the stream means to the worker that the
//! supervisor is gone: it stops, and leaves nothing behind.

mod name;

use std::collections::BTreeMap;

use acta_ledger::{
    evidence::{
        artifact::ArtifactKind,
        build::{FailureStage, Language, LibraryVersion, ProfileRecord, TensorRecord},
        cancel::{CancelSource, CancelState},
        number::Count64,
        timing_cache::{Changes, TimingCacheMode},
    },
    judge::timing_cache::{CachePolicy, Doubt},
    log::digest::Sha256Digest,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use uuid::Uuid;

pub use name::{NAME_BYTES, Name};

/// The protocol's version.
pub const VERSION: u32 = 1;

/// The variable that names the socket.
pub const SOCKET_VARIABLE: &str = "ACTA_EVENTS";

/// The longest line in bytes, its end included.
pub const MAX_LINE_BYTES: usize = 1 << 16;

/// The longest message of a log line in bytes.
pub const MAX_MESSAGE_BYTES: usize = 4096;

/// A moment in a build.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Milestone {
    /// Reading and parsing begins.
    ParseBegins,
    /// The network is parsed.
    ParseEnds,
    /// The build call begins.
    BuildBegins,
    /// The build call returned.
    BuildReturned,
    /// The plan is about to be written: from here a cancel waits.
    WriteBegins,
    /// The plan stands under its final name.
    WriteEnds,
}

/// What a builder says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum Report {
    /// Who speaks.
    Hello {
        /// [`VERSION`].
        protocol: u32,
        /// The builder's process.
        pid: u32,
        /// The surface that calls the library; the worker leaves it out.
        #[serde(default)]
        language: Option<Language>,
        /// Name and version of the client.
        #[serde(default)]
        client: Option<String>,
    },
    /// The library that is loaded.
    Library {
        /// `tensorrt_rtx` or `tensorrt`.
        family: LibraryFamily,
        /// The file, links resolved.
        path: String,
        /// The ONNX parser's file.
        parser_path: Option<String>,
        /// The version that the library says.
        version: LibraryVersion,
    },
    /// The network.
    Network {
        /// The file that it was read from, where a client says so.
        #[serde(default)]
        source: Option<String>,
        /// The digest of the bytes that the parser got.
        digest: Sha256Digest,
        /// How many.
        bytes: u64,
        /// Layers after parsing.
        layers: u32,
        /// Its inputs.
        inputs: Vec<TensorRecord>,
        /// Its outputs.
        outputs: Vec<TensorRecord>,
        /// Whether element types are binding.
        strongly_typed: bool,
    },
    /// How a client's builder is set up.
    Config(ConfigFacts),
    /// A moment.
    Milestone {
        /// Which.
        milestone: Milestone,
        /// When.
        at: Count64,
    },
    /// A phase begins.
    Start {
        /// Its name.
        name: Name,
        /// The phase that it is inside; none for a root.
        parent: Option<Name>,
        /// Steps announced.
        steps: i64,
        /// When.
        at: Count64,
        /// On which thread, counted from 0 in order of appearance.
        thread: u32,
        /// The cancellation state as the callback saw it.
        cancel: CancelState,
    },
    /// A step is done.
    Step {
        /// The phase's name.
        name: Name,
        /// Which step, counted from 0.
        step: i64,
        /// Whether the answer was "stop".
        stop: bool,
        /// When.
        at: Count64,
        /// On which thread.
        thread: u32,
        /// The cancellation state as the callback saw it.
        cancel: CancelState,
    },
    /// A phase ends.
    Finish {
        /// Its name.
        name: Name,
        /// When.
        at: Count64,
        /// On which thread.
        thread: u32,
        /// The cancellation state as the callback saw it.
        cancel: CancelState,
    },
    /// Something could not be handed over in time.
    Lost {
        /// Progress events.
        events: u64,
        /// Log lines.
        log_lines: u64,
    },
    /// A log line.
    Log {
        /// How grave.
        severity: LogSeverity,
        /// What it says.
        message: String,
        /// When.
        at: Count64,
    },
    /// The error recorder got an error.
    Recorded {
        /// NvInfer's code.
        code: i32,
        /// What it says.
        message: String,
        /// When.
        at: Count64,
    },
    /// Somebody asked the client itself to stop: Ctrl-C in its process, its own event loop.
    Requested {
        /// Who.
        source: CancelSource,
        /// Why.
        #[serde(default)]
        reason: Option<String>,
        /// When, by the source.
        at: Count64,
    },
    /// A cancel order has set the flag.
    Delivered {
        /// When.
        at: Count64,
    },
    /// A cancel order came while the artifact was being written.
    Deferred {
        /// When.
        at: Count64,
    },
    /// A file that a client made; the supervisor looks at it itself.
    Artifact {
        /// Where it stands.
        path: String,
        /// What it is.
        #[serde(default)]
        kind: Option<ArtifactKind>,
    },
    /// What became of the timing cache.
    Cache(CacheFacts),
    /// The plan stands under its final name.
    Plan {
        /// The digest of the written bytes.
        digest: Sha256Digest,
        /// How many.
        bytes: u64,
        /// When.
        at: Count64,
    },
    /// It cannot go on.
    Failed {
        /// Where.
        stage: FailureStage,
        /// The first message that explains it.
        message: String,
        /// All that the library said.
        records: Vec<String>,
    },
    /// A client obeyed a cancel where no build call ran: made of its last word, never on the wire.
    #[serde(skip)]
    Stopped,
    /// The last word.
    Done(Done),
}

/// Which product the library is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LibraryFamily {
    /// TensorRT-RTX.
    TensorrtRtx,
    /// Enterprise TensorRT.
    Tensorrt,
}

/// How grave a log line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LogSeverity {
    /// The work cannot go on.
    InternalError,
    /// An error.
    Error,
    /// Something looks wrong.
    Warning,
    /// Information.
    Info,
    /// Details.
    Verbose,
}

/// What a builder knows of its timing cache.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CacheFacts {
    /// What became of it.
    pub mode: TimingCacheMode,
    /// The digest of the bytes that were offered.
    pub digest_before: Option<Sha256Digest>,
    /// The digest of the bytes that came back.
    pub digest_after: Option<Sha256Digest>,
    /// How many bytes were offered.
    pub bytes_before: Option<u64>,
    /// How many came back.
    pub bytes_after: Option<u64>,
    /// What the mode rests on.
    pub reasons: Vec<String>,
    /// The file, where one was named or the library has one.
    #[serde(default)]
    pub file: Option<String>,
    /// Why the bytes in the file were not offered.
    #[serde(default)]
    pub doubt: Option<Doubt>,
    /// How the entries differ, where they could be compared.
    #[serde(default)]
    pub changes: Option<Changes>,
}

/// What a client's builder is set to, as far as it is not the library's default.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ConfigFacts {
    /// The bits of builder flags that are on and would not be.
    pub flags_on: u32,
    /// The bits of builder flags that are off and would not be.
    pub flags_off: u32,
    /// The optimization level.
    pub optimization_level: Option<i32>,
    /// Targets of TensorRT-RTX as `86` for SM 8.6.
    pub targets: Vec<i32>,
    /// How many threads the library may use.
    pub threads: Option<i32>,
    /// The optimization profile.
    pub profiles: Vec<ProfileRecord>,
}

/// A builder's last word.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Done {
    /// The library's own word that it stopped because a step answered "stop".
    pub library_says_cancelled: Option<String>,
    /// A cancel was obeyed before the build call, or after it and before anything was kept.
    pub stopped_outside_build: bool,
    /// Panics in the monitor's callbacks.
    pub monitor_panics: Vec<String>,
    /// Settings that are not the library's defaults, read back from it.
    pub settings: BTreeMap<String, Value>,
    /// The highest resident memory of the process, in bytes.
    pub peak_rss_bytes: Option<u64>,
    /// The processor time of the process, in milliseconds.
    pub cpu_ms: Option<f64>,
}

/// What the supervisor says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Order {
    /// Build this.
    Build(Box<BuildOrder>),
    /// Stop.
    Cancel {
        /// Who asks.
        source: CancelSource,
    },
}

/// A build, as it is ordered.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BuildOrder {
    /// The run.
    pub run: Uuid,
    /// The model's file.
    pub model: String,
    /// The file that the plan is written into; it exists and is empty.
    pub partial: String,
    /// The name that it gets when it is whole.
    pub output: String,
    /// Where to look for the library; none looks where libraries usually are.
    pub library: Option<String>,
    /// The optimization profile.
    pub profiles: Vec<ProfileRecord>,
    /// Targets as `86` for SM 8.6; none is the library's default.
    pub targets: Vec<i32>,
    /// The optimization level; none is the library's default.
    pub optimization_level: Option<i32>,
    /// How many threads the library may use; none is the library's default.
    pub threads: Option<i32>,
    /// Builder flags by NvInfer's names.
    pub flags: Vec<String>,
    /// The timing cache's file.
    pub timing_cache: Option<String>,
    /// How the timing cache is treated.
    #[serde(default)]
    pub cache: CacheOrder,
    /// The file that the worker locks for as long as it lives.
    #[serde(default)]
    pub worker_lock: Option<String>,
}

/// How a timing cache is treated.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CacheOrder {
    /// The policy.
    pub policy: CachePolicy,
    /// The agent's folder of caches, with the records of what is known.
    pub library: Option<String>,
    /// The file is the library's own for this TensorRT, GPU, driver, CUDA and configuration.
    pub from_library: bool,
}

impl CacheOrder {
    /// The policy, if it makes a difference to the build; `named`: a file is named.
    pub fn concerns(&self, named: bool) -> Option<CachePolicy> {
        (named || self.from_library || self.policy == CachePolicy::Off).then_some(self.policy)
    }
}

#[cfg(test)]
mod tests {
    use super::{
        super::framing::{Decoder, encode},
        *,
    };

    fn back(report: &Report) -> Report {
        let line = encode(report).unwrap();
        let mut decoder = Decoder::default();
        // A byte at a time: a message is whole only with its last byte.
        for byte in &line[..line.len() - 1] {
            decoder.feed(&[*byte]);
            assert!(decoder.next::<Report>().unwrap().is_none());
        }
        decoder.feed(&line[line.len() - 1..]);
        let report = decoder.next().unwrap().unwrap();
        assert!(decoder.next::<Report>().unwrap().is_none());
        report
    }

    fn finish(name: Name) -> Report {
        Report::Finish { name, at: Count64(u64::MAX), thread: 3, cancel: CancelState::Requested }
    }

    #[test]
    fn any_name_comes_through() {
        let digest = Some(Sha256Digest::of(b"the whole"));
        for (bytes, digest, wire) in [
            (&b"Building engine"[..], None, r#""name":"Building engine""#),
            (b"\xff\x00\n\"", None, r#""name":{"base64":"/wAKIg=="}"#),
            ("h\u{fc}lle".as_bytes(), digest, r#""name":{"text":"hülle","digest":"#),
            (b"\xc3", digest, r#""name":{"base64":"ww==","digest":"#),
            (b"", None, r#""name":"""#),
        ] {
            let report = finish(Name { bytes: bytes.to_vec(), digest });
            let line = String::from_utf8(encode(&report).unwrap()).unwrap();
            assert!(line.contains(wire), "{line}");
            assert_eq!(back(&report), report);
        }
        assert!(serde_json::from_str::<Name>(r#"{"text":"a","base64":"YQ=="}"#).is_err());
    }

    #[test]
    fn messages_of_every_kind_come_back() {
        let done = Done { library_says_cancelled: Some("x".to_owned()), ..Done::default() };
        for report in [
            Report::Hello { protocol: VERSION, pid: 7, language: Some(Language::Python), client: None },
            Report::Milestone { milestone: Milestone::BuildReturned, at: Count64(1) },
            Report::Lost { events: 3, log_lines: 0 },
            Report::Done(done),
            Report::Failed { stage: FailureStage::Parse, message: "m".to_owned(), records: vec![] },
        ] {
            assert_eq!(back(&report), report);
        }
        let order = Order::Cancel { source: CancelSource::CtrlC };
        let line = encode(&order).unwrap();
        assert_eq!(line, b"{\"type\":\"cancel\",\"source\":\"ctrl_c\"}\n");
        let mut decoder = Decoder::default();
        decoder.feed(&[line.clone(), line].concat());
        for _ in 0..2 {
            assert_eq!(decoder.next::<Order>().unwrap(), Some(order.clone()));
        }
    }
}
