//! Encryption of a message to a browser (RFC 8291): only the browser that subscribed reads it, not its push service.

use anyhow::anyhow;
use aws_lc_rs::aead::{AES_128_GCM, Aad, LessSafeKey, Nonce, UnboundKey};
use aws_lc_rs::agreement::{ECDH_P256, PrivateKey, UnparsedPublicKey, agree};
use aws_lc_rs::error::Unspecified;
use aws_lc_rs::hkdf::{HKDF_SHA256, KeyType, Salt};
use chassis::keys::random;

use crate::domain::push::Subscription;

/// The size of the one record of a message: push services take at least as many bytes (RFC 8030, 7.2).
const RECORD: u32 = 4_096;
/// Bytes of a text with its padding. All have it, so that a length does not reveal a kind.
pub const PADDED: usize = 512;
const SALT: usize = 16;

/// The body of a message, under a key that is used for it alone.
///
/// # Errors
/// If the text is too long, the browser's key is no point of the curve, or the system has no randomness.
pub fn encrypt(text: &[u8], to: &Subscription) -> anyhow::Result<Vec<u8>> {
    if text.len() >= PADDED {
        return Err(anyhow!("a text of {} bytes is too long for a device", text.len()));
    }
    let own = PrivateKey::generate(&ECDH_P256).map_err(|_| anyhow!("no randomness"))?;
    let mut padded = [text, &[2]].concat();
    padded.resize(PADDED, 0);
    seal(padded, to, &own, random()?).map_err(|_| anyhow!("the key of a device is no key"))
}

/// Whether it is the public key of a browser.
#[must_use]
pub fn is_point(bytes: &[u8]) -> bool {
    let own = PrivateKey::generate(&ECDH_P256);
    own.is_ok_and(|own| agree(&own, UnparsedPublicKey::new(&ECDH_P256, bytes), (), |_| Ok(())).is_ok())
}

/// The padded text as the single record of RFC 8188.
fn seal(mut padded: Vec<u8>, to: &Subscription, own: &PrivateKey, salt: [u8; SALT]) -> Result<Vec<u8>, Unspecified> {
    let public = own.compute_public_key()?;
    let peer = UnparsedPublicKey::new(&ECDH_P256, &to.p256dh);
    let of_keys = [b"WebPush: info\0".as_slice(), &to.p256dh, public.as_ref()].concat();
    let input: [u8; 32] = agree(own, peer, Unspecified, |shared| derive(&to.auth, shared, &of_keys))?;
    let key: [u8; 16] = derive(&salt, &input, b"Content-Encoding: aes128gcm\0")?;
    let nonce: [u8; 12] = derive(&salt, &input, b"Content-Encoding: nonce\0")?;
    let key = LessSafeKey::new(UnboundKey::new(&AES_128_GCM, &key)?);
    key.seal_in_place_append_tag(Nonce::assume_unique_for_key(nonce), Aad::empty(), &mut padded)?;
    let length = u8::try_from(public.as_ref().len()).map_err(|_| Unspecified)?;
    Ok([salt.as_slice(), &RECORD.to_be_bytes(), &[length], public.as_ref(), &padded].concat())
}

/// HKDF with SHA-256 (RFC 5869).
fn derive<const N: usize>(salt: &[u8], secret: &[u8], info: &[u8]) -> Result<[u8; N], Unspecified> {
    struct Length(usize);
    impl KeyType for Length {
        fn len(&self) -> usize {
            self.0
        }
    }
    let mut out = [0; N];
    Salt::new(HKDF_SHA256, salt).extract(secret).expand(&[info], Length(N))?.fill(&mut out)?;
    Ok(out)
}

#[cfg(test)]
mod tests {
    use aws_lc_rs::agreement::{ECDH_P256, PrivateKey};
    use base64::Engine;
    use base64::engine::general_purpose::URL_SAFE_NO_PAD;

    use super::{PADDED, encrypt, is_point, seal};
    use crate::domain::push::Subscription;

    fn bytes(text: &str) -> Vec<u8> {
        URL_SAFE_NO_PAD.decode(text).unwrap()
    }

    fn browser() -> Subscription {
        let key = "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4";
        Subscription {
            endpoint: "https://push.example.net/push/JzLQ3raZJfFBR0aqvOMsLrt54w4rJUsV".to_owned(),
            p256dh: bytes(key).try_into().unwrap(),
            auth: bytes("BTBZMqHH6r4Tts7J_aSIgg").try_into().unwrap(),
        }
    }

    /// [D-M7] The example of RFC 8291 (section 5 and appendix A), byte for byte.
    #[test]
    fn the_example_of_the_standard_is_encrypted() {
        let own = bytes("yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw");
        let own = PrivateKey::from_private_key(&ECDH_P256, &own).unwrap();
        let salt = bytes("DGv6ra1nlYgDCS1FRnbzlw").try_into().unwrap();
        let text = b"When I grow up, I want to be a watermelon\x02".to_vec();
        let sealed = seal(text, &browser(), &own, salt).unwrap();
        let expected = "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN";
        assert_eq!(URL_SAFE_NO_PAD.encode(sealed), expected);
    }

    /// [D-M7] No two messages are alike, and all are as long.
    #[test]
    fn messages_tell_nothing_by_their_length() {
        let [short, long] = [b"a".as_slice(), &[b'a'; PADDED - 1]].map(|text| encrypt(text, &browser()).unwrap());
        assert_eq!((short.len(), long.len()), (86 + PADDED + 16, 86 + PADDED + 16));
        assert_ne!(short[..86], long[..86]);
        assert!(encrypt(&[b'a'; PADDED], &browser()).is_err());
    }

    #[test]
    fn keys_that_are_no_point_are_found() {
        assert!(is_point(&browser().p256dh));
        let mut off = browser().p256dh;
        off[64] ^= 1;
        for wrong in [off.as_slice(), &[4; 65], &[0; 65], &browser().p256dh[..64], &[]] {
            assert!(!is_point(wrong));
        }
    }
}
