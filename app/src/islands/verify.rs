//! The island that verifies in the browser what the page shows, and the two places beside it that tell of it: the key
//! figure in the answer and the alarm above it. Without JavaScript all three show the server's word and say so.

use acta_ledger::log::verification::{Check, CheckKind};
use leptos::prelude::*;
use serde::{Deserialize, Serialize};

use super::verdict::{Claim, Continuity, Findings, Memory};
use crate::components::state::{State, state};

/// Every text that the islands may show, in the page's language. `{...}` is filled in by the island.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Texts {
    /// The names of signature, inclusion and tree head.
    pub kinds: [String; 3],
    /// The name of the fourth check.
    pub continuity: String,
    /// The name of the check of the keys.
    pub keys: String,
    /// "{holds} of {of}".
    pub figure: String,
    /// Below the figure: by the server.
    pub by_server: String,
    /// Below the figure: in this browser.
    pub by_browser: String,
    /// Below the figure: not verified.
    pub by_nobody: String,
    /// Above the checks: this is the server's word.
    pub lead_server: String,
    /// Above the checks: this browser verified.
    pub lead_good: String,
    /// Above the checks and above the answer: entry {index} does not verify: {reason}.
    pub lead_bad: String,
    /// The material could not be fetched: {reason}.
    pub unfetched: String,
    /// The first tree of this log that this browser sees: {size}.
    pub first: String,
    /// The same tree as before: {size}.
    pub same: String,
    /// The tree of {size} continues that of {old}.
    pub grown: String,
    /// The tree of {size} does not continue that of {old}: {reason}.
    pub not_continued: String,
    /// The tree has {size}, it had {old}.
    pub truncated: String,
    /// The tree of {size} has another root than before.
    pub forked: String,
    /// Nothing can be said, because the tree head cannot be believed.
    pub unknown: String,
    /// The keys are not those of {date}.
    pub keys_changed: String,
    /// The button that forgets.
    pub forget: String,
}

/// Everything that the island is given.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Task {
    /// What is to be verified.
    pub claim: Claim,
    /// Where the material is.
    pub material_url: String,
    /// Where proofs of consistency are, without the query.
    pub consistency_url: String,
    /// What the server found.
    pub server: Vec<Check>,
    /// The texts.
    pub texts: Texts,
}

/// One line of the checks.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Line {
    state: State,
    name: String,
    text: String,
    /// Whether the text is of the verifying code, which speaks English.
    english: bool,
}

/// Where the verification stands.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
enum Outcome {
    #[default]
    Pending,
    Good(Vec<Line>),
    Bad { lines: Vec<Line>, lead: String, forgettable: bool },
}

impl Outcome {
    fn word(&self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Good(_) => "good",
            Self::Bad { .. } => "bad",
        }
    }
}

/// The outcome that all islands of a page share. A server renders many pages, each with its own.
fn shared() -> ArcRwSignal<Outcome> {
    #[cfg(feature = "hydrate")]
    {
        thread_local! {
            static SHARED: ArcRwSignal<Outcome> = ArcRwSignal::new(Outcome::Pending);
        }
        SHARED.with(Clone::clone)
    }
    #[cfg(not(feature = "hydrate"))]
    ArcRwSignal::new(Outcome::Pending)
}

fn filled<const N: usize>(text: &str, values: [(&str, String); N]) -> String {
    values.into_iter().fold(text.to_owned(), |text, (name, value)| text.replace(&format!("{{{name}}}"), &value))
}

fn kind_name(texts: &Texts, kind: CheckKind) -> String {
    texts.kinds[match kind {
        CheckKind::Signature => 0,
        CheckKind::Inclusion => 1,
        CheckKind::TreeHead => 2,
    }]
    .clone()
}

fn check_line(texts: &Texts, check: &Check) -> Line {
    Line {
        state: if check.holds { State::Good } else { State::Bad },
        name: kind_name(texts, check.kind),
        text: check.detail.clone(),
        english: true,
    }
}

/// The key figure: how many of the checks hold, and who says so.
#[island]
pub fn VerifyFigure(
    /// The texts.
    texts: Texts,
    /// How many checks hold on the server.
    holds: usize,
    /// Of how many.
    of: usize,
) -> impl IntoView {
    let outcome = shared();
    let texts = StoredValue::new(texts);
    let value = {
        let outcome = outcome.clone();
        move || {
            let (holds, of) = match outcome.get() {
                Outcome::Pending => (holds, of),
                Outcome::Good(lines) | Outcome::Bad { lines, .. } => (
                    lines.iter().filter(|line| line.state == State::Good).count(),
                    lines.iter().filter(|line| line.state != State::Neutral).count(),
                ),
            };
            let values = [("holds", holds.to_string()), ("of", of.to_string())];
            texts.with_value(|texts| filled(&texts.figure, values))
        }
    };
    let note = {
        let outcome = outcome.clone();
        move || {
            texts.with_value(|texts| match outcome.get() {
                Outcome::Pending => texts.by_server.clone(),
                Outcome::Good(_) => texts.by_browser.clone(),
                Outcome::Bad { .. } => texts.by_nobody.clone(),
            })
        }
    };
    let class = move || match outcome.get() {
        Outcome::Bad { .. } => "bad",
        _ => "",
    };
    view! {
        <a href="#verified" class=class>{value}</a>
        <span class="note">{note}</span>
    }
}

/// Nothing, until something does not verify: then what, in words, above everything else.
#[island]
pub fn VerifyAlarm() -> impl IntoView {
    let outcome = shared();
    view! {
        <div class="alarm" role="alert">
            {move || match outcome.get() {
                Outcome::Bad { lead, .. } => Some(view! { <p>{lead}</p> }),
                Outcome::Pending | Outcome::Good(_) => None,
            }}
        </div>
    }
}

/// The checks: the server's word at first, then what this browser itself found.
#[island]
pub fn Verify(
    /// What to verify, and all texts.
    task: Task,
) -> impl IntoView {
    let outcome = shared();
    let props = StoredValue::new(task);
    start(outcome.clone(), props);
    let word = {
        let outcome = outcome.clone();
        move || outcome.get().word()
    };
    let lead = {
        let outcome = outcome.clone();
        move || {
            props.with_value(|props| match outcome.get() {
                Outcome::Pending => props.texts.lead_server.clone(),
                Outcome::Good(_) => props.texts.lead_good.clone(),
                Outcome::Bad { lead, .. } => lead,
            })
        }
    };
    let lines = {
        let outcome = outcome.clone();
        move || match outcome.get() {
            Outcome::Pending => props.with_value(|props| {
                props.server.iter().map(|check| line(check_line(&props.texts, check))).collect_view()
            }),
            Outcome::Good(lines) | Outcome::Bad { lines, .. } => {
                lines.into_iter().map(line).collect_view()
            }
        }
    };
    let again = outcome.clone();
    let forget = move || {
        let again = again.clone();
        matches!(outcome.get(), Outcome::Bad { forgettable: true, .. }).then(|| {
            let click = move |_| forget_and_start(again.clone(), props);
            let text = props.with_value(|props| props.texts.forget.clone());
            view! { <button class="btn" type="button" on:click=click>{text}</button> }
        })
    };
    view! {
        <div data-verify=word>
            <p class="finding" role="status">{lead}</p>
            <ul class="checks">{lines}</ul>
            {forget}
        </div>
    }
}

fn line(line: Line) -> impl IntoView {
    view! {
        <li>{state(line.state, line.name)}<div><p lang=line.english.then_some("en")>{line.text}</p></div></li>
    }
}

#[cfg(not(feature = "hydrate"))]
fn start(_: ArcRwSignal<Outcome>, _: StoredValue<Task>) {}

#[cfg(not(feature = "hydrate"))]
fn forget_and_start(_: ArcRwSignal<Outcome>, _: StoredValue<Task>) {}

#[cfg(feature = "hydrate")]
fn start(outcome: ArcRwSignal<Outcome>, props: StoredValue<Task>) {
    let props = props.get_value();
    leptos::task::spawn_local(async move {
        let found = run(&props).await;
        outcome.set(found);
    });
}

#[cfg(feature = "hydrate")]
fn forget_and_start(outcome: ArcRwSignal<Outcome>, props: StoredValue<Task>) {
    super::browser::forget();
    start(outcome, props);
}

/// Fetches, verifies, remembers.
#[cfg(feature = "hydrate")]
async fn run(props: &Task) -> Outcome {
    use super::{browser, verdict};
    let texts = &props.texts;
    // Read before the material is fetched: the tree may have grown meanwhile, it can not have shrunk.
    let memory = browser::remembered();
    let examined = browser::fetch(&props.material_url).await.and_then(|text| {
        let material = serde_json::from_str(&text).map_err(|error| error.to_string())?;
        verdict::examine(&material, &props.claim, memory.as_ref())
    });
    let found = match examined {
        Ok(found) => found,
        Err(reason) => return unfetched(texts, &props.claim, &reason),
    };
    let mut continued = Ok(());
    if let (Continuity::Grown, Some(memory), Some(head)) = (&found.continuity, &memory, found.head) {
        let address = format!("{}?from={}&to={}", props.consistency_url, memory.size, head.0);
        continued = browser::fetch(&address).await.and_then(|text| {
            let answer: Consistency = serde_json::from_str(&text).map_err(|error| error.to_string())?;
            verdict::continues(memory, head, &answer.proof)
        });
    }
    let outcome = conclude(props, &found, memory.as_ref(), continued);
    if let (Outcome::Good(_), Some((size, root))) = (&outcome, found.head) {
        let first_seen = memory.map_or_else(browser::today, |memory| memory.first_seen);
        let keys = &props.claim.keys;
        // Another tab may have seen a larger tree meanwhile.
        if browser::remembered().is_none_or(|now| now.size <= size) {
            let (log_key, portal_key) = (keys.log.clone(), keys.portal.clone());
            browser::remember(&Memory { log_key, portal_key, first_seen, size, root });
        }
    }
    outcome
}

#[cfg(feature = "hydrate")]
#[derive(Deserialize)]
struct Consistency {
    proof: Vec<acta_ledger::log::digest::Sha256Digest>,
}

#[cfg_attr(not(feature = "hydrate"), expect(dead_code, reason = "only a browser fetches"))]
fn unfetched(texts: &Texts, claim: &Claim, reason: &str) -> Outcome {
    let text = filled(&texts.unfetched, [("index", claim.index.to_string()), ("reason", reason.to_owned())]);
    let lines = texts.kinds.iter().map(|name| Line {
        state: State::Attention,
        name: name.clone(),
        text: texts.by_nobody.clone(),
        english: false,
    });
    Outcome::Bad { lines: lines.collect(), lead: text, forgettable: false }
}

/// Puts the findings into lines and says what they come to.
#[cfg_attr(all(not(feature = "hydrate"), not(test)), expect(dead_code, reason = "only a browser concludes"))]
fn conclude(
    props: &Task,
    found: &Findings,
    memory: Option<&Memory>,
    continued: Result<(), String>,
) -> Outcome {
    let (texts, index) = (&props.texts, props.claim.index);
    let mut lines: Vec<Line> = found.report.checks.iter().map(|check| check_line(texts, check)).collect();
    if let Some(mismatch) = &found.mismatch {
        lines[1] = Line { state: State::Bad, text: mismatch.clone(), ..lines[1].clone() };
    }
    let size = found.head.map_or_else(String::new, |(size, _)| size.to_string());
    let old = memory.map_or_else(String::new, |memory| memory.size.to_string());
    let values = |reason: &str| [("size", size.clone()), ("old", old.clone()), ("reason", reason.to_owned())];
    let (mark, text) = match (&found.continuity, continued) {
        (Continuity::First, _) => (State::Neutral, filled(&texts.first, values(""))),
        (Continuity::Same, _) => (State::Good, filled(&texts.same, values(""))),
        (Continuity::Grown, Ok(())) => (State::Good, filled(&texts.grown, values(""))),
        (Continuity::Grown, Err(reason)) => (State::Bad, filled(&texts.not_continued, values(&reason))),
        (Continuity::Truncated, _) => (State::Bad, filled(&texts.truncated, values(""))),
        (Continuity::Forked, _) => (State::Bad, filled(&texts.forked, values(""))),
        (Continuity::Unknown, _) => (State::Neutral, texts.unknown.clone()),
    };
    let broken = mark == State::Bad;
    lines.push(Line { state: mark, name: texts.continuity.clone(), text: text.clone(), english: false });
    let changed = found.keys_changed.then(|| {
        let date = memory.map_or_else(String::new, |memory| memory.first_seen.clone());
        filled(&texts.keys_changed, [("date", date)])
    });
    if let Some(text) = &changed {
        lines.push(Line { state: State::Bad, name: texts.keys.clone(), text: text.clone(), english: false });
    }
    if found.entry_holds() && !broken {
        return Outcome::Good(lines);
    }
    let reason = match (changed, broken, found.reason()) {
        (Some(changed), ..) => changed,
        (None, true, None) => text,
        (None, _, Some((kind, reason))) => format!("{}: {reason}", kind_name(texts, kind)),
        (None, false, None) => texts.by_nobody.clone(),
    };
    let lead = filled(&texts.lead_bad, [("index", index.to_string()), ("reason", reason)]);
    Outcome::Bad { lines, lead, forgettable: found.keys_changed || broken }
}
