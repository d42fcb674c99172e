package pgserver

// Keep is run in the template once it has its tables. It writes down what a database looks like before its first test: the
// rows that are there from the beginning, and the shape of everything.
const Keep = `
CREATE SCHEMA pristine;
CREATE VIEW pristine.tables AS
	SELECT c.oid, quote_ident(c.relname) AS name FROM pg_class c WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r';
CREATE VIEW pristine.shape AS
	SELECT md5(string_agg(part, E'\n' ORDER BY part COLLATE "C")) AS sum, coalesce(sum(pages), 0)::bigint AS pages FROM (
		SELECT concat_ws(' ', c.relkind, c.relname, c.reloptions, pg_get_indexdef(i.indexrelid)) AS part,
			pg_relation_size(c.oid) / 8192 AS pages
			FROM pg_class c LEFT JOIN pg_index i ON i.indexrelid = c.oid WHERE c.relnamespace = 'public'::regnamespace
		UNION ALL SELECT concat_ws(' ', attrelid::regclass, attname, format_type(atttypid, atttypmod), attnotnull, attisdropped), 0
			FROM pg_attribute WHERE attnum > 0 AND attrelid IN (SELECT oid FROM pristine.tables)
		UNION ALL SELECT concat_ws(' ', conrelid::regclass, conname, pg_get_constraintdef(oid)), 0
			FROM pg_constraint WHERE connamespace = 'public'::regnamespace
		UNION ALL SELECT concat_ws(' ', 'function', oid::regprocedure, md5(prosrc)), 0 FROM pg_proc WHERE pronamespace = 'public'::regnamespace
		UNION ALL SELECT concat_ws(' ', 'trigger', tgrelid::regclass, tgname, tgenabled), 0 FROM pg_trigger WHERE NOT tgisinternal
		UNION ALL SELECT concat_ws(' ', 'schema', nspname, nspacl), 0 FROM pg_namespace WHERE nspname NOT LIKE 'pg\_%'
		UNION ALL SELECT concat_ws(' ', 'settings', setconfig), 0 FROM pg_db_role_setting s
			WHERE s.setdatabase = (SELECT oid FROM pg_database WHERE datname = current_database())
		UNION ALL SELECT concat_ws(' ', 'database', datconnlimit, datallowconn, datacl), 0 FROM pg_database WHERE datname = current_database()
	) parts;
CREATE TABLE pristine.kept (sum text, pages bigint);
DO $$ DECLARE t text; filled bool; BEGIN
	FOR t IN SELECT name FROM pristine.tables LOOP
		EXECUTE format('SELECT EXISTS (SELECT FROM public.%s)', t) INTO filled;
		IF filled THEN
			EXECUTE format('CREATE TABLE pristine.%s AS TABLE public.%s', t, t);
		END IF;
	END LOOP;
	INSERT INTO pristine.kept SELECT sum, pages FROM pristine.shape;
END $$`

// Reset makes a copy of the template as it was before the test that used it, and fails where the test changed more than rows,
// or wrote so many that they would slow the next one down. Deleting a few rows is much cheaper than truncating every table,
// which makes a new file for each table and each index.
const Reset = `DO $$ DECLARE t text; filled bool; was record; is_now record; BEGIN
	SELECT * INTO was FROM pristine.kept;
	SELECT * INTO is_now FROM pristine.shape;
	IF was.sum <> is_now.sum THEN
		RAISE EXCEPTION 'the test changed the tables';
	END IF;
	IF is_now.pages > was.pages + 2000 THEN
		RAISE EXCEPTION 'the test left % pages', is_now.pages;
	END IF;
	SET LOCAL session_replication_role = replica;
	SET LOCAL lock_timeout = '5s';
	FOR t IN SELECT name FROM pristine.tables LOOP
		EXECUTE format('SELECT EXISTS (SELECT FROM public.%s)', t) INTO filled;
		IF filled THEN
			EXECUTE format('DELETE FROM public.%s', t);
		END IF;
		IF to_regclass('pristine.' || t) IS NOT NULL THEN
			EXECUTE format('INSERT INTO public.%s SELECT * FROM pristine.%s', t, t);
		END IF;
	END LOOP;
END $$`
