package words

import "strings"

// plain are the characters that a shell takes as they stand, anywhere in a word.
const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:"

// Shell returns a text as one word of a shell command. The value of an option such as -count=1 needs no quotes: an =
// makes an assignment only at the beginning of a command.
func Shell(text string) string {
	free := plain
	if strings.HasPrefix(text, "-") {
		free += "="
	}
	if text != "" && strings.Trim(text, free) == "" {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}
