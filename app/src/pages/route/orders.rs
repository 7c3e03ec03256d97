//! Orders to the agent beside the runtime, and each step that it reported.

use acta_ledger::{
    evidence::{
        code,
        rollback::{RollbackResult, RollbackStep},
    },
    judge::route::confirmation_objections,
};
use leptos::prelude::*;

use crate::{
    components::{
        layout::{capitalised, note, part as section},
        moment,
        route::words,
        state::{State, state},
    },
    format::{count, seconds, short},
    i18n::Lang,
    routes,
    view::route::{OrderView, RouteView},
};

/// Shows the orders, newest first; nothing where there are none.
pub fn part(view: &RouteView, lang: Lang) -> AnyView {
    if view.orders.is_empty() {
        return ().into_any();
    }
    let orders = view.orders.iter().map(|order| order_of(order, lang));
    section(
        "h-orders",
        lang.t("section-orders"),
        note(lang.t("orders-note")),
        orders.collect_view().into_any(),
    )
}

fn order_of(view: &OrderView, lang: Lang) -> AnyView {
    let order = &view.order;
    let action = capitalised(&lang.code_text("action", &code(&order.action)));
    let title = lang.tr("order-title", [("action", action.into()), ("bundle", order.to.short().into())]);
    let mut said = vec![lang.tr("order-by", [("who", short(&order.by.account, 64).into())])];
    if let Some(other) = &order.confirmed_by {
        said.push(lang.tr("order-confirmed", [("who", short(&other.account, 64).into())]));
    }
    said.push(moment::words(order.at, lang));
    said.push(lang.code_text("reason-code", &code(&order.reason_code)));
    let entry = lang.tr("gate-entry", [("index", count(view.entry, lang).into())]);
    let text = lang.tr("hold-text", [("text", short(&order.text, 4_000).into())]);
    let ended = view.steps.iter().any(|(_, step)| step.step.is_last());
    let steps = view.steps.iter().map(|(entry, step)| step_item(*entry, step, lang));
    let second = !confirmation_objections(order).is_empty();
    let waiting = (!ended).then(|| {
        let (mark, key) =
            if second { (State::Attention, "orders-second") } else { (State::Neutral, "orders-waiting") };
        view! { <li>{state(mark, lang.t(key))}<div></div></li> }
    });
    view! {
        <div class="order">
            <h3>{title}</h3>
            <p class="small quiet">{said.join(", ")}", "<a href=routes::entry(view.entry)>{entry}</a></p>
            <p><bdi>{text}</bdi></p>
            <ol class="checks">{steps.collect_view()}{waiting}</ol>
        </div>
    }
    .into_any()
}

fn step_item(entry: u64, result: &RollbackResult, lang: Lang) -> AnyView {
    let (mark, word) = words::step(result.step, lang);
    let mut said = vec![moment::words(result.at, lang)];
    if let Some(ms) = result.since_order_ms {
        said.push(lang.tr("order-after", [("duration", seconds(ms, lang).into())]));
    }
    let failure = result.failure.map(|failure| {
        let text = format!("{}.", capitalised(&lang.code_text("failure", &code(&failure))));
        view! { <p>{text}</p> }
    });
    let text = result.text.as_ref().map(|text| {
        let text = lang.tr("hold-text", [("text", short(text, 500).into())]);
        view! { <p><bdi>{text}</bdi></p> }
    });
    let health = result.health.as_ref().filter(|_| result.step != RollbackStep::Requested).map(|health| {
        let exit = health.exit_code.map_or_else(|| "—".to_owned(), |exit| exit.to_string());
        let text = format!("{} → {exit}, {}", short(&health.command, 120), seconds(health.duration_ms, lang));
        view! { <p class="small quiet"><code>{text}</code></p> }
    });
    let link = lang.tr("gate-entry", [("index", count(entry, lang).into())]);
    view! {
        <li>
            {state(mark, word)}
            <div>
                <p>{said.join(", ")}", "<a href=routes::entry(entry)>{link}</a></p>
                {failure}{text}{health}
            </div>
        </li>
    }
    .into_any()
}
