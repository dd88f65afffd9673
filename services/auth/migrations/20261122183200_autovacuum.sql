-- Updated by almost every request, or made and deleted all day: vacuumed when a hundredth is dead.
ALTER TABLE sessions SET (
    autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 2000, autovacuum_analyze_scale_factor = 0.02);
ALTER TABLE login_throttles SET (
    autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 2000, autovacuum_analyze_scale_factor = 0.02);
ALTER TABLE mail_requests SET (
    autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000, autovacuum_analyze_scale_factor = 0.02);
