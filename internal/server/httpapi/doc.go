// Package httpapi is the HTTP face. It mounts the operation table under /v1 behind one front door.
//
// Every request takes the same path, whatever its route: the host it asks for, the site it comes from, the token or the
// session (door.go, session.go); the route (handle.go); the limit of its body, the acting identity and the idempotency key,
// and then the operation (operation.go). One function writes every answer and one every error (answer.go), so that a client
// always reads JSON in one format, with a status from the one table in package fault. Even what net/http itself refuses is
// answered like that (conn.go).
package httpapi
