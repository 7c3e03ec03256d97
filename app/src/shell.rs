//! The frame around every page: head, masthead, foot.

use leptos::prelude::*;

use crate::{
    address::percent_encode,
    components::state::SPRITE,
    context::{PageContext, Theme},
    format::short,
    i18n::Lang,
    pages::{self, Ready, Room},
    routes,
};

/// The whole document of the request whose [`PageContext`] was provided. Its data is loaded first, so that title and
/// status are known before the first byte.
pub fn shell(options: LeptosOptions) -> impl IntoView {
    let context = expect_context::<PageContext>();
    Suspend::new(async move {
        let page = pages::load(&context).await;
        document(&context, page, options)
    })
}

fn document(context: &PageContext, page: Ready, options: LeptosOptions) -> AnyView {
    let lang = context.lang;
    // Without a nonce no script may run, and a page without an island needs none.
    let scripts = (page.island && context.nonce.is_some())
        .then(|| view! { <HydrationScripts options=options islands=true/> });
    // Without JavaScript a page of what runs keeps up by being loaded again; whoever pauses it loads it by hand.
    let refresh = (page.room == Room::Live && !pages::live::is_paused(context))
        .then(|| view! { <noscript><meta http-equiv="refresh" content=pages::live::REFRESH_S/></noscript> });
    let theme = (context.theme != Theme::System).then(|| context.theme.code());
    let title = format!("{} · Acta", page.title);
    view! {
        <!DOCTYPE html>
        <html lang=lang.code() data-theme=theme>
            <head>
                <meta charset="utf-8"/>
                <meta name="viewport" content="width=device-width, initial-scale=1"/>
                <meta name="color-scheme" content="light dark"/>
                <title>{title}</title>
                <link rel="stylesheet" href=context.assets.tokens_css.clone()/>
                <link rel="stylesheet" href=context.assets.main_css.clone()/>
                <link rel="icon" href="data:,"/>
                {refresh}
                {scripts}
            </head>
            <body>
                <svg class="sprite" aria-hidden="true" inner_html=SPRITE></svg>
                <a class="skip" href="#main">{lang.t("skip")}</a>
                {masthead(context, page.room)}
                <main id="main" class="page" tabindex="-1">{page.body}</main>
                {foot(context)}
            </body>
        </html>
    }
    .into_any()
}

fn masthead(context: &PageContext, room: Room) -> AnyView {
    let lang = context.lang;
    // Whoever may not see the accounts is not shown the way there either.
    let keeps = matches!(context.portal.viewer().role.as_deref(), Some("admin" | "auditor"));
    let people = keeps.then_some((Room::People, routes::PEOPLE, "nav-people"));
    let rooms = [
        (Room::Runs, routes::RUNS, "nav-runs"),
        (Room::Live, routes::LIVE, "nav-live"),
        (Room::Routes, routes::ROUTES, "nav-routes"),
        (Room::Ledger, routes::LEDGER, "nav-ledger"),
    ];
    let rooms = rooms.into_iter().chain(people).map(|(of, href, key)| {
        let current = (of == room).then_some("page");
        view! { <li><a href=href aria-current=current>{lang.t(key)}</a></li> }
    });
    view! {
        <header class="masthead">
            <div class="page">
                <a class="wordmark" href="/">"Acta"</a>
                <nav aria-label=lang.t("nav-label")><ul>{rooms.collect_view()}</ul></nav>
                {pages::search::bar(context)}
                <a class="help" href=routes::HELP rel="help" aria-label=lang.t("help-link")>"?"</a>
                {who(context, room)}
            </div>
        </header>
    }
    .into_any()
}

fn who(context: &PageContext, room: Room) -> AnyView {
    let lang = context.lang;
    let viewer = context.portal.viewer();
    match viewer.name {
        Some(name) => {
            let current = (room == Room::Account).then_some("page");
            let role = viewer.role.map(|role| lang.code_text("role", &role)).unwrap_or_default();
            view! {
                <form class="who" method="post" action=routes::SIGN_OUT>
                    <p>
                        <a href=routes::ACCOUNT aria-current=current><bdi>{short(&name, 40)}</bdi></a>", "{role}
                    </p>
                    <input type="hidden" name="next" value="/"/>
                    <input type="hidden" name="form_token" value=viewer.form_token/>
                    <button class="linkish">{lang.t("sign-out")}</button>
                </form>
            }
            .into_any()
        }
        None if context.path == routes::SIGN_IN => ().into_any(),
        None => {
            let next = percent_encode(&context.here());
            let href = format!("{}?next={next}", routes::SIGN_IN);
            view! { <p class="who"><a href=href>{lang.t("nav-sign-in")}</a></p> }.into_any()
        }
    }
}

fn foot(context: &PageContext) -> AnyView {
    let lang = context.lang;
    // The account's page has them among its parts.
    let preferences = (context.path != routes::ACCOUNT).then(|| preferences(context));
    view! {
        <footer class="foot">
            <div class="page">
                <p class="head">{lang.t("foot")}" "<a href=routes::LEDGER>{lang.t("foot-ledger")}</a></p>
                {preferences}
            </div>
        </footer>
    }
    .into_any()
}

/// The forms that change language and theme.
pub fn preferences(context: &PageContext) -> AnyView {
    let lang = context.lang;
    let token = context.portal.viewer().form_token;
    let hidden = |context: &PageContext| {
        view! {
            <input type="hidden" name="next" value=without_lang(context)/>
            <input type="hidden" name="form_token" value=token.clone()/>
        }
    };
    let languages = Lang::ALL.map(|other| {
        let current = (other == lang).then_some("true");
        view! {
            <button class="linkish" name="lang" value=other.code() lang=other.code() aria-current=current>
                {other.own_name()}
            </button>
            " "
        }
    });
    let themes = Theme::ALL.map(|theme| {
        let current = (theme == context.theme).then_some("true");
        view! {
            <button class="linkish" name="theme" value=theme.code() aria-current=current>
                {lang.code_text("theme", theme.code())}
            </button>
            " "
        }
    });
    view! {
        <form class="preference" action=routes::PREFERENCES method="post" aria-label=lang.t("foot-language")>
            {hidden(context)}<span>{lang.t("foot-language")}":"</span>" "{languages.collect_view()}
        </form>
        <form class="preference" action=routes::PREFERENCES method="post" aria-label=lang.t("foot-theme")>
            {hidden(context)}<span>{lang.t("foot-theme")}":"</span>" "{themes.collect_view()}
        </form>
    }
    .into_any()
}

/// Where a change of preferences returns to: here, but for a language in the address, which would win over the choice.
fn without_lang(context: &PageContext) -> String {
    let kept: Vec<&str> =
        context.query.split('&').filter(|pair| !pair.is_empty() && !pair.starts_with("lang=")).collect();
    if kept.is_empty() { context.path.clone() } else { format!("{}?{}", context.path, kept.join("&")) }
}
