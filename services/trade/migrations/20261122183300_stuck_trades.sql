-- Why a saga cannot go on although wallet answers: it is taken up again at growing intervals, and people are told.
ALTER TABLE trades ADD COLUMN stuck_cause text;
ALTER TABLE trades SET (
    autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 2000, autovacuum_analyze_scale_factor = 0.02);
