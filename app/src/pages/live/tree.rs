//! The phases so far: the open ones, and those that took longest; the others are counted where they stand.

use std::collections::HashMap;

use acta_ledger::{evidence::code, live::LivePhase};
use leptos::prelude::*;

use super::{name, seconds};
use crate::{
    format::{self, count},
    i18n::Lang,
    view::live::LiveBuildView,
};

/// How deep lists are nested; what stands deeper is listed at this depth.
const DEEPEST: usize = 12;

/// Shows the tree; nothing before the first phase.
pub fn tree(view: &LiveBuildView, lang: Lang) -> Option<AnyView> {
    let phases = &view.state.as_ref()?.phases;
    if phases.is_empty() {
        return None;
    }
    let known: HashMap<u32, usize> = phases.iter().enumerate().map(|(at, phase)| (phase.id, at)).collect();
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); phases.len()];
    let mut roots = Vec::new();
    for (at, phase) in phases.iter().enumerate() {
        match phase.parent.and_then(|parent| known.get(&parent)) {
            Some(&parent) => children[parent].push(at),
            None => roots.push(at),
        }
    }
    let tree =
        Tree { view, phases, children: &children, inner: view.inner_phase().map(|phase| phase.id), lang };
    Some(view! { <div class="tree">{tree.list(&roots, 1)}</div> }.into_any())
}

struct Tree<'a> {
    view: &'a LiveBuildView,
    phases: &'a [LivePhase],
    children: &'a [Vec<usize>],
    /// The innermost open phase: in it the silence is.
    inner: Option<u32>,
    lang: Lang,
}

impl Tree<'_> {
    fn list(&self, members: &[usize], depth: usize) -> AnyView {
        let items = members.iter().map(|&at| self.item(at, depth)).collect_view();
        view! { <ul>{items}</ul> }.into_any()
    }

    fn item(&self, at: usize, depth: usize) -> AnyView {
        let phase = &self.phases[at];
        let open = phase.finished.is_none().then_some("open");
        let inside = (!self.children[at].is_empty() && depth < DEEPEST)
            .then(|| self.list(&self.children[at], depth + 1));
        let beside = (depth >= DEEPEST)
            .then(|| self.children[at].iter().map(|&at| self.item(at, depth)).collect_view());
        let again = (phase.occurrence > 0)
            .then(|| format!(" ({})", count(u64::from(phase.occurrence) + 1, self.lang)));
        let folded = (phase.folded > 0).then(|| {
            let shown = count(u64::from(phase.folded), self.lang);
            let text = self.lang.tr("tree-folded", [("n", phase.folded.into()), ("shown", shown.into())]);
            view! { <span class="quiet">", "{text}</span> }
        });
        view! {
            <li class=open>
                <div class="row"><span><bdi>{name(&phase.name)}</bdi>{again}{folded}</span><span class="num">{self.progress(phase)}</span>{self.beside(phase)}</div>
                {inside}
            </li>
            {beside}
        }
        .into_any()
    }

    /// How the time in an open phase stands beside the times in it before.
    fn beside(&self, phase: &LivePhase) -> Option<AnyView> {
        let found = &self.view.verdict.as_ref()?.open.iter().find(|(id, _)| *id == phase.id)?.1;
        let seen = if found.longest_ms.is_some() { "" } else { "-unseen" };
        let longest = found.longest_ms.map(|ms| format::seconds(ms, self.lang)).unwrap_or_default();
        let key = format!("tree-beside-{}{seen}", code(&found.standing).replace('_', "-"));
        let text = self.lang.tr(&key, [("longest", longest.into()), ("n", found.n.into())]);
        Some(view! { <span class="sub">{text}</span> }.into_any())
    }

    fn progress(&self, phase: &LivePhase) -> String {
        let lang = self.lang;
        let values = |duration: u64| {
            [
                ("done", count(phase.steps_completed, lang).into()),
                ("of", count(phase.steps_announced.max(0).unsigned_abs(), lang).into()),
                ("duration", seconds(duration, lang).into()),
            ]
        };
        let duration = self.view.phase_ns(phase);
        let whole = u64::try_from(phase.steps_announced).is_ok_and(|all| phase.steps_completed >= all);
        let silence = self.view.silence_ns().filter(|_| self.inner == Some(phase.id));
        match (phase.finished, silence) {
            (Some(_), _) if whole => lang.tr("tree-finished", values(duration)),
            (Some(_), _) => lang.tr("tree-finished-early", values(duration)),
            (None, Some(silence)) if silence >= 1_000_000_000 => lang.tr("tree-silent", values(silence)),
            (None, _) => lang.tr("tree-open", values(duration)),
        }
    }
}
