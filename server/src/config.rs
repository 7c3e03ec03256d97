//! What the server is told, in one order: a flag, else the environment, else the file, else the default.
//!
//! Each setting has one name. The flag is `--base-url`, the variable `ACTA_BASE_URL`, the file's key `base_url`
//! ([`file`]). `acta-server config show` prints what holds and where it comes from ([`show`]). No setting is a secret:
//! keys and tokens lie in files, and settings name the files.

pub mod file;
pub mod show;

use std::{
    net::{IpAddr, SocketAddr},
    path::PathBuf,
};

use clap::builder::BoolishValueParser;
use ipnet::IpNet;
use tracing_subscriber::EnvFilter;

/// Settings of `acta-server serve`.
#[derive(Debug, Clone, clap::Args)]
pub struct ServeConfig {
    /// Where to listen; port 0 takes a free one.
    #[arg(long, env = "ACTA_LISTEN", default_value = "127.0.0.1:8780")]
    pub listen: SocketAddr,
    /// The server's address as its users write it. Behind a proxy with TLS: `https://acta.example`.
    #[arg(long, env = "ACTA_BASE_URL")]
    pub base_url: Option<String>,
    /// Lets anybody who reaches the server read evidence without signing in. For demos and closed networks.
    #[arg(long, env = "ACTA_PUBLIC_READ", num_args = 0..=1, require_equals = true, default_missing_value = "true",
        default_value = "false", value_parser = BoolishValueParser::new(), action = clap::ArgAction::Set)]
    pub public_read: bool,
    /// The folder with the portal's wasm (`pkg/`). Without it, pages come without scripts.
    #[arg(long, env = "ACTA_SITE_DIR", default_value = "target/site")]
    pub site_dir: PathBuf,
    /// A proxy whose `X-Forwarded-For` counts: an address or a network (`10.0.0.0/8`). Several with commas between.
    /// Nobody else's header is believed.
    #[arg(long = "trusted-proxy", env = "ACTA_TRUSTED_PROXY", value_delimiter = ',', value_parser = parse_network,
        value_name = "NETWORK")]
    pub trusted_proxies: Vec<IpNet>,
    /// A PEM file with the certificate and those between it and the root: the server then speaks TLS itself. Read again
    /// on SIGHUP, and within half a minute after it changed.
    #[arg(long, env = "ACTA_TLS_CERT", value_name = "FILE")]
    pub tls_cert: Option<PathBuf>,
    /// A PEM file with the certificate's private key.
    #[arg(long, env = "ACTA_TLS_KEY", value_name = "FILE")]
    pub tls_key: Option<PathBuf>,
}

impl ServeConfig {
    /// For a command that needs all of the server and answers nobody: a free port of this machine that is never served.
    pub fn nowhere() -> Self {
        Self {
            listen: (std::net::Ipv4Addr::LOCALHOST, 0).into(),
            base_url: None,
            public_read: false,
            site_dir: PathBuf::new(),
            trusted_proxies: Vec::new(),
            tls_cert: None,
            tls_key: None,
        }
    }
}

/// Reads a network; an address alone is the network of just this address.
fn parse_network(text: &str) -> Result<IpNet, String> {
    let network = text.parse().ok().or_else(|| text.parse::<IpAddr>().ok().map(IpNet::from));
    network.ok_or_else(|| "expected an address or a network, as 192.0.2.1 or 10.0.0.0/8".to_owned())
}

/// Where the server keeps everything, and the log's name.
#[derive(Debug, Clone, clap::Args)]
pub struct DataConfig {
    /// The folder with database, blobs and keys.
    #[arg(long, env = "ACTA_DATA_DIR", default_value = "var", global = true)]
    pub data_dir: PathBuf,
    /// The log's name: the address of the log without scheme. Fixed when the log is made.
    #[arg(long, env = "ACTA_ORIGIN", default_value = "acta.localhost/log", global = true)]
    pub origin: String,
    /// The file with the newest tree head that went out; a log that is behind it is not written on. Best on another disk
    /// than the database. Default: `anchor` in the data folder.
    #[arg(long, env = "ACTA_ANCHOR", value_name = "FILE", global = true)]
    pub anchor: Option<PathBuf>,
}

impl DataConfig {
    /// The database file.
    pub fn database(&self) -> PathBuf {
        self.data_dir.join("acta.db")
    }

    /// The folder of the server's keys.
    pub fn keys(&self) -> PathBuf {
        self.data_dir.join("keys")
    }

    /// The anchor file.
    pub fn anchor(&self) -> PathBuf {
        self.anchor.clone().unwrap_or_else(|| self.data_dir.join("anchor"))
    }

    /// The folder of the blobs.
    pub fn blobs(&self) -> PathBuf {
        self.data_dir.join("blobs")
    }
}

/// How the server logs, on standard error.
#[derive(Debug, Clone, clap::Args)]
pub struct LogConfig {
    /// What is logged: levels by part, as `info,sqlx=warn` or `debug`.
    #[arg(long, env = "ACTA_LOG", default_value = "info,sqlx=warn", global = true, value_parser = parse_filter,
        value_name = "FILTER")]
    pub log: String,
    /// Lines for people or JSON for machines.
    #[arg(long, env = "ACTA_LOG_FORMAT", default_value = "text", global = true)]
    pub log_format: LogFormat,
}

/// In which form the server logs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum LogFormat {
    /// A line an event.
    Text,
    /// A JSON object a line.
    Json,
}

fn parse_filter(text: &str) -> Result<String, String> {
    EnvFilter::try_new(text).map(|_| text.to_owned()).map_err(|error| error.to_string())
}
