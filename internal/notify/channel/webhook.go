package channel

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"

	"tasker/internal/site"
	"tasker/internal/task/delivery"
)

// maxAnswer is how much of an answer is read. Only its status counts.
const maxAnswer = 64 << 10

// post posts the message to an address. It uses no proxy, because it checks the address that it connects to.
func (s Sender) post(ctx context.Context, target string, m delivery.Message) delivery.Outcome {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, target, strings.NewReader(m.Body))
	if err != nil || r.URL.Scheme != "http" && r.URL.Scheme != "https" || r.URL.Host == "" {
		return failed("its target is not an http or https address")
	}
	u := r.URL
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("User-Agent", s.Agent)
	if err := s.sign(r.Header, m); err != nil {
		return failed(err.Error())
	}
	line := site.Way{Name: "webhook", PassOn: true, Direct: true, Dial: s.dialer(u.Hostname()).DialContext, Once: true}.Open()
	defer line.Close()
	res, err := line.Do(r)
	if err != nil {
		return failed(unreached(u.Host, err))
	}
	defer res.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(res.Body, maxAnswer)) // so that the receiver is not cut off halfway
	return s.judge(u.Host, res)
}

// judge decides the outcome by the status of an answer.
func (s Sender) judge(host string, res *http.Response) delivery.Outcome {
	switch code := res.StatusCode; {
	case code >= 200 && code < 300:
		return delivery.Outcome{}
	case code >= 300 && code < 400:
		return failed(fmt.Sprintf("%s answered %d, a redirect, and redirects are not followed: give the address that it leads to, "+
			"and name its host in TASKER_WEBHOOK_HOSTS if that is a private one", host, code))
	case code == http.StatusRequestTimeout || code == http.StatusTooManyRequests || code >= 500:
		return delivery.Outcome{Error: fmt.Sprintf("%s answered %d", host, code), After: site.After(res.Header, s.Now())}
	default:
		return delivery.Outcome{Error: fmt.Sprintf("%s answered %d", host, code), Final: code >= 400}
	}
}

// sign adds the headers of Standard Webhooks. Without a secret there is no signature.
func (s Sender) sign(h http.Header, m delivery.Message) error {
	at := strconv.FormatInt(s.Now().Unix(), 10)
	h.Set("Webhook-Id", m.ID)
	h.Set("Webhook-Timestamp", at)
	if s.Secret == "" {
		return nil
	}
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(s.Secret, "whsec_"))
	if err != nil || len(key) == 0 {
		return errors.New("TASKER_WEBHOOK_SECRET is not whsec_ followed by base64, so nothing can be signed: correct it, or unset it to send without a signature")
	}
	mac := hmac.New(sha256.New, key)
	_, _ = io.WriteString(mac, m.ID+"."+at+"."+m.Body) // a hash never fails to write
	h.Set("Webhook-Signature", "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	return nil
}

// unreached says why there was no answer.
func unreached(host string, err error) string {
	var refused refusal
	if errors.As(err, &refused) {
		return refused.Error()
	}
	switch cause, detail := site.Why(err); cause {
	case site.Late, site.Ended:
		return host + " gave no answer in time"
	case site.NoHost:
		return "there is no host " + strconv.Quote(detail)
	case site.Unsigned:
		return "the certificate of " + host + " is signed by an authority that this machine does not know"
	case site.Uncertified:
		return "the certificate of " + host + " is not valid for it"
	case site.Unreachable:
		return host + " cannot be reached: " + detail
	case site.NoHTTP, site.NoTLS, site.BrokenOff, site.Redirected:
	}
	return host + " gave no HTTP answer"
}
