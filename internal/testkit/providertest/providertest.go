// Package providertest calls single providers, for the tests of their packages, and searches their refusals for secret
// values.
package providertest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"tasker/internal/child"
	"tasker/internal/config"
	"tasker/internal/fault"
	"tasker/internal/git/command"
	"tasker/internal/workspace/env/fetch"
	"tasker/internal/workspace/env/provider"
)

// Secret is part of every value and credential in tests; no error may contain it.
const Secret = "hunter2"

// Run runs a command the way the program does.
func Run(ctx context.Context, c provider.Command) (int, error) {
	res, err := child.Run(ctx, child.Command{Args: c.Args, Dir: c.Dir, Env: c.Env, Output: c.Output, Errors: c.Errors})
	return res.ExitCode, err
}

// Patient returns parts whose pauses between tries are recorded and take no time.
func Patient() (provider.Parts, *[]time.Duration) {
	var pauses []time.Duration
	return provider.Parts{Run: Run, Git: command.Ask, Client: fetch.Client{Wait: func(_ context.Context, d time.Duration) error {
		pauses = append(pauses, d)
		return nil
	}}}, &pauses
}

// Ask makes the provider under the name `it` and calls only that one. If an error contains a secret, the test fails.
func Ask(t *testing.T, kind provider.Kind, c config.Provider, p provider.Parts, r provider.Request) (*provider.Environment, error) {
	t.Helper()
	c.Type = kind.Type
	chain, err := provider.Make([]provider.Kind{kind}, []config.NamedProvider{{Name: "it", Provider: c}}, p)
	if err != nil {
		if !fault.Is(err, fault.Invalid) {
			t.Errorf("a faulty setting gives %v, want an invalid one", err)
		}
		Harmless(t, err)
		return nil, err
	}
	env, err := provider.Chain(t.Context(), chain, r)
	if err != nil {
		if !fault.Is(err, fault.Unavailable) {
			t.Errorf("a failure outside gives %v, want unavailable", err)
		}
		Harmless(t, err)
		return nil, err
	}
	return env, nil
}

// Harmless fails the test if an error, or one that it wraps, contains a secret.
func Harmless(t *testing.T, err error) {
	t.Helper()
	for e := err; e != nil; e = errors.Unwrap(e) {
		said := fmt.Sprintf("%s %+v %#v", e, e, e)
		var f *fault.Error
		if errors.As(e, &f) {
			said += f.Hint + fmt.Sprint(f.Missing, f.HintParts())
		}
		if strings.Contains(strings.ToLower(said), Secret) {
			t.Errorf("the error holds a secret: %s", said)
		}
	}
}

// Refused fails the test unless the error names the provider and contains the words.
func Refused(t *testing.T, err error, want string) {
	t.Helper()
	if err == nil || !strings.HasPrefix(err.Error(), "the provider it (") || !strings.Contains(err.Error(), want) {
		t.Errorf("the error is %q, want one with %q", fmt.Sprint(err), want)
	}
}

// Gives fails the test unless the variables are the expected ones.
func Gives(t *testing.T, env *provider.Environment, err error, want map[string]string) {
	t.Helper()
	if err != nil {
		t.Errorf("%v (%s)", err, fault.Of(err).Hint)
		return
	}
	got := map[string]string{}
	for _, v := range env.Variables() {
		got[v.Name] = v.Value
	}
	if !maps.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if names := slices.Collect(maps.Keys(got)); len(names) != len(env.Environ()) {
		t.Errorf("a variable comes twice: %q", env.Environ())
	}
}
