package calls

import (
	"reflect"

	"tasker/internal/strict"
)

// file is agents.json.
type file struct {
	Schema string `json:"$schema,omitzero" about:"for editors"`
	Agents Agents `json:"agents" required:"true"`
}

// form declares what agents.json may hold.
func form() *strict.Object[reflect.Value] { return strict.Types{}.Object(reflect.TypeFor[file]()) }

// Read reads agents.json. It refuses what it does not know.
func Read(path string, src []byte) (Agents, error) {
	var f file
	v := reflect.ValueOf(&f).Elem()
	if err := strict.DecodeInto(src, path, form(), &v); err != nil {
		return nil, err
	}
	return f.Agents, nil
}

// Schema returns the JSON Schema of agents.json.
func Schema() []byte { return strict.Render("agents", form().Schema()) }
