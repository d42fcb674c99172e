-- An apply lists the first open tasks that its document leaves out: by number, past however many closed ones.
CREATE INDEX task_open ON task (project, id) WHERE status<>'done' AND status<>'cancelled';

-- Which children stand in a circle with a task, however many do not.
CREATE INDEX task_circled ON task (parent) WHERE in_circle=1;
