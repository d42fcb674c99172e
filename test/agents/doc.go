// Package agents drives the built program as agents do: with real clients of the Model Context Protocol, over standard
// input and output and over HTTP, on both databases. It holds tests only.
package agents
