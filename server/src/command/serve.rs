//! `acta-server serve`

use acta_server::{
    config::{DataConfig, ServeConfig},
    service,
    startup::Application,
};
use clap::Args;
use tokio::signal::unix::{SignalKind, signal};

const EXAMPLES: &str = "\
Examples:
  acta-server serve
  acta-server --data-dir /srv/acta --origin acta.example/log serve --base-url https://acta.example
  acta-server --config /etc/acta/server.toml serve --log-format json";

/// Serves the API and the portal until it is told to stop (Ctrl-C or SIGTERM).
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Serve {
    #[command(flatten)]
    config: ServeConfig,
}

impl Serve {
    /// Runs the command.
    pub async fn run(&self, data: &DataConfig) -> anyhow::Result<()> {
        let application = Application::build(data, &self.config).await?;
        let head = application.state().log.head().head;
        tracing::info!(
            server.address = %application.address,
            log.origin = %head.origin,
            log.size = head.size,
            "acta-server answers at {}",
            application.state().base_url
        );
        service::ready(application.state());
        tokio::spawn(service::keep_alive(application.state().log.heads()));
        // Listened to even where there is nothing to read again: unheard, it would end the server.
        let hangup = signal(SignalKind::hangup())?;
        if let Some(certificate) = application.certificate() {
            tokio::spawn(certificate.keep_fresh(hangup));
        }
        let (mut interrupt, mut terminate) =
            (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
        application
            .run(async move {
                tokio::select! {
                    _ = interrupt.recv() => {}
                    _ = terminate.recv() => {}
                }
                service::stopping();
                tracing::info!("stopping: open requests are finished first");
            })
            .await
    }
}
