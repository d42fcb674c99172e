package main

import (
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"slices"
	"strings"
)

// publisherFile is the only file that says who publishes; `make module` updates the home in it.
const publisherFile = "packaging/publisher.json"

// about says what is released, in 100 characters, which is what the registry of tool servers allows.
const about = "A task tracker for coding agents and the people who work with them"

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

// name returns the maintainer's name without the address.
func (p publisher) name() string {
	name, _, _ := strings.Cut(p.Maintainer, "<")
	return strings.TrimSpace(name)
}

// mcpName returns the name under which the registry of the Model Context Protocol knows the tool server. The registry lets
// only the owner of the home's domain, or of its account on GitHub, publish under it.
func (p publisher) mcpName() (string, error) {
	home, err := url.Parse(p.Home)
	if err != nil || home.Hostname() == "" {
		return "", fmt.Errorf("%s: the home %q is not the address of a page, and the registry of tool servers names them by its host", publisherFile, p.Home)
	}
	labels := strings.Split(home.Hostname(), ".")
	slices.Reverse(labels)
	if owner, _, _ := strings.Cut(strings.Trim(home.Path, "/"), "/"); home.Hostname() == "github.com" && owner != "" {
		labels = []string{"io", "github", owner}
	}
	return strings.Join(labels, ".") + "/tasker", nil
}
