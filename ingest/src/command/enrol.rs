//! `acta enrol`

use acta_ledger::log::key::{self as ledger_key, PublicKey};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use clap::Args;
use serde_json::json;

use crate::{
    chain,
    client::{Client, Enrolment},
    error::{CliError, Exit, Result},
    home::Home,
    server::{ServerFacts, normal_url, parse_log_key},
    ui::Ui,
};

const EXAMPLES: &str = "\
The agent proves that it holds its key, the server writes the key into the log, and the agent pins the log's
key and the portal's key: from then on nothing signed by other keys is believed.

Examples:
  acta enrol --server https://acta.example --token acta_enrol_...
  ACTA_TOKEN=$(cat token) acta enrol --server http://127.0.0.1:8080";

/// Enrols the agent's key with a server.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Enrol {
    /// The server's address.
    #[arg(long, value_name = "URL")]
    pub server: String,

    /// The token that an administrator made.
    #[arg(long, value_name = "TOKEN", env = "ACTA_TOKEN", hide_env_values = true)]
    pub token: String,

    /// Prints one JSON object.
    #[arg(long)]
    pub json: bool,
}

impl Enrol {
    /// Runs the command.
    pub fn run(&self, home: &Home, ui: Ui) -> Result<Exit> {
        home.create()?;
        let url = normal_url(&self.server)?;
        let (signing, public) = chain::signing_key(home)?;
        let before = ServerFacts::load(home)?;
        if let Some(before) = before.as_ref().filter(|before| before.url != url) {
            return Err(CliError::usage("this agent is enrolled with another server")
                .field("--server")
                .found(url)
                .expected(before.url.clone())
                .help(
                    "an agent's statements form one chain in one log: use another --home for another server",
                ));
        }
        let proof = format!("acta-enrol-v1\n{}\n{}", self.token, public.to_base64());
        let signature = STANDARD.encode(ledger_key::sign(&signing, proof.as_bytes()));
        let enrolment = Client::new(&url, None)
            .enrol(&self.token, &public, &signature)
            .map_err(|error| error.explain("the agent was not enrolled", &url).exit(Exit::Failure))?;
        let facts = facts(url, enrolment, &public, before.as_ref())?;
        facts.save(home)?;
        if self.json {
            ui.result(&public_facts(&facts).to_string());
        } else {
            ui.result(&format!(
                "enrolled    {} as {}\nkey id      {}\nentry       {}\nlog key     {}\nportal key  {}",
                facts.url,
                facts.agent,
                facts.key_id,
                facts.entry,
                facts.log_key,
                facts.portal_key.to_base64()
            ));
        }
        Ok(Exit::Completed)
    }
}

/// What may be shown: everything but the token.
pub fn public_facts(facts: &ServerFacts) -> serde_json::Value {
    json!({
        "server": facts.url,
        "agent": facts.agent,
        "keyId": facts.key_id,
        "entry": facts.entry,
        "origin": facts.origin,
        "logKey": facts.log_key,
        "portalKey": facts.portal_key,
    })
}

fn facts(
    url: String,
    enrolment: Enrolment,
    public: &PublicKey,
    before: Option<&ServerFacts>,
) -> Result<ServerFacts> {
    let wrong = |what: &str, found: String, expected: String| {
        CliError::failure(format!("the server's answer cannot be believed: {what}"))
            .field(url.clone())
            .found(found)
            .expected(expected)
    };
    if enrolment.key_id != public.id() {
        return Err(wrong("it names another key", enrolment.key_id.to_string(), public.id().to_string()));
    }
    let log_key = parse_log_key(&enrolment.log_key)?;
    if log_key.name() != enrolment.origin {
        return Err(wrong("the log's key is not of this log", log_key.name().to_owned(), enrolment.origin));
    }
    if let Some(before) = before {
        let pinned = (before.log_key.clone(), before.portal_key);
        if pinned != (enrolment.log_key.clone(), enrolment.portal_key) {
            return Err(wrong(
                "its keys are not the pinned ones",
                format!("log {}, portal {}", enrolment.log_key, enrolment.portal_key.to_base64()),
                format!("log {}, portal {}", before.log_key, before.portal_key.to_base64()),
            )
            .help("ask the operator why the keys changed; another log needs another --home"));
        }
    }
    Ok(ServerFacts {
        url,
        agent: enrolment.agent,
        key_id: enrolment.key_id,
        entry: enrolment.entry,
        api_token: enrolment.api_token,
        origin: enrolment.origin,
        log_key: enrolment.log_key,
        portal_key: enrolment.portal_key,
    })
}
