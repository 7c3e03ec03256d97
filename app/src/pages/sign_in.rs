//! Signing in.

use leptos::prelude::*;

use super::{Ready, Room};
use crate::{
    address::{query_value, safe_next},
    components::state::{State, state},
    context::PageContext,
    routes::SIGN_IN,
};

/// Shows the form; a failed attempt keeps the name and says what happened.
pub fn show(context: &PageContext) -> Ready {
    let lang = context.lang;
    let value = |field| query_value(&context.query, field).unwrap_or_default();
    let error = match value("error").as_str() {
        "" => None,
        "rate" => Some(lang.t("sign-in-error-rate")),
        _ => Some(lang.t("sign-in-error-credentials")),
    };
    let failed = error.is_some();
    let error = error.map(|text| {
        view! {
            <div class="reason bad" id="sign-in-error" role="alert">
                <p>{state(State::Bad, lang.t("sign-in-failed"))}</p><p>{text}</p>
            </div>
        }
    });
    let described = failed.then_some("sign-in-error");
    let viewer = context.portal.viewer();
    let next = value("next");
    let body = view! {
        <section class="answer" aria-labelledby="answer">
            <p class="verdict"></p>
            <div>
                <h1 id="answer">{lang.t("sign-in-headline")}</h1>
                <p class="lead">{lang.t("sign-in-lead")}</p>
                <form class="form narrow" method="post" action=SIGN_IN>
                    {error}
                    <p>
                        <label for="name">{lang.t("sign-in-name")}</label>
                        <input type="text" id="name" name="name" required autocomplete="username" autocapitalize="none"
                            spellcheck="false" maxlength="128" value=value("name") aria-describedby=described
                            aria-invalid=failed.then_some("true") autofocus=!failed/>
                    </p>
                    <p>
                        <label for="password">{lang.t("sign-in-password")}</label>
                        <input type="password" id="password" name="password" required maxlength="1024"
                            autocomplete="current-password" aria-describedby=described
                            aria-invalid=failed.then_some("true") autofocus=failed/>
                    </p>
                    <input type="hidden" name="next" value=safe_next(&next).to_owned()/>
                    <input type="hidden" name="form_token" value=viewer.form_token/>
                    <p><button class="btn first">{lang.t("sign-in-button")}</button></p>
                </form>
            </div>
        </section>
    };
    Ready { title: lang.t("sign-in-headline"), room: Room::Elsewhere, island: false, body: body.into_any() }
}
