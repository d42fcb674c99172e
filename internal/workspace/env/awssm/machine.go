package awssm

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"tasker/internal/fault"
	"tasker/internal/site"
	"tasker/internal/text/words"
	"tasker/internal/workspace/env/fetch"
	"tasker/internal/workspace/env/provider"
)

const (
	containerHost = "http://169.254.170.2"
	instanceHost  = "http://169.254.169.254"
	// instanceLimit is how many seconds the first request for an instance's metadata may take: it
	// is on the local link or does not exist.
	instanceLimit = 2
)

// fromContainer asks the endpoint that a container's environment names.
func (m manager) fromContainer(ctx context.Context, r provider.Request, w *who, _ profile) error {
	address, err := containerAddress(r)
	if address == "" || err != nil {
		return err
	}
	header := map[string]string{"Accept": "application/json"}
	token := r.First("AWS_CONTAINER_AUTHORIZATION_TOKEN")
	if name := r.First("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE"); name != "" {
		if token, err = provider.Word(name); err != nil {
			return fault.Bad("the file %s that AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE names cannot be read", words.Quoted(name))
		}
	}
	if strings.ContainsAny(token, "\r\n") {
		return fault.Bad("the authorization token of the container is not one line")
	}
	if token != "" {
		header["Authorization"] = token
	}
	reached := m.reached(r, "AWS_CONTAINER_CREDENTIALS_FULL_URI", true)
	reached.Named = append(reached.Named, containerHost)
	s := m.client.Open(reached)
	defer s.Close()
	a, err := s.Do(ctx, fetch.Request{Method: http.MethodGet, URL: address, Header: header})
	if err != nil {
		return err
	}
	w.from = "the container"
	if a.Status != http.StatusOK {
		return fault.Bad("the container's endpoint refuses to return credentials (%d)", a.Status).
			WithHint("check the role of the task or pod, and AWS_CONTAINER_AUTHORIZATION_TOKEN")
	}
	if w.keys, err = parseKeys(a.Body, m.client.Time()); err != nil {
		return fault.Bad("the container's endpoint %s", err.Error())
	}
	return nil
}

// containerAddress returns the address of a container's credentials, or "" outside a container.
// Without TLS it accepts only addresses that nobody else can listen on: this machine, and AWS's own
// link-local ones.
func containerAddress(r provider.Request) (string, error) {
	if path := r.First("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"); path != "" {
		if !strings.HasPrefix(path, "/") {
			return "", fault.Bad("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI is not a path")
		}
		return containerHost + path, nil
	}
	full := r.First("AWS_CONTAINER_CREDENTIALS_FULL_URI")
	if full == "" {
		return "", nil
	}
	u, err := url.Parse(full)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return "", fault.Bad("AWS_CONTAINER_CREDENTIALS_FULL_URI is not a URL")
	}
	if u.Scheme == "http" && !onLink(u.Hostname()) {
		return "", fault.Bad("AWS_CONTAINER_CREDENTIALS_FULL_URI names a host without TLS that is neither this machine nor the container's").
			WithHint("use https://")
	}
	return full, nil
}

func onLink(host string) bool {
	return site.Loopback(host) || slices.Contains([]string{"169.254.170.2", "169.254.170.23", "fd00:ec2::23"}, host)
}

// fromInstance asks the metadata service of an EC2 instance, using only version 2. If it does not
// answer, this machine is not an instance.
func (m manager) fromInstance(ctx context.Context, r provider.Request, w *who, _ profile) error {
	if strings.EqualFold(r.First("AWS_EC2_METADATA_DISABLED"), "true") {
		return nil
	}
	base := strings.TrimSuffix(cmp.Or(r.First("AWS_EC2_METADATA_SERVICE_ENDPOINT"), instanceHost), "/") + "/latest/"
	limit := instanceLimit
	if n, err := strconv.Atoi(r.First("AWS_METADATA_SERVICE_TIMEOUT")); err == nil && n > 0 && n <= 600 {
		limit = n
	}
	short, cancel := context.WithTimeout(ctx, time.Duration(limit)*time.Second)
	defer cancel()
	reached := m.reached(r, "AWS_EC2_METADATA_SERVICE_ENDPOINT", true)
	reached.Named = append(reached.Named, instanceHost)
	s := m.client.Open(reached)
	defer s.Close()
	a, err := s.Do(short, fetch.Request{
		Method: http.MethodPut, URL: base + "api/token", Header: map[string]string{"X-Aws-Ec2-Metadata-Token-Ttl-Seconds": "300"}, Once: true,
	})
	token := strings.TrimSpace(string(a.Body))
	if err != nil || a.Status != http.StatusOK || strings.ContainsAny(token, "\r\n") {
		return ctx.Err()
	}
	get := func(path string) (fetch.Answer, error) {
		a, err := s.Do(ctx, fetch.Request{Method: http.MethodGet, URL: base + "meta-data/" + path, Header: map[string]string{"X-Aws-Ec2-Metadata-Token": token}})
		if err == nil && a.Status != http.StatusOK {
			err = errNone
		}
		return a, err
	}
	if w.region == "" {
		if a, err := get("placement/region"); err == nil {
			w.region = strings.TrimSpace(string(a.Body))
		}
	}
	const roles = "iam/security-credentials/"
	a, err = get(roles)
	role, _, _ := strings.Cut(strings.TrimSpace(string(a.Body)), "\n")
	if errors.Is(err, errNone) || err == nil && role == "" {
		return fault.Bad("this instance has no role").WithHint("give it one, or set other credentials")
	}
	if err == nil {
		a, err = get(roles + url.PathEscape(role))
	}
	if err != nil && !errors.Is(err, errNone) {
		return err
	}
	w.from = "the instance's role"
	if w.keys, err = parseKeys(a.Body, m.client.Time()); err != nil {
		return fault.Bad("the metadata of this instance %s", err.Error()).WithHint("check its role")
	}
	return nil
}

var errNone = errors.New("there is none")
