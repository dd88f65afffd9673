-- Plans, their published values, and the trades of members in them.

-- What members can invest in.
CREATE TABLE plans (
    id                    uuid        NOT NULL CONSTRAINT plans_pkey PRIMARY KEY,
    -- Counts up with every change.
    version               integer     NOT NULL,
    title                 text        NOT NULL,
    subtitle              text        NOT NULL,
    min_cents             bigint      NOT NULL,
    max_cents             bigint      NOT NULL,
    -- A target over the whole duration, in hundredths of a percent.
    roi_basis_points      integer     NOT NULL,
    duration_days         integer     NOT NULL,
    active                boolean     NOT NULL,
    created_at            timestamptz NOT NULL,
    -- What members read about a plan before they invest, and what leaving it early costs. What is not stated is empty, zero or
    -- unset.
    holdings              text        NOT NULL DEFAULT '',
    manager               text        NOT NULL DEFAULT '',
    costs                 text        NOT NULL DEFAULT '',
    -- A year, in hundredths of a percent of the value.
    cost_basis_points     integer     NOT NULL DEFAULT 0,
    -- 1, the lowest risk, to 7.
    risk_class            integer,
    document_url          text        NOT NULL DEFAULT '',
    -- A member who leaves earlier pays the fee, in hundredths of a percent of the value.
    min_holding_days      integer     NOT NULL DEFAULT 0,
    exit_fee_basis_points integer     NOT NULL DEFAULT 0,
    CONSTRAINT plans_version CHECK (version > 0),
    CONSTRAINT plans_range CHECK (0 < min_cents AND min_cents <= max_cents),
    CONSTRAINT plans_roi CHECK (roi_basis_points >= 0),
    CONSTRAINT plans_duration CHECK (duration_days > 0),
    CONSTRAINT plans_costs CHECK (cost_basis_points BETWEEN 0 AND 10000),
    CONSTRAINT plans_risk_class CHECK (risk_class BETWEEN 1 AND 7),
    CONSTRAINT plans_exit_fee CHECK (min_holding_days BETWEEN 0 AND duration_days
        AND exit_fee_basis_points BETWEEN 0 AND 1000 AND (min_holding_days = 0) = (exit_fee_basis_points = 0))
);

-- The service's own role makes or changes a plan only as two people proposed and confirmed it: the same plan, the same terms, in
-- the transaction of the confirmation. A term that the proposal does not state is empty, zero or unset.
CREATE FUNCTION refuse_unproposed_plan() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM proposals
        WHERE status = 'confirmed' AND decided_by <> proposed_by AND decided_at >= transaction_timestamp()
            AND proposed_at > transaction_timestamp() - interval '8 days'
            AND jsonb_build_object('holdings', '', 'manager', '', 'costs', '', 'costBasisPoints', 0, 'riskClass', NULL,
                'documentUrl', '', 'minHoldingDays', 0, 'exitFeeBasisPoints', 0) || change
                = jsonb_build_object('title', NEW.title, 'subtitle', NEW.subtitle, 'minCents', NEW.min_cents,
                'maxCents', NEW.max_cents, 'roiBasisPoints', NEW.roi_basis_points, 'durationDays', NEW.duration_days,
                'active', NEW.active, 'holdings', NEW.holdings, 'manager', NEW.manager, 'costs', NEW.costs,
                'costBasisPoints', NEW.cost_basis_points, 'riskClass', NEW.risk_class, 'documentUrl', NEW.document_url,
                'minHoldingDays', NEW.min_holding_days, 'exitFeeBasisPoints', NEW.exit_fee_basis_points)
            AND CASE TG_OP WHEN 'INSERT' THEN kind = 'plan.create' AND subject_id IS NULL AND NEW.version = 1
                ELSE kind = 'plan.update' AND subject_id = NEW.id AND NEW.id = OLD.id
                    AND (before ->> 'version')::integer = OLD.version AND NEW.version = OLD.version + 1 END)
    THEN
        RAISE EXCEPTION 'plan % is what two people proposed and confirmed', NEW.id
            USING ERRCODE = 'restrict_violation', CONSTRAINT = 'plans_as_proposed';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER plans_as_proposed BEFORE INSERT OR UPDATE ON plans FOR EACH ROW
    WHEN (current_user = 'trade') EXECUTE FUNCTION refuse_unproposed_plan();

-- The value of a plan from a moment on, in millionths. History is never changed: members' money was decided by it.
CREATE TABLE plan_values (
    plan_id      uuid        NOT NULL CONSTRAINT plan_values_plan REFERENCES plans (id),
    at           timestamptz NOT NULL,
    value_micros bigint      NOT NULL,
    source       text        NOT NULL,
    proposal_id  uuid        NOT NULL CONSTRAINT plan_values_proposal REFERENCES proposals (id),
    CONSTRAINT plan_values_pkey PRIMARY KEY (plan_id, at),
    CONSTRAINT plan_values_proposal_key UNIQUE (proposal_id),
    CONSTRAINT plan_values_positive CHECK (value_micros > 0)
);

CREATE FUNCTION plan_values_in_order() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    -- One publication of a plan at a time, or two could pass each other.
    PERFORM FROM plans WHERE id = NEW.plan_id FOR UPDATE;
    IF NEW.at > clock_timestamp()
        OR EXISTS (SELECT FROM plan_values WHERE plan_id = NEW.plan_id AND at >= NEW.at)
    THEN
        RAISE EXCEPTION 'a value must be newer than the newest one and not in the future'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'plan_values_in_order';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER plan_values_in_order BEFORE INSERT ON plan_values
    FOR EACH ROW EXECUTE FUNCTION plan_values_in_order();
CREATE TRIGGER plan_values_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON plan_values
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- The service's own role publishes a value only as two people proposed and confirmed it: of the same plan, the same value, in
-- the transaction of the confirmation.
CREATE FUNCTION refuse_unproposed_value() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM proposals
        WHERE id = NEW.proposal_id AND kind = 'plan.value' AND status = 'confirmed' AND decided_by <> proposed_by
            AND decided_at >= transaction_timestamp() AND subject_id = NEW.plan_id
            AND (change ->> 'valueMicros')::bigint = NEW.value_micros AND change ->> 'source' = NEW.source
            -- A text may be finer than what the column keeps.
            AND abs(extract(epoch FROM NEW.at - coalesce((change ->> 'at')::timestamptz, transaction_timestamp()))) < 0.001)
    THEN
        RAISE EXCEPTION 'a value is published as two people proposed and confirmed'
            USING ERRCODE = 'restrict_violation', CONSTRAINT = 'plan_values_as_proposed';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER plan_values_as_proposed BEFORE INSERT ON plan_values FOR EACH ROW
    WHEN (current_user = 'trade') EXECUTE FUNCTION refuse_unproposed_value();

-- What a member invested in a plan.
CREATE TABLE trades (
    id                    uuid        NOT NULL CONSTRAINT trades_pkey PRIMARY KEY,
    user_id               uuid        NOT NULL,
    plan_id               uuid        NOT NULL CONSTRAINT trades_plan REFERENCES plans (id),
    -- The plan's terms and value when the member invested.
    plan_title            text        NOT NULL,
    plan_min_cents        bigint      NOT NULL,
    plan_max_cents        bigint      NOT NULL,
    roi_basis_points      integer     NOT NULL,
    duration_days         integer     NOT NULL,
    amount_cents          bigint      NOT NULL,
    opening_value_micros  bigint      NOT NULL,
    status                text        NOT NULL,
    -- How it ends and what is paid, frozen before the wallet is asked to pay.
    settle_kind           text,
    settle_value_cents    bigint,
    created_at            timestamptz NOT NULL,
    matures_at            timestamptz NOT NULL,
    ended_at              timestamptz,
    -- What the wallet said to a trade that failed.
    refusal               jsonb,
    -- How often the saga was taken up again.
    attempt               integer     NOT NULL DEFAULT 0,
    -- When it is taken up again.
    resume_at             timestamptz,
    -- Why a saga cannot go on although wallet answers: it is taken up again at growing intervals, and staff are notified.
    stuck_cause           text,
    -- Since when the payout of a trade waits because its plan's cash does not cover the gain.
    cash_short_since      timestamptz,
    -- The exit fee of a trade: its terms as copied from the plan, and what was charged. What is paid is the value less the fee.
    -- Which terms of the plan hold; the confirmed proposal of that version has them all.
    plan_version          integer,
    min_holding_days      integer     NOT NULL DEFAULT 0,
    exit_fee_basis_points integer     NOT NULL DEFAULT 0,
    settle_fee_cents      bigint      NOT NULL DEFAULT 0,
    -- When the event of its maturity was written.
    matured_event_at      timestamptz,
    CONSTRAINT trades_status CHECK (status IN ('opening', 'open', 'settling', 'claimed', 'closed', 'failed')),
    CONSTRAINT trades_amount CHECK (amount_cents BETWEEN plan_min_cents AND plan_max_cents AND amount_cents > 0),
    CONSTRAINT trades_opening_value CHECK (opening_value_micros > 0),
    CONSTRAINT trades_settle_kind CHECK (settle_kind IN ('claim', 'close')),
    CONSTRAINT trades_settlement CHECK (
        (status IN ('settling', 'claimed', 'closed')) = (settle_kind IS NOT NULL)
        AND (settle_kind IS NULL) = (settle_value_cents IS NULL)),
    CONSTRAINT trades_end CHECK ((status IN ('claimed', 'closed')) = (ended_at IS NOT NULL)),
    CONSTRAINT trades_refusal CHECK ((status = 'failed') = (refusal IS NOT NULL)),
    CONSTRAINT trades_resume CHECK ((status IN ('opening', 'settling')) = (resume_at IS NOT NULL)),
    CONSTRAINT trades_exit_fee CHECK (min_holding_days BETWEEN 0 AND duration_days
        AND exit_fee_basis_points BETWEEN 0 AND 1000 AND settle_fee_cents >= 0
        AND (settle_fee_cents = 0 OR settle_kind IS NOT NULL AND exit_fee_basis_points > 0)),
    CONSTRAINT trades_claim_pays_a_gain CHECK (
        settle_kind <> 'claim' OR settle_value_cents >= 0 AND settle_value_cents + settle_fee_cents > amount_cents),
    CONSTRAINT trades_close_pays_no_gain CHECK (
        settle_kind <> 'close' OR settle_value_cents >= 0 AND settle_value_cents + settle_fee_cents <= amount_cents)
) WITH (
    autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 2000,
    autovacuum_analyze_scale_factor = 0.02
);
CREATE INDEX trades_user ON trades (user_id, created_at DESC, id DESC);
CREATE INDEX trades_due ON trades (resume_at) WHERE resume_at IS NOT NULL;
-- The newest opening among a plan's live trades, without reading them all: a value is never published behind it.
CREATE INDEX trades_live_created ON trades (plan_id, created_at)
    WHERE status IN ('opening', 'open');
-- The newest maturity that is past among a plan's live trades, likewise.
CREATE INDEX trades_live_matures ON trades (plan_id, matures_at)
    WHERE status IN ('opening', 'open');
CREATE INDEX trades_waiting ON trades (plan_id, cash_short_since, id)
    WHERE cash_short_since IS NOT NULL AND status = 'settling';
-- The newest ended trades of a plan: how many of them paid less than was invested.
CREATE INDEX trades_ended ON trades (plan_id, ended_at DESC)
    INCLUDE (amount_cents, settle_value_cents) WHERE status IN ('claimed', 'closed');
-- Open trades whose maturity no event has announced yet.
CREATE INDEX trades_unannounced ON trades (matures_at)
    WHERE status = 'open' AND matured_event_at IS NULL;
-- The live trades of a plan, page by page.
CREATE INDEX trades_live ON trades (plan_id, id) WHERE status IN ('opening', 'open', 'settling');

-- The terms of a trade, what was decided, and what it ended as stay what they are.
CREATE FUNCTION trades_transition() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF (OLD.id, OLD.user_id, OLD.plan_id, OLD.plan_title, OLD.plan_min_cents, OLD.plan_max_cents, OLD.roi_basis_points,
        OLD.duration_days, OLD.amount_cents, OLD.opening_value_micros, OLD.created_at, OLD.matures_at, OLD.plan_version,
        OLD.min_holding_days, OLD.exit_fee_basis_points)
        IS DISTINCT FROM
       (NEW.id, NEW.user_id, NEW.plan_id, NEW.plan_title, NEW.plan_min_cents, NEW.plan_max_cents, NEW.roi_basis_points,
        NEW.duration_days, NEW.amount_cents, NEW.opening_value_micros, NEW.created_at, NEW.matures_at, NEW.plan_version,
        NEW.min_holding_days, NEW.exit_fee_basis_points)
        OR (OLD.settle_kind IS NOT NULL AND (OLD.settle_kind, OLD.settle_value_cents, OLD.settle_fee_cents)
            IS DISTINCT FROM (NEW.settle_kind, NEW.settle_value_cents, NEW.settle_fee_cents))
        OR (OLD.status, NEW.status) NOT IN (
            ('opening', 'opening'), ('opening', 'open'), ('opening', 'failed'), ('open', 'open'), ('open', 'settling'),
            ('settling', 'settling'), ('settling', 'claimed'), ('settling', 'closed'))
        OR (NEW.status = 'claimed' AND NEW.settle_kind <> 'claim') OR (NEW.status = 'closed' AND NEW.settle_kind <> 'close')
    THEN
        RAISE EXCEPTION 'a trade cannot change from % to %', OLD, NEW
            USING ERRCODE = 'check_violation', CONSTRAINT = 'trades_transition';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER trades_transition BEFORE UPDATE ON trades FOR EACH ROW EXECUTE FUNCTION trades_transition();
CREATE TRIGGER trades_kept BEFORE DELETE OR TRUNCATE ON trades FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- Which version of the risk page a member has read and understood, and since when.
CREATE TABLE risk_answers (
    user_id     uuid        NOT NULL,
    version     integer     NOT NULL,
    answered_at timestamptz NOT NULL,
    CONSTRAINT risk_answers_pkey PRIMARY KEY (user_id, version),
    CONSTRAINT risk_answers_version CHECK (version > 0)
);

CREATE TRIGGER risk_answers_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON risk_answers
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

DO $$ BEGIN
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'trade') THEN
        REVOKE ALL ON plans, plan_values, trades, risk_answers FROM trade;
        GRANT SELECT, INSERT, UPDATE ON plans, trades TO trade;
        GRANT SELECT, INSERT ON plan_values, risk_answers TO trade;
    END IF;
END $$;
