package provider

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"strings"

	"tasker/internal/fault"
)

// Fields reads a JSON object as variables: strings as they are; numbers, lists and objects as JSON;
// null not at all. If the text is anything else, the error does not quote it.
func Fields(text []byte) (map[string]string, error) {
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(text, &raw); err != nil || raw == nil {
		return nil, fault.Bad("it is not a JSON object")
	}
	out := make(map[string]string, len(raw))
	for name, value := range raw {
		var text string
		var compact bytes.Buffer
		switch {
		case string(value) == "null":
		case json.Unmarshal(value, &text) == nil:
			out[name] = text
		case json.Compact(&compact, value) == nil:
			out[name] = compact.String()
		}
	}
	return out, nil
}

// Under returns the refusal of a text, which may be nil, with where the text is from.
func Under(where string, err error) error {
	if err == nil {
		return nil
	}
	e := fault.Of(err)
	return fault.Bad("%s: %s", where, e.Message).WithParts(e.HintParts())
}

// Word reads a file with a credential, up to 64 KiB, without the blanks around it.
func Word(file string) (string, error) {
	f, err := os.Open(file)
	if err != nil {
		return "", err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, 64<<10))
	return strings.TrimSpace(string(text)), err
}
