//! The command line.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

#[derive(Parser)]
#[command(about = "Starts Solvane, or the servers it needs, from real binaries")]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Subcommand)]
pub enum Command {
    /// Start the product and keep it running until Ctrl-C.
    Run(Local),
    /// Add the demo member to the running product, or start it with one.
    Demo(Local),
    /// Verify the ledger and the other invariants of the running product.
    Audit(Place),
    /// Compare trades with their money in both directions, and propose repairs. Uses TRADE_DATABASE_URL and
    /// WALLET_DATABASE_URL, or the databases of the running product.
    Reconcile {
        #[command(flatten)]
        place: Place,
        /// URL of trade's database.
        #[arg(long, env, hide_env_values = true)]
        trade_database_url: Option<String>,
        /// URL of wallet's database.
        #[arg(long, env, hide_env_values = true)]
        wallet_database_url: Option<String>,
    },
    /// Keep the demo member of the running product active until Ctrl-C.
    Traffic(Place),
    /// Attack the gateway of a product of its own while members keep working; fails when it does not stand that.
    Attack {
        /// Two minutes instead of fifteen.
        #[arg(long)]
        quick: bool,
        /// Only cases with this in their name.
        #[arg(long)]
        only: Option<String>,
        /// Without the gateway's limits by client address, which shows that cases can fail.
        #[arg(long)]
        unlimited: bool,
    },
    /// Lose, freeze and cut machines of a cluster of its own while members keep working, as root; fails when something that
    /// was acknowledged is lost or done twice.
    Cluster {
        /// Three faults instead of all.
        #[arg(long)]
        quick: bool,
        /// Only faults with this in their name.
        #[arg(long)]
        only: Option<String>,
        /// Succeed with a line that says why, where this machine cannot have a cluster.
        #[arg(long)]
        if_possible: bool,
    },
    /// Pay an open deposit of the running product on its nodes, by the reference that the member sees.
    Pay {
        #[command(flatten)]
        place: Place,
        /// `TNX-` and six characters, or the id.
        reference: String,
        /// How many of the smallest unit, instead of the quoted amount.
        #[arg(long)]
        units: Option<u128>,
    },
    /// Send what own addresses of members hold in the running product to its cold storage, and record it as a movement of the
    /// treasury.
    Sweep {
        #[command(flatten)]
        place: Place,
        /// `bitcoin`, `ethereum` or `tron`.
        chain: String,
    },
    /// Sign a file from the payouts page of the running product, as the signer of an operator would: writes the signed PSBT to a
    /// file beside it, or sends the payments of a CSV or Safe file.
    Sign {
        #[command(flatten)]
        place: Place,
        /// `payouts.psbt`, `payouts-safe.json` or the `payouts.csv` of Tron.
        file: PathBuf,
    },
    /// Let processes of a product of its own die at every point while members keep working; fails when the history of
    /// their calls cannot be explained. Needs binaries with the feature `chassis/crash-points`.
    Chaos {
        /// What is done and what goes wrong follows from it; a random one when not set.
        #[arg(long)]
        seed: Option<u64>,
        #[arg(long, default_value_t = 60)]
        minutes: u64,
        #[arg(long, default_value_t = 8)]
        members: usize,
    },
    /// Play a year of a product of its own on a shifted clock; fails when something does not end when it should, the audit
    /// finds something after a month, or a table keeps rows beyond its retention. Needs libfaketime.
    Year {
        /// Months from January 2024 on; 13 reach the longest retention.
        #[arg(long, default_value_t = 13)]
        months: u32,
    },
    /// Restart a process of the running product from its binary, and wait until it is ready.
    Restart {
        #[command(flatten)]
        place: Place,
        /// Its name, such as `wallet`.
        service: String,
    },
    /// Measure what the most frequent statements read in tables of growing size; fails when one reads many times as much.
    Growth {
        /// Sizes of the largest table, the entries of the ledger; ten million rows take some 15 GB and half an hour.
        #[arg(long, value_delimiter = ',', default_value = "1000000,10000000")]
        rows: Vec<u64>,
    },
    /// Delete all data of the local product.
    Reset(Place),
    /// Start a PostgreSQL for development and keep it running until Ctrl-C.
    DevDb(Place),
    /// Run a command with an empty PostgreSQL and RabbitMQ, which stop afterwards.
    Testbed {
        /// Into how many buckets wallets divide their members.
        #[arg(long, default_value_t = 1)]
        buckets: u16,
        /// The command and its arguments.
        #[arg(last = true, required = true)]
        command: Vec<String>,
    },
    /// Run a command with a fresh, seeded product, which is audited and stopped afterwards. STACK_URL and
    /// STACK_MAIL_DIR are set for the command.
    E2e {
        /// With nodes of blockchains, which make blocks when the command asks: their URLs are in STACK_TRON_URL and the like.
        #[arg(long)]
        chains: bool,
        /// The command and its arguments.
        #[arg(last = true, required = true)]
        command: Vec<String>,
    },
}

#[derive(Args)]
pub struct Place {
    /// Where all data is.
    #[arg(long, env = "STACK_DIR", default_value = ".stack")]
    pub dir: PathBuf,
}

#[derive(Args)]
pub struct Local {
    #[command(flatten)]
    pub place: Place,
    /// The port of the web application and the API.
    #[arg(long, env = "STACK_PORT", default_value_t = 8080)]
    pub port: u16,
    /// An existing PostgreSQL, as an administrator, instead of a private one.
    #[arg(long, env, hide_env_values = true)]
    pub database_url: Option<String>,
    /// An existing RabbitMQ instead of a private one.
    #[arg(long, env, hide_env_values = true)]
    pub amqp_url: Option<String>,
    /// An SMTP server instead of mail as files.
    #[arg(long, env, hide_env_values = true)]
    pub smtp_url: Option<String>,
    /// Nodes of Bitcoin, Ethereum and Tron that hold nothing of value, where they are installed (deploy/nodes.sh).
    #[arg(long, env = "STACK_CHAINS", value_enum, default_value_t = Chains::On)]
    pub chains: Chains,
    /// The built web application.
    #[arg(long, env = "WEB_DIR", default_value = "web/dist")]
    pub web: PathBuf,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Chains {
    On,
    Off,
}
