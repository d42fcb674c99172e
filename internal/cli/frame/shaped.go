package frame

import (
	"context"

	"tasker/internal/cli/shape"
	"tasker/internal/cli/term"
	"tasker/internal/fault"
)

// ReadShape reads --jq and --template, before anything is done. Either asks for the answer in JSON, to form it; the words of a
// refusal stay words, unless --json is given as well.
func ReadShape(f *Factory) (err error) {
	switch {
	case f.Flags.JQ != "" && f.Flags.Template != "":
		return fault.Bad("--jq and --template both say what the answer becomes: give one of them")
	case f.Flags.JQ != "":
		f.shape, err = shape.JQ(f.Flags.JQ)
	case f.Flags.Template != "":
		f.shape, err = shape.Template(f.Flags.Template)
	}
	if f.shape != nil && err == nil {
		f.plainRefusals = !f.Flags.JSON
		f.Flags.JSON = true
	}
	return err
}

// Document prints a JSON answer, formed by --jq or --template where one was given.
func (f *Factory) Document(doc []byte) error {
	f.shaped = true
	if f.shape == nil {
		f.Out.Document(doc)
		return nil
	}
	pieces, err := f.shape.Form(context.Background(), doc, shape.Screen{Now: f.Now(), Width: f.Out.Width()})
	for _, p := range pieces {
		if p.Document != nil {
			f.Out.Document(p.Document)
		} else {
			f.Out.ForProgram(p.Text)
		}
	}
	if err != nil && f.wrote {
		return fault.Of(err).AndHint(fault.Parts("the command itself was carried out: only its answer could not be formed"))
	}
	return err
}

// TellUnshaped warns where --jq or --template was given to a command that has no answer in JSON.
func TellUnshaped(f *Factory) {
	if f.shape != nil && !f.shaped && f.plainRefusals && !f.Flags.Quiet {
		f.Err.Line(term.Yellow.Of("warning: "), term.Textf("this command does not answer in JSON: --jq and --template change nothing here"))
	}
}
