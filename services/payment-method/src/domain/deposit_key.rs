//! Extended public keys of accounts, from which each member gets addresses of their own (D-N2): BIP-84 on Bitcoin, BIP-44 on
//! Ethereum and Tron. The web app derives the same addresses (`web/src/lib/deposit-key.ts`).

use std::str::FromStr;
use std::sync::LazyLock;

use alloy_primitives::Address as Account;
use miniscript::bitcoin::bip32::{ChildNumber, Xpub};
use miniscript::bitcoin::secp256k1::{Secp256k1, VerifyOnly};
use miniscript::bitcoin::{Address, CompressedPublicKey, KnownHrp, NetworkKind};
use miniscript::descriptor::{DescriptorXKey, Wildcard};
use miniscript::{Descriptor, DescriptorPublicKey};

use super::address;
use super::network::{self, Format};

/// An account is the third step of a path: purpose, coin, account.
const ACCOUNT_DEPTH: u8 = 3;
/// The first bytes of a public key in its plain form, and as wallets write that of a BIP-84 account (SLIP-132).
const PLAIN: [u8; 4] = [0x04, 0x88, 0xb2, 0x1e];
const SEGWIT: [u8; 4] = [0x04, 0xb2, 0x47, 0x46];

static CURVE: LazyLock<Secp256k1<VerifyOnly>> = LazyLock::new(Secp256k1::verification_only);

/// Why a text is no key that addresses can be derived from on its network.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InvalidKey {
    /// Anyone who reads it can spend the money.
    Private,
    /// Payments on this network are not observed, so that none would belong to a member.
    Network,
    /// It is not the key of an account.
    Account,
    Malformed,
}

impl InvalidKey {
    /// What is wrong and what to do, for the field.
    #[must_use]
    pub const fn sentence(self) -> &'static str {
        match self {
            Self::Private => {
                "This is a private key. It could spend all deposits: move them to a new wallet, and enter its extended public key"
            }
            Self::Network => "An extended public key can be used on Bitcoin, Ethereum and Tron",
            Self::Account => {
                "Please enter the extended public key of an account: m/84'/0'/0' on Bitcoin, m/44'/60'/0' on Ethereum, m/44'/195'/0' on Tron"
            }
            Self::Malformed => "Please enter a valid address or extended public key",
        }
    }
}

/// The extended public key of an account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DepositKey {
    format: Format,
    account: Xpub,
    account_number: u32,
}

/// Whether a text is meant as a key, and not as an address.
#[must_use]
pub fn is_meant(text: &str) -> bool {
    let starts = ["wpkh(", "pkh(", "sh(", "tr(", "wsh("];
    let is_extended = |text: &str| text.get(1..4).is_some_and(|rest| matches!(rest, "pub" | "prv"));
    starts.iter().any(|start| text.starts_with(start)) || text.len() > 90 && is_extended(text)
}

impl DepositKey {
    /// Reads a key: an extended public key, on Bitcoin also as `zpub` or as descriptor `wpkh(KEY/0/*)` with or without its origin
    /// and checksum.
    ///
    /// # Errors
    /// If it is another descriptor, not of an account, or of a network that is not observed.
    pub fn parse(network: &str, text: &str) -> Result<Self, InvalidKey> {
        if text.contains("prv") {
            return Err(InvalidKey::Private);
        }
        let format = network::format(network);
        let chain = network::chain(network).filter(|chain| matches!(*chain, "bitcoin" | "ethereum" | "tron"));
        if chain.is_none() {
            return Err(InvalidKey::Network);
        }
        let account = match format {
            Format::Bitcoin if text.contains('(') => of_descriptor(text)?,
            _ => of_text(format, text)?,
        };
        match account.child_number {
            ChildNumber::Hardened { index }
                if account.depth == ACCOUNT_DEPTH && account.network == NetworkKind::Main =>
            {
                Ok(Self { format, account, account_number: index })
            }
            _ => Err(InvalidKey::Account),
        }
    }

    /// The key in its plain form (`xpub`).
    #[must_use]
    pub fn plain(&self) -> String {
        self.account.to_string()
    }

    /// Whether each deposit gets an address of its own, and not each member.
    #[must_use]
    pub fn is_per_deposit(&self) -> bool {
        self.format == Format::Bitcoin
    }

    /// The receiving address of this index; `None` if there is none, which is as likely as guessing a private key.
    #[must_use]
    pub fn address(&self, index: u32) -> Option<String> {
        let steps = [ChildNumber::from_normal_idx(0).ok()?, ChildNumber::from_normal_idx(index).ok()?];
        let key = self.account.derive_pub(&*CURVE, &steps).ok()?.public_key;
        match self.format {
            Format::Bitcoin => Some(Address::p2wpkh(&CompressedPublicKey(key), KnownHrp::Mainnet).to_string()),
            Format::Evm | Format::Tron => {
                let account = Account::from_raw_public_key(key.serialize_uncompressed().get(1..)?);
                match self.format {
                    Format::Evm => Some(account.to_checksum(None)),
                    _ => address::of_account(self.format, format!("{account:x}").trim_start_matches("0x")),
                }
            }
            Format::Other => None,
        }
    }

    /// Where the private key of an index is in the wallet of the treasury.
    #[must_use]
    pub fn path(&self, index: u32) -> String {
        let (purpose, coin) = match self.format {
            Format::Bitcoin => (84, 0),
            Format::Tron => (44, 195),
            Format::Evm | Format::Other => (44, 60),
        };
        format!("m/{purpose}'/{coin}'/{}'/0/{index}", self.account_number)
    }
}

fn of_text(format: Format, text: &str) -> Result<Xpub, InvalidKey> {
    let mut bytes = bs58::decode(text).with_check(None).into_vec().map_err(|_| InvalidKey::Malformed)?;
    if format == Format::Bitcoin && bytes.starts_with(&SEGWIT) {
        bytes.splice(..SEGWIT.len(), PLAIN);
    }
    Xpub::decode(&bytes).map_err(|_| InvalidKey::Malformed)
}

fn of_descriptor(text: &str) -> Result<Xpub, InvalidKey> {
    let descriptor = Descriptor::<DescriptorPublicKey>::from_str(text).map_err(|_| InvalidKey::Malformed)?;
    let Descriptor::Wpkh(wpkh) = descriptor else { return Err(InvalidKey::Account) };
    match wpkh.into_inner() {
        DescriptorPublicKey::XPub(DescriptorXKey { xkey, derivation_path, wildcard: Wildcard::Unhardened, .. })
            if derivation_path.as_ref() == [ChildNumber::Normal { index: 0 }] =>
        {
            Ok(xkey)
        }
        _ => Err(InvalidKey::Account),
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::{DepositKey, InvalidKey, is_meant};

    #[derive(Deserialize)]
    struct Vectors {
        keys: Vec<Vector>,
    }

    #[derive(Deserialize)]
    struct Vector {
        network: String,
        key: String,
        plain: String,
        addresses: Vec<(u32, String, String)>,
    }

    fn vectors() -> Vec<Vector> {
        serde_json::from_str::<Vectors>(include_str!("../../tests/deposit-keys.json")).expect("vectors").keys
    }

    /// [D-N2] The addresses of BIP-84, and of BIP-44 on Ethereum and Tron, for the mnemonic of the standards; the web app is tested with
    /// the same file.
    #[test]
    fn addresses_are_those_of_the_standards() {
        let all = vectors();
        for Vector { network, key, plain, addresses } in &all {
            assert!(is_meant(key), "{key}");
            let read = DepositKey::parse(network, key).expect("a key");
            assert_eq!(read.plain(), *plain);
            for (index, path, address) in addresses {
                assert_eq!((read.path(*index), read.address(*index).as_ref()), (path.clone(), Some(address)));
            }
        }
        assert!(all.len() >= 5);
    }

    /// [D-N2] Only a public key of an account is taken, without a typing error and on an observed network; a private one is refused
    /// with a warning.
    #[test]
    fn other_keys_are_refused() {
        let all = vectors();
        let key = |network: &str| &all.iter().find(|one| one.network == network).expect("one").key;
        let (zpub, evm) = (key("Bitcoin"), key("ERC20"));
        let descriptor = &all.iter().find(|one| one.key.starts_with("wpkh")).expect("one").key;
        let master = "xpub661MyMwAqRbcFtXgS5sYJABqqG9YLmC4Q1Rdap9gSE8NqtwybGhePY2gZ29ESFjqJoCu1Rupje8YtGqsefD265TMg7usUDFdp6W1EGMcet8";
        let private = "xprv9s21ZrQH143K3QTDL4LXw2F7HEK3wJUD2nW2nRk4stbPy6cq3jPPqjiChkVvvNKmPGJxWUtg6LnF5kejMRNNU3TGtRBeJgk33yuGBxrMPHi";
        for (network, text, expected) in [
            ("Bitcoin", private.to_owned(), InvalidKey::Private),
            ("Bitcoin", descriptor.replace("xpub", "xprv"), InvalidKey::Private),
            ("ERC20", master.to_owned(), InvalidKey::Account),
            ("BEP20", evm.clone(), InvalidKey::Network),
            ("Litecoin", zpub.clone(), InvalidKey::Network),
            ("ERC20", zpub.clone(), InvalidKey::Malformed),
            ("ERC20", format!("{}1", &evm[..evm.len() - 1]), InvalidKey::Malformed),
            ("Bitcoin", descriptor.replace("/0/*", "/1/*"), InvalidKey::Malformed),
            ("Bitcoin", descriptor.split('#').next().unwrap_or_default().replace("/0/*", "/1/*"), InvalidKey::Account),
            ("Bitcoin", descriptor.split('#').next().unwrap_or_default().replace("wpkh(", "pkh("), InvalidKey::Account),
        ] {
            assert_eq!(DepositKey::parse(network, &text), Err(expected), "{network} {text}");
        }
        for address in ["bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4", "TLnAZ4XWmLqPSWQbLoh7sEBrnn9zv6i312", "xpub"] {
            assert!(!is_meant(address), "{address}");
        }
    }
}
