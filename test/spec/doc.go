// Package spec walks the interface specification sentence by sentence: one test per statement, named by its section,
// against the built program. docs/internals/conformance.md lists them, and this package's tests write it (-update).
package spec
