//! The address of the client.

use std::net::{IpAddr, SocketAddr};

use axum::extract::ConnectInfo;
use axum::http::request::Parts;
use ipnet::IpNet;

/// The client's address: that of the peer, or behind trusted proxies the last address that no proxy claims as its own.
#[must_use]
pub fn client_address(parts: &Parts, trusted: &[IpNet]) -> Option<IpAddr> {
    let peer = parts.extensions.get::<ConnectInfo<SocketAddr>>().map(|info| info.0.ip().to_canonical())?;
    let is_trusted = |ip: &IpAddr| trusted.iter().any(|net| net.contains(ip));
    if !is_trusted(&peer) {
        return Some(peer);
    }
    // From the last hop back: each trusted proxy vouches for the one before it, and what stands further left is anybody's.
    let hops = parts.headers.get_all("x-forwarded-for").iter().rev();
    for part in hops.flat_map(|value| value.to_str().unwrap_or_default().rsplit(',')) {
        match part.trim().parse::<IpAddr>().map(|ip| ip.to_canonical()) {
            Ok(ip) if is_trusted(&ip) => {}
            Ok(ip) => return Some(ip),
            Err(_) => break,
        }
    }
    Some(peer)
}

#[cfg(test)]
mod tests {
    use std::net::SocketAddr;

    use axum::extract::ConnectInfo;
    use axum::http::Request;

    use super::client_address;

    /// [D-S8] Only configured proxies may say where a request comes from.
    #[test]
    fn a_forwarded_address_counts_only_from_a_trusted_proxy() {
        let seen = |peer: &str, forwarded: &str, trusted: &[&str]| {
            let peer: SocketAddr = peer.parse().unwrap();
            let request =
                Request::builder().header("x-forwarded-for", forwarded).extension(ConnectInfo(peer)).body(()).unwrap();
            let trusted: Vec<_> = trusted.iter().map(|net| net.parse().unwrap()).collect();
            client_address(&request.into_parts().0, &trusted).unwrap().to_string()
        };
        assert_eq!(seen("198.51.100.7:1", "203.0.113.9", &[]), "198.51.100.7");
        assert_eq!(seen("10.0.0.1:1", "203.0.113.9", &["10.0.0.0/8"]), "203.0.113.9");
        assert_eq!(seen("10.0.0.1:1", "1.1.1.1, 203.0.113.9, 10.0.0.2", &["10.0.0.0/8"]), "203.0.113.9");
        assert_eq!(seen("10.0.0.1:1", "nonsense", &["10.0.0.0/8"]), "10.0.0.1");
    }
}
