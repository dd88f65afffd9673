//! Payment methods, rates and what the chains show.

use stack::Service;

use super::check::Check;

pub(super) const PAYMENT_METHODS: &[Check] = &[
    Check {
        ids: "D-M1",
        promise: "every method has the version in force, and members' methods have an owner",
        database: Service::PaymentMethod,
        offending: "SELECT format('method %s', methods.id) FROM methods
            LEFT JOIN method_versions ON method_id = methods.id AND method_versions.version = methods.version
            WHERE method_id IS NULL OR method_versions.scope <> methods.scope OR (methods.scope = 'personal') <> (user_id IS NOT NULL)",
    },
    Check {
        ids: "D-M1 D-B2",
        promise: "every version of a platform method, and its end, is what two people proposed and confirmed",
        database: Service::PaymentMethod,
        offending: "SELECT format('version %s of method %s', method_versions.version, method_id) FROM method_versions
            WHERE scope = 'platform' AND NOT EXISTS (SELECT FROM proposals
                WHERE status = 'confirmed' AND decided_by <> proposed_by AND subject_id = method_id
                    AND change - 'signature' = jsonb_build_object('currency', currency, 'network', network, 'address', address,
                        'memo', memo, 'label', label, 'imageKey', image_key)
                    AND CASE method_versions.version WHEN 1 THEN kind = 'payment_method.create'
                        ELSE kind = 'payment_method.update'
                            AND (before ->> 'version')::integer = method_versions.version - 1 END)
            UNION ALL
            SELECT format('end of method %s', id) FROM methods
            WHERE scope = 'platform' AND archived_at IS NOT NULL AND NOT EXISTS (SELECT FROM proposals
                WHERE kind = 'payment_method.archive' AND status = 'confirmed' AND subject_id = methods.id
                    AND (before ->> 'version')::integer = methods.version)",
    },
    Check {
        ids: "D-N6",
        promise: "every address of the treasury's own wallet was recognised by the service, with a row of the audit log",
        database: Service::PaymentMethod,
        offending: "SELECT address FROM treasury_addresses WHERE NOT EXISTS (SELECT FROM audit_rows
            WHERE action = 'treasury_address.watch' AND subject_id = address AND actor_role = 'system')",
    },
    Check {
        ids: "D-N6",
        promise: "what left the platform an hour ago or earlier is a withdrawal or a movement of the treasury",
        database: Service::PaymentMethod,
        offending: "SELECT format('%s of %s on %s went from %s to %s in %s', units, symbol, chain, address, counterparty, txid)
            FROM chain_payments WHERE way = 'out' AND transaction_id IS NULL AND state IN ('seen', 'included', 'final')
                AND seen_at < clock_timestamp() - interval '1 hour'",
    },
    Check {
        ids: "D-Q2 D-B2",
        promise: "every published rate is what two people proposed and confirmed",
        database: Service::PaymentMethod,
        offending: "SELECT format('rate %s of %s by %s', rate_points.id, symbol, rate_points.source) FROM rate_points
            LEFT JOIN proposals ON proposals.id = proposal_id AND kind = 'rate.publish'
            WHERE proposal_id IS NOT NULL AND (
                status IS DISTINCT FROM 'confirmed' OR decided_by IS NOT DISTINCT FROM proposed_by
                OR (change ->> 'asset', (change ->> 'bidMicros')::bigint, (change ->> 'askMicros')::bigint, change ->> 'source')
                    IS DISTINCT FROM (symbol, bid_micros, ask_micros, rate_points.source)
                OR valid_until IS DISTINCT FROM read_at + make_interval(mins => (change ->> 'validMinutes')::integer))
            UNION ALL
            SELECT 'trigger ' || name FROM unnest(ARRAY['rate_points_kept', 'rate_points_as_proposed']) AS name
            WHERE NOT EXISTS (SELECT FROM pg_trigger WHERE tgname = name AND tgrelid = to_regclass('rate_points')
                AND tgenabled <> 'D')",
    },
    Check {
        ids: "D-Q8",
        promise: "what should be held is the first reading with every payment since",
        database: Service::PaymentMethod,
        offending: "SELECT format('%s of %s at %s', symbol, chain, address) FROM holdings
            WHERE carried <> opening + (SELECT coalesce(sum(CASE way WHEN 'in' THEN one.units ELSE -one.units END), 0)
                FROM chain_payments AS one
                WHERE one.chain = holdings.chain AND one.symbol = holdings.symbol AND one.address = holdings.address
                    AND state IN ('included', 'final') AND height > opening_height AND height <= carried_height)
            UNION ALL
            SELECT 'trigger ' || name FROM (VALUES ('holdings_kept', 'holdings'), ('chain_payments_kept', 'chain_payments'),
                ('chain_payments_matched_once', 'chain_payments'), ('chain_payments_valued_once', 'chain_payments'))
                AS guards (name, place)
            WHERE NOT EXISTS (SELECT FROM pg_trigger WHERE tgname = name AND tgrelid = to_regclass(place)
                AND tgenabled <> 'D')",
    },
];
