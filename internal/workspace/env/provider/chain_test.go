package provider_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"tasker/internal/config"
	"tasker/internal/fault"
	"tasker/internal/testkit/providertest"
	"tasker/internal/workspace/env/provider"
)

// given is a provider that calls a function.
type given func(context.Context, provider.Request) (provider.Result, error)

func (g given) Values(ctx context.Context, r provider.Request) (provider.Result, error) {
	return g(ctx, r)
}

func values(v map[string]string) given {
	return func(context.Context, provider.Request) (provider.Result, error) {
		return provider.Result{Values: v}, nil
	}
}

// kind declares a provider for a test.
func kind(g given) provider.Kind {
	return provider.Kind{
		Type: "exec", Keys: []string{"env", "run"}, Options: []string{"format"},
		New: func(config.Provider, provider.Parts) (provider.Provider, error) { return g, nil },
	}
}

func ask(t *testing.T, g given, c config.Provider) (*provider.Environment, error) {
	t.Helper()
	return providertest.Ask(t, kind(g), c, provider.Parts{}, provider.Request{})
}

func TestLaterProvidersOverride(t *testing.T) {
	env, err := provider.Chain(t.Context(), []provider.Named{
		{Name: "one", Type: "dotenv", Provider: values(map[string]string{"A": "1", "B": "1", "EMPTY": "x"})},
		{Name: "two", Type: "exec", Provider: values(map[string]string{"B": "2", "C": "2"})},
		{Name: "three", Type: "exec", Provider: values(map[string]string{"B": "3", "EMPTY": ""})},
	}, provider.Request{})
	if err != nil {
		t.Fatal(err)
	}
	if got := env.Environ(); !slices.Equal(got, []string{"A=1", "B=3", "C=2", "EMPTY="}) {
		t.Errorf("the environment is %q", got)
	}
	if got, want := fmt.Sprint(env.Variables()), "[{A 1 one } {B 3 three two, one} {C 2 two } {EMPTY  three one}]"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestAProviderSeesThoseBeforeItAndNoCredential(t *testing.T) {
	var seen []string
	look := given(func(_ context.Context, r provider.Request) (provider.Result, error) {
		seen = r.Env
		return provider.Result{}, nil
	})
	base := []string{
		"HOME=/h", "A=old", "TASKER_TASK=demo-1", "TASKER_TOKEN=hunter2", "TASKER_SESSION=hunter2", "TASKER_WEBHOOK_SECRET=hunter2",
		"TASKER_TRACKER_TOKEN=hunter2", "TASKER_CODE_HOST_TOKEN=hunter2", "TASKER_CODE_HOST_SECRET=hunter2",
		"TASKER_DB=postgres://me:hunter2@db/x",
	}
	before := slices.Clone(base)
	_, err := provider.Chain(t.Context(), []provider.Named{
		{Name: "one", Provider: values(map[string]string{"A": "new", "B": "2"})}, {Name: "two", Provider: look},
	}, provider.Request{Env: base})
	if err != nil || !slices.Equal(seen, []string{"HOME=/h", "A=old", "TASKER_TASK=demo-1", "A=new", "B=2"}) || !slices.Equal(base, before) {
		t.Errorf("the second provider sees %q, %v", seen, err)
	}
	r := provider.Request{Env: seen}
	if v, ok := r.Lookup("A"); !ok || v != "new" || r.First("NONE", "B") != "2" {
		t.Errorf("A is %q", v)
	}
	for db, keeps := range map[string]bool{
		"/a/b.db": true, "postgres://db/x": true, "postgres://me@db/x": true, "postgres://db/x?password=hunter2": false, "postgres://me:hunter2@db:no": false,
	} {
		_, err := provider.Chain(t.Context(), []provider.Named{{Name: "two", Provider: look}}, provider.Request{Env: []string{"TASKER_DB=" + db}})
		if err != nil || (len(seen) == 1) != keeps {
			t.Errorf("%s: the provider sees %q", db, seen)
		}
	}
}

func TestAVariableThatNoProcessCanHaveIsRefusedByName(t *testing.T) {
	many := map[string]string{}
	for i := range 2001 {
		many[fmt.Sprintf("A%d", i)] = providertest.Secret
	}
	large := map[string]string{}
	for i := range 10 {
		large[fmt.Sprintf("A%d", i)] = strings.Repeat(providertest.Secret, 18000)
	}
	for want, v := range map[string]map[string]string{
		`"db-password" cannot name a variable`:    {"db-password": "hunter2"},
		`"" cannot name a variable`:               {"": "hunter2"},
		"the value of A has a zero byte":          {"A": "hunter2\x00"},
		"sets TASKER_DB":                          {"TASKER_DB": "hunter2"},
		"gives A a value of 136 KiB":              {"A": strings.Repeat("hunter2", 20000)},
		"larger than a process can be given: 20":  many,
		"larger than a process can be given: 10 ": large,
	} {
		_, err := ask(t, values(v), config.Provider{})
		providertest.Refused(t, err, want)
	}
}

func TestFilesStayInTheWorkspace(t *testing.T) {
	files := func(paths ...string) given {
		return func(context.Context, provider.Request) (provider.Result, error) {
			var res provider.Result
			for i, p := range paths {
				res.Files = append(res.Files, provider.File{Path: p, Text: []byte{byte('0' + i)}})
			}
			return res, nil
		}
	}
	env, err := ask(t, files(".env", "a/.env", ".env"), config.Provider{})
	if err != nil || fmt.Sprintf("%s", env.Files()) != "[{.env 2} {a/.env 1}]" {
		t.Errorf("%s, %v", env.Files(), err)
	}
	for _, path := range []string{"", ".", "..", "../x", "/etc/x", "a/../../x", "a/../x", "./x", ".git/config", ".GIT/hooks/x", ".git"} {
		_, err := ask(t, files(path), config.Provider{})
		providertest.Refused(t, err, "cannot put the file")
	}
	var many []string
	for i := range 101 {
		many = append(many, fmt.Sprintf("f%d", i))
	}
	_, err = ask(t, files(many...), config.Provider{})
	providertest.Refused(t, err, "raises the number of files to 101")
}

func TestAFailureNamesTheProviderAlone(t *testing.T) {
	fails := func(err error) given {
		return func(context.Context, provider.Request) (provider.Result, error) { return provider.Result{}, err }
	}
	_, err := ask(t, fails(fault.Missing("has no cheese").WithHint("buy some")), config.Provider{})
	providertest.Refused(t, err, "the provider it (exec): has no cheese")
	if fault.Of(err).Hint != "buy some" {
		t.Errorf("the hint is %q", fault.Of(err).Hint)
	}
	_, err = ask(t, fails(errors.New("hunter2")), config.Provider{})
	providertest.Refused(t, err, "failed in an unexpected way")

	ctx, cancel := context.WithCancel(t.Context())
	waits := given(func(ctx context.Context, _ provider.Request) (provider.Result, error) {
		cancel()
		<-ctx.Done()
		return provider.Result{}, ctx.Err()
	})
	if _, err := provider.Chain(ctx, []provider.Named{{Name: "it", Provider: waits}}, provider.Request{}); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled call returns %v", err)
	}
}

func TestEveryProviderHasATimeLimit(t *testing.T) {
	var limit time.Duration
	g := given(func(ctx context.Context, _ provider.Request) (provider.Result, error) {
		deadline, _ := ctx.Deadline()
		limit = time.Until(deadline)
		if limit < time.Second {
			<-ctx.Done()
			return provider.Result{}, ctx.Err()
		}
		return provider.Result{}, nil
	})
	if _, err := ask(t, g, config.Provider{}); err != nil || limit > 15*time.Second || limit < 5*time.Second {
		t.Errorf("without a setting the limit is %s, %v", limit, err)
	}
	if _, err := ask(t, g, config.Provider{Options: map[string]string{"timeout": "5m"}}); err != nil || limit < 4*time.Minute {
		t.Errorf("the limit is %s, %v", limit, err)
	}
	_, err := ask(t, g, config.Provider{Options: map[string]string{"timeout": "10ms"}})
	providertest.Refused(t, err, "did not answer within 10ms")
	for _, text := range []string{"x", "15", "0s", "-1s", "11m"} {
		_, err := ask(t, g, config.Provider{Options: map[string]string{"timeout": text}})
		providertest.Refused(t, err, "options.timeout is")
	}
}

func TestKeysPickAndRename(t *testing.T) {
	g := values(map[string]string{"db-password": "hunter2", "USER": "me", "OTHER": "x"})
	env, err := ask(t, g, config.Provider{Options: map[string]string{"keys": " USER , PASSWORD=db-password, ME=USER,"}})
	providertest.Gives(t, env, err, map[string]string{"USER": "me", "PASSWORD": "hunter2", "ME": "me"})
	_, err = ask(t, g, config.Provider{Options: map[string]string{"keys": "USERS"}})
	providertest.Refused(t, err, `has no field "USERS"; did you mean USER?`)
	for _, text := range []string{"a b", "A=", "=x", "1"} {
		_, err := ask(t, g, config.Provider{Options: map[string]string{"keys": text}})
		providertest.Refused(t, err, "options.keys has")
	}
}

// The specification reserves no key to a type, so one that a type does not read is no fault: the provider works without it.
func TestAKeyThatAKindDoesNotRead(t *testing.T) {
	c := config.Provider{Type: "exec", Run: "x", App: "x", Files: []string{"x"}, Path: "x"}
	k := kind(values(map[string]string{"A": "1"}))
	warnings, err := provider.Check([]provider.Kind{k}, config.NamedProvider{Name: "it", Provider: c})
	if want := []string{
		"a provider of the type exec does not read app; it reads env, run",
		"a provider of the type exec does not read files; it reads env, run",
		"a provider of the type exec does not read path; it reads env, run",
	}; err != nil || !slices.Equal(warnings, want) {
		t.Errorf("%q, %v", warnings, err)
	}
	env, err := ask(t, values(map[string]string{"A": "1"}), c)
	providertest.Gives(t, env, err, map[string]string{"A": "1"})

	c.Options = map[string]string{"timeout": "x"}
	if warnings, err := provider.Check([]provider.Kind{k}, config.NamedProvider{Name: "it", Provider: c}); err == nil || len(warnings) != 3 {
		t.Errorf("next to a fault: %q, %v", warnings, err)
	}
}

// An option that nothing reads causes a warning and no refusal; one that a program may read is
// passed to it.
func TestAnOptionThatAKindDoesNotKnow(t *testing.T) {
	var seen []string
	look := given(func(_ context.Context, r provider.Request) (provider.Result, error) {
		seen = r.Env
		return provider.Result{}, nil
	})
	c := config.Provider{Type: "exec", Options: map[string]string{"formt": "x", "team-id": "7", "ünit": "", "timeout": "9s", "format": "f"}}
	k := kind(look)
	named := config.NamedProvider{Name: "it", Provider: c}
	warnings, err := provider.Check([]provider.Kind{k}, named)
	if err != nil || len(warnings) != 3 ||
		warnings[0] != `exec has no option "formt", and nothing reads it; did you mean format? its options are format, keys, timeout` {
		t.Errorf("%q, %v", warnings, err)
	}
	if _, err := ask(t, look, c); err != nil || len(seen) > 0 {
		t.Errorf("the provider is given %q, %v", seen, err)
	}

	k.Passes = true
	if warnings, err := provider.Check([]provider.Kind{k}, named); err != nil || len(warnings) > 0 {
		t.Errorf("%q, %v", warnings, err)
	}
	base := []string{"HOME=/h", "room for more"}[:1]
	if _, err := providertest.Ask(t, k, c, provider.Parts{}, provider.Request{Env: base}); err != nil ||
		!slices.Equal(seen, []string{"HOME=/h", "TASKER_OPTION_FORMT=x", "TASKER_OPTION_TEAM_ID=7", "TASKER_OPTION__NIT="}) || base[:2][1] != "room for more" {
		t.Errorf("the program is given %q, %v", seen, err)
	}
	c.Options = map[string]string{"team-id": "7", "team_id": "8"}
	_, err = providertest.Ask(t, k, c, provider.Parts{}, provider.Request{})
	providertest.Refused(t, err, `the options "team-id" and "team_id" would both be TASKER_OPTION_TEAM_ID`)
}

func TestThePathOfASecret(t *testing.T) {
	for _, c := range []struct{ path, app, env, want string }{
		{"a/b", "", "", "a/b"},
		{"a/b/", "shop", "dev", "a/b/shop/dev"},
		{"", "shop", "dev", "shop/dev"},
		{"", "", "dev", "dev"},
		{"a/{env}/{app}/x", "shop", "dev", "a/dev/shop/x"},
		{"a/{env}", "shop", "dev", "a/dev/shop"},
		{"a/{app}", "shop", "dev", "a/shop/dev"},
	} {
		if got, err := provider.Path(config.Provider{Path: c.path, App: c.app, Env: c.env}); err != nil || got != c.want {
			t.Errorf("%+v is %q, %v", c, got, err)
		}
	}
	for _, c := range []config.Provider{{}, {Path: "a/{env}"}, {Path: "{app}/x", Env: "dev"}} {
		if got, err := provider.Path(c); err == nil {
			t.Errorf("%+v is %q", c, got)
		}
	}
}

func TestFieldsOfJSON(t *testing.T) {
	got, err := provider.Fields([]byte(`{"S":"a\"b","N":12.50,"B":true,"Z":null,"L":[1, 2],"O":{"a": 1}}`))
	if want := `map[B:true L:[1,2] N:12.50 O:{"a":1} S:a"b]`; err != nil || fmt.Sprint(got) != want {
		t.Errorf("%v, %v, want %s", got, err, want)
	}
	for _, text := range []string{"", "hunter2", `"hunter2"`, "null", "[]", `{"a":`} {
		_, err := provider.Fields([]byte(text))
		if err == nil {
			t.Errorf("%q is accepted as an object", text)
		}
		providertest.Harmless(t, err)
	}
}

func TestOutputHasABound(t *testing.T) {
	run := provider.Runner(providertest.Run)
	_, err := run.Capture(t.Context(), provider.Command{
		Args: []string{"sh", "-c", "while :; do echo hunter2hunter2hunter2hunter2hunter2hunter2; done"}, Env: []string{"PATH=/usr/bin:/bin"},
	})
	if err == nil || err.Error() != "printed more than 1 MiB" {
		t.Error(err)
	}
	out, err := run.Capture(t.Context(), provider.Command{
		Args: []string{"sh", "-c", "echo out; i=0; while [ $i -lt 3000 ]; do i=$((i+1)); echo 012345678901234567890123456789012345678901234567890 >&2; done; exit 3"},
		Env:  []string{"PATH=/usr/bin:/bin"},
	})
	if err != nil || out.Output != "out\n" || out.ExitCode != 3 || len(out.Errors) != 64<<10 {
		t.Errorf("%d bytes of errors, %v", len(out.Errors), err)
	}
}
