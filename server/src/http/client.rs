//! Where a request comes from, when a proxy may stand between.
//!
//! `X-Forwarded-For` is what anybody can write. It counts only if the connection itself comes from a proxy that the
//! operator named, and then from its right end: each proxy appends whom it saw, so the last address that is not a
//! trusted proxy's is the client's, and whatever stands left of it was written by the client.

use std::net::{IpAddr, SocketAddr};

use axum::{
    extract::{ConnectInfo, FromRequestParts},
    http::{HeaderMap, HeaderName, request::Parts},
};
use ipnet::IpNet;

use crate::{error::Problem, startup::AppState};

const FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// The address of whoever asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClientAddress(pub IpAddr);

impl FromRequestParts<AppState> for ClientAddress {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, Problem> {
        let peer = parts.extensions.get::<ConnectInfo<SocketAddr>>().map(|ConnectInfo(address)| address.ip());
        address(&parts.headers, peer, &state.trusted_proxies)
            .map(Self)
            .ok_or_else(|| Problem::internal("a connection without an address"))
    }
}

/// The client's address, given the address that the connection comes from.
pub fn address(headers: &HeaderMap, peer: Option<IpAddr>, trusted: &[IpNet]) -> Option<IpAddr> {
    let mut client = peer?.to_canonical();
    let hops =
        headers.get_all(FORWARDED_FOR).iter().flat_map(|value| value.as_bytes().split(|byte| *byte == b','));
    let hops: Vec<&[u8]> = hops.collect();
    for hop in hops.into_iter().rev() {
        if !trusted.iter().any(|net| net.contains(&client)) {
            break;
        }
        // What is no address was not written by a proxy that we know: the one that passed it on is as far as we see.
        let Some(before) = std::str::from_utf8(hop).ok().and_then(|text| parse(text.trim())) else { break };
        client = before.to_canonical();
    }
    Some(client)
}

/// Reads an address; some proxies write the port as well.
fn parse(text: &str) -> Option<IpAddr> {
    text.parse().ok().or_else(|| text.parse::<SocketAddr>().ok().map(|address| address.ip()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_counts_only_behind_a_trusted_proxy_and_from_its_right_end() {
        let trusted: Vec<IpNet> = ["10.0.0.0/8", "fd00::/8"].map(|net| net.parse().unwrap()).to_vec();
        for (peer, lines, client) in [
            ("192.0.2.1", &["198.51.100.7"][..], "192.0.2.1"),
            ("10.0.0.1", &[], "10.0.0.1"),
            ("10.0.0.1", &["198.51.100.7"], "198.51.100.7"),
            ("10.0.0.1", &["203.0.113.9, 198.51.100.7"], "198.51.100.7"),
            ("10.0.0.1", &["203.0.113.9, 198.51.100.7, 10.0.0.2"], "198.51.100.7"),
            ("10.0.0.1", &["203.0.113.9", "198.51.100.7"], "198.51.100.7"),
            ("10.0.0.1", &["10.0.0.3, 10.0.0.2"], "10.0.0.3"),
            ("10.0.0.1", &["198.51.100.7:4711"], "198.51.100.7"),
            ("10.0.0.1", &["198.51.100.7, unknown"], "10.0.0.1"),
            ("10.0.0.1", &["unknown, 198.51.100.7"], "198.51.100.7"),
            ("10.0.0.1", &[""], "10.0.0.1"),
            ("fd00::1", &["2001:db8::7"], "2001:db8::7"),
            ("fd00::1", &["[2001:db8::7]:443"], "2001:db8::7"),
            ("::ffff:10.0.0.1", &["198.51.100.7"], "198.51.100.7"),
        ] {
            let headers = lines.iter().map(|line| (FORWARDED_FOR, line.parse().unwrap())).collect();
            let found = address(&headers, Some(peer.parse().unwrap()), &trusted);
            assert_eq!(found, Some(client.parse().unwrap()), "{peer} {lines:?}");
            let found = address(&headers, Some(peer.parse().unwrap()), &[]);
            assert_eq!(
                found,
                Some(peer.parse::<IpAddr>().unwrap().to_canonical()),
                "nobody is trusted: {peer}"
            );
        }
        assert_eq!(address(&HeaderMap::new(), None, &trusted), None);
    }
}
