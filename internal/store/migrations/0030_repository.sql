-- The git repository, and the machine that has it, in which a command made a project or recorded its policy. A command in
-- another repository does not take the project for its own. A project from before has none.
ALTER TABLE project ADD COLUMN repo_host TEXT NOT NULL DEFAULT '';
ALTER TABLE project ADD COLUMN repo_dir TEXT NOT NULL DEFAULT '';
