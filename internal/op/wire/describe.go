package wire

// aboutOr returns the description in a field's tag, or the meaning that its name has in every input.
func aboutOr(about, name string) string {
	if about != "" {
		return about
	}
	return vocabulary[name]
}

// vocabulary describes the names that several inputs share.
var vocabulary = map[string]string{
	"id": "task id, such as demo-4", "slug": "project slug", "project": "project slug",
	"limit":   "how many at most; 50 by default (events 100), capped at 1000 and at 1 MiB",
	"budget":  "how many tokens the bundle may take; what is cut is named",
	"under":   "only tasks below this one",
	"apart":   "pass over tasks whose touches overlap those of a held one",
	"leaseMs": "how long the claim lasts, in milliseconds; 0 means no expiry",
	"fence":   "the fence of your claim: refused with 409 once it is no longer the newest",
}
