// Package mcp is the face for agents: the operations of the table as tools of the Model Context Protocol, over
// standard input and output (Serve) and over HTTP (Handler).
//
// A tool is an operation: its arguments are the operation's input in one object (op.DecodeArgs), it answers what the
// route answers in brief (package summary), or all of it with the argument full, and a refusal is a tool error with the
// object that the route answers. What differs is what a model needs: few tools and short schemas (tools.go, schema.go),
// the fence of the task that is held sent by itself (fence.go), one task as the short form of a plan (apply.go), a task
// with its explanation (show.go), and text in which nothing is hidden (answer.go).
package mcp
