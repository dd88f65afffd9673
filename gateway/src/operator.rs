//! Who runs the product: what pages, documents and the content of the web app say about the company, its law and its keys.

use std::net::IpAddr;
#[cfg(test)]
use std::sync::LazyLock;

use anyhow::bail;
use axum::http::Uri;
use clap::Args;
#[cfg(test)]
use clap::{Command, FromArgMatches};
use serde::Serialize;

/// The settings that name the operator. The defaults are an example, which only a local product shows.
#[derive(Debug, Clone, Args, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Operator {
    /// The name of the product, as members read it.
    #[arg(long = "brand", env = "BRAND", default_value = "Solvane")]
    pub name: String,
    /// The company that runs the product.
    #[arg(long, env, default_value = EXAMPLE[0].1)]
    pub company: String,
    /// The postal address of the company.
    #[arg(long = "company-address", env = "COMPANY_ADDRESS", default_value = EXAMPLE[1].1)]
    pub address: String,
    /// The address of support, which every mail and page names.
    #[arg(long = "support-email", env = "SUPPORT_EMAIL", default_value = EXAMPLE[2].1)]
    pub email: String,
    /// The address for questions about personal data.
    #[arg(long, env, default_value = EXAMPLE[3].1)]
    pub privacy_email: String,
    /// The country whose law and courts the terms name.
    #[arg(long, env, default_value = EXAMPLE[4].1)]
    pub jurisdiction: String,
    /// The day of the last change of the terms and the privacy policy, such as `November 21, 2026`.
    #[arg(long, env, default_value = "November 21, 2026")]
    pub terms_date: String,
    /// The public keys of the treasury, with commas between them; none where platform addresses are not signed.
    #[arg(long, env, default_value = "", value_parser = treasury_keys)]
    pub treasury_keys: String,
}

/// Settings and their values in the example. [`Operator::check`] refuses them for members.
const EXAMPLE: [(&str, &str); 5] = [
    ("COMPANY", "Solvane Ltd."),
    ("COMPANY_ADDRESS", "1 Harbour Row, Dublin, Ireland"),
    ("SUPPORT_EMAIL", "hello@solvane.test"),
    ("PRIVACY_EMAIL", "privacy@solvane.test"),
    ("JURISDICTION", "Ireland"),
];

/// A key with a typing error would verify no address.
fn treasury_keys(text: &str) -> Result<String, String> {
    let is_key =
        |key: &str| key.len() == 87 && key.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'-' || c == b'_');
    match text.split(',').map(str::trim).find(|key| !key.is_empty() && !is_key(key)) {
        Some(wrong) => Err(format!("{wrong} is not what treasury-key generate prints")),
        None => Ok(text.to_owned()),
    }
}

/// Who issues documents, and where they are checked.
#[derive(Debug, Clone, Copy)]
pub struct Issuer<'a> {
    pub operator: &'a Operator,
    /// Where the product is.
    pub address: &'a str,
}

impl Operator {
    /// The company with its address, as it stands on documents.
    #[must_use]
    pub fn line(&self) -> String {
        format!("{}, {}", self.company, self.address)
    }

    /// What the settings say where none is set.
    ///
    /// # Panics
    /// If a default is not valid.
    #[cfg(test)]
    pub fn example() -> &'static Self {
        static EXAMPLE: LazyLock<Operator> = LazyLock::new(|| {
            let matches = Operator::augment_args(Command::new("example")).get_matches_from(["example"]);
            Operator::from_arg_matches(&matches).expect("the defaults are valid")
        });
        &EXAMPLE
    }

    /// Refuses the example at an address that members can reach.
    ///
    /// # Errors
    /// If a setting still has the value of the example.
    pub fn check(&self, public_url: &str) -> anyhow::Result<()> {
        // Ireland is a law that an operator may have.
        let values = [&self.company, &self.address, &self.email, &self.privacy_email];
        let is_example = |value: &str, example| value == example || value.to_lowercase().contains("example");
        let example = EXAMPLE.iter().zip(values).filter(|((_, example), value)| is_example(value, *example));
        let unset: Vec<_> = example.map(|((name, _), _)| *name).collect();
        if !unset.is_empty() && !is_local(public_url) {
            bail!("set {}: members would read the company of the example", unset.join(", "));
        }
        Ok(())
    }
}

/// Whether an address is that of a product on this machine: a name that no public DNS knows, or a loopback address.
fn is_local(public_url: &str) -> bool {
    let uri = public_url.parse::<Uri>().unwrap_or_default();
    let host = uri.host().unwrap_or_default();
    let is_reserved = matches!(host.rsplit('.').next(), Some("localhost" | "test"));
    is_reserved || host.trim_matches(['[', ']']).parse().is_ok_and(|address: IpAddr| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use clap::{Args, Command, FromArgMatches};

    use super::{EXAMPLE, Operator};

    fn operator(arguments: &[&str]) -> Result<Operator, clap::Error> {
        let arguments = ["gateway"].iter().chain(arguments);
        let matches = Operator::augment_args(Command::new("gateway")).try_get_matches_from(arguments)?;
        Operator::from_arg_matches(&matches)
    }

    /// [D-H9] The company of the example is named on a local product alone; each of its values is refused elsewhere.
    #[test]
    fn members_never_read_the_example() {
        let example = operator(&[]).unwrap();
        for local in ["http://127.0.0.1:8080", "https://localhost:8443", "https://solvane.test", "http://[::1]:80"] {
            assert!(example.check(local).is_ok(), "{local}");
        }
        let flags =
            ["--company=Acme", "--company-address=Road 1", "--support-email=a@a.org", "--privacy-email=p@a.org"];
        assert!(operator(&flags).unwrap().check("https://acme.org").is_ok());
        for (left_out, (name, _)) in EXAMPLE.iter().take(flags.len()).enumerate() {
            let mut some = flags.to_vec();
            some.remove(left_out);
            for url in ["https://acme.org", "http://127.acme.org", "https://test.acme.org", ""] {
                let error = operator(&some).unwrap().check(url).unwrap_err().to_string();
                assert_eq!(error, format!("set {name}: members would read the company of the example"), "{url}");
            }
        }
    }

    /// [D-H9] [D-S10] A treasury key that verifies nothing is refused at start.
    #[test]
    fn a_wrong_treasury_key_is_refused() {
        let key = "B".repeat(87);
        assert!(operator(&[&format!("--treasury-keys={key},{key}")]).is_ok());
        for wrong in [&key[1..], &format!("{key},x"), &format!("{}=", &key[1..])] {
            assert!(operator(&[&format!("--treasury-keys={wrong}")]).is_err(), "{wrong}");
        }
    }
}
