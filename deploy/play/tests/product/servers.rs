//! The private servers, without the product: privileges, isolation, durable data.

use std::path::Path;

use lapin::{
    BasicProperties, Connection, ConnectionProperties,
    options::{BasicAckOptions, BasicGetOptions, BasicPublishOptions, ConfirmSelectOptions, QueueDeclareOptions},
    types::FieldTable,
};
use sqlx::{Connection as _, Executor, PgConnection};
use stack::{
    Service,
    host::{process::Process, secrets::Secrets},
    servers::{
        broker::{self, VHOST},
        databases::Databases,
        postgres::{Durability, Postgres, Settings},
        rabbitmq::{self, RabbitMq},
    },
};
use tempfile::TempDir;

fn folder() -> TempDir {
    let folder = tempfile::Builder::new().prefix("solvane-").tempdir().expect("a folder");
    let open = std::os::unix::fs::PermissionsExt::from_mode(0o711);
    std::fs::set_permissions(folder.path(), open).expect("opened");
    folder
}

async fn postgres(folder: &Path) -> Postgres {
    let settings = Settings {
        folder: folder.join("pg"),
        log: folder.join("log"),
        password: "secret".to_owned(),
        durability: Durability::Full,
        clock: None,
        certificate: None,
    };
    Postgres::start(&settings).await.expect("started")
}

/// [D-X1] [K12] Checksums are on; a service reads and writes its own tables, changes no schema, and reaches no other
/// service's database; a second start finds the data again.
#[tokio::test]
async fn a_service_has_its_own_database_and_no_more() {
    let folder = folder();
    let server = postgres(folder.path()).await;
    let secrets = Secrets::of_server("a secret");
    let databases = Databases::provision(&server.url(), "", &secrets).await.expect("provisioned");

    let mut owner = PgConnection::connect(&databases.owner_url(Service::Wallet).expect("a url")).await.expect("owner");
    owner.execute("CREATE TABLE notes (id bigint GENERATED ALWAYS AS IDENTITY, text text)").await.expect("made");
    let checksums: String = sqlx::query_scalar("SHOW data_checksums").fetch_one(&mut owner).await.expect("read");
    assert_eq!(checksums, "on");

    let url = databases.url(Service::Wallet).expect("a url");
    let mut service = PgConnection::connect(&url).await.expect("the service connects");
    service.execute("INSERT INTO notes (text) VALUES ('kept')").await.expect("it writes");
    service.execute("CREATE TABLE more (id bigint)").await.expect_err("it makes no tables");
    service.execute("TRUNCATE notes").await.expect_err("it empties no tables");
    let elsewhere = url.replace("/wallet", "/auth");
    assert_ne!(elsewhere, url);
    PgConnection::connect(&elsewhere).await.expect_err("another service's database is closed");

    server.process().terminate().await.expect("ended in order");
    drop(server);
    let server = postgres(folder.path()).await;
    let databases = Databases::provision(&server.url(), "", &secrets).await.expect("a second time");
    let url = databases.url(Service::Wallet).expect("a url");
    let mut service = PgConnection::connect(&url).await.expect("the service connects");
    let text: String = sqlx::query_scalar("SELECT text FROM notes").fetch_one(&mut service).await.expect("kept");
    assert_eq!(text, "kept");
}

/// [D-X1] [K12] One broker user a service; a durable message survives the death of the broker.
#[tokio::test]
async fn a_message_survives_the_death_of_the_broker() {
    let folder = folder();
    let settings = rabbitmq::Settings {
        folder: folder.path().join("rabbitmq"),
        log: folder.path().join("log"),
        port: 0,
        management_port: None,
        definitions: broker::definitions(&Secrets::of_server("a secret")),
        certificate: None,
    }
    .on_a_free_port()
    .expect("a port");
    let user = |service| broker::user_of(&settings.definitions.users, service).expect("a user").clone();
    let node = RabbitMq::start(&settings).await.expect("started");

    let connection = connect(&node.url(&user(Service::Wallet), VHOST)).await.expect("connected");
    let channel = connection.create_channel().await.expect("a channel");
    let durable = QueueDeclareOptions { durable: true, ..QueueDeclareOptions::default() };
    channel.queue_declare("kept".into(), durable, FieldTable::default()).await.expect("a queue");
    channel.confirm_select(ConfirmSelectOptions::default()).await.expect("confirms");
    let persistent = BasicProperties::default().with_delivery_mode(2);
    let publish = channel.basic_publish("".into(), "kept".into(), BasicPublishOptions::default(), b"kept", persistent);
    publish.await.expect("sent").await.expect("confirmed");

    let mut stranger = user(Service::Wallet);
    stranger.password = "wrong".to_owned();
    assert!(connect(&node.url(&stranger, VHOST)).await.is_err());

    // That a queue exists reaches the disk a moment after it is answered; a message does before it is confirmed.
    tokio::time::sleep(std::time::Duration::from_secs(3)).await;
    node.process().kill().await.expect("killed");
    drop(node);
    let node = RabbitMq::start(&settings).await.expect("started again");
    let connection = connect(&node.url(&user(Service::Mailer), VHOST)).await.expect("another user connects");
    let channel = connection.create_channel().await.expect("a channel");
    let message = channel.basic_get("kept".into(), BasicGetOptions::default()).await.expect("asked").expect("kept");
    assert_eq!(message.delivery.data, b"kept");
    message.delivery.ack(BasicAckOptions::default()).await.expect("acknowledged");
    drop(Process::terminate(node.process()).await);
}

async fn connect(url: &str) -> lapin::Result<Connection> {
    Connection::connect(url, ConnectionProperties::default()).await
}
