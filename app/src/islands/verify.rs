//! The island that verifies in the browser what the page shows, and the two places beside it that tell of it: the key
//! figure in the answer and the alarm above it. Without JavaScript all three show the server's word and say so.

// The macro's own structs for the islands' properties cannot be documented.
#![expect(missing_docs, reason = "the island macro makes structs without documentation")]

use acta_ledger::log::verification::Check;
use leptos::prelude::*;
use serde::{Deserialize, Serialize};

use super::{
    outcome::{Line, Outcome, Texts, check_line, filled},
    verdict::Claim,
};
use crate::components::state::{State, state};

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
            Outcome::Good(lines) | Outcome::Bad { lines, .. } => lines.into_iter().map(line).collect_view(),
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
    use super::{
        browser,
        outcome::{conclude, unfetched},
        verdict::{self, Continuity, Memory},
    };
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
    let outcome = conclude(texts, &props.claim, &found, memory.as_ref(), continued);
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
