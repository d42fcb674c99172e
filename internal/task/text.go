package task

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"tasker/internal/fault"
	"tasker/internal/text/words"
)

// CheckText refuses a text that no record may have: one that is empty, is not UTF-8, contains U+0000, or exceeds its
// limit. Limits from MaxText up count bytes, smaller ones characters.
func CheckText(what, s string, limit int) error {
	if s == "" {
		return fault.Bad("%s is empty", what).WithHint("give it at least one character")
	}
	return CheckOptional(what, s, limit)
}

// CheckOptional is CheckText for a text that may be empty.
func CheckOptional(what, s string, limit int) error {
	if !utf8.ValidString(s) {
		return fault.Bad("%s is not valid UTF-8", what).WithHint("send it as UTF-8 text")
	}
	if i := strings.IndexByte(s, 0); i >= 0 {
		return fault.Bad("%s has U+0000 in it, at byte %d", what, i).WithHint("leave the character out")
	}
	if len(s) <= limit { // no text has more characters than bytes
		return nil
	}
	size, unit := len(s), "bytes"
	if limit < MaxText {
		size, unit = utf8.RuneCountInString(s), "characters"
	}
	if size > limit {
		return fault.Bad("%s has %d %s, more than the %d it may have", what, size, unit, limit).
			WithHint("shorten it, or put the rest where a link can point at it")
	}
	return nil
}

// CheckName refuses a text that cannot be the name of a gate, a role, an actor or a kind of evidence.
func CheckName(what, s string) error { return checkLine(what, s, MaxName) }

// CheckKind is CheckName for a kind of evidence, which may ask for a command.
func CheckKind(what, s string) error {
	if err := CheckName(what, s); err != nil {
		return err
	}
	if why := BadCommand(s); why != "" {
		return fault.Bad("%s is %s: %s", what, words.Quoted(s), why)
	}
	return nil
}

// CheckCount refuses a list that exceeds its limit.
func CheckCount(what string, n, limit int) error {
	if n > limit {
		return fault.Bad("there are %d %s, more than the %d there may be", n, what, limit).WithHint("split them over several tasks or requests")
	}
	return nil
}

// checkLine is CheckText for names and keys, which appear in commands and on one line of a terminal.
func checkLine(what, s string, limit int) error {
	if err := CheckText(what, s, limit); err != nil {
		return err
	}
	for i, r := range s {
		if unicode.IsControl(r) {
			return fault.Bad("%s has the control character U+%04X in it, at byte %d", what, r, i).WithHint("leave the character out")
		}
	}
	return nil
}
