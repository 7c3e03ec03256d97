//! From settings to a running server; tests take the same way as `main`.

use std::{
    fs::File, net::SocketAddr, num::NonZeroUsize, ops::Deref, path::PathBuf, sync::Arc, time::Duration,
};

use acta_ledger::{
    evidence::build::BuildSummary,
    judge::advice::Advice,
    log::{digest::Sha256Digest, verification::Trust},
};
use anyhow::{Context as _, bail};
use ipnet::IpNet;
use leptos::config::LeptosOptions;
use tokio::{net::TcpListener, sync::watch, task::JoinHandle};

use crate::{
    account::Waiting,
    activity::Activity,
    assets::Assets,
    auth::token::Tokens,
    blob::BlobStore,
    config::{DataConfig, ServeConfig},
    db::Database,
    http::{
        connection::{Limits, bind, serve},
        limit::SignInLimit,
        router,
    },
    keys::Keys,
    live::Hub,
    log::{reader::LogReader, writer::LogWriter},
    metrics::Metrics,
    projection,
    remembered::Remembered,
    route::Event,
    store::run::kind::Kinds,
    tls::{Certificate, TlsListener},
    views::Views,
};

/// Build summaries that are remembered: about 6 KB each.
const SUMMARIES: NonZeroUsize = NonZeroUsize::new(4_096).expect("not zero");
/// Entries of routes that are remembered.
const EVENTS: NonZeroUsize = NonZeroUsize::new(8_192).expect("not zero");
/// Runs whose advice is remembered.
const ADVICE: NonZeroUsize = NonZeroUsize::new(1_024).expect("not zero");

/// What every request can reach.
pub struct Shared {
    /// Where everything is kept.
    pub data: DataConfig,
    /// The database.
    pub database: Database,
    /// The blobs.
    pub blobs: BlobStore,
    /// The server's keys.
    pub keys: Arc<Keys>,
    /// Their public halves.
    pub trust: Trust,
    /// Writes the log.
    pub log: LogWriter,
    /// Reads it.
    pub reader: LogReader,
    /// Whether evidence may be read by anybody.
    pub public_read: bool,
    /// Whether users reach the server through TLS.
    pub tls: bool,
    /// The server's address as its users write it.
    pub base_url: String,
    /// Style sheets and wasm.
    pub assets: Assets,
    /// Tokens that wait to be shown once.
    pub waiting: Waiting,
    /// Held by whoever adds evidence that names blobs; taken alone by a purge.
    pub retention: tokio::sync::RwLock<()>,
    /// Builds that run.
    pub live: Arc<Hub>,
    /// Who holds a token.
    pub tokens: Tokens,
    /// Sign-in attempts.
    pub sign_in: SignInLimit,
    /// Proxies whose word on a client's address counts.
    pub trusted_proxies: Vec<IpNet>,
    /// The kinds of runs.
    pub kinds: Kinds,
    /// Build summaries, by their entries.
    pub summaries: Remembered<(BuildSummary, Sha256Digest)>,
    /// What concerns routes, by entries.
    pub events: Remembered<Event>,
    /// Advice on runs, by the entries of their summaries.
    pub advice: Remembered<Advice>,
    /// What pages show of the whole log.
    pub views: Views,
    /// What agents signed.
    pub activity: Activity,
    /// What is counted.
    pub metrics: Metrics,
    /// What leptos wants to know.
    pub leptos: LeptosOptions,
}

/// A handle to [`Shared`].
#[derive(Clone)]
pub struct AppState(Arc<Shared>);

impl Deref for AppState {
    type Target = Shared;

    fn deref(&self) -> &Shared {
        &self.0
    }
}

impl axum::extract::FromRef<AppState> for LeptosOptions {
    fn from_ref(state: &AppState) -> Self {
        state.leptos.clone()
    }
}

/// The folder's lock, its keys and its database: what every command works on.
pub struct Ground {
    /// The database, its schema up to date.
    pub database: Database,
    /// The server's keys.
    pub keys: Arc<Keys>,
    _lock: File,
}

impl Ground {
    /// Opens the folder for one process at a time (two writers could sign two trees), its projections this program's.
    pub async fn open(data: &DataConfig) -> anyhow::Result<Self> {
        let ground = Self::open_with(data, true).await?;
        projection::upgrade::catch_up(&ground.database, &ground.keys.trust()).await?;
        Ok(ground)
    }

    /// Opens the folder beside a running server, for changes of accounts and tokens only.
    pub async fn open_beside(data: &DataConfig) -> anyhow::Result<Self> {
        Self::open_with(data, false).await
    }

    async fn open_with(data: &DataConfig, alone: bool) -> anyhow::Result<Self> {
        let folder = data.data_dir.display();
        std::fs::create_dir_all(&data.data_dir)
            .with_context(|| format!("cannot make the folder {folder}"))?;
        let lock = File::create(data.data_dir.join("lock")).context("cannot make the lock file")?;
        if alone && lock.try_lock().is_err() {
            bail!("another acta-server works on {folder}: stop it first");
        }
        // Until its end: two who make the same keys or the same tables at once get in each other's way.
        let _opening = opening(data.data_dir.clone()).await?;
        let keys = Arc::new(Keys::open(&data.keys(), &data.origin)?);
        let database = Database::open(&data.database()).await?;
        Ok(Self { database, keys, _lock: lock })
    }
}

/// Waits until nobody else opens the folder, and keeps others from it until what this gives is dropped.
async fn opening(folder: PathBuf) -> anyhow::Result<File> {
    let lock = move || {
        let locked = File::open(&folder).and_then(|open| open.lock().map(|()| open));
        locked.with_context(|| format!("cannot lock the folder {}", folder.display()))
    };
    tokio::task::spawn_blocking(lock).await?
}

/// A server that listens.
pub struct Application {
    /// Where it listens.
    pub address: SocketAddr,
    state: AppState,
    listener: TcpListener,
    writer: JoinHandle<()>,
    ground: Ground,
    certificate: Option<Arc<Certificate>>,
}

/// How long open requests may take once the server stops. What is not answered by then was not promised to anybody.
const DRAIN: Duration = Duration::from_secs(30);

impl Application {
    /// Opens everything and begins to listen; answers from [`Application::run`] on.
    pub async fn build(data: &DataConfig, serve: &ServeConfig) -> anyhow::Result<Self> {
        // Leptos renders on whatever runtime it is told; it can be told once, and tests build several applications.
        let _ = any_spawner::Executor::init_tokio();
        crate::backup::refuse_unanchored(data)?;
        let ground = Ground::open(data).await?;
        let listener = bind(serve.listen).await.with_context(|| {
            format!("cannot listen on {}: is another server running there?", serve.listen)
        })?;
        let address = listener.local_addr()?;
        let metrics = Metrics::default();
        let (log, writer) =
            LogWriter::start(&ground.database, ground.keys.clone(), data.anchor(), metrics.log()).await?;
        let certificate = certificate(serve)?.map(Arc::new);
        let base_url = base_url(serve, address)?;
        let state = AppState(Arc::new(Shared {
            data: data.clone(),
            reader: LogReader::new(ground.database.read.clone()),
            database: ground.database.clone(),
            blobs: BlobStore::local(&data.blobs())?,
            trust: ground.keys.trust(),
            keys: ground.keys.clone(),
            log,
            public_read: serve.public_read,
            tls: base_url.starts_with("https://"),
            base_url,
            assets: Assets::open(&serve.site_dir),
            waiting: Waiting::default(),
            retention: tokio::sync::RwLock::default(),
            live: Arc::default(),
            tokens: Tokens::start(ground.database.clone()),
            trusted_proxies: serve.trusted_proxies.clone(),
            kinds: Kinds::default(),
            summaries: Remembered::new(SUMMARIES),
            events: Remembered::new(EVENTS),
            advice: Remembered::new(ADVICE),
            views: Views::default(),
            activity: Activity::default(),
            metrics,
            sign_in: SignInLimit::default(),
            leptos: LeptosOptions::builder().output_name("acta_app").site_pkg_dir("pkg").build(),
        }));
        Ok(Self { address, state, listener, writer, ground, certificate })
    }

    /// What requests reach; for tests.
    pub fn state(&self) -> &AppState {
        &self.state
    }

    /// The certificate, where the server speaks TLS itself.
    pub fn certificate(&self) -> Option<Arc<Certificate>> {
        self.certificate.clone()
    }

    /// Answers requests until `stop` comes, then finishes the open ones (for half a minute at most), commits what the
    /// log's writer has taken and closes the database.
    pub async fn run(self, stop: impl Future<Output = ()> + Send + 'static) -> anyhow::Result<()> {
        let live = Arc::clone(&self.state.live);
        let (stopping, mut stops) = watch::channel(false);
        let begun = async move {
            stop.await;
            // Streams and channels never end by themselves; whoever holds one would hold the whole server.
            live.close();
            stopping.send_replace(true);
        };
        let (listener, router) = (self.listener, router::router(self.state));
        let (limits, certificate) = (Limits::of_this_process(), self.certificate);
        let serving = async move {
            match certificate {
                Some(certificate) => {
                    serve(TlsListener::new(listener, certificate), router, limits, begun).await;
                }
                None => serve(listener, router, limits, begun).await,
            }
        };
        let overdue = async move {
            // The sender goes after it has said so.
            let _ = stops.wait_for(|stops| *stops).await;
            tokio::time::sleep(DRAIN).await;
        };
        let finished = tokio::select! {
            () = serving => true,
            () = overdue => false,
        };
        if finished {
            // With the router gone nobody can reach the writer any more; it commits what waits and ends.
            self.writer.await.context("the log's writer failed")?;
        } else {
            tracing::warn!(
                drain_s = DRAIN.as_secs(),
                "requests are still open and are not waited for any longer"
            );
        }
        self.ground.database.close().await;
        Ok(())
    }
}

fn certificate(serve: &ServeConfig) -> anyhow::Result<Option<Certificate>> {
    match (&serve.tls_cert, &serve.tls_key) {
        (Some(cert), Some(key)) => Certificate::open(cert.clone(), key.clone()).map(Some),
        (None, None) => Ok(None),
        (Some(_), None) => bail!("tls_cert is set and tls_key is not: TLS needs both"),
        (None, Some(_)) => bail!("tls_key is set and tls_cert is not: TLS needs both"),
    }
}

/// The server's address as its users write it; where nobody says so, the one it listens on.
fn base_url(serve: &ServeConfig, address: SocketAddr) -> anyhow::Result<String> {
    let tls = serve.tls_cert.is_some();
    let Some(given) = &serve.base_url else {
        return Ok(format!("{}://{address}", if tls { "https" } else { "http" }));
    };
    let Some((scheme, host)) =
        given.split_once("://").filter(|(scheme, _)| matches!(*scheme, "http" | "https"))
    else {
        bail!("base_url: found {given:?}, expected https://HOST");
    };
    if host.contains('@') {
        bail!(
            "base_url: a user name or password stands in it, and every page would show it; expected https://HOST"
        );
    }
    if tls && scheme == "http" {
        bail!("base_url: found {given:?}, but tls_cert is set: expected https://HOST");
    }
    Ok(given.trim_end_matches('/').to_owned())
}
