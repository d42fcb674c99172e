-- Where a policy was recorded: the first commits of its repository, and digests of machine and directories, so that a run of a
-- gate's line in another repository is told. A policy that was recorded before has none; the next apply next to its file keeps it.
ALTER TABLE project ADD COLUMN policy_place TEXT NOT NULL DEFAULT '';
