package task

import "slices"

// HandoverNote returns what the actor that handed a task over wrote for its reviewers: the newest note by that actor, or
// else by the one that held the task last. notes are in order; it returns nil if there is none.
func (t *Task) HandoverNote(notes []Note) *Note {
	for i, n := range slices.Backward(notes) {
		if n.Actor != "" && (n.Actor == t.ReviewBy || n.Actor == t.LastHolder) {
			return &notes[i]
		}
	}
	return nil
}
