//! A server that speaks TLS, gets a new certificate and is told to stop.

use std::{
    io::{Read as _, Write as _},
    net::TcpStream,
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};

use rcgen::{CertifiedKey, generate_simple_self_signed};
use tokio_rustls::rustls::{
    ClientConfig, ClientConnection, RootCertStore, StreamOwned,
    crypto::ring,
    pki_types::{CertificateDer, ServerName},
};

use crate::process::{Server, program};

/// Asks for a path, trusting this certificate and no other.
fn get(server: &Server, path: &str, trusted: &CertificateDer<'static>) -> std::io::Result<String> {
    let mut roots = RootCertStore::empty();
    roots.add(trusted.clone()).unwrap();
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    let name = ServerName::try_from("acta.test").unwrap();
    let client = ClientConnection::new(Arc::new(config), name).unwrap();
    let mut stream = StreamOwned::new(client, TcpStream::connect(server.address)?);
    write!(stream, "GET {path} HTTP/1.1\r\nhost: acta.test\r\nconnection: close\r\n\r\n")?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    Ok(answer)
}

fn certificate(folder: &Path) -> CertificateDer<'static> {
    let CertifiedKey { cert, signing_key } = generate_simple_self_signed(["acta.test".to_owned()]).unwrap();
    std::fs::write(folder.join("cert.pem"), cert.pem()).unwrap();
    std::fs::write(folder.join("key.pem"), signing_key.serialize_pem()).unwrap();
    cert.der().clone()
}

#[test]
fn a_server_speaks_tls_takes_a_new_certificate_and_stops_in_order() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let first = certificate(folder);
    let mut server = Server::start(folder, &["--tls-cert=cert.pem", "--tls-key=key.pem"]);
    // Somebody who connects and says nothing holds up nobody.
    let _silent = TcpStream::connect(server.address).unwrap();
    let answer = get(&server, "/readyz", &first).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200 OK") && answer.contains("\"ready\":true"), "{answer}");
    assert!(answer.contains("strict-transport-security: max-age=31536000"), "{answer}");

    std::fs::write(folder.join("key.pem"), "not a key").unwrap();
    server.signal("-HUP");
    let refused = server.wait_for("cannot be read again");
    assert!(refused["cause"].as_str().unwrap().contains("key.pem"), "{refused}");
    assert!(get(&server, "/healthz", &first).unwrap().ends_with("ok\n"), "the one before stays in use");

    let second = certificate(folder);
    server.signal("-HUP");
    server.wait_for("was read again");
    assert!(get(&server, "/healthz", &second).unwrap().ends_with("ok\n"));
    assert!(get(&server, "/healthz", &first).is_err(), "the first certificate is gone");

    let told = Instant::now();
    server.signal("-TERM");
    server.wait_for("stopping");
    server.ended();
    assert!(told.elapsed() < Duration::from_secs(30), "nothing was open that had to be waited for");
    assert!(!folder.join("var/acta.db-wal").exists(), "the write-ahead log is folded into the database");
}

#[test]
fn half_of_tls_and_an_address_without_it_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    certificate(folder.path());
    for (flags, problem) in [
        (&["--tls-cert=cert.pem"][..], "tls_cert is set and tls_key is not"),
        (&["--tls-key=key.pem"], "tls_key is set and tls_cert is not"),
        (&["--tls-cert=key.pem", "--tls-key=key.pem"], "key.pem holds no certificates in PEM"),
        (&["--tls-cert=cert.pem", "--tls-key=cert.pem"], "cert.pem holds no private key in PEM"),
        (
            &["--tls-cert=cert.pem", "--tls-key=key.pem", "--base-url=http://acta.test"],
            "expected https://HOST",
        ),
        (&["--base-url=acta.test"], "base_url: found \"acta.test\", expected https://HOST"),
        (&["--base-url=https://user:hunter2@acta.test"], "a user name or password stands in it"),
    ] {
        let mut command = program(folder.path());
        let output = command.args(["serve", "--listen=127.0.0.1:0"]).args(flags).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && said.contains(problem), "{flags:?}: {said}");
        assert!(!said.contains("hunter2"), "{said}");
    }
}
