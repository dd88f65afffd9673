//! History and statement.

use chassis::clock::to_proto;
use chassis::testing::with_token;
use proto::common::v1::PageRequest;
use proto::wallet::v1::wallet_service_server::WalletService;
use proto::wallet::v1::*;
use sqlx::PgPool;
use time::{Duration, OffsetDateTime};

use crate::fixture::{World, code, deposit, withdrawal};

/// [API-11] [D-L2] [D-L4] [D-G5] Newest first, page by page, exact titles, random ids.
#[sqlx::test(migrations = false)]
async fn the_history_is_paged(pool: PgPool) {
    let world = World::new(pool).await;
    let member = world.member_with(50_000).await;
    world.buy_course(&member).await.unwrap();
    for _ in 0..3 {
        world.deposit(&member, deposit(10_000)).await.unwrap();
    }
    let all = world.history(&member).await;
    let titles: Vec<_> = all.iter().map(|one| one.title.as_str()).collect();
    assert_eq!(titles, ["Deposit", "Deposit", "Deposit", "Course", "Deposit"]);
    assert!(all.iter().all(|one| uuid::Uuid::try_parse(&one.id).unwrap().get_version_num() == 4));
    let mut cursor = String::new();
    let mut seen = Vec::new();
    loop {
        let page = Some(PageRequest { size: 2, cursor });
        let request = with_token(ListTransactionsRequest { page }, &member.token);
        let found = world.doors.list_transactions(request).await.unwrap().into_inner();
        seen.extend(found.transactions);
        cursor = found.next_cursor;
        if cursor.is_empty() {
            break;
        }
    }
    assert_eq!(seen, all);
    for (size, cursor) in [(-1, ""), (501, ""), (1, "x"), (1, "1.x")] {
        let page = Some(PageRequest { size, cursor: cursor.into() });
        let request = with_token(ListTransactionsRequest { page }, &member.token);
        assert_eq!(code(world.doors.list_transactions(request).await), "VALIDATION_FAILED");
    }
}

/// [L3] The statement's lines lead from the opening to the closing balance.
#[sqlx::test(migrations = false)]
async fn a_statement_adds_up(pool: PgPool) {
    let world = World::new(pool).await;
    let member = world.member_with(50_000).await;
    let middle = OffsetDateTime::now_utc();
    world.buy_course(&member).await.unwrap();
    let open = world.withdraw(&member, withdrawal(10_000)).await.unwrap();
    world.reject(&open, "MEMBER_REQUEST").await.unwrap();
    let statement = async |from: OffsetDateTime, to: OffsetDateTime| {
        let request = GetStatementRequest { from: Some(to_proto(from)), to: Some(to_proto(to)) };
        world.doors.get_statement(with_token(request, &member.token)).await
    };
    let (hour, now) = (Duration::hours(1), OffsetDateTime::now_utc() + Duration::seconds(1));
    let all = statement(now - hour, now).await.unwrap().into_inner();
    let lines: Vec<_> =
        all.lines.iter().map(|line| (line.title.as_str(), line.amount_cents, line.balance_cents)).collect();
    assert_eq!(
        lines,
        [
            ("Deposit", 50_000, 50_000),
            ("Course", -8_700, 41_300),
            ("Withdrawal", -10_000, 31_300),
            ("Withdrawal", 10_000, 41_300)
        ]
    );
    assert_eq!((all.opening_balance_cents, all.closing_balance_cents), (0, 41_300));
    let later = statement(middle, now).await.unwrap().into_inner();
    assert_eq!((later.opening_balance_cents, later.closing_balance_cents, later.lines.len()), (50_000, 41_300, 3));
    let none = statement(now + hour, now + hour + hour).await.unwrap().into_inner();
    assert_eq!((none.opening_balance_cents, none.closing_balance_cents, none.lines.len()), (41_300, 41_300, 0));
    assert_eq!(code(statement(now, now).await), "VALIDATION_FAILED");
    assert_eq!(code(statement(now - Duration::days(367), now).await), "VALIDATION_FAILED");
}
