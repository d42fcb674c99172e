package frame

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"strings"

	"tasker/internal/cli/shape"
	"tasker/internal/cli/term"
	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/op"
	"tasker/internal/op/wire"
	"tasker/internal/text/words"
	"tasker/internal/views/reading"
)

// Do carries out an operation and prints its answer: the route's body with --json, otherwise what render prints.
func Do[In, Out any](ctx context.Context, f *Factory, o op.Of[In, Out], in In, render func(*Factory, Out)) error {
	out, err := Call(ctx, f, o, in)
	return f.Answered(err, out, func() { render(f, out) })
}

// Call carries out an operation. A write that needs a task or a project does not create a missing database: the path
// may be mistyped, and a read would then say so. A plan makes its project, and the first task a declared one.
func Call[In, Out any](ctx context.Context, f *Factory, o op.Of[In, Out], in In) (Out, error) {
	var none Out
	ctx, c, err := f.Caller(ctx)
	if err != nil {
		return none, err
	}
	if o.Op.Method == http.MethodPost && o.Op != op.Apply.Op && (o.Op != op.Create.Op || !f.declared()) && f.NoDatabase() {
		if _, err := op.List.Do(ctx, c, reading.ListIn{}); err != nil {
			return none, err
		}
	}
	out, news, err := o.DoListening(ctx, c, in)
	f.News.Keep(news)
	f.wrote = f.wrote || err == nil && o.Op.Method != http.MethodGet
	if project := f.Unapplied(err); project != "" {
		err = core.NotApplied(err, project)
	}
	return out, err
}

// declared reports whether the file here declares the project that commands assume.
func (f *Factory) declared() bool {
	loaded, err := f.Configuration()
	if err != nil {
		return false
	}
	_, file := loaded.Policy(loaded.Project())
	return file != ""
}

// Wrote marks the command as one that writes: its answer is not paged, and if only forming the answer fails, the
// refusal says that the write succeeded.
func (f *Factory) Wrote() { f.wrote = true }

// Unapplied returns the project that the file here declares if err says that the server does not know it, or ""
// otherwise. The server may have no such file.
func (f *Factory) Unapplied(err error) string {
	if f.ServerURL() == "" || f.Flags.Project != "" || f.Env("TASKER_PROJECT") != "" || !fault.Is(err, fault.NotFound) {
		return ""
	}
	loaded, broken := f.Configuration()
	if broken != nil || loaded.File == "" || fault.Of(err).Message != fmt.Sprintf("there is no project %q", loaded.Project()) {
		return ""
	}
	return loaded.Project()
}

// Each does the same for several tasks in order, and answers with an array if there are several. It stops at the first
// refusal; the hint then lists the tasks done before it. The arguments that one receives already name its task.
func Each[Out any](ctx context.Context, f *Factory, ids []string, one func(a *Args, id string) (Out, error), render func(*Factory, Out)) error {
	return each(ctx, f, ids, (*Args).Task, one, render)
}

// EachRead is Each for reads.
func EachRead[Out any](ctx context.Context, f *Factory, ids []string, one func(a *Args, id string) (Out, error), render func(*Factory, Out)) error {
	return each(ctx, f, ids, (*Args).TaskToRead, one, render)
}

func each[Out any](ctx context.Context, f *Factory, ids []string, named func(*Args, string) string,
	one func(a *Args, id string) (Out, error), render func(*Factory, Out)) error {
	if len(ids) == 0 {
		ids = []string{OrCurrent(nil)}
	}
	outs := make([]Out, 0, len(ids))
	for i, arg := range ids {
		a := f.Args(ctx)
		id := named(a, arg)
		outs = append(outs, read(a, func() (Out, error) { return one(a, id) }))
		if a.Err != nil {
			return doneBefore(a.Err, ids[:i])
		}
	}
	if len(ids) == 1 {
		return f.Answer(outs[0], func() { render(f, outs[0]) })
	}
	return f.Answer(outs, func() {
		for _, out := range outs {
			render(f, out)
		}
	})
}

// doneBefore adds to a refusal the tasks that were done before it.
func doneBefore(err error, ids []string) error {
	if len(ids) == 0 {
		return err
	}
	return fault.Of(err).AndHint(fault.Parts("done before this one: %s", strings.Join(ids, ", ")))
}

// Answer prints the body as one JSON document with --json, and calls words to print it otherwise.
func (f *Factory) Answer(body any, words func()) error {
	return Paged(f, func() error { return answer(f, body, words) })
}

// Answered is Answer for what a call returned: it returns the error of the call, if there is one.
func (f *Factory) Answered(err error, body any, words func()) error {
	if err != nil {
		return err
	}
	return f.Answer(body, words)
}

// AnsweredOr is Answered, and ends the command with the error otherwise if well is false.
func (f *Factory) AnsweredOr(err error, body any, well bool, otherwise error, words func()) error {
	if err = f.Answered(err, body, words); err != nil || well {
		return err
	}
	return otherwise
}

func answer(f *Factory, body any, words func()) error {
	if !f.Flags.JSON {
		words()
		f.News.say(f)
		return nil
	}
	doc, err := f.JSON(body)
	heard := f.News.Heard()
	if err == nil {
		doc, err = wire.WithNews(doc, heard)
	}
	if err != nil {
		return err
	}
	if heard.Warning != "" && !bytes.HasPrefix(doc, []byte("{")) { // an array of answers has no member for it
		f.warn(heard.Warning)
	}
	return f.Document(doc)
}

// OneOfMany prints one of several JSON documents that a command answers with, as they come.
func (f *Factory) OneOfMany(body any) error {
	doc, err := f.JSON(body)
	if err != nil {
		return err
	}
	return f.Document(doc)
}

// JSON encodes a value as routes do.
func (f *Factory) JSON(v any) ([]byte, error) {
	var b bytes.Buffer
	err := wire.WriteIn(&b, v, wire.Speaks(f.AsCommand, f.AsCommand))
	return bytes.TrimRight(b.Bytes(), "\n"), err
}

// Say prints what a command did, or nothing with --quiet.
func (f *Factory) Say(format string, args ...any) {
	if !f.Flags.Quiet {
		f.Out.Printf(format, args...)
	}
}

// Warn prints warnings to standard error. With --json they are in the answer.
func (f *Factory) Warn(warnings []string) {
	if f.Flags.JSON || f.Flags.Quiet {
		return
	}
	for _, w := range warnings {
		f.warn(w)
	}
}

func (f *Factory) warn(text string) {
	f.Err.Line(term.Yellow.Of("warning: "), term.Textf("%s", Plain(f, text)))
}

// TextArg returns an argument or flag as it is, or all of standard input if it is "-".
func (f *Factory) TextArg(given string) (string, error) {
	if given != "-" {
		return given, nil
	}
	src, err := f.Stdin(MaxText)
	return strings.TrimRight(string(src), "\r\n"), err
}

// Plain returns one of our sentences for a person to read: with relative times, unless the flags ask for exact ones. Do
// not use it for text that people wrote, whose times must stay as they are.
func Plain(f *Factory, text string) string {
	if f.Flags.Exact {
		return text
	}
	return words.Relative(text, f.Now())
}

// ReadShape parses --jq and --template before anything is done. Either one implies a JSON answer to form; refusals stay
// in words unless --json is also given.
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

// Document prints a JSON answer, formed by --jq or --template if one was given.
func (f *Factory) Document(doc []byte) error {
	f.shaped = true
	if f.shape == nil {
		f.Out.Document(doc)
		return nil
	}
	pieces, err := f.shape.Form(context.Background(), doc, shape.Screen{Now: f.Now(), Width: f.Out.Width})
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

// TellUnshaped warns if --jq or --template was given to a command that has no JSON answer.
func TellUnshaped(f *Factory) {
	if f.shape != nil && !f.shaped && f.plainRefusals && !f.Flags.Quiet {
		f.Err.Line(term.Yellow.Of("warning: "), term.Textf("this command does not answer in JSON: --jq and --template change nothing here"))
	}
}
