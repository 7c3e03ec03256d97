//! The island that follows a build: it takes the parts of the page that change from a stream of the server and puts them
//! in place. It draws nothing itself: the parts are the server's own rendering, the same that a page without JavaScript
//! shows, so that both say the same.

// The macro's own structs for the island's properties cannot be documented.
#![expect(missing_docs, reason = "the island macro makes structs without documentation")]

#[cfg(feature = "hydrate")]
mod stream;

use leptos::prelude::*;
use serde::{Deserialize, Serialize};

/// What changes on the page, as one event of the stream holds it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PageParts {
    /// The parts.
    pub parts: Vec<Part>,
    /// What a person who hears the page is told, where it is new: phases, the cancel's moments, the end. Never numbers.
    pub announce: String,
    /// Nothing will change any more.
    pub over: bool,
}

/// One part.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    /// The element that it fills.
    pub id: String,
    /// What it fills it with; made by our own server, with everything from outside escaped there.
    pub html: String,
}

/// What the island is given.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Task {
    /// Where the stream is.
    pub events: String,
    /// The page itself, with updates.
    pub page: String,
    /// Whether the page was asked for without updates.
    pub paused: bool,
    /// Whether nothing will change any more.
    pub over: bool,
    /// What is told at first.
    pub announce: String,
    /// The texts.
    pub texts: Texts,
}

/// The texts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Texts {
    /// On the button that stops updates.
    pub pause: String,
    /// On the button that goes on.
    pub resume: String,
    /// On the link that loads the page again.
    pub refresh: String,
    /// How the page keeps up without JavaScript.
    pub plain: String,
    /// It keeps up.
    pub following: String,
    /// It does not, by wish.
    pub paused: String,
    /// It does not: the server does not answer.
    pub lost: String,
    /// It has nothing more to keep up with.
    pub over: String,
}

/// How the page keeps up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// As the server made it: nothing runs in the browser yet, or ever.
    Plain,
    /// The stream is open.
    Following,
    /// By the person's wish nothing changes.
    Paused,
    /// The stream broke; the browser tries again by itself.
    Lost,
    /// Nothing will change any more.
    Over,
}

/// The control beside the answer: pause, go on, refresh; and the voice for those who hear the page.
#[island]
pub fn Follow(
    /// What to follow, and all texts.
    task: Task,
) -> impl IntoView {
    let mode = ArcRwSignal::new(Mode::Plain);
    let spoken = ArcRwSignal::new(task.announce.clone());
    start(&task, &mode, &spoken);
    let (page, action, over) = (task.page.clone(), task.page.clone(), task.over);
    // What a page without JavaScript sends: the other of the two.
    let (name, value) = if task.paused { ("", "") } else { ("updates", "paused") };
    let task = StoredValue::new(task);
    let label = {
        let mode = mode.clone();
        move || {
            task.with_value(|task| match mode.get() {
                Mode::Plain if task.paused => task.texts.resume.clone(),
                Mode::Paused => task.texts.resume.clone(),
                Mode::Plain | Mode::Following | Mode::Lost | Mode::Over => task.texts.pause.clone(),
            })
        }
    };
    let note = {
        let mode = mode.clone();
        move || {
            task.with_value(|task| match mode.get() {
                Mode::Plain if task.over => task.texts.over.clone(),
                Mode::Plain => task.texts.plain.clone(),
                Mode::Following => task.texts.following.clone(),
                Mode::Paused => task.texts.paused.clone(),
                Mode::Lost => task.texts.lost.clone(),
                Mode::Over => task.texts.over.clone(),
            })
        }
    };
    let word = {
        let mode = mode.clone();
        move || match mode.get() {
            Mode::Plain => "plain",
            Mode::Following => "following",
            Mode::Paused => "paused",
            Mode::Lost => "lost",
            Mode::Over => "over",
        }
    };
    let toggle = {
        let (mode, spoken) = (mode.clone(), spoken.clone());
        move |event: leptos::ev::MouseEvent| {
            event.prevent_default();
            task.with_value(|task| toggled(task, &mode, &spoken));
        }
    };
    let hidden = move || over || mode.get() == Mode::Over;
    view! {
        <form class="acts" method="get" action=action data-live=word>
            <button class="btn" name=name value=value hidden=hidden on:click=toggle>{label}</button>
            <a href=page>{task.with_value(|task| task.texts.refresh.clone())}</a>
            <span class="small quiet">{note}</span>
        </form>
        <p class="vh" role="status">{move || spoken.get()}</p>
    }
}

#[cfg(not(feature = "hydrate"))]
fn start(_: &Task, _: &ArcRwSignal<Mode>, _: &ArcRwSignal<String>) {}

#[cfg(not(feature = "hydrate"))]
fn toggled(_: &Task, _: &ArcRwSignal<Mode>, _: &ArcRwSignal<String>) {}

#[cfg(feature = "hydrate")]
fn start(task: &Task, mode: &ArcRwSignal<Mode>, spoken: &ArcRwSignal<String>) {
    if task.over {
        mode.set(Mode::Over);
    } else if task.paused {
        mode.set(Mode::Paused);
    } else {
        follow(task, mode, spoken);
    }
}

#[cfg(feature = "hydrate")]
fn toggled(task: &Task, mode: &ArcRwSignal<Mode>, spoken: &ArcRwSignal<String>) {
    match mode.get_untracked() {
        Mode::Following | Mode::Lost => {
            stream::close();
            mode.set(Mode::Paused);
        }
        Mode::Plain | Mode::Paused => follow(task, mode, spoken),
        Mode::Over => {}
    }
}

/// How often a person who hears the page is told something at most, in milliseconds.
#[cfg(feature = "hydrate")]
const SPEAK_EVERY_MS: f64 = 10_000.0;

#[cfg(feature = "hydrate")]
fn follow(task: &Task, mode: &ArcRwSignal<Mode>, spoken: &ArcRwSignal<String>) {
    let said_at = std::cell::Cell::new(0.0);
    let heard = {
        let (mode, spoken) = (mode.clone(), spoken.clone());
        move |text: &str| {
            let Ok(page) = serde_json::from_str::<PageParts>(text) else { return };
            for part in &page.parts {
                stream::fill(&part.id, &part.html);
            }
            let now = js_sys::Date::now();
            let due = page.over || now - said_at.get() >= SPEAK_EVERY_MS;
            if due && page.announce != spoken.get_untracked() {
                said_at.set(now);
                spoken.set(page.announce);
            }
            if page.over {
                stream::close();
                mode.set(Mode::Over);
            } else if mode.get_untracked() != Mode::Following {
                mode.set(Mode::Following);
            }
        }
    };
    let broke = {
        let mode = mode.clone();
        move || {
            if mode.get_untracked() == Mode::Following {
                mode.set(Mode::Lost);
            }
        }
    };
    if stream::open(&task.events, heard, broke) {
        mode.set(Mode::Following);
    }
}
