package config

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Admit returns a policy of record with an actor added, as the policy of a file declares it. Whom commands assume stays
// as it is. It returns false if there is no record, if the record declares the actor, or if the file does not.
func Admit(record, file []byte, name string) (policy []byte, ok bool) {
	declared := declarationIn(file, name)
	if len(record) == 0 || declared == nil || declarationIn(record, name) != nil {
		return nil, false
	}
	delete(declared, "default")
	var members map[string]jsontext.Value
	if json.Unmarshal(record, &members) != nil {
		return nil, false
	}
	one, err := json.Marshal(declared)
	if err != nil {
		return nil, false
	}
	var actors []jsontext.Value
	if list, ok := members["actors"]; ok && json.Unmarshal(list, &actors) != nil {
		return nil, false
	}
	if members["actors"], err = json.Marshal(append(actors, one)); err != nil {
		return nil, false
	}
	out, err := json.Marshal(members)
	if err != nil {
		return nil, false
	}
	text := jsontext.Value(out)
	return text, text.Canonicalize() == nil
}

// declarationIn returns how a policy declares an actor, or nil.
func declarationIn(policy []byte, name string) map[string]jsontext.Value {
	var read struct {
		Actors []map[string]jsontext.Value `json:"actors"`
	}
	if len(policy) == 0 || json.Unmarshal(policy, &read) != nil {
		return nil
	}
	for _, a := range read.Actors {
		var named string
		if json.Unmarshal(a["name"], &named) == nil && named == name {
			return a
		}
	}
	return nil
}
