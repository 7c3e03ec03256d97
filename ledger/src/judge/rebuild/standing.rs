//! How a run stands by everything that was said about its rebuilds. A statement counts only where its evidence bears it:
//! whoever has both summaries judges again, and nobody's word on a verdict is taken.

use serde::{Deserialize, Serialize};

use super::{judge, obstacle_in_record};
use crate::{
    evidence::{
        build::BuildSummary,
        rebuild::{ObstacleKind, RebuildRecord, Verdict},
    },
    log::digest::Sha256Digest,
};

/// A build summary as the log holds it.
#[derive(Debug, Clone, Copy)]
pub struct Original<'a> {
    /// The agent that signed it.
    pub agent: &'a str,
    /// Its entry's digest.
    pub entry: Sha256Digest,
    /// What it says.
    pub summary: &'a BuildSummary,
}

/// A statement about a rebuild, as the log holds it.
#[derive(Debug, Clone, Copy)]
pub struct Told<'a> {
    /// Its entry.
    pub index: u64,
    /// The agent that signed it.
    pub agent: &'a str,
    /// The account that owns that agent.
    pub owner: Option<&'a str>,
    /// What it says.
    pub record: &'a RebuildRecord,
    /// The summary of the run that it names as its own; none where it names none, or the log has none.
    pub rebuilt: Option<Original<'a>>,
}

/// Whether somebody else says it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Independence {
    /// Another agent, whose key is another.
    Independent,
    /// The agent of the run itself, by whichever of its keys.
    SameAgent,
}

/// Whether a statement's evidence bears it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Support {
    /// It does: judged again, the summaries say the same. Where nothing was built again, the statement is its agent's
    /// word on what was there.
    Holds,
    /// It speaks about another summary of the run, or about another plan, than the log has.
    AnotherSummary,
    /// The log has no summary of the run in which it was built again; it may still come.
    NotLogged,
    /// Somebody else signed that summary, or it is another entry.
    NotItsOwn,
    /// Judged again, the summaries say something else.
    Contradicted,
}

/// A rebuild in a run's standing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StandingRebuild {
    /// The entry of the statement.
    pub index: u64,
    /// The agent that signed it.
    pub agent: String,
    /// The account that owns that agent.
    pub owner: Option<String>,
    /// Whether somebody else says it.
    pub independence: Independence,
    /// Whether its evidence bears it.
    pub support: Support,
    /// The statement.
    pub record: RebuildRecord,
}

/// How a run stands by its rebuilds. Statements that their evidence does not bear count nowhere.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Standing {
    /// How often others reproduced the plan.
    pub reproduced: u64,
    /// The agents that did, by name, each once.
    pub agents: Vec<String>,
    /// The accounts that own those agents, each once; an agent without an owner adds none.
    pub owners: Vec<String>,
    /// How often the run's own agent did: not independent, and counted nowhere else.
    pub reproduced_by_itself: u64,
    /// How often another plan came out, whoever built.
    pub not_reproduced: u64,
    /// The nearest cause of the newest of those: a setting's name; none where all settings are the same.
    pub first_difference: Option<String>,
    /// How often nothing could be compared.
    pub not_comparable: u64,
    /// How many statements their evidence does not bear.
    pub unsupported: u64,
    /// All of them in the order of the log.
    pub rebuilds: Vec<StandingRebuild>,
}

/// Judges everything that was said, in the order of the log.
pub fn standing(original: Original<'_>, told: &[Told<'_>]) -> Standing {
    let mut standing = Standing::default();
    let mut told: Vec<&Told<'_>> = told.iter().collect();
    told.sort_by_key(|it| it.index);
    for it in told {
        let independence =
            if it.agent == original.agent { Independence::SameAgent } else { Independence::Independent };
        let support = support(&original, it);
        match (support, it.record.verdict, independence) {
            (Support::Holds, Verdict::Reproduced, Independence::Independent) => {
                standing.reproduced += 1;
                standing.agents.push(it.agent.to_owned());
                standing.owners.extend(it.owner.map(str::to_owned));
            }
            (Support::Holds, Verdict::Reproduced, Independence::SameAgent) => {
                standing.reproduced_by_itself += 1;
            }
            (Support::Holds, Verdict::NotReproduced, _) => {
                standing.not_reproduced += 1;
                standing.first_difference = it.record.differing.first().map(|setting| setting.name.clone());
            }
            (Support::Holds, Verdict::NotComparable, _) => standing.not_comparable += 1,
            _ => standing.unsupported += 1,
        }
        standing.rebuilds.push(StandingRebuild {
            index: it.index,
            agent: it.agent.to_owned(),
            owner: it.owner.map(str::to_owned),
            independence,
            support,
            record: it.record.clone(),
        });
    }
    for names in [&mut standing.agents, &mut standing.owners] {
        names.sort_unstable();
        names.dedup();
    }
    standing
}

fn support(original: &Original<'_>, told: &Told<'_>) -> Support {
    let record = told.record;
    let plan = original.summary.plan().and_then(|plan| plan.digest);
    if record.run != original.summary.run.id || record.entry != original.entry || record.plan != plan {
        return Support::AnotherSummary;
    }
    let Some(named) = &record.rebuilt else {
        return by_record_alone(original.summary, record);
    };
    let Some(rebuilt) = &told.rebuilt else { return Support::NotLogged };
    if rebuilt.summary.run.id != named.run || rebuilt.entry != named.entry || rebuilt.agent != told.agent {
        return Support::NotItsOwn;
    }
    let again = judge(original.summary, rebuilt.summary);
    // An offset is known only to whoever had both plans.
    let stated =
        record.plans.map(|plans| crate::evidence::rebuild::PlanDifference { first_offset: None, ..plans });
    let same = (again.verdict, &again.obstacle, &again.differing, again.plans)
        == (record.verdict, &record.obstacle, &record.differing, stated);
    if same { Support::Holds } else { Support::Contradicted }
}

/// What is said where nothing was built: obstacles in the run's own record can be seen by everybody, and where there is
/// one no other can be told.
fn by_record_alone(original: &BuildSummary, record: &RebuildRecord) -> Support {
    use ObstacleKind::{
        NoPlan, NotAheadOfTime, OtherLibrary, OtherModel, OtherWeights, RebuildFailed, Simulated,
        UnknownSetting, WatchedFromOutside,
    };
    let in_record = obstacle_in_record(original);
    let holds = match record.obstacle.as_ref().map(|it| it.kind) {
        Some(NoPlan | Simulated | WatchedFromOutside | NotAheadOfTime) => record.obstacle == in_record,
        Some(OtherModel | OtherWeights | OtherLibrary | UnknownSetting) => in_record.is_none(),
        // It names no run that could have failed, or no reason at all.
        Some(RebuildFailed) | None => false,
    };
    if holds { Support::Holds } else { Support::Contradicted }
}
