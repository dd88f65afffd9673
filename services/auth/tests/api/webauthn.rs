//! The module of passkeys against the test vectors of the W3C (Web Authentication Level 3, section 16).

use auth::domain::passkey::{Key, Passkey};
use auth::error::Error;
use auth::passkeys::{Answer, NewCredential, RelyingParty};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::json;
use time::OffsetDateTime;
use uuid::Uuid;

/// A registration and a use of its passkey, in hexadecimal.
struct Vector {
    credential_id: &'static str,
    challenge: &'static str,
    client_data: &'static str,
    attestation: &'static str,
    use_client_data: &'static str,
    use_data: &'static str,
    signature: &'static str,
}

/// Section 16.7: ES256 with packed attestation, the user verified both times.
const PACKED: Vector = Vector {
    credential_id: "c9a6f5b3462d02873fea0c56862234f99f081728084e511bb7760201a89054a5",
    challenge: "c1184a5fddf8045e13dc47f54b61f5a656b666b59018f16d870e9256e9952012",
    client_data: concat!(
        "7b2274797065223a22776562617574686e2e637265617465222c226368616c6c656e6765223a227752684b58393334424634543345663153324831706c61",
        "325a725751475046746877365356756d56494249222c226f726967696e223a2268747470733a2f2f6578616d706c652e6f7267222c2263726f73734f7269",
        "67696e223a66616c73652c22657874726144617461223a22636c69656e74446174614a534f4e206d617920626520657874656e646564207769746820616464",
        "6974696f6e616c206669656c647320696e20746865206675747572652c207375636820617320746869733a20396138624e596a4b436757724258552d6643",
        "6c316167227d"
    ),
    attestation: concat!(
        "a363666d74667061636b65646761747453746d74a363616c6726637369675847304502203f19ec4b229f46ab8c45eff29b904ff10c0390dc40bf1216f04a",
        "78f4ceba3425022100fe7041a32759aff05a0f9f26c70a999c7a284451ba89234a1d3483c25e21925b637835638159022530820221308201c8a003020102",
        "02110088c220f83c8ef1feafe94deae45faad0300a06082a8648ce3d0403023062311e301c06035504030c15576562417574686e20746573742076656374",
        "6f7273310c300a060355040a0c0357334331253023060355040b0c1c41757468656e74696361746f72204174746573746174696f6e204341310b30090603",
        "550406130241413020170d3234303130313030303030305a180f33303234303130313030303030305a305f311e301c06035504030c15576562417574686e",
        "207465737420766563746f7273310c300a060355040a0c0357334331223020060355040b0c1941757468656e74696361746f72204174746573746174696f",
        "6e310b30090603550406130241413059301306072a8648ce3d020106082a8648ce3d03010703420004a91ba4389409dd38a428141940ca8feb1ac0d7b435",
        "0558104a3777a49322f3798440f378b3398ab2d3bb7bf91322c92eb23556f59ad0a836fec4c7663b0e4dc3a360305e300c0603551d130101ff0402300030",
        "0e0603551d0f0101ff040403020780301d0603551d0e04160414a589ba72d060842ab11f74fb246bdedab16f9b9b301f0603551d2304183016801445aff7",
        "15b0dd786741fee996ebc16547a3931b1e300a06082a8648ce3d040302034700304402201726b9d85ecd8a5ed51163722ca3a20886fd9b242a0aa0453d44",
        "2116075defd502207ef471e530ac87961a88a7f0d0c17b091ffc6b9238d30f79f635b417be5910e768617574684461746158a4bfabc37432958b063360d3",
        "ad6461c9c4735ae7f8edd46592a5e0f01452b2e4b54d00000000876ca4f52071c3e9b25509ef2cdf7ed60020c9a6f5b3462d02873fea0c56862234f99f08",
        "1728084e511bb7760201a89054a5a50102032620012158201cf27f25da591208a4239c2e324f104f585525479a29edeedd830f48e77aeae522582059e4b7",
        "da6c0106e206ce390c93ab98a15a5ec3887e57f0cc2bece803b920c423"
    ),
    use_client_data: concat!(
        "7b2274797065223a22776562617574686e2e676574222c226368616c6c656e6765223a2273524276704770587676463446524841565833496d4b41304539",
        "58773858306b526a44426c4d6668726255222c226f726967696e223a2268747470733a2f2f6578616d706c652e6f7267222c2263726f73734f726967696e",
        "223a66616c73652c22657874726144617461223a22636c69656e74446174614a534f4e206d617920626520657874656e646564207769746820616464697469",
        "6f6e616c206669656c647320696e20746865206675747572652c207375636820617320746869733a20415a4d77794d78496244382d756775464e70367238",
        "51227d"
    ),
    use_data: "bfabc37432958b063360d3ad6461c9c4735ae7f8edd46592a5e0f01452b2e4b50d00000000",
    signature: concat!(
        "30450220694969d3ee928de6f02ef23a9c644d7d779916451734a94b432542f498a1ebe90221008b0819c824218a97152cd099c55bfb1477b29d900a49a6",
        "4018314f9bfccda163"
    ),
};

/// Section 16.2: ES256 without attestation, the user present but not verified.
const NOT_VERIFIED: Vector = Vector {
    credential_id: "f91f391db4c9b2fde0ea70189cba3fb63f579ba6122b33ad94ff3ec330084be4",
    challenge: "00c30fb78531c464d2b6771dab8d7b603c01162f2fa486bea70f283ae556e130",
    client_data: concat!(
        "7b2274797065223a22776562617574686e2e637265617465222c226368616c6c656e6765223a22414d4d507434557878475453746e63647134313759447742",
        "466938767049612d7077386f4f755657345441222c226f726967696e223a2268747470733a2f2f6578616d706c652e6f7267222c2263726f73734f726967",
        "696e223a66616c73652c22657874726144617461223a22636c69656e74446174614a534f4e206d617920626520657874656e6465642077697468206164646974",
        "696f6e616c206669656c647320696e20746865206675747572652c207375636820617320746869733a20426b5165446a646354427258426941774a544c45",
        "3551227d"
    ),
    attestation: concat!(
        "a363666d74646e6f6e656761747453746d74a068617574684461746158a4bfabc37432958b063360d3ad6461c9c4735ae7f8edd46592a5e0f01452b2e4b5",
        "59000000008446ccb9ab1db374750b2367ff6f3a1f0020f91f391db4c9b2fde0ea70189cba3fb63f579ba6122b33ad94ff3ec330084be4a5010203262001",
        "215820afefa16f97ca9b2d23eb86ccb64098d20db90856062eb249c33a9b672f26df61225820930a56b87a2fca66334b03458abf879717c12cc68ed73290",
        "af2e2664796b9220"
    ),
    use_client_data: concat!(
        "7b2274797065223a22776562617574686e2e676574222c226368616c6c656e6765223a224f63446e55685158756c5455506f334a5558543049393770767a",
        "7a59425039745a63685879617630314167222c226f726967696e223a2268747470733a2f2f6578616d706c652e6f7267222c2263726f73734f726967696e",
        "223a66616c73657d"
    ),
    use_data: "bfabc37432958b063360d3ad6461c9c4735ae7f8edd46592a5e0f01452b2e4b51900000000",
    signature: concat!(
        "3046022100f50a4e2e4409249c4a853ba361282f09841df4dd4547a13a87780218deffcd380221008480ac0f0b93538174f575bf11a1dd5d78c6e486013f",
        "937295ea13653e331e87"
    ),
};

impl Vector {
    fn created(&self, attestation: &[u8]) -> NewCredential {
        let id = encoded(self.credential_id);
        let response = json!({
            "clientDataJSON": encoded(self.client_data),
            "attestationObject": URL_SAFE_NO_PAD.encode(attestation),
        });
        let text = json!({ "id": id, "rawId": id, "type": "public-key", "response": response }).to_string();
        NewCredential::parse(&text).unwrap()
    }

    fn used(&self, signature: &[u8]) -> Answer {
        let id = encoded(self.credential_id);
        let response = json!({
            "clientDataJSON": encoded(self.use_client_data),
            "authenticatorData": encoded(self.use_data),
            "signature": URL_SAFE_NO_PAD.encode(signature),
        });
        let text = json!({ "id": id, "rawId": id, "type": "public-key", "response": response }).to_string();
        Answer::parse(&text).unwrap()
    }
}

fn bytes(hex: &str) -> Vec<u8> {
    (0..hex.len() / 2).map(|at| u8::from_str_radix(&hex[2 * at..2 * at + 2], 16).unwrap()).collect()
}

fn encoded(hex: &str) -> String {
    URL_SAFE_NO_PAD.encode(bytes(hex))
}

fn passkey(key: Key) -> Passkey {
    let (id, user_id) = (Uuid::nil(), Uuid::nil());
    Passkey {
        id: id.into(),
        user_id: user_id.into(),
        name: String::new(),
        key,
        created_at: OffsetDateTime::UNIX_EPOCH,
        last_used_at: None,
    }
}

fn is_refused<T>(result: Result<T, Error>) -> bool {
    matches!(result, Err(Error::PasskeyRefused(_)))
}

/// [D-A3] A registration of the standard's test vectors is taken and its passkey signs; nothing of either may be another.
#[test]
fn the_vectors_of_the_standard_verify() {
    let site = RelyingParty::at("https://example.org").unwrap();
    let created = PACKED.created(&bytes(PACKED.attestation));
    assert_eq!(created.challenge(), bytes(PACKED.challenge));
    let key = site.register(&created).unwrap();
    assert_eq!((key.credential_id.clone(), key.algorithm, key.sign_count), (bytes(PACKED.credential_id), -7, 0));
    let passkey = passkey(key);
    let signature = bytes(PACKED.signature);
    let used = PACKED.used(&signature);
    assert_eq!((used.credential_id(), used.user_handle()), (passkey.key.credential_id.as_slice(), None));
    assert_eq!(site.verify(&used, &passkey).unwrap(), 0);

    for at in [10, 40, signature.len() - 1] {
        let mut changed = signature.clone();
        changed[at] ^= 1;
        assert!(is_refused(site.verify(&PACKED.used(&changed), &passkey)), "signature, byte {at}");
    }
    let mut other = passkey.clone();
    *other.key.public_key.last_mut().unwrap() ^= 1;
    assert!(is_refused(site.verify(&used, &other)), "another key");
    for origin in ["https://example.com", "http://example.org", "https://example.org:8443", "https://www.example.org"] {
        let elsewhere = RelyingParty::at(origin).unwrap();
        assert!(is_refused(elsewhere.verify(&used, &passkey)), "{origin}");
        assert!(is_refused(elsewhere.register(&created)), "{origin}");
    }
    let whole = bytes(PACKED.attestation);
    for length in [0, 1, 40, whole.len() - 100, whole.len() - 1] {
        assert!(is_refused(site.register(&PACKED.created(&whole[..length]))), "cut at {length}");
    }
    let longer = [whole.clone(), vec![0]].concat();
    let _ = site.register(&PACKED.created(&longer));
}

/// [D-A3] A passkey of the standard's test vectors whose user was not verified is refused, when made and when used.
#[test]
fn a_user_has_to_be_verified() {
    let site = RelyingParty::at("https://example.org").unwrap();
    assert!(is_refused(site.register(&NOT_VERIFIED.created(&bytes(NOT_VERIFIED.attestation)))));
    // Its key as it stands in the attestation.
    let attestation = bytes(NOT_VERIFIED.attestation);
    let public_key = attestation[attestation.len() - 77..].to_vec();
    let credential_id = bytes(NOT_VERIFIED.credential_id);
    let key = Key { credential_id, public_key, algorithm: -7, sign_count: 0, transports: Vec::new() };
    let used = NOT_VERIFIED.used(&bytes(NOT_VERIFIED.signature));
    let Err(Error::PasskeyRefused(cause)) = site.verify(&used, &passkey(key)) else { panic!("it was taken") };
    assert!(cause.contains("UV"), "{cause}");
}

/// [D-A3] The site of passkeys follows from the public address, which has to be one.
#[test]
fn the_site_is_that_of_the_public_address() {
    for (address, site) in [
        ("https://solvane.example", "solvane.example"),
        ("https://Solvane.example:443/", "solvane.example"),
        ("http://localhost:8080", "localhost"),
    ] {
        let options = RelyingParty::at(address).unwrap().request_options(&[], &[1; 32]).unwrap();
        let options: serde_json::Value = serde_json::from_str(&options).unwrap();
        assert_eq!(options["rpId"], site);
        assert_eq!(options["userVerification"], "required");
        assert_eq!(options["allowCredentials"], json!([]));
    }
    for address in ["", "solvane.example", "ftp://solvane.example", "https://", "https://a@b.example"] {
        assert!(RelyingParty::at(address).is_err(), "{address:?}");
    }
}

/// [D-A3] Anything but a response of a browser is refused.
#[test]
fn nonsense_is_refused() {
    let texts = ["", "{}", "[]", "null", r#"{"rawId":1}"#, r#"{"rawId":"AA","response":{"clientDataJSON":"e30"}}"#];
    for text in texts {
        assert!(is_refused(Answer::parse(text)), "{text}");
        assert!(is_refused(NewCredential::parse(text)), "{text}");
    }
}
