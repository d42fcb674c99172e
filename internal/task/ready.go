package task

// Ready reports whether the task is on the frontier. A lapsed claim must have been taken away before: see At.
func (t *Task) Ready() bool {
	return t.Status == Open && t.OpenDeps == 0 && t.Parts == 0 && t.Questions == 0 && t.Claim == nil
}

// Part reports whether the task is a part of its parent, which waits for it: it is open, and does not stand in a circle
// with its parent. In a circle of dependencies and parts (the smallest: the child depends on its parent) nothing could
// ever be done if the parent waited, too.
func (t *Task) Part() bool {
	return t.Parent != "" && !t.Status.Closed() && !t.InCircle
}
