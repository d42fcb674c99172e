package awssm_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"

	"tasker/internal/config"
	"tasker/internal/testkit/providertest"
	"tasker/internal/workspace/env/awssm"
	"tasker/internal/workspace/env/provider"
)

// tokens is a fake token service, in the protocol AWS Query: it gives roles to trusted callers.
type tokens struct {
	*server

	trusts map[string]string // by role, the access key that may have it; "web" for the owner of the token
	forms  []url.Values
	busy   int // how many requests are rejected first
}

func startTokens(t *testing.T, s *server) (*tokens, string) {
	t.Helper()
	ts := &tokens{server: s, trusts: map[string]string{
		"arn:aws:iam::1:role/one": "AKIAPROFILE", "arn:aws:iam::1:role/two": "ASIAone", "arn:aws:iam::1:role/pod": "web",
		"arn:aws:iam::1:role/env": "AKIAENV", "arn:aws:iam::1:role/ec2": "ASIAINSTANCE", "arn:aws:iam::1:role/ecs": "ASIACONTAINER",
	}}
	h := httptest.NewServer(ts)
	t.Cleanup(h.Close)
	return ts, h.URL
}

func (ts *tokens) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	form, err := url.ParseQuery(string(body))
	if err != nil || r.Method != "POST" || form.Get("Version") != "2011-06-15" || r.Header.Get("Content-Type") != "application/x-www-form-urlencoded" {
		ts.t.Errorf("the request is %s %v %v", r.Method, r.Header, err)
	}
	ts.forms = append(ts.forms, form)
	deny := func(status int, code string) {
		w.WriteHeader(status)
		_, _ = fmt.Fprintf(w, "<ErrorResponse><Error><Type>Sender</Type><Code>%s</Code><Message>hunter2</Message></Error></ErrorResponse>", code)
	}
	if ts.busy > 0 {
		ts.busy--
		deny(400, "Throttling")
		return
	}
	role, by := form.Get("RoleArn"), "web"
	action := form.Get("Action")
	if action == "AssumeRole" {
		if code := ts.unsigned(r, body, "sts"); code != "" {
			deny(403, "SignatureDoesNotMatch")
			return
		}
		by = r.Header.Get("Authorization")[len("AWS4-HMAC-SHA256 Credential="):]
		by = by[:min(len(by), len(ts.trusts[role]))]
	} else if form.Get("WebIdentityToken") != "jwt-hunter2" {
		deny(400, "InvalidIdentityToken")
		return
	}
	if trusted, ok := ts.trusts[role]; !ok || trusted != by {
		deny(403, "AccessDenied")
		return
	}
	id := "ASIA" + role[len(role)-3:]
	ts.keys[id] = aws.Credentials{AccessKeyID: id, SecretAccessKey: "role-hunter2", SessionToken: "token-hunter2"}
	_, _ = fmt.Fprintf(w, `<%[1]sResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><%[1]sResult><Credentials><AccessKeyId>%[2]s</AccessKeyId>`+
		`<SecretAccessKey>role-hunter2</SecretAccessKey><SessionToken>token-hunter2</SessionToken><Expiration>2030-01-02T03:04:05Z</Expiration>`+
		`</Credentials></%[1]sResult></%[1]sResponse>`, action, id)
}

const roles = `
[profile keys]
aws_access_key_id = AKIAPROFILE
aws_secret_access_key = profile-hunter2
[profile one]
role_arn = arn:aws:iam::1:role/one
source_profile = keys
external_id = outside
duration_seconds = 900
[profile two]
role_arn = arn:aws:iam::1:role/two
source_profile = one
role_session_name = a name
[profile self]
role_arn = arn:aws:iam::1:role/one
source_profile = self
aws_access_key_id = AKIAPROFILE
aws_secret_access_key = profile-hunter2
[profile pod]
role_arn = arn:aws:iam::1:role/pod
web_identity_token_file = %[1]s
[profile none-pod]
role_arn = arn:aws:iam::1:role/pod
web_identity_token_file = /none
[profile env]
role_arn = arn:aws:iam::1:role/env
credential_source = Environment
[profile ec2]
role_arn = arn:aws:iam::1:role/ec2
credential_source = Ec2InstanceMetadata
[profile ecs]
role_arn = arn:aws:iam::1:role/ecs
credential_source = EcsContainer
[profile odd]
role_arn = arn:aws:iam::1:role/ecs
credential_source = Moon
[profile denied]
role_arn = arn:aws:iam::1:role/env
source_profile = keys
[profile bare]
role_arn = arn:aws:iam::1:role/env
[profile lost]
role_arn = arn:aws:iam::1:role/env
source_profile = nowhere
[profile round]
role_arn = arn:aws:iam::1:role/env
source_profile = trip
[profile trip]
role_arn = arn:aws:iam::1:role/env
source_profile = round
[profile code]
role_arn = arn:aws:iam::1:role/one
source_profile = keys
mfa_serial = arn:aws:iam::1:mfa/me
[profile sso]
sso_session = x
`

func TestRolesAreAssumed(t *testing.T) {
	s, address := start(t)
	ts, sts := startTokens(t, s)
	link := httptest.NewServer(metadata(t, "shop"))
	defer link.Close()
	token := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(token, []byte("jwt-hunter2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(t.TempDir(), "other")
	if err := os.WriteFile(other, []byte("another-hunter2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	files := slices.Clip(append(shared(t, fmt.Sprintf(roles, token), ""), "AWS_ENDPOINT_URL_STS="+sts))
	web := []string{"AWS_ENDPOINT_URL_STS=" + sts, "AWS_WEB_IDENTITY_TOKEN_FILE=" + token}
	falseToken := "AWS_WEB_IDENTITY_TOKEN_FILE=" + other
	run := func(t *testing.T, profile string, env ...string) (*provider.Environment, error) {
		t.Helper()
		c := config.Provider{Path: "shop/dev", Options: map[string]string{}}
		if profile != "" {
			c.Options["profile"] = profile
		}
		parts, _ := providertest.Patient()
		return providertest.Ask(t, awssm.Kind, c, parts, provider.Request{Root: t.TempDir(), Task: "shop-7", Env: base(t, address, env...)})
	}
	for name, c := range map[string]struct {
		profile string
		env     []string
	}{
		"of a profile":       {"one", files},
		"by another role":    {"two", files},
		"with its own keys":  {"self", files},
		"by a web identity":  {"pod", files},
		"of a pod":           {"", append(web, "AWS_ROLE_ARN=arn:aws:iam::1:role/pod")},
		"by the environment": {"env", append(files, envKeys...)},
		"by the instance":    {"ec2", append(files, "AWS_EC2_METADATA_DISABLED=", "AWS_EC2_METADATA_SERVICE_ENDPOINT="+link.URL)},
		"by the container":   {"ecs", append(files, "AWS_CONTAINER_CREDENTIALS_FULL_URI="+link.URL+"/v2/credentials/x")},
	} {
		t.Run(name, func(t *testing.T) {
			ts.busy = 1
			env, err := run(t, c.profile, c.env...)
			providertest.Gives(t, env, err, map[string]string{"STAGE": "dev"})
		})
	}
	ts.forms, ts.busy = nil, 0
	if _, err := run(t, "two", files...); err != nil || len(ts.forms) != 2 {
		t.Fatalf("%d requests, %v", len(ts.forms), err)
	}
	if f := ts.forms[0]; f.Get("ExternalId") != "outside" || f.Get("DurationSeconds") != "900" || f.Get("RoleSessionName") != "tasker-shop-7" {
		t.Errorf("the first role is asked for by %v", f)
	}
	if f := ts.forms[1]; f.Has("ExternalId") || f.Get("RoleSessionName") != "a-name" {
		t.Errorf("the second role is asked for by %v", f)
	}

	for name, c := range map[string]struct {
		profile string
		env     []string
		want    string
	}{
		"denied":            {"denied", files, `AWS refuses to return the role of the profile "denied" (403 AccessDenied)`},
		"without a source":  {"bare", files, `the profile "bare" has no credentials`},
		"by default":        {"", append(shared(t, "[default]\nrole_arn = x\n", ""), "AWS_ENDPOINT_URL_STS="+sts), `the profile "default" has no credentials`},
		"of a lost source":  {"lost", files, `there is no profile "nowhere"`},
		"in a circle":       {"round", files, `the profile "round" leads through more than 5 roles`},
		"with a code":       {"code", files, `the profile "code" asks for a code (mfa_serial), which tasker does not support itself`},
		"by a sign-on":      {"sso", files, `the profile "sso" uses single sign-on, which tasker does not support itself`},
		"from the moon":     {"odd", files, `credential_source of the profile "odd" is "Moon"`},
		"from nothing":      {"env", files, `credential_source of the profile "env" gives no credentials`},
		"without a token":   {"none-pod", files, `the token of the web identity in "/none" cannot be read`},
		"without a role":    {"", web, "the environment names a web identity but no role"},
		"without a region":  {"one", append(files, "AWS_REGION="), "the AWS region is not set"},
		"by a false token":  {"", append(web, falseToken, "AWS_ROLE_ARN=x"), "AWS refuses to return the web identity of the environment (400 Inv"},
		"at a bad address":  {"one", append(files, "AWS_ENDPOINT_URL_STS=http://evil.test"), "the endpoint does not use TLS"},
		"at another server": {"one", append(files, "AWS_ENDPOINT_URL_STS="+link.URL), `AWS refuses to return the role of the profile "one" (404 without a name)`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := run(t, c.profile, c.env...)
			providertest.Refused(t, err, c.want)
		})
	}
}
