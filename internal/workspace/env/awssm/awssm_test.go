package awssm_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"

	"tasker/internal/config"
	"tasker/internal/fault"
	"tasker/internal/testkit/providertest"
	"tasker/internal/workspace/env/awssm"
	"tasker/internal/workspace/env/provider"
)

// secret is a provider of a path with options, given as pairs.
func secret(path string, options ...string) config.Provider {
	c := config.Provider{Path: path, Options: map[string]string{}}
	for i := 0; i < len(options); i += 2 {
		c.Options[options[i]] = options[i+1]
	}
	return c
}

// base is an environment without anything of this machine's.
func base(t *testing.T, endpoint string, more ...string) []string {
	t.Helper()
	return append([]string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "AWS_EC2_METADATA_DISABLED=true", "AWS_METADATA_SERVICE_TIMEOUT=60",
		"AWS_ENDPOINT_URL_SECRETS_MANAGER=" + endpoint, "AWS_REGION=eu-central-1",
	}, more...)
}

var envKeys = []string{"AWS_ACCESS_KEY_ID=AKIAENV", "AWS_SECRET_ACCESS_KEY=env-hunter2"}

func ask(t *testing.T, c config.Provider, env []string) (*provider.Environment, error) {
	t.Helper()
	parts, _ := providertest.Patient()
	return providertest.Ask(t, awssm.Kind, c, parts, provider.Request{Root: t.TempDir(), Env: env})
}

func TestASecretIsRead(t *testing.T) {
	_, url := start(t)
	for name, c := range map[string]struct {
		provider config.Provider
		want     map[string]string
	}{
		"an object":        {secret("shop"), map[string]string{"USER": "me", "PASSWORD": "hunter2", "PORT": "5432"}},
		"by app and stage": {config.Provider{App: "shop", Env: "dev"}, map[string]string{"STAGE": "dev"}},
		"a stage":          {secret("shop", "versionStage", "AWSPREVIOUS"), map[string]string{"USER": "old"}},
		"a version":        {secret("shop", "versionId", "v1"), map[string]string{"USER": "v1"}},
		"a plain text":     {secret("plain", "name", "WORDS"), map[string]string{"WORDS": "hunter2 in words"}},
		"a binary one":     {secret("binary", "name", "BYTES", "binary", "base64"), map[string]string{"BYTES": "aHVudGVyMv8A"}},
		"a binary text":    {secret("text"), map[string]string{"A": "1"}},
		"as one variable":  {secret("text", "name", "JSON"), map[string]string{"JSON": `{"A":"1"}`}},
		"picked":           {secret("odd", "keys", "PW=db-password"), map[string]string{"PW": "hunter2"}},
		"by its ARN":       {secret("arn:aws:secretsmanager:eu-central-1:1:secret:shop-AbC"), map[string]string{"A": "arn"}},
	} {
		t.Run(name, func(t *testing.T) {
			env, err := ask(t, c.provider, base(t, url, envKeys...))
			providertest.Gives(t, env, err, c.want)
		})
	}
}

func TestTheRegion(t *testing.T) {
	s, url := start(t)
	s.region = "us-gov-west-1"
	for _, c := range []struct {
		provider config.Provider
		env      string
	}{
		{secret("shop/dev", "region", "us-gov-west-1"), "AWS_REGION=eu-west-1"},
		{secret("shop/dev"), "AWS_REGION=us-gov-west-1"},
	} {
		env, err := ask(t, c.provider, append(base(t, url, envKeys...), c.env))
		providertest.Gives(t, env, err, map[string]string{"STAGE": "dev"})
	}
	s.region, s.secrets["arn:aws:secretsmanager:us-east-2:1:secret:x//"] = "us-east-2", `{"SecretString":"{}"}`
	env, err := ask(t, secret("arn:aws:secretsmanager:us-east-2:1:secret:x"), base(t, url, envKeys...))
	providertest.Gives(t, env, err, map[string]string{})
	_, err = ask(t, secret("shop/dev"), append(base(t, url, envKeys...), "AWS_REGION="))
	providertest.Refused(t, err, "the AWS region is not set")
	for _, bad := range []string{"x.evil.test/", "eu", "EU-central-1", "a@b"} {
		_, err = ask(t, secret("shop/dev"), append(base(t, url, envKeys...), "AWS_REGION="+bad))
		providertest.Refused(t, err, "there is no region")
	}
}

// shared writes the shared files of AWS, and returns the variables that name them.
func shared(t *testing.T, config, credentials string) []string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"config": config, "credentials": credentials} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return []string{"AWS_CONFIG_FILE=" + filepath.Join(dir, "config"), "AWS_SHARED_CREDENTIALS_FILE=" + filepath.Join(dir, "credentials")}
}

func TestCredentialsAreFoundAsTheToolsOfAWSFindThem(t *testing.T) {
	_, url := start(t)
	link := httptest.NewServer(metadata(t, "shop"))
	defer link.Close()
	const full, authorized = "AWS_CONTAINER_CREDENTIALS_FULL_URI=", "AWS_CONTAINER_AUTHORIZATION_TOKEN"
	token := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(token, []byte("Bearer hunter2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	files := shared(t, `
# comment
[default]
region = nowhere-1
[profile dev]
region=eu-central-1 # here
s3 =
  endpoint_url = https://nested.example.org
[profile process]
region = eu-central-1
credential_process = printf '{"Version":1,"AccessKeyId":"ASIASESSION","SecretAccessKey":"session-hunter2","SessionToken":"token-hunter2"}'
[ profile  keys ]
region = eu-central-1
aws_access_key_id = AKIAPROFILE
aws_secret_access_key = profile-hunter2
[profile sso]
sso_session = x
[profile role]
role_arn = arn:aws:iam::1:role/x
[profile half]
aws_access_key_id = AKIAPROFILE
[profile broken]
credential_process = echo hunter2
[profile failing]
credential_process = echo hunter2 >&2; exit 4
[profile expired]
credential_process = printf '{"AccessKeyId":"A","SecretAccessKey":"hunter2","Expiration":"2020-01-02T03:04:05Z"}'
`, `
[dev]
aws_access_key_id = AKIAPROFILE
aws_secret_access_key = profile-hunter2
; comment
[default]
aws_access_key_id=AKIAENV
aws_secret_access_key=env-hunter2
`)
	none := []string{"AWS_REGION="}
	for name, c := range map[string]struct {
		options []string
		env     []string
	}{
		"keys":                    {nil, envKeys},
		"keys before a profile":   {nil, append(envKeys, append(files, "AWS_PROFILE=dev")...)},
		"keys with a session":     {nil, []string{"AWS_ACCESS_KEY_ID=ASIASESSION", "AWS_SECRET_ACCESS_KEY=session-hunter2", "AWS_SESSION_TOKEN=token-hunter2"}},
		"the default profile":     {nil, files},
		"a profile":               {nil, append(files, "AWS_PROFILE=dev", none[0])},
		"a profile by option":     {[]string{"profile", "dev"}, append(files, "AWS_ACCESS_KEY_ID=hunter2", "AWS_SECRET_ACCESS_KEY=hunter2", none[0])},
		"keys in the config file": {[]string{"profile", "keys"}, append(files, none[0])},
		"a command":               {[]string{"profile", "process"}, append(files, none[0])},
		"a container":             {nil, []string{full + link.URL + "/v2/credentials/x"}},
		"a container's token":     {nil, []string{full + link.URL + "/v2/credentials/x", authorized + "=Bearer hunter2"}},
		"a token in a file":       {nil, []string{full + link.URL + "/v2/credentials/x", authorized + "_FILE=" + token}},
		"an instance":             {nil, []string{"AWS_EC2_METADATA_DISABLED=", "AWS_EC2_METADATA_SERVICE_ENDPOINT=" + link.URL, none[0]}},
	} {
		t.Run(name, func(t *testing.T) {
			env, err := ask(t, secret("shop/dev", c.options...), base(t, url, c.env...))
			providertest.Gives(t, env, err, map[string]string{"STAGE": "dev"})
		})
	}
	bare := httptest.NewServer(metadata(t, ""))
	defer bare.Close()
	for name, c := range map[string]struct {
		options []string
		env     []string
		want    string
	}{
		"none":                    {nil, nil, "there are no credentials for AWS"},
		"half":                    {nil, []string{"AWS_ACCESS_KEY_ID=hunter2"}, "only one of AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY is set"},
		"two lines":               {nil, []string{"AWS_ACCESS_KEY_ID=hunter2\nX-Evil: 1", "AWS_SECRET_ACCESS_KEY=x"}, "contain characters that credentials cannot have"},
		"no profile":              {[]string{"profile", "none"}, files, `there is no profile "none"`},
		"no profile, environment": {nil, append(files, "AWS_PROFILE=none"), `there is no profile "none"`},
		"an empty profile":        {[]string{"profile", "x"}, shared(t, "[profile x]\nregion = eu-west-1\n", ""), `the profile "x" has no credentials`},
		"half a profile":          {[]string{"profile", "half"}, files, `the profile "half" has only one of`},
		"a broken command":        {[]string{"profile", "broken"}, files, `the credential_process of the profile "broken" gives no credentials`},
		"a failing command":       {[]string{"profile", "failing"}, files, `the credential_process of the profile "failing" ended with the exit code 4`},
		"an expired command":      {[]string{"profile", "expired"}, files, `gives credentials that have expired`},
		"an expired container":    {nil, []string{full + link.URL + "/expired"}, "the container's endpoint gives credentials that have expired"},
		"a container of words":    {nil, []string{full + link.URL + "/words"}, "the container's endpoint gives no credentials"},
		"a closed container":      {nil, []string{full + link.URL + "/denied"}, "the container's endpoint refuses to return credentials (403)"},
		"a container elsewhere":   {nil, []string{full + "http://evil.test/x"}, "names a host without TLS"},
		"a container's file":      {nil, []string{full + link.URL, authorized + "_FILE=/none"}, "cannot be read"},
		"an instance's role":      {nil, []string{"AWS_EC2_METADATA_DISABLED=", "AWS_EC2_METADATA_SERVICE_ENDPOINT=" + bare.URL}, "this instance has no role"},
		"unreadable":              {nil, []string{"AWS_CONFIG_FILE=" + t.TempDir() + "/\x00"}, "cannot be read"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := ask(t, secret("shop/dev", c.options...), base(t, url, c.env...))
			providertest.Refused(t, err, c.want)
		})
	}
}

// rerouted sends requests for link-local addresses to a server of the test.
type rerouted struct{ to *url.URL }

func (r rerouted) RoundTrip(req *http.Request) (*http.Response, error) {
	if host := req.URL.Host; host == "169.254.170.2" || host == "169.254.169.254" {
		req = req.Clone(req.Context())
		req.URL.Host = r.to.Host
	}
	return http.DefaultTransport.RoundTrip(req)
}

func TestTheAddressesOnTheLink(t *testing.T) {
	_, address := start(t)
	link := httptest.NewServer(metadata(t, "shop"))
	defer link.Close()
	to, err := url.Parse(link.URL)
	if err != nil {
		t.Fatal(err)
	}
	parts, _ := providertest.Patient()
	parts.Client.Transport = rerouted{to}
	for _, more := range []string{"AWS_CONTAINER_CREDENTIALS_RELATIVE_URI=/v2/credentials/x", "AWS_EC2_METADATA_DISABLED=false"} {
		env, err := providertest.Ask(t, awssm.Kind, secret("shop/dev"), parts, provider.Request{Root: t.TempDir(), Env: base(t, address, more)})
		providertest.Gives(t, env, err, map[string]string{"STAGE": "dev"})
	}
	_, err = ask(t, secret("shop/dev"), base(t, address, "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI=@evil.test/x"))
	providertest.Refused(t, err, "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI is not a path")
}

func TestRefusalsOfAWS(t *testing.T) {
	s, address := start(t)
	for _, c := range []struct {
		status        int
		name, message string
		want          string
	}{
		{400, "ResourceNotFoundException", "hunter2", `there is no secret "shop" in the region eu-central-1 (ResourceNotFoundException)`},
		{400, "com.amazonaws.secretsmanager#ResourceNotFoundException", "hunter2", `there is no secret "shop"`},
		{400, "AccessDeniedException", "User hunter2 is not", `the secret "shop" may not be read with the credentials from the environment (Acc`},
		{400, "DecryptionFailure", "hunter2", `the secret "shop" cannot be decrypted`},
		{400, "InvalidRequestException", "hunter2 because it was marked for deletion", `the secret "shop" is marked for deletion`},
		{400, "InvalidRequestException", "hunter2", `AWS refuses to return the secret "shop" (400 InvalidRequestException)`},
		{400, "ExpiredTokenException", "hunter2", "the credentials from the environment have expired (ExpiredTokenException)"},
		{400, "UnrecognizedClientException", "hunter2", "AWS does not know the credentials from the environment"},
		{400, "InvalidSignatureException", "hunter2 does not match", "AWS does not accept the signature"},
		{400, "InvalidSignatureException", "Signature expired: hunter2 is now earlier than", "this machine's clock is wrong"},
		{400, "InvalidParameterException", "hunter2", `AWS does not understand the name "shop"`},
		{400, "hunter2 is no name", "hunter2", `AWS refuses to return the secret "shop" (400 without a name)`},
		{403, "", "hunter2", `AWS refuses to return the secret "shop" (403 without a name)`},
	} {
		s.fail, s.asked = []func(http.ResponseWriter){exception(c.status, c.name, c.message)}, 0
		_, err := ask(t, secret("shop"), base(t, address, envKeys...))
		providertest.Refused(t, err, c.want)
		if s.asked != 1 {
			t.Errorf("%s: the server was asked %d times", c.name, s.asked)
		}
	}
	s.keys["AKIAOFLETTERSALONE"] = aws.Credentials{AccessKeyID: "AKIAOFLETTERSALONE", SecretAccessKey: "hunter2"}
	s.fail = []func(http.ResponseWriter){exception(400, "AKIAOFLETTERSALONE", "")}
	_, err := ask(t, secret("shop"), base(t, address, "AWS_ACCESS_KEY_ID=AKIAOFLETTERSALONE", "AWS_SECRET_ACCESS_KEY=hunter2"))
	providertest.Refused(t, err, `AWS refuses to return the secret "shop" (400 without a name)`)
	_, err = ask(t, secret("none"), base(t, address, envKeys...))
	providertest.Refused(t, err, `there is no secret "none"`)
	_, err = ask(t, secret("shop"), base(t, address, "AWS_ACCESS_KEY_ID=AKIANONE", "AWS_SECRET_ACCESS_KEY=hunter2"))
	providertest.Refused(t, err, "AWS does not know the credentials from the environment")
	_, err = ask(t, secret("shop"), base(t, address, "AWS_ACCESS_KEY_ID=AKIAENV", "AWS_SECRET_ACCESS_KEY=hunter2"))
	providertest.Refused(t, err, "AWS does not accept the signature")
}

func TestAThrottledRequestIsTriedAgain(t *testing.T) {
	s, address := start(t)
	slow := func(w http.ResponseWriter) {
		w.Header().Set("Retry-After", "2")
		exception(400, "ThrottlingException", "Rate exceeded hunter2")(w)
	}
	s.fail = []func(http.ResponseWriter){slow, exception(500, "InternalServiceError", "hunter2"), exception(429, "TooManyRequestsException", "")}
	parts, pauses := providertest.Patient()
	r := provider.Request{Env: base(t, address, envKeys...)}
	env, err := providertest.Ask(t, awssm.Kind, secret("shop/dev"), parts, r)
	providertest.Gives(t, env, err, map[string]string{"STAGE": "dev"})
	if p := *pauses; len(p) != 3 || p[0] != 2*time.Second {
		t.Errorf("the pauses are %v", p)
	}
	s.fail = []func(http.ResponseWriter){slow, slow, slow, slow}
	_, err = providertest.Ask(t, awssm.Kind, secret("shop/dev"), parts, r)
	providertest.Refused(t, err, "AWS is throttling requests (ThrottlingException)")
	if hint := fault.Of(err).Hint; hint != "it asks to wait 2s; try again after that" {
		t.Errorf("the hint is %q", hint)
	}
	down := exception(503, "", "hunter2")
	s.fail = []func(http.ResponseWriter){down, down, down, down}
	_, err = providertest.Ask(t, awssm.Kind, secret("shop/dev"), parts, r)
	providertest.Refused(t, err, "AWS failed (503)")
}

func TestEveryTryIsSignedAnew(t *testing.T) {
	s, address := start(t)
	s.fail = []func(http.ResponseWriter){exception(500, "InternalServiceError", "")}
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	parts, _ := providertest.Patient()
	parts.Client.Now = func() time.Time { return now }
	parts.Client.Wait = func(context.Context, time.Duration) error {
		now = now.Add(time.Hour)
		return nil
	}
	env, err := providertest.Ask(t, awssm.Kind, secret("shop/dev"), parts, provider.Request{Env: base(t, address, envKeys...)})
	providertest.Gives(t, env, err, map[string]string{"STAGE": "dev"})
}

func TestSecretsThatAreNoVariables(t *testing.T) {
	_, address := start(t)
	for want, c := range map[string]config.Provider{
		`the secret "plain" is not a JSON object`:    secret("plain"),
		`the secret "binary" is binary, not text`:    secret("binary", "name", "X"),
		`the answer for the secret "empty" holds no`: secret("empty"),
		`"db-password" cannot name a variable`:       secret("odd"),
		"path is not set":                            secret(""),
		"path is an ARN, which app and env cannot":   {Path: "arn:aws:secretsmanager:eu-central-1:1:secret:shop", Env: "dev"},
		`options.name is "a b"`:                      secret("plain", "name", "a b"),
		`options.binary is "hex"`:                    secret("plain", "binary", "hex"),
		"the endpoint is not of the form":            secret("plain", "endpoint", "https://me:hunter2@x"),
		"the endpoint does not use TLS":              secret("plain", "endpoint", "http://example.org"),
		`options.insecure is "yes"`:                  secret("plain", "insecure", "yes"),
	} {
		_, err := ask(t, c, base(t, address, envKeys...))
		providertest.Refused(t, err, want)
	}
}

func TestTheEndpointOfARegion(t *testing.T) {
	var hosts []string
	parts, _ := providertest.Patient()
	parts.Client.Transport = transport(func(r *http.Request) { hosts = append(hosts, r.URL.String()) })
	for region, want := range map[string]string{
		"eu-central-1": "https://secretsmanager.eu-central-1.amazonaws.com/", "cn-north-1": "https://secretsmanager.cn-north-1.amazonaws.com.cn/",
	} {
		hosts = nil
		_, err := providertest.Ask(t, awssm.Kind, secret("shop", "region", region), parts, provider.Request{Env: base(t, "", envKeys...)})
		if err == nil || len(hosts) == 0 || hosts[0] != want {
			t.Errorf("%s is asked at %v", region, hosts)
		}
	}
}

type transport func(*http.Request)

func (f transport) RoundTrip(r *http.Request) (*http.Response, error) {
	f(r)
	return nil, context.DeadlineExceeded
}
