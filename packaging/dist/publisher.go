package main

import (
	"encoding/json"
	"fmt"
	"os"
)

// publisherFile is the only file that says who publishes; `make module` updates the home in it.
const publisherFile = "packaging/publisher.json"

// publisher is who publishes a release, and the release's home page.
type publisher struct {
	Maintainer string `json:"maintainer"` // name and address, as Debian writes them
	Home       string `json:"home"`
}

func readPublisher(path string) (p publisher, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return p, err
	}
	if err := json.Unmarshal(text, &p); err != nil {
		return p, fmt.Errorf("%s: %w", path, err)
	}
	if p.Maintainer == "" || p.Home == "" {
		return p, fmt.Errorf("%s needs a maintainer and a home", path)
	}
	return p, nil
}
