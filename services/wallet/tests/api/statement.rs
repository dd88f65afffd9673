//! History and statement.

use chassis::clock::{Timestamp, to_proto};
use chassis::money::Cents;
use chassis::testing::with_token;
use proto::common::v1::PageRequest;
use proto::wallet::v1::wallet_service_server::WalletService;
use proto::wallet::v1::*;
use sqlx::PgPool;
use time::{Duration, OffsetDateTime};
use uuid::Uuid;
use wallet::domain::account::AccountRef;
use wallet::domain::posting_kind::{Cause, PostingKind};
use wallet::posting::{Movement, Outcome, Posting};

use crate::fixture::{Member, World, code, deposit, withdrawal};
use crate::trades;
use crate::treasury::fund_plan;

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
    assert!(all.iter().all(|one| Uuid::try_parse(&one.id).unwrap().get_version_num() == 4));
    let mut cursor = String::new();
    let mut seen = Vec::new();
    loop {
        let page = Some(PageRequest { size: 2, cursor });
        let request = with_token(ListTransactionsRequest { page, ..Default::default() }, &member.token);
        let found = world.grpc.list_transactions(request).await.unwrap().into_inner();
        seen.extend(found.transactions);
        cursor = found.next_cursor;
        if cursor.is_empty() {
            break;
        }
    }
    assert_eq!(seen, all);
    for (size, cursor) in [(-1, ""), (501, ""), (1, "x"), (1, "1.x")] {
        let page = Some(PageRequest { size, cursor: cursor.into() });
        let request = with_token(ListTransactionsRequest { page, ..Default::default() }, &member.token);
        assert_eq!(code(world.grpc.list_transactions(request).await), "VALIDATION_FAILED");
    }
}

/// [D-M9] [S3] A member finds their own lines by reference, amount, and a part of a description, hash or address, and within a
/// period, page by page; never another member's.
#[sqlx::test(migrations = false)]
async fn the_history_is_searched(pool: PgPool) {
    let world = World::new(pool).await;
    let (member, other) = (world.member_with(50_000).await, world.member_with(50_000).await);
    let paid = world.deposit(&member, deposit(12_345)).await.unwrap();
    let paid = world.approve(&paid).await.unwrap();
    let open = world.withdraw(&member, withdrawal(10_000)).await.unwrap();
    let find = async |q: &str, from: Option<OffsetDateTime>, to: Option<OffsetDateTime>, size: i32, cursor: &str| {
        let page = Some(PageRequest { size, cursor: cursor.to_owned() });
        let (from, to) = (from.map(to_proto), to.map(to_proto));
        let request = ListTransactionsRequest { page, q: q.to_owned(), from, to };
        let found = world.grpc.list_transactions(with_token(request, &member.token)).await?.into_inner();
        let ids: Vec<_> = found.transactions.into_iter().map(|one| one.id).collect();
        Ok::<_, tonic::Status>((ids, found.next_cursor))
    };
    let by = async |q: &str| find(q, None, None, 0, "").await.unwrap().0;
    let address = open.destination.clone().unwrap().address;
    for (q, expected) in [
        (format!("TNX-{}", &paid.id[..6]), vec![&paid.id]),
        (paid.id.clone(), vec![&paid.id]),
        ("$123.45".to_owned(), vec![&paid.id]),
        ("97.50".to_owned(), vec![&open.id]),
        ("WITHDRAWAL".to_owned(), vec![&open.id]),
        (address[2..9].to_owned(), vec![&open.id]),
        (paid.txid[44..].to_uppercase(), vec![&paid.id]),
        ("100 %".to_owned(), vec![]),
        ("%".to_owned(), vec![]),
    ] {
        assert_eq!(by(&q).await.iter().collect::<Vec<_>>(), expected, "{q}");
    }
    let theirs = world.history(&other).await[0].id.clone();
    assert!(by(&theirs).await.is_empty());
    let now = OffsetDateTime::now_utc();
    let (hour, all) = (Duration::hours(1), by("").await);
    assert_eq!(find("", Some(now - hour), Some(now + hour), 0, "").await.unwrap().0, all);
    assert!(find("", Some(now + hour), None, 0, "").await.unwrap().0.is_empty());
    assert!(find("", None, Some(now - hour), 0, "").await.unwrap().0.is_empty());
    let (first, cursor) = find("deposit", None, None, 1, "").await.unwrap();
    let (second, end) = find("deposit", None, None, 1, &cursor).await.unwrap();
    assert_eq!((first, second.len(), end.as_str()), (vec![paid.id.clone()], 1, ""));
    for (q, to) in [("a".repeat(129), now + hour), (String::new(), now - hour - hour)] {
        assert_eq!(code(find(&q, Some(now - hour), Some(to), 0, "").await), "VALIDATION_FAILED");
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
        let request = GetStatementRequest { from: Some(to_proto(from)), to: Some(to_proto(to)), page: None };
        world.grpc.get_statement(with_token(request, &member.token)).await
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

/// [D-M9] [L3] The report of a year agrees with the ledger to the cent: what was there, plus what came in, less what went out,
/// with fees, and gains and losses by plan and trade. A line has the hash and the fee of what was paid.
#[sqlx::test(migrations = false)]
async fn a_year_agrees_with_the_ledger(pool: PgPool) {
    let world = World::new(pool).await;
    fund_plan(&world, 1_501).await;
    let member = world.member_with(100_000).await;
    let other = world.member_with(70_000).await;
    let trades = [(20_000, 21_501), (10_000, 9_999), (5_000, 0)].map(|ways| (Uuid::now_v7(), ways));
    for (trade, (amount, value)) in trades {
        trades::fund(&world, &member, trade, amount).await.unwrap();
        trades::settle(&world, &member, trade, amount, value).await.unwrap();
    }
    trades::fund(&world, &member, Uuid::now_v7(), 3_000).await.unwrap();
    let rejected = world.withdraw(&member, withdrawal(10_000)).await.unwrap();
    world.reject(&rejected, "MEMBER_REQUEST").await.unwrap();
    let paid = world.withdraw(&member, withdrawal(10_010)).await.unwrap();
    let paid = world.approve(&paid).await.unwrap();
    let paid = world.pay(&paid).await.unwrap();
    world.buy_course(&member).await.unwrap();
    let report = async |member: &Member, year: i32| {
        world.grpc.get_year_report(with_token(GetYearReportRequest { year }, &member.token)).await
    };
    let year = OffsetDateTime::now_utc().year();
    let told = report(&member, year).await.unwrap().into_inner();
    let (into, out) = told.sums.iter().fold((0, 0), |sums, one| (sums.0 + one.in_cents, sums.1 + one.out_cents));
    assert_eq!((told.opening_balance_cents, told.closing_balance_cents), (0, into - out));
    let balances = told.balances.iter().map(|one| (one.account.as_str(), one.amount_cents)).collect::<Vec<_>>();
    let available = 100_000 + 1_501 - 1 - 5_000 - 3_000 - 10_010 - 8_700;
    assert!(balances.contains(&("available", told.closing_balance_cents)) && balances.contains(&("invested", 3_000)));
    assert_eq!(told.closing_balance_cents, available);
    let mut sums: Vec<_> =
        told.sums.iter().map(|one| (one.title.as_str(), one.in_cents, one.out_cents, one.count)).collect();
    sums.sort_unstable();
    assert_eq!(
        sums,
        [
            ("Course", 0, 8_700, 1),
            ("Deposit", 100_000, 0, 1),
            ("Profit", 1_501, 0, 1),
            ("Trade", 29_999, 38_000, 6),
            ("Withdrawal", 10_000, 20_010, 3),
        ]
    );
    assert_eq!((told.withdrawal_fees_cents, told.separate_fees_cents), (250, 0));
    let plan = PlanResult {
        plan_title: "Starter".to_owned(),
        trades: 3,
        invested_cents: 35_000,
        paid_cents: 31_500,
        gains_cents: 1_501,
        losses_cents: 5_001,
    };
    assert_eq!(told.plans, [plan]);
    let listed: Vec<_> =
        told.trades.iter().map(|one| (one.trade_id.clone(), (one.amount_cents, one.paid_cents))).collect();
    assert_eq!(listed, trades.map(|(id, ways)| (id.to_string(), ways)));
    let theirs = report(&other, year).await.unwrap().into_inner();
    assert_eq!((theirs.closing_balance_cents, theirs.trades.len(), theirs.withdrawal_fees_cents), (70_000, 0, 0));
    let before = report(&member, year - 1).await.unwrap().into_inner();
    assert_eq!((before.closing_balance_cents, before.sums.len(), before.trades.len()), (0, 0, 0));
    for wrong in [year + 1, 1999, i32::MAX, i32::MIN] {
        assert_eq!(code(report(&member, wrong).await), "VALIDATION_FAILED", "{wrong}");
    }
    let (hour, now) = (Duration::hours(1), OffsetDateTime::now_utc() + Duration::seconds(1));
    let request = GetStatementRequest { from: Some(to_proto(now - hour)), to: Some(to_proto(now)), page: None };
    let lines = world.grpc.get_statement(with_token(request, &member.token)).await.unwrap().into_inner().lines;
    let of = |id: &str| lines.iter().filter(|line| line.transaction_id == id).collect::<Vec<_>>();
    let [line] = *of(&paid.id) else { panic!("{lines:?}") };
    assert_eq!((line.fee_cents, &line.txid, line.amount_cents), (Some(250), &paid.txid, -10_010));
    assert!(of(&rejected.id).iter().all(|line| line.fee_cents.is_none() && line.txid.is_empty()));
    assert!(lines.iter().any(|line| line.description == "Profit from Starter"));
}

/// Moves a cent from the balance to the bonus, so often.
async fn move_cents(world: &World, member: &Member, times: usize) {
    let way = (AccountRef::available(member.id), AccountRef::bonus(member.id));
    let movement = || {
        let cause = Cause::Unchecked(Uuid::new_v4());
        let posting = Posting::transfer(PostingKind::Transfer, cause, member.id, way, Cents::new(1)).unwrap();
        world.home().ledger.apply(Movement { user_id: member.id, postings: vec![posting], ..Movement::default() })
    };
    let outcomes = futures::future::join_all((0..times).map(|_| movement())).await;
    assert!(outcomes.into_iter().all(|outcome| outcome.unwrap() == Outcome::Applied));
}

/// [D-B13] [A16] A statement comes in pages of its period alone; what is posted while they are read is in none of them.
#[sqlx::test(migrations = false)]
async fn a_statement_is_read_page_by_page(pool: PgPool) {
    let world = World::new(pool).await;
    world.allow_transfers().await;
    let member = world.member_with(50_000).await;
    let from = OffsetDateTime::now_utc();
    move_cents(&world, &member, 120).await;
    let to = OffsetDateTime::now_utc() + Duration::hours(1);
    let read = async |page: Option<PageRequest>| {
        let request = GetStatementRequest { from: Some(to_proto(from)), to: Some(to_proto(to)), page };
        world.grpc.get_statement(with_token(request, &member.token)).await
    };
    let whole = read(None).await.unwrap().into_inner();
    assert_eq!((whole.opening_balance_cents, whole.closing_balance_cents, whole.lines.len()), (50_000, 49_880, 120));
    let (mut cursor, mut lines, mut sizes) = (String::new(), Vec::new(), Vec::new());
    loop {
        let page = read(Some(PageRequest { size: 50, cursor })).await.unwrap().into_inner();
        assert_eq!((page.opening_balance_cents, page.closing_balance_cents), (50_000, 49_880));
        sizes.push(page.lines.len());
        lines.extend(page.lines);
        cursor = page.next_cursor;
        if cursor.is_empty() {
            break;
        }
        move_cents(&world, &member, 1).await;
    }
    assert_eq!(sizes, [50, 50, 20]);
    assert_eq!(lines, whole.lines);
    // A cursor leads nowhere but into the period.
    let wide = read(Some(PageRequest { size: 500, cursor: format!("-5.{}", i64::MAX) })).await.unwrap().into_inner();
    assert_eq!((wide.lines.len(), wide.closing_balance_cents), (122, 49_878));
    for cursor in ["x", "1", "1.x", "1.99999999999999999999"] {
        let page = Some(PageRequest { size: 0, cursor: cursor.into() });
        assert_eq!(code(read(page).await), "VALIDATION_FAILED", "{cursor}");
    }
}

/// [D-N10] [M26] What is reported of a moment never changes: a look waits for those who may still post before it, and for nobody
/// who only reads.
#[sqlx::test(migrations = false)]
async fn a_moment_that_was_told_never_changes(pool: PgPool) {
    let world = World::new(pool).await;
    let member = world.member_with(50_000).await;
    let (from, within) = (OffsetDateTime::now_utc() - Duration::hours(1), std::time::Duration::from_millis(500));
    let look = async |at: OffsetDateTime| {
        let request = with_token(GetBalancesRequest { at: Some(to_proto(at)) }, &member.token);
        world.grpc.get_balances(request).await.map(drop)
    };
    let statement = async |at: OffsetDateTime| {
        let request = GetStatementRequest { from: Some(to_proto(from)), to: Some(to_proto(at)), page: None };
        world.grpc.get_statement(with_token(request, &member.token)).await.map(drop)
    };
    let mut reader = world.home().db.begin().await.unwrap();
    sqlx::query("SELECT count(*), pg_current_xact_id() FROM accounts").execute(&mut *reader).await.unwrap();
    look(OffsetDateTime::now_utc()).await.unwrap();
    let mut writer = world.home().db.begin().await.unwrap();
    sqlx::query("SELECT FROM accounts FOR UPDATE").execute(&mut *writer).await.unwrap();
    let at = OffsetDateTime::now_utc();
    assert!(tokio::time::timeout(within, look(at)).await.is_err());
    assert!(tokio::time::timeout(within, statement(at)).await.is_err());
    assert_eq!(code(look(at).await), "UNAVAILABLE");
    // Anyone who began later posts later.
    look(at - Duration::seconds(5)).await.unwrap();
    writer.commit().await.unwrap();
    look(at).await.unwrap();
    statement(at).await.unwrap();
}

/// [R3] [D-B13] What the member had at the end of each of the last days: what moved on a day counts from its end on, and today is
/// none of them.
#[sqlx::test(migrations = false)]
async fn balances_are_listed_by_day(pool: PgPool) {
    let world = World::new(pool.clone()).await;
    world.allow_transfers().await;
    let member = world.member_with(50_000).await;
    let move_back = async |days: i32| {
        let sql = format!(
            "ALTER TABLE postings DISABLE TRIGGER ALL;
             UPDATE postings SET created_at = created_at - interval '{days} days' WHERE created_at > now() - interval '1 hour';
             ALTER TABLE postings ENABLE TRIGGER ALL"
        );
        sqlx::raw_sql(sqlx::AssertSqlSafe(sql)).execute(&pool).await.unwrap();
    };
    move_back(3).await;
    world.withdraw(&member, withdrawal(10_000)).await.unwrap();
    move_back(1).await;
    move_cents(&world, &member, 70).await;
    let list = async |days| {
        let answer =
            world.grpc.list_daily_balances(with_token(ListDailyBalancesRequest { days }, &member.token)).await?;
        let of = |day: &GetBalancesResponse, account: &str| {
            day.balances.iter().find(|one| one.account == account).unwrap().amount_cents
        };
        let days = answer.into_inner().days;
        Ok::<_, tonic::Status>(days.iter().map(|day| (of(day, "available"), of(day, "held"))).collect::<Vec<_>>())
    };
    assert_eq!(list(4).await.unwrap(), [(0, 0), (50_000, 0), (50_000, 0), (40_000, 10_000)]);
    assert_eq!(list(1).await.unwrap(), [(40_000, 10_000)]);
    for days in [0, 93, -1] {
        assert_eq!(code(list(days).await), "VALIDATION_FAILED");
    }
}

/// [D-B13] What the member had at a moment, by the ledger; nothing before the first posting, nothing of the future.
#[sqlx::test(migrations = false)]
async fn balances_are_told_as_of_a_moment(pool: PgPool) {
    let world = World::new(pool.clone()).await;
    world.allow_transfers().await;
    let before = OffsetDateTime::now_utc();
    let member = world.member_with(50_000).await;
    let at = async |at: Option<Timestamp>| {
        let request = with_token(GetBalancesRequest { at }, &member.token);
        world.grpc.get_balances(request).await.map(|answer| {
            let balances = answer.into_inner().balances;
            let of = |account: &str| balances.iter().find(|one| one.account == account).unwrap().amount_cents;
            (of("available"), of("held"), of("bonus"), of("invested"))
        })
    };
    let deposited = OffsetDateTime::now_utc();
    let open = world.withdraw(&member, withdrawal(10_000)).await.unwrap();
    let requested = OffsetDateTime::now_utc();
    world.reject(&open, "MEMBER_REQUEST").await.unwrap();
    move_cents(&world, &member, 70).await;
    assert_eq!(at(Some(to_proto(before))).await.unwrap(), (0, 0, 0, 0));
    assert_eq!(at(Some(to_proto(deposited))).await.unwrap(), (50_000, 0, 0, 0));
    assert_eq!(at(Some(to_proto(requested))).await.unwrap(), (40_000, 10_000, 0, 0));
    assert_eq!(at(None).await.unwrap(), (49_930, 0, 70, 0));
    let future = OffsetDateTime::now_utc() + Duration::minutes(1);
    assert_eq!(code(at(Some(to_proto(future))).await), "VALIDATION_FAILED");
    assert_eq!(code(at(Some(Timestamp { seconds: i64::MAX, nanos: 0 })).await), "VALIDATION_FAILED");
    // The same as a look at every entry, at the moment of each posting and just before it.
    let wrong = "SELECT count(*) FROM accounts, postings AS known, unnest(ARRAY[0, 1]) AS before,
            LATERAL (SELECT known.created_at - before * interval '1 microsecond' AS until) AS moment
        WHERE last_posting_until(accounts.id, until) <> coalesce((SELECT max(posting_id) FROM entries
            JOIN postings ON postings.id = posting_id WHERE account_id = accounts.id AND created_at <= until), 0)";
    assert_eq!(world.count(wrong).await, 0);
    assert!(world.count("SELECT count(*) FROM postings").await > 70);
}
