package planning

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"tasker/internal/strict/jsonout"
	"tasker/internal/task"
)

// Written is a task as a write left it, with warnings for the writer.
type Written struct {
	task.Task
	Warnings []string `json:"warnings"`
}

// MarshalJSONTo writes the members of the task together with the warnings.
func (w *Written) MarshalJSONTo(enc *jsontext.Encoder) error { return jsonout.Encode(enc, w) }

// Members writes the members.
func (w *Written) Members(o *jsonout.Object) {
	w.Task.Members(o)
	jsonout.Texts(o, "warnings", w.Warnings)
}

// UnmarshalJSONFrom reads what MarshalJSONTo writes.
func (w *Written) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	src, err := dec.ReadValue()
	if err != nil {
		return err
	}
	var beside struct {
		Warnings []string `json:"warnings"`
	}
	if err := json.Unmarshal(src, &beside); err != nil {
		return err
	}
	w.Warnings = beside.Warnings
	return json.Unmarshal(src, &w.Task)
}
