// Package web is the read-only view for people: pages at {base_url}/ that show what operations answer and decide nothing.
// Every page has an address that can be shared and works without scripts; scripts only make it live and add a keyboard. All
// stored text is hostile: only html/template writes pages, under a policy that runs no inline script and loads nothing from
// other sites.
//
// A page NAME consists of NAME.go, whose function reads its data through operations, templates/NAME.html, which shows it,
// and a line in Routes. Parts that several pages share are in templates/parts.html, template functions in funcs.go, and the
// parameters of addresses in address.go.
package web
