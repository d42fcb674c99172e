// Package shape forms the JSON answers of commands as the user asks: with a jq expression, or with a Go template that
// has gh's helpers. It returns text, which the Terminal makes inert like any other.
package shape
