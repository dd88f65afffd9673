//! An operator learns from one command whether the relay takes mails.

use std::net::TcpListener;
use std::process::Output;

use tokio::process::Command;

use crate::smtp_sink::Behaviour::{Later, Never};
use crate::smtp_sink::Sink;

async fn send_test(smtp_url: &str, address: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_mailer"));
    command.env("MAIL_FROM", "Solvane <no-reply@solvane.test>").env("SMTP_URL", smtp_url);
    command.args(["send-test", address]).output().await.unwrap()
}

/// [D-H7] The command sends a mail with the settings of the service and prints the relay's answer: also when it is a
/// refusal, or when nobody answers, and then it fails.
#[tokio::test]
async fn a_test_mail_says_what_the_relay_answers() {
    let sink = Sink::start().await;
    let sent = send_test(&sink.url(), "ada@example.com").await;
    assert!(sent.status.success(), "{sent:?}");
    assert_eq!(String::from_utf8_lossy(&sent.stdout), "the relay took the mail to ada@example.com: 250 taken\n");
    let received = sink.received();
    assert_eq!(received.len(), 1);
    for line in ["From: Solvane <no-reply@solvane.test>", "To: ada@example.com", "Subject: Test of the mail settings"] {
        assert!(received[0].lines().any(|found| found == line), "{line}: {}", received[0]);
    }

    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    sink.next(&[Never, Later]);
    let refusals = [
        (sink.url(), "ada@example.com", "550"),
        (sink.url(), "ada@example.com", "451"),
        (sink.url(), "ada", "address"),
        (format!("smtp://user:secret@{free}"), "ada@example.com", "Connection refused"),
        ("http://user:secret@relay".to_owned(), "ada@example.com", "SMTP_URL"),
    ];
    for (url, address, answer) in refusals {
        let refused = send_test(&url, address).await;
        let said = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert!(!refused.status.success() && refused.stdout.is_empty(), "{refused:?}");
        assert!(said.contains(answer) && !said.contains("secret"), "{answer}: {said}");
    }
    sink.close(true);
    let refused = send_test(&sink.url(), "ada@example.com").await;
    assert!(String::from_utf8_lossy(&refused.stderr).contains("554"), "{refused:?}");
    assert_eq!(sink.received().len(), 1);
}
