package frame

import (
	"bufio"
	"strings"
)

// Prompt asks a person on a terminal, and returns the line that was typed; elsewhere nobody can be asked.
func Prompt(f *Factory, question string) (answer string, asked bool) {
	if !f.Process.InTTY || !f.Process.OutTTY || f.Flags.JSON {
		return "", false
	}
	f.Out.Printf("%s ", question)
	line, _ := bufio.NewReader(f.Process.Stdin).ReadString('\n') // what was typed before the end counts
	return strings.TrimSpace(line), true
}

// Agrees reports whether a person on a terminal says yes to a question.
func Agrees(f *Factory, question string) bool {
	answer, _ := Prompt(f, question+" [y/N]")
	return Yes(answer)
}

// Yes reports whether an answer is a yes.
func Yes(answer string) bool {
	answer = strings.ToLower(answer)
	return answer == "y" || answer == "yes"
}
