package awssm

import (
	"cmp"
	"context"
	"encoding/xml"
	"net/http"
	"net/url"
	"strings"

	"tasker/internal/fault"
	"tasker/internal/text/words"
	"tasker/internal/workspace/env/fetch"
	"tasker/internal/workspace/env/provider"
)

// maxRoles is how many roles a profile may chain, each assumed with the one before.
const maxRoles = 5

// fromProfile takes the keys that a profile leads to: its own, those of its command, or those of
// its role, which it requests with the keys of the source profile.
func (m manager) fromProfile(ctx context.Context, r provider.Request, w *who, p profile) error {
	var roles []profile
	for p.settings["role_arn"] != "" {
		if len(roles) == maxRoles {
			return fault.Bad("the profile %s leads through more than %d roles", words.Quoted(roles[0].name), maxRoles).WithHint("look for a source_profile cycle")
		}
		roles = append(roles, p)
		source := p.settings["source_profile"]
		if source == "" || source == p.name {
			break
		}
		var err error
		if p, err = readProfile(r, source); err != nil {
			return err
		}
	}
	if len(roles) > 0 && w.region == "" {
		w.region = p.settings["region"]
	}
	if err := m.first(ctx, r, w, p, &roles); err != nil {
		return err
	}
	if (m.options["profile"] != "" || len(roles) > 0) && !w.keys.complete() {
		return fault.Bad("the profile %s has no credentials", words.Quoted(p.name)).
			WithHint("set them with aws configure --profile, or name another profile")
	}
	for i := len(roles) - 1; i >= 0; i-- {
		if err := m.assume(ctx, r, w, roles[i]); err != nil {
			return err
		}
	}
	return nil
}

// first takes the keys before any role is assumed with them. A web identity is a role itself, so it
// is removed from the roles.
func (m manager) first(ctx context.Context, r provider.Request, w *who, p profile, roles *[]profile) error {
	s := p.settings
	switch {
	case s["role_arn"] != "" && s["web_identity_token_file"] != "":
		*roles = (*roles)[:len(*roles)-1]
		return m.byWebIdentity(ctx, r, w, webIdentity{s["role_arn"], s["web_identity_token_file"], s["role_session_name"], "the profile " + words.Quoted(p.name)})
	case s["role_arn"] != "" && s["credential_source"] != "":
		return m.bySource(ctx, r, w, p)
	}
	return m.own(ctx, r, w, p)
}

// bySource takes the keys from the source that credential_source names.
func (m manager) bySource(ctx context.Context, r provider.Request, w *who, p profile) (err error) {
	switch source := p.settings["credential_source"]; source {
	case "Environment":
		w.keys, w.from = environmentKeys(r), "the environment"
	case "EcsContainer":
		err = m.fromContainer(ctx, r, w, p)
	case "Ec2InstanceMetadata":
		err = m.fromInstance(ctx, r, w, p)
	default:
		return fault.Bad("credential_source of the profile %s is %s", words.Quoted(p.name), words.Quoted(source)).
			WithHint("it must be Environment, EcsContainer or Ec2InstanceMetadata")
	}
	if err == nil && !w.keys.complete() {
		return fault.Bad("credential_source of the profile %s gives no credentials", words.Quoted(p.name))
	}
	return err
}

// assume exchanges the keys for those of the profile's role.
func (m manager) assume(ctx context.Context, r provider.Request, w *who, p profile) error {
	s := p.settings
	if s["mfa_serial"] != "" {
		return unsupported("the profile " + words.Quoted(p.name) + " asks for a code (mfa_serial)")
	}
	form := url.Values{"Action": {"AssumeRole"}, "RoleArn": {s["role_arn"]}, "RoleSessionName": {sessionName(s["role_session_name"], r)}}
	for setting, name := range map[string]string{"external_id": "ExternalId", "duration_seconds": "DurationSeconds"} {
		if s[setting] != "" {
			form.Set(name, s[setting])
		}
	}
	return m.trade(ctx, r, w, form, "the role of the profile "+words.Quoted(p.name), true)
}

// webIdentity says whose token a role is requested with.
type webIdentity struct{ role, file, session, from string }

// byWebIdentity exchanges the token in a file for the keys of a role, as a pod does.
func (m manager) byWebIdentity(ctx context.Context, r provider.Request, w *who, id webIdentity) error {
	if id.role == "" {
		return fault.Bad("%s names a web identity but no role", id.from).WithHint("set AWS_ROLE_ARN, or role_arn in the profile")
	}
	token, err := provider.Word(id.file)
	if err != nil {
		return fault.Bad("the token of the web identity in %s cannot be read", words.Quoted(id.file)).WithHint("%s names it; check its permissions", id.from)
	}
	return m.trade(ctx, r, w, url.Values{
		"Action": {"AssumeRoleWithWebIdentity"}, "RoleArn": {id.role}, "RoleSessionName": {sessionName(id.session, r)},
		"WebIdentityToken": {token},
	}, "the web identity of "+id.from, false)
}

var notInSession = words.Pattern(`[^A-Za-z0-9_+=,.@-]+`)

// sessionName is the name under which AWS logs what is done with a role: the profile's, else one
// that names the task.
func sessionName(set string, r provider.Request) string {
	set = notInSession().ReplaceAllString(cmp.Or(set, strings.TrimSuffix("tasker-"+r.Task, "-")), "-")
	return set[:min(len(set), 64)]
}

// granted is an answer of the token service, for both ways to get a role.
type granted struct {
	Role keys   `xml:"AssumeRoleResult>Credentials"`
	Web  keys   `xml:"AssumeRoleWithWebIdentityResult>Credentials"`
	Code string `xml:"Error>Code"`
}

func grantedBy(a fetch.Answer) granted {
	var g granted
	_ = xml.Unmarshal(a.Body, &g) // any other answer grants nothing
	return g
}

// trade asks the token service for the keys of a role.
func (m manager) trade(ctx context.Context, r provider.Request, w *who, form url.Values, from string, signed bool) error {
	if err := checkRegion(w.region); err != nil {
		return err
	}
	address, err := m.endpoint(r, "sts", w.region, "", "", "AWS_ENDPOINT_URL_STS")
	if err != nil {
		return err
	}
	form.Set("Version", "2011-06-15")
	body, by := []byte(form.Encode()), *w
	ask := fetch.Request{
		Method: http.MethodPost, URL: address + "/", Body: body, Header: map[string]string{"Content-Type": "application/x-www-form-urlencoded"},
		Again: func(a fetch.Answer) bool {
			return a.Busy() || throttled(grantedBy(a).Code) || grantedBy(a).Code == "IDPCommunicationError"
		},
	}
	if signed {
		ask.Prepare = func(req *http.Request) error { return by.sign(ctx, req, body, "sts", m.client.Time()) }
	}
	s := m.client.Open(m.reached(r, "AWS_ENDPOINT_URL_STS", false))
	defer s.Close()
	a, err := s.Do(ctx, ask)
	if err != nil {
		return err
	}
	g := grantedBy(a)
	if a.Status != http.StatusOK {
		return fault.Bad("AWS refuses to return %s (%d %s)", from, a.Status, by.keys.letters(g.Code)).
			WithHint("check role_arn, whom the role trusts, and whether the credentials that ask for it are still valid")
	}
	w.keys, w.from = g.Role, from
	if !signed {
		w.keys = g.Web
	}
	if w.keys.Token = w.keys.Session; !w.keys.complete() {
		return fault.Bad("AWS returned no credentials for %s", from)
	}
	return nil
}
