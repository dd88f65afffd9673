-- Movements: what their causes have to permit, and the function that decides and writes them.

-- A member buys the course again only after a refund. Anyone who posts a purchase has locked the member's account.
CREATE OR REPLACE FUNCTION require_one_course(verdicts integer[], new_postings ledger_posting[]) RETURNS void
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    member uuid;
BEGIN
    FOR member IN
        SELECT new.user_id FROM unnest(new_postings) AS new
        WHERE new.kind = 'course' AND verdicts[new.movement] = 0
            AND (SELECT count(*) FROM paid_courses WHERE user_id = new.user_id) > 1
    LOOP
        RAISE EXCEPTION 'member % owns the course', member
            USING ERRCODE = 'unique_violation', CONSTRAINT = 'postings_one_course_a_member';
    END LOOP;
END
$$;

-- Whether a confirmed proposal permits a posting of this amount with these moves by kind of account. What a posting reverses is
-- of the same member and of a kind that its rule names, and comes back as a whole.
CREATE OR REPLACE FUNCTION is_proposed(posting ledger_posting, cents bigint, moves jsonb) RETURNS boolean
LANGUAGE plpgsql STABLE AS $$
DECLARE
    rule     constant posting_kinds := rule_of(posting);
    reversed constant bigint := reversed_by(posting.business_id);
    opposite jsonb;
    cause    causes;
BEGIN
    SELECT * INTO cause FROM causes WHERE causes.cause_type = 'proposal' AND causes.id = posting.business_id;
    IF rule.reverses IS NOT NULL THEN
        IF NOT EXISTS (SELECT FROM postings
            WHERE postings.id = reversed AND postings.user_id = posting.user_id AND postings.kind = ANY (rule.reverses))
        THEN
            RETURN false;
        END IF;
        opposite := reversal_of(reversed);
    END IF;
    RETURN cause.user_id = posting.user_id AND cause.status = rule.cause_status AND cause.kind = rule.cause_kind
        AND cause.amount = cents
        AND CASE WHEN rule.debit_amounts IS NULL THEN moves = opposite
            ELSE moves = (SELECT named.moves FROM named_moves(rule, cause.amount, cause.part, cause.change ->> 'source') AS named)
                AND (opposite IS NULL OR opposite -> rule.debits[1] = moves -> rule.debits[1]) END;
END
$$;

-- Refuses postings that their cause does not permit: each needs one with the same member and amount, in the status and of the
-- kind that its rule names.
CREATE OR REPLACE FUNCTION require_causes(
    verdicts integer[], slots ledger_slots, chain ledger_chain, new_postings ledger_posting[], entries ledger_entry[]
) RETURNS void LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    moved   constant bigint[] := chain.moved;
    posting ledger_posting;
    place_  integer;
BEGIN
    FOR place_ IN
        SELECT new.place FROM unnest(new_postings) WITH ORDINALITY
            AS new (movement, kind, cause_type, business_id, user_id, transaction_id, place)
        JOIN posting_kinds AS rule ON rule.kind = new.kind AND rule.cause_type = new.cause_type
        WHERE verdicts[new.movement] = 0 AND NOT coalesce(CASE new.cause_type
            WHEN 'unchecked' THEN true
            -- One by one below.
            WHEN 'proposal' THEN false
            ELSE (SELECT cause.user_id = new.user_id AND cause.status = rule.cause_status
                    AND cause.kind IS NOT DISTINCT FROM rule.cause_kind
                    AND moved[new.place] = named_amount(rule.debit_amounts[1], cause.amount, cause.part)
                    AND (rule.related_statuses IS NULL OR (
                        SELECT paid.user_id = new.user_id AND paid.status = ANY (rule.related_statuses)
                            AND paid.fee_paid = rule.related_fee_paid
                        FROM transactions AS paid WHERE paid.id = cause.related_id))
                FROM causes AS cause WHERE cause.cause_type = new.cause_type AND cause.id = new.business_id)
            END, false)
    LOOP
        posting := new_postings[place_];
        CONTINUE WHEN posting.cause_type = 'proposal' AND coalesce(is_proposed(posting, moved[place_], (
            SELECT jsonb_object_agg(kind, cents) FROM (
                -- Positions after those of the movements are owed accounts.
                SELECT coalesce(slots.kinds[account], 'available') AS kind, sum(amount_cents) AS cents
                FROM unnest(entries) AS entry WHERE entry.posting = place_ AND amount_cents <> 0 GROUP BY 1) AS moves)), false);
        RAISE EXCEPTION 'posting % (%) has no cause', chain.posting_ids[place_], posting.kind
            USING ERRCODE = 'check_violation', CONSTRAINT = 'postings_cause';
    END LOOP;
END
$$;

-- Applies movements in the given order, each completely or not at all. A movement that is not applied changes nothing,
-- except that a trade refused for insufficient balance is recorded as refused. The outcomes, by movement:
--   0 applied
--   1 its key was used or is in use
--   2 an account of the member would fall below zero
--   3 an account does not exist
--   4 an account is locked by another transaction; never with is_patient, which waits for it
--   5 the member has an open withdrawal
--   6 the member owns the course
--   7 a payment for the course is in review
--   8 the trade already exists: funded, refused or settled
--   9 the trade is not funded with these terms, or is settled
--  10 as 2, because the member has a debt; only with the precondition nothing_owed
--  11 the withdrawal would exceed a limit of the member
--  12 less than the minimum is withdrawn, and it is not the whole balance, or not the first such withdrawal of the period
--  13 the cash of a plan would fall below zero
-- A posting that its cause does not permit is an error: no movement is applied.
--
-- A debt is a negative balance in the account `owed`, which movements never name. Credits to the available balance
-- settle it first. A posting that may debit `owed` does so once the available balance is used up. So a member with a
-- debt never has an available balance.
--
-- Every row is found by an index regardless of table statistics, and one plan serves every batch size. A row with an id is found
-- by it alone, and its member is compared then: with a condition on the member, a plan may read all rows of the member.
CREATE OR REPLACE FUNCTION post_movements(
    is_patient        boolean,
    movements         integer,
    -- The distinct accounts: platform accounts first, then those of members. Entries and preconditions refer to them by
    -- position.
    house_ids         bigint[],
    new_accounts      ledger_account[],
    new_keys          ledger_key[],
    new_preconditions ledger_precondition[],
    -- In the order of movements; entries in the order of postings.
    new_postings      ledger_posting[],
    new_entries       ledger_entry[],
    new_lines         ledger_line[],
    new_events        ledger_event[]
) RETURNS integer[] LANGUAGE plpgsql
SECURITY DEFINER SET search_path FROM CURRENT
AS $$
DECLARE
    houses   constant integer := cardinality(house_ids);
    slots    ledger_slots := lock_slots(is_patient, house_ids, new_accounts);
    verdicts integer[] := array_fill(0, ARRAY[movements]);
    decided  ledger_decided;
    chain    ledger_chain;
BEGIN
    verdicts := find_obstacles(
        verdicts, houses, slots, new_accounts, new_keys, new_preconditions, new_postings, new_entries);
    decided := decide_movements(
        verdicts, houses, slots, new_accounts, new_preconditions, new_postings, new_entries);
    verdicts := decided.verdicts;
    IF 0 = ANY (verdicts) THEN
        chain := chain_entries(verdicts, decided.slots, new_postings, decided.entries);
        PERFORM write_postings(verdicts, decided.slots, chain, new_postings, decided.entries);
        PERFORM write_rest(verdicts, new_keys, new_lines, new_events);
    END IF;
    IF (SELECT true FROM unnest(new_preconditions) WHERE trade_id IS NOT NULL LIMIT 1) THEN
        PERFORM write_fundings(verdicts, houses, new_accounts, new_preconditions);
    END IF;
    IF 0 = ANY (verdicts) THEN
        PERFORM require_one_course(verdicts, new_postings);
        PERFORM require_causes(verdicts, decided.slots, chain, new_postings, decided.entries);
    END IF;
    RETURN verdicts;
END
$$;

-- On one PostgreSQL, one plan serves every batch size, and finds every row by an index regardless of the statistics. A
-- distributed engine plans with the values instead, and cannot plan with these settings.
DO $$ BEGIN
    IF NOT EXISTS (SELECT FROM pg_extension WHERE extname = 'citus') THEN
        ALTER FUNCTION post_movements SET plan_cache_mode = force_generic_plan;
        ALTER FUNCTION post_movements SET enable_hashjoin = off;
        ALTER FUNCTION post_movements SET enable_mergejoin = off;
        ALTER FUNCTION post_movements SET enable_seqscan = off;
        -- Otherwise a plan that is made for small tables reads a whole index rather than descend in one that is higher.
        ALTER FUNCTION post_movements SET cpu_operator_cost = 0;
    END IF;
END $$;

DO $$ DECLARE role text; BEGIN
    -- Those of the first bucket have the right to its schema from who made the database.
    FOR role IN SELECT rolname FROM pg_roles WHERE rolname IN ('wallet', 'auditor') AND bucket() > 0 LOOP
        EXECUTE format('GRANT USAGE ON SCHEMA %I TO %I', current_schema(), role);
    END LOOP;
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'wallet') THEN
        GRANT EXECUTE ON FUNCTION open_accounts, open_plan, open_on_hold, lock_member, lock_plan_cash, post_movements TO wallet;
        REVOKE ALL ON open_withdrawals, pending_courses, paid_courses, counted_withdrawals, causes FROM wallet;
        GRANT SELECT ON open_withdrawals, pending_courses, paid_courses, counted_withdrawals, causes TO wallet;
    END IF;
END $$;
REVOKE EXECUTE ON FUNCTION open_accounts, open_plan, open_on_hold, lock_member, lock_plan_cash, post_movements FROM PUBLIC;
