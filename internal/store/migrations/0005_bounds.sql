-- The first children of a task, by number: without the number in the index PostgreSQL sorts all of them. SQLite keeps
-- a row's own id in every index.
-- only postgres
DROP INDEX task_parent;
-- only postgres
CREATE INDEX task_parent ON task (parent, id) WHERE parent IS NOT NULL;

-- What is not held has no lease. In a condition of its own no index of held tasks serves in its place, nor this one in
-- the place of task_lease: PostgreSQL keeps a plan that it made when few were held.
DROP INDEX task_stalling;
CREATE INDEX task_stalling ON task (project, (expires_at-lease_ms*500)) WHERE lease_ms>0;
