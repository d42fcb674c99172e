package wire

import (
	"bytes"
	"io"

	"github.com/go-json-experiment/json"

	"tasker/internal/core"
	"tasker/internal/strict"
	"tasker/internal/task/news"
)

// newsMembers is the form of news in an answer, next to its own members.
type newsMembers struct {
	News []news.Item `json:"news"`
	More bool        `json:"newsMore,omitzero"`
}

// News is the same for the documentation: an answer has neither member if there is no news.
type News struct {
	News     []NewsItem `json:"news,omitzero" about:"what others did with what the caller holds, and answers to its questions"`
	NewsMore bool       `json:"newsMore,omitzero" about:"older ones are left out"`
}

// NewsItem is one of them.
type NewsItem news.Item

// WithNews returns an answer with the news for its caller added. An answer that is not an object, or without news,
// stays as it is.
func WithNews(doc []byte, t core.News) ([]byte, error) {
	if len(t.Items) == 0 || !bytes.HasPrefix(doc, []byte("{")) {
		return doc, nil
	}
	end := bytes.LastIndexByte(doc, '}')
	if end < 0 {
		return doc, nil
	}
	more, err := json.Marshal(newsMembers{t.Items, t.More}, strict.JSONOptions)
	if err != nil {
		return nil, err
	}
	out := append(make([]byte, 0, len(doc)+len(more)), doc[:end]...)
	if len(bytes.TrimSpace(doc[1:end])) > 0 {
		out = append(out, ',')
	}
	return append(append(out, more[1:]...), doc[end+1:]...), nil
}

// WriteWith is WriteIn with the news for the caller added to the answer.
func WriteWith(w io.Writer, v any, in Language, t core.News) error {
	if len(t.Items) == 0 {
		return WriteIn(w, v, in)
	}
	var doc bytes.Buffer
	if err := WriteIn(&doc, v, in); err != nil {
		return err
	}
	out, err := WithNews(doc.Bytes(), t)
	if err != nil {
		return err
	}
	_, err = w.Write(out)
	return err
}

// ReadNews returns the news that come with an answer.
func ReadNews(doc []byte) (core.News, error) {
	if !bytes.Contains(doc, []byte(`"news":[`)) {
		return core.News{}, nil
	}
	var found newsMembers
	err := json.Unmarshal(doc, &found)
	return core.News{Items: found.News, More: found.More}, err
}
