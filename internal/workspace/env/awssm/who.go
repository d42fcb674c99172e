package awssm

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/signer/v4"

	"tasker/internal/fault"
	"tasker/internal/text/words"
	"tasker/internal/workspace/env/provider"
)

// who is the credentials and the region used to ask AWS.
type who struct {
	keys     keys
	from     string // where the keys come from, for messages
	region   string
	endpoint string
}

// keys are AWS credentials as the endpoints of containers and instances, commands and roles return
// them.
type keys struct {
	ID         string `json:"AccessKeyId" xml:"AccessKeyId"`
	Secret     string `json:"SecretAccessKey" xml:"SecretAccessKey"`
	Token      string `json:"Token"`
	Session    string `json:"SessionToken" xml:"SessionToken"` // commands and roles use it instead of Token
	Expiration string `json:"Expiration"`
}

func (k keys) complete() bool { return k.ID != "" && k.Secret != "" }

// parseKeys parses an answer with keys. Its errors do not contain the keys.
func parseKeys(text []byte, now time.Time) (keys, error) {
	var k keys
	if json.Unmarshal(text, &k) != nil || !k.complete() {
		return keys{}, fault.Bad("gives no credentials")
	}
	k.Token = cmp.Or(k.Token, k.Session)
	if end, err := time.Parse(time.RFC3339, k.Expiration); err == nil && end.Before(now) {
		return keys{}, fault.Bad("gives credentials that have expired")
	}
	return k, nil
}

func (w who) sign(ctx context.Context, req *http.Request, body []byte, service string, now time.Time) error {
	sum := sha256.Sum256(body)
	credentials := aws.Credentials{AccessKeyID: w.keys.ID, SecretAccessKey: w.keys.Secret, SessionToken: w.keys.Token}
	if err := v4.NewSigner().SignHTTP(ctx, credentials, req, hex.EncodeToString(sum[:]), service, w.region, now); err != nil {
		return fault.New(fault.Internal, "the request cannot be signed")
	}
	return nil
}

var regionName = words.Pattern(`^[a-z]{2,}(-[a-z0-9]+)+$`)

// find returns the credentials and the region in the order of AWS's own tools: the profile in the
// options, or else the first that has any of the environment, the profile of the files, the
// container and the instance.
func (m manager) find(ctx context.Context, r provider.Request) (who, error) {
	p, err := m.profile(r)
	if err != nil {
		return who{}, err
	}
	w := who{region: cmp.Or(m.region(r), p.settings["region"])}
	for _, source := range []func(context.Context, provider.Request, *who, profile) error{m.fromEnvironment, m.fromProfile, m.fromContainer, m.fromInstance} {
		if err := source(ctx, r, &w, p); err != nil {
			return who{}, err
		}
		if w.keys.complete() {
			break
		}
	}
	if !w.keys.complete() {
		return who{}, fault.Bad("there are no credentials for AWS").
			WithHint("set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or options.profile, or run aws configure; looked at: the environment, " +
				"the shared files, the container and the instance")
	}
	if strings.ContainsFunc(w.keys.ID+w.keys.Secret+w.keys.Token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return who{}, fault.Bad("the credentials from %s contain characters that credentials cannot have", w.from).WithHint("set them again; each is one word")
	}
	if err := checkRegion(w.region); err != nil {
		return who{}, err
	}
	w.endpoint, err = m.endpoint(r, "secretsmanager", w.region, m.options["endpoint"], p.settings["endpoint_url"], "AWS_ENDPOINT_URL_SECRETS_MANAGER")
	return w, err
}

// checkRegion refuses an invalid region, because it becomes part of a host name.
func checkRegion(name string) error {
	switch {
	case name == "":
		return fault.Bad("the AWS region is not set").WithHint("set options.region, AWS_REGION, or region in the profile")
	case !regionName().MatchString(name):
		return fault.Bad("there is no region %s", words.Quoted(name)).WithHint("give one such as eu-central-1")
	}
	return nil
}

// region returns the region from the options, the ARN of the secret or the environment.
func (m manager) region(r provider.Request) string {
	if region := m.options["region"]; region != "" {
		return region
	}
	if parts := strings.SplitN(m.id, ":", 5); len(parts) == 5 && parts[0] == "arn" {
		return parts[3]
	}
	return r.First("AWS_REGION", "AWS_DEFAULT_REGION")
}

// endpoint returns the address of a service in a region: the one in the options, else the one that
// the service's variable or the general one names, else the one of the profile, else AWS's own.
func (m manager) endpoint(r provider.Request, service, region, option, setting, variable string) (string, error) {
	if option == "" && !strings.EqualFold(r.First("AWS_IGNORE_CONFIGURED_ENDPOINT_URLS"), "true") {
		option = cmp.Or(r.First(variable, "AWS_ENDPOINT_URL"), setting)
	}
	if option != "" {
		return m.address(option)
	}
	return host(service, region), nil
}

// host returns the address of a service in a region.
func host(service, region string) string {
	return "https://" + service + "." + region + ".amazonaws.com" + words.When(strings.HasPrefix(region, "cn-"), ".cn")
}

func environmentKeys(r provider.Request) keys {
	return keys{
		ID:     r.First("AWS_ACCESS_KEY_ID", "AWS_ACCESS_KEY"),
		Secret: r.First("AWS_SECRET_ACCESS_KEY", "AWS_SECRET_KEY"),
		Token:  r.First("AWS_SESSION_TOKEN"),
	}
}

func (m manager) fromEnvironment(ctx context.Context, r provider.Request, w *who, _ profile) error {
	if m.options["profile"] != "" { // an explicitly named profile wins
		return nil
	}
	w.keys, w.from = environmentKeys(r), "the environment"
	if w.keys.complete() {
		return nil
	}
	if w.keys.ID != "" || w.keys.Secret != "" {
		return fault.Bad("only one of AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY is set").WithHint("set both or neither")
	}
	if file := r.First("AWS_WEB_IDENTITY_TOKEN_FILE"); file != "" {
		return m.byWebIdentity(ctx, r, w, webIdentity{r.First("AWS_ROLE_ARN"), file, r.First("AWS_ROLE_SESSION_NAME"), w.from})
	}
	return nil
}

// unsupported refuses a source of credentials that this program cannot use: taking the next one in
// the chain would mean acting as somebody other than intended.
func unsupported(what string) error {
	return fault.Bad("%s, which tasker does not support itself", what).
		WithHint("let the AWS CLI do it: set credential_process = aws configure export-credentials --profile NAME in a profile of " +
			"the shared config file, and options.profile to it")
}
