package config

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// declaring is a policy, as far as it declares actors.
type declaring struct {
	Actors []map[string]jsontext.Value `json:"actors"`
	Rest   map[string]jsontext.Value   `json:",embed"`
}

// Admit returns a policy of record with an actor added, as the policy of a file declares it. Whom commands assume stays
// as it is. It returns false if there is no record, if the record declares the actor, or if the file does not.
func Admit(record, file []byte, name string) (policy []byte, ok bool) {
	var known, from declaring
	if json.Unmarshal(record, &known) != nil || json.Unmarshal(file, &from) != nil {
		return nil, false
	}
	declared := from.actor(name)
	if declared == nil || known.actor(name) != nil {
		return nil, false
	}
	delete(declared, "default")
	known.Actors = append(known.Actors, declared)
	out, err := json.Marshal(known)
	text := jsontext.Value(out)
	return text, err == nil && text.Canonicalize() == nil
}

// actor returns how the policy declares an actor, or nil.
func (d declaring) actor(name string) map[string]jsontext.Value {
	for _, a := range d.Actors {
		var named string
		if json.Unmarshal(a["name"], &named) == nil && named == name {
			return a
		}
	}
	return nil
}
