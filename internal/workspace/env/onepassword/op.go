package onepassword

import (
	"context"
	"slices"
	"strings"

	"tasker/internal/fault"
	"tasker/internal/site"
	"tasker/internal/text/words"
	"tasker/internal/workspace/env/provider"
)

// op runs the command and returns its output.
func (it item) op(ctx context.Context, r provider.Request, args ...string) (string, error) {
	if host := r.First("OP_CONNECT_HOST"); host != "" { // op would send its token there
		if err := site.Trusting(r.Named("OP_CONNECT_HOST")...).And(it.confirmed...).Check("1Password", host, "OP_CONNECT_HOST"); err != nil {
			return "", err
		}
	}
	args = append([]string{"op"}, args...)
	if it.account != "" {
		args = append(args, "--account", it.account)
	}
	out, err := it.run.Capture(ctx, provider.Command{Args: append(args, "--no-color"), Dir: r.Root, Env: r.Env})
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case fault.Is(err, fault.Invalid) && strings.Contains(err.Error(), "no program"):
		return "", fault.Bad("there is no program op").WithHint("install the command line of 1Password, version 2, and put it on PATH")
	case err != nil:
		return "", err
	case out.ExitCode != 0:
		return "", it.refused(out)
	}
	return out.Output, nil
}

// refused says why op failed, judging by its message, which itself is never shown.
func (it item) refused(out provider.Printed) error {
	said := strings.ToLower(out.Errors)
	what := "the item " + words.Quoted(it.name) + words.When(it.vault != "", " in the vault "+words.Quoted(it.vault))
	for _, known := range []struct { // the first whose words are in the message
		words   []string
		refusal error
	}{
		{[]string{"not currently signed in", "not signed in", "no accounts configured", "session expired", "sign in to your account", "authorization prompt dismissed"},
			fault.Bad("op is not signed in").WithHint("run op signin, or set OP_SERVICE_ACCOUNT_TOKEN, or OP_CONNECT_HOST and OP_CONNECT_TOKEN")},
		{[]string{"invalid service account token", "service account token", "(401)", "unauthorized", "signin credentials are not compatible"},
			fault.Bad("1Password does not accept the credentials that op has").WithHint("sign in again, or set a valid OP_SERVICE_ACCOUNT_TOKEN")},
		{[]string{"isn't a vault", "vault not found", "could not find vault", "not get vault"},
			fault.Bad("there is no vault %s, or it is not shared with the account that is signed in", words.Quoted(it.vault)).
				WithHint("op vault list shows them; correct app or path")},
		{[]string{"more than one item matches"},
			fault.Bad("1Password has more than one item %s", words.Quoted(it.name)).WithHint("give its id, or its vault as app")},
		{[]string{"isn't a field", "does not have a field", "isn't a section", "field not found"},
			fault.Bad("%s has no field %s", what, words.Quoted(it.field)).WithHint("op item get shows its fields; correct path")},
		{[]string{"isn't an item", "could not find item", "not found", "couldn't find the item"},
			fault.Bad("there is no %s", strings.TrimPrefix(what, "the ")).WithHint("op item list shows them; correct path or app")},
		{[]string{"isn't an account", "account not found", "found no account"},
			fault.Bad("op knows no account %s", words.Quoted(it.account)).WithHint("op account list shows them; correct options.account")},
		{[]string{"(403)", "forbidden", "not authorized", "don't have permission", "access to vault"},
			fault.Bad("the account that is signed in may not read %s (403)", what).WithHint("ask for access to the vault")},
		{[]string{"(429)", "rate limit", "too many requests"},
			fault.Bad("1Password is throttling requests (429)").WithHint("try again later; op service-account ratelimit says when")},
		{[]string{"no such host", "connection refused", "timeout", "network is unreachable", "dial tcp"},
			fault.Bad("op cannot reach 1Password").WithHint("check the network, or OP_CONNECT_HOST")},
	} {
		if slices.ContainsFunc(known.words, func(word string) bool { return strings.Contains(said, word) }) {
			return known.refusal
		}
	}
	return fault.Bad("op could not read %s: exit code %d", what, out.ExitCode).WithHint("run op item get by hand to see what it says")
}
