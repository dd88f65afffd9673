//! What chains compare instead of the texts of addresses.

use std::str::FromStr;

use alloy_primitives::hex;
use miniscript::bitcoin::{Address, Network, ScriptBuf};

use crate::domain::network::Format;

/// The version byte of an address of Tron.
const TRON: u8 = 0x41;

/// What a chain compares instead of the text of an address, in hexadecimal digits: the script on Bitcoin, so that the
/// addresses of its test networks are those of the main network; the 20 bytes of an account elsewhere.
#[must_use]
pub fn script(format: Format, address: &str) -> Option<String> {
    match format {
        Format::Bitcoin => Some(Address::from_str(address).ok()?.assume_checked().script_pubkey().to_hex_string()),
        Format::Evm => address.strip_prefix("0x").filter(|digits| digits.len() == 40).map(str::to_ascii_lowercase),
        Format::Tron => {
            let bytes = bs58::decode(address).with_check(Some(TRON)).into_vec().ok()?;
            bytes.get(1..).filter(|account| account.len() == 20).map(hex::encode)
        }
        Format::Other => None,
    }
}

/// The address on the main network of a Bitcoin script in hexadecimal digits; `None` for a script without one.
#[must_use]
pub fn of_bitcoin_script(script: &str) -> Option<String> {
    let script = ScriptBuf::from_hex(script).ok()?;
    Address::from_script(&script, Network::Bitcoin).ok().map(|address| address.to_string())
}

/// An account of 20 bytes in hexadecimal digits, as its chain writes it.
#[must_use]
pub fn of_account(format: Format, digits: &str) -> Option<String> {
    match format {
        Format::Evm => Some(format!("0x{digits}")),
        Format::Tron => {
            let account = hex::decode(digits).ok()?;
            Some(bs58::encode(account).with_check_version(TRON).into_string())
        }
        Format::Bitcoin | Format::Other => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{of_account, of_bitcoin_script, script};
    use crate::domain::network::Format;

    /// [D-Q4] Cases 7 and 16: scripts of the examples of BIP-173 and BIP-350; a T-address is 20 bytes, and back.
    #[test]
    fn scripts_are_what_chains_compare() {
        for (address, expected) in [
            ("bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4", "0014751e76e8199196d454941c45d1b3a323f1433bd6"),
            ("BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4", "0014751e76e8199196d454941c45d1b3a323f1433bd6"),
            ("bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080", "0014751e76e8199196d454941c45d1b3a323f1433bd6"),
            (
                "bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0",
                "512079be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798",
            ),
            ("1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa", "76a91462e907b15cbf27d5425399ebf6f0fb50ebb88f1888ac"),
            ("3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy", "a914b472a266d0bd89c13706a4132ccfb16f7c3b9fcb87"),
        ] {
            assert_eq!(script(Format::Bitcoin, address).as_deref(), Some(expected), "{address}");
            // Written as on the main network, and in small letters if case does not matter.
            let text = of_bitcoin_script(expected).expect("an address");
            if address.starts_with("bcrt1") {
                assert_eq!(text, "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4");
            } else {
                assert!(text.eq_ignore_ascii_case(address), "{text}");
            }
        }
        for without in ["", "6a0568656c6c6f", "0014751e", "zz"] {
            assert_eq!(of_bitcoin_script(without), None, "{without}");
        }
        let (tether, bytes) = ("TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t", "a614f803b6fd780986a42c78ec9c7f77e6ded13c");
        assert_eq!(script(Format::Tron, tether).as_deref(), Some(bytes));
        assert_eq!(of_account(Format::Tron, bytes).as_deref(), Some(tether));
        let account = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";
        assert_eq!(script(Format::Evm, account).as_deref(), Some("5aaeb6053f3e94c9b9a09f33669435e7ef1beaed"));
        assert_eq!(script(Format::Tron, account), None);
    }
}
