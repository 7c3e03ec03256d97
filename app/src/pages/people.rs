//! All accounts, for whoever keeps or audits them.

use leptos::prelude::*;

use super::{Ready, Room};
use crate::{
    components::{
        layout::{Answer, answer, note, part, scroll},
        state::State,
    },
    context::PageContext,
    format::{count, short},
    i18n::Lang,
    portal::PageError,
    view::route::PersonRow,
};

/// Loads the accounts.
pub async fn load(context: &PageContext) -> Result<Ready, PageError> {
    let people = context.portal.people().await?;
    let lang = context.lang;
    let approvers = people.iter().filter(|person| person.role == "approver").count();
    let values = [("n", people.len().into()), ("approvers", approvers.into())];
    let content = Answer {
        state: State::Neutral,
        word: lang.t("people-word"),
        about: Vec::new(),
        headline: lang.tr("people-headline", values),
        lead: vec![lang.t("people-lead")],
    };
    let command = view! {
        <pre class="command">"acta-server user add ada --role approver --password-stdin"</pre>
    };
    let body = view! { {answer(content, command.into_any())}{table(&people, lang)} };
    Ok(Ready { title: lang.t("people-title"), room: Room::People, island: false, body: body.into_any() })
}

fn table(people: &[PersonRow], lang: Lang) -> AnyView {
    let rows = people.iter().map(|person| {
        let agents: Vec<String> = person.agents.iter().map(|agent| short(agent, 64)).collect();
        let agents = if agents.is_empty() { lang.t("person-no-agent") } else { agents.join(", ") };
        view! {
            <tr>
                <th scope="row" class="stick"><bdi>{short(&person.name, 64)}</bdi></th>
                <td>{lang.code_text("role", &person.role)}</td>
                <td class="n">{count(person.sessions, lang)}</td>
                <td><bdi>{agents}</bdi></td>
            </tr>
        }
    });
    let table = view! {
        <table class="compact">
            <caption class="vh">{lang.t("section-people")}</caption>
            <thead><tr>
                <th scope="col" class="stick">{lang.t("person-head-name")}</th>
                <th scope="col">{lang.t("person-head-role")}</th>
                <th scope="col" class="n">{lang.t("person-head-sessions")}</th>
                <th scope="col">{lang.t("person-head-agents")}</th>
            </tr></thead>
            <tbody>{rows.collect_view()}</tbody>
        </table>
    };
    let body = scroll(&lang.t("section-people"), lang, table.into_any());
    part("h-people", lang.t("section-people"), note(lang.t("people-note")), body)
}
