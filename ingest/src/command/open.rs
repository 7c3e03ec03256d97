//! `acta open`

use std::{
    ffi::OsString,
    process::{Command, Stdio},
};

use acta_ledger::log::digest::Sha256Digest;
use clap::Args;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::json;
use uuid::Uuid;

use super::advise::which;
use crate::{
    error::{CliError, Exit, Result},
    home::Home,
    server::ServerFacts,
    ui::Ui,
};

/// All but what RFC 3986 calls unreserved.
const RESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

const EXAMPLES: &str = "\
Opens the portal's page in the browser: the command in BROWSER (a %s in it becomes the address), else
xdg-open where there is a display. Where there is no browser, or with --print, the address is printed.

Examples:
  acta open last
  acta open 42
  acta open bench/residual
  acta open sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
  acta open 9f86d081 --print
  acta open last --json | jq -r .url";

/// Opens the portal's page of a run, a route or a digest.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Open {
    /// A run (its id, its number, `last`), a route's name, or a digest (at least its first 8 digits).
    #[arg(value_name = "RUN|ROUTE|DIGEST", add = super::completions::runs())]
    what: String,

    /// The server's address; none is the one that this agent is enrolled with.
    #[arg(long, value_name = "URL")]
    server: Option<String>,

    /// Prints the address and opens nothing.
    #[arg(long)]
    print: bool,

    /// Prints one JSON object, and opens nothing.
    #[arg(long)]
    pub json: bool,
}

/// What a page is about.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Page {
    Run(String),
    Route(String),
    Digest(Sha256Digest),
    Search(String),
}

impl Page {
    /// What a name means. A route may be called anything: what looks like a run or a digest is one.
    fn of(text: &str) -> Option<Self> {
        let digits = text.strip_prefix("sha256:").unwrap_or(text);
        let hex = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        if let Ok(run) = text.parse::<Uuid>() {
            return Some(Self::Run(run.to_string()));
        }
        if let Ok(digest) = digits.parse() {
            return Some(Self::Digest(digest));
        }
        let number = text.bytes().all(|byte| byte.is_ascii_digit()) && (1..8).contains(&text.len());
        match text {
            _ if number => Some(Self::Run(text.to_owned())),
            _ if hex && (8..64).contains(&digits.len()) => Some(Self::Search(digits.to_owned())),
            _ if text.starts_with("sha256:") || text.is_empty() => None,
            _ => Some(Self::Route(text.to_owned())),
        }
    }

    fn path(&self) -> String {
        match self {
            Self::Run(run) => format!("/runs/{run}"),
            Self::Route(route) => format!("/routes/{}", utf8_percent_encode(route, RESERVED)),
            Self::Digest(digest) => format!("/d/sha256/{digest}"),
            Self::Search(text) => format!("/search?q={text}"),
        }
    }
}

impl Open {
    /// Runs the command.
    pub fn run(&self, home: &Home, ui: Ui) -> Result<Exit> {
        let page = match self.what.as_str() {
            "last" => Page::Run(which(home, "last")?.to_string()),
            text => Page::of(text).ok_or_else(|| {
                CliError::usage("this names no page")
                    .field("RUN|ROUTE|DIGEST")
                    .found(text)
                    .expected("a run, a route's name, or at least 8 digits of a digest")
            })?,
        };
        let facts = if self.server.is_some() { None } else { ServerFacts::load(home)? };
        let (server, _) = ServerFacts::addressed(self.server.as_deref(), facts)?;
        let url = format!("{server}{}", page.path());
        if self.json {
            ui.result(&json!({ "url": url }).to_string());
        } else if self.print || !opens(&url) {
            ui.result(&url);
        } else {
            ui.notice(&format!("opened {url}"));
        }
        Ok(Exit::Completed)
    }
}

/// Starts a browser; no if there is none.
fn opens(url: &str) -> bool {
    let variable = |name| std::env::var_os(name).filter(|value| !value.is_empty());
    let Some(words) = browser(url, variable("BROWSER"), variable("DISPLAY").or(variable("WAYLAND_DISPLAY")))
    else {
        return false;
    };
    let Some((program, arguments)) = words.split_first() else { return false };
    let mut browser = Command::new(program);
    browser.args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    // A browser may run for as long as it likes: whether it started is all that can be waited for.
    browser.spawn().is_ok()
}

/// The command that shows an address; none where there is no browser. No shell reads it.
fn browser(url: &str, wanted: Option<OsString>, display: Option<OsString>) -> Option<Vec<String>> {
    let Some(wanted) = wanted else {
        return display.map(|_| vec!["xdg-open".to_owned(), url.to_owned()]);
    };
    let wanted = wanted.into_string().ok()?;
    let mut words: Vec<String> = wanted.split_whitespace().map(|word| word.replace("%s", url)).collect();
    if words.is_empty() {
        return None;
    }
    if !wanted.contains("%s") {
        words.push(url.to_owned());
    }
    Some(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_means_one_page() {
        let digest = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";
        for (text, path) in [
            ("42", "/runs/42"),
            ("019ad0c6-2f4e-7c4b-8d3e-0a1b2c3d4e5f", "/runs/019ad0c6-2f4e-7c4b-8d3e-0a1b2c3d4e5f"),
            ("bench/residual", "/routes/bench%2Fresidual"),
            ("señal", "/routes/se%C3%B1al"),
            (digest, &format!("/d/sha256/{digest}")),
            (&format!("sha256:{digest}"), &format!("/d/sha256/{digest}")),
            ("9f86d081", "/search?q=9f86d081"),
            ("sha256:9f86d0818", "/search?q=9f86d0818"),
            // Too short for a digest: it can only be a route.
            ("9f86d0", "/routes/9f86d0"),
        ] {
            assert_eq!(Page::of(text).unwrap().path(), path, "{text}");
        }
        for wrong in ["", "sha256:", "sha256:12", "sha256:xyz"] {
            assert_eq!(Page::of(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn the_browser_is_the_one_that_is_wanted() {
        let url = "http://127.0.0.1:8780/runs/42?a=b&c";
        let some = |text: &str| Some(OsString::from(text));
        let words = |wanted, display| browser(url, wanted, display);
        assert_eq!(words(some("firefox --new-tab"), None).unwrap(), ["firefox", "--new-tab", url]);
        assert_eq!(words(some("w3m -o x=%s"), some(":0")).unwrap(), ["w3m", "-o", &format!("x={url}")]);
        assert_eq!(words(None, some(":0")).unwrap(), ["xdg-open", url]);
        assert_eq!(words(None, None), None);
        assert_eq!(words(some(" "), some(":0")), None);
    }
}
