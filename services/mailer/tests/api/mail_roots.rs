//! The daily mail of signed roots.

use std::path::Path;
use std::sync::Arc;

use chassis::config::object_store;
use chassis::roots::{Covers, Exporter, read};
use mailer::app::mail_roots::MailRoots;
use sqlx::PgPool;
use tokio::sync::Notify;

use crate::accept_event::hire;
use crate::fixture::World;
use crate::templates::check;

fn mail_roots(world: &World, folder: &Path) -> MailRoots {
    let store = object_store(&format!("file://{}", folder.display())).unwrap();
    MailRoots { db: world.db.clone(), directory: world.directory.clone(), store, queued: Arc::new(Notify::new()) }
}

/// [D-B5] Each auditor gets the number and SHA-256 of every service's newest root once a day, no matter who asks how often; nobody
/// else does, and before there is a root nothing is mailed.
#[sqlx::test(migrations = false)]
async fn auditors_get_the_roots_of_the_day_once(pool: PgPool) {
    let world = World::start(pool).await;
    let staff = hire(&world);
    world.accounts.lock().unwrap().roles.insert(staff[0], "auditor".to_owned());
    let folder = tempfile::tempdir().unwrap();
    let daily = mail_roots(&world, folder.path());
    assert_eq!(daily.queue().await.unwrap(), 0);
    let mut facts = Vec::new();
    for service in ["mailer", "wallet"] {
        let exporter = Exporter {
            service,
            db: world.db.clone(),
            store: Arc::clone(&daily.store),
            key: world.realm.service_key(service),
            covers: Covers::AuditLog,
        };
        exporter.export().await.unwrap();
        let newest = read(&*daily.store, service, true).await.unwrap().pop().unwrap();
        facts.extend([service.to_owned(), format!("{:010}", newest.root.number), newest.hash()]);
    }
    let another = mail_roots(&world, folder.path());
    let (first, second) = tokio::join!(daily.queue(), another.queue());
    assert_eq!((first.unwrap() + second.unwrap(), daily.queue().await.unwrap()), (1, 0));
    let row = world.row().await;
    assert_eq!((row.template.as_str(), row.user_id), ("roots_of_the_day", staff[0]));
    world.send_due().await;
    check(&world.sink.received()[0], &facts.iter().map(String::as_str).collect::<Vec<_>>());
}
