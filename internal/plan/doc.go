// Package plan is the apply document: its shape, declared once (shape.go), from which come the strict decoder, the
// checks of values that Go built and the JSON Schema; and the difference between a document and what is stored,
// which is what an apply writes. Creating and editing a single task go through the same fields and the same checks.
// Everything is a plain function of its arguments. Faults are found all at once, each with its path.
package plan
