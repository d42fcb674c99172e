// Package mcp is the face for agents: the operations of the table as tools of the Model Context Protocol, over
// standard input and output (Serve) and over HTTP (Handler).
//
// A tool is an operation: its arguments are the operation's input in one object (op.DecodeArgs), it returns a summary
// of the route's answer (package summary), or all of it with the argument full, and a refusal is a tool error with the
// object that the route returns. The differences are what a model needs: few tools and short schemas (tools.go,
// schema.go), the fence of a held task sent automatically (fence.go), keys in place of ids (names.go), one task as the
// short form of a plan (apply.go), a task with its explanation (show.go), and text without hidden characters (answer.go).
package mcp
