-- The policy of record: what a project's own configuration file decided when a plan was last applied next to it, which
-- file that was, and when. It stands in the file's place wherever a process has no file that declares the project. A
-- project from before has none, and is decided as before.
ALTER TABLE project ADD COLUMN policy TEXT NOT NULL DEFAULT '';
ALTER TABLE project ADD COLUMN policy_file TEXT NOT NULL DEFAULT '';
ALTER TABLE project ADD COLUMN policy_at BIGINT NOT NULL DEFAULT 0;
