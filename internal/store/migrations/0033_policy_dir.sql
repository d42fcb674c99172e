-- The directory of the file that a policy was recorded from, from the root of its repository: the commands of its gates run
-- there. A policy that was recorded before has none, and neither has one from outside a repository.
ALTER TABLE project ADD COLUMN policy_dir TEXT NOT NULL DEFAULT '';
