-- A session is a credential for an actor; only its SHA-256 is kept. Empty projects: all of them.
CREATE TABLE session (
  id           BIGINT PRIMARY KEY,
  digest       TEXT NOT NULL UNIQUE,
  actor        TEXT NOT NULL,
  projects     TEXT NOT NULL,
  read_only    BIGINT NOT NULL,
  created_at   BIGINT NOT NULL,
  expires_at   BIGINT NOT NULL, -- 0: none
  last_used_at BIGINT NOT NULL,
  revoked_at   BIGINT NOT NULL
);
