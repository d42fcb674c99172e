package words

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// maxValue is how many characters of a text in a field are shown, and maxValues how many of a list of them.
const (
	maxValue  = 60
	maxValues = 120
)

// Value returns the value of a field for a line that says how it changed: texts in quotes and cut, lists in brackets.
// It takes what a JSON decoder makes of a value. Of a record that has a text, such as a criterion, it shows the text.
func Value(v any) string {
	switch v := v.(type) {
	case nil:
		return "none"
	case string:
		if v == "" {
			return "none"
		}
		return strconv.Quote(Cut(v, maxValue))
	case []any:
		if len(v) == 0 {
			return "none"
		}
		return Cut("["+strings.Join(Each(v, Value), ",")+"]", maxValues)
	case map[string]any:
		if text, ok := v["text"].(string); ok {
			return Value(text)
		}
		if len(v) == 0 {
			return "none"
		}
		all := Each(slices.Sorted(maps.Keys(v)), func(name string) string { return strconv.Quote(name) + ":" + Value(v[name]) })
		return Cut("{"+strings.Join(all, ",")+"}", maxValues)
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return fmt.Sprint(v)
}
