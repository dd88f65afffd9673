-- Which movements are applied: what stands in the way of each, and whether its accounts have the money.

-- Decides what stands in the way of each movement before its entries are looked at. Every transaction that changes one of these
-- facts holds the lock of the member's account, or of the key. No EXISTS, which may be planned as a sequential scan.
CREATE OR REPLACE FUNCTION find_obstacles(
    verdicts integer[], houses integer, slots ledger_slots, new_accounts ledger_account[], new_keys ledger_key[],
    new_preconditions ledger_precondition[], new_postings ledger_posting[], new_entries ledger_entry[]
) RETURNS integer[] LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    account_ids constant bigint[] := slots.ids;
    balances    constant bigint[] := slots.balances;
    movement_   integer;
    verdict     integer;
BEGIN
    IF array_position(account_ids, NULL) IS NOT NULL THEN
        FOR movement_, verdict IN
            SELECT needed.movement, CASE WHEN needed.account <= houses THEN 4 ELSE coalesce(
                (SELECT 4 FROM accounts WHERE user_id = new_accounts[needed.account - houses].user_id
                    AND kind = new_accounts[needed.account - houses].kind), 3) END
            FROM (
                SELECT new_postings[one.posting].movement, one.account FROM unnest(new_entries) AS one
                UNION ALL SELECT one.movement, one.account FROM unnest(new_preconditions) AS one
            ) AS needed WHERE account_ids[needed.account] IS NULL
        LOOP
            verdicts[movement_] := verdict;
        END LOOP;
    END IF;
    IF cardinality(new_keys) > 0 THEN
        FOR movement_ IN
            SELECT new.movement FROM unnest(new_keys) AS new
            WHERE verdicts[new.movement] = 0 AND (
                NOT pg_try_advisory_xact_lock(
                    hashtextextended(concat(new.user_id, E'\n', new.route, E'\n', new.key), 0))
                OR (SELECT true FROM idempotency_keys AS old
                    WHERE old.user_id = new.user_id AND old.route = new.route AND old.key = new.key))
        LOOP
            verdicts[movement_] := 1;
        END LOOP;
    END IF;
    IF cardinality(new_preconditions) > 0 THEN
        FOR movement_, verdict IN
            SELECT movement, failed FROM unnest(new_preconditions) AS new,
                LATERAL (SELECT new_accounts[account - houses].user_id AS member OFFSET 0) AS whose, LATERAL (SELECT CASE rule
                -- Decided later: a member with a debt has no available balance.
                WHEN 'nothing_owed' THEN NULL
                WHEN 'no_open_withdrawal' THEN (SELECT 5 FROM open_withdrawals WHERE user_id = member)
                -- Both periods in one look.
                WHEN 'withdrawals_within' THEN (SELECT 11 FROM counted_withdrawals AS earlier
                    WHERE user_id = member AND (user_id, created_at) > (member, least(new.at, new.other_at))
                    HAVING coalesce(sum(amount_cents) FILTER (WHERE created_at > new.at), 0)
                            + new.amount_cents > new.value_cents
                        OR coalesce(sum(amount_cents) FILTER (WHERE created_at > new.other_at), 0)
                            + new.amount_cents > new.other_value_cents)
                WHEN 'whole_balance' THEN
                    CASE WHEN balances[account] <> new.amount_cents
                        OR (SELECT true FROM counted_withdrawals AS earlier
                            WHERE user_id = member AND (user_id, created_at) > (member, new.at)
                                AND earlier.amount_cents < new.value_cents LIMIT 1) THEN 12 END
                WHEN 'no_course' THEN coalesce((SELECT 6 FROM paid_courses WHERE user_id = member),
                    (SELECT 7 FROM pending_courses WHERE user_id = member))
                WHEN 'trade_unknown' THEN
                    (SELECT 8 FROM trade_fundings WHERE trade_fundings.trade_id = new.trade_id)
                WHEN 'trade_funded' THEN
                    CASE WHEN (SELECT old.user_id = member AND old.amount_cents = new.amount_cents AND old.status = 'funded'
                        FROM trade_fundings AS old WHERE old.trade_id = new.trade_id) IS NOT TRUE
                    THEN 9 END
                ELSE 9 END AS failed) AS looked
            WHERE verdicts[movement] = 0 AND failed IS NOT NULL
        LOOP
            -- The first violated precondition is returned.
            CONTINUE WHEN verdicts[movement_] <> 0;
            verdicts[movement_] := verdict;
        END LOOP;
    END IF;
    RETURN verdicts;
END
$$;

-- Adds the owed account of an account's member, which it creates if necessary.
CREATE OR REPLACE FUNCTION lock_owed(slots ledger_slots, account integer, member uuid) RETURNS ledger_slots LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
    INSERT INTO accounts (kind, user_id) VALUES ('owed', member) ON CONFLICT DO NOTHING;
    SELECT slots.tids || ctid, slots.ids || id, slots.kinds, slots.balances || balance_cents, slots.counts || entry_count,
            slots.heads || head_hash, slots.owed_places
        INTO slots FROM accounts WHERE user_id = member AND kind = 'owed' FOR UPDATE;
    slots.owed_places[account] := cardinality(slots.ids);
    RETURN slots;
END
$$;

-- The rule of a posting, or an error if there is none.
CREATE OR REPLACE FUNCTION rule_of(posting ledger_posting) RETURNS posting_kinds LANGUAGE plpgsql STABLE AS $$
DECLARE
    rule posting_kinds;
BEGIN
    SELECT * INTO rule FROM posting_kinds
        WHERE posting_kinds.kind = posting.kind AND posting_kinds.cause_type = posting.cause_type;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'no posting of kind % is caused by a %', posting.kind, posting.cause_type
            USING ERRCODE = 'check_violation', CONSTRAINT = 'postings_kind';
    END IF;
    RETURN rule;
END
$$;

-- Decides each movement in the given order by the balances of its accounts, and splits off what is owed: those entries come
-- last.
CREATE OR REPLACE FUNCTION decide_movements(
    verdicts integer[], houses integer, slots ledger_slots, new_accounts ledger_account[],
    new_preconditions ledger_precondition[], new_postings ledger_posting[], entries ledger_entry[]
) RETURNS ledger_decided LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    entry_count   constant integer := cardinality(entries);
    kinds         constant text[]  := slots.kinds;
    balances      bigint[] := slots.balances;
    owed_places   integer[] := slots.owed_places;
    posting       ledger_posting;
    rule          posting_kinds;
    entry         ledger_entry;
    number        integer := 0;
    last_movement integer := 0;
    next_entry    integer := 1;
    first_entry   integer;
    parts         integer := entry_count;
    first_part    integer;
    account       integer;
    kind_         text;
    owed          bigint;
    balance       bigint;
BEGIN
    FOREACH posting IN ARRAY new_postings LOOP
        number := number + 1;
        IF posting.movement <> last_movement THEN
            last_movement := posting.movement;
            first_entry := next_entry;
            first_part := parts + 1;
        END IF;
        IF rule.kind IS DISTINCT FROM posting.kind OR rule.cause_type IS DISTINCT FROM posting.cause_type THEN
            rule := rule_of(posting);
        END IF;
        WHILE next_entry <= entry_count LOOP
            entry := entries[next_entry];
            EXIT WHEN entry.posting <> number;
            next_entry := next_entry + 1;
            CONTINUE WHEN verdicts[posting.movement] <> 0;
            account := entry.account;
            kind_ := kinds[account];
            IF NOT kind_ = ANY (CASE WHEN entry.amount_cents < 0 THEN rule.debits ELSE rule.credits END)
                OR kind_ = 'owed'
                OR account > houses AND rule.cause_type <> 'unchecked' AND kind_ NOT IN ('plan_cash', 'plan_assets')
                    AND new_accounts[account - houses].user_id <> posting.user_id
            THEN
                RAISE EXCEPTION 'a posting of kind % does not move the account % of %', posting.kind, kind_, posting.user_id
                    USING ERRCODE = 'check_violation', CONSTRAINT = 'postings_accounts';
            END IF;
            balance := balances[account] + entry.amount_cents;
            IF kind_ = 'available' AND (entry.amount_cents > 0 AND owed_places[account] IS NOT NULL
                OR balance < 0 AND 'owed' = ANY (rule.debits))
            THEN
                IF owed_places[account] IS NULL THEN
                    slots := lock_owed(slots, account, new_accounts[account - houses].user_id);
                    owed_places := slots.owed_places;
                    balances[owed_places[account]] := slots.balances[owed_places[account]];
                END IF;
                owed := CASE WHEN entry.amount_cents > 0
                    THEN least(entry.amount_cents, -balances[owed_places[account]]) ELSE balance END;
                balance := balance - owed;
                balances[owed_places[account]] := balances[owed_places[account]] + owed;
                parts := parts + 1;
                entries[parts] := ROW (number, owed_places[account], owed);
                entries[next_entry - 1].amount_cents := entry.amount_cents - owed;
            END IF;
            IF balance < 0 AND account > houses AND kind_ <> 'plan_assets' THEN
                verdicts[posting.movement] := CASE WHEN kind_ = 'plan_cash' THEN 13
                    WHEN balances[owed_places[account]] < 0 AND (SELECT true FROM unnest(new_preconditions)
                        WHERE movement = posting.movement AND rule = 'nothing_owed' LIMIT 1) THEN 10
                    ELSE 2 END;
                FOR entry IN SELECT * FROM unnest(entries[first_entry:next_entry - 2] || entries[first_part:parts]) LOOP
                    balances[entry.account] := balances[entry.account] - entry.amount_cents;
                END LOOP;
            ELSE
                balances[account] := balance;
            END IF;
        END LOOP;
    END LOOP;
    RETURN ROW (verdicts, entries, slots);
END
$$;
