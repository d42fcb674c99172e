// Package plan is the apply document: its shape, declared once (shape.go), from which the strict decoder, the checks of
// values built in Go and the JSON Schema are derived; and the difference between a document and what is stored, which
// is what an apply writes. Creating and editing a single task use the same fields and the same checks. Everything is a
// plain function of its arguments. All faults are found at once, each with its path.
package plan
