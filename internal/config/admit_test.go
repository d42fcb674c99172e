package config_test

import (
	"testing"

	"tasker/internal/config"
)

func TestAnActorIsAdmittedToARecordAsAFileDeclaresIt(t *testing.T) {
	const record = `{"actors":[{"kind":"human","name":"ann"}],"gates":{"tested":["tests"]}}`
	for _, c := range []struct{ record, file, want string }{
		{record, `{"actors":[{"name":"ann"},{"name":"bob","kind":"human","roles":["lead"],"default":true}],"gates":{}}`,
			`{"actors":[{"kind":"human","name":"ann"},{"kind":"human","name":"bob","roles":["lead"]}],"gates":{"tested":["tests"]}}`},
		{`{"gates":{}}`, `{"actors":[{"name":"bob","kind":"human"}]}`, `{"actors":[{"kind":"human","name":"bob"}],"gates":{}}`},
		{record, `{"actors":[{"name":"eve","kind":"human"}]}`, ""},
		{`{"actors":[{"name":"bob","kind":"agent"}]}`, `{"actors":[{"name":"bob","kind":"human"}]}`, ""},
		{"", `{"actors":[{"name":"bob","kind":"human"}]}`, ""},
		{record, "", ""},
	} {
		got, ok := config.Admit([]byte(c.record), []byte(c.file), "bob")
		if string(got) != c.want || ok != (c.want != "") {
			t.Errorf("%s with %s becomes %s, %v; want %s", c.record, c.file, got, ok, c.want)
		}
	}
}
