-- Whether a task waits for any other, closed ones included: a list need not look for what most tasks have none of.
ALTER TABLE task ADD COLUMN has_deps BIGINT NOT NULL DEFAULT 0;
UPDATE task SET has_deps=1 WHERE EXISTS (SELECT 1 FROM dep WHERE dep.task=task.id);
