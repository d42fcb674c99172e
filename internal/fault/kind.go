package fault

// Kind says what sort of answer an error is. The list is closed, and table says how every face answers each kind.
type Kind uint8

// The kinds. Internal is the zero value, so that an error without a kind is never mistaken for a refusal.
const (
	Internal         Kind = iota
	Invalid               // faulty in itself: a malformed or unknown name, value, reference, cycle, limit
	Declined              // understood, but state, policy or identity says no
	NotFound              // the project, task or record does not exist
	Conflict              // expectedVersion or fence no longer matches
	Unauthorized          // no valid credential
	Forbidden             // the front door says no: host, origin, read-only session
	MethodNotAllowed      // the path exists, the method does not
	TooLarge              // a body that exceeds its bound
	Unavailable           // not now: shutting down, a commit that could not be made durable, a lost database
	Gone                  // it existed, but is no longer stored: events from before the point where the log was pruned
)

// Kinds lists every kind, for the tables that must be complete.
var Kinds = []Kind{Internal, Invalid, Declined, NotFound, Conflict, Unauthorized, Forbidden, MethodNotAllowed, TooLarge, Unavailable, Gone}

// The exit codes of the command line. ExitNothing does not belong to an error: it ends a command that was asked to
// report by its exit code that there was nothing to do.
const (
	ExitDone = iota
	ExitUnexpected
	ExitInvalid
	ExitDeclined
	ExitNotFound
	ExitConflict
	ExitUnauthorized
	ExitNothing
)

// table is how each kind is answered. Statuses are numbers because an error knows nothing about HTTP.
var table = [...]struct {
	code, reason string
	status       int
	exit         int
}{
	Internal:         {"internal", "", 500, ExitUnexpected},
	Invalid:          {"refusal", "invalid", 422, ExitInvalid},
	Declined:         {"refusal", "declined", 422, ExitDeclined},
	NotFound:         {"not_found", "", 404, ExitNotFound},
	Conflict:         {"conflict", "", 409, ExitConflict},
	Unauthorized:     {"unauthorized", "", 401, ExitUnauthorized},
	Forbidden:        {"forbidden", "", 403, ExitUnauthorized},
	MethodNotAllowed: {"method_not_allowed", "", 405, ExitUnexpected},
	TooLarge:         {"too_large", "", 413, ExitInvalid},
	Unavailable:      {"unavailable", "", 503, ExitUnexpected},
	Gone:             {"gone", "", 410, ExitNotFound},
}

// Code returns the text of the `error` field of an answer.
func (k Kind) Code() string { return table[k].code }

// Reason returns the `reason` of a refusal, empty for every other kind.
func (k Kind) Reason() string { return table[k].reason }

// Status returns the HTTP status of an answer.
func (k Kind) Status() int { return table[k].status }

// Exit returns the exit code of a command.
func (k Kind) Exit() int { return table[k].exit }

// KindOf is the inverse of Code and Reason: what a client reads from an answer.
func KindOf(code, reason string) Kind {
	for _, k := range Kinds {
		if k.Code() == code && (k.Reason() == "" || k.Reason() == reason) {
			return k
		}
	}
	return Internal
}
