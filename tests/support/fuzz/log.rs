//! What must hold for the log's formats: what is read is written back as the same bytes, and nothing that was not signed
//! is believed.

use acta_ledger::{
    evidence::{
        acceptance::AcceptanceRecord, agent_key::AgentKey, build::BuildSummary, canary::CanaryRecord,
        cancel_request::CancelRequest, decision::RouteDecision, gate::GateRecord, import::ImportRecord,
        log_key::LogKey, pin::PinObservation, rebuild::RebuildRecord, retention::RetentionRecord,
        rollback::RollbackOrder, rollback::RollbackResult, route::RouteDefinition,
    },
    log::{
        digest::Sha256Digest,
        dsse::Envelope,
        jcs,
        note::{Note, VerifierKey},
        pack::check::unpack,
        proof::{Plan, verify_consistency, verify_inclusion},
        proof_file::ProofFile,
        statement::{Predicate, Statement},
        tile::{TILE_WIDTH, TileRequest, parse_entry_bundle, path},
        tree_head::TreeHead,
        verification::{Material, verify},
    },
};

use serde_json::Value;

use super::{Read, seed};

/// Whether two documents say the same: numbers by their value, for 5.0 is written as 5 and -0.0 as 0.
fn say_the_same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => one.as_f64() == other.as_f64(),
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| say_the_same(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            let known = |(key, one)| other.get(key).is_some_and(|other| say_the_same(one, other));
            one.len() == other.len() && one.iter().all(known)
        }
        _ => one == other,
    }
}

/// Strict JSON: what is read has one canonical form, which is read as the same; nothing looser is accepted.
pub fn json(data: &[u8]) -> Read {
    let Ok(value) = jcs::parse(data) else { return Read::Refused };
    let canonical = jcs::to_vec(&value).expect("what was read can be written");
    let (again, is_canonical) = jcs::parse_canonical(&canonical).expect("what was written can be read");
    assert!(is_canonical, "the canonical form is its own");
    assert!(say_the_same(&again, &value), "{value} comes back as {again}");
    let loose: Value = serde_json::from_slice(data).expect("strict JSON is JSON");
    assert_eq!(loose, value, "both readers understand the same");
    Read::Accepted
}

/// Envelopes: the canonical form is stable, and a signature of a known key is only ever found on what it signed.
pub fn envelope(data: &[u8]) -> Read {
    let Ok(envelope) = Envelope::parse(data) else { return Read::Refused };
    let written = envelope.to_canonical_json();
    assert!(jcs::parse_canonical(&written).expect("JSON").1, "what is logged is canonical");
    assert_eq!(Envelope::parse(&written).expect("what was written can be read"), envelope);
    if let Ok((kept, signers)) = envelope.verified(&[seed::agent().public()], 1) {
        assert_eq!(signers, [seed::agent().public()]);
        assert_eq!(kept.payload, envelope.payload);
        assert!(seed::signed_payloads().contains(&kept.payload), "somebody forged a signature");
        // Dressing it differently makes no second entry.
        let (again, _) = kept.verified(&[seed::agent().public()], 1).expect("it still verifies");
        assert_eq!(again.to_canonical_json(), kept.to_canonical_json());
    }
    Read::Accepted
}

/// A predicate that is read says the same after it was written and read again.
fn predicate<P: Predicate>(statement: &Statement) {
    if let Ok(read) = statement.predicate::<P>() {
        // What is not finite has no canonical form; what has one, keeps it.
        let Ok(made) = Statement::new(statement.subject.clone(), &read) else { return };
        let again: P = made.predicate().expect("what was written can be read");
        assert_eq!(jcs::to_vec(&again).expect("JSON"), jcs::to_vec(&made.predicate).expect("JSON"));
    }
}

/// Statements, with every predicate of ours.
pub fn statement(data: &[u8]) -> Read {
    let Ok(statement) = Statement::parse(data) else { return Read::Refused };
    assert!(statement.subject.iter().all(|subject| subject.sha256().is_some()));
    let written = jcs::to_vec(&statement).expect("what was read can be written");
    let again = Statement::parse(&written).expect("what was written can be read");
    assert_eq!((&again.subject, &again.predicate_type), (&statement.subject, &statement.predicate_type));
    assert!(say_the_same(&again.predicate, &statement.predicate));
    predicate::<AcceptanceRecord>(&statement);
    predicate::<AgentKey>(&statement);
    predicate::<BuildSummary>(&statement);
    predicate::<CanaryRecord>(&statement);
    predicate::<CancelRequest>(&statement);
    predicate::<GateRecord>(&statement);
    predicate::<ImportRecord>(&statement);
    predicate::<RebuildRecord>(&statement);
    predicate::<LogKey>(&statement);
    predicate::<PinObservation>(&statement);
    predicate::<RetentionRecord>(&statement);
    predicate::<RollbackOrder>(&statement);
    predicate::<RollbackResult>(&statement);
    predicate::<RouteDecision>(&statement);
    predicate::<RouteDefinition>(&statement);
    Read::Accepted
}

/// Notes have one spelling: what is read is written back byte for byte.
pub fn note(data: &[u8]) -> Read {
    let Ok(text) = std::str::from_utf8(data) else { return Read::Refused };
    let Ok(note) = Note::parse(text) else { return Read::Refused };
    assert_eq!(note.to_string(), text);
    if let Ok(signers) = note.verify(&[seed::log_key()]) {
        assert_eq!(signers.len(), 1);
        assert!(seed::signed_notes().contains(&note.text), "somebody forged a tree head");
    }
    Read::Accepted
}

/// Tree heads have one spelling, up to lines that follow.
pub fn tree_head(data: &[u8]) -> Read {
    let Ok(text) = std::str::from_utf8(data) else { return Read::Refused };
    let Ok(head) = TreeHead::parse(text) else { return Read::Refused };
    assert!(text.starts_with(&head.to_string()), "{text:?} is read as {head}");
    assert_eq!(TreeHead::parse(&head.to_string()), Ok(head));
    Read::Accepted
}

/// Verifier keys have one spelling.
pub fn verifier_key(data: &[u8]) -> Read {
    let Ok(text) = std::str::from_utf8(data) else { return Read::Refused };
    let Ok(key) = VerifierKey::parse(text) else { return Read::Refused };
    assert_eq!(key.to_string(), text);
    Read::Accepted
}

/// Tile paths have one spelling.
pub fn tile_path(data: &[u8]) -> Read {
    let Ok(text) = std::str::from_utf8(data) else { return Read::Refused };
    let Some(request) = TileRequest::parse(text) else { return Read::Refused };
    let level = request.level.map_or_else(|| "entries".to_owned(), |level| level.to_string());
    let width = if request.width == TILE_WIDTH { String::new() } else { format!(".p/{}", request.width) };
    assert_eq!(format!("{level}/{}{width}", path(request.index)), text);
    assert!(request.level.is_none_or(|level| level <= 63) && (1..=TILE_WIDTH).contains(&request.width));
    Read::Accepted
}

/// Bundles of entries have one spelling.
pub fn entry_bundle(data: &[u8]) -> Read {
    let Some(entries) = parse_entry_bundle(data) else { return Read::Refused };
    assert!(entries.len() as u64 <= TILE_WIDTH);
    assert_eq!(acta_ledger::log::tile::entry_bundle(&entries).as_deref(), Some(data));
    Read::Accepted
}

/// A proof's input: two numbers of a byte each, then hashes.
fn numbers_and_hashes(data: &[u8]) -> Option<(u64, u64, Vec<Sha256Digest>)> {
    let (&[first, second], rest) = data.split_first_chunk::<2>()?;
    let hashes = rest.chunks(32).map(Sha256Digest::from_slice).collect::<Option<Vec<_>>>()?;
    Some((u64::from(first), u64::from(second), hashes))
}

/// Of all lists of hashes just one proves that a leaf is in a tree: the one that we make.
pub fn inclusion(data: &[u8]) -> Read {
    let Some((index, size, proof)) = numbers_and_hashes(data) else { return Read::Refused };
    let tree = seed::tree();
    let leaf = tree.leaf(index);
    let holds = verify_inclusion(&leaf, index, size, &tree.root(size), &proof).is_ok();
    let ours = Plan::inclusion(index, size).and_then(|plan| plan.assemble(|node| tree.node(node)));
    assert_eq!(holds, ours.as_ref() == Some(&proof), "{index} in {size}");
    Read::accepted(holds)
}

/// Of all lists of hashes just one proves that a tree begins with another: the one that we make.
pub fn consistency(data: &[u8]) -> Read {
    let Some((old, new, proof)) = numbers_and_hashes(data) else { return Read::Refused };
    let tree = seed::tree();
    let holds = verify_consistency(old, &tree.root(old), new, &tree.root(new), &proof).is_ok();
    let ours = Plan::consistency(old, new).and_then(|plan| plan.assemble(|node| tree.node(node)));
    assert_eq!(holds, ours.as_ref() == Some(&proof), "{old} in {new}");
    Read::accepted(holds)
}

/// What is handed out for an offline check: all three checks hold for what is in the log, and for nothing else.
pub fn material(data: &[u8]) -> Read {
    let Ok(material) = serde_json::from_slice::<Material>(data) else { return Read::Refused };
    let written = serde_json::to_vec(&material).expect("JSON");
    assert_eq!(serde_json::from_slice::<Material>(&written).expect("what was written can be read"), material);
    let report = verify(&material, seed::trust());
    if report.all_hold() {
        let known = seed::logged().get(material.entry.index as usize);
        assert_eq!(known, Some(&material.entry.record), "an entry that is not in the log is believed");
        assert_eq!(report.index, material.entry.index);
    }
    Read::accepted(report.all_hold())
}

/// Proof files have one spelling, and prove no other entry than the one at their index.
pub fn proof_file(data: &[u8]) -> Read {
    let Ok(text) = std::str::from_utf8(data) else { return Read::Refused };
    let Ok(proof) = ProofFile::parse(text) else { return Read::Refused };
    assert_eq!(proof.to_string(), text);
    for (index, record) in (0..).zip(seed::entries()) {
        let proves = proof.verify(record, &seed::log_key()).is_ok();
        assert!(!proves || index == proof.index, "entry {index} is proved at {}", proof.index);
    }
    Read::Accepted
}

/// Of all packs just those hold that were made: whatever is changed in one is found.
pub fn pack(data: &[u8]) -> Read {
    let Ok(unpacked) = unpack(data, |_| ()) else { return Read::Refused };
    let report = unpacked.check(seed::trust(), &[]);
    let made = seed::packs().iter().any(|pack| pack == data);
    assert_eq!(report.holds() && report.readme_is_ours, made, "{:?}", report.findings);
    Read::Accepted
}
