-- A parent waits for its parts: its open children, but for those that stand in a circle of dependencies and parts with
-- it. The mark stands on the child. Go finds the circles, and moves who waits now and who does not any more.
ALTER TABLE task RENAME COLUMN live_children TO parts;
ALTER TABLE task ADD COLUMN in_circle BIGINT NOT NULL DEFAULT 0;
CREATE INDEX task_circle ON task (project, id) WHERE in_circle=1;
UPDATE task SET parts=open_children WHERE parts<>open_children;
