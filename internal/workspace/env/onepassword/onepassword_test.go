//go:build unix

package onepassword_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tasker/internal/config"
	"tasker/internal/testkit/providertest"
	"tasker/internal/workspace/env/onepassword"
	"tasker/internal/workspace/env/provider"
)

// fake is a program that behaves like op, version 2: it prints items as JSON, single fields as they
// are, and errors on standard error.
const fake = `#!/bin/sh
fail() { echo "[ERROR] 2026/01/02 03:04:05 $1 hunter2" >&2; echo hunter2; exit 1; }
[ -z "$FAKE_ERROR" ] || fail "$FAKE_ERROR"
[ "$OP_SERVICE_ACCOUNT_TOKEN" = ops_hunter2 ] || fail 'You are not currently signed in. Please run ` + "`op signin --help`" + ` for instructions'
case "$*" in
'item get Shop --format json --vault Dev --no-color' | 'item get Shop --format json --no-color' | 'item get Shop --format json --account mine --no-color')
	cat <<'END'
{"id":"abc","title":"Shop","version":3,"vault":{"id":"v","name":"Dev"},"category":"LOGIN",
 "sections":[{"id":"add more"},{"id":"s1","label":"staging"}],
 "fields":[
  {"id":"username","type":"STRING","purpose":"USERNAME","label":"username","value":"me","reference":"op://Dev/Shop/username"},
  {"id":"password","type":"CONCEALED","purpose":"PASSWORD","label":"password","value":"hunter2 \"x\"\nline","reference":"op://Dev/Shop/password"},
  {"id":"notesPlain","type":"STRING","purpose":"NOTES","label":"notesPlain","value":"hunter2 notes"},
  {"id":"TOTP_1","type":"OTP","label":"one-time password","value":"otpauth://hunter2","totp":"123456"},
  {"id":"e","type":"STRING","label":"EMPTY"},
  {"id":"f1","section":{"id":"s1","label":"staging"},"type":"CONCEALED","label":"API_KEY","value":"hunter2-key"}
 ]}
END
	;;
'item get Twice --format json --no-color')
	echo '{"fields":[{"label":"A","value":"hunter2"},{"label":"A","value":"x"}]}' ;;
'item get Odd --format json --no-color')
	echo '{"fields":[{"label":"api key","value":"hunter2"}]}' ;;
'item get Words --format json --no-color')
	echo 'hunter2' ;;
'item get None --format json --no-color')
	fail '"None" isn'"'"'t an item. Specify the item with its UUID, name, or domain.' ;;
'read --no-newline op://Dev/Shop/password --no-color')
	printf 'hunter2\n' ;;
'read --no-newline op://Dev/Shop/staging/API_KEY --no-color')
	printf 'hunter2-key' ;;
'item get Options --format json --no-color')
	echo '{"fields":[{"label":"GIVEN","value":"'"$TASKER_OPTION_CACHE"'"}]}' ;;
*)
	fail "unknown command or flag: $*" ;;
esac
`

// ask asks with the fake on this process's PATH, where programs are looked up.
func ask(t *testing.T, c config.Provider, env ...string) (*provider.Environment, error) {
	t.Helper()
	bin := t.TempDir()
	if err := os.WriteFile(filepath.Join(bin, "op"), []byte(fake), 0o700); err != nil {
		t.Fatal(err)
	}
	path := bin + string(filepath.ListSeparator) + os.Getenv("PATH")
	t.Setenv("PATH", path)
	return providertest.Ask(t, onepassword.Kind, c, provider.Parts{Run: providertest.Run}, provider.Request{
		Root: t.TempDir(), Env: append([]string{"PATH=" + path, "OP_SERVICE_ACCOUNT_TOKEN=ops_hunter2"}, env...),
	})
}

func TestAnItemIsRead(t *testing.T) {
	whole := map[string]string{"username": "me", "password": "hunter2 \"x\"\nline", "API_KEY": "hunter2-key"}
	for name, c := range map[string]struct {
		provider config.Provider
		want     map[string]string
	}{
		"by name":           {config.Provider{Path: "Shop"}, whole},
		"in a vault":        {config.Provider{Path: "Shop", App: "Dev"}, whole},
		"by reference":      {config.Provider{Path: "op://Dev/Shop"}, whole},
		"with an option":    {config.Provider{Path: "Options", Options: map[string]string{"cache": "off"}}, map[string]string{"GIVEN": "off"}},
		"of an account":     {config.Provider{Path: "Shop", Options: map[string]string{"account": "mine"}}, whole},
		"a section":         {config.Provider{Path: "Shop", Env: "staging"}, map[string]string{"API_KEY": "hunter2-key"}},
		"a section's id":    {config.Provider{Path: "Shop", Env: "s1"}, map[string]string{"API_KEY": "hunter2-key"}},
		"picked":            {config.Provider{Path: "Odd", Options: map[string]string{"keys": "KEY=api key"}}, map[string]string{"KEY": "hunter2"}},
		"a field":           {config.Provider{Path: "op://Dev/Shop/password"}, map[string]string{"password": "hunter2\n"}},
		"a field, renamed":  {config.Provider{Path: "op://Dev/Shop/password", Options: map[string]string{"name": "PW"}}, map[string]string{"PW": "hunter2\n"}},
		"a section's field": {config.Provider{Path: "op://Dev/Shop/staging/API_KEY"}, map[string]string{"API_KEY": "hunter2-key"}},
		"a stage's field":   {config.Provider{Path: "op://Dev/Shop/API_KEY", Env: "staging"}, map[string]string{"API_KEY": "hunter2-key"}},
	} {
		t.Run(name, func(t *testing.T) {
			env, err := ask(t, c.provider)
			providertest.Gives(t, env, err, c.want)
		})
	}
}

func TestRefusalsOfOp(t *testing.T) {
	field := config.Provider{Path: "op://Dev/Shop/none"}
	item := config.Provider{Path: "Shop", App: "Dev"}
	account := config.Provider{Path: "x", Options: map[string]string{"account": "mine"}}
	for said, c := range map[string]struct {
		provider config.Provider
		want     string
	}{
		"You are not currently signed in.":                         {item, "op is not signed in"},
		"session expired, sign in to create a new session":         {item, "op is not signed in"},
		"error initializing client: No accounts configured for":    {item, "op is not signed in"},
		"failed to parse: invalid service account token":           {item, "1Password does not accept the credentials that op has"},
		"(401) (Unauthorized)":                                     {item, "1Password does not accept the credentials that op has"},
		`"Dev" isn't a vault in this account`:                      {item, `there is no vault "Dev"`},
		"More than one item matches \"Shop\". Try again and":       {item, `1Password has more than one item "Shop"`},
		`"none" isn't a field in the "Shop" item`:                  {field, `the item "Shop" in the vault "Dev" has no field "none"`},
		`"Shop" isn't an item in the "Dev" vault`:                  {item, `there is no item "Shop" in the vault "Dev"`},
		"found no account for filter":                              {account, `op knows no account "mine"`},
		"(403) (Forbidden), You aren't allowed":                    {item, `the account that is signed in may not read the item "Shop" in the vault "Dev" (403)`},
		"(429) (Too Many Requests), You've reached the rate limit": {item, "is throttling requests (429)"},
		"dial tcp: lookup my.1password.com: no such host":          {item, "op cannot reach 1Password"},
		"something else": {item, `op could not read the item "Shop" in the vault "Dev": exit code 1`},
	} {
		_, err := ask(t, c.provider, "FAKE_ERROR="+said)
		providertest.Refused(t, err, c.want)
	}
	_, err := ask(t, item, "OP_SERVICE_ACCOUNT_TOKEN=")
	providertest.Refused(t, err, "op is not signed in")
}

func TestItemsThatAreNoVariables(t *testing.T) {
	for want, c := range map[string]config.Provider{
		`there is no item "None"`:                    {Path: "None"},
		`the item "Twice" has the field "A" twice`:   {Path: "Twice"},
		`"api key" cannot name a variable`:           {Path: "Odd"},
		"op did not print an item as JSON":           {Path: "Words"},
		`the item "Shop" has no section "prod"`:      {Path: "Shop", Env: "prod"},
		"path names no item":                         {},
		`path is "op://Dev"`:                         {Path: "op://Dev"},
		`path is "op://a/b/c/d/e"`:                   {Path: "op://a/b/c/d/e"},
		`path is "op://a//b"`:                        {Path: "op://a//b"},
		`path is "op://a/b/c?x=y"`:                   {Path: "op://a/b/c?x=y"},
		"app names a vault, and so does path":        {Path: "op://a/b", App: "c"},
		"env names a section, and so does path":      {Path: "op://a/b/c/d", Env: "c"},
		`"--help" is not a name`:                     {Path: "--help"},
		`"-x" is not a name`:                         {Path: "x", App: "-x"},
		`the field "api key" cannot name a variable`: {Path: "op://a/b/api key"},
		`options.name is "a b"`:                      {Path: "op://a/b/c", Options: map[string]string{"name": "a b"}},
		"options.name is for a single field":         {Path: "op://a/b", Options: map[string]string{"name": "A"}},
	} {
		_, err := ask(t, c)
		providertest.Refused(t, err, want)
	}
}

func TestWithoutTheProgram(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	_, err := providertest.Ask(t, onepassword.Kind, config.Provider{Path: "Shop"}, provider.Parts{Run: providertest.Run},
		provider.Request{Root: t.TempDir(), Env: []string{"OP_SERVICE_ACCOUNT_TOKEN=ops_hunter2"}})
	providertest.Refused(t, err, "there is no program op")
}

func TestATimeLimit(t *testing.T) {
	bin := t.TempDir()
	script := strings.Replace(fake, "[ -z", "exec sleep 1000\n[ -z", 1)
	if err := os.WriteFile(filepath.Join(bin, "op"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	path := bin + string(filepath.ListSeparator) + os.Getenv("PATH")
	t.Setenv("PATH", path)
	_, err := providertest.Ask(t, onepassword.Kind, config.Provider{Path: "Shop", Options: map[string]string{"timeout": "100ms"}},
		provider.Parts{Run: providertest.Run}, provider.Request{Root: t.TempDir(), Env: []string{"PATH=" + path}})
	providertest.Refused(t, err, "did not answer within 100ms")
}
