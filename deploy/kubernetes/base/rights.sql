-- What the service's own role may do with everything that the migrations of its database's owner make: change rows, but
-- no schema. A migration takes back what goes too far. Repeating it changes nothing.
REVOKE ALL ON DATABASE :"DBNAME" FROM PUBLIC;
GRANT CONNECT ON DATABASE :"DBNAME" TO :"role";
GRANT USAGE ON SCHEMA public TO :"role";
ALTER DEFAULT PRIVILEGES GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO :"role";
ALTER DEFAULT PRIVILEGES GRANT USAGE, SELECT ON SEQUENCES TO :"role";
ALTER DEFAULT PRIVILEGES GRANT EXECUTE ON FUNCTIONS TO :"role";
-- The audit reads everything and changes nothing. Its role comes with the component postgres.
SELECT EXISTS (SELECT FROM pg_roles WHERE rolname = 'auditor') AS has_auditor \gset
\if :has_auditor
GRANT CONNECT ON DATABASE :"DBNAME" TO auditor;
SELECT format('GRANT USAGE ON SCHEMA %1$I TO auditor; GRANT SELECT ON ALL TABLES IN SCHEMA %1$I TO auditor', nspname)
FROM pg_namespace WHERE nspname = 'public' OR nspname ~ '^wallet_([0-9]{2}|all)$' \gexec
ALTER DEFAULT PRIVILEGES GRANT SELECT ON TABLES TO auditor;
\endif
-- The media worker of course sees the rows of files and nothing else.
SELECT EXISTS (SELECT FROM pg_roles WHERE rolname = :'role' || '_worker') AS has_worker \gset
\if :has_worker
GRANT CONNECT ON DATABASE :"DBNAME" TO course_worker;
GRANT USAGE ON SCHEMA public TO course_worker;
SELECT 'GRANT SELECT, UPDATE, DELETE ON media, media_chunks TO course_worker' WHERE to_regclass('media') IS NOT NULL \gexec
\endif
