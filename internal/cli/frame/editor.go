package frame

import (
	"bufio"
	"cmp"
	"context"
	"os"
	"slices"
	"strings"

	"tasker/internal/child/purpose"
	"tasker/internal/fault"
)

// Editor returns the editor's command, chosen as git does: TASKER_EDITOR, VISUAL, EDITOR, vi. It returns "" if nobody
// can be expected to type: an agent's shell often has EDITOR but no terminal. TASKER_EDITOR counts even there.
func Editor(f *Factory) string {
	if own := f.Env("TASKER_EDITOR"); own != "" {
		return own
	}
	if !f.Process.InTTY || !f.Process.OutTTY || f.Flags.JSON {
		return ""
	}
	return cmp.Or(f.Env("VISUAL"), f.Env("EDITOR"), "vi")
}

// Draft is a file with a text that a person edits.
type Draft struct {
	Path string
	f    *Factory
}

// NewDraft creates an empty file that nobody else can read. The pattern is that of os.CreateTemp.
func NewDraft(f *Factory, pattern string) (*Draft, error) {
	file, err := os.CreateTemp("", pattern)
	if err != nil {
		return nil, Unwritable("a file for the editor", err)
	}
	return &Draft{file.Name(), f}, file.Close()
}

// Edit opens the text in the editor, and returns the edited text.
func (d *Draft) Edit(ctx context.Context, text string) (string, error) {
	if err := os.WriteFile(d.Path, []byte(text), 0o600); err != nil {
		return "", Unwritable(d.Path, err)
	}
	command := Editor(d.f)
	// An editor may have its own arguments, such as "code --wait": the shell splits them, as it does for git.
	run := d.f.Process.Foreground(purpose.Editor, []string{"sh", "-c", command + ` "$@"`, command, d.Path}, d.f.Process.Dir, d.f.Process.Environ())
	done, err := d.f.Wiring.Exec(ctx, run)
	if err != nil {
		return "", err
	}
	if done.ExitCode != 0 {
		return "", fault.Bad("the editor %q ended with exit code %d: nothing was changed", command, done.ExitCode).
			WithHint("set EDITOR to the editor of your choice, or name the fields to change as flags")
	}
	src, err := ReadSmall(d.Path)
	if fault.Is(err, fault.TooLarge) {
		return "", err
	}
	if err != nil {
		return "", fault.Bad("the edited text cannot be read: %v", err).WithCause(err)
	}
	return string(src), nil
}

// Discard removes the file.
func (d *Draft) Discard() { _ = os.Remove(d.Path) }

// Prompt asks a person on a terminal and returns the typed line. Without a terminal it asks nobody.
func Prompt(f *Factory, question string) (answer string, asked bool) {
	if !canAsk(f) {
		return "", false
	}
	line, _ := typed(f, question)
	return strings.TrimSpace(line), true
}

// canAsk reports whether a person can be asked here.
func canAsk(f *Factory) bool { return f.Process.InTTY && f.Process.OutTTY && !f.Flags.JSON }

// typed asks a question and returns the typed line, with its line break if it has one.
func typed(f *Factory, question string) (string, error) {
	f.Out.Printf("%s ", question)
	return bufio.NewReader(f.Process.Stdin).ReadString('\n') // a line without a line break counts
}

// Agrees reports whether a person on a terminal answers yes to a question.
func Agrees(f *Factory, question string) bool {
	answer, _ := Prompt(f, question+" [y/N]")
	return Yes(answer)
}

// Agreed is Agrees for a question whose usual answer is yes: an empty line agrees too, but not the end of the input.
func Agreed(f *Factory, question string) bool {
	if !canAsk(f) {
		return false
	}
	line, _ := typed(f, question+" [Y/n]")
	return line != "" && (strings.TrimSpace(line) == "" || Yes(strings.TrimSpace(line)))
}

// Yes reports whether an answer means yes.
func Yes(answer string) bool {
	return slices.Contains([]string{"y", "yes"}, strings.ToLower(answer))
}
