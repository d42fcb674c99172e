package pgserver

// Keep runs in the template once it has its tables. It records what a database looks like before its first test: the
// initial rows, and the shape of everything as the number of rows in the catalogue and the transactions that wrote them.
// A copy has these from its template, and every change to a definition changes them; composing the definitions
// themselves is expensive. It turns autovacuum off for the copies, because it would analyse what one test wrote a minute
// later, in the middle of another.
const Keep = `
CREATE SCHEMA pristine;
CREATE VIEW pristine.tables AS
	SELECT c.oid, quote_ident(c.relname) AS name FROM pg_class c WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r';
CREATE VIEW pristine.shape AS
	SELECT concat_ws(' ',
		(SELECT concat_ws(' ', count(*), sum(xmin::text::bigint), string_agg(relname, ' ') FILTER (WHERE relkind = 'r' AND
				(reltuples > 0 OR relpages > 0 OR reltuples = 0 AND current_setting('server_version_num')::int >= 140000)))
			FROM pg_class WHERE relnamespace = 'public'::regnamespace),
		(SELECT concat_ws(' ', 'columns', count(*), sum(xmin::text::bigint)) FROM pg_attribute WHERE attrelid IN (SELECT oid FROM pristine.tables)),
		(SELECT concat_ws(' ', 'indexes', count(*), sum(xmin::text::bigint)) FROM pg_index WHERE indrelid IN (SELECT oid FROM pristine.tables)),
		(SELECT concat_ws(' ', 'constraints', count(*), sum(xmin::text::bigint)) FROM pg_constraint WHERE connamespace = 'public'::regnamespace),
		(SELECT concat_ws(' ', 'functions', count(*), sum(xmin::text::bigint)) FROM pg_proc WHERE pronamespace = 'public'::regnamespace),
		(SELECT concat_ws(' ', 'triggers', count(*), sum(xmin::text::bigint)) FROM pg_trigger),
		(SELECT concat_ws(' ', 'schemas', count(*), sum(xmin::text::bigint)) FROM pg_namespace WHERE nspname NOT LIKE 'pg\_%'),
		(SELECT concat_ws(' ', 'analysed', count(*)) FROM pg_statistic WHERE starelid IN (SELECT oid FROM pristine.tables)),
		(SELECT concat_ws(' ', 'database', d.datconnlimit, d.datallowconn, d.datacl,
				(SELECT string_agg(setconfig::text, ' ') FROM pg_db_role_setting WHERE setdatabase = d.oid))
			FROM pg_database d WHERE datname = current_database())) AS sum;
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
// indexes. A table is truncated only once it has grown past the ten pages that the planner assumes for every new table;
// then its definition is written again, and the shape is taken again.
const Reset = `DO $$ DECLARE t record; truncated bool := false; BEGIN
	IF (SELECT sum FROM pristine.kept) <> (SELECT sum FROM pristine.shape) THEN
		RAISE EXCEPTION 'the test changed the tables';
	END IF;
	SET LOCAL session_replication_role = replica;
	SET LOCAL lock_timeout = '5s';
	FOR t IN SELECT name, pg_relation_size(oid) AS size FROM pristine.tables LOOP
		IF t.size > 10 * 8192 THEN
			EXECUTE format('TRUNCATE public.%s CASCADE', t.name);
			truncated := true;
		ELSIF t.size > 0 THEN
			EXECUTE format('DELETE FROM public.%s', t.name);
		END IF;
	END LOOP;
	FOR t IN SELECT name FROM pristine.tables WHERE to_regclass('pristine.' || name) IS NOT NULL LOOP
		EXECUTE format('INSERT INTO public.%s SELECT * FROM pristine.%s', t.name, t.name);
	END LOOP;
	IF truncated THEN
		UPDATE pristine.kept SET sum = (SELECT sum FROM pristine.shape);
	END IF;
END $$`
