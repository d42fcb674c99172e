-- Which session of an agent made the claim of a task, so that a hook acts for that session alone: digests of the session's id and of
-- the agent's process, each empty where nothing tells it. A row of an earlier fence says nothing.
CREATE TABLE agent_session (
  task    BIGINT PRIMARY KEY REFERENCES task (id),
  fence   BIGINT NOT NULL,
  session TEXT NOT NULL,
  process TEXT NOT NULL
);
CREATE INDEX agent_session_session ON agent_session (session) WHERE session <> '';
CREATE INDEX agent_session_process ON agent_session (process) WHERE process <> '';
