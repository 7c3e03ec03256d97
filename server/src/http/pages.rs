//! Pages: the portal's shell, rendered whole before the first byte.

use std::sync::{
    Arc,
    atomic::{AtomicU16, Ordering},
};

use acta_app::{
    address::{percent_encode, query_value},
    context::{PageContext, StatusSink, Theme, provide_page_context},
    i18n,
    portal::PageError,
    routes::{self, Page, SIGN_IN},
    shell::shell,
    view::search::Thing,
};
use axum::{
    extract::{Request, State},
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{IntoResponse as _, Redirect, Response},
};
use axum_extra::extract::cookie::CookieJar;
use leptos::nonce::Nonce;

use super::security::page_policy;
use crate::{
    auth::{
        extract::Asking,
        policy::{Action, allows},
    },
    error::{Answer, Problem},
    portal::ServerPortal,
    search,
    startup::AppState,
    store,
};

/// Shows the page of the request's path; a path without a page becomes the 404 page.
pub async fn page(State(state): State<AppState>, asking: Asking, request: Request) -> Answer<Response> {
    let (path, query) =
        (request.uri().path().to_owned(), request.uri().query().unwrap_or_default().to_owned());
    let found = Page::parse(&path);
    if needs_sign_in(found.as_ref(), &state, &asking) {
        let here = if query.is_empty() { path } else { format!("{path}?{query}") };
        let next = if here == "/" { String::new() } else { format!("?next={}", percent_encode(&here)) };
        return Ok(Redirect::to(&format!("{SIGN_IN}{next}")).into_response());
    }
    if let Some(place) = elsewhere(found.as_ref(), &query, &state).await? {
        return Ok(Redirect::to(&place).into_response());
    }
    let failure = found.is_none().then_some(PageError::NotFound);
    show(state, asking, request, failure).await
}

/// Everything but the sign-in page needs the right to read, an unknown path too: what exists is nobody else's business.
fn needs_sign_in(page: Option<&Page>, state: &AppState, asking: &Asking) -> bool {
    !matches!(page, Some(Page::SignIn)) && !allows(&asking.actor, Action::ReadEvidence, state.public_read)
}

/// A search that finds one thing leads there. A run that is still being built is shown live, and a build that is no
/// longer watched as the run that was signed.
async fn elsewhere(page: Option<&Page>, query: &str, state: &AppState) -> Answer<Option<String>> {
    if matches!(page, Some(Page::Search)) {
        let text = query_value(query, "q").unwrap_or_default();
        let found = search::search(state, &text).await?.found.unwrap_or_default();
        return Ok(found.only().map(Thing::href));
    }
    let (Page::Run(id) | Page::LiveBuild(id) | Page::CancelBuild(id)) = (match page {
        Some(page) => page,
        None => return Ok(None),
    }) else {
        return Ok(None);
    };
    let watched = id.parse().ok().is_some_and(|run| state.live.find(run).is_some());
    let wants_run = matches!(page, Some(Page::Run(_)));
    if watched != wants_run {
        return Ok(None);
    }
    let logged = store::run::link_to(&state.database.read, id).await?.is_some();
    Ok(match (wants_run, logged) {
        (true, false) => Some(routes::live_build(id)),
        (false, true) => Some(routes::run(id)),
        _ => None,
    })
}

async fn show(
    state: AppState,
    asking: Asking,
    request: Request,
    failure: Option<PageError>,
) -> Answer<Response> {
    let nonce = state.assets.has_scripts().then(Nonce::new);
    let status = Arc::new(AtomicU16::new(StatusCode::OK.as_u16()));
    let context = page_context(&state, asking, &request, nonce.clone(), status.clone(), failure);
    let options = state.leptos.clone();
    let provide = move || provide_page_context(context.clone());
    let render = leptos_axum::render_app_async_with_context(provide, move || shell(options.clone()));
    let mut response = render(request).await;
    *response.status_mut() =
        StatusCode::from_u16(status.load(Ordering::Relaxed)).map_err(Problem::internal)?;
    let policy = page_policy(nonce.as_deref());
    let policy = HeaderValue::from_str(&policy).map_err(Problem::internal)?;
    response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, policy);
    Ok(response)
}

fn page_context(
    state: &AppState,
    asking: Asking,
    request: &Request,
    nonce: Option<Nonce>,
    status: Arc<AtomicU16>,
    failure: Option<PageError>,
) -> PageContext {
    let query = request.uri().query().unwrap_or_default().to_owned();
    let jar = CookieJar::from_headers(request.headers());
    let cookie = |name| jar.get(name).map(|cookie| cookie.value().to_owned());
    let asked = query_value(&query, "lang");
    let lang =
        i18n::negotiate(asked.as_deref(), cookie("lang").as_deref(), accept_language(request.headers()));
    let zone = asking.zone();
    PageContext {
        portal: Arc::new(ServerPortal::new(state.clone(), asking)),
        lang,
        theme: cookie("theme").as_deref().and_then(Theme::parse).unwrap_or_default(),
        zone,
        assets: state.assets.urls.clone(),
        nonce,
        path: request.uri().path().to_owned(),
        query,
        base_url: state.base_url.clone(),
        status: StatusSink::new(move |code| status.store(code, Ordering::Relaxed)),
        failure,
    }
}

fn accept_language(headers: &HeaderMap) -> Option<&str> {
    headers.get(header::ACCEPT_LANGUAGE)?.to_str().ok()
}
