//! A peer: cala-ledger, a double-entry ledger in Rust over PostgreSQL, posting a transfer between two accounts.

use std::sync::Arc;

use anyhow::{Context, Result};
use cala_ledger::account::NewAccount;
use cala_ledger::job::{JobSvcConfig, Jobs};
use cala_ledger::journal::NewJournal;
use cala_ledger::tx_template::{
    NewParamDefinition, NewTxTemplate, NewTxTemplateEntry, NewTxTemplateTransaction, ParamDataType, Params,
};
use cala_ledger::{AccountId, CalaLedger, CalaLedgerConfig, JournalId, TransactionId};
use rust_decimal::Decimal;

use crate::cpu::Server;
use crate::measure::{Sample, drive};

/// The number of accounts that balances are spread over.
const ACCOUNTS: usize = 1_000;
const TEMPLATE: &str = "TRANSFER";

/// Its database with accounts.
#[derive(Clone)]
pub struct Cala {
    ledger: CalaLedger,
    journal: JournalId,
    accounts: Arc<Vec<AccountId>>,
    // Its background jobs run until this is dropped.
    _jobs: Arc<Jobs>,
}

impl Cala {
    /// Makes its database on the server.
    pub async fn new(server_url: &str) -> Result<Self> {
        let url = crate::databases::create(server_url, "cala").await?;
        let pool = cala_sqlx::postgres::PgPoolOptions::new().max_connections(8).connect(&url).await?;
        let config = CalaLedgerConfig::builder().pool(pool.clone()).exec_migrations(true).build()?;
        let mut jobs = Jobs::init(JobSvcConfig::builder().pool(pool).build()?).await?;
        let ledger = CalaLedger::init(config, &mut jobs).await?;
        let journal = JournalId::new();
        ledger.journals().create(NewJournal::builder().id(journal).name("Bench").build()).await?;
        let mut accounts = Vec::with_capacity(ACCOUNTS);
        for number in 0..ACCOUNTS {
            let id = AccountId::new();
            let name = format!("account {number}");
            ledger.accounts().create(NewAccount::builder().id(id).name(name.clone()).code(name).build()).await?;
            accounts.push(id);
        }
        ledger.tx_templates().create(template()?).await?;
        Ok(Self { ledger, journal, accounts: Arc::new(accounts), _jobs: Arc::new(jobs) })
    }

    /// Transfers for the given time, spread over accounts or all to one.
    pub async fn transfer(&self, server: &Server, at_once: usize, seconds: u64, hot: bool) -> Result<Sample> {
        let cala = self.clone();
        drive(server, at_once, seconds, move || {
            let cala = cala.clone();
            async move { cala.one(hot).await }
        })
        .await
    }

    async fn one(&self, hot: bool) -> Result<()> {
        let from = rand::random_range(1..ACCOUNTS);
        let to = if hot { 0 } else { (from + rand::random_range(1..ACCOUNTS)) % ACCOUNTS };
        let mut params = Params::new();
        params.insert("journal_id", self.journal);
        params.insert("sender", self.accounts[from]);
        params.insert("recipient", self.accounts[to]);
        params.insert("amount", Decimal::ONE);
        self.ledger.post_transaction(TransactionId::new(), TEMPLATE, params).await.context("cala refused")?;
        Ok(())
    }
}

fn template() -> Result<NewTxTemplate> {
    let mut params = Vec::new();
    for (name, kind) in [
        ("journal_id", ParamDataType::Uuid),
        ("sender", ParamDataType::Uuid),
        ("recipient", ParamDataType::Uuid),
        ("amount", ParamDataType::Decimal),
    ] {
        params.push(NewParamDefinition::builder().name(name).r#type(kind).build()?);
    }
    let mut entries = Vec::new();
    for (account, direction) in [("params.sender", "DEBIT"), ("params.recipient", "CREDIT")] {
        let entry = NewTxTemplateEntry::builder().entry_type(format!("'TRANSFER_{direction}'"));
        let entry = entry.account_id(account).layer("SETTLED").direction(direction);
        entries.push(entry.units("params.amount").currency("'USD'").build()?);
    }
    let transaction =
        NewTxTemplateTransaction::builder().effective("date()").journal_id("params.journal_id").build()?;
    let id = uuid::Uuid::now_v7();
    Ok(NewTxTemplate::builder().id(id).code(TEMPLATE).params(params).transaction(transaction).entries(entries).build())
}
