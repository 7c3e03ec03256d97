//! The route record: seven fixed names, which other tools read, and their values as they stand in the JSON.

use acta_ledger::evidence::{code, route::RouteRecord};
use leptos::prelude::*;

use crate::{
    components::facts::{Fact, Group, facts},
    format::NOTHING,
    i18n::Lang,
};

/// The table of the record.
pub fn record(record: &RouteRecord, lang: Lang) -> AnyView {
    let told = |name: &str, value: Option<String>| match value {
        Some(value) => Fact::code(name, &value),
        None => Fact::new(name, NOTHING),
    };
    let group = Group {
        title: String::new(),
        note: String::new(),
        facts: vec![
            told("route_name", Some(record.route_name.clone())),
            told("checkpoint_revision", record.checkpoint_revision.clone()),
            told("bundle_digest", record.bundle_digest.map(|digest| digest.to_string())),
            told("runtime_target", record.runtime_target.clone()),
            told("validation_status", Some(code(&record.validation_status))),
            told("canary_status", Some(code(&record.canary_status))),
            told("rollback_status", Some(code(&record.rollback_status))),
        ],
    };
    facts(lang.t("section-record"), vec![group], lang)
}
