-- What the service's own role may do with everything that the migrations of its database's owner make: change rows, but
-- no schema. A migration takes back what goes too far. Repeating it changes nothing.
REVOKE ALL ON DATABASE :"DBNAME" FROM PUBLIC;
GRANT CONNECT ON DATABASE :"DBNAME" TO :"role";
GRANT USAGE ON SCHEMA public TO :"role";
ALTER DEFAULT PRIVILEGES GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO :"role";
ALTER DEFAULT PRIVILEGES GRANT USAGE, SELECT ON SEQUENCES TO :"role";
ALTER DEFAULT PRIVILEGES GRANT EXECUTE ON FUNCTIONS TO :"role";
