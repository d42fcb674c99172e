-- The first children of a task, by number: without the number in the index PostgreSQL sorts all of them. SQLite keeps
-- a row's own id in every index.
-- only postgres
DROP INDEX task_parent;
-- only postgres
CREATE INDEX task_parent ON task (parent, id) WHERE parent IS NOT NULL;
