//! Renders an email: subject, text and HTML.

use std::collections::BTreeMap;

use anyhow::bail;
use lettre::Address;
use minijinja::syntax::SyntaxConfig;
use minijinja::{Environment, UndefinedBehavior, Value};
use strum::VariantArray;

use crate::domain::mail::Params;
use crate::domain::template::{Source, Template};

const SHARED: [Source; 4] = [
    ("layout.txt", include_str!("../templates/layout.txt.j2")),
    ("layout.html", include_str!("../templates/layout.html.j2")),
    ("parts.html", include_str!("../templates/parts.html.j2")),
    ("security.txt", include_str!("../templates/security.txt.j2")),
];

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Content {
    pub subject: String,
    pub text: String,
    pub html: String,
}

pub struct Renderer(Environment<'static>);

impl Renderer {
    /// Compiles the templates; every link begins with the public url, and every mail names the product and the address of
    /// support.
    ///
    /// # Errors
    /// If the URL or the address cannot stand in HTML unescaped, or a template cannot be compiled.
    pub fn new(public_url: &str, brand: &str, support: &str) -> anyhow::Result<Self> {
        let fit = |c: char| c.is_ascii_alphanumeric() || "-._~:/[]%".contains(c);
        if !public_url.starts_with("http") || !public_url.contains("://") || !public_url.chars().all(fit) {
            bail!("PUBLIC_URL must be a plain http or https url");
        }
        let plain = |c: char| c.is_ascii_alphanumeric() || "@-._+".contains(c);
        if support.parse::<Address>().is_err() || !support.chars().all(plain) {
            bail!("SUPPORT_EMAIL must be a plain email address");
        }
        let mut environment = Environment::new();
        // A mail that lacks a fact must not go out with a gap.
        environment.set_undefined_behavior(UndefinedBehavior::Strict);
        let syntax =
            SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).keep_trailing_newline(true).build()?;
        environment.set_syntax(syntax);
        environment.add_global("site", Value::from_safe_string(public_url.trim_end_matches('/').to_owned()));
        environment.add_global("brand", brand);
        environment.add_global("support", Value::from_safe_string(support.to_owned()));
        for (name, source) in
            SHARED.into_iter().chain(Template::VARIANTS.iter().flat_map(|template| template.sources()))
        {
            environment.add_template(name, source)?;
        }
        Ok(Self(environment))
    }

    /// Renders a mail.
    ///
    /// # Errors
    /// If the template asks for something that `params` does not have.
    pub fn render(&self, template: Template, params: &Params) -> Result<Content, minijinja::Error> {
        let [text, html] = template.sources().map(|(name, _)| self.0.get_template(name));
        let mut context: BTreeMap<&str, Value> =
            params.iter().map(|(name, value)| (name.as_str(), Value::from(value))).collect();
        let mut text = text?.render_captured(&context)?;
        let subject = text.with_state_mut(|state| state.render_block("subject"))?;
        context.insert("subject", Value::from(&subject));
        Ok(Content { text: text.into_output(), html: html?.render(context)?, subject })
    }
}

#[cfg(test)]
mod tests {
    use super::Renderer;
    use crate::domain::mail::Params;
    use crate::domain::template::Template;
    use strum::VariantArray;

    /// [D-E2] Every mail has a subject of one line.
    #[test]
    fn every_mail_has_a_subject() {
        for &template in Template::VARIANTS {
            let [(_, text), _] = template.sources();
            let subject =
                text.split_once("{% block subject %}").and_then(|(_, rest)| rest.split_once("{% endblock %}"));
            assert!(
                subject.is_some_and(|(it, _)| !it.trim().is_empty() && !it.contains('\n')),
                "{}",
                template.into_str()
            );
        }
    }

    /// [D-E2] A mail that lacks a fact is refused, never sent with a gap.
    #[test]
    fn a_missing_fact_is_refused() {
        let renderer = Renderer::new("https://solvane.test/", "Solvane", "help@solvane.test").unwrap();
        for &template in Template::VARIANTS {
            assert!(renderer.render(template, &Params::new()).is_err(), "{}", template.into_str());
        }
    }
    /// [D-M8] The address of support is one that members can write to.
    #[test]
    fn the_address_of_support_is_an_address() {
        for wrong in ["", "help", "help@", "Help <help@solvane.test>", "\"<b>\"@solvane.test", "help@solvane.test\n"] {
            assert!(Renderer::new("https://solvane.test", "Solvane", wrong).is_err(), "{wrong}");
        }
    }
}
