-- The last lines that a run printed, by the id of its evidence. They have a table of their own, so that a read of evidence
-- pays for them only where somebody asks, and an export can leave them out.
CREATE TABLE evidence_output (
  id   BIGINT PRIMARY KEY,
  task BIGINT NOT NULL REFERENCES task (id),
  text TEXT NOT NULL
);
CREATE INDEX evidence_output_task ON evidence_output (task);
