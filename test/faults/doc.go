// Package faults holds the tests of what must hold when things go wrong or happen at once: many clients on few
// tasks, servers that are killed, workers that wake up too late, and requests made of anything.
//
// They drive the built program and real databases, an SQLite file and a PostgreSQL schema. Nothing here waits for
// time to pass: every wait is for a condition, and has an end.
package faults
