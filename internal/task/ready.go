package task

// Ready reports whether the task is on the frontier. A lapsed claim must have been taken away before: see At.
func (t *Task) Ready() bool {
	return t.Status == Open && t.OpenDeps == 0 && t.LiveChildren == 0 && t.Questions == 0 && t.Claim == nil
}

// Live reports whether the task, as a child, keeps its parent off the frontier: it is open and waits for nothing.
func (t *Task) Live() bool {
	return !t.Status.Closed() && t.OpenDeps == 0
}
