// Package annotation reads and writes what is stored beside a task: notes, evidence, approvals, decisions, bindings,
// questions and the fingerprints of guidance. Each is written with its event, counted in its task's row and added to
// the text index. A blocking question also takes its task off the frontier until it is answered or withdrawn.
package annotation
