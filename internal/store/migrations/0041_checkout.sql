-- In which work tree, on which machine, a command or a tool server on standard input claimed a task, so that it is known who else
-- works on the files there; empty for a claim through a server. The row goes when the claim ends.
ALTER TABLE agent_session ADD COLUMN host TEXT NOT NULL DEFAULT '';
ALTER TABLE agent_session ADD COLUMN root TEXT NOT NULL DEFAULT '';
CREATE INDEX agent_session_root ON agent_session (root, host) WHERE root <> '';
DELETE FROM agent_session WHERE task IN (SELECT id FROM task WHERE holder IS NULL);
