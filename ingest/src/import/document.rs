//! The one form into which every report is brought (`urn:acta:import-<format>:v1`).
//!
//! `schema`, `bundle`, `files`, `environment`, `latency` with the raw samples, `figures` that follow from them,
//! `peakMemoryBytes`, `outcome`, `notes`, and `report`: what the format alone has, typed in the format's own file.

use std::path::Path;

use acta_ledger::{
    evidence::{
        build::BlobRef,
        import::{BoundBy, ImportNote, ImportedFile},
        number::Count64,
    },
    log::{digest::Sha256Digest, jcs},
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{
    Format, MAX_FILE_BYTES, Outcome, Parsed,
    environment::Environment,
    sample::{Figures, Latency},
};
use crate::{
    blob::BlobStore,
    error::{CliError, Result},
    gate::{read_bounded, store},
};

/// What such a document is.
pub const MEDIA_TYPE: &str = "application/vnd.acta.import+json";

/// A report in our form.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Document {
    /// `urn:acta:import-<format>:v1`.
    pub schema: String,
    /// The schema or dialect that was found.
    pub dialect: String,
    /// The bundle.
    pub bundle: Sha256Digest,
    /// How the report is known to speak about it.
    pub bound_by: BoundBy,
    /// The report's files.
    pub files: Vec<ImportedFile>,
    /// The machine.
    pub environment: Environment,
    /// Raw latencies.
    pub latency: Option<Latency>,
    /// What follows from them; none where there are none.
    pub figures: Option<Figures>,
    /// Memory at its peak; none where nobody sampled it.
    pub peak_memory_bytes: Option<Count64>,
    /// What the tool concluded.
    pub outcome: Option<Outcome>,
    /// What a reader should know.
    pub notes: Vec<ImportNote>,
    /// What the format alone has.
    pub report: Value,
}

impl Document {
    /// Puts the document together.
    pub fn new(
        format: Format,
        bundle: Sha256Digest,
        bound_by: BoundBy,
        files: Vec<ImportedFile>,
        parsed: Parsed,
    ) -> Self {
        let figures = parsed.latency.as_ref().and_then(|latency| latency.figures().ok());
        Self {
            schema: format.document_schema(),
            dialect: parsed.dialect,
            bundle,
            bound_by,
            files,
            environment: parsed.environment,
            latency: parsed.latency,
            figures,
            peak_memory_bytes: parsed.peak_memory_bytes.map(Count64),
            outcome: parsed.outcome,
            notes: parsed.notes,
            report: parsed.report,
        }
    }

    /// Stores it.
    pub fn store(&self, blobs: &BlobStore) -> Result<BlobRef> {
        let bytes = jcs::to_vec(self)
            .map_err(|error| CliError::failure("the document cannot be written").found(error.to_string()))?;
        store(blobs, &bytes, MEDIA_TYPE)
    }

    /// The name of the format.
    pub fn format(&self) -> &str {
        self.schema.trim_start_matches("urn:acta:import-").trim_end_matches(":v1")
    }

    /// Reads a document that a gate is to rest on, by its digest (from this agent's blobs) or from a file; it must be
    /// about this bundle. The bytes go along: they are evidence, and stored only when everything else is known.
    pub fn read(blobs: &BlobStore, named: &str, bundle: Sha256Digest) -> Result<(Self, Vec<u8>)> {
        let wrong = |what: &str| CliError::usage(what).field("--import").found(named.to_owned());
        let digest: Option<Sha256Digest> = named.strip_prefix("sha256:").unwrap_or(named).parse().ok();
        let path = digest.map_or_else(|| Path::new(named).to_owned(), |digest| blobs.path(&digest));
        if digest.is_some() && !path.exists() {
            return Err(
                wrong("this agent has no such document").help("import the report on this machine first")
            );
        }
        let bytes = read_bounded("--import", &path, MAX_FILE_BYTES)?;
        if digest.is_some_and(|digest| Sha256Digest::of(&bytes) != digest) {
            return Err(wrong("the document on disk is damaged").expected("bytes of that digest"));
        }
        let shape = |found: String| {
            wrong("this is no imported document")
                .found(format!("{named}: {found}"))
                .expected("what `acta import` printed as `document`")
        };
        let value = jcs::parse(&bytes).map_err(|error| shape(error.to_string()))?;
        let document: Self = serde_json::from_value(value).map_err(|error| shape(error.to_string()))?;
        let known = <Format as clap::ValueEnum>::value_variants();
        if !known.iter().any(|format| format.document_schema() == document.schema) {
            let known: Vec<String> = known.iter().map(|format| format.document_schema()).collect();
            return Err(wrong("the document's schema is not known")
                .found(document.schema)
                .expected(known.join(", ")));
        }
        if document.bundle != bundle {
            return Err(wrong("the document is about another bundle")
                .found(format!("sha256:{}", document.bundle))
                .expected(format!("sha256:{bundle}")));
        }
        Ok((document, bytes))
    }
}
