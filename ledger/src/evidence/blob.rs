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
    statement::{Predicate as _, Says, StatementError},
};

/// The blobs that must be stored for a statement, in its own order; none for the nouns that name no blob.
pub fn named_blobs(statement: &impl Says) -> Result<Vec<Sha256Digest>, StatementError> {
    Ok(match statement.predicate_type() {
        BuildSummary::TYPE => statement.says::<BuildSummary>()?.blobs(),
        AcceptanceRecord::TYPE => statement.says::<AcceptanceRecord>()?.blobs(),
        ImportRecord::TYPE => statement.says::<ImportRecord>()?.blobs(),
        GateRecord::TYPE => statement.says::<GateRecord>()?.blobs(),
        CanaryRecord::TYPE => {
            let record: CanaryRecord = statement.says()?;
            record.measurement.iter().map(|measurement| measurement.samples).collect()
        }
        RetentionRecord::TYPE => {
            let record: RetentionRecord = statement.says()?;
            if record.state == RetentionState::Retained { record.blobs().to_vec() } else { Vec::new() }
        }
        _ => Vec::new(),
    })
}
