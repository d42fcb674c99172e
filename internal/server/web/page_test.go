package web

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// notPages are routes that docs/web.md does not list: files, and what is shown for an address that does not exist.
var notPages = []string{"GET /help", "GET /p/{slug}/graph/{file}", "GET /p/{slug}/{rest...}", "GET /assets/{hash}/{name}", "GET /favicon.ico", Lost}

// TestTheDocumentListsTheAddressesOfAllPages compares the table of docs/web.md with the routes.
func TestTheDocumentListsTheAddressesOfAllPages(t *testing.T) {
	src, err := os.ReadFile("../../../docs/web.md")
	if err != nil {
		t.Fatal(err)
	}
	var listed []string
	for _, m := range regexp.MustCompile("`((?:/|…/)[^`?]*)`").FindAllStringSubmatch(string(src), -1) {
		address := strings.Replace(m[1], "…", "/p/SLUG", 1)
		if address == "/" {
			address = "/{$}"
		}
		listed = append(listed, "GET "+strings.NewReplacer("SLUG", "{slug}", "ID", "{id}").Replace(address))
	}
	routes := Routes(Options{})
	for pattern := range routes {
		if !slices.Contains(notPages, pattern) && !slices.Contains(listed, pattern) {
			t.Errorf("docs/web.md does not list the page %s", pattern)
		}
	}
	for _, pattern := range listed {
		if routes[pattern] == nil && pattern != "GET /signin" {
			t.Errorf("docs/web.md lists %s, and there is no such page", pattern)
		}
	}
}
