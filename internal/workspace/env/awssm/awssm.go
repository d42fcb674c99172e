// Package awssm is the provider of variables from AWS Secrets Manager. The signer of the AWS SDK
// signs the requests; credentials are found as AWS's own tools find them.
package awssm

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"tasker/internal/config"
	"tasker/internal/fault"
	"tasker/internal/text/words"
	"tasker/internal/workspace/env/envtext"
	"tasker/internal/workspace/env/fetch"
	"tasker/internal/workspace/env/provider"
)

// Kind declares the provider. No option is a credential.
var Kind = provider.Kind{
	Type:    "secrets_b",
	Keys:    []string{"env", "app", "path"},
	Options: []string{"binary", "endpoint", "insecure", "name", "profile", "region", "versionId", "versionStage"},
	New:     makeProvider,
}

type manager struct {
	client  fetch.Client
	run     provider.Runner
	id      string // of the secret: its name or ARN
	options map[string]string

	insecure bool
}

func makeProvider(c config.Provider, p provider.Parts) (provider.Provider, error) {
	id, err := provider.Path(c)
	if err != nil {
		return nil, err
	}
	if strings.HasPrefix(c.Path, "arn:") && strings.HasPrefix(id, c.Path+"/") {
		return nil, fault.Bad("path is an ARN, which app and env cannot follow").WithHint("write {app} and {env} where they belong, or leave them out")
	}
	m := manager{client: p.Client, run: p.Run, id: id, options: c.Options}
	if m.insecure, err = provider.Flag(c, "insecure"); err != nil {
		return nil, err
	}
	if name := m.options["name"]; name != "" && !envtext.ValidName(name) {
		return nil, fault.Bad("options.name is %s", words.Quoted(name)).WithHint("give the name of the variable that gets the whole secret")
	}
	if b := m.options["binary"]; b != "" && b != "base64" {
		return nil, fault.Bad("options.binary is %s", words.Quoted(b)).
			WithHint("base64 is the only value; without it, the secret must be text")
	}
	if e := m.options["endpoint"]; e != "" {
		if _, err := m.address(e); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// address checks the address of a service.
func (m manager) address(text string) (string, error) {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.User != nil || u.RawQuery != "" {
		return "", fault.Bad("the endpoint is not of the form https://host").
			WithHint("correct options.endpoint, AWS_ENDPOINT_URL_SECRETS_MANAGER or AWS_ENDPOINT_URL")
	}
	if u.Scheme == "http" && !m.insecure && !onLink(u.Hostname()) {
		return "", fault.Bad("the endpoint does not use TLS: the secrets would travel in the clear from %s", u.Host).
			WithHint(`use https://, or say that it is meant: options.insecure "true"`)
	}
	return strings.TrimSuffix(u.String(), "/"), nil
}

// Values reads the secret: a JSON object as its fields, anything else as the variable in
// options.name.
func (m manager) Values(ctx context.Context, r provider.Request) (provider.Result, error) {
	s := m.client.Open(m.reached(r, "AWS_ENDPOINT_URL_SECRETS_MANAGER", false))
	defer s.Close()
	w, err := m.find(ctx, r)
	if err != nil {
		return provider.Result{}, err
	}
	a, err := s.Do(ctx, m.request(ctx, w))
	if err != nil {
		return provider.Result{}, err
	}
	if a.Status != http.StatusOK {
		return provider.Result{}, m.refused(a, w)
	}
	values, err := m.values(a.Body)
	return provider.Result{Values: values}, err
}

// reached returns how to reach a service of AWS whose address a variable may name. An endpoint in
// the user's own files counts as one from the environment.
func (m manager) reached(r provider.Request, variable string, direct bool) fetch.Options {
	o := fetch.Options{
		System: "AWS", Variable: variable, Direct: direct, Named: r.Named(variable, "AWS_ENDPOINT_URL"), Vendors: []string{"amazonaws.com", "amazonaws.com.cn"},
	}
	if p, err := m.profile(r.Own()); err == nil {
		o.Named = append(o.Named, p.settings["endpoint_url"])
	}
	return o
}

// request asks for the secret, in the protocol AWS JSON 1.1.
func (m manager) request(ctx context.Context, w who) fetch.Request {
	in := map[string]string{"SecretId": m.id}
	if v := m.options["versionId"]; v != "" {
		in["VersionId"] = v
	}
	if v := m.options["versionStage"]; v != "" {
		in["VersionStage"] = v
	}
	body, _ := json.Marshal(in) // only strings
	return fetch.Request{
		Method: http.MethodPost, URL: w.endpoint + "/", Body: body, Again: again,
		Header:  map[string]string{"Content-Type": "application/x-amz-json-1.1", "X-Amz-Target": "secretsmanager.GetSecretValue"},
		Prepare: func(req *http.Request) error { return w.sign(ctx, req, body, "secretsmanager", m.client.Time()) },
	}
}

func (m manager) values(body []byte) (map[string]string, error) {
	var secret struct {
		String *string `json:"SecretString"`
		Binary *string `json:"SecretBinary"`
	}
	what := "the secret " + words.Quoted(m.id)
	if json.Unmarshal(body, &secret) != nil || secret.String == nil && secret.Binary == nil {
		return nil, fault.Bad("the answer for %s holds no secret", what)
	}
	var text string
	switch {
	case secret.String != nil:
		text = *secret.String
	case m.options["binary"] == "base64":
		text = *secret.Binary
	default:
		decoded, err := base64.StdEncoding.DecodeString(*secret.Binary)
		if err != nil || !utf8.Valid(decoded) || slices.Contains(decoded, 0) {
			return nil, fault.Bad("%s is binary, not text", what).WithHint("set options.binary to base64 and options.name to the variable that gets it")
		}
		text = string(decoded)
	}
	if name := m.options["name"]; name != "" {
		return map[string]string{name: text}, nil
	}
	values, err := provider.Fields([]byte(text))
	if err != nil {
		return nil, fault.Bad("%s is not a JSON object, so its variables have no names", what).
			WithHint("set options.name to the variable that gets the whole secret")
	}
	return values, nil
}
