//! What the operator of a local stack keeps apart from the product: the treasury key that signs addresses (D-M1), and the wallet
//! that the keys of own addresses come from (D-N2). A real operator keeps both offline.

use std::{
    io::Write,
    path::Path,
    process::{Command, Stdio},
    str::FromStr,
};

use alloy_primitives::{Address as Account, hex, keccak256};
use anyhow::{Context, Result, bail, ensure};
use miniscript::bitcoin::{
    Address, CompressedPublicKey, KnownHrp, NetworkKind, PrivateKey,
    bip32::{DerivationPath, Xpriv, Xpub},
    secp256k1::{Message, Secp256k1},
};
use tokio::task::spawn_blocking;

use crate::{
    host::secrets::Secrets,
    service::{Service, binary},
    stack::preparation,
};

/// Below the folder of the keys.
const TREASURY_KEY: &str = "treasury.key";
const TREASURY_PUBLIC_KEY: &str = "treasury.pub";
/// From when signatures of the local stack count: before any clock that it is played with.
const VALID_FROM: &str = "2020-01-01T00:00:00Z";

/// Makes the treasury key of a stack, unless it has one.
pub(crate) async fn make_treasury_key(folder: &Path) -> Result<()> {
    let keys = folder.join("keys");
    if keys.join(TREASURY_PUBLIC_KEY).exists() {
        return Ok(());
    }
    let file = keys.join(TREASURY_KEY).display().to_string();
    let public_key = printed(&["treasury-key", "generate", "--key-file", &file], "", None).await?;
    Ok(std::fs::write(keys.join(TREASURY_PUBLIC_KEY), public_key.trim())?)
}

/// The public key that payment-method verifies signatures with; none in a stack that has no treasury key.
pub(crate) fn treasury_public_key(folder: &Path) -> String {
    std::fs::read_to_string(folder.join("keys").join(TREASURY_PUBLIC_KEY)).unwrap_or_default()
}

/// The treasury key's signature over the first version of a platform method.
pub async fn sign_method(folder: &Path, (currency, network, address): (&str, &str, &str)) -> Result<String> {
    let statement = format!(
        "Solvane platform address\ncurrency={currency}\nnetwork={network}\naddress={address}\nmemo=\nversion=1\n\
         valid-from={VALID_FROM}\n"
    );
    let file = folder.join("keys").join(TREASURY_KEY).display().to_string();
    let signature = printed(&["treasury-key", "sign", "--key-file", &file], &statement, None).await?;
    Ok(signature.trim().to_owned())
}

/// What a command of payment-method prints.
pub async fn printed(arguments: &[&str], input: &str, database_url: Option<&str>) -> Result<String> {
    let mut command = Command::new(binary(&preparation::binaries()?, Service::PaymentMethod.name()));
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    if let Some(url) = database_url {
        command.env("DATABASE_URL", url);
    }
    let (name, input) = (arguments.join(" "), input.to_owned());
    let output = spawn_blocking(move || {
        let mut child = command.spawn()?;
        child.stdin.take().context("an input")?.write_all(input.as_bytes())?;
        anyhow::Ok(child.wait_with_output()?)
    });
    let output = output.await??;
    ensure!(output.status.success(), "payment-method {name} failed:\n{}", String::from_utf8_lossy(&output.stderr));
    Ok(String::from_utf8(output.stdout)?)
}

/// The wallet whose account 0 has the own addresses of members on each chain, whose account 1 is the cold storage, and
/// whose account 2 has the address that members share.
pub struct Wallet {
    seed: String,
}

impl Wallet {
    /// That of the stack in this folder.
    pub fn open(folder: &Path) -> Result<Self> {
        Ok(Self { seed: Secrets::open(&folder.join("secrets.json"))?.password("deposit-wallet") })
    }

    fn private(&self, kind: NetworkKind) -> Result<Xpriv> {
        Ok(Xpriv::new_master(kind, self.seed.as_bytes())?)
    }

    fn public(&self, path: &str) -> Result<Xpub> {
        let curve = Secp256k1::new();
        let private = self.private(NetworkKind::Main)?.derive_priv(&curve, &DerivationPath::from_str(path)?)?;
        Ok(Xpub::from_priv(&curve, &private))
    }

    /// The extended public key that own addresses of members come from.
    pub fn deposit_key(&self, chain: &str) -> Result<String> {
        Ok(self.public(&account(chain, 0)?)?.to_string())
    }

    /// Where what members paid is swept to.
    pub fn cold_storage(&self, chain: &str) -> Result<String> {
        self.address(chain, &format!("{}/0/0", account(chain, 1)?))
    }

    /// Where all members pay to that have no address of their own.
    pub fn shared(&self, chain: &str) -> Result<String> {
        self.address(chain, &shared(chain)?)
    }

    /// The signature of the shared address's key over a message, as wallets make it: BIP-322 on Bitcoin, EIP-191 or
    /// TIP-191 elsewhere.
    pub fn sign_as_shared(&self, chain: &str, message: &str) -> Result<String> {
        let curve = Secp256k1::new();
        let path = DerivationPath::from_str(&shared(chain)?)?;
        let key = self.private(NetworkKind::Main)?.derive_priv(&curve, &path)?.private_key;
        if chain == "bitcoin" {
            let key = PrivateKey::new(key, NetworkKind::Main).to_wif();
            return Ok(bip322::sign_simple_encoded(&self.shared(chain)?, message, &[key], None)?);
        }
        let prefix = if chain == "tron" { "TRON" } else { "Ethereum" };
        let hash = keccak256(format!("\x19{prefix} Signed Message:\n{}{message}", message.len()));
        let (which, compact) = curve.sign_ecdsa_recoverable(&Message::from_digest(hash.0), &key).serialize_compact();
        Ok(format!("0x{}{:02x}", hex::encode(compact), 27 + which.to_i32()))
    }

    /// The address at a path.
    pub fn address(&self, chain: &str, path: &str) -> Result<String> {
        let key = self.public(path)?.public_key;
        if chain == "bitcoin" {
            return Ok(Address::p2wpkh(&CompressedPublicKey(key), KnownHrp::Mainnet).to_string());
        }
        let bytes = key.serialize_uncompressed();
        let account = Account::from_raw_public_key(bytes.get(1..).context("a public key")?);
        if chain == "ethereum" {
            return Ok(account.to_checksum(None));
        }
        let mut bytes = vec![0x41];
        bytes.extend_from_slice(account.as_slice());
        Ok(bs58::encode(bytes).with_check().into_string())
    }

    /// The descriptor with which bitcoind signs for own addresses on its test network, without its checksum.
    pub fn signing_descriptor(&self) -> Result<String> {
        let path = account("bitcoin", 0)?.replace('\'', "h");
        let path = path.trim_start_matches("m/");
        Ok(format!("wpkh({}/{path}/0/*)", self.private(NetworkKind::Test)?))
    }
}

fn shared(chain: &str) -> Result<String> {
    Ok(format!("{}/0/0", account(chain, 2)?))
}

/// The path of an account: BIP-84 on Bitcoin, BIP-44 elsewhere.
fn account(chain: &str, number: u32) -> Result<String> {
    match chain {
        "bitcoin" => Ok(format!("m/84'/0'/{number}'")),
        "ethereum" => Ok(format!("m/44'/60'/{number}'")),
        "tron" => Ok(format!("m/44'/195'/{number}'")),
        _ => bail!("{chain} has no own addresses: it is bitcoin, ethereum or tron"),
    }
}

#[cfg(test)]
mod tests {
    use super::Wallet;

    /// [D-N2] The wallet keeps its keys, and its addresses are those that wallets derive from the same seed.
    #[test]
    fn the_wallet_keeps_its_keys() {
        let folder = tempfile::tempdir().expect("a folder");
        let (first, second) = (Wallet::open(folder.path()).expect("made"), Wallet::open(folder.path()).expect("read"));
        for chain in ["bitcoin", "ethereum", "tron"] {
            let key = first.deposit_key(chain).expect("a key");
            assert!(key.starts_with("xpub") && key == second.deposit_key(chain).expect("a key"), "{key}");
            let cold = first.cold_storage(chain).expect("an address");
            assert!(cold.starts_with(['b', '0', 'T']), "{cold}");
        }
        let descriptor = first.signing_descriptor().expect("a descriptor");
        assert!(descriptor.starts_with("wpkh(tprv") && descriptor.ends_with("/84h/0h/0h/0/*)"), "{descriptor}");
        first.deposit_key("litecoin").expect_err("no own addresses");
    }
}
