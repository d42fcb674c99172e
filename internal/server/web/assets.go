package web

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"net/http"
	"path"
	"strconv"
	"sync"

	"tasker/internal/fault"
	"tasker/internal/op/wire"
)

//go:embed assets
var embedded embed.FS

// file is an asset as it is sent.
type file struct {
	kind   string
	body   []byte
	packed []byte // gzip
}

// static holds every asset by name, and the hash of all of them together: the content at an address with that hash never
// changes. Scripts import one another by relative addresses, so they share one hash.
var static = sync.OnceValue(func() (k struct {
	hash  string
	files map[string]file
}) {
	k.files = map[string]file{}
	entries, err := fs.ReadDir(embedded, "assets")
	if err != nil {
		panic(err) // the assets are embedded
	}
	digest := sha256.New()
	for _, e := range entries {
		body, err := embedded.ReadFile("assets/" + e.Name())
		if err != nil {
			panic(err)
		}
		digest.Write([]byte(e.Name()))
		digest.Write(body)
		k.files[e.Name()] = file{kinds[path.Ext(e.Name())], body, packed(body)}
	}
	k.hash = hex.EncodeToString(digest.Sum(nil))[:16]
	return k
})

var kinds = map[string]string{
	".css": "text/css; charset=utf-8",
	".js":  "text/javascript; charset=utf-8",
	".svg": "image/svg+xml",
}

func packed(body []byte) []byte {
	var buf bytes.Buffer
	w, _ := gzip.NewWriterLevel(&buf, gzip.BestCompression) // the level is valid
	_, _ = w.Write(body)                                    // writes to memory
	_ = w.Close()
	return buf.Bytes()
}

// assetPath returns the address of an asset.
func assetPath(name string) string { return "/assets/" + static().hash + "/" + name }

func asset(w http.ResponseWriter, r *http.Request) error {
	f, ok := static().files[r.PathValue("name")]
	if !ok || r.PathValue("hash") != static().hash {
		return fault.Missing("there is no such asset").WithHint("load the page again: it names the assets of this version")
	}
	w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	sendAsset(w, r, f)
	return nil
}

func favicon(w http.ResponseWriter, r *http.Request) error {
	w.Header().Set("Cache-Control", "public, max-age=86400")
	sendAsset(w, r, static().files["icon.svg"])
	return nil
}

func sendAsset(w http.ResponseWriter, r *http.Request, f file) {
	h := w.Header()
	h.Set("Content-Type", f.kind)
	// An icon that is opened by itself is a document of our origin.
	h.Set("Content-Security-Policy", policy)
	if wire.Accepted(r.Header.Get("Accept-Encoding")) == wire.Gzip {
		send(w, r, http.StatusOK, wire.Gzip, f.packed) // compressed once, as small as possible
		return
	}
	send(w, r, http.StatusOK, wire.None, f.body)
}

// send writes an answer that is already in the given encoding. It ignores write errors: they mean that the client is gone.
func send(w http.ResponseWriter, r *http.Request, status int, how wire.Encoding, body []byte) {
	h := w.Header()
	h.Set("Vary", "Accept-Encoding")
	if how != wire.None {
		h.Set("Content-Encoding", string(how))
	}
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		_, _ = w.Write(body) //nolint:gosec // pages come from html/template, which escapes
	}
}
