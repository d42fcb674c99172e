-- Since which claim the last holder of a task has it, nobody else having held it in between: for an agent's close what was
-- run before does not count. Of closed tasks nobody asks; a task that the log says nothing about has 0.
ALTER TABLE task ADD COLUMN held_since BIGINT NOT NULL DEFAULT 0;
UPDATE task SET held_since=COALESCE((SELECT MIN(e.id) FROM event e WHERE e.task=task.id AND e.kind='task.claimed' AND e.actor=task.last_holder
    AND e.id>COALESCE((SELECT MAX(o.id) FROM event o WHERE o.task=task.id AND o.kind='task.claimed' AND o.actor<>task.last_holder), 0)), 0)
  WHERE last_holder<>'' AND status IN ('open', 'in_progress', 'in_review');
-- The holder for whom evidence was recorded by somebody who acted for it; empty where the actor speaks for itself.
ALTER TABLE evidence ADD COLUMN held_for TEXT;
