//! Rendering as the server does it, without the server.

use std::sync::{
    Arc,
    atomic::{AtomicU16, Ordering},
};

use acta_app::{
    context::{AssetUrls, PageContext, StatusSink, Theme, provide_page_context},
    i18n::Lang,
    portal::{PageError, Portal},
    shell::shell,
    view::{
        EntryView, FilterChoices, LedgerView, Place, RunQuery, RunView, RunsView, Viewer,
        acceptance::AcceptancesView,
        agent::AgentView,
        caches::{CacheFilter, CachesView},
        cancels::{CancelFilter, CancelRow, Cancels, CancelsView},
        chart::Plot,
        compare::CompareView,
        configuration::ConfigurationView,
        live::{LiveBuildView, LiveBuildsView},
        people::{
            AccountView, EventRow, MayManage, PeopleDoneView, PeopleView, PersonRow, PersonView, SessionRow,
            TokenRow,
        },
        restores::RestoresView,
        route::{DoneView, LiveView, RouteView, RoutesView},
        search::SearchView,
        trace::TraceView,
    },
    zone::Zone,
};
use acta_ledger::{evidence::person::Role, judge::filter::RunKind};
use async_trait::async_trait;
use futures::StreamExt as _;
use hydration_context::SsrSharedContext;
use leptos::{nonce::Nonce, prelude::*};

use crate::fixture::{
    Ledger, acceptance, agent,
    route::{self, Script},
    search,
};

/// A portal over a fixture.
pub struct Fixture {
    pub ledger: Ledger,
    pub viewer: Viewer,
    pub routes: Vec<Script>,
    /// Whether the entries' signatures do not hold.
    pub damaged: bool,
    /// What a browser calls itself, and a token.
    pub agent: String,
    /// The time zone that the viewer has chosen.
    pub zone: Option<String>,
    /// The builds that run.
    pub builds: Vec<LiveBuildView>,
    /// What was decided about timing caches.
    pub caches: Option<CachesView>,
    /// What was restored, on every route.
    pub restores: Vec<acta_ledger::judge::restore::Restore>,
}

impl Fixture {
    pub fn new(ledger: Ledger) -> Self {
        let viewer = Viewer {
            name: Some("reviewer-1".to_owned()),
            role: Some("reviewer".to_owned()),
            form_token: "form-token".to_owned(),
        };
        let routes = route::routes("no parity run on the target");
        let agent = "Firefox 140 on Linux".to_owned();
        Self {
            ledger,
            viewer,
            routes,
            damaged: false,
            agent,
            zone: None,
            builds: Vec::new(),
            caches: None,
            restores: Vec::new(),
        }
    }

    /// As somebody else sees it.
    pub fn seen_by(mut self, name: &str, role: &str) -> Self {
        self.viewer.name = Some(name.to_owned());
        self.viewer.role = Some(role.to_owned());
        self
    }

    fn script(&self, name: &str) -> Result<&Script, PageError> {
        let view = |route: &&Script| route.name() == name;
        self.routes.iter().find(view).ok_or(PageError::NotFound)
    }

    fn roles(&self) -> Vec<Role> {
        let role = self.viewer.role.clone().unwrap_or_default();
        serde_json::from_value(serde_json::json!([role])).unwrap_or_default()
    }
}

#[async_trait]
impl Portal for Fixture {
    fn viewer(&self) -> Viewer {
        self.viewer.clone()
    }

    async fn runs(&self, query: RunQuery) -> Result<RunsView, PageError> {
        let admitted = |number: &usize| {
            query.filter.admits(&RunKind::of(&self.ledger.runs[number - 1].summary), |_| None)
        };
        let numbers = (1..=self.ledger.runs.len()).rev().filter(admitted);
        let rows: Vec<_> = numbers.map(|number| self.ledger.row(number)).collect();
        let needs = |row: &&acta_app::view::RunRow| {
            !matches!(row.outcome.as_str(), "completed" | "cancelled")
                || matches!(row.cleanup.as_str(), "quarantined" | "failed")
        };
        Ok(RunsView {
            choices: FilterChoices {
                routes: vec!["bench/residual".to_owned()],
                gpus: vec![acta_ledger::evidence::build::NO_GPU.to_owned()],
                tensorrt: vec!["1.7.1.116".to_owned()],
            },
            matching: rows.len() as u64,
            more: query.filter.has_bounds(),
            total: self.ledger.runs.len() as u64,
            need_a_person: rows.iter().filter(needs).count() as u64,
            previous: query.place.and(Some(Place::Before(7))),
            next: (rows.len() > 2).then_some(Place::After(3)),
            query,
            rows,
        })
    }

    async fn run(&self, id: &str) -> Result<RunView, PageError> {
        let by_id = |number: &usize| self.ledger.row(*number).id == id;
        let number = id.parse().ok().or_else(|| (1..=self.ledger.runs.len()).find(by_id));
        number.and_then(|number| self.ledger.run_view(number)).ok_or(PageError::NotFound)
    }

    async fn compare(&self, runs: &[String]) -> Result<CompareView, PageError> {
        let by_id = |name: &String| {
            let all = 1..=self.ledger.runs.len();
            all.into_iter().find(|&n| n.to_string() == *name || self.ledger.row(n).id == *name)
        };
        let numbers: Vec<usize> = runs.iter().filter_map(by_id).collect();
        let others = (1..=self.ledger.runs.len()).rev().filter(|number| !numbers.contains(number));
        Ok(CompareView {
            rows: numbers.iter().map(|&number| self.ledger.row(number)).collect(),
            unknown: runs.iter().filter(|name| by_id(name).is_none()).cloned().collect(),
            tree_problems: vec![None; numbers.len()],
            compared: (numbers.len() > 1).then(|| self.ledger.compared(&numbers)),
            recent: others.map(|number| self.ledger.row(number)).collect(),
        })
    }

    async fn configuration(&self, digest: &str, _: Option<u64>) -> Result<ConfigurationView, PageError> {
        let of =
            |number: &usize| self.ledger.runs[number - 1].summary.build_config_hash.to_string() == digest;
        let number = (1..=self.ledger.runs.len()).find(of).ok_or(PageError::NotFound)?;
        let digest = self.ledger.runs[number - 1].summary.build_config_hash;
        Ok(ConfigurationView { digest, rows: self.ledger.history(number), limit: 500 })
    }

    async fn cancels(&self, filter: CancelFilter) -> Result<CancelsView, PageError> {
        let all = (1..=self.ledger.runs.len()).rev();
        let rows = all.filter_map(|number| {
            let (row, summary) = (self.ledger.row(number), &self.ledger.runs[number - 1].summary);
            let cancel = summary.cancel.as_ref()?;
            Some(CancelRow {
                run: row.id,
                number: row.number,
                route: row.route,
                gpu_sku: row.gpu_sku,
                builder: row.builder,
                source: acta_ledger::evidence::code(&cancel.source),
                outcome: row.outcome,
                cleanup: row.cleanup,
                phase: (number > 2).then(|| self.agent.clone()),
                requested_at: cancel.requested_at,
                ack_ms: cancel.request_to_ack_ms,
                censored_ms: cancel.censored_after_ms,
                return_ms: cancel.ack_to_return_ms,
                cleanup_ms: cancel.ack_to_cleanup_ms,
            })
        });
        let wanted = |row: &CancelRow| filter.route.is_none() || row.route == filter.route;
        let cancels = Arc::new(Cancels::of(rows.filter(wanted).collect()));
        Ok(CancelsView { cancels, filter, limit: 1_000 })
    }

    async fn caches(&self, filter: CacheFilter) -> Result<CachesView, PageError> {
        Ok(self.caches.clone().map_or_else(
            || CachesView { filter: filter.clone(), modes: Vec::new(), rows: Vec::new(), before: None },
            |view| CachesView { filter: filter.clone(), ..view },
        ))
    }

    async fn restores(&self, route: &str) -> Result<RestoresView, PageError> {
        self.script(route)?;
        Ok(RestoresView { route: route.to_owned(), restores: self.restores.clone() })
    }

    fn plot(&self, plot: &Plot) -> String {
        let links: String = plot
            .points
            .iter()
            .filter_map(|point| point.link.as_ref())
            .map(|(href, title)| {
                let escaped = acta_app::components::svg::escaped;
                format!("<a href=\"{}\"><title>{}</title></a>", escaped(href), escaped(title))
            })
            .collect();
        format!("<svg class=\"chart plot full\">{links}</svg>")
    }

    async fn live_builds(&self) -> Result<LiveBuildsView, PageError> {
        Ok(LiveBuildsView { builds: self.builds.clone() })
    }

    async fn live_build(&self, run: &str) -> Result<LiveBuildView, PageError> {
        let wanted = |build: &&LiveBuildView| build.build.run.to_string() == run;
        self.builds.iter().find(wanted).cloned().ok_or(PageError::NotFound)
    }

    async fn entry(&self, which: &str) -> Result<EntryView, PageError> {
        if which == "broken" {
            return Err(PageError::Internal { id: "err-42".to_owned() });
        }
        if which == "damaged" {
            return Err(PageError::Damaged { entry: 5, reason: "not JSON".to_owned() });
        }
        let found = which.parse().ok().and_then(|index| self.ledger.entry_view(index));
        let mut view = found.ok_or(PageError::NotFound)?;
        if self.damaged {
            let check = &mut view.verification.report.checks[0];
            (check.holds, check.detail) = (false, "entry 2: the signature does not verify".to_owned());
        }
        Ok(view)
    }

    async fn ledger(&self, _: Option<u64>) -> Result<LedgerView, PageError> {
        Ok(self.ledger.ledger_view())
    }

    async fn agent(&self, name: &str) -> Result<AgentView, PageError> {
        let view = agent::view(name, self.manage()).ok_or(PageError::NotFound)?;
        Ok(view)
    }

    async fn acceptance(&self, id: Option<&str>) -> Result<AcceptancesView, PageError> {
        acceptance::view(&self.ledger, id, &self.agent).ok_or(PageError::NotFound)
    }

    async fn routes(&self) -> Result<RoutesView, PageError> {
        let name = self.viewer.name.clone().unwrap_or_default();
        Ok(route::board(&self.routes, &name, self.roles().contains(&Role::Approver)))
    }

    async fn route(&self, name: &str, bundle: Option<&str>) -> Result<RouteView, PageError> {
        let viewer = self.viewer.name.clone().unwrap_or_default();
        let script = self.script(name)?;
        let bundle = bundle.map(|bundle| bundle.parse().unwrap());
        let known = script.view(&viewer, &self.roles(), None).bundles;
        if bundle.is_some_and(|bundle| !known.contains(&bundle)) {
            return Err(PageError::NotFound);
        }
        Ok(script.view(&viewer, &self.roles(), bundle))
    }

    async fn search(&self, text: &str) -> Result<SearchView, PageError> {
        Ok(search::view(&self.ledger, text, &self.agent))
    }

    async fn done(&self, route: &str, entry: &str) -> Result<DoneView, PageError> {
        let index = entry.parse().map_err(|_| PageError::NotFound)?;
        self.script(route)?.done(&self.ledger, index).ok_or(PageError::NotFound)
    }

    async fn live(&self, route: &str, at: &str) -> Result<LiveView, PageError> {
        let at = at.parse().map_err(|_| PageError::BadRequest { field: "at", found: at.to_owned() })?;
        Ok(self.script(route)?.live(at))
    }

    async fn account(&self) -> Result<AccountView, PageError> {
        let sessions = vec![self.session("aa", true), self.session("bb", false)];
        Ok(AccountView {
            sessions,
            tokens: vec![self.token("cc", &["read", "define_routes"])],
            zone: self.zone.clone(),
            zones: vec!["Asia/Kolkata".to_owned(), "Europe/Madrid".to_owned()],
        })
    }

    async fn people(&self) -> Result<PeopleView, PageError> {
        self.keeps()?;
        Ok(PeopleView {
            people: self.persons(),
            tokens: vec![self.token("cc", &["read"])],
            agent_tokens: vec![self.token("dd", &["push", "orders"])],
            enrolments: vec![self.token("ee", &["push"])],
            events: self.events(),
            manage: self.manage(),
        })
    }

    async fn person(&self, name: &str) -> Result<PersonView, PageError> {
        self.keeps()?;
        let person = self.persons().into_iter().find(|person| person.name == name);
        Ok(PersonView {
            own: self.viewer.name.as_deref() == Some(name),
            person: person.ok_or(PageError::NotFound)?,
            sessions: vec![self.session("aa", false)],
            tokens: vec![self.token("cc", &["read"])],
            events: self.events(),
            manage: self.manage(),
        })
    }

    async fn people_done(&self, event: &str) -> Result<PeopleDoneView, PageError> {
        self.keeps()?;
        let event = self.events().into_iter().find(|it| it.id.to_string() == event);
        let event = event.ok_or(PageError::NotFound)?;
        let secret = (event.change == "issue_enrolment").then(|| "acta_enrol_0123".to_owned());
        Ok(PeopleDoneView { event, secret })
    }

    async fn trace(&self, bundle: &str, route: Option<&str>) -> Result<TraceView, PageError> {
        let bundle = bundle.parse().map_err(|_| PageError::NotFound)?;
        let on = |script: &&Script| script.is_on(bundle) && route.is_none_or(|name| script.name() == name);
        let script = self.routes.iter().find(on).ok_or(PageError::NotFound)?;
        Ok(script.trace(&self.ledger, bundle, self.damaged))
    }
}

impl Fixture {
    /// Whether the viewer may see the accounts.
    fn keeps(&self) -> Result<(), PageError> {
        let may = matches!(self.viewer.role.as_deref(), Some("admin" | "auditor"));
        if may { Ok(()) } else { Err(PageError::NotFound) }
    }

    fn manage(&self) -> MayManage {
        MayManage {
            role_allows: self.viewer.role.as_deref() == Some("admin"),
            step_up_needed: true,
            form_key: "form-key".to_owned(),
        }
    }

    fn session(&self, id: &str, current: bool) -> SessionRow {
        SessionRow {
            id: id.to_owned(),
            user_agent: self.agent.clone(),
            created_at: route::now(),
            last_seen_at: route::now(),
            current,
        }
    }

    fn token(&self, id: &str, scopes: &[&str]) -> TokenRow {
        TokenRow {
            id: id.to_owned(),
            holder: "ana".to_owned(),
            label: self.agent.clone(),
            scopes: scopes.iter().map(|scope| (*scope).to_owned()).collect(),
            issued_at: Some(route::now()),
            expires_at: route::now(),
            last_used_at: None,
        }
    }

    fn persons(&self) -> Vec<PersonRow> {
        let person = |name: &str, role: &str, agents: &[&str]| PersonRow {
            name: name.to_owned(),
            role: role.to_owned(),
            disabled: role == "reviewer",
            created_at: route::now(),
            sessions: 1,
            agents: agents.iter().map(|agent| (*agent).to_owned()).collect(),
        };
        vec![
            person("admin-1", "admin", &[]),
            person("approver-1", "approver", &[]),
            person("gone", "reviewer", &[]),
            person(&self.agent, "builder", &["builder-03"]),
        ]
    }

    fn events(&self) -> Vec<EventRow> {
        let event = |id: i64, change: &str, by: &str| EventRow {
            id,
            at: route::now(),
            by: by.to_owned(),
            change: change.to_owned(),
            subject: self.agent.clone(),
            detail: self.agent.clone(),
        };
        vec![event(2, "issue_enrolment", "admin-1"), event(1, "add", "command line")]
    }
}

/// A rendered page.
pub struct Rendered {
    pub status: u16,
    pub html: String,
}

/// Renders the page at an address (path and query).
pub fn render(portal: Arc<dyn Portal>, address: &str, lang: Lang, theme: Theme) -> Rendered {
    render_in(None, portal, address, lang, theme)
}

/// The same for a viewer in a time zone.
pub fn render_in(
    zone: Option<Zone>,
    portal: Arc<dyn Portal>,
    address: &str,
    lang: Lang,
    theme: Theme,
) -> Rendered {
    let _ = any_spawner::Executor::init_futures_executor();
    let status = Arc::new(AtomicU16::new(200));
    let sink = status.clone();
    let (path, query) = address.split_once('?').unwrap_or((address, ""));
    let context = PageContext {
        portal,
        lang,
        theme,
        zone,
        assets: AssetUrls::default(),
        nonce: Some(Nonce::from_value("test-nonce")),
        path: path.to_owned(),
        query: query.to_owned(),
        base_url: "https://acta.example".to_owned(),
        status: StatusSink::new(move |code| sink.store(code, Ordering::Relaxed)),
        failure: None,
    };
    let options = LeptosOptions::builder().output_name("acta_app").build();
    let owner = Owner::new_root(Some(Arc::new(SsrSharedContext::new_islands())));
    let html = owner.with(|| {
        provide_page_context(context);
        futures::executor::block_on(shell(options).into_view().to_html_stream_in_order().collect::<String>())
    });
    Rendered { status: status.load(Ordering::Relaxed), html }
}
