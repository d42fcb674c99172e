-- The words of documents: see store.Words. A document is found in its own record, whose text is kept nowhere twice.
-- only sqlite
CREATE VIRTUAL TABLE words USING fts5 (text, content='', contentless_delete=1, tokenize="ascii tokenchars '_'");
-- What a transaction gathers before it writes some of it out: more for a plan of thousands of tasks.
-- only sqlite
INSERT INTO words (words, rank) VALUES ('hashsize', 4194304);
-- only sqlite
CREATE TABLE fresh (
  id    BIGINT PRIMARY KEY,
  words TEXT NOT NULL -- in place of what the index has; empty: the document is no more
);
-- only postgres
CREATE TABLE words (
  id     BIGINT PRIMARY KEY,
  vector TSVECTOR NOT NULL
);
-- only postgres
CREATE INDEX words_vector ON words USING gin (vector) WITH (gin_pending_list_limit=256);

-- Who has written to a project other than by claiming: the name without the instance, and the first event.
CREATE TABLE actor (
  id      BIGINT PRIMARY KEY,
  project BIGINT NOT NULL,
  name    TEXT NOT NULL,
  at      BIGINT NOT NULL,
  UNIQUE (project, name)
);
