//! The forms that change accounts and tokens: each posts to one address and says what it wants.

use leptos::prelude::*;

use super::refusal;
use crate::{address::query_value, context::PageContext, i18n::Lang, routes, view::people::MayManage};

/// The roles in the order in which they are offered.
const ROLES: [&str; 5] = ["builder", "reviewer", "approver", "auditor", "admin"];

/// What a form asks for.
pub struct Ask {
    /// What the ids of its fields begin with.
    pub id: &'static str,
    /// The change's code.
    pub change: &'static str,
    /// The key of the button's text.
    pub submit: &'static str,
    /// What the button is called where its text does not say of which row it is.
    pub label: Option<String>,
    /// The account that the change is about, and whose page a refusal leads back to.
    pub account: Option<String>,
}

impl Ask {
    /// A form of the page of all people.
    pub fn new(id: &'static str, change: &'static str, submit: &'static str) -> Self {
        Self { id, change, submit, label: None, account: None }
    }
}

/// A form with its fields, the password where it must be given again, and the button.
pub fn form(context: &PageContext, manage: &MayManage, ask: Ask, fields: AnyView) -> AnyView {
    let lang = context.lang;
    let id = ask.id;
    let password = manage.step_up_needed.then(|| {
        let name = format!("{id}-own-password");
        let note = format!("{id}-own-password-note");
        view! {
            <p class="password">
                <label for=name.clone()>{lang.t("review-password")}</label>
                <input type="password" id=name name="password" required maxlength="1024"
                    autocomplete="current-password" aria-describedby=note.clone()/>
                <span class="small quiet" id=note>{lang.t("people-password-note")}</span>
            </p>
        }
    });
    view! {
        <form class="form no-print" method="post" action=routes::PEOPLE_CHANGES>
            {hidden(context, manage, &ask, id)}
            {fields}{password}
            <p class="acts"><button class="btn first" aria-label=ask.label>{lang.t(ask.submit)}</button></p>
        </form>
    }
    .into_any()
}

/// A form in a row of a table: a button alone, and the password where it must be given again.
pub fn small(context: &PageContext, manage: &MayManage, ask: Ask, place: &str, fields: AnyView) -> AnyView {
    let lang = context.lang;
    let password = manage.step_up_needed.then(|| {
        let name = format!("{place}-password");
        view! {
            <label class="vh" for=name.clone()>{lang.t("review-password")}</label>
            <input type="password" id=name name="password" required maxlength="1024"
                placeholder=lang.t("review-password") autocomplete="current-password"/>
            " "
        }
    });
    view! {
        <form class="in-row no-print" method="post" action=routes::PEOPLE_CHANGES>
            {hidden(context, manage, &ask, place)}
            {fields}{password}
            <button class="btn" aria-label=ask.label>{lang.t(ask.submit)}</button>
        </form>
    }
    .into_any()
}

fn hidden(context: &PageContext, manage: &MayManage, ask: &Ask, place: &str) -> AnyView {
    // Only a form that may still be worked on keeps its key. Forms of one page have keys of their own.
    let working = refusal::code_of(&context.query).as_deref() == Some("in_progress")
        && query_value(&context.query, "change").as_deref() == Some(ask.change);
    let kept = query_value(&context.query, "key").filter(|key| working && key.len() <= 100);
    let key = kept.unwrap_or_else(|| format!("{}-{place}", manage.form_key));
    let account = ask.account.clone().map(|account| {
        view! {
            <input type="hidden" name="account" value=account.clone()/>
            <input type="hidden" name="back" value=account/>
        }
    });
    view! {
        <input type="hidden" name="change" value=ask.change/>
        <input type="hidden" name="key" value=key/>
        <input type="hidden" name="form_token" value=context.portal.viewer().form_token/>
        {account}
    }
    .into_any()
}

/// The choice of a role.
pub fn role_field(id: &'static str, chosen: &str, lang: Lang) -> AnyView {
    let options = ROLES.map(|role| {
        view! { <option value=role selected=role == chosen>{lang.code_text("role", role)}</option> }
    });
    view! {
        <label for=id>{lang.t("person-head-role")}</label>
        <select id=id name="role" required>
            <option value="">{lang.t("add-choose-role")}</option>
            {options.collect_view()}
        </select>
    }
    .into_any()
}

/// A number of days or hours.
pub fn number_field(
    id: &'static str,
    name: &'static str,
    key: &str,
    preset: u32,
    most: u32,
    lang: Lang,
) -> AnyView {
    view! {
        <label for=id>{lang.t(key)}</label>
        <input type="text" id=id name=name required inputmode="numeric" pattern="[0-9]{1,3}" maxlength="3"
            value=preset.to_string() title=lang.tr("form-at-most", [("n", most.into())])/>
    }
    .into_any()
}

/// What a token is to be used for.
pub fn scope_fields(scopes: &[&'static str], lang: Lang) -> AnyView {
    let choices = scopes.iter().enumerate().map(|(at, scope)| {
        let scope = *scope;
        view! {
            <label>
                <input type="checkbox" name="scopes" value=scope checked=at == 0/>
                " "<span>{lang.code_text("scope", scope)}<span class="sub">{lang.code_text("scope-about", scope)}</span></span>
            </label>
        }
    });
    view! {
        <fieldset><legend>{lang.t("token-head-scopes")}</legend><div class="choices">{choices.collect_view()}</div></fieldset>
    }
    .into_any()
}
