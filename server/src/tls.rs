//! TLS of our own, for a server without a proxy: rustls with the ring provider, as everywhere here.
//!
//! The certificate is read again when it was renewed. Connections that are open keep the one they began with; a file
//! that cannot be used leaves the one before it in use, and the log says so.

use std::{
    net::SocketAddr,
    path::PathBuf,
    sync::{Arc, PoisonError, RwLock},
    time::{Duration, SystemTime},
};

use anyhow::Context as _;
use axum::serve::Listener;
use tokio::{
    net::{TcpListener, TcpStream},
    signal::unix::Signal,
    task::JoinSet,
};
use tokio_rustls::{
    TlsAcceptor,
    rustls::{
        ServerConfig,
        crypto::ring,
        pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject as _},
    },
    server::TlsStream,
};

/// How long a client may take for its handshake.
const HANDSHAKE: Duration = Duration::from_secs(10);

/// Handshakes at once; while there are as many, no connection is accepted.
const HANDSHAKES: usize = 256;

/// How often the files are looked at.
const LOOK: Duration = Duration::from_secs(30);

/// A certificate with its key, and the files that they come from.
pub struct Certificate {
    cert: PathBuf,
    key: PathBuf,
    loaded: RwLock<Loaded>,
}

#[derive(Clone)]
struct Loaded {
    config: Arc<ServerConfig>,
    modified: [Option<SystemTime>; 2],
}

impl Certificate {
    /// Reads both files.
    ///
    /// # Errors
    ///
    /// If a file cannot be read, or the key is not the certificate's; the message names the file.
    pub fn open(cert: PathBuf, key: PathBuf) -> anyhow::Result<Self> {
        let loaded = RwLock::new(load(&cert, &key)?);
        Ok(Self { cert, key, loaded })
    }

    /// Reads both files again; on an error the certificate before stays in use.
    ///
    /// # Errors
    ///
    /// As for [`Certificate::open`].
    pub fn reload(&self) -> anyhow::Result<()> {
        let loaded = load(&self.cert, &self.key)?;
        *self.loaded.write().unwrap_or_else(PoisonError::into_inner) = loaded;
        Ok(())
    }

    /// Reads the files again whenever they changed, and when told to; never ends.
    pub async fn keep_fresh(self: Arc<Self>, mut told: Signal) {
        let mut refused = None;
        loop {
            let forced = tokio::select! {
                _ = told.recv() => true,
                () = tokio::time::sleep(LOOK) => false,
            };
            let now = modified(&self.cert, &self.key);
            // A file that was refused is refused once, not every half minute.
            if !forced && (now == self.now().modified || Some(now) == refused) {
                continue;
            }
            match self.reload() {
                Ok(()) => tracing::info!(tls.cert = %self.cert.display(), "the certificate was read again"),
                Err(error) => {
                    refused = Some(now);
                    tracing::error!(
                        cause = format!("{error:#}"),
                        "the certificate cannot be read again; the one before stays in use"
                    );
                }
            }
        }
    }

    fn now(&self) -> Loaded {
        self.loaded.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

fn load(cert: &PathBuf, key: &PathBuf) -> anyhow::Result<Loaded> {
    // Before the content: a file that changes meanwhile is read again.
    let modified = modified(cert, key);
    let unusable = || format!("{} holds no certificates in PEM", cert.display());
    let chain: Vec<_> =
        CertificateDer::pem_file_iter(cert).and_then(Iterator::collect).with_context(unusable)?;
    anyhow::ensure!(!chain.is_empty(), unusable());
    let private = PrivateKeyDer::from_pem_file(key)
        .with_context(|| format!("{} holds no private key in PEM", key.display()))?;
    let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()?
        .with_no_client_auth()
        .with_single_cert(chain, private)
        .with_context(|| format!("{} and {} do not go together", cert.display(), key.display()))?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(Loaded { config: Arc::new(config), modified })
}

fn modified(cert: &PathBuf, key: &PathBuf) -> [Option<SystemTime>; 2] {
    [cert, key].map(|path| std::fs::metadata(path).and_then(|file| file.modified()).ok())
}

/// Accepts connections and shakes hands with many clients at once: one that says nothing holds up nobody else.
pub struct TlsListener {
    tcp: TcpListener,
    certificate: Arc<Certificate>,
    handshakes: JoinSet<Option<(TlsStream<TcpStream>, SocketAddr)>>,
}

impl TlsListener {
    /// Speaks TLS on what listens already.
    pub fn new(tcp: TcpListener, certificate: Arc<Certificate>) -> Self {
        Self { tcp, certificate, handshakes: JoinSet::new() }
    }
}

impl Listener for TlsListener {
    type Io = TlsStream<TcpStream>;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Self::Io, Self::Addr) {
        loop {
            let room = self.handshakes.len() < HANDSHAKES;
            tokio::select! {
                (stream, address) = Listener::accept(&mut self.tcp), if room => {
                    let acceptor = TlsAcceptor::from(self.certificate.now().config);
                    self.handshakes.spawn(async move {
                        match tokio::time::timeout(HANDSHAKE, acceptor.accept(stream)).await {
                            Ok(Ok(stream)) => Some((stream, address)),
                            Ok(Err(error)) => {
                                tracing::debug!(client.address = %address, cause = %error, "a handshake failed");
                                None
                            }
                            Err(_) => None,
                        }
                    });
                }
                Some(done) = self.handshakes.join_next() => {
                    if let Ok(Some(connected)) = done {
                        return connected;
                    }
                }
            }
        }
    }

    fn local_addr(&self) -> std::io::Result<SocketAddr> {
        self.tcp.local_addr()
    }
}
