//! Negative controls: each way to tamper with a database, and the promise that notices it.

use audit::Verdict;
use sqlx::PgPool;

use crate::audit::product::Product;

/// Tampers as only an owner of the database can, and expects the audit to name the promise, which is known by its id or, where
/// others have the same, by its words.
async fn caught(pool: &PgPool, promise: &str, service: &str, tampering: &str) {
    let product = Product::lived_in(pool).await;
    assert_eq!(product.broken().await, []);
    product.run(service, &format!("SET session_replication_role = replica; {tampering}")).await;
    let broken = product.broken().await;
    let is_it = |one: &Verdict| one.ids.split(' ').any(|id| id == promise) || one.promise.contains(promise);
    assert!(broken.iter().any(is_it), "{promise} not among {broken:?}");
}

/// Defines a negative control: the promise, the service whose database is tampered with, and how.
macro_rules! controls {
    ($($name:ident: $id:literal, $service:literal, $tampering:literal;)+) => {
        $(#[sqlx::test(migrations = false)]
        async fn $name(pool: PgPool) {
            caught(&pool, $id, $service, $tampering).await;
        })+
    };
}

controls! {
    a_changed_entry_unbalances_its_posting: "L1", "wallet",
        "UPDATE entries SET amount_cents = amount_cents + 1 WHERE account_id = 1 AND amount_cents = 1000";
    an_entry_that_belongs_nowhere_is_seen: "L1", "wallet",
        "INSERT INTO entries SELECT account, max(id) + 1, cents, cents, '' FROM postings,
            (VALUES (4000000000000000005, 5), (4000000000000000006, -5)) AS lost (account, cents) GROUP BY account, cents";
    money_from_nowhere_unbalances_the_books: "L2", "wallet",
        "INSERT INTO entries SELECT 4000000000000000006, max(id), 5, 5, '' FROM postings";
    a_raised_balance_is_drift: "L3", "wallet", "UPDATE accounts SET balance_cents = balance_cents + 1 WHERE id = 1";
    a_hidden_entry_is_drift: "L3", "wallet", "UPDATE accounts SET entry_count = entry_count - 1 WHERE id = 1";
    an_overdraft_is_seen_afterwards: "L4", "wallet",
        "UPDATE entries SET balance_after_cents = -1 WHERE account_id = 1 AND amount_cents = 1000";
    a_rewritten_history_breaks_its_chain: "L5", "wallet",
        "UPDATE entries SET amount_cents = amount_cents * 2, balance_after_cents = balance_after_cents * 2 WHERE account_id = 3";
    a_trigger_off_is_seen: "L5", "wallet", "ALTER TABLE entries DISABLE TRIGGER entries_append_only";
    a_lost_hold_is_seen: "L6", "wallet",
        "UPDATE transactions SET status = 'failed', reason_code = 'OTHER', decided_at = now() WHERE status = 'pending'";
    a_deposit_without_money_is_seen: "L11", "wallet",
        "INSERT INTO transactions (id, user_id, kind, description, status, direction, amount_cents, txid, txid_key, decided_by, decided_at, created_at)
         SELECT gen_random_uuid(), user_id, 'deposit', '', 'success', 'credit', 1, 'cccc', 'cccc', decided_by, now(), now()
         FROM transactions WHERE kind = 'deposit'";
    an_output_beside_its_whole_is_seen: "D-B8", "wallet",
        "INSERT INTO transactions (id, user_id, kind, description, status, direction, amount_cents, txid, txid_key, vout, decided_by, decided_at, created_at)
         SELECT gen_random_uuid(), user_id, kind, '', status, direction, 1, txid, txid_key, 1, decided_by, now(), now()
         FROM transactions WHERE kind = 'deposit'";
    an_output_that_is_consumed_twice_is_seen: "D-N1", "wallet",
        "DROP INDEX consumed_payments_once; ALTER TABLE consumed_payments DISABLE TRIGGER consumed_payments_refuse;
         INSERT INTO consumed_payments (chain, txid, vout, direction, transaction_id, consumed_at)
         SELECT chain, txid, 3, direction, gen_random_uuid(), now() FROM consumed_payments WHERE direction = 'in'";
    units_that_no_chain_shows_are_seen: "D-N1", "wallet",
        "INSERT INTO consumed_payments (chain, txid, vout, direction, transaction_id, asset, units, consumed_at)
         VALUES ('tron', repeat('aa', 32), 0, 'in', '00000000-0000-0000-0000-0000000000c1', 'USDT', 2600000000, now())";
    a_credit_that_payment_method_does_not_know_is_seen: "D-N6", "wallet",
        "INSERT INTO consumed_payments (chain, txid, vout, direction, transaction_id, asset, units, consumed_at, told_at)
         VALUES ('tron', repeat('aa', 32), 0, 'in', '00000000-0000-0000-0000-0000000000c1', 'USDT', 2500000000,
            now() - interval '3 minutes', now() - interval '2 minutes')";
    a_payment_that_was_freed_for_nothing_is_seen: "D-N1", "wallet",
        "UPDATE consumed_payments SET freed_at = now() WHERE direction = 'in'";
    a_deposit_decided_by_its_first_reviewer_is_seen: "D-B12", "wallet",
        "ALTER TABLE transactions DISABLE TRIGGER transactions_decided_once;
         ALTER TABLE transactions DROP CONSTRAINT transactions_two_people;
         UPDATE transactions SET first_approved_by = decided_by, first_approved_at = now(), received_cents = amount_cents
         WHERE kind = 'deposit'";
    a_withdrawal_twice_released_is_seen: "L11", "wallet",
        "ALTER TABLE accounts DROP CONSTRAINT accounts_members_not_negative;
         SELECT book('withdrawal_release', '00000000-0000-0000-0000-0000000000c3', '00000000-0000-0000-0000-0000000000c3',
            ARRAY[2, 1], ARRAY[-100000, 100000])";
    money_without_a_cause_is_seen: "D-B1", "wallet",
        "SELECT book('adjustment_credit', gen_random_uuid(), '00000000-0000-0000-0000-0000000000c1',
            ARRAY[1, 4000000000000000006], ARRAY[100000000, -100000000])";
    a_cause_of_another_member_is_none: "D-B1", "wallet",
        "UPDATE proposals SET subject_id = gen_random_uuid() WHERE kind = 'bonus'";
    cash_that_never_arrived_is_seen: "the cash of a plan that leaves a bucket", "wallet",
        "INSERT INTO cash_transfers (id, plan_id, from_bucket, to_bucket, amount_cents)
         VALUES (gen_random_uuid(), gen_random_uuid(), 1, 0, 100)";
    a_correction_of_another_amount_is_seen: "D-R2", "wallet",
        "UPDATE proposals SET change = '{\"amount_cents\": 501}' WHERE kind = 'bonus'";
    a_rebuild_by_nobody_is_seen: "A6", "wallet",
        "INSERT INTO account_rebuilds SELECT gen_random_uuid(), account_id, posting_id, balance_cents, entry_count, head_hash,
            digest, stored_balance_cents, stored_entry_count, rebuilt_at FROM compare_account(1)";
    a_fault_of_the_check_is_told: "A6", "wallet", "SELECT note_fault('account', '1', 'Account 1 drifted.')";
    a_movement_without_its_line_is_seen: "L11", "wallet",
        "SELECT book('gift', gen_random_uuid(), NULL, ARRAY[1, 4000000000000000006], ARRAY[1, -1])";
    a_wrong_fee_is_seen: "L12", "wallet",
        "UPDATE transactions SET fee_cents = 249, net_amount_cents = 9751 WHERE status = 'pending'";
    one_person_for_a_large_payout_is_seen: "D-W5", "wallet",
        "ALTER TABLE transactions DROP CONSTRAINT transactions_two_people;
         UPDATE transactions SET approved_by = decided_by WHERE kind = 'withdrawal' AND status = 'success'";
    a_decision_outside_the_trail_is_seen: "D-O3", "wallet",
        "UPDATE transactions SET decided_by = gen_random_uuid() WHERE kind = 'deposit'";
    a_changed_trail_is_seen: "D-O3", "wallet", "UPDATE audit_rows SET address = 'elsewhere' WHERE id = 2";
    a_removed_row_of_the_trail_is_seen: "D-O3", "wallet", "DELETE FROM audit_rows WHERE id = 2";
    a_correction_by_one_person_is_seen: "D-O4", "wallet",
        "ALTER TABLE proposals DROP CONSTRAINT proposals_two_people; UPDATE proposals SET decided_by = proposed_by";
    a_reopening_that_nobody_proposed_is_seen: "D-O4", "wallet",
        "INSERT INTO withdrawal_pauses (reason, reopened_at, reopened_by, reopening_proposed_by)
         VALUES ('test', now(), gen_random_uuid(), gen_random_uuid())";
    a_correction_without_effect_is_seen: "L7", "wallet",
        "INSERT INTO proposals SELECT gen_random_uuid(), kind, subject_id, change, before, status, proposed_by, proposed_at,
            decided_by, decided_at FROM proposals";
    a_reversal_of_nothing_is_seen: "D-B9", "wallet",
        "SELECT book('reversal', gen_random_uuid(), NULL, ARRAY[1, 4000000000000000001], ARRAY[-100, 100])";
    a_reversal_of_another_amount_is_seen: "D-B9", "wallet",
        "INSERT INTO proposals SELECT '00000000-0000-0000-0000-0000000000f3', 'reversal', subject_id,
            '{\"reverses\": 1, \"amount_cents\": 100}', before, status, proposed_by, proposed_at, decided_by, decided_at FROM proposals;
         SELECT book('reversal', '00000000-0000-0000-0000-0000000000f3', NULL, ARRAY[1, 4000000000000000001], ARRAY[-100, 100]);
         UPDATE postings SET reverses = 1 WHERE kind = 'reversal'";
    a_second_reversal_is_seen: "D-B9", "wallet",
        "DROP INDEX postings_reversed_once;
         SELECT book('reversal', gen_random_uuid(), NULL, ARRAY[1, 4000000000000000001], ARRAY[-100, 100]) FROM generate_series(1, 2);
         UPDATE postings SET reverses = 1 WHERE kind = 'reversal'";
    a_balance_in_a_closed_wallet_is_seen: "D-A12", "wallet",
        "INSERT INTO closed_wallets SELECT user_id, now() FROM accounts WHERE kind = 'available' AND balance_cents > 0 LIMIT 1";
    a_session_of_a_closed_account_is_seen: "D-A12", "auth",
        "UPDATE users SET closed_at = now() WHERE role IS NULL;
         INSERT INTO sessions (id, user_id, created_at, last_seen_at, idle_until, expires_at, device, address)
         SELECT gen_random_uuid(), id, now(), now(), now() + interval '1 hour', now() + interval '1 hour', '', ''
         FROM users WHERE role IS NULL LIMIT 1";
    a_free_balance_beside_a_debt_is_seen: "D-B9", "wallet",
        "INSERT INTO accounts (id, kind, user_id) OVERRIDING SYSTEM VALUE VALUES (5, 'owed', '00000000-0000-0000-0000-0000000000b1');
         SELECT book('reversal', gen_random_uuid(), NULL, ARRAY[5, 4000000000000000001], ARRAY[-100, 100])";
    a_debt_below_nothing_is_seen: "L4", "wallet",
        "ALTER TABLE accounts DROP CONSTRAINT accounts_members_not_negative;
         INSERT INTO accounts (id, kind, user_id) OVERRIDING SYSTEM VALUE VALUES (5, 'owed', '00000000-0000-0000-0000-0000000000b1');
         SELECT book('deposit', gen_random_uuid(), NULL, ARRAY[5, 4000000000000000001], ARRAY[100, -100])";
    a_hold_without_its_money_is_seen: "D-B10", "wallet",
        "INSERT INTO holds (id, user_id, amount_cents, reason_code, placed_by)
         VALUES (gen_random_uuid(), '00000000-0000-0000-0000-0000000000b1', 100, 'OTHER', gen_random_uuid())";
    money_on_hold_without_a_hold_is_seen: "D-B10", "wallet",
        "INSERT INTO accounts (id, kind, user_id) OVERRIDING SYSTEM VALUE VALUES (5, 'on_hold', '00000000-0000-0000-0000-0000000000b1');
         SELECT book('hold', gen_random_uuid(), NULL, ARRAY[1, 5], ARRAY[-100, 100])";
    a_hold_released_by_one_person_is_seen: "D-B10", "wallet",
        "ALTER TABLE holds DROP CONSTRAINT holds_two_people;
         INSERT INTO holds SELECT gen_random_uuid(), '00000000-0000-0000-0000-0000000000b1', 100, 'OTHER', 'released', decided_by,
            now(), decided_by, now() FROM proposals";
    a_hold_that_nobody_signed_is_seen: "D-B10", "wallet",
        "INSERT INTO accounts (id, kind, user_id) OVERRIDING SYSTEM VALUE VALUES (5, 'on_hold', '00000000-0000-0000-0000-0000000000b1');
         INSERT INTO holds (id, user_id, amount_cents, reason_code, placed_by) VALUES ('00000000-0000-0000-0000-0000000000e7',
            '00000000-0000-0000-0000-0000000000b1', 100, 'OTHER', '00000000-0000-0000-0000-0000000000a1');
         SELECT book('hold', '00000000-0000-0000-0000-0000000000e7', NULL, ARRAY[1, 5], ARRAY[-100, 100]);
         INSERT INTO audit_rows (id, at, actor_id, actor_role, action, subject_id, address, hash) SELECT max(id) + 1, now(),
            '00000000-0000-0000-0000-0000000000a1', 'reviewer', 'hold.place', '00000000-0000-0000-0000-0000000000e7', '', ''
         FROM audit_rows";
    a_course_sold_twice_is_seen: "T5", "wallet",
        "SELECT book('course', gen_random_uuid(), NULL, ARRAY[1, 4000000000000000002], ARRAY[-1, 1])";
    a_refund_that_nobody_proposed_is_seen: "D-C9", "wallet",
        "SELECT book('course_refund', gen_random_uuid(), NULL, ARRAY[1, 4000000000000000002], ARRAY[8700, -8700])";
    a_double_payout_of_a_trade_is_seen: "T2", "wallet",
        "UPDATE trade_fundings SET value_cents = 10999 WHERE status = 'settled'";
    a_trade_without_money_is_seen: "T1", "trade",
        "INSERT INTO trades SELECT gen_random_uuid(), user_id, plan_id, plan_title, plan_min_cents, plan_max_cents,
            roi_basis_points, duration_days, amount_cents, opening_value_micros, status, NULL, NULL, created_at, matures_at
         FROM trades WHERE status = 'open'";
    money_of_a_forgotten_trade_is_seen: "T4", "trade", "DELETE FROM trades WHERE status = 'open'";
    an_amount_outside_of_the_terms_is_seen: "T3", "trade",
        "ALTER TABLE trades DROP CONSTRAINT trades_amount; UPDATE trades SET plan_min_cents = amount_cents + 1 WHERE status = 'open'";
    a_stuck_trade_is_seen: "K6", "trade",
        "UPDATE trades SET status = 'opening', resume_at = now() WHERE status = 'open'";
    an_exit_fee_beyond_the_terms_is_seen: "D-I4", "trade",
        "UPDATE trades SET settle_fee_cents = 200, exit_fee_basis_points = 100, min_holding_days = 7 WHERE status = 'claimed'";
    a_value_by_one_person_is_seen: "D-I1", "trade",
        "ALTER TABLE proposals DROP CONSTRAINT proposals_two_people; UPDATE proposals SET decided_by = proposed_by";
    an_untold_decision_is_seen: "Q2", "wallet", "DELETE FROM outbox WHERE key = 'wallet.v1.deposit_confirmed'";
    a_twice_told_decision_is_seen: "Q2", "wallet",
        "INSERT INTO outbox (event_id, key, aggregate_id, payload, trace_context, published_at)
         SELECT gen_random_uuid(), key, aggregate_id, '', '{}', now() FROM outbox WHERE key = 'wallet.v1.withdrawal_paid'";
    a_waiting_event_is_seen: "Q3", "auth",
        "INSERT INTO outbox (event_id, key, aggregate_id, payload, trace_context, created_at)
         VALUES (gen_random_uuid(), 'auth.v1.x', gen_random_uuid(), '', '{}', now() - interval '61 seconds')";
    a_lost_event_is_seen: "Q4", "mailer", "DELETE FROM inbox WHERE event_id = '00000000-0000-0000-0001-000000000013'";
    a_dead_letter_is_seen: "Q6", "mailer", "INSERT INTO dead_letters VALUES ('x', 'wallet.v1.x', '', 'unreadable')";
    an_unanswered_key_is_seen: "L9", "wallet", "UPDATE idempotency_keys SET outcome = NULL";
    a_live_code_too_many_is_seen: "S1", "auth",
        "INSERT INTO codes (id, user_id, purpose, email, created_at, expires_at)
         SELECT gen_random_uuid(), user_id, purpose, email, now(), now() FROM codes, generate_series(1, 3)";
    a_code_of_strangers_too_many_is_seen: "S1", "auth",
        "INSERT INTO codes (id, user_id, purpose, email, created_at, expires_at, block, is_strangers)
         SELECT gen_random_uuid(), user_id, purpose, email, now(), now() + interval '10 minutes', '10.0.0.0/24', true
         FROM codes, generate_series(1, 4)";
    an_email_in_another_case_is_seen: "S4", "auth",
        "DROP INDEX users_email_key; UPDATE users SET email = 'B1@Solvane.test' WHERE role = 'reviewer'";
    a_wallet_of_nobody_is_seen: "S3", "wallet",
        "INSERT INTO accounts (id, kind, user_id) OVERRIDING SYSTEM VALUE VALUES (99, 'available', gen_random_uuid())";
    an_address_never_shown_is_seen: "D-D3", "wallet", "UPDATE transactions SET method_address = 'TOTHER' WHERE kind = 'deposit'";
    a_payout_to_the_platform_is_seen: "D-W6", "wallet",
        "UPDATE transactions SET destination_address = 'TPLATFORM1' WHERE status = 'pending'";
    a_withdrawal_that_ended_without_a_person_is_seen: "D-A6", "wallet",
        "UPDATE transactions SET status = 'failed', reason_code = 'OTHER', decided_at = now()
         WHERE kind = 'withdrawal' AND status = 'pending'";
    a_payout_to_an_unconfirmed_destination_is_seen: "D-A4", "wallet", "DELETE FROM destinations";
    a_payout_at_a_rate_that_nobody_signed_is_seen: "at the rate that its lease signed", "wallet",
        "UPDATE transactions SET payout_contract = '', payout_decimals = 6, payout_units = 97500000000, payout_rate_micros = 10000,
            payout_spread_bps = 0, payout_priced_at = now() WHERE kind = 'withdrawal' AND status = 'success'";
    a_fee_that_nobody_paid_is_seen: "D-W4", "wallet",
        "UPDATE transactions SET fee_paid = true, net_amount_cents = amount_cents WHERE kind = 'withdrawal' AND status = 'pending'";
    an_approval_that_pretends_to_be_proven_is_seen: "D-N8", "wallet",
        "UPDATE transactions SET is_proven = false WHERE kind = 'deposit' AND status = 'success'";
    a_theft_by_a_treasurer_is_seen: "left the platform an hour ago", "payment_method",
        "UPDATE chain_payments SET transaction_id = NULL, seen_at = now() - interval '61 minutes' WHERE way = 'out'";
    an_address_that_pretends_to_be_the_treasurys_is_seen: "address of the treasury's own wallet", "payment_method",
        "INSERT INTO treasury_addresses (address, network, found_at) VALUES ('TATTACKERx', 'TRC20', now())";
    a_proof_that_its_address_did_not_sign_is_seen: "private key of each proven address", "payment_method",
        "INSERT INTO address_proofs (network, address, message, signature, attached_at)
         VALUES ('TRC20', 'TPLATFORM1', 'Solvane Ltd controls the address TPLATFORM1 on 2026-11-28', repeat('11', 65), now())";
    a_proof_of_a_strangers_address_is_seen: "private key of each proven address", "payment_method",
        "INSERT INTO address_proofs (network, address, message, signature, attached_at)
         VALUES ('ERC20', '0x1a642f0E3c3aF545E7AcBD38b07251B3990914F1', 'Solvane Ltd controls the address 0x1a642f0E3c3aF545E7AcBD38b07251B3990914F1 on 2026-11-28',
            '0xbe1de5f3bee5dd670a458a36fc40f64e053ca0d50b10588c56fd7c3cab8c2adc719dc48a7ac6d93a72aa76f983e128c05a8e19ba623bde10d8e67089fcde657e1c', now())";
    a_session_that_never_ends_is_seen: "D-S4", "auth",
        "INSERT INTO sessions (id, user_id, created_at, last_seen_at, idle_until, expires_at, device, address)
         SELECT gen_random_uuid(), id, now(), now(), now(), now() + interval '8 days', '', '' FROM users LIMIT 1";
    a_code_that_is_kept_in_a_mail_is_seen: "Q7", "mailer",
        "UPDATE mails SET params = '{\"code\": \"123456\"}', secret_reference = 'x'";
    a_destination_that_its_member_never_confirmed_is_seen: "auth signed that members confirmed", "wallet",
        "INSERT INTO destinations (user_id, currency, network, address, memo, cause, known_at, assertion)
         SELECT user_id, currency, network, 'TATTACKERx', memo, cause, known_at, assertion FROM destinations;
         UPDATE transactions SET destination_address = 'TATTACKERx', approved_at = now(), approved_by = gen_random_uuid()
         WHERE kind = 'withdrawal' AND status = 'pending'";
    a_backdated_confirmation_is_seen: "auth signed that members confirmed", "wallet",
        "UPDATE destinations SET known_at = known_at - interval '40 days'";
    a_destination_confirmed_too_late_is_seen: "D-A4", "wallet",
        "UPDATE destinations SET known_at = now() + interval '1 second'";
    a_total_of_liabilities_that_is_too_small_is_seen: "D-B6", "wallet",
        "INSERT INTO liability_publications (at, root, total_cents, leaves, published_at)
         VALUES (now(), sha256(''), 100, 1, now());
         INSERT INTO liability_leaves SELECT id, 0, gen_random_uuid(), sha256(''), 200 FROM liability_publications WHERE total_cents = 100";
    a_member_left_out_of_the_liabilities_is_seen: "D-B6", "wallet",
        "INSERT INTO liability_publications (at, root, total_cents, leaves, published_at)
         VALUES (now(), sha256(''), 0, 0, now());
         INSERT INTO liability_nodes SELECT id, 0, 0, sha256(''), 200 FROM liability_publications WHERE total_cents = 0";
    a_member_whom_the_liabilities_do_not_know_is_seen: "D-B6", "wallet",
        "INSERT INTO liability_publications (at, root, total_cents, leaves, published_at, snapshot, gains_cents)
         VALUES (now(), sha256(''), 0, 0, now(), (SELECT snapshot FROM liability_publications), 0)";
    a_publication_that_does_not_say_what_it_counted_is_seen: "D-T5", "wallet",
        "INSERT INTO liability_publications (at, root, total_cents, leaves, published_at)
         SELECT now(), root, total_cents, leaves, now() FROM liability_publications";
    a_balance_that_was_published_too_low_is_seen: "D-T5", "wallet",
        "UPDATE liability_leaves SET amount_cents = amount_cents + 1 WHERE position = 0";
    a_gain_that_the_house_paid_is_seen: "D-T1", "wallet",
        "UPDATE entries SET account_id = 4000000000000000004 WHERE account_id = 6 AND amount_cents = -1000";
    a_gain_that_another_plan_paid_is_seen: "D-T1", "wallet", "UPDATE accounts SET user_id = gen_random_uuid() WHERE id = 6";
    a_gain_that_was_left_out_of_the_liabilities_is_seen: "D-T5", "trade",
        "UPDATE trades SET opening_value_micros = opening_value_micros / 2 WHERE status = 'open'";
    a_gain_that_no_trade_has_is_seen: "D-T5", "wallet",
        "INSERT INTO liability_gains SELECT id, '00000000-0000-0000-0000-0000000000d1', 100 FROM liability_publications";
    a_payout_that_nobody_sent_is_seen: "D-B3", "wallet",
        "UPDATE transactions SET sent_by = '00000000-0000-0000-0000-0000000000a2', sent_at = now(), txid = 'cccc', txid_key = 'cccc',
            approved_by = '00000000-0000-0000-0000-0000000000a1', approved_at = now()
         WHERE kind = 'withdrawal' AND status = 'pending'";
    a_changed_amount_is_not_what_was_signed: "D-B3", "wallet",
        "UPDATE transactions SET amount_cents = 260000 WHERE id = '00000000-0000-0000-0000-0000000000c1'";
    a_diverted_payout_is_not_what_was_signed: "D-B3", "wallet",
        "UPDATE transactions SET destination_address = 'TATTACKERx' WHERE id = '00000000-0000-0000-0000-0000000000c3'";
    a_deleted_row_of_a_decision_is_missed: "D-B3", "wallet", "DELETE FROM audit_rows WHERE id = 4";
    a_removed_signature_is_missed: "D-B3", "wallet", "UPDATE audit_rows SET assertion = NULL WHERE id = 3";
    another_decision_under_a_signature_is_seen: "D-B3", "wallet",
        "UPDATE audit_rows SET decision = jsonb_set(decision, '{facts,amountCents}', '1') WHERE id = 1";
    a_decision_that_was_undone_is_seen: "D-B3", "wallet",
        "UPDATE transactions SET status = 'pending', decided_by = NULL, decided_at = NULL, txid = NULL, txid_key = NULL
         WHERE id = '00000000-0000-0000-0000-0000000000c1'";
    another_change_of_a_proposal_is_not_what_was_signed: "D-B3", "wallet",
        "UPDATE proposals SET change = '{\"amount_cents\": 600}'";
    a_proposal_that_was_reopened_is_seen: "D-B3", "wallet",
        "UPDATE proposals SET status = 'open', decided_by = NULL, decided_at = NULL";
    a_freeze_without_a_decision_is_seen: "D-B3", "auth",
        "UPDATE users SET frozen_at = now() WHERE id = '00000000-0000-0000-0000-0000000000b1'";
    another_deposit_address_is_not_what_was_confirmed: "D-M1", "payment_method",
        "UPDATE method_versions SET address = 'TATTACKERx'";
    another_rate_is_not_what_was_confirmed: "D-Q2", "payment_method", "UPDATE rate_points SET bid_micros = 96000000000";
    a_rate_that_counts_for_longer_is_not_what_was_confirmed: "D-Q2", "payment_method",
        "UPDATE rate_points SET valid_until = valid_until + interval '1 minute'";
    a_payment_that_is_undone_is_not_carried: "D-Q8", "payment_method", "UPDATE chain_payments SET state = 'orphaned' WHERE way = 'in'";
    a_changed_sum_is_not_what_was_paid: "D-Q8", "payment_method", "UPDATE holdings SET carried = carried - 1";
    a_payment_that_counts_as_credited_for_nothing_is_seen: "D-N6", "payment_method",
        "UPDATE chain_payments SET is_consumed = true WHERE way = 'in'";
    a_withdrawal_accounts_for_its_own_payout_alone: "D-Q8", "payment_method",
        "UPDATE chain_payments SET counterparty = 'TSTRANGERx' WHERE way = 'out'";
    another_value_is_not_what_was_confirmed: "D-I1", "trade", "UPDATE plan_values SET value_micros = 2000000";
    a_hanging_mail_is_seen: "E1", "mailer",
        "UPDATE mails SET status = 'queued', ended_at = NULL, next_try_at = now() - interval '61 seconds'";
    a_mail_that_was_made_twice_is_seen: "E2", "mailer",
        "ALTER TABLE mails DROP CONSTRAINT mails_once_an_event;
         INSERT INTO mails (id, event_id, template, user_id, params, trace_context, status, ended_at)
         SELECT gen_random_uuid(), event_id, template, user_id, params, trace_context, status, ended_at FROM mails";
}
