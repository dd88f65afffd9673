//! Settings of this process, from flags or the environment.

use std::path::PathBuf;

use chassis::config::VerifyingService;
use clap::Parser;

#[derive(Debug, Clone, Parser)]
pub struct Config {
    #[command(flatten)]
    pub service: VerifyingService,
    /// The address of the web app; every link in a mail begins with it.
    #[arg(long, env)]
    pub public_url: String,
    /// The sender, e.g. `Solvane <no-reply@example.com>`.
    #[arg(long, env)]
    pub mail_from: String,
    /// The name of the product, as members read it.
    #[arg(long, env, default_value = "Solvane")]
    pub brand: String,
    /// The address of support, which every mail and page names.
    #[arg(long, env)]
    pub support_email: String,
    /// The relay: `smtps://user:password@host`, or `smtp://host` with `?tls=required` or `?tls=opportunistic`.
    #[arg(long, env, hide_env_values = true, required_unless_present = "mail_dir")]
    pub smtp_url: Option<String>,
    /// The secret of notices on devices (Web Push). Without it none are sent there.
    #[arg(long, env)]
    pub push_key_file: Option<PathBuf>,
    /// The push services that notices may be sent to, as hosts separated by commas; `*.` stands for every host below.
    /// Empty: notices are not sent to devices.
    #[arg(
        long,
        env,
        value_delimiter = ',',
        default_value = "fcm.googleapis.com,updates.push.services.mozilla.com,*.push.apple.com,*.notify.windows.com"
    )]
    pub push_services: Vec<String>,
    /// Without a relay: the folder that mails are written to, one `.eml` each.
    #[arg(long, env)]
    pub mail_dir: Option<PathBuf>,
}
