-- Whether somebody asked a question that was answered, without a look at all questions.
CREATE INDEX question_asker ON question (actor) WHERE answered_at > 0;
