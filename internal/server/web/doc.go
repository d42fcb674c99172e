// Package web is the read-only view for people: pages at {base_url}/ that show what operations answer and decide
// nothing. Every page has an address that can be shared and works without scripts; scripts only make it live and give
// it a keyboard. All stored text is hostile: pages are written by html/template alone, under a policy that runs no
// inline script and loads nothing from elsewhere.
//
// A page NAME is NAME.go, whose function reads what it shows through operations, templates/NAME.html, which shows it,
// and a line in Routes. Parts that several pages show are in templates/parts.html, functions of templates in funcs.go,
// and the parameters of addresses in address.go.
package web
