//! Validation of addresses (D-W6): length and characters, and the checksum if the network is known.

mod script;

use std::str::FromStr;

use alloy_primitives::Address as Account;
use miniscript::bitcoin::{Address, Network, WitnessProgram, WitnessVersion};

use super::network::{self, Format};

pub use self::script::{of_account, of_bitcoin_script, script};

/// Why a text is no address that money can be sent to on its network.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InvalidAddress {
    Malformed,
    BitcoinOnTron,
    BitcoinOnEvm,
    EvmOnBitcoin,
    EvmOnTron,
    TronOnBitcoin,
    TronOnEvm,
    /// The tag would be lost.
    Tag,
    Contract,
    Burn,
}

impl InvalidAddress {
    /// What is wrong and what to do, for the field.
    #[must_use]
    pub const fn sentence(self) -> &'static str {
        match self {
            Self::Malformed => "Please enter a valid wallet address",
            Self::BitcoinOnTron => "This is a Bitcoin address, the network is Tron",
            Self::BitcoinOnEvm => "This is a Bitcoin address, the network takes addresses that begin with 0x",
            Self::EvmOnBitcoin => "This is an Ethereum address, the network is Bitcoin",
            Self::EvmOnTron => "This is an Ethereum address, the network is Tron",
            Self::TronOnBitcoin => "This is a Tron address, the network is Bitcoin",
            Self::TronOnEvm => "This is a Tron address, the network takes addresses that begin with 0x",
            Self::Tag => "Please enter the address alone, and its tag in the field for the memo",
            Self::Contract => {
                "This is the contract of a token. What is sent there is lost: please enter your own wallet address"
            }
            Self::Burn => "Nobody can use what is sent to this address: please enter your own wallet address",
        }
    }
}

/// Reads an address of a network as people paste it: alone, in a payment URI or in a link to a block explorer.
///
/// # Errors
/// If it has not 10 to 128 characters, holds blanks or control characters, or fails the network's checksum.
pub fn parse(network: &str, text: &str) -> Result<String, InvalidAddress> {
    let format = network::format(network);
    let address = cleaned(format, text)?;
    let length = address.chars().count();
    let is_plain = |char: char| !(char.is_whitespace() || char.is_control() || matches!(char, '/' | '@' | '?'));
    if !(10..=128).contains(&length) || !address.chars().all(is_plain) {
        return Err(InvalidAddress::Malformed);
    }
    if is_of(format, &address) { Ok(address) } else { Err(misplaced(format, &address)) }
}

fn is_of(format: Format, address: &str) -> bool {
    match format {
        Format::Bitcoin => is_bitcoin(address),
        Format::Evm => is_evm(address),
        Format::Tron => script(format, address).is_some(),
        Format::Other => true,
    }
}

/// Of which other network an address is, if that can be known.
fn misplaced(format: Format, address: &str) -> InvalidAddress {
    let is = |format| is_of(format, address);
    match (format, is(Format::Bitcoin), is(Format::Evm), is(Format::Tron)) {
        (Format::Tron, true, ..) => InvalidAddress::BitcoinOnTron,
        (Format::Evm, true, ..) => InvalidAddress::BitcoinOnEvm,
        (Format::Bitcoin, _, true, _) => InvalidAddress::EvmOnBitcoin,
        (Format::Tron, _, true, _) => InvalidAddress::EvmOnTron,
        (Format::Bitcoin, .., true) => InvalidAddress::TronOnBitcoin,
        (Format::Evm, .., true) => InvalidAddress::TronOnEvm,
        _ => InvalidAddress::Malformed,
    }
}

/// Well-known contracts of tokens, whose addresses people copy from explorers instead of their own; those on networks of
/// [`Format::Evm`] in small letters.
const CONTRACTS: [&str; 12] = [
    // USDT, USDC, DAI and WBTC on Ethereum.
    "0xdac17f958d2ee523a2206206994597c13d831ec7",
    "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48",
    "0x6b175474e89094c44da98b954eedeac495271d0f",
    "0x2260fac5e5542a773aa44fbcfedf7c193bc2c599",
    // USDT and USDC on BNB Smart Chain, Polygon and Arbitrum.
    "0x55d398326f99059ff775485246999027b3197955",
    "0x8ac76a51cc950d9822d68b83fe1ad97b32cd580d",
    "0xc2132d05d31c914a87c6611c10748aeb04b58e8f",
    "0x3c499c542cef5e3811e1192ce70d8cc03d5c3359",
    "0xfd086bc7cd5c481dcc9c85ebe478a1c0b69fcbb9",
    "0xaf88d065e77c8cc2239327c5edb3a432268e5831",
    // USDT and USDC on Tron.
    "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t",
    "TEkxiTehnzSmSe2XqrBj4w32RUN966rdz8",
];
/// Addresses without a key, in the same way.
const BURNS: [&str; 4] = [
    "0x000000000000000000000000000000000000dead",
    "0xdead000000000000000042069420694206942069",
    "1BitcoinEaterAddressDontSendf59kuE",
    "T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb",
];

/// Why an address of a network loses what is sent to it, if that is known.
#[must_use]
pub fn lost(network: &str, address: &str) -> Option<InvalidAddress> {
    let small = address.to_ascii_lowercase();
    let known = if network::format(network) == Format::Evm { small.as_str() } else { address };
    if CONTRACTS.contains(&known) {
        Some(InvalidAddress::Contract)
    } else if BURNS.contains(&known) {
        Some(InvalidAddress::Burn)
    } else {
        None
    }
}

/// The schemes of payment URIs; what begins with another one is no URI, as addresses of Bitcoin Cash and Kaspa.
const SCHEMES: [&str; 13] = [
    "bitcoin",
    "ethereum",
    "tron",
    "solana",
    "litecoin",
    "dogecoin",
    "ripple",
    "xrp",
    "xrpl",
    "stellar",
    "web+stellar",
    "ton",
    "monero",
];
/// Parts of a query without which a payment to a shared address is lost.
const TAGS: [&str; 5] = ["dt", "tag", "memo", "text", "memo_text"];

/// The address in what was pasted, without line breaks and characters that show nothing. Blanks within are removed where a
/// checksum or a length shows whether the rest is an address.
fn cleaned(format: Format, pasted: &str) -> Result<String, InvalidAddress> {
    let is_shown = |char: &char| !is_invisible(*char) && !matches!(char, '\r' | '\n');
    let text: String = pasted.chars().filter(is_shown).collect();
    let text = text.trim();
    let text: String = match format {
        Format::Other => text.to_owned(),
        _ => text.split_whitespace().collect(),
    };
    let (scheme, rest) = text.split_once(':').unwrap_or(("", &text));
    let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
    let scheme = scheme.to_ascii_lowercase();
    if !matches!(scheme.as_str(), "http" | "https") && !SCHEMES.contains(&scheme.as_str()) {
        return Ok(text);
    }
    let values: Vec<_> = query.split('&').filter_map(|part| part.split_once('=')).collect();
    if values.iter().any(|(name, _)| TAGS.contains(&name.to_ascii_lowercase().as_str())) {
        return Err(InvalidAddress::Tag);
    }
    // A URI of a token transfer names its contract, and the recipient in the query.
    if rest.ends_with("/transfer") {
        let recipient = values.iter().find(|(name, _)| *name == "address").map(|(_, value)| (*value).to_owned());
        return recipient.ok_or(InvalidAddress::Malformed);
    }
    // The path of a link ends with the address, which may be followed by a section; the number of a chain follows `@`.
    let parts = || rest.split(['/', '#', '@']).filter(|part| !part.is_empty());
    let stated = parts().map(|part| part.strip_prefix("pay-").unwrap_or(part)).filter(|part| part.len() >= 10);
    let address = if scheme.starts_with("http") {
        let names = ["address", "account", "addr", "wallet", "accounts"];
        let named = parts().zip(parts().skip(1)).find(|(name, _)| names.contains(name));
        named.map(|(_, address)| address)
    } else {
        stated.into_iter().next()
    };
    address.map(str::to_owned).ok_or(InvalidAddress::Malformed)
}

/// Characters that show nothing, or change what is shown around them: two addresses would look alike.
fn is_invisible(char: char) -> bool {
    matches!(char, '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{e0000}'..='\u{e0fff}')
}

/// Of the main network, and no segwit version in which coins can be taken by anybody today: version 0, or version 1 with 32
/// bytes.
fn is_bitcoin(address: &str) -> bool {
    let read = Address::from_str(address).ok().and_then(|address| address.require_network(Network::Bitcoin).ok());
    let is_safe = |program: WitnessProgram| match program.version() {
        WitnessVersion::V0 => true,
        WitnessVersion::V1 => program.program().len() == 32,
        _ => false,
    };
    read.is_some_and(|address| address.witness_program().is_none_or(is_safe))
}

/// With letters of both cases, the case is the checksum of EIP-55. The null address, where coins are lost, is refused.
fn is_evm(address: &str) -> bool {
    let Some(digits) = address.strip_prefix("0x") else { return false };
    let has_checksum = digits != digits.to_ascii_lowercase() && digits != digits.to_ascii_uppercase();
    let read =
        if has_checksum { Account::parse_checksummed(address, None).ok() } else { Account::from_str(address).ok() };
    read.is_some_and(|account| !account.is_zero())
}

#[cfg(test)]
mod tests {
    use super::{InvalidAddress, lost, parse};

    #[track_caller]
    fn accepts(network: &str, addresses: &[&str]) {
        for address in addresses {
            assert_eq!(parse(network, address).as_deref(), Ok(address.trim()), "{network} {address}");
        }
    }

    #[track_caller]
    fn refuses(network: &str, addresses: &[&str]) {
        for address in addresses {
            assert!(parse(network, address).is_err(), "{network} {address:?}");
        }
    }

    /// [D-W6] An address is found in what people paste, and read as strictly as if it had been typed.
    #[test]
    fn an_address_is_found_in_what_is_pasted() {
        const BECH32: &str = "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4";
        const ACCOUNT: &str = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";
        const TRON: &str = "TLnAZ4XWmLqPSWQbLoh7sEBrnn9zv6i312";
        for (network, pasted, address) in [
            ("Bitcoin", format!("bitcoin:{BECH32}?amount=0.005&label=Solvane"), BECH32.to_owned()),
            ("Bitcoin", format!("BITCOIN:{}?AMOUNT=1", BECH32.to_uppercase()), BECH32.to_uppercase()),
            ("Bitcoin", format!("https://mempool.space/address/{BECH32}"), BECH32.to_owned()),
            ("Bitcoin", format!("{}\n{}", &BECH32[..20], &BECH32[20..]), BECH32.to_owned()),
            ("Bitcoin", format!("{} {}", &BECH32[..20], &BECH32[20..]), BECH32.to_owned()),
            ("ERC20", format!("ethereum:{ACCOUNT}@1?value=1e18"), ACCOUNT.to_owned()),
            ("ERC20", format!("ethereum:pay-{ACCOUNT}@1"), ACCOUNT.to_owned()),
            (
                "ERC20",
                format!("ethereum:0xdAC17F958D2ee523a2206206994597C13D831ec7@1/transfer?address={ACCOUNT}&uint256=1"),
                ACCOUNT.to_owned(),
            ),
            ("ERC20", format!("https://etherscan.io/address/{ACCOUNT}#tokentxns"), ACCOUNT.to_owned()),
            ("TRC20", format!("tron:{TRON}?amount=5"), TRON.to_owned()),
            ("TRC20", format!("https://tronscan.org/#/address/{TRON}/transfers"), TRON.to_owned()),
            ("TRC20", format!("\u{feff}{TRON}\u{200b}\r\n"), TRON.to_owned()),
            (
                "Solana",
                "solana:7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV?amount=1".to_owned(),
                "7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV".to_owned(),
            ),
            (
                "Bitcoin Cash",
                "bitcoincash:qpm2qsznhks23z7629mms6s4cwef74vcwvy22gdx6a".to_owned(),
                "bitcoincash:qpm2qsznhks23z7629mms6s4cwef74vcwvy22gdx6a".to_owned(),
            ),
        ] {
            assert_eq!(parse(network, &pasted), Ok(address), "{pasted:?}");
        }
    }

    /// [D-W6] The error says of which network an address is, where that can be known.
    #[test]
    fn an_address_of_another_network_is_named() {
        let (bitcoin, evm) =
            ("bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4", "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed");
        let tron = "TLnAZ4XWmLqPSWQbLoh7sEBrnn9zv6i312";
        for (network, address, reason) in [
            ("Bitcoin", evm, InvalidAddress::EvmOnBitcoin),
            ("Bitcoin", tron, InvalidAddress::TronOnBitcoin),
            ("BEP20", bitcoin, InvalidAddress::BitcoinOnEvm),
            ("ERC20", tron, InvalidAddress::TronOnEvm),
            ("TRC20", bitcoin, InvalidAddress::BitcoinOnTron),
            ("TRC20", evm, InvalidAddress::EvmOnTron),
            ("TRC20", "TLnAZ4XWmLqPSWQbLoh7sEBrnn9zv6i313", InvalidAddress::Malformed),
            ("Solana", "mywallet@phantom", InvalidAddress::Malformed),
            ("Solana", "https://solscan.io/tx/5VfYD", InvalidAddress::Malformed),
            ("XRP", "xrpl:rEb8TK3gBgk5auZkwc6sHnwrGVJH8DuaLh?dt=23", InvalidAddress::Tag),
            ("XRP", "rEb8TK3gBgk5auZkwc6sHnwrGVJH8DuaLh?dt=23", InvalidAddress::Malformed),
        ] {
            assert_eq!(parse(network, address), Err(reason), "{network} {address}");
        }
        assert_eq!(InvalidAddress::EvmOnBitcoin.sentence(), "This is an Ethereum address, the network is Bitcoin");
    }

    /// [D-W6] What is sent to a token's contract or to nobody is lost.
    #[test]
    fn contracts_and_burn_addresses_are_refused() {
        for (network, address, reason) in [
            ("ERC20", "0xdAC17F958D2ee523a2206206994597C13D831ec7", InvalidAddress::Contract),
            ("TRC20", "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t", InvalidAddress::Contract),
            ("ERC20", "0x000000000000000000000000000000000000dEaD", InvalidAddress::Burn),
            ("Polygon", "0xDEAD000000000000000042069420694206942069", InvalidAddress::Burn),
            ("TRC20", "T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb", InvalidAddress::Burn),
            ("Bitcoin", "1BitcoinEaterAddressDontSendf59kuE", InvalidAddress::Burn),
        ] {
            assert_eq!(lost(network, address), Some(reason), "{network} {address}");
        }
    }

    /// [D-W6] Examples of BIP-173, BIP-350 and the genesis block.
    #[test]
    fn bitcoin_addresses_satisfy_their_checksum() {
        accepts(
            "Bitcoin",
            &[
                "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa",
                "3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy",
                "BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4",
                "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4",
                "bc1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3qccfmv3",
                "bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0",
                " 1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa ",
            ],
        );
        refuses(
            "btc",
            &[
                "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNb",
                "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t5",
                "bc1qW508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4",
                // The other checksum for this version (BIP-350).
                "bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqh2y7hd",
                // A later version.
                "BC1SW50QGDZ25J",
                "bc1zw508d6qejxtdg4y5r3zarvaryvaxxpcs",
                // Of the test network.
                "tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx",
                "mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn",
                // Of other networks.
                "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t",
                "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
            ],
        );
    }

    /// [D-W6] Examples of EIP-55.
    #[test]
    fn evm_addresses_satisfy_their_checksum() {
        accepts(
            "ERC20",
            &[
                "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
                "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359",
                "0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB",
                "0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb",
                "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed",
                "0x5AAEB6053F3E94C9B9A09F33669435E7EF1BEAED",
            ],
        );
        refuses(
            "Polygon",
            &[
                "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD",
                "0x5aaeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
                "5aaeb6053f3e94c9b9a09f33669435e7ef1beaed",
                "0X5aaeb6053f3e94c9b9a09f33669435e7ef1beaed",
                "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beae",
                "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaedd",
                "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaeg",
                "0x0000000000000000000000000000000000000000",
                "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t",
            ],
        );
    }

    /// [D-W6] Base58check with the prefix of Tron.
    #[test]
    fn tron_addresses_satisfy_their_checksum() {
        accepts("TRC20", &["TLnAZ4XWmLqPSWQbLoh7sEBrnn9zv6i312", "TFnPL6nwMz5dugbjUJroEo6oZhmpgthdXk"]);
        refuses(
            "Tron",
            &[
                "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6T",
                "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6",
                "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa",
                "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
            ],
        );
    }

    /// [D-W6] [WDR-03] Of an unknown network an address has 10 to 128 visible characters.
    #[test]
    fn other_addresses_are_checked_for_their_form() {
        accepts("Solana", &["7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV", "1234567890", &"a".repeat(128)]);
        refuses(
            "Solana",
            &["123456789", "", "          ", &"a".repeat(129), "12345 67890", "1234567890\u{0}1", "12345\t67890"],
        );
    }
}
