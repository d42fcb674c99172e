package importer

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// remarks are the comments of an issue. They are empty if the API gives only their number.
type remarks []remark

// UnmarshalJSONFrom reads a list of comments, and ignores anything else.
func (r *remarks) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	if dec.PeekKind() != '[' {
		return dec.SkipValue()
	}
	return json.UnmarshalDecode(dec, (*upTo[remark])(r), jsontext.AllowDuplicateNames(true))
}
