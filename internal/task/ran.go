package task

import "github.com/go-json-experiment/json"

// Ran is evidence of a command that tasker itself ran: the value that `tasker prove` writes. Only a command that ended
// with 0 leaves one.
type Ran struct {
	Command    []string `json:"command"`
	ExitCode   int      `json:"exitCode"`
	DurationMs int64    `json:"durationMs"`
	Commit     Opt      `json:"commit"` // null outside a repository, and before the first commit
	Tree       Opt      `json:"tree"`   // what it ran on: all files that git tracks or would, as they were
	Dirty      bool     `json:"dirty"`  // the tree is not the commit's
	Output     string   `json:"outputSha256"`
	Bytes      int64    `json:"outputBytes"`
}

// Value returns the value of the item of evidence.
func (r Ran) Value() (string, error) {
	src, err := json.Marshal(r, json.Deterministic(true))
	return string(src), err
}

// ParseRan reads the value of an item of evidence. It returns false for a value that `tasker prove` did not write.
func ParseRan(value string) (Ran, bool) {
	var r Ran
	if len(value) == 0 || value[0] != '{' || json.Unmarshal([]byte(value), &r, json.RejectUnknownMembers(true)) != nil {
		return Ran{}, false
	}
	return r, len(r.Command) > 0 && len(r.Output) == 64
}
