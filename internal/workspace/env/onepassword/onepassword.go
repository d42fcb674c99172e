// Package onepassword is the provider of variables from the fields of an item in 1Password. It
// reads them with 1Password's own command, op, which signs in by itself.
package onepassword

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"

	"tasker/internal/config"
	"tasker/internal/fault"
	"tasker/internal/text/words"
	"tasker/internal/workspace/env/envtext"
	"tasker/internal/workspace/env/provider"
)

// Kind declares the provider. env is a section of the item, app its vault.
var Kind = provider.Kind{
	Type: "secrets_c", Keys: []string{"env", "app", "path"}, Options: []string{"account", "name"}, Passes: true, New: makeProvider,
}

const scheme = "op://"

type item struct {
	run     provider.Runner
	vault   string // "" lets op find it
	name    string // of the item
	section string
	field   string // "" for all of them
	rename  string // the variable that gets the field
	account string

	confirmed []string // hosts
}

func makeProvider(c config.Provider, p provider.Parts) (provider.Provider, error) {
	it := item{run: p.Run, vault: c.App, name: c.Path, section: c.Env, rename: c.Options["name"], account: c.Options["account"], confirmed: p.Client.Confirmed}
	if ref, ok := strings.CutPrefix(c.Path, scheme); ok {
		if err := it.refer(c, ref); err != nil {
			return nil, err
		}
	}
	switch {
	case it.name == "":
		return nil, fault.Bad("path names no item").WithHint("give an item's name or id, or a reference: op://vault/item or op://vault/item/field")
	case it.rename != "" && !envtext.ValidName(it.rename):
		return nil, fault.Bad("options.name is %s", words.Quoted(it.rename)).WithHint("give the name of the variable that gets the field")
	case it.rename != "" && it.field == "":
		return nil, fault.Bad("options.name is for a single field").WithHint("give the field in path, op://vault/item/field; options.keys renames several")
	case it.field != "" && it.rename == "" && !envtext.ValidName(it.field):
		return nil, fault.Bad("the field %s cannot name a variable", words.Quoted(it.field)).WithHint("set options.name to the variable that gets it")
	}
	for _, text := range []string{it.vault, it.name, it.section, it.field, it.account} {
		if strings.HasPrefix(text, "-") || strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r == 0x7f }) {
			return nil, fault.Bad("%s is not a name that can be passed to op", words.Quoted(text)).WithHint("give the id instead")
		}
	}
	return it, nil
}

// refer parses a reference: vault/item, vault/item/field or vault/item/section/field.
func (it *item) refer(c config.Provider, ref string) error {
	parts := strings.Split(ref, "/")
	switch {
	case c.App != "":
		return fault.Bad("app names a vault, and so does path").WithHint("leave one of them out")
	case slices.Contains(parts, "") || strings.ContainsAny(ref, "?#") || len(parts) < 2 || len(parts) > 4:
		return fault.Bad("path is %s", words.Quoted(c.Path)).WithHint("a reference is op://vault/item, op://vault/item/field or op://vault/item/section/field")
	case len(parts) == 4 && c.Env != "":
		return fault.Bad("env names a section, and so does path").WithHint("leave one of them out")
	}
	it.vault, it.name = parts[0], parts[1]
	if len(parts) == 4 {
		it.section = parts[2]
	}
	if len(parts) > 2 {
		it.field = parts[len(parts)-1]
	}
	return nil
}

// Values reads the item or the field.
func (it item) Values(ctx context.Context, r provider.Request) (provider.Result, error) {
	if it.field == "" {
		values, err := it.readItem(ctx, r)
		return provider.Result{Values: values}, err
	}
	ref := scheme + it.vault + "/" + it.name + "/" + words.When(it.section != "", it.section+"/") + it.field
	out, err := it.op(ctx, r, "read", "--no-newline", ref)
	return provider.Result{Values: map[string]string{cmp.Or(it.rename, it.field): out}}, err
}

// field is a field of an item as op prints it.
type field struct {
	ID      string  `json:"id"`
	Type    string  `json:"type"`
	Purpose string  `json:"purpose"`
	Label   string  `json:"label"`
	Value   *string `json:"value"`
	Section struct {
		ID    string `json:"id"`
		Label string `json:"label"`
	} `json:"section"`
}

// readItem reads the fields that have a value, by their labels. It leaves out notes, which are for
// people, and one-time passwords, which expire before anybody uses them.
func (it item) readItem(ctx context.Context, r provider.Request) (map[string]string, error) {
	args := []string{"item", "get", it.name, "--format", "json"}
	if it.vault != "" {
		args = append(args, "--vault", it.vault)
	}
	out, err := it.op(ctx, r, args...)
	if err != nil {
		return nil, err
	}
	var got struct {
		Fields []field `json:"fields"`
	}
	if json.Unmarshal([]byte(out), &got) != nil {
		return nil, fault.Bad("op did not print an item as JSON").WithHint("this needs version 2 of op; op --version shows which one it is")
	}
	values, section := map[string]string{}, false
	for _, f := range got.Fields {
		inSection := it.section == "" || f.Section.Label == it.section || f.Section.ID == it.section
		section = section || inSection
		if !inSection || f.Value == nil || *f.Value == "" || f.Purpose == "NOTES" || f.Type == "OTP" {
			continue
		}
		name := cmp.Or(f.Label, f.ID)
		if _, twice := values[name]; twice {
			return nil, fault.Bad("the item %s has the field %s twice", words.Quoted(it.name), words.Quoted(name)).
				WithHint("set env to the section you mean, or rename one of them")
		}
		values[name] = *f.Value
	}
	if !section {
		return nil, fault.Bad("the item %s has no section %s", words.Quoted(it.name), words.Quoted(it.section)).
			WithHint("correct env, or leave it out for all fields")
	}
	return values, nil
}
