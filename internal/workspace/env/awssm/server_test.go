package awssm_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/signer/v4"
)

// server is a fake Secrets Manager, in AWS JSON 1.1. It checks the signature of every request by
// computing it again.
type server struct {
	t       *testing.T
	keys    map[string]aws.Credentials // by access key
	region  string
	secrets map[string]string           // answers by secret, version and stage
	fail    []func(http.ResponseWriter) // answers that come before the others
	asked   int
}

func start(t *testing.T) (*server, string) {
	t.Helper()
	s := &server{
		t: t, region: "eu-central-1",
		keys: map[string]aws.Credentials{
			"AKIAENV":       {AccessKeyID: "AKIAENV", SecretAccessKey: "env-hunter2"},
			"ASIASESSION":   {AccessKeyID: "ASIASESSION", SecretAccessKey: "session-hunter2", SessionToken: "token-hunter2"},
			"AKIAPROFILE":   {AccessKeyID: "AKIAPROFILE", SecretAccessKey: "profile-hunter2"},
			"ASIACONTAINER": {AccessKeyID: "ASIACONTAINER", SecretAccessKey: "container-hunter2", SessionToken: "token-hunter2"},
			"ASIAINSTANCE":  {AccessKeyID: "ASIAINSTANCE", SecretAccessKey: "instance-hunter2", SessionToken: "token-hunter2"},
		},
		secrets: map[string]string{
			"shop//":            `{"ARN":"x","SecretString":"{\"USER\":\"me\",\"PASSWORD\":\"hunter2\",\"PORT\":5432,\"NONE\":null}"}`,
			"shop/dev//":        `{"SecretString":"{\"STAGE\":\"dev\"}"}`,
			"shop//AWSPREVIOUS": `{"SecretString":"{\"USER\":\"old\"}"}`,
			"shop/v1/":          `{"SecretString":"{\"USER\":\"v1\"}"}`,
			"plain//":           `{"SecretString":"hunter2 in words"}`,
			"binary//":          `{"SecretBinary":"aHVudGVyMv8A"}`,
			"text//":            `{"SecretBinary":"eyJBIjoiMSJ9"}`,
			"odd//":             `{"SecretString":"{\"db-password\":\"hunter2\"}"}`,
			"empty//":           `{"Name":"hunter2"}`,
			"arn:aws:secretsmanager:eu-central-1:1:secret:shop-AbC//": `{"SecretString":"{\"A\":\"arn\"}"}`,
		},
	}
	h := httptest.NewServer(s)
	t.Cleanup(h.Close)
	return s, h.URL
}

// exception answers as AWS does.
func exception(status int, name, message string) func(http.ResponseWriter) {
	return func(w http.ResponseWriter) {
		w.Header().Set("Content-Type", "application/x-amz-json-1.1")
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(map[string]string{"__type": name, "Message": message})
	}
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.asked++
	body, _ := io.ReadAll(r.Body)
	if name := s.unsigned(r, body, "secretsmanager"); name != "" {
		exception(400, name, "hunter2")(w)
		return
	}
	if len(s.fail) > 0 {
		first := s.fail[0]
		s.fail = s.fail[1:]
		first(w)
		return
	}
	if r.Method != "POST" || r.URL.Path != "/" || r.Header.Get("Content-Type") != "application/x-amz-json-1.1" ||
		r.Header.Get("X-Amz-Target") != "secretsmanager.GetSecretValue" {
		s.t.Errorf("the request is %s %s %v", r.Method, r.URL, r.Header)
	}
	var in struct{ SecretId, VersionId, VersionStage string }
	if err := json.Unmarshal(body, &in); err != nil {
		s.t.Error(err)
	}
	answer, ok := s.secrets[in.SecretId+"/"+in.VersionId+"/"+in.VersionStage]
	if !ok {
		exception(400, "ResourceNotFoundException", "Secrets Manager can't find the specified secret. hunter2")(w)
		return
	}
	w.Header().Set("Content-Type", "application/x-amz-json-1.1")
	_, _ = io.WriteString(w, answer)
}

// unsigned returns the exception for a wrongly signed request. It compares with the signature of
// the SDK's signer for the same request, time and keys.
func (s *server) unsigned(r *http.Request, body []byte, service string) string {
	given := r.Header.Get("Authorization")
	rest, ok := strings.CutPrefix(given, "AWS4-HMAC-SHA256 Credential=")
	id, _, _ := strings.Cut(rest, "/")
	keys, known := s.keys[id]
	at, err := time.Parse("20060102T150405Z", r.Header.Get("X-Amz-Date"))
	if !ok || err != nil {
		return "MissingAuthenticationTokenException"
	}
	if !known {
		return "UnrecognizedClientException"
	}
	again := r.Clone(r.Context())
	again.URL.Scheme, again.URL.Host = "http", r.Host
	again.Header = http.Header{"Content-Type": r.Header["Content-Type"]}
	if target := r.Header["X-Amz-Target"]; target != nil {
		again.Header["X-Amz-Target"] = target
	}
	again.ContentLength = int64(len(body))
	sum := sha256.Sum256(body)
	if err := v4.NewSigner().SignHTTP(r.Context(), keys, again, hex.EncodeToString(sum[:]), service, s.region, at); err != nil {
		s.t.Error(err)
	}
	if again.Header.Get("Authorization") != given || again.Header.Get("X-Amz-Security-Token") != r.Header.Get("X-Amz-Security-Token") {
		return "InvalidSignatureException"
	}
	return ""
}

// metadata is a fake of the link-local endpoints: the container's, and the instance's in version 2.
func metadata(t *testing.T, role string) http.Handler {
	mux := http.NewServeMux()
	give := func(w http.ResponseWriter, id, secret, expires string) {
		_ = json.NewEncoder(w).Encode(map[string]string{"AccessKeyId": id, "SecretAccessKey": secret, "Token": "token-hunter2", "Expiration": expires})
	}
	later := time.Now().Add(time.Hour).UTC().Format(time.RFC3339)
	mux.HandleFunc("GET /v2/credentials/x", func(w http.ResponseWriter, r *http.Request) {
		if a := r.Header.Get("Authorization"); a != "" && a != "Bearer hunter2" {
			t.Errorf("the token is %q", a)
		}
		give(w, "ASIACONTAINER", "container-hunter2", later)
	})
	mux.HandleFunc("GET /expired", func(w http.ResponseWriter, _ *http.Request) {
		give(w, "ASIACONTAINER", "container-hunter2", "2020-01-02T03:04:05Z")
	})
	mux.HandleFunc("GET /words", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "hunter2") })
	mux.HandleFunc("GET /denied", func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "hunter2", http.StatusForbidden) })
	mux.HandleFunc("PUT /latest/api/token", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Aws-Ec2-Metadata-Token-Ttl-Seconds") == "" {
			http.Error(w, "", http.StatusBadRequest)
			return
		}
		_, _ = io.WriteString(w, "imds-hunter2")
	})
	data := func(path, text string) {
		mux.HandleFunc("GET /latest/meta-data/"+path, func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("X-Aws-Ec2-Metadata-Token") != "imds-hunter2" {
				http.Error(w, "", http.StatusUnauthorized)
				return
			}
			if text == "" {
				give(w, "ASIAINSTANCE", "instance-hunter2", later)
				return
			}
			_, _ = io.WriteString(w, text)
		})
	}
	data("placement/region", "eu-central-1")
	if role != "" {
		data("iam/security-credentials/{$}", role)
		data("iam/security-credentials/shop", "")
	}
	return mux
}
