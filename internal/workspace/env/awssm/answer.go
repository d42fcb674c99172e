package awssm

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"tasker/internal/fault"
	"tasker/internal/site"
	"tasker/internal/text/words"
	"tasker/internal/workspace/env/fetch"
)

// kind returns the name of the exception in an answer, and a function that reports whether its
// message contains a word. The message itself is never shown.
func kind(a fetch.Answer) (name string, says func(string) bool) {
	var e struct {
		Type    string `json:"__type"`
		Code    string `json:"code"`
		Message string `json:"message"`
	}
	_ = json.Unmarshal(a.Body, &e) // matches Message too; an answer that is not JSON has no name
	name = cmp.Or(e.Type, a.Header.Get("X-Amzn-Errortype"), e.Code)
	name = name[strings.LastIndexByte(name, '#')+1:] // com.amazonaws.secretsmanager#ThrottlingException
	name, _, _ = strings.Cut(name, ":")              // ThrottlingException:http://…
	return name, func(word string) bool { return strings.Contains(strings.ToLower(e.Message), word) }
}

// tooMany lists the exceptions that reject a request because there were too many.
var tooMany = []string{
	"ThrottlingException", "Throttling", "ThrottledException", "TooManyRequestsException", "RequestLimitExceeded", "RequestThrottled",
	"RequestThrottledException", "SlowDown", "LimitExceededException", "PriorRequestNotComplete", "TransactionInProgressException",
}

func throttled(name string) bool { return slices.Contains(tooMany, name) }

// again reports whether AWS asks for another try.
func again(a fetch.Answer) bool {
	name, _ := kind(a)
	return a.Busy() || throttled(name) || name == "InternalServiceError" || name == "RequestTimeoutException"
}

// refused says what an exception means.
func (m manager) refused(a fetch.Answer, w who) error {
	name, says := kind(a)
	what := "the secret " + words.Quoted(m.id)
	if throttled(name) || a.Status == 429 {
		return a.Later(fault.Bad("AWS is throttling requests (%s)", cmp.Or(name, "429")))
	}
	for _, known := range []struct {
		names   []string
		when    bool
		refusal error
	}{
		{[]string{"ResourceNotFoundException"}, true, fault.Bad("there is no %s in the region %s (%s)", strings.TrimPrefix(what, "the "), w.region, name).
			WithHint("correct path, app, env or options.region, or the version's options")},
		{[]string{"InvalidRequestException"}, says("deleted") || says("deletion"),
			fault.Bad("%s is marked for deletion (%s)", what, name).WithHint("restore it, or name another one")},
		{[]string{"AccessDeniedException"}, true, fault.Bad("%s may not be read with the credentials from %s (%s)", what, w.from, name).
			WithHint("the policy has to allow secretsmanager:GetSecretValue on it, and kms:Decrypt on its key")},
		{[]string{"DecryptionFailure", "KMSAccessDeniedException"}, true,
			fault.Bad("%s cannot be decrypted (%s)", what, name).WithHint("the policy has to allow kms:Decrypt on its key, which has to be enabled")},
		{[]string{"ExpiredTokenException", "ExpiredToken"}, true,
			fault.Bad("the credentials from %s have expired (%s)", w.from, name).WithHint("log in again, or set new ones")},
		{[]string{"UnrecognizedClientException", "InvalidClientTokenId", "MissingAuthenticationTokenException", "NotAuthorizedException"}, true,
			fault.Bad("AWS does not know the credentials from %s (%s)", w.from, name).WithHint("check them, and that they belong to the region's partition")},
		{[]string{"InvalidSignatureException", "SignatureDoesNotMatch"}, !says("expired") && !says("not yet current"),
			fault.Bad("AWS does not accept the signature made with the credentials from %s (%s)", w.from, name).WithHint("check the secret access key")},
		{[]string{"InvalidSignatureException", "RequestExpired", "RequestTimeTooSkewed"}, true,
			fault.Bad("AWS reports that this machine's clock is wrong (%s)", name).WithHint("set the clock")},
		{[]string{"InvalidParameterException", "ValidationException"}, true,
			fault.Bad("AWS does not understand the name %s (%s)", words.Quoted(m.id), name).WithHint("correct path, app, env or the version's options")},
	} {
		if known.when && slices.Contains(known.names, name) {
			return known.refusal
		}
	}
	if a.Status >= 500 {
		return fault.Bad("AWS failed (%d)", a.Status).WithHint("try again later")
	}
	return fault.Bad("AWS refuses to return %s (%d %s)", what, a.Status, w.keys.letters(name))
}

// letters returns the name of an exception if it has only the characters of such names: a server
// may send anything, even our keys.
func (k keys) letters(name string) string {
	other := func(c rune) bool { return (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') }
	if name == "" || site.Shows(name, k.ID, k.Secret, k.Token) || strings.ContainsFunc(name, other) {
		return "without a name"
	}
	return name
}
