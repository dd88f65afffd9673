//! The networks whose addresses and transaction hashes can be validated, with their common names.

/// How a network writes its addresses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Base58check (P2PKH, P2SH) or segwit (bech32, bech32m).
    Bitcoin,
    /// `0x` and 40 hexadecimal digits, whose case is a checksum.
    Evm,
    /// Base58check with the prefix byte 0x41.
    Tron,
    /// Unknown: only length and characters can be checked.
    Other,
}

/// Names of one network, squashed; the first is its own. Names with a coin in them (`usdterc20`) are not guessed.
const KNOWN: [(Format, &[&str]); 12] = [
    (
        Format::Bitcoin,
        &[
            "bitcoin",
            "btc",
            "bitcoinnetwork",
            "bitcoinmainnet",
            "bitcoinbtc",
            "btcbitcoin",
            "bitcoinsegwit",
            "btcsegwit",
            "segwit",
            "nativesegwit",
            "taproot",
            "bitcointaproot",
        ],
    ),
    (
        Format::Evm,
        &[
            "ethereum",
            "erc20",
            "eth",
            "ethereumerc20",
            "ethereumnetwork",
            "ethereummainnet",
            "etherc20",
            "erc20ethereum",
            "ethereumeth",
        ],
    ),
    (
        Format::Evm,
        &[
            "bnbsmartchain",
            "bep20",
            "bsc",
            "bnb",
            "bnbchain",
            "binancesmartchain",
            "bnbsmartchainbep20",
            "bscbep20",
            "bep20bsc",
            "binancesmartchainbep20",
            "binancesmartchainbsc",
            "bnbchainbep20",
        ],
    ),
    (Format::Evm, &["polygon", "matic", "pol", "polygonpos", "polygonmatic", "polygonpol", "maticpolygon"]),
    (Format::Evm, &["arbitrum", "arbitrumone", "arb", "arbone"]),
    (Format::Evm, &["optimism", "op", "opmainnet", "optimismop"]),
    (Format::Evm, &["base", "basemainnet"]),
    (Format::Evm, &["avalanche", "avalanchec", "avalanchecchain", "avax", "avaxc", "avaxcchain", "cchain"]),
    (Format::Evm, &["linea"]),
    (Format::Evm, &["fantom", "ftm", "fantomopera"]),
    (Format::Evm, &["gnosis", "gnosischain", "xdai"]),
    (Format::Tron, &["tron", "trc20", "trx", "trontrc20", "trc20tron", "trxtrc20", "tronnetwork"]),
];

/// How the network of this name writes its addresses.
#[must_use]
pub fn format(name: &str) -> Format {
    known(&squashed(name)).map_or(Format::Other, |(format, _)| *format)
}

/// The name of a chain in texts.
#[must_use]
pub fn title(chain: &str) -> &str {
    match chain {
        "bitcoin" => "Bitcoin",
        "ethereum" => "Ethereum",
        "tron" => "Tron",
        other => other,
    }
}

/// The chain that the network of this name is on, by its own name; `None` if it is unknown.
#[must_use]
pub fn chain(name: &str) -> Option<&'static str> {
    known(&squashed(name)).and_then(|(_, names)| names.first().copied())
}

/// Whether two names mean one network.
#[must_use]
pub fn same(one: &str, other: &str) -> bool {
    let canonical = |name: &str| {
        let squashed = squashed(name);
        known(&squashed).and_then(|(_, names)| names.first()).map_or(squashed, |name| (*name).to_owned())
    };
    canonical(one) == canonical(other)
}

/// All known names, without case, blanks and punctuation, each with the name of its chain.
pub fn names() -> impl Iterator<Item = (&'static str, &'static str)> {
    KNOWN.iter().flat_map(|(_, names)| names.iter().filter_map(|name| Some((*name, *names.first()?))))
}

/// Without case, blanks and punctuation: `TRC-20` and `trc 20` are one.
fn squashed(name: &str) -> String {
    name.chars().filter(|char| char.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

fn known(squashed: &str) -> Option<&'static (Format, &'static [&'static str])> {
    KNOWN.iter().find(|(_, names)| names.contains(&squashed))
}

#[cfg(test)]
mod tests {
    use super::{Format, KNOWN, format, same};

    /// [D-W6] A network is known under the names people give it, and a namesake is not taken for it.
    #[test]
    fn networks_are_known_without_regard_to_case_and_blanks() {
        for name in ["Bitcoin", "BTC", " bit coin ", "Bitcoin (SegWit)"] {
            assert_eq!(format(name), Format::Bitcoin, "{name}");
        }
        for name in ["ERC20", "erc-20", "Ethereum (ERC20)", "BEP20", "BNB Smart Chain", "Polygon", "Arbitrum One"] {
            assert_eq!(format(name), Format::Evm, "{name}");
        }
        for name in ["TRC20", "trc 20", "TRON", "Tron (TRC20)"] {
            assert_eq!(format(name), Format::Tron, "{name}");
        }
        for name in ["Bitcoin Cash", "Litecoin", "Solana", "TON", "BEP2", ""] {
            assert_eq!(format(name), Format::Other, "{name}");
        }
    }

    #[test]
    fn two_names_of_one_network_are_the_same() {
        assert!(same("ERC20", "Ethereum"));
        assert!(same("Solana", " SOLANA"));
        assert!(!same("ERC20", "BEP20"));
        assert!(!same("Solana", "TON"));
    }

    #[test]
    fn no_name_means_two_networks() {
        let names: Vec<_> = KNOWN.iter().flat_map(|(_, names)| names.iter()).collect();
        for name in &names {
            assert_eq!(names.iter().filter(|other| other == &name).count(), 1, "{name}");
        }
    }
}
