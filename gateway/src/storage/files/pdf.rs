//! PDFs: where one begins, and whether it can be read without a password (ISO 32000-2, 7.5.2 and 7.6).

mod objects;

use aws_lc_rs::cipher::{AES_128, EncryptionContext, PaddedBlockEncryptingKey, UnboundCipherKey};
use md5::Md5;
use sha2::{Digest, Sha256, Sha384, Sha512};

use self::objects::{Reader, Value};

/// How far into a file its header may stand. Some banks write a mark or lines of their own before it.
const HEADER_WITHIN: usize = 1_024;
/// What fills a password up, in files encrypted before 2008: all of it for the empty password.
const PADDING: [u8; 32] = [
    0x28, 0xbf, 0x4e, 0x5e, 0x4e, 0x75, 0x8a, 0x41, 0x64, 0x00, 0x4e, 0x56, 0xff, 0xfa, 0x01, 0x08, 0x2e, 0x2e, 0x00,
    0xb6, 0xd0, 0x68, 0x3e, 0x80, 0x2f, 0x0c, 0xa9, 0xfe, 0x64, 0x53, 0x69, 0x7a,
];
/// Places of a word that are looked at, from the end: each change of a file adds one.
const LAST: usize = 4;

/// The index of the header of a PDF, `None` if the file is not a PDF.
pub fn begins_at(file: &[u8]) -> Option<usize> {
    let head = file.get(..HEADER_WITHIN.min(file.len()))?;
    head.windows(5).position(|window| window == b"%PDF-")
}

/// Whether a password is needed to read a PDF. Not if it is only needed to print or change it, and not if the file is not
/// understood.
pub fn is_locked(pdf: &[u8]) -> bool {
    let Some(encryption) = encryption(pdf) else { return false };
    let opens = match encryption.revision {
        // Certificates, or what a vendor has made up.
        _ if !encryption.is_standard => Some(false),
        2..=4 => encryption.opens_by_md5(&id(pdf).unwrap_or_default()),
        5 => encryption.opens_by_sha2(|salt| Some(Sha256::digest(salt).to_vec())),
        6 => encryption.opens_by_sha2(hardened),
        _ => None,
    };
    opens == Some(false)
}

/// What a file says of its encryption.
#[derive(Debug, Default)]
struct Encryption {
    is_standard: bool,
    version: i64,
    revision: i64,
    /// Of the key, in bits.
    length: i64,
    permissions: i64,
    owner: Vec<u8>,
    user: Vec<u8>,
    metadata_is_plain: bool,
}

impl Encryption {
    /// From the dictionary that is next.
    fn read(reader: &mut Reader<'_>) -> Option<Self> {
        let mut found = Self::default();
        let mut has_filter = false;
        reader.entries(|name, value| match (name, value) {
            (b"/Filter", Value::Word(word)) => (has_filter, found.is_standard) = (true, word == b"/Standard"),
            (b"/V", Value::Number(number)) => found.version = number,
            (b"/R", Value::Number(number)) => found.revision = number,
            (b"/Length", Value::Number(number)) => found.length = number,
            (b"/P", Value::Number(number)) => found.permissions = number,
            (b"/O", Value::Text(text)) => found.owner = text,
            (b"/U", Value::Text(text)) => found.user = text,
            (b"/EncryptMetadata", Value::Word(word)) => found.metadata_is_plain = word == b"false",
            _ => {}
        })?;
        has_filter.then_some(found)
    }

    /// Whether the empty password opens the file. `None` if something is missing.
    fn opens_by_md5(&self, id: &[u8]) -> Option<bool> {
        let length = match (self.revision, self.version) {
            (2, _) | (_, 1) => 5,
            (_, 4) => 16,
            _ => usize::try_from(self.length / 8).ok().filter(|length| (5..=16).contains(length))?,
        };
        let mut hash = Md5::new();
        hash.update(PADDING);
        hash.update(self.owner.get(..32)?);
        // The lower half, whether it was written with a sign or without.
        hash.update(self.permissions.to_le_bytes().get(..4)?);
        hash.update(id);
        if self.revision == 4 && self.metadata_is_plain {
            hash.update([0xff; 4]);
        }
        let mut key = hash.finalize();
        if self.revision == 2 {
            return Some(rc4(key.get(..length)?, &PADDING) == self.user);
        }
        for _ in 0..50 {
            key = Md5::digest(key.get(..length)?);
        }
        let mut expected = Md5::new().chain_update(PADDING).chain_update(id).finalize().to_vec();
        for round in 0..20 {
            let key: Vec<u8> = key.get(..length)?.iter().map(|byte| byte ^ round).collect();
            expected = rc4(&key, &expected);
        }
        Some(expected == self.user.get(..16)?)
    }

    /// The same for files encrypted since 2008, which have a hash of the password behind this salt.
    fn opens_by_sha2(&self, hash: impl FnOnce(&[u8]) -> Option<Vec<u8>>) -> Option<bool> {
        Some(hash(self.user.get(32..40)?)? == self.user.get(..32)?)
    }
}

/// The hash of the empty password behind a salt (algorithm 2.B).
fn hardened(salt: &[u8]) -> Option<Vec<u8>> {
    let mut key = Sha256::digest(salt).to_vec();
    let (mut last, mut round) = (0, 0);
    while round < 64 || u32::from(last) + 32 > round {
        let mut text = key.repeat(64);
        let block_key =
            PaddedBlockEncryptingKey::cbc_pkcs7(UnboundCipherKey::new(&AES_128, key.get(..16)?).ok()?).ok()?;
        let vector: [u8; 16] = key.get(16..32)?.try_into().ok()?;
        let length = text.len();
        block_key.less_safe_encrypt(&mut text, EncryptionContext::Iv128(vector.into())).ok()?;
        // Without the block of padding.
        text.truncate(length);
        let sum: u32 = text.iter().take(16).map(|byte| u32::from(*byte)).sum();
        key = match sum % 3 {
            0 => Sha256::digest(&text).to_vec(),
            1 => Sha384::digest(&text).to_vec(),
            _ => Sha512::digest(&text).to_vec(),
        };
        last = *text.last()?;
        round += 1;
    }
    key.truncate(32);
    Some(key)
}

fn rc4(key: &[u8], text: &[u8]) -> Vec<u8> {
    let mut state: [u8; 256] = std::array::from_fn(|index| u8::try_from(index).unwrap_or_default());
    let mut other = 0_u8;
    for index in 0..256 {
        other = other.wrapping_add(state[index]).wrapping_add(key[index % key.len()]);
        state.swap(index, usize::from(other));
    }
    let (mut index, mut other) = (0_u8, 0_u8);
    let encrypt = |byte: &u8| {
        index = index.wrapping_add(1);
        other = other.wrapping_add(state[usize::from(index)]);
        state.swap(usize::from(index), usize::from(other));
        byte ^ state[usize::from(state[usize::from(index)].wrapping_add(state[usize::from(other)]))]
    };
    text.iter().map(encrypt).collect()
}

/// The last dictionary that the file names as that of its encryption.
fn encryption(pdf: &[u8]) -> Option<Encryption> {
    places(pdf, b"/Encrypt").rev().take(LAST).find_map(|place| {
        let mut reader = Reader::new(pdf, place);
        reader.skip_blanks();
        if reader.rest().starts_with(b"<<") {
            return Encryption::read(&mut reader);
        }
        let (number, generation) = (reader.number()?, reader.number()?);
        let object = format!("{number} {generation} obj");
        places(pdf, object.as_bytes()).rev().take(LAST).find_map(|at| Encryption::read(&mut Reader::new(pdf, at)))
    })
}

/// The first identifier of the file, which its keys depend on.
fn id(pdf: &[u8]) -> Option<Vec<u8>> {
    places(pdf, b"/ID").rev().take(LAST).find_map(|place| {
        let mut reader = Reader::new(pdf, place);
        reader.skip_blanks();
        reader.take(b"[")?;
        match reader.value()? {
            Value::Text(id) => Some(id),
            _ => None,
        }
    })
}

/// The indexes behind a name, or behind the beginning of an object.
fn places<'a>(pdf: &'a [u8], word: &'a [u8]) -> impl DoubleEndedIterator<Item = usize> + 'a {
    let is_digit = |byte: &u8| byte.is_ascii_digit();
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric();
    let is_word = move |at: &usize| {
        pdf.get(*at..at + word.len()) == Some(word)
            && !pdf.get(at + word.len()).is_some_and(is_part)
            && (word.starts_with(b"/") || !at.checked_sub(1).and_then(|before| pdf.get(before)).is_some_and(is_digit))
    };
    (0..pdf.len()).filter(is_word).map(move |at| at + word.len())
}

#[cfg(test)]
mod tests {
    use super::{begins_at, is_locked};

    /// As pypdf writes them: with a password to read, or only with one of the owner.
    const FILES: [(bool, &str, &str); 10] = [
        (
            false,
            "<72b91ea97114091204d9eebbb3fb2f93>",
            "/R 2 /V 1 /Length 40 /P 4294967292 /O <c92422687facee686e373f10b5c7d04738053152f7e2ee30e11c69ec442576ab> /U <35ccd46f6305e1444922c9a27d6fe8e5c8867a81993ead1c2e102f7ae6d5c1dd>",
        ),
        (
            true,
            "<d130c50fbd3eb2938cb11176359ee1d8>",
            "/R 2 /V 1 /Length 40 /P 4294967292 /O <92fe0f4454ad4c9644693f33c07cb54f587dce1e2682fe9ecea6107a1ef630dd> /U <341165d566896791781c497e6a7bc3a398824b8258dec9f9c3129c497a5ab2c1>",
        ),
        (
            false,
            "<9392caee88a121881d5d0c8b82bf1dc5>",
            "/R 3 /V 2 /Length 128 /P 4294967292 /O <566fa873ee33c797cd3b904fdadf814afa34df9a38f6ed41b984e2c6da2aa6f5> /U <b6720ed7d2c58b71a94bdf70023bf5d028bf4e5e4e758a4164004e56fffa0108>",
        ),
        (
            true,
            "<fc50732ddfbe75ecd1acc661594337f6>",
            "/R 3 /V 2 /Length 128 /P 4294967292 /O <0db5855fc5326569e765906caf64e4429a4c20d6e996fdef963e9b5080f9e083> /U <ed654b1234a0e1e970cee459631c3ca828bf4e5e4e758a4164004e56fffa0108>",
        ),
        (
            false,
            "<4a454af6cbc6f9e2d9881106653641bf>",
            "/R 4 /V 4 /Length 128 /P 4294967292 /O <566fa873ee33c797cd3b904fdadf814afa34df9a38f6ed41b984e2c6da2aa6f5> /U <5cf8d40a3e9435a80f0842ab4e59405428bf4e5e4e758a4164004e56fffa0108>",
        ),
        (
            true,
            "<ddd52a46523fdff77416adf43ecee4e5>",
            "/R 4 /V 4 /Length 128 /P 4294967292 /O <0db5855fc5326569e765906caf64e4429a4c20d6e996fdef963e9b5080f9e083> /U <1aa683dd7c6f7714d13586f13074d74a28bf4e5e4e758a4164004e56fffa0108>",
        ),
        (
            false,
            "<24cdd0723fe91c0ac670a1d5ef4eb4d2>",
            "/R 5 /V 5 /Length 256 /P 4294967292 /O <8c9f2b4b64e1fccec4689e10eb8c505a6bd5c6a2d885cd0ab60ab093df4d33439e071cfa6adfa62305c9b46eccdad47a> /U <fd5ead7e2e463d7da6e95a1b847eaebab8031e167006456f4611615b006b91a5e3c1c49a13c3f46f30fd9481424005af>",
        ),
        (
            true,
            "<26f910dd2d8644ef4278dca720af0e21>",
            "/R 5 /V 5 /Length 256 /P 4294967292 /O <b9e9ace21b830de67284c911b6fd4d0241998eb46053caefde3b756e98375c66c5c796a55e83b6c6f38fe84562db82ae> /U <9eacbb63e08bc4c8f776347cbebfb3e2e3c517223e85a8dbc7396240d00d056e39751485e2aae48b7f7606bb0685bf09>",
        ),
        (
            false,
            "<39b8b199487e8c1f2dd3c3d615df61c9>",
            "/R 6 /V 5 /Length 256 /P 4294967292 /O <ab16d1230059decdd6070a97b605c3e7b18fcf8d66ffb7a15c2d5c10cbae4f0838ee4bbb1f48be2228fcb6de3616f12f> /U <8961725eac4fc01852cb98f71ec878106c7ecbedaf3fbdfe47c9fc970de4b5c9ab5bec4552504a5f3e1127232ba13dbe>",
        ),
        (
            true,
            "<e9064fe6e7864185ce303444d4acb22e>",
            "/R 6 /V 5 /Length 256 /P 4294967292 /O <0c5f9fdb8af7f0c0693714d7573c232fa1d68a21a9f932762769a580a878c26ce4710df77d9b0124e35c0fbbb516ecab> /U <6827cda88eecdaa44301e547de3230879cd0f334f3b717f068e8f46d8da87d21401843bed1598a047a4d66fb491f11a0>",
        ),
    ];

    /// [D-P2] A PDF that needs a password is distinguished from one that anybody may read.
    #[test]
    fn passwords_are_noticed() {
        for (locked, id, entries) in FILES {
            let dictionary = format!("<< /CF << /StdCF << /Length 16 >> >> {entries} /Filter /Standard >>");
            let trailer = format!("trailer << /Size 6 /ID [ {id} {id} ]");
            let indirect = format!("%PDF-1.7\n5 0 obj\n{dictionary}\nendobj\n{trailer} /Encrypt 5 0 R >>");
            let direct = format!("%PDF-1.7\n/EncryptMetadata 15 0 obj <<>> {trailer}/Size 6/Encrypt{dictionary}>>");
            for pdf in [indirect, direct] {
                assert_eq!(is_locked(pdf.as_bytes()), locked, "{pdf}");
            }
        }
    }

    /// Texts of a dictionary may be written with escapes.
    #[test]
    fn literals_are_read() {
        let (locked, id, entries) = FILES[0];
        assert!(!locked);
        let literal = |text: &str| {
            let hex = text.split_once("/O <").unwrap().1.split_once('>').unwrap().0;
            let bytes = (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap());
            let octal = bytes.map(|byte| format!("\\{byte:03o}")).collect::<String>();
            text.replace(&format!("<{hex}>"), &format!("({octal}\\\n)"))
        };
        let with = |entries: &str| {
            let pdf = format!("trailer << /ID [{id}] /Encrypt << {entries} /Filter /Standard >> >>");
            is_locked(pdf.as_bytes())
        };
        assert!(!with(&literal(entries)));
        assert!(with(&literal(entries).replacen("(\\", "(\\101\\", 1)));
    }

    /// What is not understood is left to the program that reads the file; only another way of encrypting is sure to need a key.
    #[test]
    fn unknown_files_pass() {
        for pdf in [
            "%PDF-1.7 1 0 obj << >>",
            "trailer << /Encrypt 5 0 R >>",
            "trailer << /Encrypt << /Filter /Standard /R 3 /V 2 >> >>",
            "trailer << /Encrypt << /Filter /Standard /R 9 >> >>",
            "trailer << /Encrypt << /Filter",
            &format!("/Encrypt {}", "<< /A [".repeat(100_000)),
            &"/Encrypt 1 0 R 1 0 obj ".repeat(200_000),
        ] {
            assert!(!is_locked(pdf.as_bytes()), "{pdf:.60}");
        }
        assert!(is_locked(b"trailer << /Encrypt << /Filter /Adobe.PubSec /V 4 >> >>"));
    }

    /// [D-P2] The header stands within the first kilobyte.
    #[test]
    fn headers_are_found() {
        assert_eq!(begins_at(b"%PDF-1.4"), Some(0));
        assert_eq!(begins_at(b"\xef\xbb\xbf%PDF-1.4"), Some(3));
        assert_eq!(begins_at(&[&[b'x'; 1_019][..], b"%PDF-1.4"].concat()), Some(1_019));
        assert_eq!(begins_at(&[&[b'x'; 1_020][..], b"%PDF-1.4"].concat()), None);
        assert_eq!(begins_at(b""), None);
    }
}
