//! The form of a decision: a plain GET, whose answer is the review. What is not allowed is said, never greyed out.

use acta_ledger::{
    evidence::{
        code,
        decision::{DecisionKind, ReasonCode},
        gate::Gate,
    },
    judge::route::Objection,
};
use leptos::prelude::*;

use super::headline::way_of;
use crate::{
    address::{percent_encode, query_pairs, query_value},
    components::{
        layout::{note, part as section},
        route::{
            why::{self, Who},
            words,
        },
        svg::escaped,
    },
    context::PageContext,
    format::count,
    i18n::Lang,
    routes,
    view::route::{MayDecide, RouteView},
};

/// The reasons that can be given, in the order in which they are offered.
pub const REASONS: [ReasonCode; 15] = [
    ReasonCode::MissingEvidence,
    ReasonCode::CustomKernel,
    ReasonCode::TvmFfiBoundary,
    ReasonCode::PrecisionChange,
    ReasonCode::Portability,
    ReasonCode::Licence,
    ReasonCode::RemoteCode,
    ReasonCode::Parity,
    ReasonCode::Performance,
    ReasonCode::Canary,
    ReasonCode::Rollback,
    ReasonCode::Security,
    ReasonCode::PinChanged,
    ReasonCode::Resolved,
    ReasonCode::Other,
];

/// The longest text of a person.
pub const MAX_TEXT: u32 = 4_000;

/// What was typed, as it stands in the address.
#[derive(Debug, Clone, Default)]
pub struct Typed {
    /// The decision's code.
    pub kind: String,
    /// The reason's code.
    pub reason_code: String,
    /// The reason in words.
    pub text: String,
    /// Who sees to a hold.
    pub hold_owner: String,
    /// When a hold is looked at again.
    pub review_at: String,
    /// The gates of an override, by number.
    pub gates: Vec<String>,
    /// When an override ends.
    pub expires_at: String,
}

impl Typed {
    /// Reads the address.
    pub fn of(query: &str) -> Self {
        let value = |field| query_value(query, field).unwrap_or_default();
        Self {
            kind: value("kind"),
            reason_code: value("reason_code"),
            text: value("text"),
            hold_owner: value("hold_owner"),
            review_at: value("review_at"),
            gates: query_pairs(query).filter(|(key, _)| key == "gates").map(|(_, value)| value).collect(),
            expires_at: value("expires_at"),
        }
    }

    /// The decision.
    pub fn decision(&self) -> Option<DecisionKind> {
        serde_json::from_value(self.kind.clone().into()).ok()
    }

    /// The reason.
    pub fn reason(&self) -> Option<ReasonCode> {
        serde_json::from_value(self.reason_code.clone().into()).ok()
    }

    /// The gates that exist, in order, each once.
    pub fn gates(&self) -> Vec<Gate> {
        Gate::ALL.into_iter().filter(|gate| self.gates.contains(&gate.to_string())).collect()
    }

    /// The fields as a query's pairs.
    pub fn pairs(&self) -> Vec<(&'static str, String)> {
        let fields = [
            ("kind", &self.kind),
            ("reason_code", &self.reason_code),
            ("text", &self.text),
            ("hold_owner", &self.hold_owner),
            ("review_at", &self.review_at),
            ("expires_at", &self.expires_at),
        ];
        let plain = fields.into_iter().filter(|(_, value)| !value.is_empty());
        let gates = self.gates.iter().map(|gate| ("gates", gate));
        plain.chain(gates).map(|(name, value)| (name, value.clone())).collect()
    }
}

/// Whether the viewer may take a decision; the password is asked for later and is no reason against it.
pub fn is_open(may: &MayDecide) -> bool {
    may.role_allows
        && may.missing.is_empty()
        && may.objections.iter().all(|objection| *objection == Objection::NotSteppedUp)
}

/// The decisions that the viewer may take.
pub fn offered(view: &RouteView) -> impl Iterator<Item = DecisionKind> + '_ {
    view.decisions.iter().filter(|may| is_open(may) && !has_nothing_to_lift(may, view)).map(|may| may.kind)
}

fn has_nothing_to_lift(may: &MayDecide, view: &RouteView) -> bool {
    may.kind == DecisionKind::LiftHold && view.state.holds.is_empty()
}

/// Why the viewer may not take a decision, in one sentence; none where they may.
pub fn refusal(may: &MayDecide, view: &RouteView, lang: Lang) -> Option<String> {
    let mut why: Vec<String> = Vec::new();
    let not_now = may.objections.iter().filter(|it| **it != Objection::NotSteppedUp);
    why.extend(not_now.map(|it| why::objection(it, Who::You, lang)));
    if !may.role_allows && why.is_empty() {
        why.push(lang.t("objection-role"));
    }
    // What is missing comes after what stands in the person's own way; more than a few are a list, which stands above.
    if why.is_empty() {
        let way = way_of(&view.state);
        why.extend(may.missing.iter().take(3).map(|it| why::missing(it, way, lang)));
    }
    if why.is_empty() && has_nothing_to_lift(may, view) {
        why.push(lang.t("decide-no-hold"));
    }
    let key = format!("decide-cannot-{}", code(&may.kind).replace('_', "-"));
    (!why.is_empty()).then(|| lang.tr(&key, [("why", why::listed(&why, lang).into())]))
}

/// The part of the page with the form.
pub fn part(context: &PageContext, view: &RouteView) -> AnyView {
    let lang = context.lang;
    let signed_in = context.portal.viewer().name.is_some();
    let body = if view.state.record.bundle_digest.is_none() {
        view! { <p>{lang.t("decide-no-bundle")}</p> }.into_any()
    } else if !signed_in {
        let href = format!("{}?next={}", routes::SIGN_IN, percent_encode(&context.here()));
        view! {
            <p>{lang.t("decide-nobody")}" "<a href=href>{lang.t("sign-in-to-decide")}</a></p>
        }
        .into_any()
    } else {
        let refusals: Vec<_> = view
            .decisions
            .iter()
            .filter(|may| may.kind != DecisionKind::LiftHold || !view.state.holds.is_empty())
            .filter_map(|may| refusal(may, view, lang))
            .map(|text| view! { <p>{text}</p> })
            .collect();
        let refusals = (!refusals.is_empty()).then(|| view! { <div class="reason neutral">{refusals}</div> });
        let form = (offered(view).next().is_some()).then(|| form(&Typed::of(&context.query), view, lang));
        view! { {refusals}{form} }.into_any()
    };
    let body = view! { <div class="no-print">{body}</div> };
    section("h-decide", lang.t("section-decide"), note(lang.t("decide-note")), body.into_any())
}

fn form(typed: &Typed, view: &RouteView, lang: Lang) -> AnyView {
    let name = &view.state.record.route_name;
    let bundle = view.state.record.bundle_digest.map(|bundle| bundle.0.to_string()).unwrap_or_default();
    let kinds: Vec<DecisionKind> = offered(view).collect();
    let chosen = typed.decision().filter(|kind| kinds.contains(kind)).or(kinds.first().copied());
    let choices = kinds.iter().map(|kind| {
        let code = code(kind);
        let checked = Some(*kind) == chosen;
        let about = lang.code_text("decide-about", &code);
        let word = crate::components::layout::capitalised(&lang.code_text("decision", &code));
        view! {
            <label>
                <input type="radio" name="kind" value=code checked=checked/>
                " "<span>{word}<span class="sub">{about}</span></span>
            </label>
        }
    });
    let hold = kinds.contains(&DecisionKind::Hold).then(|| {
        view! {
            <fieldset class="for-hold">
                <legend>{lang.t("decide-for-hold")}</legend>
                <div class="fields">
                    <p>
                        <label for="d-owner">{lang.t("decide-hold-owner")}</label>
                        <input type="text" id="d-owner" name="hold_owner" maxlength="128" autocapitalize="none"
                            spellcheck="false" value=typed.hold_owner.clone()/>
                    </p>
                    <p>
                        <label for="d-review">{lang.t("decide-review-at")}</label>
                        <input type="date" id="d-review" name="review_at" value=day(&typed.review_at)/>
                    </p>
                </div>
            </fieldset>
        }
    });
    let overrides = kinds.contains(&DecisionKind::Override).then(|| override_fields(typed, view, lang));
    let binds = lang.tr(
        "decide-binds",
        [("n", view.state.evidence_set().len().into()), ("size", count(view.seen.size, lang).into())],
    );
    view! {
        <form class="form decide" method="get" action=routes::decide(name)>
            <input type="hidden" name="bundle" value=bundle/>
            <input type="hidden" name="seen_size" value=view.seen.size.to_string()/>
            <fieldset><legend>{lang.t("decide-kind")}</legend><div class="choices">{choices.collect_view()}</div></fieldset>
            <div class="fields">
                {reason_field(typed.reason(), false, lang)}
                {text_field(&typed.text, false, lang)}
            </div>
            {hold}{overrides}
            <p class="small quiet">{binds}</p>
            <p class="acts"><button class="btn first">{lang.t("decide-review")}</button></p>
        </form>
    }
    .into_any()
}

fn override_fields(typed: &Typed, view: &RouteView, lang: Lang) -> AnyView {
    let gates = view.state.gates.iter().map(|standing| {
        let gate = standing.gate;
        let text = lang.tr(
            "decide-gate",
            [
                ("gate", gate.to_string().into()),
                ("name", words::gate_name(gate, lang).into()),
                ("state", words::gate_state(standing.state, lang).1.into()),
            ],
        );
        let checked = typed.gates().contains(&gate);
        view! {
            <label><input type="checkbox" name="gates" value=gate.to_string() checked=checked/>" "<span>{text}</span></label>
        }
    });
    view! {
        <fieldset class="for-override">
            <legend>{lang.t("decide-for-override")}</legend>
            <div class="choices">{gates.collect_view()}</div>
            <div class="fields">
                <p>
                    <label for="d-expires">{lang.t("decide-expires")}</label>
                    <input type="date" id="d-expires" name="expires_at" value=day(&typed.expires_at)/>
                </p>
            </div>
        </fieldset>
    }
    .into_any()
}

/// The choice of a reason's code; where none is chosen, one that is `required` has to be.
pub fn reason_field(chosen: Option<ReasonCode>, required: bool, lang: Lang) -> AnyView {
    let none = lang.t(if required { "decide-reason-choose" } else { "decide-reason-none" });
    let options = REASONS.map(|reason| {
        let code = code(&reason);
        let selected = chosen == Some(reason);
        view! { <option value=code.clone() selected=selected>{lang.code_text("reason-code", &code)}</option> }
    });
    view! {
        <p class="wide">
            <label for="d-code">{lang.t("decide-reason-code")}</label>
            <select id="d-code" name="reason_code" required=required>
                <option value="">{none}</option>
                {options.collect_view()}
            </select>
        </p>
    }
    .into_any()
}

/// The reason in words.
pub fn text_field(text: &str, required: bool, lang: Lang) -> AnyView {
    // What stands in a text area is written as it is, so it is escaped here.
    view! {
        <p class="wide">
            <label for="d-text">{lang.t("decide-text")}</label>
            <textarea id="d-text" name="text" rows="4" maxlength=MAX_TEXT.to_string() required=required
                inner_html=escaped(text)></textarea>
        </p>
    }
    .into_any()
}

/// The day of a moment: what a date field can hold.
fn day(moment: &str) -> String {
    moment.get(..10).unwrap_or_default().to_owned()
}
