-- Open tasks with an open blocking question, for lists and counts of what needs an answer.
CREATE INDEX task_asking ON task (project, id) WHERE questions>0 AND status<>'done' AND status<>'cancelled';
