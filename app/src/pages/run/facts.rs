//! Facts by who says so, settings and machine, and why a run failed.

use acta_ledger::evidence::{
    build::{LibraryRecord, TensorRecord},
    code,
    route::is_route_name,
};
use leptos::prelude::*;

use crate::{
    components::{
        digest,
        facts::{Fact, Group, facts},
        layout::{self, note, raw},
        moment,
    },
    format::{NOTHING, bytes, count, file_name, number, seconds, short, visible},
    i18n::Lang,
    routes,
    view::RunView,
};

/// Tensors that are listed; more are counted.
const TENSORS: usize = 16;

/// Shows the facts, grouped by who says so.
pub fn part(view: &RunView, lang: Lang) -> AnyView {
    let signer = lang.tr("facts-agent", [("agent", short(&view.agent, 64).into())]);
    let mut groups = vec![
        Group { title: lang.t("facts-measured"), note: signer, facts: measured(view, lang) },
        Group { title: lang.t("facts-stated"), note: String::new(), facts: stated(view, lang) },
    ];
    if let Some(cancel) = &view.summary.cancel {
        let measured = cancel.request_to_ack_ms.map_or_else(
            || lang.t("vendor-cancel-unmeasured"),
            |ms| lang.tr("vendor-cancel-measured", [("latency", seconds(ms, lang).into())]),
        );
        let claim = format!("{} {measured}", lang.t("vendor-cancel"));
        groups.push(Group {
            title: lang.t("facts-vendor"),
            note: String::new(),
            facts: vec![Fact::new(lang.t("fact-cancellation"), claim)],
        });
    }
    groups.retain(|group| !group.facts.is_empty());
    let body = facts(lang.t("section-facts"), groups, lang);
    layout::part("h-facts", lang.t("section-facts"), note(lang.t("facts-note")), body)
}

fn measured(view: &RunView, lang: Lang) -> Vec<Fact> {
    let summary = &view.summary;
    let network = &summary.network;
    let layers = network.layers.map(|layers| {
        lang.tr("fact-layers", [("n", layers.into()), ("shown", count(u64::from(layers), lang).into())])
    });
    let layers = layers.map(|layers| format!(", {layers}"));
    let typing = lang.t(if network.strongly_typed { "fact-strongly-typed" } else { "fact-weakly-typed" });
    let used = summary.resources;
    let resources: Vec<String> = [
        used.peak_rss_bytes.map(|rss| lang.tr("fact-rss", [("bytes", bytes(rss, lang).into())])),
        used.cpu_ms.map(|ms| lang.tr("fact-cpu", [("duration", seconds(ms, lang).into())])),
        used.peak_threads.map(|n| lang.tr("fact-threads", [("n", n.into())])),
        used.written_bytes.map(|written| lang.tr("fact-written", [("bytes", bytes(written, lang).into())])),
        used.peak_gpu_memory_bytes
            .map(|memory| lang.tr("fact-gpu-memory", [("bytes", bytes(memory, lang).into())])),
        used.peak_gpu_utilization_percent
            .map(|percent| lang.tr("fact-gpu-utilization", [("percent", percent.into())])),
    ]
    .into_iter()
    .flatten()
    .collect();
    let latency = summary.cancel_latency_ms.map_or_else(|| NOTHING.to_owned(), |ms| number(ms, 1, lang));
    let durations = summary.duration_ms;
    let times: Vec<String> = [
        ("duration-parse", durations.parse),
        ("duration-build", durations.build),
        ("duration-serialize", durations.serialize),
        ("duration-write", durations.write),
        ("duration-total", Some(durations.total)),
    ]
    .into_iter()
    .map(|(key, ms)| {
        let ms = ms.map_or_else(|| NOTHING.to_owned(), |ms| number(ms, 1, lang));
        format!("{} {ms}", lang.t(key))
    })
    .collect();
    vec![
        Fact::code("framework", &summary.framework),
        Fact::new("tensorrtVersion", library(view, summary.library.as_ref(), lang)),
        Fact::code("language", &code(&summary.language)),
        Fact::new("buildConfigHash", view! { {digest::full(&summary.build_config_hash)} }),
        Fact::new("gpuSku", visible(&summary.gpu_sku)),
        Fact::code("timingCacheMode", &code(&summary.timing_cache_mode)),
        Fact::new(
            "cancelSource, cancelLatencyMs",
            view! { <code>{code(&summary.cancel_source)}</code>", "{latency} },
        ),
        Fact::code("cleanupStatus", &code(&summary.cleanup_status)),
        Fact::code("retryPolicy", &code(&summary.retry_policy)),
        Fact::new(
            "outcome, validationStatus",
            view! { <code>{code(&summary.outcome)}</code>", "<code>{code(&summary.validation_status)}</code> },
        ),
        Fact::new(
            lang.t("fact-network"),
            view! {
                <bdi>{visible(file_name(&network.source))}</bdi>
                {format!(", {}", bytes(network.bytes, lang))}{layers}", "{typing}<br/>
                {digest::full(&network.digest)}
            },
        ),
        Fact::new(lang.t("fact-tensors"), tensors(&network.inputs, &network.outputs, lang)),
        Fact::new("durationMs", times.join(", ")),
        Fact::new(
            lang.t("fact-resources"),
            if resources.is_empty() { NOTHING.to_owned() } else { resources.join(", ") },
        ),
        Fact::new(
            lang.t("fact-times"),
            view! { {moment::inline(summary.started_at, lang)}" – "{moment::inline(summary.finished_at, lang)} },
        ),
    ]
}

fn library(view: &RunView, library: Option<&LibraryRecord>, lang: Lang) -> AnyView {
    let version = short(&view.summary.tensorrt_version, 40);
    let builder = lang.code_text("builder", &code(&view.summary.builder));
    let file = library.map(|library| {
        view! { <br/><code>{visible(file_name(&library.path))}</code>" "{digest::full(&library.digest)} }
    });
    view! { {version}", "{builder}{file} }.into_any()
}

fn tensors(inputs: &[TensorRecord], outputs: &[TensorRecord], lang: Lang) -> AnyView {
    let list = |key: &str, tensors: &[TensorRecord]| {
        let shown = tensors.iter().take(TENSORS).map(|tensor| {
            let dims: Vec<String> = tensor.dims.iter().map(ToString::to_string).collect();
            format!("{} {}[{}]", short(&tensor.name, 60), short(&tensor.dtype, 12), dims.join("×"))
        });
        let mut shown: Vec<String> = shown.collect();
        if tensors.len() > TENSORS {
            shown.push(format!("… {}", count((tensors.len() - TENSORS) as u64, lang)));
        }
        let shown = if shown.is_empty() { NOTHING.to_owned() } else { shown.join(", ") };
        view! { {lang.t(key)}" "<code>{shown}</code> }
    };
    view! { {list("fact-inputs", inputs)}<br/>{list("fact-outputs", outputs)} }.into_any()
}

fn stated(view: &RunView, lang: Lang) -> Vec<Fact> {
    let summary = &view.summary;
    // A build may name a route that nobody could set up; only one that could has a page.
    let route = summary.run.route.as_ref().map(|route| {
        if is_route_name(route) {
            Fact::new("route", view! { <a href=routes::route(route)><code>{route.clone()}</code></a> })
        } else {
            Fact::code("route", route)
        }
    });
    let reason = summary.cancel.as_ref().and_then(|cancel| {
        let reason = cancel.reason.as_ref()?;
        let who = cancel.who.as_ref().map(|who| format!(", {}", short(who, 80)));
        let said = lang.tr("cancel-reason", [("reason", short(reason, 500).into())]);
        Some(Fact::new(lang.t("fact-reason"), view! { {said}{who} }))
    });
    let output = Fact::code(lang.t("fact-output"), &summary.output_path);
    let command = (!summary.command_line.is_empty())
        .then(|| Fact::code(lang.t("fact-command"), &summary.command_line.join(" ")));
    [route, reason, Some(output), command].into_iter().flatten().collect()
}

/// Shows settings and machine.
pub fn settings(view: &RunView, lang: Lang) -> AnyView {
    let summary = &view.summary;
    let set = summary.settings.iter().map(|(name, value)| Fact::code(visible(name), &value.to_string()));
    let profiles = summary.profiles.iter().map(|profile| {
        let dims = |dims: &[i64]| dims.iter().map(ToString::to_string).collect::<Vec<_>>().join("×");
        let shapes = [&profile.min, &profile.opt, &profile.max].map(|shape| dims(shape)).join(" / ");
        Fact::code(format!("{} {}", lang.t("fact-profile"), short(&profile.input, 60)), &shapes)
    });
    let mut settings: Vec<Fact> = set.chain(profiles).collect();
    if settings.is_empty() {
        settings.push(Fact::new(lang.t("fact-settings"), lang.t("settings-default")));
    }
    let host = &summary.host;
    let optional = |value: &Option<String>| value.as_deref().map_or_else(|| NOTHING.to_owned(), visible);
    let mut machine = vec![
        Fact::new(lang.t("fact-os"), visible(&host.os)),
        Fact::new(
            lang.t("fact-kernel"),
            format!("{}, {}", visible(&host.kernel), visible(&host.architecture)),
        ),
        Fact::new(lang.t("fact-cpus"), count(u64::from(host.cpus), lang)),
        Fact::new(lang.t("fact-container"), optional(&host.container)),
        Fact::new(lang.t("fact-driver"), format!("{}, {}", optional(&host.driver), optional(&host.cuda))),
    ];
    if let Some(gpu) = &summary.gpu {
        let text =
            format!("{}, {}, {}", visible(&gpu.name), visible(&gpu.compute_capability), visible(&gpu.uuid));
        machine.push(Fact::new("GPU", text));
    }
    if let Some(parser) = summary.library.as_ref().and_then(|library| library.parser_path.as_ref()) {
        machine.push(Fact::code(lang.t("fact-parser"), parser));
    }
    if let Some(library) = &summary.library {
        machine.push(Fact::code(lang.t("fact-library"), &library.path));
    }
    let groups = vec![
        Group { title: lang.t("settings-builder"), note: lang.t("settings-builder-note"), facts: settings },
        Group { title: lang.t("settings-machine"), note: String::new(), facts: machine },
    ];
    let body = facts(lang.t("section-settings"), groups, lang);
    layout::part("h-settings", lang.t("section-settings"), note(lang.t("settings-note")), body)
}

/// Shows why a run failed; nothing for one that did not.
pub fn failure(view: &RunView, lang: Lang) -> AnyView {
    let Some(failure) = &view.summary.failure else {
        return ().into_any();
    };
    let stage = lang.code_text("stage", &code(&failure.stage));
    let log = view.summary.log.as_ref().map(|log| {
        view! { <p><a href=routes::blob(log.digest)>{lang.t("failure-log")}</a></p> }
    });
    let message = visible(&failure.message);
    let records = (!failure.records.is_empty())
        .then(|| raw(lang.t("failure-records"), &failure.records.join("\n"), lang));
    let body = view! {
        <div class="reason bad"><p lang="en">{message}</p></div>
        {records}{log}
    };
    let where_ = lang.tr("failure-stage", [("stage", stage.into())]);
    layout::part("h-failure", lang.t("section-failure"), note(where_), body.into_any())
}
