//! Transaction hashes of blockchains, as people paste them.

use chassis::error::Refusal;
use chassis::network::{self, Format};

/// Explorers whose links are taken for the hash in them, without `www.`; also their subdomains.
const EXPLORERS: [&str; 31] = [
    "arbiscan.io",
    "basescan.org",
    "blockchain.com",
    "blockchain.info",
    "blockchair.com",
    "blockcypher.com",
    "blockscan.com",
    "blockscout.com",
    "blockstream.info",
    "bscscan.com",
    "bscscan.io",
    "btc.com",
    "btcscan.org",
    "etherscan.io",
    "ethplorer.io",
    "explorer.optimism.io",
    "ftmscan.com",
    "gnosisscan.io",
    "lineascan.build",
    "mempool.emzy.de",
    "mempool.space",
    "oklink.com",
    "optimistic.etherscan.io",
    "polygonscan.com",
    "snowscan.xyz",
    "snowtrace.io",
    "tokenview.io",
    "trongrid.io",
    "tronscan.io",
    "tronscan.org",
    "xdaiscan.com",
];

/// The hash of a transaction in one form, and which outputs of it are meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Txid {
    /// As the network writes it.
    pub text: String,
    /// Hexadecimal hashes in lower case without `0x`; others (base58) as given, since case matters there.
    pub key: String,
    /// The indexes of the outputs; none where the whole blockchain transaction is meant.
    pub outputs: Vec<u32>,
}

impl Txid {
    /// Reads what was pasted as the hash of a transaction on a network. Blanks, invisible characters and the link of a
    /// known explorer around it are removed. What is left is 64 hexadecimal digits where the network's hashes are known
    /// to be, elsewhere 4 to 128 visible ASCII characters.
    ///
    /// # Errors
    /// Invalid on the field `txid`.
    pub fn parse(text: &str, network: &str) -> Result<Self, Refusal> {
        let pasted = visible(text);
        let format = network::format(network);
        let key = match (hex(&pasted).or_else(|| linked(&pasted)), format) {
            (Some(hash), _) => hash,
            (None, Format::Other)
                if (4..=128).contains(&pasted.len())
                    && pasted.bytes().all(|byte| byte.is_ascii_graphic())
                    && !pasted.contains("://") =>
            {
                pasted
            }
            (None, Format::Other) => return Err(Refusal::field("txid", "Please enter a valid transaction hash.")),
            (None, _) => {
                let sentence = "Please enter the transaction hash: 64 digits and letters from a to f.";
                return Err(Refusal::field("txid", sentence));
            }
        };
        let text = if format == Format::Evm { format!("0x{key}") } else { key.clone() };
        Ok(Self { text, key, outputs: Vec::new() })
    }

    /// The form in which equal hashes are equal, of a text that was stored before hashes were read strictly, or that
    /// somebody searches for.
    #[must_use]
    pub fn key_of(text: &str) -> String {
        let pasted = visible(text);
        hex(&pasted).or_else(|| linked(&pasted)).unwrap_or(pasted)
    }

    /// The same with outputs.
    #[must_use]
    pub fn at(self, outputs: impl IntoIterator<Item = u32>) -> Self {
        let mut outputs: Vec<_> = outputs.into_iter().collect();
        outputs.sort_unstable();
        outputs.dedup();
        Self { outputs, ..self }
    }

    /// The output, where one is meant.
    #[must_use]
    pub fn vout(&self) -> Option<u32> {
        if let [vout] = self.outputs[..] { Some(vout) } else { None }
    }

    /// Whether both name the same outputs, regardless of their spelling.
    #[must_use]
    pub fn is(&self, other: &Self) -> bool {
        (&self.key, &self.outputs) == (&other.key, &other.outputs)
    }

    /// Reads an optional hash, empty for none.
    ///
    /// # Errors
    /// The same as those of [`Self::parse`].
    pub fn parse_optional(text: &str, network: &str) -> Result<Option<Self>, Refusal> {
        if visible(text).is_empty() { Ok(None) } else { Self::parse(text, network).map(Some) }
    }
}

/// The text without blanks and without characters that show nothing.
fn visible(text: &str) -> String {
    let is_invisible = |char: char| {
        matches!(char, '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{e0000}'..='\u{e0fff}')
    };
    text.chars().filter(|char| !char.is_whitespace() && !char.is_control() && !is_invisible(*char)).collect()
}

/// 64 hexadecimal digits, with or without `0x`, in lower case without it.
fn hex(text: &str) -> Option<String> {
    let lower = text.to_ascii_lowercase();
    let digits = lower.strip_prefix("0x").unwrap_or(&lower);
    (digits.len() == 64 && digits.bytes().all(|byte| byte.is_ascii_hexdigit())).then(|| digits.to_owned())
}

/// The only hash in the link of a known explorer.
fn linked(text: &str) -> Option<String> {
    let lower = text.to_ascii_lowercase();
    let link = lower.strip_prefix("https://").or_else(|| lower.strip_prefix("http://")).unwrap_or(&lower);
    let (host, path) = link.split_once('/')?;
    let is_known = EXPLORERS
        .iter()
        .any(|explorer| host.strip_suffix(explorer).is_some_and(|before| before.is_empty() || before.ends_with('.')));
    if !is_known {
        return None;
    }
    let mut hashes = path.split(['/', '#', '?', '&', '=']).filter_map(hex);
    let hash = hashes.next()?;
    hashes.all(|other| other == hash).then_some(hash)
}

#[cfg(test)]
mod tests {
    use super::Txid;

    fn key(text: &str, network: &str) -> Option<String> {
        Txid::parse(text, network).map(|txid| txid.key).ok()
    }

    /// [D-N1] [D-D4] The same payment has one form, no matter what was pasted; different ones stay different.
    #[test]
    fn equal_hashes_are_equal() {
        let hash = "Ab".repeat(32);
        let lower = Some(hash.to_lowercase());
        for text in [
            hash.clone(),
            format!(" 0x{}\n", hash.to_lowercase()),
            format!("0X{}", hash.to_uppercase()),
            format!("\u{feff}{}\u{200b} {}", &hash[..30], &hash[30..]),
            format!("https://mempool.space/tx/{hash}"),
            format!("https://www.blockchain.com/explorer/transactions/btc/{hash}"),
            format!("mempool.space/testnet/tx/{hash}#vout=1"),
            format!("https://tronscan.org/#/transaction/{hash}"),
            format!("HTTPS://ETHERSCAN.IO/tx/0x{hash}?utm_source=wallet"),
        ] {
            for network in ["Bitcoin", "TRC-20", "BEP20", "Litecoin"] {
                assert_eq!(key(&text, network), lower, "{text} on {network}");
            }
        }
        assert_ne!(
            key("5VERv8NMvzbJMEkV8xnrLkEaWRtSz9Cos", "Solana"),
            key("5verv8NMvzbJMEkV8xnrLkEaWRtSz9Cos", "Solana")
        );
        assert_eq!(Txid::parse(&hash, "ERC20").map(|txid| txid.text).ok(), lower.map(|hash| format!("0x{hash}")));
    }

    /// [D-N1] Where the format is known, nothing but a hash is one; elsewhere a link is not.
    #[test]
    fn everything_else_is_refused() {
        let hash = "ab".repeat(32);
        let other = "cd".repeat(32);
        let near = [
            String::new(),
            hash[..63].to_owned(),
            format!("{hash}0"),
            format!("{hash},"),
            format!("#{hash}"),
            format!("/{hash}"),
            format!("\"{hash}\""),
            format!("{hash}:0"),
            format!("txid:{hash}"),
            format!("g{}", &hash[1..]),
            format!("https://mempool.space.example.com/tx/{hash}"),
            format!("https://evilmempool.space/tx/{hash}"),
            format!("https://mempool.space/tx/{hash}/{other}"),
            format!("https://mempool.space/tx/{}", &hash[1..]),
        ];
        for text in &near {
            for network in ["Bitcoin", "Ethereum", "Polygon", "Tron"] {
                assert_eq!(key(text, network), None, "{text} on {network}");
            }
        }
        for text in ["", "abc", "tx-é", &"a".repeat(129), &format!("https://explorer.example.com/tx/{hash}")] {
            assert_eq!(key(text, "Solana"), None, "{text}");
        }
    }
}
