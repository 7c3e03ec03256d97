//! What gate 5 takes from the log: the cold build, the canary that is on record, the way back.

use acta_ledger::{
    evidence::{
        build::{BuilderKind, Outcome},
        canary::CanaryRecord,
        code,
        gate::{Check, CheckVerdict},
        route::{BundleDigest, RollbackStatus},
        timing_cache::TimingCacheMode,
    },
    judge::route::WayBackLack,
    log::digest::Sha256Digest,
};
use serde_json::{Value, json};

use super::site::Site;
use crate::{
    error::Result,
    gate::check,
    home::Home,
    route, runs,
    statements::{self, Origin},
};

/// The cold build as a check, and what built.
pub struct ColdBuild {
    /// The check.
    pub check: Check,
    /// What built, where a run is named.
    pub builder: Option<BuilderKind>,
}

/// A run from the log that built a plan of this bundle from cold.
pub fn cold_build(home: &Home, run: Option<&str>, site: &Site) -> Result<ColdBuild> {
    let name = "cold_build_time";
    let Some(run) = run else {
        let timing = site.documents.iter().find(|(document, _)| document.format() == "trtmc-build-timing");
        let check = match timing {
            None => check(name, CheckVerdict::NotRun, Value::Null).because("no run is named: --cold-build"),
            Some((document, bytes)) => check(name, CheckVerdict::Hold, document.report["totalS"].clone())
                .because(
                    "Model Connect attaches a timing cache without saying so: that it was cold is not shown",
                )
                .resting_on(Sha256Digest::of(bytes)),
        };
        return Ok(ColdBuild { check, builder: None });
    };
    let (summary, origin) = statements::run_summary(home, runs::parse_run_of("--cold-build", run)?)?;
    let plan = summary.plan().and_then(|plan| plan.digest);
    let in_bundle =
        plan.is_some_and(|plan| site.inspection.sections.iter().any(|it| it.digest == Some(plan)));
    let value = json!({
        "run": summary.run.id, "totalMs": summary.duration_ms.total, "timingCacheMode": summary.timing_cache_mode,
        "outcome": summary.outcome, "builder": summary.builder, "planInBundle": in_bundle,
        "origin": if origin == Origin::Here { "this agent" } else { "the log" },
    });
    let completed = matches!(summary.outcome, Outcome::Completed | Outcome::CancelRequestedButCompleted);
    let cold = matches!(summary.timing_cache_mode, TimingCacheMode::Cold | TimingCacheMode::NotApplicable);
    let reason = if !completed {
        Some((CheckVerdict::Fail, format!("the run is {}", code(&summary.outcome))))
    } else if !cold {
        Some((CheckVerdict::Fail, format!("its timing cache was {}", code(&summary.timing_cache_mode))))
    } else if !in_bundle {
        Some((CheckVerdict::Hold, "the run's plan is no section of the bundle".to_owned()))
    } else {
        None
    };
    let check = match reason {
        Some((verdict, reason)) => check(name, verdict, value).because(reason),
        None => check(name, CheckVerdict::Pass, value),
    };
    Ok(ColdBuild { check, builder: Some(summary.builder) })
}

/// The canary that this agent put on record.
pub fn canary_on_record(home: &Home, site: &Site) -> Result<Check> {
    let bundle = site.inspection.digest;
    let record = statements::newest_own(home, |record: &CanaryRecord| {
        record.route == site.route && record.bundle == bundle
    })?;
    Ok(match record {
        None => check("canary_plan", CheckVerdict::NotRun, Value::Null)
            .because("there is no plan: --canary-plan, or `acta canary push`"),
        Some(record) => {
            check("canary_plan", CheckVerdict::Pass, json!({ "plan": record.plan, "phase": record.phase }))
        }
    })
}

/// Whether there is a way back, by the log.
pub fn way_back(home: &Home, site: &Site) -> [Check; 2] {
    let not_run = |reason: &str| {
        ["rollback_bundle_retained", "rollback_tested"]
            .map(|name| check(name, CheckVerdict::NotRun, Value::Null).because(reason))
    };
    let answer = match route::ask(home, &site.route) {
        Ok(Some(answer)) => answer,
        Ok(None) => return not_run("neither this agent nor its server knows the route: the log says it"),
        Err(error) => return not_run(&format!("the log could not be asked: {error}")),
    };
    // The way back of another bundle is another way.
    let asked = BundleDigest(site.inspection.digest);
    if answer.record.bundle_digest.is_some_and(|other| other != asked) {
        return not_run(
            "the log's newest bundle of the route is another one: run gate 3 on this bundle first",
        );
    }
    let Some(way) = answer.state.way_back else {
        return not_run("no bundle of the route is on record yet: nothing to go back to is known");
    };
    let gone = |lack: &WayBackLack| {
        matches!(
            lack,
            WayBackLack::NotRetained
                | WayBackLack::Purged
                | WayBackLack::Damaged
                | WayBackLack::RetentionEnded { .. }
                | WayBackLack::OtherConfig
        )
    };
    let words = |wanted: &dyn Fn(&WayBackLack) -> bool| -> Option<String> {
        let lacks = way.lacks.iter().filter(|lack| wanted(lack)).filter_map(|lack| {
            serde_json::to_value(lack).ok()?["lack"].as_str().map(|word| word.replace('_', " "))
        });
        let lacks: Vec<String> = lacks.collect();
        (!lacks.is_empty()).then(|| lacks.join(", "))
    };
    let judged = |name: &str, value: Value, reason: Option<String>| match reason {
        None => check(name, CheckVerdict::Pass, value),
        Some(reason) => check(name, CheckVerdict::Fail, value).because(reason),
    };
    let retained = judged(
        "rollback_bundle_retained",
        json!({ "bundle": BundleDigest(way.bundle), "runtimeConfig": way.runtime_config, "entry": way.retained }),
        words(&gone).or_else(|| way.retained.is_none().then(|| "not retained".to_owned())),
    );
    let tested = answer.record.rollback_status == RollbackStatus::Tested;
    let tested = judged(
        "rollback_tested",
        json!({ "bundle": BundleDigest(way.bundle), "drill": way.drill }),
        if tested { None } else { words(&|_| true).or_else(|| Some("the way back is blocked".to_owned())) },
    );
    [retained, tested]
}
