package policy

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"tasker/internal/config"
	"tasker/internal/task"
)

// DBLayer returns the db layer of a project's configuration as one JSON object, or nil if it is empty: its settings,
// and the gates, which the record stores separately because plans set them too.
func DBLayer(p *task.Project) ([]byte, error) {
	if len(p.Gates) == 0 {
		return p.Settings, nil
	}
	layer, err := SplitLayer(p.Settings)
	if err != nil {
		return nil, err
	}
	if layer["gates"], err = json.Marshal(p.Gates, json.Deterministic(true)); err != nil {
		return nil, err
	}
	return json.Marshal(layer, json.Deterministic(true))
}

// Stored returns a project's configuration in the database.
func Stored(p *task.Project) (config.Stored, error) {
	db, err := DBLayer(p)
	s := config.Stored{DB: db}
	if len(p.Policy) > 0 {
		s.Record, s.File, s.At, s.Dir = p.Policy, p.PolicyFile, p.PolicyAt.String(), p.PolicyDir
	}
	return s, err
}

// SplitLayer returns the settings of a db layer by their top-level key.
func SplitLayer(text []byte) (map[string]jsontext.Value, error) {
	layer := map[string]jsontext.Value{}
	if len(text) == 0 {
		return layer, nil
	}
	return layer, json.Unmarshal(text, &layer)
}
