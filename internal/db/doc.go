// Package db runs SQL in snapshots and turns, and does not know what the tables hold.
//
// One SQL subset with $1, $2, … serves SQLite and PostgreSQL through a narrow Conn over the native drivers. Their
// differences are behind Engine, in db/sqlite and db/postgres.
//
// Read runs a function on one consistent snapshot (Head says which). Readers never wait for writers.
//
// Write runs a function in a turn. There is one turn at a time, over all processes that share a database, so that rules see
// one serial history. Concurrent Writes of a process share a turn and its commit: see Write for the contract and group.go
// for the implementation. WriteThen adds a read of the result (replies.go). Wait returns when there may be events that the
// caller has not seen (feed.go).
//
// Every snapshot and turn begins with the row "turn" of the table of that name: the version of the schema, the id of the
// newest event and its time. A schema older than the binary's is migrated, or refused if the engine requires an explicit
// migration; a newer one is always refused. Migrations are files, forward only, each in a transaction of its own
// (migrate.go); if nothing has been recorded yet, all of them share one.
//
// Time, waiting, goroutines, locks and files come in through World (world.go). Its production side is one file each:
// clock.go, waiting.go, goroutines.go, locks.go with queue_unix.go, and files.go. A test keeps every other file from using
// them directly.
//
// The engines store and find the words of documents for text search (words.go), since each has its own index; package
// search decides what a word is and what matches.
package db
