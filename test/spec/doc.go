// Package spec walks the interface specification sentence by sentence: one test a statement, named by its section, against
// the built program. docs/conformance.md lists them, and is written by this package's tests (-update).
package spec
