package pgserver

// Keep runs in the template once it has its tables. It records what a database looks like before its first test: the
// initial rows, and the shape of everything, as the catalogue stores it, because definitions in SQL are expensive to
// compose and a copy has the numbers of its template. It turns autovacuum off for the copies, because it would analyse
// what one test wrote a minute later, in the middle of another.
const Keep = `
CREATE SCHEMA pristine;
CREATE VIEW pristine.tables AS
	SELECT c.oid, quote_ident(c.relname) AS name FROM pg_class c WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r';
CREATE VIEW pristine.shape AS
	SELECT md5(string_agg(part, E'\n' ORDER BY part COLLATE "C")) AS sum FROM (
		SELECT concat_ws(' ', c.relkind, c.relname, c.reloptions,
				i.indrelid, i.indkey, i.indclass, i.indcollation, i.indoption, i.indisunique, i.indisvalid, i.indexprs, i.indpred) AS part
			FROM pg_class c LEFT JOIN pg_index i ON i.indexrelid = c.oid WHERE c.relnamespace = 'public'::regnamespace
		UNION ALL SELECT concat_ws(' ', attrelid::regclass, attname, format_type(atttypid, atttypmod), attnotnull, attisdropped)
			FROM pg_attribute WHERE attnum > 0 AND attrelid IN (SELECT oid FROM pristine.tables)
		UNION ALL SELECT concat_ws(' ', 'analysed', starelid::regclass, staattnum)
			FROM pg_statistic WHERE starelid IN (SELECT oid FROM pristine.tables)
		UNION ALL SELECT concat_ws(' ', 'counted', name) FROM pristine.tables NATURAL JOIN pg_class
			WHERE reltuples > 0 OR relpages > 0 OR reltuples = 0 AND current_setting('server_version_num')::int >= 140000
		UNION ALL SELECT concat_ws(' ', conrelid, conname, contype, conkey, confrelid, confkey, confupdtype, confdeltype, conbin)
			FROM pg_constraint WHERE connamespace = 'public'::regnamespace
		UNION ALL SELECT concat_ws(' ', 'function', oid::regprocedure, md5(prosrc)) FROM pg_proc WHERE pronamespace = 'public'::regnamespace
		UNION ALL SELECT concat_ws(' ', 'trigger', tgrelid::regclass, tgname, tgenabled) FROM pg_trigger WHERE NOT tgisinternal
		UNION ALL SELECT concat_ws(' ', 'schema', nspname, nspacl) FROM pg_namespace WHERE nspname NOT LIKE 'pg\_%'
		UNION ALL SELECT concat_ws(' ', 'settings', setconfig) FROM pg_db_role_setting s
			WHERE s.setdatabase = (SELECT oid FROM pg_database WHERE datname = current_database())
		UNION ALL SELECT concat_ws(' ', 'database', datconnlimit, datallowconn, datacl) FROM pg_database WHERE datname = current_database()
	) parts;
CREATE TABLE pristine.kept (sum text);
DO $$ DECLARE t text; filled bool; BEGIN
	FOR t IN SELECT name FROM pristine.tables LOOP
		EXECUTE format('ALTER TABLE public.%s SET (autovacuum_enabled = false)', t);
		EXECUTE format('SELECT EXISTS (SELECT FROM public.%s)', t) INTO filled;
		IF filled THEN
			EXECUTE format('CREATE TABLE pristine.%s AS TABLE public.%s', t, t);
		END IF;
	END LOOP;
	INSERT INTO pristine.kept SELECT sum FROM pristine.shape;
END $$`

// Reset restores a copy of the template to its state before the test that used it, and fails if the test changed more
// than rows. Planner statistics count too: if a table was analysed in the meantime, the next test's queries would get
// other plans. Deleting a few rows is much cheaper than truncating, which creates a new file for a table and each of its
// indexes. A table is truncated only once it has grown past the ten pages that the planner assumes for every new table.
const Reset = `DO $$ DECLARE t record; BEGIN
	IF (SELECT sum FROM pristine.kept) <> (SELECT sum FROM pristine.shape) THEN
		RAISE EXCEPTION 'the test changed the tables';
	END IF;
	SET LOCAL session_replication_role = replica;
	SET LOCAL lock_timeout = '5s';
	FOR t IN SELECT name, pg_relation_size(oid) AS size FROM pristine.tables LOOP
		IF t.size > 10 * 8192 THEN
			EXECUTE format('TRUNCATE public.%s CASCADE', t.name);
		ELSIF t.size > 0 THEN
			EXECUTE format('DELETE FROM public.%s', t.name);
		END IF;
	END LOOP;
	FOR t IN SELECT name FROM pristine.tables WHERE to_regclass('pristine.' || name) IS NOT NULL LOOP
		EXECUTE format('INSERT INTO public.%s SELECT * FROM pristine.%s', t.name, t.name);
	END LOOP;
END $$`
