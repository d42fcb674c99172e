-- Inbox items that somebody deals with until a moment. stamp tells one occurrence of an item from the next, as in seen.
CREATE TABLE taken (
  task     BIGINT NOT NULL,
  item     TEXT NOT NULL,
  stamp    BIGINT NOT NULL,
  actor    TEXT NOT NULL,
  until_at BIGINT NOT NULL,
  PRIMARY KEY (task, item)
) WITHOUT ROWID;
