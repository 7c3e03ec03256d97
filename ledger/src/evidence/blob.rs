//! Which blobs a statement names: whoever logs it must have them, and whoever audits asks for them.

use super::{
    acceptance::AcceptanceRecord,
    build::BuildSummary,
    canary::CanaryRecord,
    gate::GateRecord,
    import::ImportRecord,
    retention::{RetentionRecord, RetentionState},
};
use crate::log::{
    digest::Sha256Digest,
    statement::{Predicate as _, Statement, StatementError},
};

/// The blobs that must be stored for a statement, in its own order; none for the nouns that name no blob.
pub fn named_blobs(statement: &Statement) -> Result<Vec<Sha256Digest>, StatementError> {
    Ok(match statement.predicate_type.as_str() {
        BuildSummary::TYPE => statement.predicate::<BuildSummary>()?.blobs(),
        AcceptanceRecord::TYPE => statement.predicate::<AcceptanceRecord>()?.blobs(),
        ImportRecord::TYPE => statement.predicate::<ImportRecord>()?.blobs(),
        GateRecord::TYPE => statement.predicate::<GateRecord>()?.blobs(),
        CanaryRecord::TYPE => {
            let record: CanaryRecord = statement.predicate()?;
            record.measurement.iter().map(|measurement| measurement.samples).collect()
        }
        RetentionRecord::TYPE => {
            let record: RetentionRecord = statement.predicate()?;
            if record.state == RetentionState::Retained { record.blobs().to_vec() } else { Vec::new() }
        }
        _ => Vec::new(),
    })
}
