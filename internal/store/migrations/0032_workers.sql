-- Tasks by who closed them, for what a worker has finished lately.
CREATE INDEX task_closer ON task (project, closed_by, closed_at) WHERE status='done';
