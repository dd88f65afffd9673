-- Each mail is updated two or three times within seconds.
ALTER TABLE mails SET (
    autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 2000, autovacuum_analyze_scale_factor = 0.02);
