//! The origin of a login: the browser family and the address block (D-R12).

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// A device as far as it can be distinguished.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Device {
    /// Browser and system, e.g. `Firefox on Linux`.
    pub family: String,
    /// The address, or `unknown`.
    pub address: String,
    /// Its block: /24 or /48.
    pub block: String,
    /// What one client has of it: the address, or /64.
    pub network: String,
    /// The thumbprint of the key that a new session is bound to, if it is.
    pub key: Option<String>,
}

/// Order decides: most browsers name others too.
const BROWSERS: [(&str, &str); 11] = [
    ("Edg", "Edge"),
    ("OPR/", "Opera"),
    ("SamsungBrowser/", "Samsung Internet"),
    ("FxiOS/", "Firefox"),
    ("Firefox/", "Firefox"),
    ("CriOS/", "Chrome"),
    ("HeadlessChrome/", "Chrome"),
    ("Chrome/", "Chrome"),
    ("Safari/", "Safari"),
    ("curl/", "curl"),
    ("PostmanRuntime/", "Postman"),
];
const SYSTEMS: [(&str, &str); 8] = [
    ("Windows", "Windows"),
    ("Android", "Android"),
    ("iPhone", "iOS"),
    ("iPad", "iPadOS"),
    ("Mac OS X", "macOS"),
    ("CrOS", "ChromeOS"),
    ("Linux", "Linux"),
    ("BSD", "BSD"),
];

impl Device {
    /// The device of a call, as the gateway saw it.
    #[must_use]
    pub fn of(address: &str, user_agent: &str) -> Self {
        let address: Option<IpAddr> = address.trim().parse().ok();
        Self {
            family: family(user_agent),
            address: address.map_or_else(|| "unknown".to_owned(), |address| address.to_canonical().to_string()),
            block: address.map_or_else(|| "unknown".to_owned(), block),
            network: address.map_or_else(|| "unknown".to_owned(), network),
            key: None,
        }
    }

    /// What an account knows it by: its key, or else family and block (D-R12).
    #[must_use]
    pub fn place(&self) -> String {
        match &self.key {
            Some(key) => format!("key {key}"),
            None => format!("{} in {}", self.family, self.block),
        }
    }
}

fn family(user_agent: &str) -> String {
    let find =
        |list: &[(&str, &'static str)]| list.iter().find(|(mark, _)| user_agent.contains(mark)).map(|(_, name)| *name);
    match (find(&BROWSERS), find(&SYSTEMS)) {
        (Some(browser), Some(system)) => format!("{browser} on {system}"),
        (Some(browser), None) => browser.to_owned(),
        (None, Some(system)) => format!("Unknown browser on {system}"),
        (None, None) => "Unknown browser".to_owned(),
    }
}

fn block(address: IpAddr) -> String {
    match address.to_canonical() {
        IpAddr::V4(address) => {
            let [a, b, c, _] = address.octets();
            format!("{}/24", Ipv4Addr::new(a, b, c, 0))
        }
        IpAddr::V6(address) => {
            let [a, b, c, ..] = address.segments();
            format!("{}/48", Ipv6Addr::new(a, b, c, 0, 0, 0, 0, 0))
        }
    }
}

fn network(address: IpAddr) -> String {
    match address.to_canonical() {
        IpAddr::V4(address) => address.to_string(),
        IpAddr::V6(address) => {
            let [a, b, c, d, ..] = address.segments();
            format!("{}/64", Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Device;

    /// [D-R12] With a key, the key is the device; one client has a whole /64.
    #[test]
    fn a_key_is_the_device() {
        let device = |address: &str, key: Option<&str>| Device {
            key: key.map(ToOwned::to_owned),
            ..Device::of(address, "Firefox/140.0 Linux")
        };
        assert_eq!(device("203.0.113.7", Some("k")).place(), device("198.51.100.1", Some("k")).place());
        assert_ne!(device("203.0.113.7", Some("k")).place(), device("203.0.113.7", None).place());
        assert_eq!(device("203.0.113.7", None).place(), device("203.0.113.8", None).place());
        assert_eq!(device("203.0.113.7", None).network, "203.0.113.7");
        assert_eq!(device("2001:db8:1:2:3::4", None).network, "2001:db8:1:2::/64");
    }

    /// [D-R12] A device is the family of the browser and the block of the address.
    #[test]
    fn a_device_is_family_and_block() {
        let device =
            Device::of("203.0.113.77", "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0");
        assert_eq!((device.family.as_str(), device.block.as_str()), ("Firefox on Linux", "203.0.113.0/24"));
        let chrome = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36";
        assert_eq!(Device::of("::ffff:203.0.113.9", chrome).block, "203.0.113.0/24");
        assert_eq!(Device::of("", chrome).family, "Chrome on Windows");
        assert_eq!(Device::of("", &format!("{chrome} Edg/141.0")).family, "Edge on Windows");
        let iphone = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Version/18.0 Mobile/15E148 Safari/604.1";
        assert_eq!(Device::of("2001:db8:1:2:3::4", iphone).block, "2001:db8:1::/48");
        assert_eq!(Device::of("", iphone).family, "Safari on iOS");
        let odd = Device::of("not an address", "x");
        assert_eq!(
            (odd.family.as_str(), odd.address.as_str(), odd.block.as_str()),
            ("Unknown browser", "unknown", "unknown")
        );
    }
}
