// Package shape forms the JSON answers of commands as a user asks: by an expression of jq, or by a template of Go with the
// helpers that gh has. It returns text, which the Terminal makes inert as it does any other.
package shape
