-- Every posting updates its accounts: the few rows of the house thousands of times a minute, a member's now and then.
-- They are vacuumed after a fixed number of updates, however many members there are, and without pauses.
ALTER TABLE accounts SET (
    autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000, autovacuum_vacuum_cost_delay = 0,
    autovacuum_analyze_scale_factor = 0.02);
ALTER TABLE transactions SET (
    autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 2000, autovacuum_analyze_scale_factor = 0.01);
ALTER TABLE trade_fundings SET (
    autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 2000, autovacuum_analyze_scale_factor = 0.01);
-- Only inserted: frozen in small steps instead of all at once, and counted before plans go wrong.
ALTER TABLE postings SET (
    autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.01);
ALTER TABLE entries SET (
    autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.01);
