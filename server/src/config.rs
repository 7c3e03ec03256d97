//! What the server is told: flags, then environment, then defaults.

use std::{net::SocketAddr, path::PathBuf};

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
    #[arg(long, env = "ACTA_PUBLIC_READ")]
    pub public_read: bool,
    /// The folder with the portal's wasm (`pkg/`). Without it, pages come without scripts.
    #[arg(long, env = "ACTA_SITE_DIR", default_value = "target/site")]
    pub site_dir: PathBuf,
}

impl ServeConfig {
    /// For a command that needs all of the server and answers nobody: a free port of this machine that is never served.
    pub fn nowhere() -> Self {
        Self {
            listen: (std::net::Ipv4Addr::LOCALHOST, 0).into(),
            base_url: None,
            public_read: false,
            site_dir: PathBuf::new(),
        }
    }
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

    /// The folder of the blobs.
    pub fn blobs(&self) -> PathBuf {
        self.data_dir.join("blobs")
    }
}
