//! The published liabilities, and wallets that were closed.

use super::check::{Check, wallet};

pub(super) const LIABILITIES: &[Check] = &[
    wallet(
        "D-B6",
        "every node of the published liabilities follows from those below it",
        r"WITH newest AS (
            SELECT id FROM liability_publications WHERE published_at IS NOT NULL ORDER BY at DESC LIMIT 1
        )
        SELECT format('node %s of level %s in publication %s', node.position, node.level, node.publication_id)
        FROM newest JOIN liability_nodes AS node ON node.publication_id = newest.id
        LEFT JOIN liability_leaves AS leaf ON node.level = 0 AND leaf.publication_id = node.publication_id
            AND leaf.position = node.position
        LEFT JOIN LATERAL (SELECT below.* FROM liability_nodes AS below WHERE below.publication_id = node.publication_id
            AND below.level = node.level - 1
            AND below.position IN (node.position * 2, node.position * 2 + 1) ORDER BY below.position LIMIT 1) AS one ON true
        LEFT JOIN liability_nodes AS other ON other.publication_id = one.publication_id AND other.level = one.level
            AND other.position = one.position + 1 AND one.position % 2 = 0
        WHERE (node.digest, node.sum_cents) IS DISTINCT FROM (CASE
            WHEN node.level = 0 THEN
                sha256('\x00'::bytea || leaf.salt || uuid_send(leaf.user_id) || int8send(leaf.amount_cents))
            WHEN other.position IS NULL THEN one.digest
            ELSE sha256('\x01'::bytea || one.digest || int8send(one.sum_cents) || other.digest || int8send(other.sum_cents))
            END, CASE WHEN node.level = 0 THEN leaf.amount_cents ELSE one.sum_cents + coalesce(other.sum_cents, 0) END)",
    ),
    wallet(
        "D-B6",
        "the published root and total are those of the tree, and the total is that of the leaves",
        "SELECT format('publication %s of %s', id, at) FROM (
            SELECT * FROM liability_publications WHERE published_at IS NOT NULL ORDER BY at DESC LIMIT 1
        ) AS newest
        WHERE total_cents <> (SELECT coalesce(sum(amount_cents), 0) FROM liability_leaves WHERE publication_id = newest.id)
            OR leaves <> (SELECT count(*) FROM liability_leaves WHERE publication_id = newest.id)
            OR leaves > 0 AND NOT EXISTS (
                SELECT FROM (
                    SELECT digest, sum_cents FROM liability_nodes WHERE publication_id = newest.id ORDER BY level DESC LIMIT 1
                ) AS top WHERE top.digest = root AND top.sum_cents = total_cents)",
    ),
    wallet(
        "D-B6 D-T5",
        "the published liabilities are what the postings of that moment owe to every member, with the gains of open trades",
        // A publication from before the snapshot was noted is followed by one with it within a night.
        "WITH newest AS (
            SELECT id, snapshot FROM liability_publications WHERE published_at IS NOT NULL ORDER BY at DESC LIMIT 1
        ), told AS (
            SELECT user_id, sum(amount_cents) AS cents FROM liability_leaves JOIN newest ON publication_id = newest.id
            GROUP BY user_id
        ), owed AS (
            SELECT user_id, sum(cents) AS cents FROM (
                SELECT accounts.user_id, last.balance_after_cents AS cents FROM newest CROSS JOIN accounts CROSS JOIN LATERAL (
                    SELECT balance_after_cents FROM entries JOIN postings ON postings.id = posting_id
                    WHERE account_id = accounts.id AND (xid IS NULL OR pg_visible_in_snapshot(xid, snapshot))
                    ORDER BY posting_id DESC LIMIT 1) AS last
                WHERE accounts.user_id IS NOT NULL AND kind IN ('available', 'held', 'on_hold', 'invested', 'bonus')
                UNION ALL
                SELECT user_id, gain_cents FROM newest JOIN liability_gains ON publication_id = newest.id
                JOIN trade_fundings USING (trade_id)
            ) AS parts GROUP BY user_id HAVING sum(cents) > 0
        )
        SELECT format('member %s is owed %s, and %s is published', user_id, coalesce(owed.cents, 0), coalesce(told.cents, 0))
        FROM owed FULL JOIN told USING (user_id)
        WHERE coalesce(owed.cents, 0) <> coalesce(told.cents, 0)
            AND (SELECT snapshot IS NOT NULL FROM newest)
        UNION ALL
        SELECT format('publication %s does not say what it counted', newest.id) FROM newest
        WHERE snapshot IS NULL AND EXISTS (SELECT FROM liability_publications WHERE snapshot IS NOT NULL)
        UNION ALL
        SELECT format('publication %s says that %s of it are gains', newest.id, gains_cents) FROM newest
        JOIN liability_publications USING (id) WHERE newest.snapshot IS NOT NULL AND gains_cents IS DISTINCT FROM
            (SELECT coalesce(sum(gain_cents), 0) FROM liability_gains WHERE publication_id = newest.id)",
    ),
    wallet(
        "D-A12",
        "a closed wallet is empty, and nothing is open in it",
        "SELECT format('%s of %s: %s', kind, user_id, balance_cents) FROM accounts JOIN closed_wallets USING (user_id)
         WHERE balance_cents <> 0 AND kind <> 'owed'
         UNION ALL
         SELECT format('transaction %s of %s', id, user_id) FROM transactions JOIN closed_wallets USING (user_id)
         WHERE status = 'pending'
         UNION ALL
         SELECT format('trade %s of %s', trade_id, user_id) FROM trade_fundings JOIN closed_wallets USING (user_id)
         WHERE status = 'funded'",
    ),
];
